//! `sealwright do`: one change, from a sentence to a proven branch.
//!
//! ```text
//! sentence ──▶ task ──▶ run … ──▶ freeze prompt ──▶ run … ──▶ a branch, a question, or the reason why not
//! ```

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sealwright_config::Config;
use sealwright_factory::TaskError;
use sealwright_factory::agent_registry::Agents;
use sealwright_factory::task_runner::{TaskRequest, TaskRunner, Uncommitted};
use sealwright_factory::tasks::Tasks;
use sealwright_host::Ended;
use sealwright_kernel::task::{Budget, Freeze, QuestionSubject};
use sealwright_kernel::{Actor, Seq, TaskId};
use sealwright_store::FileJournal;
use sealwright_views::sanitize;

use crate::error::{CliError, CliResult};
use crate::input_files;
use crate::output::{Output, say, short};
use crate::person::person;
use crate::repository::{Repository, Unnamed};
use crate::signing::sign_if_asked;

use super::budget::micro_dollars;
use super::init;
use super::new::{Terms, configuration};

mod freeze_prompt;
mod notify;
mod progress;
mod summary;

use freeze_prompt::Answer;
pub(crate) use progress::Progress;
use summary::Summary;

/// Make one change in this repository and prove it.
///
/// Coding agents work in a sandbox. Acceptance tests are written and must fail first; the engine runs every gate itself.
/// The result is a branch with one commit and its evidence, a question, or the reason why not. With `--dirty take`, a
/// commit with your uncommitted work comes before it. Your branch, your index and your files are not touched.
///
/// Ctrl-C pauses the task; a second Ctrl-C stops at once. Neither loses work.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The change, in a sentence.
    #[arg(value_name = "CHANGE", required_unless_present_any = ["from_issue", "task"], conflicts_with_all = ["from_issue", "task"])]
    said: Option<String>,

    /// File that describes the change, such as an issue; `-` is standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "task")]
    from_issue: Option<PathBuf>,

    /// Resume TASK, or the only unfinished task.
    #[arg(long = "continue", value_name = "TASK", num_args = 0..=1, default_missing_value = "")]
    task: Option<String>,

    /// Approve the contract in advance, under your name; only in the quick lane and with normal risk.
    #[arg(long, conflicts_with = "task")]
    yes: bool,

    #[command(flatten)]
    terms: Terms,

    /// Builder: an agent of sealwright.toml, or a kind, such as `codex` [default: of the project].
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,

    /// Budget in dollars; at the limit you are asked [default: of the project].
    #[arg(long, value_name = "DOLLARS", value_parser = micro_dollars)]
    budget: Option<u64>,

    /// What to do with uncommitted changes.
    #[arg(long, value_enum, default_value_t = Dirty::Refuse)]
    dirty: Dirty,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Dirty {
    /// Refuse to start.
    Refuse,
    /// Start from the working tree: uncommitted and untracked files become the first commit of the branch.
    Take,
    /// Start from the last commit.
    Leave,
}

impl From<Dirty> for Uncommitted {
    fn from(dirty: Dirty) -> Self {
        match dirty {
            Dirty::Refuse => Self::Refuse,
            Dirty::Take => Self::Take,
            Dirty::Leave => Self::Leave,
        }
    }
}

pub(crate) fn run(
    args: &Args,
    found: CliResult<Repository>,
    named: Option<&Path>,
    output: &mut Output,
) -> CliResult {
    let root = match found {
        Ok(repository) => repository.root,
        Err(_) => init::around(named)?,
    };
    if args.task.is_none() {
        if !init::is_in_git(&root) {
            return Err(CliError::NoGit);
        }
        TaskRunner::refuse_unprovable(&root, args.dirty.into())?;
    }
    let by = person(&root)?;
    let config = configuration(&root)?;
    let progress = Arc::new(Progress::new());
    let wanted = wanted(args, &config)?;
    let is_signed = config.project.signed_decisions;
    let runner =
        TaskRunner::open(&root, config, (Agents::Needed, args.agent.as_deref()), progress.clone())?;
    let journal = FileJournal::at(root.join(".sealwright"));
    let run = Run { root: &root, journal: &journal, runner: &runner, by: &by, is_signed, progress };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(async {
        let task = match &args.task {
            Some(named) => run.unfinished(named)?,
            None => run.begin(wanted).await?,
        };
        run.print_agents();
        run.carry_on(&task).await
    });
    // A thread may still wait for terminal input.
    runtime.shutdown_background();
    ended?.tell(&run, output)
}

struct Run<'d> {
    root: &'d Path,
    journal: &'d FileJournal,
    runner: &'d TaskRunner,
    by: &'d Actor,
    /// Whether the person signs what they decide.
    is_signed: bool,
    progress: Arc<Progress>,
}

impl Run<'_> {
    async fn begin(&self, wanted: TaskRequest) -> CliResult<TaskId> {
        let begun = self.runner.begin(self.by, wanted).await?;
        if let (files @ [_, ..], count) = (&begun.taken.0[..], begun.taken.1) {
            say(&format!(
                "• uncommitted files, taken into the first commit: {}",
                named(files, count)
            ));
        }
        say(&format!("• {} starts at commit {}", begun.task, short(&begun.base)));
        for left_out in &begun.left_out {
            say(&format!("• not part of this task: {left_out}"));
        }
        // Its creation is all that was recorded here.
        let created = Seq::new(1);
        let stream = begun.task.stream();
        sign_if_asked(self.is_signed, self.journal, stream, self.by, created..=created)?;
        Ok(begun.task)
    }

    /// The task with this id, or the only unfinished one.
    fn unfinished(&self, named: &str) -> CliResult<TaskId> {
        let repository = Repository { root: self.root.to_owned(), journal: self.journal.clone() };
        if !named.is_empty() {
            return repository.task(named);
        }
        repository.only(Unnamed::Unfinished)
    }

    fn print_agents(&self) {
        let told: Vec<String> = self
            .runner
            .role_assignments()
            .filter(|seated| ["builder", "challenger"].contains(&seated.role.name()))
            .map(|seated| {
                let model = if seated.model.is_empty() {
                    String::new()
                } else {
                    format!(" with {}", sanitize(&seated.model))
                };
                format!("{}: {}{model}", seated.role.name(), sanitize(&seated.agent))
            })
            .collect();
        say(&format!("• {}", told.join("; ")));
    }

    async fn carry_on(&self, task: &TaskId) -> CliResult<Summary> {
        for _ in 0..FREEZE_PROMPTS_MAX {
            let ended = self.runner.run(task, interrupted()).await;
            self.progress.rest();
            let ended = ended?;
            if !matches!(ended, Ended::Waiting(_)) || !freeze_prompt::is_possible() {
                return Summary::of(self, task, ended).await;
            }
            let machine = Tasks::of(self.journal).look(task).await?.machine;
            let asked = machine.question();
            let is_freeze =
                asked.as_ref().is_some_and(|(_, it)| matches!(it.about, QuestionSubject::Freeze));
            if !is_freeze {
                return Summary::of(self, task, ended).await;
            }
            let Answer::Recorded(at) = freeze_prompt::show(self, task, &machine).await? else {
                return Summary::of(self, task, ended).await;
            };
            sign_if_asked(self.is_signed, self.journal, task.stream(), self.by, at..=at)?;
        }
        Err(CliError::TooManyRefusals { task: task.to_string() })
    }
}

/// The first files, and how many more there are.
fn named(files: &[String], count: usize) -> String {
    let shown: Vec<String> =
        files.iter().take(TAKEN_SHOWN_MAX).map(|file| sanitize(file)).collect();
    match count - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Returns at the first Ctrl-C. The next one ends the process.
pub(crate) async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        // Without a handler Ctrl-C ends the process, and no durable work is lost.
        std::future::pending::<()>().await;
    }
    say("• parking the task; press Ctrl-C again to stop at once");
    tokio::spawn(async {
        if tokio::signal::ctrl_c().await.is_ok() {
            end_at_once();
        }
    });
}

#[expect(clippy::disallowed_methods, reason = "the second Ctrl-C ends the process at once")]
fn end_at_once() -> ! {
    std::process::exit(INTERRUPTED)
}

fn wanted(args: &Args, config: &Config) -> CliResult<TaskRequest> {
    let said = match &args.from_issue {
        Some(file) => input_files::text(file)?,
        None => args.said.clone().unwrap_or_default(),
    };
    if args.task.is_none() && said.trim().is_empty() {
        return Err(TaskError::NothingSaid.into());
    }
    let project_budget = config.budget.of_task();
    let budget = match args.budget {
        Some(dollars) => {
            let others = project_budget.unwrap_or_default();
            Some(Budget { micro_dollars: Some(dollars), ..others })
        }
        None => project_budget,
    };
    Ok(TaskRequest {
        said,
        lane: args.terms.lane(config),
        header: args.terms.header(config),
        freeze: if args.yes { Freeze::InAdvance } else { Freeze::Asked },
        uncommitted: args.dirty.into(),
        budget,
    })
}

const TAKEN_SHOWN_MAX: usize = 10;
const FREEZE_PROMPTS_MAX: usize = 32;
/// The exit code that shells use for Ctrl-C.
const INTERRUPTED: i32 = 130;
