//! The control: every attack must succeed without a sandbox, or it proves nothing about the sandbox.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::attack::{Attack, Control, RunAs};
use crate::confinement::{Confinement, Exit, Ran, Took, run_attack};
use crate::ended::Ended;
use crate::fixture::{Fixture, Round};
use crate::fixture_setup::FixtureSetup;
use crate::setting::Setuid;
use crate::surroundings::{self, REPORT};

#[derive(Clone, Debug)]
pub struct Unconfined {
    pub program: PathBuf,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The attack is real: this is what it got.
    Succeeds(String),
    /// It should have succeeded, but ended like this.
    Fails(String),
    /// Without a sandbox there is nothing to attack.
    NeedsSandbox(String),
    /// It cannot be shown on this machine.
    NotHere(String),
}

pub fn show(unconfined: &Unconfined, attack: &Attack) -> Shown {
    let is_root = rustix::process::geteuid().is_root();
    match attack.control {
        Control::NeedsSandbox(why) => return Shown::NeedsSandbox(why.to_string()),
        Control::Unconfined(RunAs::Root) if !is_root => {
            return Shown::NotHere("its control is run as root".to_string());
        }
        Control::Unconfined(RunAs::SameUid)
            if !is_root && attack.setting.setuid == Setuid::Planted =>
        {
            return Shown::NotHere("only root can plant the program".to_string());
        }
        Control::Unconfined(RunAs::SameUid | RunAs::Root) | Control::NoControlHere(_) => {}
    }
    match (run_attack(unconfined, attack), attack.control) {
        (Ok(Ended::Succeeded { what }), _) => Shown::Succeeds(what),
        (Ok(ended), Control::NoControlHere(why)) => {
            Shown::NotHere(format!("{why} ({})", ended.line()))
        }
        (Ok(ended), Control::Unconfined(_) | Control::NeedsSandbox(_)) => {
            Shown::Fails(ended.line())
        }
        (Err(error), _) => Shown::Fails(format!("{error:#}")),
    }
}

impl Shown {
    /// Its word in the table, and the details.
    pub fn words(&self) -> (&'static str, &str) {
        match self {
            Self::Succeeds(what) => ("succeeds", what),
            Self::Fails(what) => ("FAILS", what),
            Self::NeedsSandbox(why) => ("needs a sandbox", why),
            Self::NotHere(why) => ("not here", why),
        }
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, what) = self.words();
        write!(f, "{word}: {what}")
    }
}

impl Confinement for Unconfined {
    fn name(&self) -> String {
        "none".to_string()
    }

    fn program(&self) -> &Path {
        &self.program
    }

    fn run(&self, set: &FixtureSetup, attack: &Attack, round: Round) -> Result<Ran> {
        let fixture = Fixture { round, ..set.fixture().clone() };
        // A second run writes its own report.
        let _ = std::fs::remove_file(set.record().join(REPORT));
        let limit_ms = fixture.bounds.limit_ms(attack.setting.wall);
        let (json, limit) = (serde_json::to_string(&fixture)?, limit_ms.to_string());
        let mut command = surroundings::launcher(set, &["careless", attack.key, &json, &limit])?;
        if attack.control != Control::Unconfined(RunAs::Root) {
            set.agent().become_agent(&mut command);
        }
        let mut child =
            command.stderr(Stdio::null()).spawn().context("cannot start the launcher")?;
        let (stdout, held) = drain(&mut child, Duration::from_millis(limit_ms) + MARGIN)?;
        // A launcher that still waits was stopped, or waits for a process that never ends.
        let _ = child.kill();
        child.wait()?;
        let (exit, timed_out) = reported(&set.recorded(REPORT).unwrap_or_default());
        let survivors = set.end_survivors();
        Ok(Ran {
            stdout,
            exit,
            timed_out: timed_out || held == Held::Open,
            truncated: false,
            survivors,
        })
    }

    fn afterwards(&self, set: &FixtureSetup, attack: &Attack) -> Result<Took> {
        let json = serde_json::to_string(set.fixture())?;
        let mut command = surroundings::launcher(set, &["follow", attack.key, &json])?;
        set.agent().become_agent(&mut command);
        let mut child = command.stderr(Stdio::null()).spawn()?;
        let (_, held) = drain(&mut child, FOLLOW)?;
        let _ = child.kill();
        let status = child.wait()?;
        Ok(match held {
            Held::Open => Took::Hung,
            Held::Closed if status.success() => Took::Done,
            Held::Closed => Took::Refused(format!("it ended with {status}")),
        })
    }
}

/// Whether a process still held the output at the time limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    Closed,
    Open,
}

/// Reads all output until every writer has closed it, as a careless launcher does.
fn drain(child: &mut Child, limit: Duration) -> Result<(Vec<u8>, Held)> {
    let mut stdout = child.stdout.take().context("a launcher has an output")?;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut chunk = vec![0; 1 << 16];
        while let Ok(length @ 1..) = stdout.read(&mut chunk) {
            if sender.send(chunk[..length].to_vec()).is_err() {
                return;
            }
        }
    });
    let mut read = Vec::new();
    loop {
        match receiver.recv_timeout(limit) {
            Ok(_) if read.len() > OUTPUT_BYTES_MAX => {}
            Ok(chunk) => read.extend(chunk),
            Err(RecvTimeoutError::Disconnected) => return Ok((read, Held::Closed)),
            Err(RecvTimeoutError::Timeout) => return Ok((read, Held::Open)),
        }
    }
}

/// Believes the first line of the report.
fn reported(report: &[u8]) -> (Exit, bool) {
    let report = String::from_utf8_lossy(report);
    let first = report.lines().next().unwrap_or("");
    let number = |text: &str| text.parse().unwrap_or(-1);
    match first.split_once(' ') {
        Some(("exit", code)) => (Exit::Code(number(code)), false),
        Some(("signal", signal)) => (Exit::Signal(number(signal)), false),
        Some(_) | None => (Exit::Unknown, first == "timeout"),
    }
}

const MARGIN: Duration = Duration::from_millis(1_500);
const FOLLOW: Duration = Duration::from_secs(5);
const OUTPUT_BYTES_MAX: usize = 64 << 20;
