//! The fixture of an attack: all that it knows about its environment, as plain data in one argument.
//!
//! It holds more than a real agent would know, so that an attack fails because of a barrier and never because it did
//! not know where to look. `fixture_setup` builds it. Paths in `inside` are those of the agent; without a sandbox they
//! are the real paths of the host.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::setting::WallClock;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fixture {
    /// A word that occurs nowhere else on this machine.
    pub token: String,
    pub round: Round,
    pub folder: PathBuf,
    pub host: Host,
    /// The secrets in those places.
    pub markers: Markers,
    pub victim: Victim,
    pub inside: Inside,
    pub egress: Egress,
    pub leaks: Leaks,
    pub bounds: Bounds,
}

/// Which run of the same attack this is: the second may find files of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Round {
    /// The first, and for most attacks the only one.
    First,
    /// A later run of another role.
    Second,
}

/// What the agent must not reach, by its path on the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// The source of a sealed module.
    pub sealed: PathBuf,
    /// The kernel's handle of that file, if its file system has one.
    pub sealed_handle: Option<Handle>,
    /// The disk that holds it.
    pub disk: Option<Device>,
    /// The only segment of the journal.
    pub journal: PathBuf,
    pub key: PathBuf,
    /// A repository whose objects hold the sealed source.
    pub git_store: PathBuf,
    /// Another role's work tree.
    pub other_work: PathBuf,
    pub home: PathBuf,
    pub launcher: PathBuf,
    /// A folder that stays empty unless planted code runs on the host.
    pub outside: PathBuf,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handle {
    pub kind: i32,
    pub bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    pub major: u32,
    pub minor: u32,
}

/// The secrets that attacks want to read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Markers {
    /// In the sealed source, and in the git store.
    pub sealed: String,
    pub journal: String,
    pub key: String,
    pub other_work: String,
    pub launcher_env: String,
    pub home: String,
    pub victim_env: String,
    /// In the victim's memory, and in a file only it has open.
    pub victim_memory: String,
    /// The answer of every service of the host.
    pub service: String,
    /// The answer of the allowed upstream.
    pub upstream: String,
    /// In the implementation of the module being built.
    pub own_source: String,
    /// The text typed on the launching terminal.
    pub typed: String,
}

/// A process of the host with the same uid, and its services.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Victim {
    pub pid: i32,
    /// The address of its secret in memory.
    pub address: u64,
    /// Its descriptor of an unnamed file.
    pub descriptor: i32,
    /// TCP on 127.0.0.1.
    pub tcp: u16,
    /// TCP on ::1, if the host has it.
    pub tcp6: Option<u16>,
    /// TCP on the host's network address, if it has one.
    pub network: Option<SocketAddr>,
    pub udp: u16,
    /// The upstream of the allowed name.
    pub upstream: u16,
    /// A proxy without restrictions.
    pub open_proxy: u16,
    /// A socket with a path.
    pub unix: PathBuf,
    /// A socket in the other role's work tree; it passes an open file.
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

/// What the agent was given, by the path it sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inside {
    /// The root of a search for everything.
    pub root: PathBuf,
    pub work: PathBuf,
    /// Contracts of other modules, read-only.
    pub modules: PathBuf,
    /// Frozen tests, read-only.
    pub frozen: PathBuf,
    /// A dependency cache, read-only.
    pub cache: PathBuf,
    pub home: PathBuf,
    pub tmp: PathBuf,
    /// The folder of POSIX shared memory.
    pub shm: PathBuf,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Egress {
    pub proxy: SocketAddr,
    /// The host name on the allow list.
    pub allowed_host: String,
    pub allowed_port: u16,
    /// A service that is not on the list.
    pub forbidden_host: IpAddr,
    pub forbidden_port: u16,
}

/// What the launcher leaks on purpose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leaks {
    /// The descriptor of the open key file.
    pub file: i32,
    /// The descriptor of the other role's work tree.
    pub folder: i32,
    /// The descriptor of a careless launcher's report.
    pub report: i32,
    /// A variable with a secret.
    pub variable: String,
}

/// The limits of a run. An attack tries to exceed them by far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// Wall time, unless the attack's setting says otherwise.
    pub wall_ms: u64,
    /// Wall time for attacks that should reach the limit.
    pub short_wall_ms: u64,
    /// Concurrent processes.
    pub processes_max: u64,
    /// Memory of all processes.
    pub memory_bytes: u64,
    /// Open descriptors of one process.
    pub open_files_max: u64,
    /// The largest file.
    pub file_bytes: u64,
    /// Bytes added to the work tree.
    pub work_bytes: u64,
    /// Bytes in each scratch folder.
    pub scratch_bytes: u64,
    /// Kept output.
    pub output_bytes: u64,
    /// The largest file that is taken out of a work tree.
    pub taken_bytes: u64,
}

impl Egress {
    pub(crate) fn listed(&self) -> String {
        format!("{}:{}", self.allowed_host, self.allowed_port)
    }

    pub(crate) fn forbidden(&self) -> String {
        format!("{}:{}", self.forbidden_host, self.forbidden_port)
    }
}

impl Bounds {
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
