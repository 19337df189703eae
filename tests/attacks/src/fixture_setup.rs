//! Builds the fixture of an attack anew for each run, and inspects it afterwards from outside.
//!
//! Everything belongs to the agent's user unless a confinement asks otherwise, as on a laptop. The confinement
//! confines, and the judge of the attack decides.

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
use crate::fixture::{Bounds, Egress, Fixture, Inside, Leaks, Markers, Victim};
use crate::setting::{self, Setuid};
use crate::victim::{self, Order};

mod files;
mod leftovers;
mod pty;
mod snapshot;

use pty::Pty;
use snapshot::Snapshot;

/// A fixture on disk: its files, its victim, and their state before the attack.
#[derive(Debug)]
pub struct FixtureSetup {
    folder: TempDir,
    fixture: Fixture,
    agent: Agent,
    victim: Child,
    before: Vec<(Part, Snapshot)>,
    pty: Option<Pty>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agent {
    /// Its user and group.
    pub uid: u32,
    /// Whether it differs from the user of the harness.
    pub is_apart: bool,
}

/// The owner of the files that the agent must not touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ownership {
    /// The agent's user: the worst case.
    Agent,
    /// The harness, behind a folder that only it may enter.
    Harness,
}

/// A part of the fixture that is watched for changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The store with the sealed source.
    Store,
    Journal,
    OtherWork,
    Modules,
    Frozen,
    Cache,
    Work,
    Launcher,
}

impl FixtureSetup {
    /// Builds the fixture of an attack, with a copy of this program.
    pub fn build(attack: &Attack, own: &Path, ownership: Ownership) -> Result<Self> {
        let folder =
            tempfile::Builder::new().prefix("sealwright-attacks-").rand_bytes(12).tempdir()?;
        let agent = Agent::here();
        let mut fixture = first_fixture(folder.path());
        files::lay(&fixture, own, agent, ownership).context("cannot create the fixture")?;
        fixture.host.sealed_handle = files::handle(&fixture.host.sealed);
        fixture.host.disk = files::disk();
        if attack.setting.setuid == Setuid::Planted {
            files::plant_setuid(&fixture, &program(folder.path()))?;
        }
        let as_whom = match ownership {
            Ownership::Agent => agent,
            Ownership::Harness => Agent { is_apart: false, ..agent },
        };
        let (victim, met) = start_victim(folder.path(), &fixture, as_whom)
            .inspect_err(|_| victim::sweep(&fixture.victim))?;
        fixture.victim = met;
        let loopback = Ipv4Addr::LOCALHOST;
        fixture.egress.proxy = SocketAddr::from((loopback, fixture.victim.open_proxy));
        fixture.egress.forbidden_port = fixture.victim.tcp;
        let before =
            Part::ALL.iter().map(|part| (*part, Snapshot::of(&part.path(&fixture)))).collect();
        let pty = match attack.setting.terminal {
            setting::Terminal::Absent => None,
            setting::Terminal::Controlling => Some(Pty::open(&fixture.markers.typed)?),
        };
        Ok(Self { folder, fixture, agent, victim, before, pty })
    }

    /// The fixture without a sandbox; a confinement mounts `inside` and passes the paths to the agent.
    pub fn fixture(&self) -> &Fixture {
        &self.fixture
    }

    pub fn agent(&self) -> Agent {
        self.agent
    }

    /// The folder for files that were taken out of a work tree or shown to another role.
    pub fn taken(&self) -> PathBuf {
        taken(&self.fixture)
    }

    /// The folder for reports of the victim and the launcher.
    pub fn record(&self) -> PathBuf {
        record(&self.fixture)
    }

    /// The launching terminal, as standard input of the launcher.
    pub fn terminal(&self) -> Result<Option<Stdio>> {
        self.pty.as_ref().map(Pty::slave).transpose()
    }

    /// The text that waits at the launching terminal.
    pub fn typed(&self) -> Option<String> {
        self.pty.as_ref().map(Pty::pending)
    }

    /// The change of a part since the fixture was built, if any.
    pub fn changed(&self, part: Part) -> Option<String> {
        let (_, before) = self.before.iter().find(|(known, _)| *known == part)?;
        before.difference(&Snapshot::of(&part.path(&self.fixture)))
    }

    /// A file in the folder that stays empty unless planted code ran on the host.
    pub fn ran_on_host(&self) -> Option<String> {
        let first = fs::read_dir(&self.fixture.host.outside).ok()?.next()?.ok()?;
        Some(format!("{} was written on the host", first.file_name().to_string_lossy()))
    }

    pub fn recorded(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.record().join(name)).ok()
    }

    /// Kills the rest of the run and returns the number of processes.
    pub fn end_survivors(&self) -> usize {
        leftovers::end_processes(&self.fixture.token)
    }
}

impl Drop for FixtureSetup {
    fn drop(&mut self) {
        leftovers::end_processes(&self.fixture.token);
        drop(self.victim.stdin.take());
        leftovers::let_go(&mut self.victim);
        victim::sweep(&self.fixture.victim);
        leftovers::detach_mounts(self.folder.path());
        leftovers::remove_named(&self.fixture.token);
    }
}

impl Agent {
    /// A separate user, if the harness is root; otherwise the harness's own.
    fn here() -> Self {
        let own = rustix::process::geteuid().as_raw();
        if own == 0 {
            Self { uid: AGENT_UID, is_apart: true }
        } else {
            Self { uid: own, is_apart: false }
        }
    }

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

    fn path(self, fixture: &Fixture) -> PathBuf {
        let view = fixture.folder.join("view");
        match self {
            Self::Store => fixture.host.git_store.clone(),
            Self::Journal => fixture.host.journal.clone(),
            Self::OtherWork => fixture.host.other_work.clone(),
            Self::Modules => view.join("modules"),
            Self::Frozen => view.join("frozen"),
            Self::Cache => view.join("cache"),
            Self::Work => view.join("work"),
            Self::Launcher => fixture.host.launcher.clone(),
        }
    }
}

/// The fixture before the victim has reported its addresses.
fn first_fixture(folder: &Path) -> Fixture {
    // The token is not part of the folder's name, because harmless processes have that among their arguments.
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
        // Zero would mean a segment without a key.
        sysv_key: (hash_of(folder) as i32 & 0x7fff_ffff) | 1,
        posix_name: token.clone(),
        key_name: token.clone(),
        ..Victim::default()
    };
    let host = crate::fixture::Host {
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
    let (round, bounds) = (crate::fixture::Round::First, Bounds::default());
    let folder = folder.to_path_buf();
    Fixture { token, round, folder, host, markers, victim, inside, egress, leaks, bounds }
}

#[expect(clippy::disallowed_methods, reason = "a victim is a process of the host")]
fn start_victim(folder: &Path, fixture: &Fixture, agent: Agent) -> Result<(Child, Victim)> {
    let mut command = Command::new(program(folder));
    command.arg("victim").env_clear().env(VICTIM_VARIABLE, &fixture.markers.victim_env);
    command.current_dir(&fixture.host.other_work).stdin(Stdio::piped()).stdout(Stdio::piped());
    agent.become_agent(&mut command);
    let mut child = command.spawn().context("cannot start the victim")?;
    let order = Order {
        markers: fixture.markers.clone(),
        victim: fixture.victim.clone(),
        record: record(fixture),
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

pub(crate) fn taken(fixture: &Fixture) -> PathBuf {
    fixture.folder.join("taken")
}

pub(crate) fn record(fixture: &Fixture) -> PathBuf {
    fixture.folder.join("record")
}

/// The agent's user if the harness is root.
pub const AGENT_UID: u32 = 61234;
/// The name on the allow list.
pub const ALLOWED_HOST: &str = "model.test";
pub const ALLOWED_PORT: u16 = 8443;

const VICTIM_VARIABLE: &str = "VICTIM_SECRET";
