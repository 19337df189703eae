//! What all rooms of these tests share: folders, slots, tools of this machine, and the naive check.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use sealwright_kernel::Level;
use sealwright_sandbox::room::{Conditions, RoomOutcome};
use sealwright_sandbox::{Ended, Mechanism, SandboxSlots};

/// A folder of this test's own, and slots in it.
pub(crate) struct Lab {
    folder: tempfile::TempDir,
    pub(crate) slots: SandboxSlots,
}

/// Files of a project, by path.
pub(crate) type Project<'p> = &'p [(&'p str, &'p str)];

impl Lab {
    pub(crate) fn open() -> Self {
        let folder = tempfile::Builder::new()
            .permissions(fs::Permissions::from_mode(0o711))
            .tempdir()
            .unwrap();
        let launcher = Path::new(env!("CARGO_BIN_EXE_launcher"));
        let slots = SandboxSlots::with_launcher(&folder.path().join("seats"), launcher).unwrap();
        Self { folder, slots }
    }

    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Files below a folder of this name; later ones replace earlier ones.
    pub(crate) fn write(&self, name: &str, projects: &[Project<'_>]) -> PathBuf {
        let folder = self.folder(name);
        for (path, text) in projects.iter().copied().flatten() {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }
}

pub(crate) fn conditions() -> Conditions<'static> {
    Conditions::new(Mechanism::Namespaces, Level::KernelIsolated)
}

/// A name nobody can guess from the tests, and everybody can read in them.
pub(crate) const NONCE: &str = "q7v0c2m9x4k1z8b5";

/// A tool of this machine without anything of these tests around it.
pub(crate) fn tool(program: &Path) -> Command {
    #[expect(clippy::disallowed_methods, reason = "the control runs a tool as it is")]
    let mut command = Command::new(program);
    command.env_clear();
    for name in ["HOME", "PATH", "CARGO_HOME"] {
        command.envs(std::env::var_os(name).map(|value| (name, value)));
    }
    command
}

pub(crate) fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{command:?}\n{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    said.trim().to_owned()
}

/// Whether a command is content.
pub(crate) fn is_green(command: &mut Command) -> bool {
    command.output().unwrap().status.success()
}

/// What was told, as `path: why`.
pub(crate) fn told(outcome: &RoomOutcome) -> Vec<String> {
    let told = outcome.tampering.iter().map(|told| format!("{}: {}", told.path, told.why));
    told.collect()
}

/// How the run of this name ended.
pub(crate) fn ended(outcome: &RoomOutcome, name: &str) -> Ended {
    let run = outcome.runs.iter().find(|(run, _)| run == name);
    run.unwrap_or_else(|| panic!("{name} was not run:\n{}", story(outcome))).1.ended
}

/// Everything that was said, for whoever reads a failure.
pub(crate) fn story(outcome: &RoomOutcome) -> String {
    let runs = outcome.runs.iter().map(|(name, outcome)| (name.as_str(), outcome));
    let all = outcome.build.iter().map(|build| ("build", build)).chain(runs);
    let mut story = format!("{:?} {:?}\n", outcome.canary, told(outcome));
    for (name, outcome) in all {
        story += &format!("== {name}: {:?}\n", outcome.ended);
        story += &String::from_utf8_lossy(&outcome.stdout.kept);
        story += &String::from_utf8_lossy(&outcome.stderr.kept);
    }
    story
}
