//! The person at the terminal. Only people decide, so commands refuse to run for a role.
//!
//! Every agent starts with [`ROLE_MARK`] in its environment. An agent can drop the variable for a program it starts, but
//! not from the environment of its own ancestors, so the ancestors are checked too. A program that detaches from its
//! ancestors is not detected here; the sandbox prevents that.

use std::path::Path;

use sealwright_kernel::Actor;

use crate::error::{CliError, CliResult};

/// The person at the terminal, by their git user name.
pub(crate) fn person(repository: &Path) -> CliResult<Actor> {
    refuse_roles()?;
    let from_git = sealwright_repo::user_name(repository).ok().flatten();
    let from_system = || std::env::var("USER").ok();
    let name = from_git.or_else(from_system).map(|name| name.trim().to_owned());
    match name.filter(|name| !name.is_empty() && name.len() <= NAME_BYTES_MAX) {
        Some(name) => Ok(Actor::Human(name)),
        None => Err(CliError::NoUserName),
    }
}

/// Fails if this process was started by a role.
pub(crate) fn refuse_roles() -> CliResult {
    if std::env::var_os(ROLE_MARK).is_some() || is_below_a_role() {
        return Err(CliError::ByARole);
    }
    Ok(())
}

/// Whether an ancestor of this process was started as a role.
fn is_below_a_role() -> bool {
    let mut process = std::process::id();
    for _ in 0..ANCESTORS_MAX {
        let Some(parent) = parent_of(process) else { return false };
        let environment = std::fs::read(format!("/proc/{parent}/environ")).unwrap_or_default();
        let mark = format!("{ROLE_MARK}=");
        if environment.split(|byte| *byte == 0).any(|it| it.starts_with(mark.as_bytes())) {
            return true;
        }
        process = parent;
    }
    // Too many ancestors to check: assume a role.
    true
}

fn parent_of(process: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The process name in parentheses may contain anything; the fields follow the last parenthesis.
    let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
    (parent > 0).then_some(parent)
}

/// Set in the environment of every role.
pub(crate) const ROLE_MARK: &str = "SEALWRIGHT_ROLE";
const ANCESTORS_MAX: u32 = 128;
const NAME_BYTES_MAX: usize = 200;
