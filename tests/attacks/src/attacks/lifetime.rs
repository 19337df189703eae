//! Staying when one's time is over. What stays would end by itself after a minute, for the machine's sake.

use std::time::Duration;

use super::waiting;
use crate::attack::Attack;
use crate::confinement::Ran;
use crate::ended::{Hindrance, Step, Tried};
use crate::scene::Scene;
use crate::setting::{Setting, WallClock};
use crate::stage_set::StageSet;
use crate::sys::{self, Forked, Word, call};
use crate::wall::Barrier;

pub(super) const ALL: &[Attack] = &[
    Attack::new(
        "outlive-limit",
        "3.2/timeout",
        Barrier::PidTreeKill,
        "Ignores every polite signal, and has a grandchild in a session of its own.",
        outlive_limit,
    )
    .setting(SHORT)
    .judged(survives),
    Attack::new(
        "outlive-exit",
        "3.2/daemon",
        Barrier::PidTreeKill,
        "Ends as it should, and leaves a grandchild in a session of its own.",
        outlive_exit,
    )
    .judged(survives),
    Attack::new(
        "outlive-as-sibling",
        "more",
        Barrier::PidTreeKill,
        "Leaves a process that is not its child but its launcher's.",
        outlive_as_sibling,
    )
    .judged(survives),
    Attack::new(
        "hold-output",
        "more",
        Barrier::PidTreeKill,
        "Ends, but leaves somebody who keeps its output open.",
        hold_output,
    )
    .setting(SHORT)
    .judged(|_, ran| {
        ran.timed_out.then(|| "the launcher waited for an output that never ended".to_string())
    }),
];

const SHORT: Setting = Setting { wall: WallClock::Short, ..Setting::PLAIN };

fn survives(_: &StageSet, ran: &Ran) -> Option<String> {
    (ran.survivors > 0).then(|| format!("{} processes are still there", ran.survivors))
}

fn outlive_limit(_: &Scene) -> Tried {
    for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGQUIT] {
        sys::ignore(signal);
    }
    daemon(Output::Closed)?;
    waiting::stay(STAY);
    Ok("it was left alone for a minute".to_string())
}

fn outlive_exit(_: &Scene) -> Tried {
    daemon(Output::Closed)?;
    Ok("somebody was left behind".to_string())
}

fn outlive_as_sibling(_: &Scene) -> Tried {
    let flags = Word::Number((libc::CLONE_PARENT | libc::SIGCHLD).into());
    let none = || Word::Number(0);
    if call(libc::SYS_clone, [flags, none(), none(), none(), none()]).step("clone")? == 0 {
        close_output();
        waiting::stay(STAY);
        sys::exit_now(0);
    }
    Ok("a sibling was left behind".to_string())
}

fn hold_output(_: &Scene) -> Tried {
    daemon(Output::Held)?;
    Ok("somebody holds the output".to_string())
}

/// What a daemon does with the output it inherited.
enum Output {
    Closed,
    Held,
}

/// A grandchild in a session of its own, whose parent is gone.
fn daemon(output: Output) -> Result<(), Hindrance> {
    let Forked::Parent(pid) = sys::fork().step("fork")? else {
        let _ = rustix::process::setsid();
        if let Ok(Forked::Child) = sys::fork() {
            match output {
                Output::Closed => close_output(),
                Output::Held => {}
            }
            waiting::stay(STAY);
        }
        sys::exit_now(0)
    };
    sys::wait_for(pid).step("wait")?;
    Ok(())
}

fn close_output() {
    for number in 0..3 {
        let _ = call(libc::SYS_close, [Word::Number(number)]);
    }
}

const STAY: Duration = Duration::from_secs(60);
