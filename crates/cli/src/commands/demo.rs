//! `sealwright demo`: a demonstration in about a minute, without a key or a network.
//!
//! ```text
//! small project ──▶ honest builder ──▶ branch, evidence, verify: proven
//!               └─▶ builder that cheats ──▶ halted
//! one byte changed ──▶ verify: not proven, and where
//! ```

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use sealwright_config::Config;
use sealwright_factory::confined;
use sealwright_factory::gate_runner::{GateRunner, Tools};
use sealwright_factory::progress::Watched;
use sealwright_factory::task_performer::{
    ACCEPTANCE, HOLD_OUT, HONESTY, PerformerParts, STRENGTH, TaskPerformer,
};
use sealwright_factory::task_store::LocalTaskStore;
use sealwright_factory::tasks::{NewTask, Tasks};
use sealwright_host::{Clock as _, Ended, Limits, SystemClock};
use sealwright_kernel::owner::Header;
use sealwright_kernel::task::{Freeze, Stage, Task};
use sealwright_kernel::{Actor, Digest, Lane, TaskId, Verdict};
use sealwright_store::attest::keys::Keys;
use sealwright_store::attest::task_statements::attest;
use sealwright_store::attest::{PrivateKeys, Trust};
use sealwright_store::{Anchor, Blobs, FileJournal};
use sealwright_verify::{Audit, Audited, Origin};
use sealwright_views::wire::{CheatRun, DemoReport, HonestRun, TamperFinding};

use crate::args::Format;
use crate::commands::do_task::Progress;
use crate::error::{CliError, CliResult};
use crate::output::{Output, bad, good, sanitize, say, say_whole, short as digits};
use crate::person::refuse_roles;
use crate::task_names::TaskNames;

mod agents;
mod project;

use agents::Scripts;
use project::{Builder, Project, REHEARSAL, Strength, WANTED};

/// See it work in a minute; no key, no network.
///
/// Two scripted agents change a small project: one is honest, one cheats. Sandbox, gates and evidence are real.
/// Everything stays in one folder for you to look at.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder for the project; it must be empty or missing.
    #[arg(default_value = "sealwright-demo")]
    folder: PathBuf,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> CliResult {
    refuse_roles()?;
    let began = now();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let demo = Demo::open(&args.folder)?;
    let shown = runtime.block_on(demo.show())?;
    shown.tell(&demo, began.elapsed().as_secs_f64(), output)
}

struct Demo {
    folder: PathBuf,
    project: &'static Project,
    journal: FileJournal,
    gates: Arc<GateRunner>,
    config: Arc<Config>,
    checks: Vec<String>,
    /// Keys and trees of the demonstration, removed at its end.
    state: tempfile::TempDir,
}

struct Shown {
    honest: (TaskId, Task),
    cheat: (TaskId, Task),
    before: Audited,
    changed: Digest,
    after: Audited,
    again: Audited,
}

impl Demo {
    fn open(folder: &Path) -> CliResult<Self> {
        let folder = std::path::absolute(folder).map_err(CliError::Nowhere)?;
        let place = || folder.display().to_string();
        match std::fs::read_dir(&folder).map(|mut entries| entries.next().is_none()) {
            Ok(true) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Ok(false) => return Err(CliError::InTheWay { file: place() }),
            Err(source) => return Err(CliError::NoFolder { place: place(), source }),
        }
        let tools = Tools::find(&folder);
        let project = Project::for_machine(&tools).ok_or(CliError::NothingToShow)?;
        let mut checks: Vec<String> = [ACCEPTANCE, HOLD_OUT, HONESTY].map(str::to_owned).into();
        if project.strength == Strength::Tried && tools.can_list_mutants(project.language) {
            checks.push(STRENGTH.to_owned());
        }
        let config = Config::parse(project.configuration)?;
        checks.extend(config.checks().iter().map(|check| check.name.clone()));
        std::fs::create_dir_all(&folder)
            .and_then(|()| project.write(&folder))
            .map_err(|source| CliError::NoFolder { place: place(), source })?;
        for words in REPOSITORY {
            git(&folder, words)?;
        }
        let journal = FileJournal::create(folder.join(".sealwright"))?;
        let state = confined::state_folder();
        let least = config.sandbox.least(Lane::Quick);
        let gates = GateRunner::open(confined::slots()?, &state, least, tools)
            .map_err(sealwright_factory::task_runner::TaskRunnerError::from)?;
        let state = tempfile::Builder::new().prefix("demo-").tempdir_in(&state)?;
        Ok(Self { folder, project, journal, gates, config: Arc::new(config), checks, state })
    }

    async fn show(&self) -> CliResult<Shown> {
        let at = self.folder.display();
        say(&format!(
            "• a small {} project in {}",
            self.project.language,
            sanitize(&at.to_string())
        ));
        say(&format!("• task: {WANTED}"));
        say("");
        say("• honest builder");
        let (honest, anchor) = self.run_task(Builder::Honest).await?;
        let keys = Keys::of(&self.journal, PrivateKeys::at(self.state.path().join("keys")));
        keys.take("the demonstration", SystemClock.now())?;
        let mut anchors = Vec::new();
        if let Some(anchor) = anchor {
            attest(&self.journal, &honest.0, &keys.signing()?)?;
            anchors.push(anchor);
        }
        say("");
        say("• builder that hard-codes the expected values and reports \"Done! All tests pass.\"");
        let (cheat, _) = self.run_task(Builder::Cheat).await?;
        say("");
        let before = self.audit(&anchors).await?;
        let (changed, file) = self.evidence_of(&honest.1).await?;
        let text = std::fs::read(&file)?;
        let after = {
            let mut bent = text.clone();
            if let Some(byte) = bent.last_mut() {
                *byte ^= 1;
            }
            writable(&file)?;
            std::fs::write(&file, bent)?;
            let after = self.audit(&anchors).await;
            std::fs::write(&file, &text)?;
            after?
        };
        let again = self.audit(&anchors).await?;
        Ok(Shown { honest, cheat, before, changed, after, again })
    }

    /// Runs the task with one builder and returns its final state.
    async fn run_task(&self, builder: Builder) -> CliResult<((TaskId, Task), Option<Anchor>)> {
        let tasks = Tasks::of(&self.journal);
        let you = Actor::Human("you".to_owned());
        let new = NewTask {
            said: WANTED.to_owned(),
            lane: Lane::Quick,
            header: Header::default(),
            freeze: Freeze::InAdvance,
            checks: self.checks.clone(),
            base: None,
            budget: None,
        };
        let told = tasks.create(&you, new).await?;
        let Some(known) = told.task.data() else { return Err(CliError::NothingToShow) };
        let id = known.charter.id.clone();
        let performer = TaskPerformer::open(PerformerParts {
            gates: self.gates.clone(),
            caller: Arc::new(Scripts { project: self.project, builder }),
            config: self.config.clone(),
            store: Arc::new(LocalTaskStore::open(self.journal.clone(), self.state.path())?),
            repository: self.folder.clone(),
            state: self.state.path().join(id.as_str()),
            commit: "HEAD".to_owned(),
            tests_s: TESTS_S,
        })
        .map_err(sealwright_factory::task_runner::TaskRunnerError::from)?;
        let progress = Arc::new(Progress::new());
        let performer = Watched::new(performer, progress.clone());
        let limits = Limits { tries_max: 1, ..Limits::default() };
        let ended = tasks.run(&id, performer, limits).await;
        progress.rest();
        let anchor = match ended? {
            Ended::Over(anchor) => Some(anchor),
            Ended::Waiting(_) | Ended::Stopped | Ended::Parked { .. } => None,
            Ended::Stalled(stalled) => {
                let why = stalled.first().map(|it| it.why.clone()).unwrap_or_default();
                return Err(CliError::Stalled { task: id.to_string(), why });
            }
        };
        let machine = tasks.look(&id).await?.machine;
        Ok(((id, machine), anchor))
    }

    async fn audit(&self, anchors: &[Anchor]) -> CliResult<Audited> {
        let trust = Trust::default();
        let (journal, origin) = (&self.journal, Origin::Journal);
        Ok(Audit { journal, anchors, trust: &trust, signers: None, threads: 1, origin }
            .run()
            .await?)
    }

    /// The output of the last gate run in the evidence of a task, and its file.
    async fn evidence_of(&self, task: &Task) -> CliResult<(Digest, PathBuf)> {
        let seen = task.data().and_then(|known| known.evidence.last());
        let Some(record) = seen else { return Err(CliError::NothingToShow) };
        let digest = record.evidence.output;
        let blobs =
            Blobs::local(self.journal.layout()).map_err(sealwright_factory::TaskError::from)?;
        let text = blobs.find(&digest).await.map_err(sealwright_factory::TaskError::from)?;
        let file = self.journal.layout().blob(&digest, text.len() as u64);
        Ok((digest, file))
    }
}

impl Shown {
    fn is_as_promised(&self) -> bool {
        let is_kept = matches!(self.honest.1.stage(), Stage::Done);
        let is_halted = matches!(self.cheat.1.stage(), Stage::Halted { .. });
        let is_stopped = is_halted && self.caught().is_some();
        let is_named = !self.after.findings.is_empty();
        let is_whole = self.before.findings.is_empty() && self.again.findings.is_empty();
        is_kept && is_stopped && is_named && is_whole
    }

    /// The first line of the gate that caught the cheat.
    fn caught(&self) -> Option<String> {
        let known = self.cheat.1.data()?;
        let failed = known.evidence.iter().filter(|it| it.verdict == Verdict::Fail);
        let by = failed.rev().find(|it| it.subject.ends_with(HOLD_OUT))?;
        Some(by.evidence.excerpt.lines().next().unwrap_or_default().to_owned())
    }

    fn tell(&self, demo: &Demo, seconds: f64, output: &mut Output) -> CliResult {
        let (honest, cheat) = (&self.honest.0, &self.cheat.0);
        let names = TaskNames::of(&demo.journal);
        let short = names.short(honest.as_str());
        let caught = self.caught();
        let finding = self.after.findings.first();
        let page =
            demo.folder.join(".sealwright/tasks").join(honest.as_str()).join("evidence.html");
        match output.format {
            Format::Json => output.json(&DemoReport {
                folder: demo.folder.display().to_string(),
                language: demo.project.language.into(),
                honest: HonestRun {
                    task: honest.into(),
                    branch: honest.branch().into(),
                    evidence: page.display().to_string(),
                },
                cheat: CheatRun { task: cheat.into(), caught },
                proven: self.before.findings.is_empty(),
                changed: finding.map(|it| TamperFinding {
                    object: (&it.object).into(),
                    finding: (&it.finding).into(),
                }),
                seconds,
                as_promised: self.is_as_promised(),
            })?,
            Format::Human => {
                if !matches!(self.honest.1.stage(), Stage::Done) {
                    // Nothing that follows would be true of it.
                    let at = demo.folder.display().to_string();
                    return output.line(&format!(
                        "{} honest builder: stopped, no branch; `sealwright show {short}` in {} says why",
                        bad("✗"),
                        sanitize(&at)
                    ));
                }
                output.line(&format!(
                    "{} honest builder: proven, on branch sealwright/{honest}",
                    good("✓")
                ))?;
                let caught = caught.as_deref().unwrap_or("not caught");
                output.line(&format!(
                    "{} cheating builder: halted, no branch. {}",
                    bad("✗"),
                    sanitize(caught)
                ))?;
                let checked = self.before.evidence;
                output.line(&format!(
                    "{} verify: proven, {checked} pieces of evidence and {} signatures checked",
                    good("✓"),
                    self.before.statements,
                ))?;
                output.line(&format!("• changed one byte of {}", digits(&self.changed)))?;
                match finding {
                    Some(found) => output.line(&format!(
                        "{} verify: not proven: {}: {}",
                        bad("✗"),
                        sanitize(&found.object),
                        sanitize(&found.finding)
                    ))?,
                    None => output.line("verify found nothing")?,
                }
                output.line("• restored the byte; everything is proven again")?;
                output.line(&format!("evidence: {}", sanitize(&page.display().to_string())))?;
                say(&format!("took {seconds:.1} s"));
                say("");
                say("next, to look around:");
                say_whole(&format!("  cd {}", sanitize(&demo.folder.display().to_string())));
                say_whole(&format!("  git diff main..sealwright/{honest}"));
                say_whole(&format!("  sealwright show {short}"));
                say_whole("  sealwright allow");
                say_whole(&format!("  sealwright do \"{WANTED}\" --yes --dirty leave"));
                say(&format!(
                    "the last two allow the scripts in `{REHEARSAL}` and run them: change one, allow it again, and see"
                ));
                say("then, in your repository: sealwright do \"what you want\"");
            }
        }
        if self.is_as_promised() { Ok(()) } else { Err(CliError::DemoFailed) }
    }
}

/// Removes the write protection of a stored file, as an attacker would.
fn writable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut mode = std::fs::metadata(path)?.permissions();
    mode.set_mode(mode.mode() | 0o200);
    std::fs::set_permissions(path, mode)
}

#[expect(clippy::disallowed_methods, reason = "the demonstration makes a repository of its own")]
fn git(folder: &Path, words: &[&str]) -> CliResult {
    let mut command = Command::new("git");
    for (who, name) in [("AUTHOR", "you"), ("COMMITTER", "you")] {
        command.env(format!("GIT_{who}_NAME"), name);
        command.env(format!("GIT_{who}_EMAIL"), "you@localhost");
    }
    let start = |source| sealwright_repo::GitError::Start { source };
    let done = command.args(words).current_dir(folder).stdin(Stdio::null()).output();
    let done = done.map_err(start)?;
    if done.status.success() {
        Ok(())
    } else {
        let said =
            String::from_utf8_lossy(&done.stderr).lines().next().unwrap_or_default().to_owned();
        Err(sealwright_repo::GitError::Failed { message: said }.into())
    }
}

#[expect(clippy::disallowed_methods, reason = "prints how long the demonstration took")]
fn now() -> Instant {
    Instant::now()
}

const REPOSITORY: [&[&str]; 5] = [
    &["init", "--quiet", "--initial-branch=main"],
    // Whoever plays on is asked for no name.
    &["config", "user.name", "you"],
    &["config", "user.email", "you@localhost"],
    &["add", "--all"],
    &["commit", "--quiet", "--no-gpg-sign", "--no-verify", "--message", "Parking, by the hour"],
];
const TESTS_S: u32 = 60;
