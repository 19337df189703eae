//! `prove quick`: one sentence, an existing repository, real agents, and at the end a branch with proof or an honest stop.

mod bench;
mod runs;

use anyhow::Result;

use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::workspace::say;

/// The parts of the proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// Honest, sloppy, stuck and cheating scripts on three repositories, by two crews.
    Runs,
    /// An honest run, killed at random moments and continued each time.
    Kills,
    /// A full disk, missing agents and models, a clock that is set back, two people at once.
    Trouble,
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
const PARTS: &[(Part, &str, Prove)] = &[
    (Part::Runs, "quick-lane runs by real agents", runs::runs),
    (Part::Kills, "one run, killed again and again", runs::kills),
    (Part::Trouble, "faults around a run", runs::trouble),
    (Part::Pace, "pace of the engine", bench::prove),
];

type Prove = fn(Size, &mut Figures) -> Result<()>;
