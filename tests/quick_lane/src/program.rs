//! Runs programs as a user does, in a clean environment.

use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::environment::Environment;

pub struct Program {
    command: Command,
    log: PathBuf,
}

/// A running program in its own process group, killed on drop.
pub struct Running {
    child: Child,
    log: PathBuf,
    began: Instant,
}

#[derive(Clone, Debug)]
pub struct Ran {
    /// Its exit code; `None` after a signal.
    pub code: Option<i32>,
    /// Its standard output.
    pub said: String,
    /// Its standard error.
    pub talked: String,
    pub took: Duration,
}

impl Program {
    /// `sealwright` with these arguments, in `folder`.
    pub fn sealwright(environment: &Environment, folder: &Path, log: &str, words: &[&str]) -> Self {
        Self::other(environment, folder, log, environment.sealwright(), words)
    }

    pub fn other(
        environment: &Environment,
        folder: &Path,
        log: &str,
        program: impl AsRef<std::ffi::OsStr>,
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
        // The isolated home has no toolchains; use those of this machine.
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
        command.env("HOME", environment.home()).env("SEALWRIGHT_STATE", environment.state());
        // The address of the scripted model stands in the configuration.
        command.env("SEALWRIGHT_ALLOW", "/");
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("LANG", "C.UTF-8");
        Self { command, log: environment.log(log) }
    }

    pub fn with(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs it under another program with these arguments.
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

    /// Writes its output to a separate log.
    pub fn logged(mut self, more: &str) -> Self {
        let name = self.log.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.log.set_file_name(format!("{name}-{more}"));
        self
    }

    pub fn start(mut self) -> Result<Running> {
        // Files, not pipes: no reader runs beside it, and a process it leaves behind must not block us.
        let (out, err) = (File::create(out(&self.log))?, File::create(&self.log)?);
        self.command.stdin(Stdio::null()).stdout(out).stderr(err);
        let what = format!("{:?} could not be started", self.command.get_program());
        let began = now();
        Ok(Running { child: self.command.spawn().context(what)?, log: self.log, began })
    }

    pub fn run(self) -> Result<Ran> {
        self.start()?.wait(LIMIT)
    }

    /// Runs it to a successful end and returns its standard output.
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
}

impl Running {
    /// Waits for its end and kills it after `limit`.
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

    /// Waits for at most `time`; returns its end if it ended.
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

    pub fn kill(&mut self) {
        if let Ok(Some(group)) = i32::try_from(self.child.id()).map(Pid::from_raw) {
            // It may have ended in the meantime.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
    }

    /// Its standard error so far.
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

pub fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LINES_SHOWN)..].join("\n")
}

#[expect(clippy::disallowed_methods, reason = "measures durations and draws moments")]
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

/// Longer than any run takes on a busy machine.
const LIMIT: Duration = Duration::from_secs(900);
const GLANCE: Duration = Duration::from_millis(10);
const LINES_SHOWN: usize = 30;
