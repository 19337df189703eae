//! `prove project`: from a spec to a branch for real, killed on the way; wrong rules, and what strangers write.

mod fuzz;
mod killed;
mod planted;

use std::collections::BTreeSet;

use anyhow::Result;

use crate::named_tests::{self, NamedTest};
use crate::prove::figures::Figures;
use crate::prove::{Size, in_parts};
use crate::workspace::say;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// Projects that the program plans and builds.
    Built,
    /// The same project, killed again and again.
    Killed,
    /// Rules made wrong, one at a time.
    Planted,
    /// Bent specs, documents and resolutions.
    Fuzz,
}

pub(crate) fn run(size: Size, only: Option<Part>) -> Result<()> {
    in_parts(
        "project",
        size,
        only,
        &[
            (Part::Built, "projects from a spec to a branch", &built),
            (Part::Killed, "killed and continued", &killed::prove),
            (Part::Planted, "rules made wrong, one at a time", &planted::prove),
            (Part::Fuzz, "bent specs, documents and resolutions", &fuzz::prove),
        ],
    )
}

/// Projects in real repositories, with real gates; only roles are scripts.
fn built(size: Size, figures: &mut Figures) -> Result<()> {
    let all = BUILT.iter().map(|it| NamedTest::find(it)).collect::<Result<Vec<_>>>()?;
    let chosen: BTreeSet<NamedTest> = match size {
        Size::Quick(sample) => sample.of(&all, 1).into_iter().collect(),
        Size::Full => all.into_iter().collect(),
    };
    let failed = named_tests::run(&chosen, &[])?;
    failed.iter().for_each(|test| say(&format!("  ✗ did not pass: {test}")));
    let text = format!(
        "{} of {} projects ended as they must: planned, halted and freed, split, amended, abandoned, through all phases, \
         stepped",
        chosen.len() - failed.len(),
        chosen.len()
    );
    figures.hold(text, failed.is_empty());
    Ok(())
}

const BUILT: &[&str] = &[
    "crates/cli/tests/hands/projects.rs::a_project_is_planned_by_a_person_and_built_task_by_task",
    "crates/cli/tests/hands/resolved.rs::a_halted_task_is_split_and_those_behind_it_wait_for_its_parts",
    "crates/cli/tests/hands/resolved.rs::amended_criteria_are_in_the_spec_and_a_stranded_task_is_freed_by_other_dependencies",
    "crates/cli/tests/hands/phases.rs::a_version_goes_through_its_phases_and_each_gate_is_a_commit",
    "crates/cli/tests/hands/phases.rs::a_gate_that_failed_three_times_asks_a_person_and_an_edit_leads_back_to_its_gate",
];
