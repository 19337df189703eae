//! `prove quick`: one sentence, an existing repository, real agents; the result is a branch with evidence or a halt.

mod bench;
mod runs;

use anyhow::Result;

use crate::prove::{Size, in_parts};

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// Honest, sloppy, stuck and cheating scripts on three repositories, with two pairs of agents.
    Runs,
    /// An honest run, killed at random moments and resumed each time.
    Kills,
    /// A full disk, missing agents and models, a clock set back, two users at once.
    Trouble,
    /// Requests to the model, compared with the bare agent that makes the same change.
    Cost,
    /// Steps per second and time per step, compared with bare writes and with LangGraph.
    Pace,
}

pub(crate) fn run(size: Size, only: Option<Part>) -> Result<()> {
    in_parts(
        "quick",
        size,
        only,
        &[
            (Part::Runs, "quick-lane runs by real agents", &runs::runs),
            (Part::Kills, "one run, killed repeatedly", &runs::kills),
            (Part::Trouble, "faults around a run", &runs::trouble),
            (Part::Cost, "requests beside those of the bare agent", &runs::cost),
            (Part::Pace, "engine benchmarks", &bench::prove),
        ],
    )
}
