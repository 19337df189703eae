//! Attacks in the real sandbox, complete or with a barrier removed.
//!
//! The launcher is a separate process (`attacks confined`) with secrets that it must not pass on. It runs the attack,
//! handles the agent's files as the host does, and reports both in one line.

use std::cell::RefCell;
use std::io::Read as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use sealwright_kernel::Level;
use sealwright_sandbox::egress::policy::{Address, Tunnel};
use sealwright_sandbox::egress::{Egress, Policy};
use sealwright_sandbox::plan::{Access, Mount, Need, Network, Plan, Scratch};
use sealwright_sandbox::{
    Barrier, Ended, Isolation, Mechanism, SandboxSlot, SandboxSlots, Terms, system,
};
use serde::{Deserialize, Serialize};

use crate::attack::{Attack, Follow};
use crate::attacks;
use crate::confinement::{Confinement, Exit, Ran, Took};
use crate::fixture::{Fixture, Inside, Round};
use crate::fixture_setup::{FixtureSetup, Ownership};
use crate::setting::{Reach, WorkTree};
use crate::surroundings;

mod afterwards;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Setup {
    pub mechanism: Mechanism,
    pub host: Host,
    /// The barriers left out.
    pub without: Vec<Barrier>,
}

/// Who builds the sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Host {
    /// Root, who runs the agent as another user.
    Root,
    /// The user who owns the agent and everything it must not touch.
    User,
}

#[derive(Debug)]
pub struct Confined {
    program: PathBuf,
    setup: Setup,
    /// The report of the last attack, for `afterwards`.
    last: RefCell<Option<LaunchReport>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LaunchReport {
    stdout: Vec<u8>,
    ended: String,
    code: Option<i32>,
    signal: Option<i32>,
    truncated: bool,
    level: Level,
    refused: Option<String>,
}

impl Confined {
    /// With this setup. `program` is this program.
    pub fn new(program: PathBuf, setup: Setup) -> Self {
        Self { program, setup, last: RefCell::new(None) }
    }

    /// The measured level of the last run.
    pub fn level(&self) -> Option<Level> {
        self.last.borrow().as_ref().map(|report| report.level)
    }
}

impl Confinement for Confined {
    fn name(&self) -> String {
        let host = match self.setup.host {
            Host::Root => "root",
            Host::User => "user",
        };
        let mut name = format!("{} by {host}", self.setup.mechanism.name());
        for barrier in &self.setup.without {
            name.push_str(&format!(" without {}", barrier.name()));
        }
        name
    }

    fn program(&self) -> &Path {
        &self.program
    }

    fn ownership(&self) -> Ownership {
        // Landlock does not protect a user's own files; a separate user does.
        match (&self.setup.mechanism, self.setup.host) {
            (Mechanism::Landlock, Host::Root) => Ownership::Harness,
            _ => Ownership::Agent,
        }
    }

    fn run(&self, set: &FixtureSetup, attack: &Attack, round: Round) -> Result<Ran> {
        let fixture = Fixture { round, ..set.fixture().clone() };
        let words = [
            "confined",
            attack.key,
            &serde_json::to_string(&fixture)?,
            &serde_json::to_string(&self.setup)?,
            &set.agent().uid.to_string(),
        ];
        let mut command = surroundings::launcher(set, &words)?;
        if self.setup.host == Host::User {
            set.agent().become_agent(&mut command);
        }
        let mut child =
            command.stderr(Stdio::piped()).spawn().context("cannot start the launcher")?;
        let (mut out, mut err) = (Vec::new(), Vec::new());
        child.stdout.take().context("a launcher has an output")?.read_to_end(&mut out)?;
        child.stderr.take().context("a launcher has an output")?.read_to_end(&mut err)?;
        let status = child.wait()?;
        let report: LaunchReport = serde_json::from_slice(&out)
            .with_context(|| format!("the launcher {status}: {}", String::from_utf8_lossy(&err)))?;
        let survivors = set.end_survivors();
        *self.last.borrow_mut() = Some(report.clone());
        let exit = match (report.code, report.signal) {
            (Some(code), _) => Exit::Code(code),
            (None, Some(signal)) => Exit::Signal(signal),
            (None, None) => Exit::Unknown,
        };
        let timed_out = report.ended != "exited" && report.ended != "signalled";
        Ok(Ran { stdout: report.stdout, exit, timed_out, truncated: report.truncated, survivors })
    }

    fn afterwards(&self, _: &FixtureSetup, _: &Attack) -> Result<Took> {
        let last = self.last.borrow();
        Ok(match last.as_ref().and_then(|report| report.refused.clone()) {
            Some(why) => Took::Refused(why),
            None => Took::Done,
        })
    }
}

/// The launcher: builds the sandbox, runs the attack, and handles the agent's files.
pub fn launch(key: &str, fixture: &Fixture, setup: &Setup, agent: u32) -> Result<LaunchReport> {
    surroundings::let_slip(fixture)?;
    let attack = attacks::find(key).with_context(|| format!("no attack is called {key}"))?;
    let base = std::env::temp_dir()
        .join(format!("sealwright-attack-seats-{}", rustix::process::geteuid().as_raw()));
    let slot = SandboxSlots::open(&base)?.take()?;
    let slot = if setup.host == Host::Root { slot.as_user(agent) } else { slot };
    let view = afterwards::view(attack, fixture, &slot)?;
    let work = view.as_ref().map_or(fixture.inside.work.clone(), |view| view.work_folder());
    let plan = plan(attack, fixture, setup, &slot, &work)?;
    let policy = Policy {
        tunnels: vec![Tunnel {
            target: fixture.egress.listed(),
            address: Address::Pinned(SocketAddr::from(([127, 0, 0, 1], fixture.victim.upstream))),
        }],
        ..Policy::default()
    };
    let mut egress = None;
    let mut terms = Terms::new(setup.mechanism.clone(), Level::Advisory);
    terms.walls = Isolation::all().without(&setup.without);
    terms.way_out = Some(Box::new(|listener| egress = Egress::start(listener, &policy).ok()));
    let outcome = slot.run(&plan, terms)?;
    drop(egress);
    let refused = match attack.then {
        Follow::Nothing | Follow::RunAgain => None,
        Follow::MountTests => afterwards::mount_tests(&plan, fixture, setup, &slot),
        Follow::Collect
        | Follow::Commit
        | Follow::CommitApart
        | Follow::StatusBelow
        | Follow::Materialise => {
            afterwards::take(view.as_ref().context("a view was made")?, fixture)?
        }
    };
    let (ended, code, signal) = match outcome.ended {
        Ended::Exited(code) => ("exited", Some(code), None),
        Ended::Signalled(signal) => ("signalled", None, Some(signal)),
        Ended::TimedOut => ("timed out", None, None),
        Ended::Cancelled => ("cancelled", None, None),
        Ended::OutOfRoom => ("out of room", None, None),
        Ended::Vanished => ("vanished", None, None),
    };
    Ok(LaunchReport {
        stdout: outcome.stdout.kept,
        ended: ended.to_owned(),
        code,
        signal,
        truncated: outcome.stdout.dropped > 0,
        level: outcome.confinement.level,
        refused,
    })
}

fn plan(
    attack: &Attack,
    fixture: &Fixture,
    setup: &Setup,
    slot: &SandboxSlot,
    work: &Path,
) -> Result<Plan> {
    let has_root = !matches!(setup.mechanism, Mechanism::Landlock | Mechanism::Nothing)
        && !setup.without.contains(&Barrier::Root);
    let inside = if has_root {
        Inside {
            root: "/".into(),
            work: "/work".into(),
            modules: "/modules".into(),
            frozen: "/frozen".into(),
            cache: "/cache".into(),
            home: system::HOME.into(),
            tmp: "/tmp".into(),
            shm: "/dev/shm".into(),
        }
    } else {
        Inside {
            work: work.to_owned(),
            tmp: slot.folder().join("scratch/0"),
            home: slot.folder().join("scratch/1"),
            ..fixture.inside.clone()
        }
    };
    let inside_fixture = Fixture { inside, ..fixture.clone() };
    let argv = ["/attacks", "attack", attack.key, &serde_json::to_string(&inside_fixture)?];
    let mut plan = system::plan(slot, &argv)?;
    let program = fixture.folder.join("bin/attacks");
    ensure!(program.exists(), "{} is not there", program.display());
    let access = match attack.setting.work {
        WorkTree::ReadWrite => Access::ReadWrite,
        WorkTree::ReadOnly => Access::ReadOnly,
        WorkTree::CopyOnWrite => Access::CopyOnWrite,
    };
    plan.mounts.extend([
        mount(&program, "/attacks", Access::ReadOnly),
        mount(work, "/work", access),
        mount(&fixture.inside.modules, "/modules", Access::ReadOnly),
        mount(&fixture.inside.frozen, "/frozen", Access::ReadOnly),
        mount(&fixture.inside.cache, "/cache", Access::ReadOnly),
    ]);
    plan.folder = "/work".to_owned();
    plan.network = match attack.setting.reach {
        Reach::Nothing => Network::Off,
        Reach::Proxy => Network::Egress,
    };
    let bounds = fixture.bounds;
    for Scratch { bytes_max, .. } in &mut plan.scratch {
        *bytes_max = bounds.scratch_bytes;
    }
    let limits = &mut plan.limits;
    limits.wall_ms = bounds.limit_ms(attack.setting.wall);
    limits.memory_bytes = bounds.memory_bytes;
    limits.processes_max = bounds.processes_max;
    limits.open_files_max = bounds.open_files_max;
    limits.file_bytes = bounds.file_bytes;
    limits.tree_bytes = bounds.work_bytes;
    limits.changes_bytes = bounds.work_bytes;
    limits.output_bytes = bounds.output_bytes;
    Ok(plan)
}

fn mount(source: &Path, at: &str, access: Access) -> Mount {
    Mount { source: source.to_owned(), at: at.to_owned(), access, need: Need::Required }
}
