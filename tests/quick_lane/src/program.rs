//! Programs of a household: what a person types, with the person's environment and nothing else of ours.

use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::household::Household;

/// A program that is to be started.
pub struct Program {
    command: Command,
    log: PathBuf,
}

/// A program that runs, in a process group of its own. Dropping it kills it.
pub struct Running {
    child: Child,
    log: PathBuf,
    began: Instant,
}

/// How a program ended.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Its exit code; none, if a signal ended it.
    pub code: Option<i32>,
    /// What it said to programs.
    pub said: String,
    /// What it said to people.
    pub talked: String,
    /// How long it took.
    pub took: Duration,
}

impl Program {
    /// `sealwright` with these words, in `folder`.
    pub fn sealwright(household: &Household, folder: &Path, log: &str, words: &[&str]) -> Self {
        let program = household.sealwright().to_owned();
        Self::new(household, folder, log, program.as_os_str(), words)
    }

    /// Some other program.
    pub fn other(
        household: &Household,
        folder: &Path,
        log: &str,
        program: &str,
        words: &[&str],
    ) -> Self {
        Self::new(household, folder, log, program.as_ref(), words)
    }

    fn new(
        household: &Household,
        folder: &Path,
        log: &str,
        program: &std::ffi::OsStr,
        words: &[&str],
    ) -> Self {
        #[expect(clippy::disallowed_methods, reason = "people start programs as they are")]
        let mut command = Command::new(program);
        command.args(words).current_dir(folder).env_clear().process_group(0);
        for name in ["PATH", "SEALWRIGHT_BWRAP", "VIRTUAL_ENV", "RUSTUP_HOME", "CARGO_HOME"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        // A home of one's own has no toolchains in it; they are this machine's.
        if let Some(home) = std::env::home_dir() {
            for (name, folder) in [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")] {
                if std::env::var_os(name).is_none() {
                    command.env(name, home.join(folder));
                }
            }
            let python = home.join(".cache/sealwright/python");
            if std::env::var_os("VIRTUAL_ENV").is_none() && python.is_dir() {
                command.env("VIRTUAL_ENV", python);
            }
        }
        command.env("HOME", household.home()).env("SEALWRIGHT_STATE", household.state());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("LANG", "C.UTF-8");
        Self { command, log: household.log(log) }
    }

    /// The same with a variable more.
    pub fn with(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// The same, started by another program, whose words these are.
    pub fn below(mut self, words: &[&str]) -> Self {
        let Some((program, rest)) = words.split_first() else { return self };
        #[expect(clippy::disallowed_methods, reason = "people start programs as they are")]
        let mut outer = Command::new(program);
        outer.args(rest).arg(self.command.get_program()).args(self.command.get_args());
        outer.env_clear().process_group(0);
        for (name, value) in self.command.get_envs() {
            outer.envs(value.map(|value| (name, value)));
        }
        if let Some(folder) = self.command.get_current_dir() {
            outer.current_dir(folder);
        }
        self.command = outer;
        self
    }

    /// The same, with what it says kept beside what others of its name say.
    pub fn logged(mut self, more: &str) -> Self {
        let name = self.log.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.log.set_file_name(format!("{name}-{more}"));
        self
    }

    /// Starts it.
    pub fn start(mut self) -> Result<Running> {
        // Files, not pipes: nobody reads while it runs, and what it leaves running must not keep us.
        let (out, err) = (File::create(self.out())?, File::create(&self.log)?);
        self.command.stdin(Stdio::null()).stdout(out).stderr(err);
        let what = format!("{:?} could not be started", self.command.get_program());
        let began = now();
        Ok(Running { child: self.command.spawn().context(what)?, log: self.log, began })
    }

    /// Runs it to its end.
    pub fn run(self) -> Result<Ran> {
        self.start()?.wait(LIMIT)
    }

    /// Runs it to its end, which must be a good one, and gives what it said.
    pub fn said(self) -> Result<String> {
        let words = self.command.get_args().map(|word| word.to_string_lossy().into_owned());
        let program = self.command.get_program().to_string_lossy().into_owned();
        let what = [program].into_iter().chain(words).collect::<Vec<_>>().join(" ");
        let ran = self.run()?;
        match ran.code {
            Some(0) => Ok(ran.said.trim().to_owned()),
            code => bail!("`{what}` ended with {code:?}: {}{}", ran.said, ran.talked),
        }
    }

    fn out(&self) -> PathBuf {
        out(&self.log)
    }
}

impl Running {
    /// Waits for its end; after `limit` it is killed.
    pub fn wait(&mut self, limit: Duration) -> Result<Ran> {
        loop {
            if let Some(status) = self.child.try_wait()? {
                return self.ran(status);
            }
            if self.began.elapsed() > limit {
                self.kill();
                let status = self.child.wait()?;
                let ran = self.ran(status)?;
                bail!("it did not end in {limit:?}; it said last: {}", last_lines(&ran.talked));
            }
            pause(GLANCE);
        }
    }

    /// Waits for `time`, and says how it ended if it did.
    pub fn within(&mut self, time: Duration) -> Result<Option<Ran>> {
        let until = now() + time;
        loop {
            if let Some(status) = self.child.try_wait()? {
                return self.ran(status).map(Some);
            }
            let left = until.saturating_duration_since(now());
            if left.is_zero() {
                return Ok(None);
            }
            pause(left.min(GLANCE));
        }
    }

    /// Kills it and everybody of its group, at once.
    pub fn kill(&mut self) {
        if let Ok(Some(group)) = i32::try_from(self.child.id()).map(Pid::from_raw) {
            // It may have ended by itself in the same moment.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
    }

    /// What it has said to people so far.
    pub fn talked(&self) -> Result<String> {
        Ok(String::from_utf8_lossy(&std::fs::read(&self.log)?).into_owned())
    }

    fn ran(&self, status: ExitStatus) -> Result<Ran> {
        Ok(Ran {
            code: status.code(),
            said: String::from_utf8_lossy(&std::fs::read(out(&self.log))?).into_owned(),
            talked: self.talked()?,
            took: self.began.elapsed(),
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.kill();
        }
    }
}

/// The end of what somebody said.
pub fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LINES_SHOWN)..].join("\n")
}

/// How long something took is told, and kills come at moments.
#[expect(clippy::disallowed_methods, reason = "moments are drawn and times are told")]
pub fn now() -> Instant {
    Instant::now()
}

#[expect(clippy::disallowed_methods, reason = "a process is looked at from outside, with a bound")]
pub(crate) fn pause(time: Duration) {
    std::thread::sleep(time);
}

fn out(log: &Path) -> PathBuf {
    let name = log.file_name().unwrap_or_default().to_string_lossy();
    log.with_file_name(format!("{name}.out"))
}

/// Longer than any run takes, on a machine that does other things as well.
const LIMIT: Duration = Duration::from_secs(900);
const GLANCE: Duration = Duration::from_millis(10);
const LINES_SHOWN: usize = 30;
