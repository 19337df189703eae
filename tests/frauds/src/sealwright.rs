//! Sealwright as a system: a case is a task, its actors are scripts in the sandbox, and the engine decides.
//!
//! The person approves every contract unread. A finding that the engine puts to the person counts as a stop, so an
//! honest run with such a finding is a false alarm.

mod agents;
mod person;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use sealwright_config::Config;
use sealwright_factory::gate_runner::{GateRunner, Tools};
use sealwright_factory::task_performer::{
    ACCEPTANCE, HOLD_OUT, HONESTY, PerformerParts, STRENGTH, TaskPerformer,
};
use sealwright_factory::task_store::LocalTaskStore;
use sealwright_factory::tasks::{NewTask, Tasks};
use sealwright_host::{Ended, Limits};
use sealwright_kernel::owner::Header;
use sealwright_kernel::task::{Freeze, Stage, Task};
use sealwright_kernel::{Actor, Lane, Level, TaskId, Timestamp};
use sealwright_sandbox::SandboxSlots;
use sealwright_store::attest::keys::Keys;
use sealwright_store::attest::task_statements::attest;
use sealwright_store::attest::{PrivateKeys, Trust};
use sealwright_store::{Anchor, FileJournal};
use sealwright_verify::{Audit, Origin};

use crate::case::Case;
use crate::checkout::Checkout;
use crate::project::Project;
use crate::system::{System, Verdict};
use agents::Scripts;

/// Sealwright with one gate runner for all cases.
pub struct Sealwright {
    gates: Arc<GateRunner>,
    state: PathBuf,
}

impl Sealwright {
    /// Opens it with its state below `state`.
    pub fn open(state: &Path) -> Result<Self> {
        std::fs::create_dir_all(state)?;
        let slots = SandboxSlots::open(&state.join("slots"))?;
        let tools = Tools::find(Path::new("/"));
        let gates = GateRunner::open(slots, state, Level::KernelIsolated, tools)?;
        Ok(Self { gates, state: state.to_owned() })
    }

    pub fn gates(&self) -> &Arc<GateRunner> {
        &self.gates
    }

    async fn carry_out(&self, case: &Case) -> Result<Verdict> {
        let checkout = Checkout::before(case)?;
        let project = Project::open(&case.data.project)?;
        let journal = FileJournal::create(checkout.tree.join(".sealwright"))?;
        let locked = if project.about.language.has_lock() { LOCKED } else { "" };
        let config = Config::parse(&format!("{CONFIG}{locked}"))?;
        let mut checks: Vec<String> =
            [ACCEPTANCE, HOLD_OUT, HONESTY, STRENGTH].map(str::to_owned).into();
        checks.extend(config.checks().iter().map(|check| check.name.clone()));
        let person = Actor::Human("a person".to_owned());
        let tasks = Tasks::of(&journal);
        let created = tasks
            .create(
                &person,
                NewTask {
                    said: agents::task_file(&project),
                    lane: Lane::Quick,
                    header: Header::default(),
                    freeze: Freeze::Asked,
                    checks,
                    base: None,
                    budget: None,
                },
            )
            .await?;
        let id = created.task.data().context("the task is created")?.charter.id.clone();
        let performer = TaskPerformer::open(PerformerParts {
            gates: self.gates.clone(),
            caller: Arc::new(Scripts::new(case, project)?),
            config: Arc::new(config),
            store: Arc::new(LocalTaskStore::open(journal.clone(), &self.state)?),
            repository: checkout.tree.clone(),
            state: tempfile::tempdir_in(&self.state)?.keep(),
            commit: "HEAD".to_owned(),
            tests_s: TESTS_S,
        })?;
        let limits = Limits { tries_max: 1, ..Limits::default() };
        for _ in 0..QUESTIONS_MAX {
            match tasks.run(&id, performer.clone(), limits).await? {
                Ended::Over(anchor) => {
                    let finished = Finished { journal: &journal, task: &id, anchor: &anchor };
                    return self.finished(case, &checkout, &finished).await;
                }
                Ended::Waiting(_) => {
                    let task = tasks.look(&id).await?.machine;
                    if let Some(refused) = halted(&task) {
                        return Ok(refused);
                    }
                    if let Some(asked) = person::is_asked_about(&task) {
                        return Ok(asked);
                    }
                    person::answer(&tasks, &id, &person, &task).await?;
                }
                Ended::Stalled(stalled) => {
                    let why: Vec<String> = stalled.iter().map(|it| format!("{it:?}")).collect();
                    anyhow::bail!("{}: it stalled: {}", case.id, why.join("; "));
                }
                Ended::Stopped => anyhow::bail!("it was stopped without a request"),
                Ended::Parked { why, .. } => anyhow::bail!("{}: it was parked: {why}", case.id),
            }
        }
        anyhow::bail!("{}: more questions than anybody would answer", case.id)
    }

    /// Signs a successful run, applies the changes of a writer to the record, and verifies it again.
    async fn finished(
        &self,
        case: &Case,
        checkout: &Checkout,
        finished: &Finished<'_>,
    ) -> Result<Verdict> {
        let Finished { journal, task, anchor } = finished;
        let keys = Keys::of(
            journal,
            PrivateKeys::at(tempfile::tempdir_in(&self.state)?.keep().join("keys")),
        );
        let at = Timestamp::from_millis(1_700_000_000_000);
        keys.take("a person", at)?;
        attest(journal, task, &keys.signing()?)?;
        let mut pinned = Trust::default();
        pinned.pin(&keys.export(None)?)?;
        if let Some(actor) = &case.data.parts.record {
            let ran = checkout.act(actor, &[])?;
            ensure!(ran.is_well(), "{}: {}", case.id, ran.said);
        }
        let anchors = [Anchor::clone(anchor)];
        let audit = Audit {
            journal,
            anchors: &anchors,
            trust: &pinned,
            signers: None,
            threads: 1,
            origin: Origin::Journal,
        };
        let audited = audit.run().await?;
        if let Some(found) = audited.findings.first() {
            return Ok(Verdict::refused("verify", format!("{}: {}", found.object, found.finding)));
        }
        if let Some(mark) = &case.data.mark {
            let shown = format!("git show 'sealwright/{task}:{}'", mark.path);
            let shown = checkout.shell(&shown)?;
            if !shown.is_well() || !shown.said.contains(&mark.text) {
                return Ok(Verdict::refused("walls", "what it left did not get out of its view"));
            }
        }
        Ok(Verdict::Accepted)
    }
}

struct Finished<'f> {
    journal: &'f FileJournal,
    task: &'f TaskId,
    anchor: &'f Anchor,
}

impl System for Sealwright {
    fn name(&self) -> &str {
        "sealwright"
    }

    fn judge(&self, case: &Case) -> Result<Verdict> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(self.carry_out(case))
    }
}

/// The verdict of a halted task, with its cause.
fn halted(task: &Task) -> Option<Verdict> {
    let Stage::Halted { escalation } = task.stage() else { return None };
    let cause = serde_json::to_value(&escalation.cause).unwrap_or_default();
    let name = cause.as_object().and_then(|it| it.keys().next().cloned());
    let by = name.or_else(|| cause.as_str().map(str::to_owned)).unwrap_or_default();
    let heals = task.data().map_or(0, |known| known.heals);
    let by = if heals > 0 { format!("{by} after {heals} cheats") } else { by };
    let seen = task.data().map(|known| &known.evidence[..]).unwrap_or_default();
    let last = seen.iter().rev().find(|record| record.verdict != sealwright_kernel::Verdict::Pass);
    let last = last.map(|record| format!(" [{}: {}]", record.subject, record.evidence.excerpt));
    Some(Verdict::refused(&by, format!("{}{}", escalation.line(), last.unwrap_or_default())))
}

/// Longer than any suite of the corpus takes.
const TESTS_S: u32 = 45;
const QUESTIONS_MAX: usize = 20;
/// The configuration of every project, besides its tests.
const CONFIG: &str = r#"
[checks.secrets]
kind = "secrets"
tool = "detect-secrets"
command = ["python3", "-m", "detect_secrets", "scan", "--all-files", "--no-verify"]
sets = ["exit"]

[checks.clean]
kind = "clean-tree"

[checks.size]
kind = "size"
"#;
/// Only projects with a lock file; the Python projects have none.
const LOCKED: &str = r#"
[checks.lockfile]
kind = "lockfile"
"#;
