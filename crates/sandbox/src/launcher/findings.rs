//! Findings: what can be found out about the walls from inside them, a moment before the command starts.
//!
//! Nothing here is taken from versions or settings. The process tries what the command could try.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};

use rustix::thread::{CapabilitySet, SecureComputingMode};
use sealwright_kernel::ConfinementFact;

use crate::channel::Order;

/// The namespaces this process is in. Asked for while the `/proc` that knows is still there.
pub(crate) fn namespaces() -> BTreeMap<String, String> {
    let named = |(file, name): &(&str, &str)| {
        let link = fs::read_link(format!("/proc/self/ns/{file}")).ok()?;
        Some(((*name).to_owned(), link.display().to_string()))
    };
    NAMESPACES.iter().filter_map(named).collect()
}

/// Tries the walls. `namespaces` are those of this process.
pub(crate) fn of(order: &Order, namespaces: &BTreeMap<String, String>) -> Vec<ConfinementFact> {
    let mut found = Vec::new();
    let mut note = |name: &str, value: &str| {
        found.push(ConfinementFact { name: name.to_owned(), value: value.to_owned() });
    };
    note("canary", tried(fs::File::open(&order.canary)));
    note("canary-name", tried(fs::symlink_metadata(&order.canary)));
    for (_, name) in NAMESPACES {
        let whose = match (namespaces.get(*name), order.namespaces.get(*name)) {
            (Some(ours), Some(theirs)) if ours != theirs => "its own",
            (Some(_), Some(_)) => "the host's",
            (None, _) | (Some(_), None) => "cannot tell",
        };
        note(name, whose);
    }
    let user = rustix::process::geteuid().as_raw();
    note("user", if order.run_as == Some(user) { "its own" } else { "the caller's" });
    let capabilities = rustix::thread::capabilities(None)
        .is_ok_and(|sets| sets.effective.union(sets.permitted) == CapabilitySet::empty());
    note("capabilities", if capabilities { "none" } else { "some" });
    let refused = rustix::thread::no_new_privs().unwrap_or(false);
    note("new-privileges", if refused { "refused" } else { "allowed" });
    let seccomp = match rustix::thread::secure_computing_mode() {
        Ok(SecureComputingMode::Filter) => "filtering",
        Ok(_) | Err(_) => "off",
    };
    note("seccomp", seccomp);
    let proc = fs::exists("/proc/self/status").unwrap_or(false);
    note("proc", if proc { "there" } else { "missing" });
    found
}

/// How a try to reach something that should not be reached ended.
fn tried<T>(attempt: io::Result<T>) -> &'static str {
    match attempt.map_err(|error| error.kind()) {
        Ok(_) => "reached",
        Err(ErrorKind::NotFound) => "does not exist",
        Err(_) => "denied",
    }
}

const NAMESPACES: &[(&str, &str)] = &[
    ("pid", "processes-namespace"),
    ("net", "network-namespace"),
    ("ipc", "ipc-namespace"),
    ("mnt", "mounts-namespace"),
];
