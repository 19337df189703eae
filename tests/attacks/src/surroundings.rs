//! What surrounds a launcher: a secret in its environment, descriptors it forgot to close, a terminal.
//!
//! The control and the confinements start their launchers from here, so that both have the same to leak.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, AsRawFd};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::scene::Scene;
use crate::stage_set::{StageSet, record};
use crate::sys;

/// A launcher process: this program with the given words, among everything it must not hand on.
#[expect(
    clippy::disallowed_methods,
    reason = "a launcher is a process of its own, with its own surroundings"
)]
pub fn launcher(set: &StageSet, words: &[&str]) -> Result<Command> {
    let scene = set.scene();
    let mut command = Command::new(&scene.host.launcher);
    command.args(words).env_clear().env("PATH", PATH).env("HOME", &scene.host.home);
    command.env(&scene.leaks.variable, &scene.markers.launcher_env);
    command.stdin(set.terminal()?.unwrap_or_else(Stdio::null)).stdout(Stdio::piped());
    Ok(command)
}

/// Called first in a launcher: opens what will be forgotten, and takes the terminal it was started from.
pub fn let_slip(scene: &Scene) -> Result<()> {
    leak(&File::open(&scene.host.key)?, scene.leaks.file)?;
    leak(&File::open(&scene.host.other_work)?, scene.leaks.folder)?;
    let stdin = io::stdin();
    if stdin.is_terminal() {
        rustix::process::setsid().context("setsid")?;
        rustix::process::ioctl_tiocsctty(stdin.as_fd()).context("the terminal cannot be taken")?;
    }
    Ok(())
}

/// Opens the file in which a careless launcher reports, and forgets to close it.
pub(crate) fn leak_report(scene: &Scene) -> Result<File> {
    let report = OpenOptions::new().create(true).append(true).open(record(scene).join(REPORT))?;
    leak(&report, scene.leaks.report)?;
    Ok(report)
}

fn leak(file: &File, number: i32) -> Result<()> {
    sys::place(file.as_raw_fd(), number).with_context(|| format!("cannot leak under {number}"))
}

/// The report's name in the record.
pub(crate) const REPORT: &str = "report";

const PATH: &str = "/usr/local/bin:/usr/bin:/bin";
