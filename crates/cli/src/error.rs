//! What a command can end with, and the exit code it is promised.

use sealwright_evaluate::EvaluateError;
use sealwright_factory::TaskError;
use sealwright_factory::agent_registry::AgentRegistryError;
use sealwright_factory::agent_setup::AgentSetupError;
use sealwright_factory::config::ConfigError;
use sealwright_factory::confined::ConfinedError;
use sealwright_factory::gate_runner::gate_preview::GatePreviewError;
use sealwright_factory::restore::RestoreError;
use sealwright_factory::task_runner::TaskRunnerError;
use sealwright_host::HostError;
use sealwright_kernel::Seq;
use sealwright_repo::GitError;
use sealwright_sandbox::SandboxError;
use sealwright_store::JournalError;
use sealwright_store::attest::keys::KeysError;
use sealwright_store::attest::task_statements::AttestError;
use sealwright_store::attest::{AttestationDirError, KeyRecordError};
use sealwright_verify::export::ExportError;

/// A command that did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// There is no `.sealwright` in the folder that was named.
    #[error("there is no `.sealwright` in {place}")]
    NoSealwright { place: String },
    /// There is no `.sealwright` around the current folder.
    #[error("there is no `.sealwright` here or in a folder above")]
    NoSealwrightAround,
    /// The current folder is gone.
    #[error("the current folder cannot be found")]
    Nowhere(#[source] std::io::Error),
    /// The folder to begin in is not there, or is no folder.
    #[error("{place} is not a folder that can be used")]
    NoFolder { place: String, source: std::io::Error },
    /// A link stands where a file would be written.
    #[error("`{file}` is a link, and nothing is written through it")]
    Link { file: String },
    /// Something else stands where a file or folder would be written.
    #[error("something else stands where `{file}` belongs")]
    InTheWay { file: String },
    /// The system does not let a file be written.
    #[error("`{file}` could not be written")]
    NotWritten { file: String, source: std::io::Error },
    /// A stream was named that is not there.
    #[error("there is no stream `{stream}`")]
    NoStream { stream: String, near: Option<String> },
    /// No stream was named, and there is more or less than one.
    #[error("which stream? there are {count}")]
    WhichStream { count: usize },
    /// A record was asked for that is not there.
    #[error("{stream} has no record {at}; it ends at {end}")]
    NoRecord { stream: String, at: Seq, end: Seq },
    /// What was checked is not what was once accepted.
    #[error("not proven: {findings} of the things checked {are} not what was accepted")]
    NotProven { findings: usize, are: &'static str },
    /// Keys cannot be used like that.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// A task could not be signed.
    #[error(transparent)]
    Attest(#[from] AttestError),
    /// Evidence could not be exported.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// A hook of somebody else stands there.
    #[error("`{hook}` is there and not ours; it is left as it is")]
    Hook { hook: String },
    /// The beginning of a key's name is not enough, or too much.
    #[error("`{named}` names no one key")]
    WhichKey { named: String, others: usize },
    /// A file that should name keys does not.
    #[error("`{file}` holds something that is no key")]
    NoKeys { file: String, source: KeyRecordError },
    /// Keys were to be trusted, and none was named.
    #[error("no key was named to be trusted")]
    NothingPinned,
    /// A task could not be told, or would not be.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// The configuration cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The beginning of a name is not enough.
    #[error("{count} tasks begin with `{named}`")]
    WhichTask { named: String, count: usize },
    /// Nobody knows who is typing.
    #[error("nobody knows your name")]
    Nobody,
    /// A role tries to decide.
    #[error("a role may not decide, look up or change tasks by this command")]
    ByARole,
    /// The task asks nothing.
    #[error("{task} asks nothing")]
    NothingAsked { task: String },
    /// A yes is no answer to a halt.
    #[error("{task} has halted; a yes does not say how to go on")]
    Halted { task: String },
    /// A yes is no amount.
    #[error("the budget of {task} is reached; a yes or no does not say how much it may cost")]
    OutOfBudget { task: String },
    /// The task has not halted.
    #[error("{task} has not halted; it asks for a yes or a no")]
    NotHalted { task: String },
    /// Something about a task's files has to be looked at.
    #[error("{task} is red until a person has looked at it")]
    Red { task: String },
    /// A file could not be read.
    #[error("`{file}` could not be read")]
    Unreadable { file: String, source: std::io::Error },
    /// A file is not what it should be.
    #[error("`{file}` is not what was expected")]
    Json { file: String, source: serde_json::Error },
    /// A lane asks for stronger walls than there are.
    #[error("the {lane} lane asks for walls of `{least}`, and here they are `{found}`")]
    TooWeak { lane: &'static str, least: &'static str, found: &'static str },
    /// The walls could not be tried.
    #[error("the walls could not be tried")]
    Sandbox(#[from] SandboxError),
    /// A command could not be run where a role would stand.
    #[error(transparent)]
    Confined(#[from] ConfinedError),
    /// A command that was run where a role would stand failed.
    #[error("the command {ended}")]
    CommandFailed { ended: String },
    /// An agent cannot be given an assignment.
    #[error(transparent)]
    Hire(#[from] AgentSetupError),
    /// An agent was tried, and something is missing.
    #[error("not proven: `{name}` did not do all that it was asked")]
    TrialFailed { name: String, hint: Option<String> },
    /// An agent could not be tried.
    #[error("`{name}` could not be tried")]
    TrialImpossible { name: String, hint: Option<String> },
    /// A gate could not be tried.
    #[error(transparent)]
    Gate(#[from] GatePreviewError),
    /// A gate was tried and did not open.
    #[error("not proven: `{name}` {said}")]
    GateClosed { name: String, said: &'static str },
    /// An errand could not be begun or carried on.
    #[error(transparent)]
    Errand(#[from] TaskRunnerError),
    /// A tree could not be put back.
    #[error(transparent)]
    Restore(#[from] RestoreError),
    /// There is nothing on this machine that the demonstration could be shown with.
    #[error("neither Python with pytest nor Rust was found on this machine")]
    NothingToShow,
    /// The demonstration did not show what it promises.
    #[error("not proven: the demonstration did not end as it should")]
    NotAsPromised,
    /// Work needs a git repository.
    #[error("this is no git repository")]
    NoGit,
    /// No task is there to go on with.
    #[error("there is no task that is not over")]
    NothingUnfinished,
    /// More than one task could be meant.
    #[error("{count} tasks are not over")]
    WhichUnfinished { count: usize },
    /// A contract was declined again and again.
    #[error("{task} was declined too often in one go")]
    TooManySittings { task: String },
    /// A person has to answer before work goes on.
    #[error("{task} waits for a person{}", question.as_ref().map(|it| format!(": {it}")).unwrap_or_default())]
    Asked { task: String, question: Option<String>, is_halted: bool },
    /// A person told it to stop.
    #[error("{task} is parked")]
    Parked { task: String },
    /// What a task owes failed too often.
    #[error("{task} cannot go on: {why}")]
    Stalled { task: String, why: String },
    /// A task was given up.
    #[error("{task} was given up")]
    GivenUp { task: String },
    /// Changes could not be looked back at.
    #[error(transparent)]
    Hindsight(#[from] EvaluateError),
    /// No change could be looked at, each for the reason that was told.
    #[error("no change could be looked at")]
    NothingSeen,
    /// A file is no Context Pack, or breaks its rules.
    #[error("`{file}` is not a Context Pack that holds")]
    Pack { file: String, source: serde_json::Error },
    /// The engine could not do it.
    #[error(transparent)]
    Engine(HostError),
    /// The journal could not do it.
    #[error("the journal could not be used")]
    Journal(#[from] JournalError),
    /// The history could not be asked.
    #[error("the anchors in the history could not be read")]
    Git(#[from] GitError),
    /// Only finished work is offered to others.
    #[error("{task} is {status}, and only what is done can be offered")]
    NotDone { task: String, status: &'static str },
    /// The branch of a task is not in this repository.
    #[error("the branch `{branch}` is not here")]
    NoBranch { task: String, branch: String },
    /// The branch of a task did not get to the remote.
    #[error("the branch was not pushed")]
    Push(#[source] GitError),
    /// There is no `gh`, or it cannot be talked to.
    #[error("`gh` could not be run")]
    NoGh { source: std::io::Error },
    /// `gh` did not open it, and said why on standard error.
    #[error("`gh pr create` ended with {ended}")]
    Gh { ended: String },
    /// The output could not be written.
    #[error("the output could not be written")]
    Output(#[from] std::io::Error),
}

/// The exit codes, which are a promise: see docs/exit-codes.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Usage,
    NotProven,
    Person,
    Refused,
    Environment,
}

impl CliError {
    /// The one place where errors become exit codes.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::NoStream { .. } | Self::WhichStream { .. } | Self::NoRecord { .. } => Exit::Usage,
            Self::WhichTask { .. } | Self::Unreadable { .. } | Self::Json { .. } => Exit::Usage,
            Self::NotProven { .. }
            | Self::Red { .. }
            | Self::CommandFailed { .. }
            | Self::TrialFailed { .. }
            | Self::GateClosed { .. } => Exit::NotProven,
            Self::Errand(error) => of_errand(error),
            Self::Restore(error) => of_restore(error),
            Self::NothingUnfinished | Self::WhichUnfinished { .. } => Exit::Usage,
            Self::Asked { .. } | Self::Parked { .. } | Self::TooManySittings { .. } => Exit::Person,
            Self::NoGit | Self::NothingToShow | Self::Stalled { .. } => Exit::Environment,
            Self::NotAsPromised => Exit::NotProven,
            Self::GivenUp { .. } => Exit::NotProven,
            Self::Gate(error) => of_gate(error),
            Self::Hindsight(error) => of_hindsight(error),
            Self::NothingSeen => Exit::Environment,
            Self::Keys(error) => of_keys(error),
            Self::Attest(error) => of_attest(error),
            Self::Export(error) => of_export(error),
            Self::Hook { .. } => Exit::Refused,
            Self::WhichKey { .. } | Self::NoKeys { .. } | Self::NothingPinned => Exit::Usage,
            Self::TrialImpossible { .. } => Exit::Environment,
            Self::Hire(error) => of_hire(error),
            Self::Pack { .. } => Exit::Usage,
            Self::Confined(ConfinedError::View(_)) => Exit::Refused,
            Self::Confined(ConfinedError::Sandbox(_) | ConfinedError::Io(_)) => Exit::Environment,
            Self::ByARole
            | Self::NothingAsked { .. }
            | Self::Halted { .. }
            | Self::NotHalted { .. }
            | Self::OutOfBudget { .. }
            | Self::Config(_) => Exit::Refused,
            Self::Nobody | Self::TooWeak { .. } | Self::Sandbox(_) => Exit::Environment,
            Self::Task(error) => of_task(error),
            Self::Link { .. } | Self::InTheWay { .. } => Exit::Refused,
            Self::NotDone { .. } | Self::NoBranch { .. } => Exit::Refused,
            Self::Push(_) | Self::NoGh { .. } | Self::Gh { .. } => Exit::Environment,
            Self::NoSealwright { .. }
            | Self::NoSealwrightAround
            | Self::Nowhere(_)
            | Self::NoFolder { .. }
            | Self::NotWritten { .. }
            | Self::Git(_)
            | Self::Output(_) => Exit::Environment,
            Self::Journal(error) | Self::Engine(HostError::Journal(error)) => of_journal(error),
            Self::Engine(HostError::State(_)) => Exit::Environment,
            Self::Engine(HostError::UnknownAggregate { .. }) => Exit::Refused,
        }
    }

    /// What a person can do about it, in one sentence, if anything.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::NoSealwright { .. } | Self::NoSealwrightAround => Some(
                "run this inside a repository Sealwright works in, name it with --repository, or \
                 begin with `sealwright init`"
                    .to_owned(),
            ),
            Self::NoFolder { .. } => Some("make the folder first, or name another".to_owned()),
            Self::Link { .. } => {
                Some("put the file itself in its place, or remove the link".to_owned())
            }
            Self::InTheWay { .. } => Some("move it away and try again".to_owned()),
            Self::NotWritten { .. } => {
                Some("see that you may write in this folder and that the disk has room".to_owned())
            }
            Self::NoStream { near: Some(near), .. } => Some(format!("did you mean `{near}`?")),
            Self::NoStream { near: None, .. } | Self::WhichStream { .. } => {
                Some("`sealwright journal` lists the streams".to_owned())
            }
            Self::NoRecord { end, .. } => Some(format!("ask for a record from 1 to {end}")),
            Self::Task(error) => error.hint(),
            Self::Errand(error) => error.hint(),
            Self::Restore(error) => error.hint(),
            Self::NothingToShow => Some("`pip install pytest`, or install Rust".to_owned()),
            Self::NotAsPromised => {
                Some("`sealwright doctor` says what this machine lacks".to_owned())
            }
            Self::NoGit => Some("`git init`, then make a first commit".to_owned()),
            Self::NothingUnfinished => Some("say what you want: sealwright do \"…\"".to_owned()),
            Self::WhichUnfinished { .. } => {
                Some("name one: `sealwright status` lists them".to_owned())
            }
            Self::TooManySittings { task } | Self::Parked { task } => {
                Some(format!("`sealwright do --continue {task}` goes on"))
            }
            Self::Asked { task, is_halted: false, .. } => Some(format!(
                "`sealwright show {task}`, then `sealwright approve {task}` or `decline`, then \
                 `sealwright do --continue {task}`"
            )),
            Self::Asked { task, is_halted: true, .. } => Some(format!(
                "`sealwright show {task}`, then `sealwright resolve {task} …`, then `sealwright do \
                 --continue {task}`"
            )),
            Self::Stalled { task, .. } => {
                Some(format!("mend what it names; `sealwright do --continue {task}` tries again"))
            }
            Self::GivenUp { .. } => None,
            Self::Keys(error) => error.hint(),
            Self::Attest(error) => error.hint(),
            Self::Export(error) => error.hint(),
            Self::Hook { .. } => {
                Some("call `sealwright verify` from it, or remove it and try again".to_owned())
            }
            Self::WhichKey { others: 0, .. } => {
                Some("`sealwright keys list` shows them".to_owned())
            }
            Self::WhichKey { .. } => Some("write more of its name".to_owned()),
            Self::NoKeys { .. } | Self::NothingPinned => {
                Some("`sealwright keys export` gives such a file".to_owned())
            }
            Self::Config(error) => error.hint(),
            Self::WhichTask { .. } => Some("write more of its name".to_owned()),
            Self::Nobody => Some("`git config user.name \"…\"` tells it".to_owned()),
            Self::ByARole => Some("decisions are people's; open a terminal of your own".to_owned()),
            Self::NothingAsked { .. } => Some("`sealwright inbox` lists what is asked".to_owned()),
            Self::Halted { .. } => Some("`sealwright resolve --help` lists the ways on".to_owned()),
            Self::OutOfBudget { .. } => Some(
                "`sealwright budget TASK --dollars …` raises it, `sealwright resolve TASK \
                 abandon-task` gives the task up"
                    .to_owned(),
            ),
            Self::NotHalted { .. } => Some("use `sealwright approve` or `decline`".to_owned()),
            Self::Red { .. } => {
                Some("`sealwright adopt` or `acknowledge` it, or put it back".to_owned())
            }
            Self::Unreadable { .. } => Some("name a file that is there".to_owned()),
            Self::Json { .. } => Some("`sealwright resolve --help` shows its form".to_owned()),
            Self::TooWeak { .. } => Some(
                "do what is listed, or let the lane accept less under [sandbox] in sealwright.toml"
                    .to_owned(),
            ),
            Self::Sandbox(error) => error.hint(),
            Self::Confined(error) => error.hint(),
            Self::Pack { .. } => Some("docs/context-packs.md shows its form".to_owned()),
            Self::Hire(error) => Some(error.hint()),
            Self::TrialFailed { hint, .. } | Self::TrialImpossible { hint, .. } => hint.clone(),
            Self::Gate(error) => error.hint(),
            Self::Hindsight(error) => error.hint(),
            Self::NothingSeen => {
                Some("the reasons stand above; `sealwright doctor` says what is missing".to_owned())
            }
            Self::CommandFailed { .. } | Self::GateClosed { .. } => None,
            Self::NotProven { .. } | Self::Output(_) | Self::Nowhere(_) => None,
            Self::Journal(error) => error.hint(),
            Self::Engine(error) => error.hint(),
            Self::NotDone { task, .. } => {
                Some(format!("`sealwright show {task}` says what it waits for"))
            }
            Self::NoBranch { task, .. } => Some(format!(
                "fetch it from where {task} was finished, or leave --push and --create away"
            )),
            Self::Push(_) => Some("git said why; nothing was forced".to_owned()),
            Self::NoGh { .. } => Some(
                "install GitHub's `gh`, or leave --create away and paste what is printed"
                    .to_owned(),
            ),
            Self::Gh { .. } => Some(
                "`gh auth status` tells who you are there; --push brings the branch".to_owned(),
            ),
            Self::Git(GitError::Start { .. }) => Some("install git".to_owned()),
            Self::Git(GitError::Failed { .. }) => {
                Some("try the same `git log` by hand in the repository".to_owned())
            }
        }
    }
}

impl Exit {
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Usage => 2,
            Self::NotProven => 10,
            Self::Person => 11,
            Self::Refused => 12,
            Self::Environment => 20,
        }
    }
}

fn of_task(error: &TaskError) -> Exit {
    match error {
        TaskError::NoTask { .. }
        | TaskError::File(_)
        | TaskError::NoText { .. }
        | TaskError::NotText => Exit::Usage,
        TaskError::Refused(_) => Exit::Refused,
        // A link, or something else that is no plain file.
        TaskError::Io { source, .. } if is_in_the_way(source) => Exit::Refused,
        TaskError::Host(HostError::Journal(error)) => of_journal(error),
        TaskError::Host(HostError::UnknownAggregate { .. }) => Exit::Refused,
        TaskError::Host(HostError::State(_))
        | TaskError::NotDurable { .. }
        | TaskError::Blob(_)
        | TaskError::Io { .. }
        | TaskError::NoName => Exit::Environment,
    }
}

fn of_errand(error: &TaskRunnerError) -> Exit {
    match error {
        TaskRunnerError::Uncommitted { .. } | TaskRunnerError::RiskyInAdvance => Exit::Refused,
        TaskRunnerError::Lost => Exit::Usage,
        TaskRunnerError::AgentRegistry(error) => match &**error {
            AgentRegistryError::Builder { source, .. } | AgentRegistryError::Hire(source) => {
                of_hire(source)
            }
            AgentRegistryError::Empty { .. } => Exit::Environment,
            AgentRegistryError::Briefs(_) => Exit::Refused,
        },
        TaskRunnerError::Task(error) => of_task(error),
        TaskRunnerError::Journal(error) => of_journal(error),
        TaskRunnerError::Attest(error) => of_attest(error),
        TaskRunnerError::Keys(error) => of_keys(error),
        TaskRunnerError::NoCommit(_)
        | TaskRunnerError::GateRunner(_)
        | TaskRunnerError::TaskPerformer(_)
        | TaskRunnerError::Git(_)
        | TaskRunnerError::Sandbox(_)
        | TaskRunnerError::Io(_) => Exit::Environment,
    }
}

fn of_restore(error: &RestoreError) -> Exit {
    match error {
        RestoreError::NothingYet { .. } => Exit::Refused,
        RestoreError::NoRecord { .. } => Exit::Usage,
        RestoreError::Engine(HostError::Journal(error)) => of_journal(error),
        RestoreError::Tree(_)
        | RestoreError::Blob(_)
        | RestoreError::Engine(_)
        | RestoreError::Git(_)
        | RestoreError::Io(_) => Exit::Environment,
    }
}

fn of_keys(error: &KeysError) -> Exit {
    match error {
        KeysError::Unknown { .. } | KeysError::Offered(_) => Exit::Usage,
        KeysError::NoKey | KeysError::NotTaken { .. } | KeysError::Retired { .. } => Exit::Refused,
        KeysError::Flawed { .. } => Exit::NotProven,
        KeysError::KeyRecord(_) | KeysError::PrivateKeys(_) => Exit::Environment,
        KeysError::AttestationDir(error) => of_shelf(error),
        KeysError::Journal(error) => of_journal(error),
    }
}

fn of_attest(error: &AttestError) -> Exit {
    match error {
        AttestError::NotYet { .. } | AttestError::NotCanonical(_) => Exit::Refused,
        AttestError::Altered { .. } => Exit::NotProven,
        AttestError::AttestationDir(error) => of_shelf(error),
        AttestError::Journal(error) => of_journal(error),
    }
}

fn of_export(error: &ExportError) -> Exit {
    match error {
        ExportError::Unsigned { .. } | ExportError::Form { .. } => Exit::Refused,
        ExportError::Artifact { .. } => Exit::NotProven,
        ExportError::AttestationDir(error) => of_shelf(error),
    }
}

fn of_shelf(error: &AttestationDirError) -> Exit {
    match error {
        AttestationDirError::Differs { .. } => Exit::NotProven,
        AttestationDirError::TooMany { .. } => Exit::Refused,
        AttestationDirError::Io { source, .. } if is_in_the_way(source) => Exit::Refused,
        AttestationDirError::Io { .. } => Exit::Environment,
    }
}

fn of_hire(error: &AgentSetupError) -> Exit {
    match error {
        AgentSetupError::Unknown { .. } | AgentSetupError::Incomplete { .. } => Exit::Usage,
        AgentSetupError::Person { .. }
        | AgentSetupError::UnsupportedProtocol { .. }
        | AgentSetupError::NoModel { .. }
        | AgentSetupError::Script { .. }
        | AgentSetupError::Price(_) => Exit::Refused,
        AgentSetupError::Unusable { .. }
        | AgentSetupError::NoKey { .. }
        | AgentSetupError::Address { .. }
        | AgentSetupError::NoScript { .. } => Exit::Environment,
    }
}

fn of_gate(error: &GatePreviewError) -> Exit {
    match error {
        GatePreviewError::Unknown { .. } | GatePreviewError::NoCommit { .. } => Exit::Usage,
        GatePreviewError::NoToolchain { .. }
        | GatePreviewError::GateRunner(_)
        | GatePreviewError::Tree(_)
        | GatePreviewError::Blob(_)
        | GatePreviewError::Io(_) => Exit::Environment,
    }
}

fn of_hindsight(error: &EvaluateError) -> Exit {
    match error {
        EvaluateError::NoCommit { .. } => Exit::Usage,
        EvaluateError::NoHistory
        | EvaluateError::OutOfTime
        | EvaluateError::Untried { .. }
        | EvaluateError::Git(_)
        | EvaluateError::Tree(_)
        | EvaluateError::GateRunner(_)
        | EvaluateError::Blob(_)
        | EvaluateError::Io(_)
        | EvaluateError::Died => Exit::Environment,
    }
}

fn is_in_the_way(source: &std::io::Error) -> bool {
    use std::io::ErrorKind;
    // A link is told by the system's own number; the kind is not there yet.
    const TOO_MANY_LINKS: i32 = 40;
    source.raw_os_error() == Some(TOO_MANY_LINKS)
        || matches!(
            source.kind(),
            ErrorKind::InvalidInput | ErrorKind::IsADirectory | ErrorKind::FileTooLarge
        )
}

fn of_journal(error: &JournalError) -> Exit {
    match error {
        JournalError::Damaged(_) | JournalError::NotOnChain { .. } => Exit::NotProven,
        JournalError::Held { .. }
        | JournalError::Overtaken { .. }
        | JournalError::Ended { .. }
        | JournalError::TooLarge { .. }
        | JournalError::NotCanonical(_)
        | JournalError::Reserved
        | JournalError::UnknownEvents { .. } => Exit::Refused,
        JournalError::Full { .. } | JournalError::Io { .. } => Exit::Environment,
    }
}

impl From<HostError> for CliError {
    fn from(error: HostError) -> Self {
        match error {
            HostError::Journal(error) => Self::Journal(error),
            other @ (HostError::State(_) | HostError::UnknownAggregate { .. }) => {
                Self::Engine(other)
            }
        }
    }
}
