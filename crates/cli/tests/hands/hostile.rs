//! Repositories that want to act when somebody looks at them. Every command is run in each: nothing starts outside of the
//! sandbox that the repository names, nothing is asked of an address of it, and no command hangs or panics.
//!
//! `cargo xtask prove boundaries` plays all of them, and a sample in its quick form.

mod planted;

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use planted::{PLANTED, Planted};

use crate::killed::{ends_within, kill};
use crate::rehearsal::Rehearsal;

/// Every command that is there is run, by its words in a shell.
const COMMANDS: &[&str] = &[
    "status",
    "show $TASK",
    "inbox",
    "log $TASK",
    "graph",
    "watch $TASK",
    "doctor",
    "allow --show",
    "gates list",
    "gates try tests",
    "evaluate --last 1 --no-strength",
    "agents try rehearsed",
    "sandbox explain $TASK builder",
    "verify HEAD --allow-changes",
    "verify --allow-changes",
    "evidence $TASK",
    "pr $TASK",
    "restore $TASK",
    "journal",
    "replay $TASK",
    "keys list",
    "budget $TASK",
    "hooks install",
    "hooks uninstall",
    "check $TASK",
    "note $TASK looked",
    "adopt sealwright.toml",
    "acknowledge $TASK x",
    "approve $TASK --because x",
    "decline $TASK --because x",
    "answer $TASK x",
    "resolve $TASK abandon-task --because x",
    "heal $TASK --cheat overfit --reason x",
    "cancel $TASK --because x",
    "init",
    "new x",
    "spec check sealwright.toml",
    "plan",
    "run",
    "continue",
    "stop unsafe --because x",
    "validate --holds",
    "iterate --confirm",
    "abandon --because x",
    "mcp",
    "completions bash",
    "do x --yes --dirty take",
    "do x --yes --dirty leave",
    "demo $DEMO",
];

#[test]
fn a_hostile_repository_starts_nothing_and_reaches_nobody() {
    let number = |name: &str, usual: usize| {
        std::env::var(name).ok().and_then(|it| it.parse().ok()).unwrap_or(usual)
    };
    let (size, first) = (number("SEALWRIGHT_HOSTILE", 1), number("SEALWRIGHT_HOSTILE_FIRST", 0));
    there_are_forty_and_no_two_alike();
    let home = Home::new();
    home.every_command_is_run();
    let began = Instant::now();
    let (mut commands, mut fell_for) = (0, 0);
    let mut found = Vec::new();
    let chosen = PLANTED.iter().cycle().skip(first % PLANTED.len()).take(size.min(PLANTED.len()));
    for (nth, planted) in chosen.enumerate() {
        tell(format!("{:.0} s: {}", began.elapsed().as_secs_f64(), planted.name));
        // What git alone does here, so that a trap is one.
        if !planted.control.is_empty() {
            let lab = home.lab(planted);
            lab.shell(planted.control);
            match lab.acted() {
                true => fell_for += 1,
                false => found.push(format!("{}: git alone does not fall for it", planted.name)),
            }
        }
        let lab = home.lab(planted);
        // A demonstration makes a repository of its own.
        for command in COMMANDS.iter().filter(|it| nth == 0 || !it.starts_with("demo")) {
            commands += 1;
            if let Err(what) = lab.open(planted, command) {
                found.push(format!("{}, `sealwright {command}` {what}", planted.name));
                // What it did stays; the next command would be blamed for it.
                break;
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n---\n"));
    tell(format!(
        "{} hostile repositories, {commands} commands in {:.0} s: nothing started, nobody was asked; git alone fell for \
         {fell_for} of them",
        size.min(PLANTED.len()),
        began.elapsed().as_secs_f64()
    ));
}

/// Adds a line to what the proof prints.
fn tell(line: String) {
    use std::io::Write as _;
    let Ok(file) = std::env::var("SEALWRIGHT_HOSTILE_TELLS") else { return };
    let mut file = fs::File::options().create(true).append(true).open(file).unwrap();
    writeln!(file, "{line}").unwrap();
}

fn there_are_forty_and_no_two_alike() {
    let names: BTreeSet<&str> = PLANTED.iter().map(|it| it.name).collect();
    let plants: BTreeSet<&str> = PLANTED.iter().map(|it| it.plant).collect();
    assert!(PLANTED.len() >= 40, "{}", PLANTED.len());
    assert_eq!((names.len(), plants.len()), (PLANTED.len(), PLANTED.len()));
}

/// A repository in which a task has shipped, from which hostile ones are made.
struct Home {
    rehearsal: Rehearsal,
    task: String,
}

impl Home {
    fn new() -> Self {
        let rehearsal = Rehearsal::with(&[]);
        let task = rehearsal.play("quick");
        Self { rehearsal, task }
    }

    fn every_command_is_run(&self) {
        let help = self.rehearsal.see(&["completions", "bash"]);
        let run: BTreeSet<&str> = COMMANDS.iter().map(|it| it.split(' ').next().unwrap()).collect();
        let subcommands = help.lines().find(|line| line.trim_start().starts_with("opts=")).unwrap();
        let known = subcommands.split(['"', ' ', '=']).filter(|word| {
            !word.is_empty() && word.chars().all(|it| it.is_ascii_lowercase()) && *word != "opts"
        });
        let missing: Vec<&str> =
            known.filter(|word| !["help", "man"].contains(word) && !run.contains(word)).collect();
        assert_eq!(missing, Vec::<&str>::new());
    }

    fn lab(&self, planted: &Planted) -> Lab<'_> {
        let lab = Lab {
            home: self,
            folder: tempfile::tempdir().unwrap(),
            server: TcpListener::bind("127.0.0.1:0").unwrap(),
        };
        lab.server.set_nonblocking(true).unwrap();
        let mut copied = Command::new("cp");
        copied.arg("-a").arg(self.rehearsal.path()).arg(lab.repository());
        assert!(copied.status().unwrap().success());
        fs::create_dir(lab.elsewhere()).unwrap();
        let trap = format!("#!/bin/sh\ntouch '{}'\nexec timeout 2 cat\n", lab.mark().display());
        fs::write(lab.trap(), trap).unwrap();
        fs::set_permissions(lab.trap(), fs::Permissions::from_mode(0o755)).unwrap();
        lab.shell(planted.plant);
        // Planting may have set it off.
        let _ = fs::remove_file(lab.mark());
        lab
    }
}

/// One hostile repository, and what shows that it acted.
struct Lab<'h> {
    home: &'h Home,
    folder: tempfile::TempDir,
    server: TcpListener,
}

impl Lab<'_> {
    fn repository(&self) -> PathBuf {
        self.folder.path().join("repository")
    }

    fn mark(&self) -> PathBuf {
        self.folder.path().join("mark")
    }

    fn trap(&self) -> PathBuf {
        self.folder.path().join("trap")
    }

    fn elsewhere(&self) -> PathBuf {
        self.folder.path().join("elsewhere")
    }

    /// Whether a program was started outside of the sandbox, somebody was asked, or something was written elsewhere.
    fn acted(&self) -> bool {
        let is_written = fs::read_dir(self.elsewhere()).unwrap().next().is_some();
        self.mark().exists() || is_written || self.server.accept().is_ok()
    }

    /// As a person types it. It may fail: a trap can stand in its own way.
    fn shell(&self, words: &str) {
        self.told(Command::new("sh").args(["-c", words]));
    }

    fn told(&self, command: &mut Command) -> std::process::ExitStatus {
        let url = format!("http://{}", self.server.local_addr().unwrap());
        if self.repository().is_dir() {
            command.current_dir(self.repository());
        }
        command.env("TRAP", self.trap()).env("URL", url).env("ELSEWHERE", self.elsewhere());
        command.env("MARK", self.mark()).env("TASK", &self.home.task);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.env("GIT_TERMINAL_PROMPT", "0").status().unwrap()
    }

    /// Runs a command of Sealwright here and sees what comes of it.
    fn open(&self, planted: &Planted, command: &str) -> Result<(), String> {
        let demo = self.folder.path().join("demo");
        let words: Vec<String> = command
            .split(' ')
            .map(|word| {
                word.replace("$TASK", &self.home.task).replace("$DEMO", &demo.display().to_string())
            })
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut program = self.home.rehearsal.command(&self.repository(), &words);
        if !planted.allowed {
            program.env_remove("SEALWRIGHT_ALLOW");
        }
        let (told, errors) = (self.folder.path().join("told"), self.folder.path().join("errors"));
        program.stdout(fs::File::create(&told).unwrap()).stderr(fs::File::create(&errors).unwrap());
        let mut running = program.process_group(0).spawn().unwrap();
        // What watches goes on until it is stopped.
        let wait = if command.starts_with("watch") { Duration::from_secs(1) } else { WAIT_MAX };
        let code = match ends_within(&mut running, wait) {
            true => Some(running.wait().unwrap().code().unwrap_or(-1)),
            false => {
                kill(&mut running);
                None
            }
        };
        let said = [told, errors].map(|file| fs::read(file).unwrap()).concat();
        let said = String::from_utf8_lossy(&said);
        if self.acted() {
            return Err(format!("acted: {said}"));
        }
        match code {
            Some(code) if !CODES.contains(&code) => {
                return Err(format!("ended with {code}: {said}"));
            }
            None if !command.starts_with("watch") => return Err(format!("hangs: {said}")),
            Some(_) | None => {}
        }
        let is_asked = said.contains("nobody allowed what this repository names: ");
        if !planted.allowed && command.starts_with("do ") && (code != Some(12) || !is_asked) {
            return Err(format!("ends with {code:?} and asks nobody: {said}"));
        }
        Ok(())
    }
}

/// The exit codes that `--help` lists.
const CODES: [i32; 7] = [0, 2, 10, 11, 12, 13, 20];
const WAIT_MAX: Duration = Duration::from_secs(300);
