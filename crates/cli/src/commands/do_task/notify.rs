//! Notification: starts a program of the person when the task waits for them.
//!
//! Only an environment variable names the program, never a file of the repository: a repository may not start anything
//! outside the sandbox.

use std::process::{Command, Stdio};

use sealwright_kernel::TaskId;

use crate::output::{sanitize, say};

/// Starts the program that [`VARIABLE`] names, with the task and the matter as arguments, and does not wait for it.
#[expect(clippy::disallowed_methods, reason = "a program that the person named")]
pub(super) fn notify(task: &TaskId, matter: &str) {
    let named = std::env::var_os(VARIABLE).filter(|program| !program.is_empty());
    let Some(program) = named else { return };
    let started = Command::new(&program)
        .args([task.as_str(), &sanitize(matter)])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Err(error) = started {
        let program = program.to_string_lossy();
        say(&format!("• cannot start `{}`: {error}", sanitize(&program)));
    }
}

pub(crate) const VARIABLE: &str = "SEALWRIGHT_NOTIFY";
