//! The launcher: the process that started the agent and reports its end.
//!
//! Without a sandbox it is the parent; in a sandbox it is the first process.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use rustix::process::{Pid, Signal, getppid, kill_process};

use super::files::read;
use super::waiting;
use crate::attack::{AGENT_EXIT, Attack};
use crate::barrier::Barrier;
use crate::confinement::{Exit, Ran};
use crate::ended::{Step, Tried, any_of, stopped};
use crate::fixture::Fixture;
use crate::fixture_setup::{FixtureSetup, Part};
use crate::sys::{Word, call, call_numbers};

pub(super) const ALL: &[Attack] = &[
    Attack::new("launcher-environ", "3.1/08", Barrier::NotDumpable, launcher_environ)
        .about("Reads the environment of the launcher."),
    Attack::new("launcher-memory", "3.1/20", Barrier::NotDumpable, launcher_memory)
        .about("Opens the memory of the launcher, to write there."),
    Attack::new("launcher-trace", "3.1/20", Barrier::NotDumpable, launcher_trace)
        .about("Attaches to the launcher as a debugger would."),
    Attack::new("launcher-descriptors", "3.1/27", Barrier::ResultChannel, launcher_descriptors)
        .about("Writes a result into everything the launcher has open.")
        .judged(another_exit),
    Attack::new("forge-result", "3.1/27", Barrier::ResultChannel, forge_result)
        .about("Writes a result into every descriptor it inherited.")
        .judged(another_exit),
    Attack::new("kill-launcher", "3.2/init", Barrier::PidNamespace, kill_launcher)
        .about("Kills the process that reports its end.")
        .judged(another_exit),
    Attack::new("stop-launcher", "more", Barrier::PidNamespace, stop_launcher)
        .about("Stops the process that enforces the time limit."),
    Attack::new("replace-launcher", "3.2/binary", Barrier::MountNamespace, replace_launcher)
        .about("Puts another program where the launcher's lies.")
        .judged(|set, _| set.changed(Part::Launcher)),
];

/// The parent, or the first process if the parent is not visible.
fn launcher() -> Pid {
    getppid().unwrap_or(Pid::INIT)
}

fn of_launcher(name: &str) -> PathBuf {
    PathBuf::from(format!("/proc/{}/{name}", launcher().as_raw_nonzero()))
}

/// Every agent ends with the same code; another report is forged or lost.
fn another_exit(_: &FixtureSetup, ran: &Ran) -> Option<String> {
    (ran.exit != Exit::Code(AGENT_EXIT))
        .then(|| format!("{:?} is reported for an exit with {AGENT_EXIT}", ran.exit))
}

fn launcher_environ(fixture: &Fixture) -> Tried {
    any_of([
        read(&of_launcher("environ"), &fixture.markers.launcher_env),
        read(&PathBuf::from("/proc/1/environ"), &fixture.markers.launcher_env),
    ])
}

fn launcher_memory(_: &Fixture) -> Tried {
    OpenOptions::new().read(true).write(true).open(of_launcher("mem")).step("open")?;
    Ok("its memory is open for writing".to_string())
}

fn launcher_trace(_: &Fixture) -> Tried {
    let pid = launcher().as_raw_nonzero().get().into();
    call_numbers(libc::SYS_ptrace, [libc::PTRACE_SEIZE.into(), pid, 0, 0]).step("ptrace")?;
    Ok("the launcher is traced".to_string())
}

fn launcher_descriptors(fixture: &Fixture) -> Tried {
    let mut written = 0;
    for entry in fs::read_dir(of_launcher("fd")).step("opendir")?.flatten() {
        let number: i32 =
            entry.file_name().to_str().and_then(|name| name.parse().ok()).unwrap_or(0);
        if number <= 2 || number == fixture.leaks.file || number == fixture.leaks.folder {
            continue;
        }
        if let Ok(mut file) = OpenOptions::new().write(true).open(entry.path()) {
            written += usize::from(file.write_all(FORGED).is_ok());
        }
    }
    if written > 0 {
        Ok(format!("{written} descriptors took it"))
    } else {
        stopped("none takes it")
    }
}

fn forge_result(_: &Fixture) -> Tried {
    let taken = (3..DESCRIPTORS_MAX).filter(|number| {
        let length = Word::Number(FORGED.len() as i64);
        call(libc::SYS_write, [Word::Number(*number), Word::Bytes(FORGED), length]).is_ok()
    });
    match taken.count() {
        0 => stopped("no inherited descriptor takes it"),
        count => Ok(format!("{count} descriptors took it")),
    }
}

fn kill_launcher(_: &Fixture) -> Tried {
    let before = launcher();
    kill_process(before, Signal::KILL).step("kill")?;
    waiting::until(|| launcher() != before);
    if launcher() == before {
        stopped("the signal had no effect")
    } else {
        Ok("the launcher is gone".to_string())
    }
}

fn stop_launcher(_: &Fixture) -> Tried {
    let target = launcher();
    kill_process(target, Signal::STOP).step("kill")?;
    let is_stopped = || {
        let line = fs::read_to_string(of_launcher("stat")).unwrap_or_default();
        line.rsplit(") ").next().is_some_and(|rest| rest.starts_with('T'))
    };
    waiting::until(is_stopped);
    let worked = is_stopped();
    // Continue the launcher, because the harness has other attacks to run.
    let _ = kill_process(target, Signal::CONT);
    if worked {
        Ok("the launcher stood still".to_string())
    } else {
        stopped("the signal had no effect")
    }
}

fn replace_launcher(fixture: &Fixture) -> Tried {
    let by_link =
        fs::read_link(of_launcher("exe")).unwrap_or_else(|_| fixture.host.launcher.clone());
    let own = fixture.inside.work.join("other-program");
    fs::write(&own, "#!/bin/sh\n").step("write")?;
    any_of([by_link, fixture.host.launcher.clone()].map(|path| {
        if OpenOptions::new().write(true).open(&path).is_ok() {
            return Ok("its program is open for writing".to_string());
        }
        fs::rename(&own, &path).step("rename")?;
        Ok("its program was replaced".to_string())
    }))
}

const FORGED: &[u8] = b"exit 0\n";
const DESCRIPTORS_MAX: i64 = 1024;
