//! A launcher without a sandbox: it starts the agent as its child, passes everything on, believes what it reads, and
//! asks the agent to end at its time limit.
//!
//! `careless/follow.rs` handles the agent's files in the same way.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::mount::{MountFlags, MountPropagationFlags, mount_bind, mount_change, mount_remount};
use rustix::process::{Pid, Signal, kill_process};

use crate::fixture::Fixture;
use crate::sys::call_numbers;
use crate::{attacks, surroundings};

pub mod follow;

/// Runs one attack as a child and reports its end.
#[expect(clippy::disallowed_methods, reason = "this launcher is the one without a sandbox")]
pub fn launch(key: &str, fixture: &Fixture, limit_ms: u64) -> Result<()> {
    surroundings::let_slip(fixture)?;
    let mut report = surroundings::leak_report(fixture)?;
    if rustix::process::geteuid().is_root() {
        mount_read_only(fixture)?;
    }
    let attack = attacks::find(key).with_context(|| format!("no attack is called {key}"))?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["attack", key, &serde_json::to_string(fixture)?]);
    if attack.setting.jail == crate::setting::Jail::Chroot {
        command.arg("--jail");
    }
    command.current_dir(&fixture.inside.work);
    let mut child = command.spawn().context("cannot start the agent")?;
    let line = match wait(&mut child, Duration::from_millis(limit_ms))? {
        Some(status) => said(status),
        None => {
            let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
            kill_process(pid.context("a child has a number")?, Signal::TERM)?;
            wait(&mut child, GRACE)?;
            "timeout".to_string()
        }
    };
    writeln!(report, "{line}")?;
    Ok(())
}

/// For controls as root: mounts contracts and tests read-only in a private mount namespace, so that there is something
/// to undo and the host is not affected.
fn mount_read_only(fixture: &Fixture) -> Result<()> {
    call_numbers(libc::SYS_unshare, [libc::CLONE_NEWNS.into()]).context("unshare")?;
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    for folder in [&fixture.inside.modules, &fixture.inside.frozen] {
        mount_bind(folder, folder)?;
        mount_remount(folder, MountFlags::BIND | MountFlags::RDONLY, c"")?;
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a child is waited for with a bound")]
fn wait(child: &mut Child, limit: Duration) -> Result<Option<ExitStatus>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > limit {
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(5));
    }
}

fn said(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "nothing".to_string(),
    }
}

const GRACE: Duration = Duration::from_millis(300);
