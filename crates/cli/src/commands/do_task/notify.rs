//! A word to somebody who went away: a program of their own is started when only they can go on.
//!
//! It is named in the environment of whoever runs the command, and never in a file of the repository: what is in a
//! repository may not start anything outside the walls.

use std::process::{Command, Stdio};

use sealwright_kernel::TaskId;

use crate::output::{sanitize, say};

/// Starts the program that [`VARIABLE`] names, if it names one, with the task and what is the matter as its words.
/// Nobody waits for it.
#[expect(clippy::disallowed_methods, reason = "the person's own program, named by themselves")]
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
        say(&format!("• `{}` could not be started: {error}", sanitize(&program)));
    }
}

/// Names the program.
pub(crate) const VARIABLE: &str = "SEALWRIGHT_NOTIFY";
