//! A scene: all that an attack knows about where it is, as plain data in one argument.
//!
//! It tells more than a real agent would know. An attack must fail because of a wall, never because it did not know
//! where to look. The scene is built by the stage set; paths under `inside` are where the agent finds things, and
//! without walls they are the real paths of the host.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::setting::WallClock;

/// What an attack knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scene {
    /// A word that nothing else on this machine contains.
    pub token: String,
    /// Which run of the same attack this is.
    pub round: Round,
    /// The folder of the whole stage set on the host.
    pub folder: PathBuf,
    /// What the agent must not reach, by its path on the host.
    pub host: Host,
    /// What is written in those places.
    pub markers: Markers,
    /// A process of the host, and what it offers.
    pub victim: Victim,
    /// What the agent was given.
    pub inside: Inside,
    /// The one way out, for the attacks that have one.
    pub egress: Egress,
    /// What the launcher lets slip on purpose.
    pub leaks: Leaks,
    /// What a run may use up.
    pub bounds: Bounds,
}

/// Which run of the same attack this is: what the first left behind, the second may find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Round {
    /// The first, and for most attacks the only one.
    First,
    /// Another role's run, later.
    Second,
}

/// What the agent must not reach, by its path on the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// The source of a sealed module.
    pub sealed: PathBuf,
    /// That same file as the kernel numbers it, if its file system does.
    pub sealed_handle: Option<Handle>,
    /// The disk it lies on, if it lies on one.
    pub disk: Option<Device>,
    /// The journal's only segment.
    pub journal: PathBuf,
    /// A key.
    pub key: PathBuf,
    /// A repository whose objects hold the sealed source.
    pub git_store: PathBuf,
    /// Another role's work tree.
    pub other_work: PathBuf,
    /// The launcher's home.
    pub home: PathBuf,
    /// The launcher's own program.
    pub launcher: PathBuf,
    /// A folder that stays empty unless planted code runs on the host.
    pub outside: PathBuf,
}

/// A file as the kernel numbers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handle {
    /// How the bytes are to be read.
    pub kind: i32,
    /// The number.
    pub bytes: Vec<u8>,
}

/// A device's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// Its driver.
    pub major: u32,
    /// Which of the driver's.
    pub minor: u32,
}

/// What is written in the places an attack wants to read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Markers {
    /// In the sealed source, and in the git store.
    pub sealed: String,
    /// In the journal.
    pub journal: String,
    /// In the key file.
    pub key: String,
    /// In the other role's work tree.
    pub other_work: String,
    /// In the launcher's environment.
    pub launcher_env: String,
    /// In the launcher's home.
    pub home: String,
    /// In the victim's environment.
    pub victim_env: String,
    /// In the victim's memory, and in a file only it has open.
    pub victim_memory: String,
    /// What every service of the host answers.
    pub service: String,
    /// What the allowed upstream answers.
    pub upstream: String,
    /// In the implementation of the module being built.
    pub own_source: String,
    /// What is typed on the launching terminal.
    pub typed: String,
}

/// A process of the host with the same uid, and what it offers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Victim {
    /// Its number on the host.
    pub pid: i32,
    /// Where its secret lies in memory.
    pub address: u64,
    /// Under which descriptor it holds a file that has no name.
    pub descriptor: i32,
    /// TCP on 127.0.0.1.
    pub tcp: u16,
    /// TCP on ::1, if the host has it.
    pub tcp6: Option<u16>,
    /// TCP on the host's own address on its network, if it has one.
    pub network: Option<SocketAddr>,
    /// UDP on 127.0.0.1.
    pub udp: u16,
    /// What the allowed name leads to.
    pub upstream: u16,
    /// A proxy that serves everybody everything.
    pub open_proxy: u16,
    /// A socket with a path.
    pub unix: PathBuf,
    /// A socket in the other role's work tree; it hands out an open file.
    pub unix_other: PathBuf,
    /// A socket without a path.
    pub abstract_name: String,
    /// The key of a System V shared memory segment, and of a message queue.
    pub sysv_key: i32,
    /// The name of a POSIX shared memory object, and of a message queue.
    pub posix_name: String,
    /// The description of a key in the user's keyring.
    pub key_name: String,
}

/// What the agent was given, by the path under which it finds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inside {
    /// Where a search for everything begins.
    pub root: PathBuf,
    /// Its work tree.
    pub work: PathBuf,
    /// Contracts of other modules, read-only.
    pub modules: PathBuf,
    /// Frozen tests, read-only.
    pub frozen: PathBuf,
    /// A cache of dependencies, read-only.
    pub cache: PathBuf,
    /// Its home.
    pub home: PathBuf,
    /// Scratch.
    pub tmp: PathBuf,
    /// Where POSIX shared memory lies.
    pub shm: PathBuf,
}

/// The one way out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Egress {
    /// Where the proxy answers.
    pub proxy: SocketAddr,
    /// The host name on the allow list.
    pub allowed_host: String,
    /// Its port on the allow list.
    pub allowed_port: u16,
    /// A service that is not on the list.
    pub forbidden_host: IpAddr,
    /// Its port.
    pub forbidden_port: u16,
}

/// What the launcher lets slip on purpose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leaks {
    /// The key file, open under this number.
    pub file: i32,
    /// The other role's work tree, open under this number.
    pub folder: i32,
    /// Where a careless launcher reports how the agent ended.
    pub report: i32,
    /// A variable with a secret.
    pub variable: String,
}

/// What a run may use up. An attack tries for a good deal more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// Time on the wall, unless the attack's setting says otherwise.
    pub wall_ms: u64,
    /// Time on the wall for attacks that are to run into it.
    pub short_wall_ms: u64,
    /// Processes at one time.
    pub processes_max: u64,
    /// Memory of all of them.
    pub memory_bytes: u64,
    /// Open descriptors of one process.
    pub open_files_max: u64,
    /// The largest file.
    pub file_bytes: u64,
    /// All that may be added to the work tree.
    pub work_bytes: u64,
    /// What fits into each scratch folder.
    pub scratch_bytes: u64,
    /// What is kept of the output.
    pub output_bytes: u64,
    /// The largest file that is taken out of a work tree.
    pub taken_bytes: u64,
}

impl Bounds {
    /// How long a run may take.
    pub fn limit_ms(&self, wall: WallClock) -> u64 {
        match wall {
            WallClock::Usual => self.wall_ms,
            WallClock::Short => self.short_wall_ms,
        }
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            wall_ms: 20_000,
            short_wall_ms: 1_500,
            processes_max: 96,
            memory_bytes: 256 << 20,
            open_files_max: 256,
            file_bytes: 48 << 20,
            work_bytes: 96 << 20,
            scratch_bytes: 32 << 20,
            output_bytes: 256 << 10,
            taken_bytes: 16 << 20,
        }
    }
}
