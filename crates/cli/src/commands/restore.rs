//! `sealwright restore`: an earlier tree of a task as a branch.

use sealwright_factory::restore;
use sealwright_kernel::Seq;
use sealwright_views::wire::RestoredTree;

use crate::args::Format;
use crate::commands::wait;
use crate::error::CliResult;
use crate::output::{Output, good, say, short};
use crate::person::refuse_roles;
use crate::repository::Repository;

/// Restore an earlier tree of a task as a commit on a new branch.
///
/// Every tree that a gate checked is kept. Your branch, your index and your files are not touched.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Task id, or a unique part of it [default: the latest task].
    task: Option<String>,

    /// Tree after this record [default: the last record].
    #[arg(long, value_name = "SEQ", value_parser = clap::value_parser!(u64).range(1..))]
    at: Option<u64>,
}

pub(crate) fn run(args: &Args, repository: &Repository, output: &mut Output) -> CliResult {
    refuse_roles()?;
    let task = repository.task_or_latest(args.task.as_deref())?;
    let at = args.at.map(Seq::new);
    let restored = wait(restore::restore(&repository.root, &repository.journal, &task, at))??;
    match output.format {
        Format::Json => output.json(&RestoredTree {
            task: (&task).into(),
            branch: restored.branch,
            commit: (&restored.commit).into(),
            tree: restored.tree.into(),
            after: restored.after.into(),
        }),
        Format::Human => {
            let (branch, commit) = (&restored.branch, short(&restored.commit));
            output.line(&format!("{} {branch} is commit {commit}", good("✓")))?;
            say(&format!("next: `git diff HEAD {branch}`"));
            Ok(())
        }
    }
}
