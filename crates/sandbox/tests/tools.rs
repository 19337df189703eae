//! The tools people work with, behind the walls they work behind: git, npm, and a coding agent of today.
//!
//! Cargo and pytest are under test in `room/`, where they do real work.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use sealwright_kernel::Level;
use sealwright_sandbox::plan::{Access, Mount, Need};
use sealwright_sandbox::{Ended, Mechanism, RunOutcome, SandboxSlots, Terms, system, tools};

#[test]
fn git_shows_what_was_changed() {
    let outcome = inside(
        &[("a.txt", "one\n")],
        &[],
        "git init -q . && git add . && git -c user.name=r -c user.email=r@example.com commit -qm one \
         && echo two > a.txt && git diff --stat && git diff | grep '^[+-][a-z]'",
    );
    let said = story(&outcome);
    assert_eq!(outcome.ended, Ended::Exited(0), "{said}");
    assert!(said.contains("1 file changed") && said.contains("-one\n+two"), "{said}");
}

#[test]
fn npm_runs_the_tests_of_a_package() {
    let package = r#"{"name": "adder", "version": "1.0.0", "scripts": {"test": "node --test"}}"#;
    let test = "const test = require('node:test'); const assert = require('node:assert');\n\
                const { add } = require('./add.js');\n\
                test('adds', () => assert.strictEqual(add(2, 3), 5));\n";
    let right = "exports.add = (a, b) => a + b;\n";
    let files = [("package.json", package), ("add.test.js", test), ("add.js", right)];
    let outcome = inside(&files, &[], "npm test");
    let said = story(&outcome);
    assert_eq!(outcome.ended, Ended::Exited(0), "{said}");
    assert!(said.contains("pass 1") && said.contains("fail 0"), "{said}");
    // It is the test that passed, not the silence of a tool that did not run.
    let files = [files[0], files[1], ("add.js", "exports.add = (a, b) => a - b;\n")];
    let outcome = inside(&files, &[], "npm test");
    assert!(story(&outcome).contains("fail 1"), "{}", story(&outcome));
    assert_ne!(outcome.ended, Ended::Exited(0));
}

/// `SEALWRIGHT_AGENTS` names the folder that agents were installed into; the gate sees to it.
#[test]
fn a_coding_agent_starts() {
    let Some(agents) = std::env::var_os("SEALWRIGHT_AGENTS").map(PathBuf::from) else {
        assert!(
            std::env::var_os("CI").is_none(),
            "the gate installs agents and names their folder"
        );
        return;
    };
    let outcome = inside(&[], &[(&agents, AGENTS)], "codex --version && codex exec --help");
    let said = story(&outcome);
    assert_eq!(outcome.ended, Ended::Exited(0), "{said}");
    assert!(said.starts_with("codex-cli ") && said.contains("--output-schema"), "{said}");
}

/// Runs a script beside these files, with these folders of the host mounted and their programs found.
fn inside(files: &[(&str, &str)], folders: &[(&Path, &str)], script: &str) -> RunOutcome {
    let base =
        tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o711)).tempdir().unwrap();
    let launcher = Path::new(env!("CARGO_BIN_EXE_launcher"));
    let slots = SandboxSlots::with_launcher(&base.path().join("seats"), launcher).unwrap();
    let slot = slots.take().unwrap();
    let work = base.path().join("work");
    fs::create_dir(&work).unwrap();
    for (name, text) in files {
        fs::write(work.join(name), text).unwrap();
    }
    if let Some(user) = slot.run_as() {
        let own = |path: &Path| std::os::unix::fs::chown(path, Some(user), Some(user)).unwrap();
        own(&work);
        files.iter().for_each(|(name, _)| own(&work.join(name)));
    }
    let mut plan = system::plan(&slot, &["/bin/sh", "-c", script]).unwrap();
    for tool in tools::found() {
        system::add_tool(&mut plan, &tool.source, tool.at).unwrap();
    }
    for (folder, at) in folders {
        system::add_tool(&mut plan, folder, at).unwrap();
    }
    plan.mounts.push(Mount {
        source: work,
        at: system::WORK.to_owned(),
        access: Access::ReadWrite,
        need: Need::Required,
    });
    plan.folder = system::WORK.to_owned();
    plan.limits.wall_ms = 120_000;
    slot.run(&plan, Terms::new(Mechanism::Namespaces, Level::KernelIsolated)).unwrap()
}

fn story(outcome: &RunOutcome) -> String {
    let said = String::from_utf8_lossy(&outcome.stdout.kept).into_owned();
    said + &String::from_utf8_lossy(&outcome.stderr.kept)
}

/// Where agents appear, inside. Their programs are in `bin`.
const AGENTS: &str = "/opt/agents";
