//! Privileges: changing to a user that owns nothing and has no capability.

use std::io;

use rustix::process::{Gid, Uid};
use rustix::thread::{CapabilitySet, CapabilitySets};

/// Gives up every capability, for this process and everything it starts, and becomes `user` where one is named.
pub(crate) fn give_up(user: Option<u32>) -> io::Result<()> {
    for capability in CapabilitySet::all().iter() {
        // Without the right to lower the bound there is nothing above it either; `no_new_privs` does the rest.
        match rustix::thread::remove_capability_from_bounding_set(capability) {
            Ok(()) | Err(rustix::io::Errno::INVAL | rustix::io::Errno::PERM) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if let Some(user) = user {
        become_user(user)?;
    }
    rustix::thread::clear_ambient_capability_set()?;
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    Ok(rustix::thread::set_capabilities(None, sets)?)
}

/// Becomes `user`, and a member of its group alone.
pub(crate) fn become_user(user: u32) -> io::Result<()> {
    let (user, group) = (Uid::from_raw(user), Gid::from_raw(user));
    rustix::thread::set_thread_groups(&[])?;
    rustix::thread::set_thread_res_gid(group, group, group)?;
    Ok(rustix::thread::set_thread_res_uid(user, user, user)?)
}
