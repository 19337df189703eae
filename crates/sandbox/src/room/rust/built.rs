//! What cargo builds behind walls: the executables it made, apart from a target that is thrown away.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use sealwright_kernel::Digest;
use serde::Deserialize;

use super::resolve::LOCK;
use super::warm::{Stubs, stubs};
use super::{Cargo, TARGET, is_plain};
use crate::plan::{Access, Limits, Mount, Plan};
use crate::readable::make_folder;
use crate::room::error::RoomError;
use crate::room::identity;
use crate::room::material::{Files, own_folder, put};
use crate::room::tree::Tree;
use crate::room::visit::Conditions;
use crate::{RunOutcome, SandboxSlot, system};

/// What is built, and where it stands meanwhile.
#[derive(Clone, Copy, Debug)]
pub struct Order<'o> {
    /// What it is built from.
    pub mounts: &'o [Mount],
    /// The place inside where cargo is called.
    pub at: &'o str,
    /// The words of cargo.
    pub words: &'o [&'o str],
    /// Variables that the build does not find.
    pub unset: &'o [&'o str],
    pub limits: Limits,
}

#[derive(Debug)]
pub struct Built {
    pub outcome: RunOutcome,
    /// Holds the executables.
    pub kept: PathBuf,
    pub executables: Vec<Made>,
}

/// An executable that cargo made.
#[derive(Clone, Debug)]
pub struct Made {
    pub kind: String,
    pub name: String,
    /// Its source, inside.
    pub source: String,
    /// Its manifest, inside.
    pub(super) package: String,
    /// Its path below the target.
    pub inside: String,
    pub is_test: bool,
    pub(super) digest: Digest,
}

impl Cargo {
    /// Builds in a folder of the slot that is called `name`.
    pub fn built(
        &self,
        (slot, name): (&SandboxSlot, &str),
        order: Order<'_>,
        conditions: &Conditions<'_>,
    ) -> Result<Built, RoomError> {
        let place = slot.folder().join(name);
        make_folder(&place)?;
        let mut plan = system::plan(slot, &[])?;
        plan.limits = order.limits;
        plan.mounts.extend_from_slice(order.mounts);
        self.kit.add_tools(&mut plan, &place)?;
        order.at.clone_into(&mut plan.folder);
        plan.environment.retain(|name, _| !order.unset.contains(&name.as_str()));
        let kept = place.join("kept");
        self.add_build(&mut plan, slot, &kept, order.words)?;
        let outcome = conditions.run(slot, &plan)?;
        let executables = made(&kept)?;
        Ok(Built { outcome, kept, executables })
    }

    /// A workspace with these manifests, and sources in which nothing is.
    pub fn shell(&self, frozen: &Files) -> Result<Files, RoomError> {
        let Stubs { mut files, scripts, .. } = stubs(frozen)?;
        files.extend(scripts.into_iter().map(|path| (path, b"fn main() {}\n".to_vec())));
        if let Some(lock) = &self.made_lock {
            files.insert(LOCK.to_owned(), lock.clone());
        }
        Ok(files)
    }

    /// What the plan runs: cargo with these words. What it makes is copied to `kept`.
    pub(super) fn add_build(
        &self,
        plan: &mut Plan,
        slot: &SandboxSlot,
        kept: &Path,
        words: &[&str],
    ) -> Result<(), RoomError> {
        own_folder(slot, kept)?;
        put(kept, BEGAN, b"")?;
        let argv = ["/bin/sh", "-c", BUILD, "cargo"].iter().chain(words);
        plan.argv = argv.map(|word| (*word).to_owned()).collect();
        plan.mounts.push(Mount::required(&self.warm, TARGET, Access::CopyOnWrite));
        plan.mounts.push(Mount::required(kept, KEPT, Access::ReadWrite));
        Ok(())
    }
}

/// The executables of a build. Only what lies in the target and is a plain file is believed.
pub(super) fn made(kept: &Path) -> Result<Vec<Made>, RoomError> {
    let tree = Tree::open(kept)?;
    let messages = tree.file(MESSAGES)?.take(MESSAGES_BYTES_MAX);
    let mut found = Vec::new();
    for line in BufReader::new(messages).split(b'\n') {
        let line = line.map_err(|source| RoomError::Read { path: MESSAGES.to_owned(), source })?;
        let Ok(Message { target, profile, executable: Some(path), manifest_path }) =
            serde_json::from_slice(&line)
        else {
            continue;
        };
        let inside = path
            .strip_prefix("/target/")
            .filter(|inside| is_plain(inside))
            .ok_or_else(|| odd("an executable outside the target"))?;
        if found.len() >= EXECUTABLES_MAX {
            return Err(odd("too many executables"));
        }
        // Those of a build that failed are not kept.
        let Ok(file) = tree.file(inside) else { continue };
        let digest = identity::reader(file)
            .map_err(|source| RoomError::Read { path: path.clone(), source })?;
        found.push(Made {
            kind: target.kind.into_iter().next().unwrap_or_default(),
            name: target.name,
            source: target.src_path,
            package: manifest_path,
            inside: inside.to_owned(),
            is_test: profile.test,
            digest,
        });
    }
    Ok(found)
}

pub(super) fn odd(why: &str) -> RoomError {
    RoomError::Manifest { path: MESSAGES.to_owned(), why: why.to_owned() }
}

#[derive(Deserialize)]
struct Message {
    target: Target,
    profile: Profile,
    executable: Option<String>,
    manifest_path: String,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
    src_path: String,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

const KEPT: &str = "/kept";
const BEGAN: &str = "began";
const MESSAGES: &str = "messages";

/// Calls cargo, then keeps the executables it made: the target itself is thrown away. If the build fails, it prints the
/// compiler's messages, a line of JSON each, so that a gate can read what is missing.
const BUILD: &str = "\
cargo \"$@\" --message-format=json > /kept/messages || {
    code=$?
    grep '^{\"reason\":\"compiler-message\"' /kept/messages
    exit $code
}
cd /target && find debug -newer /kept/began -type f -perm -u=x \
! -path 'debug/build/*' ! -path 'debug/incremental/*' -exec cp --parents -pt /kept {} +
";

const MESSAGES_BYTES_MAX: u64 = 64 << 20;
const EXECUTABLES_MAX: usize = 512;
