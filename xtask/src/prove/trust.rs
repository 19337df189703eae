//! `prove trust`: claims of proof are true, and a clone alone suffices to verify them.

mod bytes;

use anyhow::Result;

use crate::prove::{Size, frauds, in_parts};

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// Single changed bytes in the files of a finished task.
    Bytes,
    /// The overhead of a gate over the bare command.
    Overhead,
}

/// Single changed bytes, for another proof as well.
pub(super) fn bytes(size: Size, figures: &mut super::figures::Figures) -> Result<()> {
    bytes::prove(size, figures)
}

pub(crate) fn run(size: Size, only: Option<Part>) -> Result<()> {
    in_parts(
        "trust",
        size,
        only,
        &[
            (Part::Bytes, "single bytes of a finished task", &bytes::prove),
            (Part::Overhead, "gate overhead", &frauds::overhead),
        ],
    )
}
