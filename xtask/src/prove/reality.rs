//! `prove reality`: repositories that other people wrote, set up, tested and evaluated as their users would.
//!
//! The repositories stand in `../shared/data/repos`, as tar files of bare clones. `docs/reality.tsv` lists every test
//! that ends otherwise in a clean room than natively, every change that `evaluate` would stop, and every ordinary change that
//! does not ship, each with the reason.

mod agree;
mod changes;
mod evaluated;
mod known;
pub(super) mod repositories;

use anyhow::Result;

use crate::prove::figures::Figures;
use crate::prove::{Size, in_parts};

use repositories::{REPOSITORIES, Ready, Repository};

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// `init` writes a check that runs, and native and room agree on every test.
    Agree,
    /// `evaluate --last 10`.
    Evaluate,
    /// Ordinary changes ship.
    Changes,
}

pub(crate) fn run(size: Size, only: Option<Part>) -> Result<()> {
    in_parts(
        "reality",
        size,
        only,
        &[
            (Part::Agree, "tests, natively and in a clean room", &agree::prove),
            (Part::Evaluate, "the last changes", &evaluated::prove),
            (Part::Changes, "ordinary changes", &changes::prove),
        ],
    )
}

/// The repositories of a run, made ready: all, or one of each language that the sample chooses.
fn ready(size: Size, figures: &mut Figures) -> Result<Vec<Ready>> {
    if !repositories::folder().is_dir() {
        figures.tell("no repositories beside this one: nothing was looked at".to_owned());
        return Ok(vec![]);
    }
    let chosen: Vec<&Repository> = match size {
        Size::Full => REPOSITORIES.iter().collect(),
        Size::Quick(sample) => {
            let mut chosen = Vec::new();
            for is_python in [true, false] {
                let small = REPOSITORIES.iter().filter(|it| it.is_small);
                let small: Vec<&Repository> =
                    small.filter(|it| it.is_python() == is_python).collect();
                chosen.extend(sample.of(&small, 1));
            }
            chosen
        }
    };
    chosen.into_iter().map(|it| it.ready(size)).collect()
}
