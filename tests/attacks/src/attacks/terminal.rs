//! The launching terminal.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;

use crate::attack::Attack;
use crate::barrier::Barrier;
use crate::ended::{Step, Tried, any_of, holds, stopped};
use crate::fixture::Fixture;
use crate::fixture_setup::FixtureSetup;
use crate::setting::{Setting, Terminal};
use crate::sys::{Word, call};

pub(super) const ALL: &[Attack] = &[
    Attack::new("type-command", "3.1/23", Barrier::NewSession, |_| {
        type_command(libc::TIOCSTI as i64)
    })
    .about("Types a command into the launching terminal.")
    .setting(ON_A_TERMINAL)
    .judged(is_typed),
    Attack::new("type-command-high-bits", "3.1/23", Barrier::NewSession, |_| {
        type_command(libc::TIOCSTI as i64 | 1 << 32)
    })
    .about("Does the same with bits in the request that a filter may compare and the kernel drops.")
    .setting(ON_A_TERMINAL)
    .judged(is_typed),
    Attack::new("read-keyboard", "3.1/23", Barrier::NewSession, read_keyboard)
        .about("Reads what is typed on the launching terminal.")
        .setting(ON_A_TERMINAL),
];

const ON_A_TERMINAL: Setting = Setting { terminal: Terminal::Controlling, ..Setting::PLAIN };

/// The terminal by its name, or an inherited descriptor.
fn terminals() -> (Option<File>, impl Iterator<Item = i32>) {
    let mut options = OpenOptions::new();
    let by_name =
        options.read(true).write(true).custom_flags(libc::O_NONBLOCK).open("/dev/tty").ok();
    let number = by_name.as_ref().map(AsRawFd::as_raw_fd);
    (by_name, number.into_iter().chain(0..3))
}

fn type_command(request: i64) -> Tried {
    let (_open, numbers) = terminals();
    any_of(numbers.map(|number| {
        for letter in COMMAND.bytes().chain(*b"\n") {
            let words =
                [Word::Number(number.into()), Word::Number(request), Word::Bytes(&[letter])];
            call(libc::SYS_ioctl, words).step("TIOCSTI")?;
        }
        Ok("a command was typed".to_string())
    }))
}

fn is_typed(set: &FixtureSetup, _: &crate::confinement::Ran) -> Option<String> {
    set.typed()
        .filter(|typed| typed.contains(COMMAND))
        .map(|_| format!("`{COMMAND}` waits on the terminal"))
}

fn read_keyboard(fixture: &Fixture) -> Tried {
    let (open, _) = terminals();
    let mut bytes = vec![0; 4096];
    let length = match open {
        Some(mut terminal) => terminal.read(&mut bytes).step("read")?,
        None if io::stdin().is_terminal() => io::stdin().read(&mut bytes).step("read")?,
        None => return stopped("there is no terminal"),
    };
    holds(&bytes[..length], &fixture.markers.typed)
}

const COMMAND: &str = "rm --recursive everything";
