//! A launcher that builds no walls: it starts the agent as its own child, hands everything on, believes what it is
//! told, and asks politely when the time is over.
//!
//! What such a host then does with the agent's work is in `careless/follow.rs`.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::mount::{MountFlags, MountPropagationFlags, mount_bind, mount_change, mount_remount};
use rustix::process::{Pid, Signal, kill_process};

use crate::scene::Scene;
use crate::sys::{Word, call};
use crate::{attacks, surroundings};

pub mod follow;

/// Runs one attack as a child, and reports how it ended.
#[expect(clippy::disallowed_methods, reason = "this launcher is the one without a sandbox")]
pub fn launch(key: &str, scene: &Scene, limit_ms: u64) -> Result<()> {
    surroundings::let_slip(scene)?;
    let mut report = surroundings::leak_report(scene)?;
    if rustix::process::geteuid().is_root() {
        mount_read_only(scene)?;
    }
    let attack = attacks::find(key).with_context(|| format!("no attack is called {key}"))?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["attack", key, &serde_json::to_string(scene)?]);
    if attack.setting.jail == crate::setting::Jail::Chroot {
        command.arg("--jail");
    }
    command.current_dir(&scene.inside.work);
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

/// For controls as root: contracts and tests are read-only binds in a mount namespace of its own, so that there is
/// something to undo, and nothing of it reaches the host.
fn mount_read_only(scene: &Scene) -> Result<()> {
    call(libc::SYS_unshare, [Word::Number(libc::CLONE_NEWNS.into())]).context("unshare")?;
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    for folder in [&scene.inside.modules, &scene.inside.frozen] {
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
