//! `sealwright do`: one change, from a sentence to a branch with proof.
//!
//! ```text
//! sentence ──▶ task ──▶ run … ──▶ a sitting (freeze) ──▶ run … ──▶ a branch, or a question, or why not
//! ```

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sealwright_factory::config::{Config, FILE_NAME};
use sealwright_factory::task_runner::{TaskRequest, TaskRunner, Uncommitted};
use sealwright_factory::tasks::Tasks;
use sealwright_host::Ended;
use sealwright_kernel::owner::{Header, Risk};
use sealwright_kernel::task::{Budget, Freeze, QuestionSubject, Status};
use sealwright_kernel::{Actor, TaskId};
use sealwright_store::FileJournal;
use sealwright_views::sanitize;

use crate::args::Format;
use crate::error::CliError;
use crate::input_files;
use crate::output::{Output, say};
use crate::person::person;
use crate::repository::Repository;

use super::budget::micro_dollars;
use super::init;

mod freeze_prompt;
mod notify;
mod progress;
mod summary;

use freeze_prompt::Sat;
pub(crate) use progress::Progress;
use summary::Ending;

/// Have one change made in this repository, and proven.
///
/// Coding agents do the work behind walls; tests are written and seen to fail first; the machine runs every gate
/// itself. At the end there is a branch with one commit and the evidence for it, or a question, or the reason why not.
/// Your branch, your index and your files are not touched.
///
/// Ctrl-C parks it in good order, a second one stops at once; nothing is lost by either.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What is wanted, in a sentence.
    #[arg(required_unless_present_any = ["from_issue", "task"], conflicts_with_all = ["from_issue", "task"])]
    said: Option<String>,

    /// A file that says what is wanted, such as an issue; `-` is standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "task")]
    from_issue: Option<PathBuf>,

    /// Go on with a task instead: this one, or the only one that is not over.
    #[arg(long = "continue", value_name = "TASK", num_args = 0..=1, default_missing_value = "")]
    task: Option<String>,

    /// Approve the contract now, in advance, under your name. Only quick tasks of normal risk can have that.
    #[arg(long)]
    yes: bool,

    /// How much ceremony it owes [default: the project's].
    #[arg(long, value_parser = ["quick", "factory", "strict"])]
    lane: Option<String>,

    /// How far it may go without a person [default: the project's].
    #[arg(long, value_parser = ["manual", "conservative", "auto"])]
    autonomy: Option<String>,

    /// What is at stake: money, access, data that can be lost, the rules themselves.
    #[arg(long, value_parser = ["normal", "high"], default_value = "normal")]
    risk: String,

    /// Who builds: an agent of sealwright.toml, or a kind, such as `codex` [default: the project's].
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,

    /// What it may cost, in dollars, before you are asked [default: the project's].
    #[arg(long, value_name = "DOLLARS", value_parser = micro_dollars)]
    budget: Option<u64>,

    /// What happens with work that you have not committed.
    #[arg(long, value_enum, default_value_t = Dirty::Refuse)]
    dirty: Dirty,
}

/// What happens with work that is not committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Dirty {
    /// Nothing is begun while there is any.
    Refuse,
    /// The work begins with it.
    Take,
    /// The work begins at the last commit, without it.
    Leave,
}

pub(crate) fn run(
    args: &Args,
    found: Result<Repository, CliError>,
    named: Option<&Path>,
    format: Format,
    output: &mut Output,
) -> Result<(), CliError> {
    let root = match found {
        Ok(repository) => repository.root,
        Err(_) => init::around(named)?,
    };
    let by = person(&root)?;
    let config = root.join(FILE_NAME);
    let config = if config.exists() { Config::load(config)? } else { Config::default() };
    let progress = Arc::new(Progress::new());
    let wanted = wanted(args, &config)?;
    let errands = TaskRunner::open(&root, config, args.agent.as_deref(), progress.clone())?;
    let journal = FileJournal::at(root.join(".sealwright"));
    let doing = Doing { root: &root, journal: &journal, errands: &errands, by: &by, progress };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(async {
        let task = match &args.task {
            Some(named) => doing.unfinished(named)?,
            None => doing.begin(wanted).await?,
        };
        doing.slots();
        doing.carry_on(&task).await
    });
    // Whatever still waits for a line of a terminal is not waited for.
    runtime.shutdown_background();
    ended?.tell(&doing, format, output)
}

/// What one call of this command works with.
struct Doing<'d> {
    root: &'d Path,
    journal: &'d FileJournal,
    errands: &'d TaskRunner,
    by: &'d Actor,
    progress: Arc<Progress>,
}

impl Doing<'_> {
    async fn begin(&self, wanted: TaskRequest) -> Result<TaskId, CliError> {
        let begun = self.errands.begin(self.by, wanted).await?;
        say(&format!("• {} begins at commit {}", begun.task, short(&begun.base)));
        for left_out in &begun.left_out {
            say(&format!("• not looked at: {left_out}"));
        }
        Ok(begun.task)
    }

    /// The task that was named, or the only one that is not over.
    fn unfinished(&self, named: &str) -> Result<TaskId, CliError> {
        let repository = Repository { root: self.root.to_owned(), journal: self.journal.clone() };
        if !named.is_empty() {
            return repository.task(named);
        }
        let is_open = |status: Status| !matches!(status, Status::Shipped | Status::Abandoned);
        let index = Tasks::of(self.journal).index()?;
        let mut open: Vec<TaskId> = index
            .streams()
            .filter(|it| it.glance.as_ref().is_some_and(|glance| is_open(glance.status)))
            .filter_map(|it| TaskId::new(it.stream.as_str()).ok())
            .collect();
        match (open.pop(), open.len()) {
            (Some(task), 0) => Ok(task),
            (Some(_), others) => Err(CliError::WhichUnfinished { count: others + 1 }),
            (None, _) => Err(CliError::NothingUnfinished),
        }
    }

    fn slots(&self) {
        let told: Vec<String> = self
            .errands
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

    /// Runs the task until only somebody else can go on.
    async fn carry_on(&self, task: &TaskId) -> Result<Ending, CliError> {
        for _ in 0..SITTINGS_MAX {
            let ended = self.errands.run(task, interrupted()).await;
            self.progress.rest();
            let ended = ended?;
            if !matches!(ended, Ended::Waiting(_)) || !freeze_prompt::is_possible() {
                return Ending::of(self, task, ended).await;
            }
            let machine = Tasks::of(self.journal).look(task).await?.machine;
            let asked = machine.question();
            let is_freeze =
                asked.as_ref().is_some_and(|(_, it)| matches!(it.about, QuestionSubject::Freeze));
            if !is_freeze || freeze_prompt::sit(self, task, &machine).await? == Sat::Left {
                return Ending::of(self, task, ended).await;
            }
        }
        Err(CliError::TooManySittings { task: task.to_string() })
    }
}

/// Returns at the first Ctrl-C. From then on the next one ends the process at once.
async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        // Without a way to hear of it, it ends the process as ever, and nothing durable is lost.
        std::future::pending::<()>().await;
    }
    say("• parking; press Ctrl-C again to stop at once");
    tokio::spawn(async {
        if tokio::signal::ctrl_c().await.is_ok() {
            end_at_once();
        }
    });
}

#[expect(clippy::disallowed_methods, reason = "whoever presses Ctrl-C twice does not want to wait")]
fn end_at_once() -> ! {
    std::process::exit(INTERRUPTED)
}

fn wanted(args: &Args, config: &Config) -> Result<TaskRequest, CliError> {
    let project = &config.project;
    let lane = args.lane.as_deref().and_then(sealwright_views::task_file::lane);
    let autonomy = args.autonomy.as_deref().and_then(sealwright_views::task_file::autonomy);
    let said = match &args.from_issue {
        Some(file) => input_files::text(file)?,
        None => args.said.clone().unwrap_or_default(),
    };
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
        lane: lane.unwrap_or(project.lane),
        header: Header {
            autonomy: autonomy.unwrap_or(project.autonomy),
            risk: if args.risk == "high" { Risk::High } else { Risk::Normal },
        },
        freeze: if args.yes { Freeze::InAdvance } else { Freeze::Asked },
        uncommitted: match args.dirty {
            Dirty::Refuse => Uncommitted::Refuse,
            Dirty::Take => Uncommitted::Take,
            Dirty::Leave => Uncommitted::Leave,
        },
        budget,
    })
}

fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}

/// Nobody declines a contract more often than this in one go.
const SITTINGS_MAX: usize = 32;
/// What shells call a program that was ended by Ctrl-C.
const INTERRUPTED: i32 = 130;
