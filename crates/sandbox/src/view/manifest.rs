//! The manifest: what a view held when it was made. A patch is what differs from it.

use std::collections::{BTreeMap, BTreeSet};

use sealwright_kernel::{Digest, canonical_json};
use serde::Serialize;

use sealwright_kernel::TreePath;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Manifest {
    /// What the role reads, by where it stands inside.
    pub surfaces: BTreeMap<String, Digest>,
    pub work: BTreeMap<TreePath, Held>,
    pub folders: BTreeSet<TreePath>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Held {
    /// Its content; of a link, what it says.
    pub content: Digest,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Plain,
    Executable,
    /// A link that stays in the tree.
    Link,
}

impl Manifest {
    /// The view in one number: two runs with the same digest were shown the same.
    pub fn digest(&self) -> Digest {
        let text = canonical_json(self).expect("a manifest holds only text and digests");
        Digest::of(&text)
    }
}

impl Held {
    pub(super) fn file(bytes: &[u8], is_executable: bool) -> Self {
        let kind = if is_executable { Kind::Executable } else { Kind::Plain };
        Self { content: Digest::of(bytes), kind }
    }

    pub(super) fn link(to: &[u8]) -> Self {
        Self { content: Digest::of(to), kind: Kind::Link }
    }
}
