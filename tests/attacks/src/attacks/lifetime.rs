//! Surviving the end of the run. Survivors end by themselves after a minute.

use std::time::Duration;

use super::waiting;
use crate::attack::Attack;
use crate::barrier::Barrier;
use crate::confinement::Ran;
use crate::ended::{Hindrance, Step, Tried};
use crate::fixture::Fixture;
use crate::fixture_setup::FixtureSetup;
use crate::setting::{Setting, WallClock};
use crate::sys::{self, Forked, call_numbers};

pub(super) const ALL: &[Attack] = &[
    Attack::new("outlive-limit", "3.2/timeout", Barrier::PidTreeKill, outlive_limit)
        .about("Ignores every polite signal, and has a grandchild in a session of its own.")
        .setting(SHORT)
        .judged(survives),
    Attack::new("outlive-exit", "3.2/daemon", Barrier::PidTreeKill, outlive_exit)
        .about("Ends as it should, and leaves a grandchild in a session of its own.")
        .judged(survives),
    Attack::new("outlive-as-sibling", "more", Barrier::PidTreeKill, outlive_as_sibling)
        .about("Leaves a process that is not its child but its launcher's.")
        .judged(survives),
    Attack::new("hold-output", "more", Barrier::PidTreeKill, hold_output)
        .about("Ends, but leaves a process that keeps its output open.")
        .setting(SHORT)
        .judged(|_, ran| {
            ran.timed_out.then(|| "the launcher waited for an output that never ended".to_string())
        }),
];

const SHORT: Setting = Setting { wall: WallClock::Short, ..Setting::PLAIN };

fn survives(_: &FixtureSetup, ran: &Ran) -> Option<String> {
    (ran.survivors > 0).then(|| format!("{} processes are still there", ran.survivors))
}

fn outlive_limit(_: &Fixture) -> Tried {
    for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGQUIT] {
        sys::ignore(signal);
    }
    daemon(Output::Closed)?;
    waiting::stay(STAY);
    Ok("it was left alone for a minute".to_string())
}

fn outlive_exit(_: &Fixture) -> Tried {
    daemon(Output::Closed)?;
    Ok("a process was left behind".to_string())
}

fn outlive_as_sibling(_: &Fixture) -> Tried {
    let flags = (libc::CLONE_PARENT | libc::SIGCHLD).into();
    if call_numbers(libc::SYS_clone, [flags, 0, 0, 0, 0]).step("clone")? == 0 {
        close_output();
        waiting::stay(STAY);
        sys::exit_now(0);
    }
    Ok("a sibling was left behind".to_string())
}

fn hold_output(_: &Fixture) -> Tried {
    daemon(Output::Held)?;
    Ok("a process holds the output".to_string())
}

/// What a daemon does with its inherited output.
enum Output {
    Closed,
    Held,
}

/// A grandchild in its own session, without a parent.
fn daemon(output: Output) -> Result<(), Hindrance> {
    let Forked::Parent(pid) = sys::fork().step("fork")? else {
        let _ = rustix::process::setsid();
        if let Ok(Forked::Child) = sys::fork() {
            if let Output::Closed = output {
                close_output();
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
        let _ = call_numbers(libc::SYS_close, [number]);
    }
}

const STAY: Duration = Duration::from_secs(60);
