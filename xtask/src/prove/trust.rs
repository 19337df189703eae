//! `prove trust`: what is said to be proven was proven, and whoever doubts it can check it from a clone alone.

mod bytes;
mod frauds;

use anyhow::Result;

use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::workspace::say;

/// The parts of the proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// Single bytes, changed one at a time in everything that a finished task left behind.
    Bytes,
    /// Planted frauds and honest runs, beside three naive loops.
    Frauds,
    /// What a gate costs beside the bare command.
    Overhead,
}

pub(crate) fn run(size: Size, only: Option<Part>) -> Result<()> {
    let mut figures = Figures::new("trust", size);
    for (part, what, prove) in PARTS {
        if only.is_some_and(|only| only != *part) {
            continue;
        }
        say(what);
        prove(size, &mut figures)?;
    }
    figures.close()
}

/// Every part, in the order they are run: its name, what is said of it, what proves it.
const PARTS: &[(Part, &str, Prove)] = &[
    (Part::Bytes, "single bytes of a finished task", bytes::prove),
    (Part::Frauds, "frauds and honest runs", frauds::prove),
    (Part::Overhead, "what a gate costs", frauds::overhead),
];

type Prove = fn(Size, &mut Figures) -> Result<()>;
