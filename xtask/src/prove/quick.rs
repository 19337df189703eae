//! `prove quick`: one sentence, an existing repository, real agents; the result is a branch with evidence or a halt.

mod bench;
mod runs;

use anyhow::Result;

use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::workspace::say;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// Honest, sloppy, stuck and cheating scripts on three repositories, with two pairs of agents.
    Runs,
    /// An honest run, killed at random moments and resumed each time.
    Kills,
    /// A full disk, missing agents and models, a clock set back, two users at once.
    Trouble,
    /// Steps per second and time per step, compared with bare writes and with LangGraph.
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

/// Every part in order: name, heading, proof.
const PARTS: &[(Part, &str, Prove)] = &[
    (Part::Runs, "quick-lane runs by real agents", runs::runs),
    (Part::Kills, "one run, killed repeatedly", runs::kills),
    (Part::Trouble, "faults around a run", runs::trouble),
    (Part::Pace, "engine benchmarks", bench::prove),
];

type Prove = fn(Size, &mut Figures) -> Result<()>;
