//! The terminal somebody launched the agent from.

use std::fs::OpenOptions;
use std::io::Read;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;

use crate::attack::Attack;
use crate::ended::{Hindrance, Step, Tried, holds};
use crate::scene::Scene;
use crate::setting::{Setting, Terminal};
use crate::stage_set::StageSet;
use crate::sys::{Word, call};
use crate::wall::Wall;

pub(super) const ALL: &[Attack] = &[
    Attack::new(
        "type-command",
        "3.1/23",
        Wall::NewSession,
        "Types a command into the launching terminal.",
        |_| type_command(libc::TIOCSTI as i64),
    )
    .setting(ON_A_TERMINAL)
    .judged(is_typed),
    Attack::new(
        "type-command-high-bits",
        "3.1/23",
        Wall::NewSession,
        "Does the same with bits in the request that a filter may compare and the kernel drops.",
        |_| type_command(libc::TIOCSTI as i64 | 1 << 32),
    )
    .setting(ON_A_TERMINAL)
    .judged(is_typed),
    Attack::new(
        "read-keyboard",
        "3.1/23",
        Wall::NewSession,
        "Reads what is typed on the launching terminal.",
        read_keyboard,
    )
    .setting(ON_A_TERMINAL),
];

const ON_A_TERMINAL: Setting = Setting { terminal: Terminal::Controlling, ..Setting::PLAIN };

/// The terminal by its own name, or whatever was inherited as standard input.
fn terminal() -> Result<OwnedFd, Hindrance> {
    let mut options = OpenOptions::new();
    let by_name = options.read(true).write(true).custom_flags(libc::O_NONBLOCK).open("/dev/tty");
    match by_name {
        Ok(file) => Ok(file.into()),
        Err(_) => Ok(options.open("/proc/self/fd/0").step("open")?.into()),
    }
}

fn type_command(request: i64) -> Tried {
    let terminal = terminal()?;
    for letter in COMMAND.bytes().chain([b'\n']) {
        let number = Word::Number(terminal.as_raw_fd().into());
        call(libc::SYS_ioctl, [number, Word::Number(request), Word::Bytes(&[letter])])
            .step("TIOCSTI")?;
    }
    Ok("a command was typed".to_string())
}

fn is_typed(set: &StageSet, _: &crate::confinement::Ran) -> Option<String> {
    set.typed()
        .filter(|typed| typed.contains(COMMAND))
        .map(|_| format!("`{COMMAND}` waits on the terminal"))
}

fn read_keyboard(scene: &Scene) -> Tried {
    let mut bytes = vec![0; 4096];
    let length = std::fs::File::from(terminal()?).read(&mut bytes).step("read")?;
    holds(&bytes[..length], &scene.markers.typed)
}

const COMMAND: &str = "rm --recursive everything";
