//! `sealwright pr`: the pull request of a finished task.

mod gh;

use sealwright_kernel::task::{Event, Task};
use sealwright_kernel::{Digest, Machine as _, TaskId, Timestamp};
use sealwright_repo::remote::{first_branch, push};
use sealwright_store::{Head, read_blob_text};
use sealwright_views::watch::status;
use sealwright_views::wire::PullRequestView;
use sealwright_views::{Chronicle, OUTPUT_BYTES_MAX, PullRequest, ViewInput, pull_request};

use crate::args::Format;
use crate::commands::verify;
use crate::error::{CliError, CliResult};
use crate::output::{Output, sanitize, say};
use crate::person::refuse_roles;
use crate::repository::Repository;

/// Print the pull request of a finished task.
///
/// Title and body come from the journal: the task, what was proven and how, what was not proven, the cost, and how to
/// verify it. If the branch of the task is here, it has to be exactly what was proven; otherwise it is refused in the words
/// of `verify`. Without flags no program is started and nothing is sent.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Task id, or a unique part of it [default: the latest task].
    task: Option<String>,

    /// Push the branch of the task first, without force.
    #[arg(long)]
    push: bool,

    /// Open it with `gh pr create`.
    #[arg(long)]
    create: bool,

    /// Remote to push to.
    #[arg(long, value_name = "NAME", default_value = "origin", value_parser = name)]
    remote: String,

    /// Target branch [default: the default branch of the remote].
    #[arg(long, value_name = "BRANCH", value_parser = name)]
    base: Option<String>,
}

pub(crate) fn run(args: &Args, repository: &Repository, output: &mut Output) -> CliResult {
    let id = repository.task_or_latest(args.task.as_deref())?;
    let request = told(repository, &id)?;
    let branch = id.branch();
    let is_sent = args.push || args.create;
    if is_sent {
        refuse_roles()?;
    }
    let tip = verify::shipped_tip(repository, &id, output)?;
    match &tip {
        None if is_sent => return Err(CliError::NoBranch { task: id.to_string(), branch }),
        None => say(&format!(
            "no branch {branch} in this repository: this is what the records say, and no code was compared"
        )),
        Some(_) => {}
    }
    if let Some(commit) = tip.filter(|_| args.push) {
        push(&repository.root, &args.remote, &commit, &branch).map_err(CliError::Push)?;
        say(&format!("pushed {branch} to {}", sanitize(&args.remote)));
    }
    let mut opened = None;
    if args.create {
        let asked = gh::Asked { head: &branch, base: args.base.as_deref(), request: &request };
        opened = Some(gh::create(&repository.root, &asked)?);
    }
    let PullRequest { title, body } = request;
    match (output.format, opened) {
        (Format::Json, opened) => {
            if let Some(opened) = opened {
                say(&sanitize(&opened));
            }
            // The JSON is printed without a git repository, too.
            let known = || first_branch(&repository.root, &args.remote).ok().flatten();
            let base = args.base.clone().or_else(known);
            output.json(&PullRequestView {
                title: title.into(),
                body: body.into(),
                branch: branch.into(),
                base: base.map(Into::into),
            })
        }
        (Format::Human, Some(opened)) => output.line(&sanitize(&opened)),
        (Format::Human, None) => {
            output.line(&sanitize(&title))?;
            output.line("")?;
            body.lines().try_for_each(|line| output.line(&sanitize(line)))
        }
    }
}

fn told(repository: &Repository, id: &TaskId) -> CliResult<PullRequest> {
    let (mut task, mut chronicle) = (Task::default(), Chronicle::default());
    let mut at = Timestamp::from_millis(0);
    let head = repository.journal.read_blocking(id.stream(), Head::START, &mut |entry| {
        let record = entry.record()?;
        entry.events::<Event>()?.iter().for_each(|event| task.evolve(event));
        chronicle.add(&record);
        at = record.at;
        Ok(())
    })?;
    let layout = repository.journal.layout();
    let outputs = |digest: &Digest| read_blob_text(layout, digest, OUTPUT_BYTES_MAX);
    let input = ViewInput { task: &task, chronicle: &chronicle, head, at, outputs: &outputs };
    pull_request(&input).ok_or_else(|| CliError::NotDone {
        task: id.to_string(),
        status: status::name(task.status()),
    })
}

/// Parses a name that no program takes for an option.
fn name(text: &str) -> Result<String, String> {
    if text.is_empty() || text.starts_with('-') || text.chars().any(char::is_control) {
        Err("a name that is not empty and does not start with `-`".to_owned())
    } else {
        Ok(text.to_owned())
    }
}
