//! `prove quick`: the quick lane, end to end, and what it adds to the agents and gates themselves.

mod pace;

use anyhow::Result;

use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::workspace::say;

/// The parts of the proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// Steps per second and time per step, beside bare writes and beside LangGraph.
    Pace,
}

pub(crate) fn run(size: Size, only: Option<Part>) -> Result<()> {
    let mut figures = Figures::new("quick", size);
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
const PARTS: &[(Part, &str, Prove)] = &[(Part::Pace, "pace of the engine", pace::prove)];

type Prove = fn(Size, &mut Figures) -> Result<()>;
