//! A trial: the launcher as the command itself, trying from behind the walls what a hostile one would.

use std::fs;
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::Duration;

use rustix::process::Pid;
use rustix::thread::UnshareFlags;
use sealwright_kernel::ConfinementFact;
use serde::{Deserialize, Serialize};

use crate::sys;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Trial {
    /// A file outside, by its name on the host.
    pub(crate) outside: PathBuf,
    /// A folder that may be written to.
    pub(crate) own: PathBuf,
    /// A file that may be read only, and belongs to the user of the run.
    pub(crate) read_only: PathBuf,
    pub(crate) service: SocketAddr,
    pub(crate) process: i32,
}

/// Tries everything, and says what could be reached.
pub(crate) fn run(trial: &Trial) -> Vec<ConfinementFact> {
    let own = fs::write(trial.own.join("trial"), "");
    let mode = fs::Permissions::from_mode(0o600);
    let process = Pid::from_raw(trial.process).ok_or_else(|| io::Error::other("no such number"));
    let attempts = [
        ("write its own files", outcome(own)),
        ("read what is outside", outcome(fs::read(&trial.outside))),
        ("see what is outside", outcome(fs::symlink_metadata(&trial.outside))),
        ("write what is read-only", outcome(fs::write(&trial.read_only, "x"))),
        (
            "change the mode of what is read-only",
            outcome(fs::set_permissions(&trial.read_only, mode)),
        ),
        (
            "reach a service of the host",
            outcome(TcpStream::connect_timeout(&trial.service, PATIENCE)),
        ),
        (
            "signal a process of the host",
            outcome(process.and_then(|pid| Ok(rustix::process::test_kill_process(pid)?))),
        ),
        ("make namespaces", outcome(sys::unshare(UnshareFlags::NEWUSER))),
    ];
    attempts
        .into_iter()
        .map(|(name, value)| ConfinementFact { name: name.to_owned(), value: value.to_owned() })
        .collect()
}

fn outcome<T>(attempt: io::Result<T>) -> &'static str {
    match attempt {
        Ok(_) => "yes",
        Err(_) => "no",
    }
}

const PATIENCE: Duration = Duration::from_secs(2);
