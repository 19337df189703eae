//! The environment of a launcher: a secret variable, open descriptors, a terminal.
//!
//! The control and the confinements start their launchers here, so that both have the same to leak.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, AsRawFd};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::fixture::Fixture;
use crate::fixture_setup::{FixtureSetup, record};
use crate::sys;

/// A launcher process: this program with the given arguments and everything it must not pass on.
#[expect(
    clippy::disallowed_methods,
    reason = "a launcher is a process of its own, with its own surroundings"
)]
pub fn launcher(set: &FixtureSetup, words: &[&str]) -> Result<Command> {
    let fixture = set.fixture();
    let mut command = Command::new(&fixture.host.launcher);
    command.args(words).env_clear().env("PATH", PATH).env("HOME", &fixture.host.home);
    command.env(&fixture.leaks.variable, &fixture.markers.launcher_env);
    command.stdin(set.terminal()?.unwrap_or_else(Stdio::null)).stdout(Stdio::piped());
    Ok(command)
}

/// Called first in a launcher: opens the descriptors to leak, and takes the terminal.
pub fn let_slip(fixture: &Fixture) -> Result<()> {
    leak(&File::open(&fixture.host.key)?, fixture.leaks.file)?;
    leak(&File::open(&fixture.host.other_work)?, fixture.leaks.folder)?;
    let stdin = io::stdin();
    if stdin.is_terminal() {
        rustix::process::setsid().context("setsid")?;
        rustix::process::ioctl_tiocsctty(stdin.as_fd()).context("the terminal cannot be taken")?;
    }
    Ok(())
}

/// Opens the report file of a careless launcher and leaves it open.
pub(crate) fn leak_report(fixture: &Fixture) -> Result<File> {
    let report = OpenOptions::new().create(true).append(true).open(record(fixture).join(REPORT))?;
    leak(&report, fixture.leaks.report)?;
    Ok(report)
}

fn leak(file: &File, number: i32) -> Result<()> {
    sys::place(file.as_raw_fd(), number).with_context(|| format!("cannot leak under {number}"))
}

pub(crate) const REPORT: &str = "report";

const PATH: &str = "/usr/local/bin:/usr/bin:/bin";
