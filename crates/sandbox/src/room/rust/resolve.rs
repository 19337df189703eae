//! A lock for a project that has none: made once for its manifests, from packages that are on this machine.

use std::fs;
use std::path::Path;

use crate::plan::{Access, Mount};
use crate::readable::make_folder;
use crate::room::error::RoomError;
use crate::room::material::{Files, put};
use crate::room::visit::Conditions;
use crate::system::{WORK, add_tool};
use crate::{Ended, SandboxSlot, system};

/// Writes `Cargo.lock` for these manifests into `folder`. Cargo runs in a sandbox without network and runs nothing else.
pub(super) fn lock(
    stubs: &Files,
    (toolchain, cargo_home): (&Path, &Path),
    folder: &Path,
    slot: &SandboxSlot,
    conditions: &Conditions<'_>,
) -> Result<(), RoomError> {
    let place = slot.folder().join("locking");
    crate::slot::remove(&place)?;
    make_folder(&place)?;
    let (work, home) = (place.join("work"), place.join("cargo"));
    make_folder(&work)?;
    make_folder(&home)?;
    for (path, content) in stubs {
        put(&work, path, content)?;
    }
    slot.give(&work)?;
    // It says where the registry is, on a machine that has another one.
    for name in ["config.toml", "config"] {
        if let Ok(content) = fs::read(cargo_home.join(name)) {
            put(&home, name, &content)?;
        }
    }
    make_folder(&home.join("registry"))?;
    let words = ["/bin/sh", "-c", "cargo generate-lockfile --offline >&2 && cat Cargo.lock"];
    let mut plan = system::plan(slot, &words)?;
    add_tool(&mut plan, toolchain, "/opt/rust")?;
    plan.mounts.push(Mount::required(&work, WORK, Access::ReadWrite));
    plan.mounts.push(Mount::required(&home, "/cargo", Access::CopyOnWrite));
    let registry = cargo_home.join("registry");
    if let Ok(registry) = registry.canonicalize() {
        plan.mounts.push(Mount::required(&registry, "/cargo/registry", Access::CopyOnWrite));
    }
    plan.folder = WORK.to_owned();
    for (name, value) in [("CARGO_HOME", "/cargo"), ("CARGO_TERM_COLOR", "never")] {
        plan.environment.insert(name.to_owned(), value.to_owned());
    }
    let outcome = conditions.run(slot, &plan)?;
    crate::slot::remove(&place)?;
    if outcome.ended != Ended::Exited(0) {
        let said = String::from_utf8_lossy(&outcome.stderr.kept);
        let said: String = said.chars().take(SAID_MAX).collect();
        return Err(RoomError::Locking { said });
    }
    put(folder, LOCK, &outcome.stdout.kept)?;
    Ok(())
}

pub(super) const LOCK: &str = "Cargo.lock";
const SAID_MAX: usize = 2_000;
