//! A project of tasks that build on each other, killed with -9 again and again: it ends with the same files, and nothing
//! happens twice. A version whose session is lost in each state in which it works: it is taken up there.
//!
//! Both take minutes, so the quick form plays one of them.

use std::collections::BTreeSet;

use anyhow::Result;

use crate::named_tests::{self, NamedTest};
use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::workspace::{say, scratch};

pub(super) fn prove(size: Size, figures: &mut Figures) -> Result<()> {
    let both: &[fn(Size, &mut Figures) -> Result<()>] = &[killed, lost];
    let chosen = match size {
        Size::Quick(sample) => sample.of(both, 1),
        Size::Full => both.to_vec(),
    };
    chosen.into_iter().try_for_each(|prove| prove(size, figures))
}

fn lost(_: Size, figures: &mut Figures) -> Result<()> {
    let failed = named_tests::run(&BTreeSet::from([NamedTest::find(LOST)?]), &[])?;
    let states = "a version is taken up in every state in which its session was lost";
    figures.hold(states.to_owned(), failed.is_empty());
    Ok(())
}

fn killed(size: Size, figures: &mut Figures) -> Result<()> {
    let (tasks, kills) = size.choose(("2", "3"), ("12", "50"));
    let told = scratch("project").join("killed.txt");
    std::fs::create_dir_all(scratch("project"))?;
    let _ = std::fs::remove_file(&told);
    let test = BTreeSet::from([NamedTest::find(KILLED)?]);
    let seed = match size {
        Size::Quick(sample) => sample.number(),
        Size::Full => 1,
    };
    let failed = named_tests::run(
        &test,
        &[
            ("SEALWRIGHT_PROJECT_TASKS", tasks),
            ("SEALWRIGHT_PROJECT_KILLS", kills),
            ("SEALWRIGHT_PROJECT_SEED", &seed.to_string()),
            ("SEALWRIGHT_PROJECT_TELLS", &told.display().to_string()),
        ],
    )?;
    let said = std::fs::read_to_string(&told).unwrap_or_default();
    said.lines().for_each(|line| say(&format!("  {line}")));
    let last = said.lines().last().unwrap_or("nothing was told").to_owned();
    figures.hold(last, failed.is_empty() && !said.is_empty());
    Ok(())
}

const LOST: &str = "crates/cli/tests/hands/lost.rs::a_lost_session_is_taken_up_where_it_was_and_nothing_else_is_lost";
const KILLED: &str = "crates/cli/tests/hands/killed.rs::a_project_that_is_killed_ends_with_the_same_work_and_nothing_twice";
