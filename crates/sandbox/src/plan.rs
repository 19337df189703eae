//! A plan: everything one confined run may see, touch and use up, as plain data.
//!
//! A plan is an allow list. What it does not name does not exist inside. It says nothing of how the walls are
//! built; that is for the mechanism, and how strong they turned out is in the outcome.

use std::collections::BTreeMap;
use std::path::PathBuf;

use sealwright_kernel::{Digest, canonical_json};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The program and its words. The program is a path inside, or a name looked up in the plan's own `PATH`.
    pub argv: Vec<String>,
    /// Where it starts, inside.
    pub folder: String,
    pub environment: BTreeMap<String, String>,
    /// What is put into the empty root, in this order; a later one may lie inside an earlier one.
    pub mounts: Vec<Mount>,
    pub scratch: Vec<Scratch>,
    /// Links in the root itself.
    pub links: Vec<Link>,
    pub network: Network,
    pub limits: Limits,
}

/// A file or folder of the host that appears inside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mount {
    /// Where it is on the host. No component may be a link.
    pub source: PathBuf,
    /// Where it appears, absolute.
    pub at: String,
    pub access: Access,
    /// Whether the run can do without it.
    pub need: Need,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Read and execute.
    ReadOnly,
    /// Change, and the change stays.
    ReadWrite,
    /// The same, and links in it lead nowhere: somebody else writes there too.
    ReadWriteNoLinks,
    /// Change, and the change is thrown away.
    CopyOnWrite,
}

/// Whether a run can do without something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// Without it the run is refused.
    Required,
    /// Without it the run goes on.
    Optional,
}

/// An empty folder in memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scratch {
    /// Where it appears, absolute.
    pub at: String,
    pub bytes_max: u64,
}

/// A link in the root itself, such as `/bin` to `usr/bin`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Where it appears, absolute.
    pub at: String,
    pub to: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    Off,
    /// The egress proxy, at [`EGRESS_PORT`] of the loopback inside, and nothing else.
    Egress,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    pub wall_ms: u64,
    /// Seconds of processor time for each process.
    pub cpu_s: u64,
    /// Memory of all its processes together, where the host can hold it to that.
    pub memory_bytes: u64,
    /// Processes and threads at one time.
    pub processes_max: u64,
    /// The largest file it may write.
    pub file_bytes: u64,
    /// Open descriptors of one process.
    pub open_files_max: u64,
    /// All that copy-on-write mounts may take up together.
    pub changes_bytes: u64,
    /// All that read-write mounts may grow by together.
    pub tree_bytes: u64,
    /// How many files read-write mounts may gain together.
    pub tree_files_max: u64,
    /// What is kept of each of its two outputs; the rest is read and dropped.
    pub output_bytes: u64,
}

pub const EGRESS_PORT: u16 = 3128;

impl Plan {
    /// The plan in one number: two runs with the same digest had the same around them.
    pub fn digest(&self) -> Digest {
        let text = canonical_json(self).expect("a plan holds only text, lists and whole numbers");
        Digest::of(&text)
    }

    /// It without the places its mounts have on this host: two hosts that build the same around a run agree on it.
    pub fn shape(&self) -> Digest {
        let mut plan = self.clone();
        for mount in &mut plan.mounts {
            mount.source = PathBuf::new();
        }
        plan.digest()
    }
}

impl Mount {
    /// A mount that the run cannot do without.
    pub fn required(source: impl Into<PathBuf>, at: &str, access: Access) -> Self {
        Self { source: source.into(), at: at.to_owned(), access, need: Need::Required }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall_ms: 30 * 60 * 1000,
            cpu_s: 60 * 60,
            memory_bytes: 4 << 30,
            processes_max: 1024,
            file_bytes: 2 << 30,
            open_files_max: 4096,
            changes_bytes: 2 << 30,
            tree_bytes: 8 << 30,
            tree_files_max: 500_000,
            output_bytes: 4 << 20,
        }
    }
}
