//! Landlock: what may be done with which files, ports and processes, inside whatever else there is.

use std::io;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, NetPort, PathBeneath, PathFd, Ruleset,
    RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, Scope,
};

use crate::channel::Order;
use crate::isolation::Barrier;
use crate::launcher::translation::{has_own_root, scratch_folder};
use crate::plan::Access;

/// Restricts this process, and everything it starts, to what the plan lists.
pub(crate) fn restrict(order: &Order) -> io::Result<()> {
    let has_root = has_own_root(order);
    let own_network = order.mechanism.has_root() && order.walls.has(Barrier::Network);
    let all = AccessFs::from_all(ABI_KNOWN);
    let read = AccessFs::from_read(ABI_KNOWN);
    let mut rules = Ruleset::default().handle_access(all).map_err(io::Error::other)?;
    if !own_network {
        rules = rules.handle_access(AccessNet::from_all(ABI_KNOWN)).map_err(io::Error::other)?;
    }
    rules = rules.scope(Scope::from_all(ABI_KNOWN)).map_err(io::Error::other)?;
    let mut rules = rules.create().map_err(io::Error::other)?;
    if has_root {
        // The root holds nothing but what was listed, and mounts say themselves what is read-only.
        rules = grant(rules, Path::new("/"), read)?;
        rules = grant(rules, Path::new("/proc"), read | AccessFs::WriteFile)?;
        rules = grant(rules, Path::new("/dev"), all)?;
    } else {
        // Of processes outside these rules Landlock itself keeps memory, environment and files closed.
        rules = grant(rules, Path::new("/proc"), read)?;
        for device in ["null", "zero", "full", "random", "urandom"] {
            rules = grant(rules, &Path::new("/dev").join(device), read | AccessFs::WriteFile)?;
        }
    }
    for (path, access) in places(order, has_root) {
        let granted = match access {
            Access::ReadOnly => read,
            Access::ReadWrite => all,
            // Without a root of its own nothing keeps links from being followed.
            Access::ReadWriteNoLinks if !has_root => read,
            Access::ReadWriteNoLinks => all,
            // Without a root of its own there is nowhere to put changes that are thrown away.
            Access::CopyOnWrite => {
                if has_root {
                    all
                } else {
                    read
                }
            }
        };
        rules = grant(rules, &path, granted)?;
    }
    if let Some(port) = order.way_out.filter(|_| !own_network) {
        rules =
            rules.add_rule(NetPort::new(port, AccessNet::ConnectTcp)).map_err(io::Error::other)?;
    }
    rules.restrict_self().map_err(io::Error::other)?;
    Ok(())
}

/// Everything the plan lists, by the names that hold on this root.
fn places(order: &Order, has_root: bool) -> Vec<(PathBuf, Access)> {
    let mounts = order.plan.mounts.iter().map(|mount| {
        (if has_root { PathBuf::from(&mount.at) } else { mount.source.clone() }, mount.access)
    });
    let scratch = order.plan.scratch.iter().enumerate().map(|(number, scratch)| {
        let place =
            if has_root { PathBuf::from(&scratch.at) } else { scratch_folder(order, number) };
        (place, Access::ReadWrite)
    });
    mounts.chain(scratch).collect()
}

/// Adds a rule. A place that is not there needs none.
fn grant(
    rules: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> io::Result<RulesetCreated> {
    let Ok(place) = PathFd::new(path) else { return Ok(rules) };
    let access = if path.is_dir() { access } else { access & AccessFs::from_file(ABI_KNOWN) };
    rules.add_rule(PathBeneath::new(place, access)).map_err(io::Error::other)
}

/// The newest Landlock we know; the library leaves out what the kernel does not.
const ABI_KNOWN: ABI = ABI::V9;
