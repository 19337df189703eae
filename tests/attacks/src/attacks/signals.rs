//! Signals and limits for processes of the host.

use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};

use super::waiting;
use crate::attack::Attack;
use crate::confinement::Ran;
use crate::ended::{Step, Tried};
use crate::scene::Scene;
use crate::stage_set::StageSet;
use crate::sys::{Word, call};
use crate::victim::SIGNALLED;
use crate::wall::Barrier;

pub(super) const ALL: &[Attack] = &[
    Attack::new(
        "signal-victim",
        "3.1/21",
        Barrier::PidNamespace,
        "Sends a signal to a process of the host.",
        signal_victim,
    )
    .judged(is_signalled),
    Attack::new(
        "signal-everybody",
        "3.1/21",
        Barrier::PidNamespace,
        "Sends a signal to every process it may.",
        signal_everybody,
    )
    .judged(is_signalled),
    Attack::new(
        "limit-victim",
        "more",
        Barrier::PidNamespace,
        "Takes away from a process of the host the right to open files.",
        limit_victim,
    )
    .judged(is_limited),
];

/// The signal is one that nobody but the victim minds.
fn signal_victim(scene: &Scene) -> Tried {
    kill_process(victim(scene), Signal::WINCH).step("kill")?;
    settle();
    Ok("a signal was sent".to_string())
}

fn signal_everybody(_: &Scene) -> Tried {
    let everybody = Word::Number(-1);
    call(libc::SYS_kill, [everybody, Word::Number(libc::SIGWINCH.into())]).step("kill")?;
    settle();
    Ok("signals were sent".to_string())
}

fn is_signalled(set: &StageSet, _: &Ran) -> Option<String> {
    set.recorded(SIGNALLED).map(|_| "the victim was signalled".to_string())
}

fn limit_victim(scene: &Scene) -> Tried {
    let limit = Rlimit { current: Some(LIMIT), maximum: Some(LIMIT) };
    prlimit(Some(victim(scene)), Resource::Nofile, limit).step("prlimit")?;
    Ok("a limit was set".to_string())
}

fn is_limited(set: &StageSet, _: &Ran) -> Option<String> {
    let pid = set.scene().victim.pid;
    let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).ok()?;
    let line = limits.lines().find(|line| line.starts_with("Max open files"))?;
    let is_it = line.split_whitespace().nth(3) == Some(&LIMIT.to_string());
    is_it.then(|| format!("the victim may open {LIMIT} files"))
}

fn victim(scene: &Scene) -> Pid {
    Pid::from_raw(scene.victim.pid).expect("a victim has a number")
}

/// The victim needs a moment to write it down.
fn settle() {
    waiting::stay(std::time::Duration::from_millis(50));
}

const LIMIT: u64 = 4;
