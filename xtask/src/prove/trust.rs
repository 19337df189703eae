//! `prove trust`: claims of proof are true, and a clone alone suffices to verify them.

mod bytes;
mod frauds;

use anyhow::Result;

use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::workspace::say;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// Single changed bytes in the files of a finished task.
    Bytes,
    /// Planted frauds and honest runs, compared with three naive loops.
    Frauds,
    /// The overhead of a gate over the bare command.
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

/// Every part in order: name, heading, proof.
const PARTS: &[(Part, &str, Prove)] = &[
    (Part::Bytes, "single bytes of a finished task", bytes::prove),
    (Part::Frauds, "frauds and honest runs", frauds::prove),
    (Part::Overhead, "gate overhead", frauds::overhead),
];

type Prove = fn(Size, &mut Figures) -> Result<()>;
