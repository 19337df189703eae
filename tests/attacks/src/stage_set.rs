//! The stage set: what an attack is tried on, built anew for each run, and looked at from outside afterwards.
//!
//! Everything belongs to the agent's own user unless a confinement asks otherwise: on a laptop that is how things
//! are. The set leaves confining to the confinement and deciding to the attack's judge.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::attack::Attack;
use crate::scene::{Bounds, Egress, Inside, Leaks, Markers, Scene, Victim};
use crate::setting::{self, Setuid};
use crate::victim::{self, Order};

mod ground;
mod leftovers;
mod pty;
mod snapshot;

use pty::Pty;
use snapshot::Snapshot;

/// One set: its files, its victim, and what they were like before the attack.
#[derive(Debug)]
pub struct StageSet {
    folder: TempDir,
    scene: Scene,
    agent: Agent,
    victim: Child,
    before: Vec<(Part, Snapshot)>,
    pty: Option<Pty>,
}

/// As whom the agent runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agent {
    /// Its user, and its group.
    pub uid: u32,
    /// Whether that is somebody else than the harness.
    pub is_apart: bool,
}

/// To whom the things belong that the agent must not touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ownership {
    /// To the agent's own user: the worst case.
    Agent,
    /// To the harness, behind a folder that only it may enter.
    Harness,
}

/// A part of the set whose changes are noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The store with the sealed source.
    Store,
    /// The journal.
    Journal,
    /// The other role's work tree.
    OtherWork,
    /// The contracts.
    Modules,
    /// The frozen tests.
    Frozen,
    /// The cache.
    Cache,
    /// The agent's own work tree.
    Work,
    /// The launcher's program.
    Launcher,
}

impl StageSet {
    /// Builds a set for an attack, with a copy of this program.
    pub fn build(attack: &Attack, own: &Path, ownership: Ownership) -> Result<Self> {
        let folder =
            tempfile::Builder::new().prefix("sealwright-attacks-").rand_bytes(12).tempdir()?;
        let agent = Agent::here();
        let mut scene = first_scene(folder.path());
        ground::lay(&scene, own, agent, ownership).context("cannot lay out the stage set")?;
        scene.host.sealed_handle = ground::handle(&scene.host.sealed);
        scene.host.disk = ground::disk();
        if attack.setting.setuid == Setuid::Planted {
            ground::plant_setuid(&scene, &program(folder.path()))?;
        }
        let as_whom = match ownership {
            Ownership::Agent => agent,
            Ownership::Harness => Agent { is_apart: false, ..agent },
        };
        let (victim, met) = start_victim(folder.path(), &scene, as_whom)
            .inspect_err(|_| victim::sweep(&scene.victim))?;
        scene.victim = met;
        let loopback = Ipv4Addr::LOCALHOST;
        scene.egress.proxy = SocketAddr::from((loopback, scene.victim.open_proxy));
        scene.egress.forbidden_port = scene.victim.tcp;
        let before =
            Part::ALL.iter().map(|part| (*part, Snapshot::of(&part.path(&scene)))).collect();
        let pty = match attack.setting.terminal {
            setting::Terminal::Absent => None,
            setting::Terminal::Controlling => Some(Pty::open(&scene.markers.typed)?),
        };
        Ok(Self { folder, scene, agent, victim, before, pty })
    }

    /// The scene as it is without walls; a confinement mounts what `inside` names, and tells the agent where.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// As whom the agent runs.
    pub fn agent(&self) -> Agent {
        self.agent
    }

    /// This program, where the agent's user may execute it.
    pub fn program(&self) -> PathBuf {
        program(self.folder.path())
    }

    /// Where what was taken out of a work tree, or shown to another role, is put.
    pub fn taken(&self) -> PathBuf {
        taken(&self.scene)
    }

    /// Where the victim and the launcher write down what happened.
    pub fn record(&self) -> PathBuf {
        record(&self.scene)
    }

    /// The terminal the launcher was started from, to be its standard input.
    pub fn terminal(&self) -> Result<Option<Stdio>> {
        self.pty.as_ref().map(Pty::slave).transpose()
    }

    /// What somebody at the launching terminal would find typed there by now.
    pub fn typed(&self) -> Option<String> {
        self.pty.as_ref().map(Pty::pending)
    }

    /// What has changed in a part since the set was built, if anything has.
    pub fn changed(&self, part: Part) -> Option<String> {
        let (_, before) = self.before.iter().find(|(known, _)| *known == part)?;
        before.difference(&Snapshot::of(&part.path(&self.scene)))
    }

    /// A file in the folder that stays empty unless planted code ran on the host.
    pub fn ran_on_host(&self) -> Option<String> {
        let first = fs::read_dir(&self.scene.host.outside).ok()?.next()?.ok()?;
        Some(format!("{} was written on the host", first.file_name().to_string_lossy()))
    }

    /// What the record holds under a name.
    pub fn recorded(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.record().join(name)).ok()
    }

    /// Ends what is left of the run, and says how many processes that were.
    pub fn end_survivors(&self) -> usize {
        leftovers::end_processes(&self.scene.token)
    }
}

impl Drop for StageSet {
    fn drop(&mut self) {
        leftovers::end_processes(&self.scene.token);
        drop(self.victim.stdin.take());
        leftovers::let_go(&mut self.victim);
        victim::sweep(&self.scene.victim);
        leftovers::detach_mounts(self.folder.path());
        leftovers::remove_named(&self.scene.token);
    }
}

impl Agent {
    /// A user that owns nothing else, if the harness may choose; otherwise the harness's own.
    fn here() -> Self {
        let own = rustix::process::geteuid().as_raw();
        if own == 0 {
            Self { uid: AGENT_UID, is_apart: true }
        } else {
            Self { uid: own, is_apart: false }
        }
    }

    /// Makes a command run as the agent.
    pub fn become_agent(self, command: &mut Command) {
        if self.is_apart {
            command.uid(self.uid).gid(self.uid);
        }
    }
}

impl Part {
    const ALL: [Self; 8] = [
        Self::Store,
        Self::Journal,
        Self::OtherWork,
        Self::Modules,
        Self::Frozen,
        Self::Cache,
        Self::Work,
        Self::Launcher,
    ];

    /// Where it lies on the host, whatever it is called inside.
    fn path(self, scene: &Scene) -> PathBuf {
        let view = scene.folder.join("view");
        match self {
            Self::Store => scene.host.git_store.clone(),
            Self::Journal => scene.host.journal.clone(),
            Self::OtherWork => scene.host.other_work.clone(),
            Self::Modules => view.join("modules"),
            Self::Frozen => view.join("frozen"),
            Self::Cache => view.join("cache"),
            Self::Work => view.join("work"),
            Self::Launcher => scene.host.launcher.clone(),
        }
    }
}

/// All of a scene that is known before the victim has said where it listens.
fn first_scene(folder: &Path) -> Scene {
    // The token is not part of the folder's name: many a harmless process has that among its words.
    let token = format!("run{:016x}", hash_of(folder));
    let (host, view) = (folder.join("host"), folder.join("view"));
    let store = host.join("store");
    let marker = |word: &str| format!("{word}-{token}");
    let markers = Markers {
        sealed: marker("SEALED"),
        journal: marker("JOURNAL"),
        key: marker("KEY"),
        other_work: marker("OTHER"),
        launcher_env: marker("LAUNCHER"),
        home: marker("HOME"),
        victim_env: marker("ENVIRON"),
        victim_memory: marker("MEMORY"),
        service: marker("SERVICE"),
        upstream: marker("UPSTREAM"),
        own_source: marker("SOURCE"),
        typed: marker("TYPED"),
    };
    let victim = Victim {
        unix: host.join("secret/service.sock"),
        unix_other: host.join("other/role.sock"),
        abstract_name: marker("abstract"),
        // Nought would mean a segment without a key.
        sysv_key: (hash_of(folder) as i32 & 0x7fff_ffff) | 1,
        posix_name: token.clone(),
        key_name: token.clone(),
        ..Victim::default()
    };
    let host = crate::scene::Host {
        sealed: store.join("modules/a/implementation/lib.rs"),
        sealed_handle: None,
        disk: None,
        journal: host.join("journal/journal.jsonl"),
        key: host.join("secret/key"),
        git_store: store,
        other_work: host.join("other"),
        home: host.join("home"),
        launcher: host.join("bin/launcher"),
        outside: folder.join("outside"),
    };
    let inside = Inside {
        root: folder.to_path_buf(),
        work: view.join("work"),
        modules: view.join("modules"),
        frozen: view.join("frozen"),
        cache: view.join("cache"),
        home: view.join("home"),
        tmp: std::env::temp_dir(),
        shm: PathBuf::from("/dev/shm"),
    };
    let nowhere = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let egress = Egress {
        proxy: nowhere,
        allowed_host: ALLOWED_HOST.to_string(),
        allowed_port: ALLOWED_PORT,
        forbidden_host: IpAddr::from(Ipv4Addr::LOCALHOST),
        forbidden_port: 0,
    };
    let leaks =
        Leaks { file: 17, folder: 18, report: 19, variable: "PROVIDER_API_KEY".to_string() };
    let (round, bounds) = (crate::scene::Round::First, Bounds::default());
    let folder = folder.to_path_buf();
    Scene { token, round, folder, host, markers, victim, inside, egress, leaks, bounds }
}

/// Starts the victim and waits until it has said what it became.
#[expect(clippy::disallowed_methods, reason = "a victim is a process of the host")]
fn start_victim(folder: &Path, scene: &Scene, agent: Agent) -> Result<(Child, Victim)> {
    let mut command = Command::new(program(folder));
    command.arg("victim").env_clear().env(VICTIM_VARIABLE, &scene.markers.victim_env);
    command.current_dir(&scene.host.other_work).stdin(Stdio::piped()).stdout(Stdio::piped());
    agent.become_agent(&mut command);
    let mut child = command.spawn().context("cannot start the victim")?;
    let order = Order {
        markers: scene.markers.clone(),
        victim: scene.victim.clone(),
        record: record(scene),
        allowed_host: ALLOWED_HOST.to_string(),
    };
    let stdin = child.stdin.as_mut().context("the victim has no input")?;
    writeln!(stdin, "{}", serde_json::to_string(&order)?)?;
    let stdout = child.stdout.take().context("the victim has no output")?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line)?;
    let victim = serde_json::from_str(&line).context("the victim did not get ready")?;
    Ok((child, victim))
}

fn hash_of(folder: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    folder.hash(&mut hasher);
    hasher.finish()
}

fn program(folder: &Path) -> PathBuf {
    folder.join("bin/attacks")
}

pub(crate) fn taken(scene: &Scene) -> PathBuf {
    scene.folder.join("taken")
}

pub(crate) fn record(scene: &Scene) -> PathBuf {
    scene.folder.join("record")
}

/// The agent's user, where the harness is root.
pub const AGENT_UID: u32 = 61234;
/// The name on the allow list.
pub const ALLOWED_HOST: &str = "model.test";
/// Its port on the allow list.
pub const ALLOWED_PORT: u16 = 8443;

const VICTIM_VARIABLE: &str = "VICTIM_SECRET";
