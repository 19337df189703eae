//! `prove pipeline`: every run that the table allows, its properties in each, and the same from a model checker.

mod guards;
mod refinement;
mod tlc;

use anyhow::Result;
use sealwright_kernel::pipeline::Rules;
use sealwright_kernel::pipeline::properties::{INVARIANTS, STEP_PROPERTIES};
use sealwright_kernel::pipeline::table::ROWS;
use sealwright_kernel::pipeline::walk::{self, Walked};

use crate::prove::figures::Figures;
use crate::prove::{Size, in_parts};

use refinement::Refinement;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// Every run that can be reached.
    Walk,
    /// Guards taken away, one at a time.
    Guards,
    /// The model checker, on the specification.
    Tlc,
}

pub(crate) fn run(size: Size, only: Option<Part>) -> Result<()> {
    in_parts(
        "pipeline",
        size,
        only,
        &[
            (Part::Walk, "every run", &walk),
            (Part::Guards, "guards taken away, one at a time", &guards::prove),
            (Part::Tlc, "the model checker", &tlc::prove),
        ],
    )
}

fn walk(_: Size, figures: &mut Figures) -> Result<()> {
    let refinement = Refinement::read()?;
    let said = match walk::walk(Rules::OURS, |taken| refinement.broken_by(taken)) {
        Ok(Walked { runs, steps, rows }) => {
            let text = format!(
                "{runs} runs and {steps} steps (TLC: {RUNS} and {STEPS}), {rows} of {} rows taken; {} invariants and {} \
                 step properties hold",
                ROWS.len(),
                INVARIANTS.len(),
                // The refinement is one of them.
                STEP_PROPERTIES.len() + 1,
            );
            (text, (runs, steps, rows) == (RUNS, STEPS, ROWS.len()))
        }
        Err(broken) => (broken.to_string(), false),
    };
    figures.hold(said.0, said.1);
    Ok(())
}

/// What TLC counts on the specification, with gates that block at their third failure.
const RUNS: usize = 626_890;
const STEPS: usize = 1_841_255;
