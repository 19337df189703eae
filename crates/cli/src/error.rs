//! Errors of commands, with their hints and exit codes.

use sealwright_config::ConfigError;
use sealwright_evaluate::EvaluateError;
use sealwright_factory::TaskError;
use sealwright_factory::agent_setup::AgentSetupError;
use sealwright_factory::clean_rooms;
use sealwright_factory::confined::ConfinedError;
use sealwright_factory::consent::ConsentError;
use sealwright_factory::fixes::FixError;
use sealwright_factory::gate_runner::gate_preview::GatePreviewError;
use sealwright_factory::logins::LoginsError;
use sealwright_factory::project::ProjectError;
use sealwright_factory::restore::RestoreError;
use sealwright_factory::task_runner::TaskRunnerError;
use sealwright_host::HostError;
use sealwright_kernel::Seq;
use sealwright_repo::GitError;
use sealwright_repo::signing::SigningError;
use sealwright_sandbox::SandboxError;
use sealwright_store::JournalError;
use sealwright_store::attest::KeyRecordError;
use sealwright_store::attest::keys::KeysError;
use sealwright_store::attest::person::{BadPersonSignature, SignersError, UnsignedError};
use sealwright_store::attest::task_statements::AttestError;
use sealwright_verify::VerifyError;
use sealwright_verify::export::ExportError;
use sealwright_verify::git::GitReadError;

mod exit;

pub(crate) use exit::Exit;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// The folder given with `--repository` was never set up.
    #[error("no `.sealwright` in {place}")]
    NoSealwright { place: String },
    /// Neither the current folder nor a folder above was set up.
    #[error("no `.sealwright` in this folder or above")]
    NoSealwrightAround,
    /// What stands in a folder that others may write to is not taken for one's own.
    #[error("`.sealwright` in {place} belongs to another user")]
    OthersSealwright { place: String },
    /// The current folder was removed, or may not be read.
    #[error("cannot read the current folder")]
    Nowhere(#[source] std::io::Error),
    /// The folder does not exist, is not a folder, or may not be read.
    #[error("cannot use the folder {place}")]
    NoFolder { place: String, source: std::io::Error },
    /// Writing through a link could change a file outside the repository.
    #[error("`{file}` is a symbolic link; refusing to write through it")]
    Link { file: String },
    /// `init` and `demo` never replace existing files.
    #[error("`{file}` already exists and is in the way")]
    InTheWay { file: String },
    /// The system refused to write the file.
    #[error("cannot write `{file}`")]
    NotWritten { file: String, source: std::io::Error },
    /// No stream has this id.
    #[error("no stream `{stream}`")]
    NoStream { stream: String, near: Option<String> },
    /// The command needs one stream, and the repository has none or several.
    #[error("{count} streams; name one")]
    WhichStream { count: usize },
    /// The stream has fewer records.
    #[error("{stream} has no record {at}; its last record is {end}")]
    NoRecord { stream: String, at: Seq, end: Seq },
    /// `verify` lists each finding with its object.
    #[error("not proven: {findings} {noun}")]
    NotProven { findings: usize, noun: &'static str },
    /// Nothing that was recorded is false, and the commit is not what was proven.
    #[error("this commit is not proven: {what}")]
    Unproven { what: &'static str },
    #[error("there is nothing to verify")]
    NothingToVerify,
    #[error(transparent)]
    Verify(#[from] VerifyError),
    #[error(transparent)]
    Keys(#[from] KeysError),
    #[error(transparent)]
    Attest(#[from] AttestError),
    #[error(transparent)]
    Export(#[from] ExportError),
    /// A pre-push hook of another origin, or an edited one, is never replaced.
    #[error("`{hook}` exists and was not installed by Sealwright; it is unchanged")]
    Hook { hook: String },
    /// No key id starts with this prefix, or several do.
    #[error("key prefix `{named}` is unknown or ambiguous")]
    WhichKey { named: String, others: usize },
    /// A line of the file is not an exported key.
    #[error("`{file}` contains an invalid key")]
    NoKeys { file: String, source: KeyRecordError },
    /// The file given with `--signers` has a line that cannot be used.
    #[error("`{file}` cannot be used, {source}")]
    NotSigners { file: String, source: SignersError },
    /// The file given with `--signers` names nobody.
    #[error("`{file}` names nobody")]
    NoSigners { file: String },
    /// The person's own git settings name no SSH key.
    #[error("no SSH key to sign with")]
    NoSigningKey,
    /// The person's own git settings name a file that would be looked for in the current folder.
    #[error("`user.signingkey` in your git settings is a relative path: `{file}`")]
    RelativeSigningKey { file: String },
    #[error("cannot read your git settings")]
    SigningSettings(#[source] GitError),
    #[error(transparent)]
    Signing(#[from] SigningError),
    /// A signature that was just made does not hold.
    #[error("the signature cannot be used: {0}")]
    BadSignature(#[from] BadPersonSignature),
    #[error("cannot say what is signed")]
    SignedDecisions(#[source] UnsignedError),
    /// The file given with `--trust` is empty.
    #[error("--trust names no key")]
    NothingPinned,
    #[error(transparent)]
    Task(TaskError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The prefix matches several tasks.
    #[error("`{named}` matches {} tasks", found.len())]
    WhichTask { named: String, found: Vec<String> },
    /// Decisions are recorded under a name, and neither git nor `USER` gives one.
    #[error("no user name configured")]
    NoUserName,
    /// Only people decide. This process or an ancestor was started as an agent.
    #[error("agents may not run this command")]
    ByARole,
    /// One word was given to `answer`, and it is a task.
    #[error("no answer given for {task}")]
    NoAnswer { task: String },
    /// One word was given to `resolve`, and it is no action.
    #[error("no action given{}", word.as_ref().map(|it| format!(" for `{it}`")).unwrap_or_default())]
    NoAction { word: Option<String> },
    /// There is nothing to approve, decline or resolve.
    #[error("{task} has no open question")]
    NothingAsked { task: String },
    /// After a halt a person chooses how the task continues.
    #[error("{task} has halted; it needs a resolution, not an approval")]
    Halted { task: String },
    /// A task that reached its budget continues only with a higher one.
    #[error("{task} has reached its budget; it needs a higher budget, not an approval")]
    OutOfBudget { task: String },
    /// `resolve` answers halts only.
    #[error("{task} has not halted; it waits for an approval")]
    NotHalted { task: String },
    /// `resolve provide-fix` needs the fix.
    #[error("no fix given for {task}")]
    NoFix { task: String },
    /// `resolve split-task` needs the tasks.
    #[error("no tasks given in place of {task}")]
    NoParts { task: String },
    #[error("the fix is refused")]
    Fix(#[from] FixError),
    /// A plan is edited at a terminal, in the editor of the person.
    #[error("no plan given for {task}, and no editor to write one")]
    NoEditor { task: String },
    /// The editor failed, or cannot be started.
    #[error("the editor `{editor}` failed")]
    Editor { editor: String, source: std::io::Error },
    /// A plan that failed is not tried again as it is.
    #[error("the plan of {task} is unchanged")]
    PlanUnchanged { task: String },
    /// The process that works on a task holds its stream.
    #[error("{task} is already running ({holder})")]
    Running { task: String, holder: String },
    /// Words do not say whether finished work is accepted.
    #[error("{task} waits for an approval, not for an answer")]
    YesOrNo { task: String },
    /// TASK.md has an edit that was not adopted, or a context snapshot was changed.
    #[error("files of {task} were edited by hand")]
    Red { task: String },
    /// The file is missing, too large, or may not be read.
    #[error("cannot read `{file}`")]
    Unreadable { file: String, source: std::io::Error },
    /// The file is not JSON of the expected form.
    #[error("`{file}` has the wrong form")]
    Json { file: String, source: serde_json::Error },
    /// No agent can be used for the role that builds, so `do` could do nothing.
    #[error("the builder is not ready")]
    NoBuilder,
    /// Neither the commit has it, nor did any task change it.
    #[error("no file `{file}` in this commit, and no task in its history changed one")]
    NothingToExplain { file: String },
    /// No clean room runs tests of this repository, so `do` would refuse.
    #[error("no change can be proven here: {why}")]
    NothingProvable { why: String },
    /// Work in this lane is refused on this machine.
    #[error("the {lane} lane requires the sandbox level `{least}`; this machine has `{found}`")]
    TooWeak { lane: &'static str, least: &'static str, found: &'static str },
    /// The probe of the sandbox mechanisms failed.
    #[error("cannot probe the sandbox")]
    Sandbox(#[from] SandboxError),
    #[error(transparent)]
    Confined(#[from] ConfinedError),
    /// The command in the sandbox did not exit with 0.
    #[error("the command {ended}")]
    CommandFailed { ended: String },
    #[error(transparent)]
    Hire(#[from] AgentSetupError),
    /// The agent ran, but a claim of the trial does not hold.
    #[error("not proven: agent `{name}` failed its trial")]
    TrialFailed { name: String, hint: Option<String> },
    /// The agent did not run: its program, key or model is unavailable.
    #[error("agent `{name}` could not start its trial")]
    TrialImpossible { name: String, hint: Option<String> },
    #[error(transparent)]
    Gate(#[from] GatePreviewError),
    /// The gate was run on the commit and did not pass.
    #[error("not proven: gate `{name}` {said}")]
    GateClosed { name: String, said: &'static str },
    #[error(transparent)]
    TaskRunner(TaskRunnerError),
    #[error(transparent)]
    Consent(#[from] ConsentError),
    #[error(transparent)]
    Logins(#[from] LoginsError),
    #[error(transparent)]
    Restore(#[from] RestoreError),
    /// The demonstration builds a small Python or Rust project.
    #[error("neither Python with pytest nor Rust found")]
    NothingToShow,
    /// The honest run was not proven, the cheat was not caught, or `verify` missed the changed byte.
    #[error("not proven: a step of the demonstration ended differently than expected")]
    DemoFailed,
    /// Tasks start from a commit.
    #[error("not a git repository")]
    NoGit,
    /// `do --continue` without a task resumes the only unfinished one.
    #[error("no unfinished task")]
    NoUnfinished,
    #[error("no tasks")]
    NoTasks,
    /// A decision without a task is about the only open question.
    #[error("no open question")]
    NoQuestion,
    /// `do --continue` without a task resumes the only unfinished one.
    #[error("{} tasks could be meant; name one", found.len())]
    WhichUnfinished { found: Vec<String> },
    /// The run stopped so that the contract can be discussed elsewhere.
    #[error("contract of {task} declined too often in one run")]
    TooManyRefusals { task: String },
    /// The task needs an approval or, after a halt, a resolution.
    #[error("{task} waits for a person{}", question.as_ref().map(|it| format!(": {it}")).unwrap_or_default())]
    Asked { task: String, question: Option<String>, is_halted: bool },
    /// The run was interrupted, or a rate limit applies. No work is lost.
    #[error("{task} is paused")]
    Parked { task: String },
    /// An effect failed on every retry.
    #[error("{task} stalled: {why}")]
    Stalled { task: String, why: String },
    /// The task ended without a result.
    #[error("{task} was abandoned")]
    Abandoned { task: String },
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
    /// Each change is listed with the reason.
    #[error("no commit could be evaluated")]
    NothingEvaluated,
    /// The file is not JSON, or breaks a rule of Context Packs.
    #[error("`{file}` is not a valid Context Pack")]
    Pack { file: String, source: serde_json::Error },
    #[error(transparent)]
    Engine(HostError),
    /// Reading or writing the journal failed.
    #[error("cannot use the journal")]
    Journal(#[from] JournalError),
    /// `verify` reads anchors with `git log`.
    #[error("cannot read the anchors in the git history")]
    Git(#[from] GitError),
    /// Only finished work has a pull request.
    #[error("{task} is {status}; a pull request needs a finished task")]
    NotDone { task: String, status: &'static str },
    /// The branch of the task exists only where the task was finished.
    #[error("no branch `{branch}` in this repository")]
    NoBranch { task: String, branch: String },
    /// The remote refused the branch, or was unreachable.
    #[error("cannot push the branch")]
    Push(#[source] GitError),
    /// `--create` needs the program `gh` on PATH.
    #[error("cannot run `gh`")]
    NoGh { source: std::io::Error },
    /// `gh` printed the reason.
    #[error("`gh pr create` failed: {ended}")]
    Gh { ended: String },
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// No spec was ever planned here.
    #[error("there is no project here")]
    NoProject,
    /// Each error is listed with its place.
    #[error("the spec has {errors} {}", if *.errors == 1 { "error" } else { "errors" })]
    SpecErrors { errors: usize },
    /// A person decides before anything is planned.
    #[error("the spec waits for your decision")]
    SpecUndecided,
    /// No spec is approved, or the process ended before all of its tasks were planned.
    #[error("no tasks are planned, or not all of them")]
    PlanUnfinished,
    /// No version was asked for.
    #[error("no version is worked on here")]
    NoVersion,
    /// A phase waits for a person.
    #[error("{what}")]
    PhaseAsked { what: String, hint: String },
    /// A person decides how the version goes on.
    #[error("{report}")]
    PhaseBlocked { report: String },
    /// No other task can begin before a person decides.
    #[error("the project waits for a person: {}", .tasks.join(", "))]
    ProjectAsked { tasks: Vec<String> },
    /// What these tasks depend on was abandoned.
    #[error("no task can begin; what they depend on was abandoned: {}", .tasks.join(", "))]
    ProjectStalled { tasks: Vec<String> },
    #[error("every task was abandoned")]
    ProjectAbandoned,
    #[error("the run was stopped")]
    ProjectStopped,
    #[error("the project cannot go on: {why}")]
    ProjectFailed { why: String },
    /// Standard output failed.
    #[error("cannot write the output")]
    Output(#[from] std::io::Error),
}

/// The result of a command, and of its steps.
pub(crate) type CliResult<T = ()> = Result<T, CliError>;

impl CliError {
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::NoStream { .. } | Self::WhichStream { .. } | Self::NoRecord { .. } => Exit::Usage,
            Self::WhichTask { .. } | Self::Unreadable { .. } | Self::Json { .. } => Exit::Usage,
            Self::NoUnfinished | Self::WhichUnfinished { .. } | Self::NoTasks => Exit::Usage,
            Self::WhichKey { .. } | Self::NoKeys { .. } | Self::NothingPinned => Exit::Usage,
            Self::NotSigners { .. } | Self::NoSigners { .. } => Exit::Usage,
            Self::NothingToExplain { .. } => Exit::Usage,
            Self::NoSigningKey | Self::RelativeSigningKey { .. } => Exit::Refused,
            Self::BadSignature(_) => Exit::Refused,
            Self::SigningSettings(_) | Self::Signing(_) => Exit::Environment,
            Self::SignedDecisions(error) => exit::of_unsigned(error),
            Self::Pack { .. } | Self::NoFix { .. } | Self::NoEditor { .. } => Exit::Usage,
            Self::NoParts { .. } | Self::NoAnswer { .. } | Self::NoAction { .. } => Exit::Usage,
            Self::PlanUnchanged { .. } | Self::Running { .. } => Exit::Refused,
            Self::Editor { .. } => Exit::Environment,
            Self::Fix(error) => exit::of_fix(error),
            Self::NotProven { .. } | Self::Red { .. } => Exit::NotProven,
            Self::Unproven { .. } | Self::NothingToVerify => Exit::Unproven,
            Self::Verify(VerifyError::Journal(error)) => exit::of_journal(error),
            Self::Verify(VerifyError::Git(GitReadError::NoCommit { .. })) => Exit::Usage,
            Self::Verify(VerifyError::Git(_) | VerifyError::Folder(_)) => Exit::Environment,
            Self::CommandFailed { .. } | Self::TrialFailed { .. } => Exit::NotProven,
            Self::GateClosed { .. } | Self::DemoFailed | Self::Abandoned { .. } => Exit::NotProven,
            Self::Asked { .. } | Self::Parked { .. } | Self::TooManyRefusals { .. } => Exit::Person,
            Self::Hook { .. } | Self::Confined(ConfinedError::View(_)) => Exit::Refused,
            Self::NoQuestion => Exit::Refused,
            Self::ByARole | Self::NothingAsked { .. } | Self::Halted { .. } => Exit::Refused,
            Self::NotHalted { .. }
            | Self::YesOrNo { .. }
            | Self::OutOfBudget { .. }
            | Self::Config(_) => Exit::Refused,
            Self::Link { .. } | Self::InTheWay { .. } | Self::NotDone { .. } => Exit::Refused,
            Self::NoBranch { .. } => Exit::Refused,
            Self::Engine(HostError::UnknownAggregate { .. }) => Exit::Refused,
            Self::NoGit | Self::NothingToShow | Self::Stalled { .. } => Exit::Environment,
            Self::NothingEvaluated | Self::TrialImpossible { .. } => Exit::Environment,
            Self::Confined(ConfinedError::Sandbox(_) | ConfinedError::Io(_)) => Exit::Environment,
            Self::NoUserName | Self::TooWeak { .. } | Self::Sandbox(_) => Exit::Environment,
            Self::NoBuilder | Self::NothingProvable { .. } => Exit::Environment,
            Self::Push(_) | Self::NoGh { .. } | Self::Gh { .. } => Exit::Environment,
            Self::NoSealwright { .. }
            | Self::NoSealwrightAround
            | Self::OthersSealwright { .. } => Exit::Environment,
            Self::Nowhere(_) | Self::NoFolder { .. } | Self::NotWritten { .. } => Exit::Environment,
            Self::Git(_) | Self::Output(_) | Self::Engine(HostError::State(_)) => Exit::Environment,
            Self::TaskRunner(error) => exit::of_task_runner(error),
            Self::Consent(error) => exit::of_consent(error),
            Self::Logins(error) => exit::of_logins(error),
            Self::Restore(error) => exit::of_restore(error),
            Self::Gate(error) => exit::of_gate(error),
            Self::Evaluate(error) => exit::of_evaluate(error),
            Self::Keys(error) => exit::of_keys(error),
            Self::Attest(error) => exit::of_attest(error),
            Self::Export(error) => exit::of_export(error),
            Self::Hire(error) => exit::of_hire(error),
            Self::Task(error) => exit::of_task(error),
            Self::Project(error) => exit::of_project(error),
            Self::NoProject | Self::PlanUnfinished | Self::NoVersion => Exit::Usage,
            Self::SpecErrors { .. } | Self::ProjectAbandoned => Exit::NotProven,
            Self::SpecUndecided | Self::ProjectAsked { .. } => Exit::Person,
            Self::PhaseAsked { .. } | Self::PhaseBlocked { .. } => Exit::Person,
            Self::ProjectStalled { .. } | Self::ProjectStopped => Exit::Person,
            Self::ProjectFailed { .. } => Exit::Environment,
            Self::Journal(error) | Self::Engine(HostError::Journal(error)) => {
                exit::of_journal(error)
            }
        }
    }

    /// What to type or change next, if anything helps.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Task(error) => error.hint(),
            Self::Project(error) => error.hint(),
            Self::NoProject => to_do("`sealwright plan --from spec.json` plans one"),
            Self::SpecErrors { .. } => to_do("mend the places above and check it again"),
            Self::SpecUndecided => to_do(
                "`sealwright plan --approve`, `--reject \"why\"` or `--amend \"what to change\"`",
            ),
            Self::PlanUnfinished => to_do("`sealwright plan --approve` plans what is left"),
            Self::NoVersion => to_do("`sealwright run \"what to build\"` begins one"),
            Self::PhaseAsked { hint, .. } => to_do(hint),
            Self::PhaseBlocked { .. } => to_do("log.md in .sealwright/pipeline has what happened"),
            Self::ProjectAsked { .. } => to_do(
                "`sealwright inbox` shows each question with its commands; then `sealwright run`",
            ),
            Self::ProjectStalled { .. } => to_do(
                "`sealwright plan --rewire TASK --on OTHER` makes a task depend on others, `sealwright cancel TASK` ends it",
            ),
            Self::ProjectStopped => to_do("`sealwright run` goes on"),
            Self::ProjectFailed { .. } => to_do("fix the cause, then `sealwright run`"),
            Self::TaskRunner(error) => error.hint(),
            Self::Consent(error) => Some(error.hint()),
            Self::Logins(error) => Some(error.hint()),
            Self::Restore(error) => error.hint(),
            Self::Keys(error) => error.hint(),
            Self::Attest(error) => error.hint(),
            Self::Export(error) => error.hint(),
            Self::Config(error) => error.hint(),
            Self::Sandbox(error) => error.hint(),
            Self::Confined(error) => error.hint(),
            Self::Fix(error) => error.hint(),
            Self::NoFix { task } => Some(format!(
                "`sealwright resolve {task} provide-fix --because \"…\"` with --patch FILE, --branch NAME or --commit REV"
            )),
            Self::NoAnswer { task } => Some(format!("`sealwright answer {task} \"…\"`")),
            Self::NoAction { .. } => to_do(
                "`sealwright inbox` lists a command for each action; `sealwright resolve --help` explains them",
            ),
            Self::NoParts { task } => Some(format!(
                "`sealwright resolve {task} split-task --because \"…\" --tasks FILE`; `docs/examples/parking/parts.json` is an example"
            )),
            Self::NoEditor { task } | Self::PlanUnchanged { task } => Some(format!(
                "`sealwright show {task} --plan > plan.json`, edit it, then `sealwright resolve {task} revise-plan \
                 --because \"…\" --plan plan.json`"
            )),
            Self::Running { holder, .. } => Some(format!(
                "`sealwright watch` follows it; press Ctrl-C where it runs, or `kill -INT {}`, before you run this again",
                holder.trim_start_matches("process ")
            )),
            Self::Hire(error) => Some(error.hint()),
            Self::Gate(error) => error.hint(),
            Self::Evaluate(error) => error.hint(),
            Self::Journal(error) => error.hint(),
            Self::Engine(error) => error.hint(),
            Self::TrialFailed { hint, .. } | Self::TrialImpossible { hint, .. } => hint.clone(),
            Self::NoStream { near: Some(near), .. } => Some(format!("did you mean `{near}`?")),
            Self::NoRecord { end, .. } => Some(format!("choose a record from 1 to {end}")),
            Self::TooManyRefusals { task } | Self::Parked { task } => {
                Some(format!("`sealwright do --continue {task}` resumes it"))
            }
            Self::Asked { task, is_halted: false, .. } => Some(format!(
                "`sealwright show {task}`, then `sealwright approve {task} --because \"…\"` or `decline`, then \
                 `sealwright do --continue {task}`"
            )),
            Self::Asked { task, is_halted: true, .. } => Some(format!(
                "`sealwright answer {task} \"…\"`, or a command of `sealwright inbox {task}`; then `sealwright do --continue {task}`"
            )),
            Self::Stalled { task, .. } => {
                Some(format!("fix the cause, then `sealwright do --continue {task}`"))
            }
            Self::NotDone { task, .. } => {
                Some(format!("`sealwright show {task}` shows what it waits for"))
            }
            Self::NoBranch { task, .. } => Some(format!(
                "fetch it from the clone that finished {task}, or omit --push and --create"
            )),
            Self::Abandoned { .. }
            | Self::ProjectAbandoned
            | Self::CommandFailed { .. }
            | Self::GateClosed { .. }
            | Self::NotProven { .. }
            | Self::Output(_)
            | Self::Nowhere(_) => None,
            Self::Unproven { .. } => to_do(
                "`--allow-changes` accepts that; what a task proved is on its branch, `sealwright/TASK`",
            ),
            Self::NothingToVerify => to_do(
                "`.sealwright/journal` and `.sealwright/proofs` are empty: fetch the branch that a task shipped",
            ),
            Self::Verify(error) => error.hint(),
            Self::NoSealwright { .. } | Self::NoSealwrightAround => to_do(
                "`sealwright init` creates one; `--repository FOLDER` names another repository",
            ),
            Self::OthersSealwright { .. } => {
                to_do("work as that user; or, if you trust it, name it with `--repository FOLDER`")
            }
            Self::NoFolder { .. } => to_do("create the folder, or name another"),
            Self::Link { .. } => to_do("replace the link with the file, or remove it"),
            Self::InTheWay { .. } => to_do("move it away and run the command again"),
            Self::NotWritten { .. } => {
                to_do("check the permissions of the folder and the free disk space")
            }
            Self::NoStream { near: None, .. } | Self::WhichStream { .. } => {
                to_do("`sealwright journal` lists streams")
            }
            Self::NothingToShow => to_do("`pip install pytest`, or install Rust"),
            Self::DemoFailed => to_do("`sealwright doctor` shows what is missing on this machine"),
            Self::NoGit => {
                to_do("make one with a first commit: `git init && git add --all && git commit`")
            }
            Self::NoUnfinished => to_do(
                "`sealwright status --all` lists finished tasks; `sealwright do \"…\"` starts one",
            ),
            Self::NoTasks => to_do("`sealwright do \"…\"` starts one"),
            Self::WhichUnfinished { found } | Self::WhichTask { found, .. } => Some(one_of(found)),
            Self::Hook { .. } => {
                to_do("call `sealwright verify` in the hook, or remove the hook and run this again")
            }
            Self::WhichKey { others: 0, .. } => to_do("`sealwright keys list` lists keys"),
            Self::WhichKey { .. } => to_do("type more of the key id"),
            Self::NoKeys { .. } | Self::NothingPinned => {
                to_do("`sealwright keys export` prints a key file")
            }
            Self::NotSigners { .. } | Self::NoSigners { .. } => {
                to_do("a line is `ada@example.com ssh-ed25519 AAAA…`, as in git's allowed_signers")
            }
            Self::NoSigningKey => to_do(
                "`git config --global gpg.format ssh` and `git config --global user.signingkey FILE` name one; \
                 or `sealwright sign --key FILE`",
            ),
            Self::RelativeSigningKey { .. } => to_do(
                "`git config --global user.signingkey /…/FILE` names it by its whole path, and `~/FILE` from your home",
            ),
            Self::SigningSettings(error) => error.hint(),
            Self::Signing(SigningError::Start(_)) => to_do("install the OpenSSH client"),
            Self::Signing(SigningError::Failed { .. }) => {
                to_do("see that the key is there, or in your agent: `ssh-add -l`")
            }
            Self::BadSignature(_) => to_do("use a key of the kind ed25519 or ecdsa-sha2-nistp256"),
            Self::SignedDecisions(error) => error.hint(),
            Self::NoUserName => to_do("`git config user.name \"…\"` sets it"),
            Self::ByARole => to_do("run it in a terminal that no agent started"),
            Self::NoQuestion => to_do("`sealwright status` lists the tasks"),
            Self::NothingAsked { .. } => to_do("`sealwright inbox` lists open questions"),
            Self::Halted { task } => {
                Some(format!("`sealwright inbox {task}` lists a command for each way on"))
            }
            Self::OutOfBudget { .. } => to_do(
                "`sealwright budget TASK --dollars …` raises it, `sealwright resolve TASK \
                 abandon-task` abandons the task",
            ),
            Self::NotHalted { .. } => to_do(
                "`sealwright approve` or `sealwright decline` answers; `sealwright cancel` ends the task",
            ),
            Self::Red { .. } => to_do(
                "`sealwright adopt` or `sealwright acknowledge` accepts the edit; or revert it",
            ),
            Self::Editor { .. } => to_do("set VISUAL or EDITOR, or give the file with --plan"),
            Self::Unreadable { .. } => to_do("check the path"),
            Self::Json { .. } => to_do("`sealwright resolve --help` shows the form"),
            Self::TooWeak { .. } => to_do(
                "follow the steps above, or lower the level of the lane under [sandbox] in sealwright.toml",
            ),
            Self::YesOrNo { task } => Some(format!(
                "`sealwright approve {task} --because \"…\"` or `sealwright decline {task} --because \"…\"`"
            )),
            Self::NothingToExplain { .. } => {
                to_do("name it from here or from the top of the repository, as `git ls-files` does")
            }
            Self::NothingProvable { .. } => to_do(clean_rooms::INSTEAD),
            Self::NoBuilder => to_do("install an agent, or give it its key, as listed above"),
            Self::Pack { .. } => to_do("docs/context-packs.md describes the form"),
            Self::NothingEvaluated => {
                to_do("the reasons are above; `sealwright doctor` shows what is missing")
            }
            Self::Push(_) => to_do("git printed the reason; nothing was forced"),
            Self::NoGh { .. } => {
                to_do("install GitHub's `gh`, or omit --create and paste the output")
            }
            Self::Gh { .. } => to_do("`gh auth status` shows the login; --push pushes the branch"),
            Self::Git(GitError::Start { .. }) => to_do("install git"),
            Self::Git(GitError::Failed { .. }) => {
                to_do("run `git log` in the repository to see the error")
            }
        }
    }
}

/// The task ids that a person may have meant.
fn one_of(found: &[String]) -> String {
    let shown: Vec<&str> = found.iter().take(SHOWN_MAX).map(String::as_str).collect();
    let more = if found.len() > shown.len() { ", …" } else { "" };
    format!("any unique part of a task id will do: {}{more}", shown.join(", "))
}

fn to_do(hint: &str) -> Option<String> {
    Some(hint.to_owned())
}

impl From<UnsignedError> for CliError {
    fn from(error: UnsignedError) -> Self {
        match error {
            UnsignedError::Journal(error) => Self::Journal(error),
            other @ UnsignedError::Files(_) => Self::SignedDecisions(other),
        }
    }
}

impl From<TaskError> for CliError {
    fn from(error: TaskError) -> Self {
        match error {
            TaskError::Host(HostError::Journal(JournalError::Held { stream, holder })) => {
                Self::Running { task: stream.to_string(), holder }
            }
            other => Self::Task(other),
        }
    }
}

impl From<TaskRunnerError> for CliError {
    fn from(error: TaskRunnerError) -> Self {
        match error {
            TaskRunnerError::Task(error) => error.into(),
            other => Self::TaskRunner(other),
        }
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

/// How many task ids a hint lists.
const SHOWN_MAX: usize = 8;
