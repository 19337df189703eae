//! Signals and limits for processes of the host.

use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};

use super::waiting;
use crate::attack::Attack;
use crate::barrier::Barrier;
use crate::confinement::Ran;
use crate::ended::{Step, Tried};
use crate::fixture::Fixture;
use crate::fixture_setup::FixtureSetup;
use crate::sys::call_numbers;
use crate::victim::SIGNALLED;

pub(super) const ALL: &[Attack] = &[
    Attack::new("signal-victim", "3.1/21", Barrier::PidNamespace, signal_victim)
        .about("Sends a signal to a process of the host.")
        .judged(is_signalled),
    Attack::new("signal-everybody", "3.1/21", Barrier::PidNamespace, signal_everybody)
        .about("Sends a signal to every process it may.")
        .judged(is_signalled),
    Attack::new("limit-victim", "more", Barrier::PidNamespace, limit_victim)
        .about("Takes away from a process of the host the right to open files.")
        .judged(is_limited),
];

/// A signal that only the victim handles.
fn signal_victim(fixture: &Fixture) -> Tried {
    kill_process(victim(fixture), Signal::WINCH).step("kill")?;
    settle();
    Ok("a signal was sent".to_string())
}

fn signal_everybody(_: &Fixture) -> Tried {
    call_numbers(libc::SYS_kill, [-1, libc::SIGWINCH.into()]).step("kill")?;
    settle();
    Ok("signals were sent".to_string())
}

fn is_signalled(set: &FixtureSetup, _: &Ran) -> Option<String> {
    set.recorded(SIGNALLED).map(|_| "the victim was signalled".to_string())
}

fn limit_victim(fixture: &Fixture) -> Tried {
    let limit = Rlimit { current: Some(LIMIT), maximum: Some(LIMIT) };
    prlimit(Some(victim(fixture)), Resource::Nofile, limit).step("prlimit")?;
    Ok("a limit was set".to_string())
}

fn is_limited(set: &FixtureSetup, _: &Ran) -> Option<String> {
    let pid = set.fixture().victim.pid;
    let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).ok()?;
    let line = limits.lines().find(|line| line.starts_with("Max open files"))?;
    let is_it = line.split_whitespace().nth(3) == Some(&LIMIT.to_string());
    is_it.then(|| format!("the victim may open {LIMIT} files"))
}

fn victim(fixture: &Fixture) -> Pid {
    Pid::from_raw(fixture.victim.pid).expect("a victim has a number")
}

/// The victim needs a moment to record it.
fn settle() {
    waiting::stay(std::time::Duration::from_millis(50));
}

const LIMIT: u64 = 4;
