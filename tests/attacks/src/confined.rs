//! The real walls: attacks behind what the sandbox builds, all of it or with a wall taken away.
//!
//! The launcher is a process of its own (`attacks confined`), among everything it must not hand on. It runs the
//! attack, deals with what was left behind as the host does, and tells both in one line.

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
use crate::scene::{Inside, Round, Scene};
use crate::setting::{Reach, WorkTree};
use crate::stage_set::{Ownership, StageSet};
use crate::surroundings;

mod afterwards;

/// How the walls are built.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Setup {
    /// What they are made of.
    pub mechanism: Mechanism,
    /// Who builds them.
    pub host: Host,
    /// Which of them are left out.
    pub without: Vec<Barrier>,
}

/// Who builds the walls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Host {
    /// Root, who runs the agent as somebody else.
    Root,
    /// The same user that the agent and everything it must not touch belong to.
    User,
}

/// A confinement by the sandbox.
#[derive(Debug)]
pub struct Confined {
    program: PathBuf,
    setup: Setup,
    /// What came of the attack that was run last, for the question what the host made of it.
    last: RefCell<Option<Told>>,
}

/// What a launcher tells.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Told {
    stdout: Vec<u8>,
    ended: String,
    code: Option<i32>,
    signal: Option<i32>,
    truncated: bool,
    level: Level,
    refused: Option<String>,
}

impl Confined {
    /// With these walls. `program` is this program.
    pub fn new(program: PathBuf, setup: Setup) -> Self {
        Self { program, setup, last: RefCell::new(None) }
    }

    /// How strong the walls were found when an attack was run last.
    pub fn level(&self) -> Option<Level> {
        self.last.borrow().as_ref().map(|told| told.level)
    }
}

impl Confinement for Confined {
    fn name(&self) -> String {
        let host = match self.setup.host {
            Host::Root => "root",
            Host::User => "user",
        };
        let mut name = format!("{} by {host}", self.setup.mechanism.name());
        for wall in &self.setup.without {
            name.push_str(&format!(" without {}", wall.name()));
        }
        name
    }

    fn program(&self) -> &Path {
        &self.program
    }

    fn ownership(&self) -> Ownership {
        // Landlock keeps nobody from what is their own; that is what a user of its own is for.
        match (&self.setup.mechanism, self.setup.host) {
            (Mechanism::Landlock, Host::Root) => Ownership::Harness,
            _ => Ownership::Agent,
        }
    }

    fn run(&self, set: &StageSet, attack: &Attack, round: Round) -> Result<Ran> {
        let scene = Scene { round, ..set.scene().clone() };
        let words = [
            "confined",
            attack.key,
            &serde_json::to_string(&scene)?,
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
        let told: Told = serde_json::from_slice(&out)
            .with_context(|| format!("the launcher {status}: {}", String::from_utf8_lossy(&err)))?;
        let survivors = set.end_survivors();
        *self.last.borrow_mut() = Some(told.clone());
        let exit = match (told.code, told.signal) {
            (Some(code), _) => Exit::Code(code),
            (None, Some(signal)) => Exit::Signal(signal),
            (None, None) => Exit::Unknown,
        };
        let timed_out = told.ended != "exited" && told.ended != "signalled";
        Ok(Ran { stdout: told.stdout, exit, timed_out, truncated: told.truncated, survivors })
    }

    fn afterwards(&self, _: &StageSet, _: &Attack) -> Result<Took> {
        let last = self.last.borrow();
        Ok(match last.as_ref().and_then(|told| told.refused.clone()) {
            Some(why) => Took::Refused(why),
            None => Took::Done,
        })
    }
}

/// Is a launcher: builds the walls, runs the attack, and deals with what it left behind.
pub fn launch(key: &str, scene: &Scene, setup: &Setup, agent: u32) -> Result<Told> {
    surroundings::let_slip(scene)?;
    let attack = attacks::find(key).with_context(|| format!("no attack is called {key}"))?;
    let base = std::env::temp_dir()
        .join(format!("sealwright-attack-seats-{}", rustix::process::geteuid().as_raw()));
    let slot = SandboxSlots::open(&base)?.take()?;
    let slot = if setup.host == Host::Root { slot.as_user(agent) } else { slot };
    let view = afterwards::view(attack, scene, &slot)?;
    let work = view.as_ref().map_or(scene.inside.work.clone(), |view| view.work_folder());
    let plan = plan(attack, scene, setup, &slot, &work)?;
    let policy = Policy {
        tunnels: vec![Tunnel {
            target: format!("{}:{}", scene.egress.allowed_host, scene.egress.allowed_port),
            address: Address::Pinned(SocketAddr::from(([127, 0, 0, 1], scene.victim.upstream))),
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
        Follow::MountTests => afterwards::mount_tests(&plan, scene, setup, &slot),
        Follow::Collect
        | Follow::Commit
        | Follow::CommitApart
        | Follow::StatusBelow
        | Follow::Materialise => {
            afterwards::take(view.as_ref().context("a view was made")?, scene)?
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
    Ok(Told {
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
    scene: &Scene,
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
            ..scene.inside.clone()
        }
    };
    let told = Scene { inside, ..scene.clone() };
    let argv = ["/attacks", "attack", attack.key, &serde_json::to_string(&told)?];
    let mut plan = system::plan(slot, &argv)?;
    let program = scene.folder.join("bin/attacks");
    ensure!(program.exists(), "{} is not there", program.display());
    let access = match attack.setting.work {
        WorkTree::ReadWrite => Access::ReadWrite,
        WorkTree::ReadOnly => Access::ReadOnly,
        WorkTree::CopyOnWrite => Access::CopyOnWrite,
    };
    plan.mounts.extend([
        mount(&program, "/attacks", Access::ReadOnly),
        mount(work, "/work", access),
        mount(&scene.inside.modules, "/modules", Access::ReadOnly),
        mount(&scene.inside.frozen, "/frozen", Access::ReadOnly),
        mount(&scene.inside.cache, "/cache", Access::ReadOnly),
    ]);
    plan.folder = "/work".to_owned();
    plan.network = match attack.setting.reach {
        Reach::Nothing => Network::Off,
        Reach::Proxy => Network::Egress,
    };
    let bounds = scene.bounds;
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
