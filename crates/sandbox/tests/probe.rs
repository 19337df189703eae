//! What the probe finds on the machine that runs the tests.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use sealwright_kernel::Level;
use sealwright_sandbox::{Mechanism, SandboxSlots, probe};

fn slots() -> (tempfile::TempDir, SandboxSlots) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o711)).unwrap();
    let launcher = Path::new(env!("CARGO_BIN_EXE_launcher"));
    let slots = SandboxSlots::with_launcher(&folder.path().join("seats"), launcher).unwrap();
    (folder, slots)
}

#[test]
fn namespaces_come_first_and_what_is_found_is_tried() {
    let (_folder, slots) = slots();
    let report = probe::every(&slots).unwrap();
    let names: Vec<_> = report.tried.iter().map(|tried| tried.mechanism.name()).collect();
    assert_eq!(names, ["namespaces", "bubblewrap", "landlock"]);
    for tried in report.tried.iter().filter(|tried| tried.level.is_some()) {
        let could =
            |name: &str| tried.facts.iter().find(|fact| fact.name == name).unwrap().value == "yes";
        assert!(could("write its own files"), "{tried:#?}");
        assert!(!could("read what is outside"), "{tried:#?}");
        assert!(!could("write what is read-only"), "{tried:#?}");
    }
    let best = report.best().expect("some walls can be had wherever the tests run");
    assert_eq!(report.level(), best.level.unwrap());
    assert!(report.tried.iter().all(|tried| tried.level <= best.level));
}

/// Where the host is root, a run has another user. What the host makes for it must not be closed to that user.
#[test]
#[expect(clippy::print_stdout, reason = "the test tells itself what it found under another umask")]
fn the_umask_of_the_host_closes_nothing_to_a_run() {
    const NAME: &str = "the_umask_of_the_host_closes_nothing_to_a_run";
    const UMASK: &str = "SEALWRIGHT_TEST_UMASK";
    if let Ok(umask) = std::env::var(UMASK) {
        // A umask is the whole process's, so this one runs nothing else.
        let umask = u32::from_str_radix(&umask, 8).unwrap();
        rustix::process::umask(rustix::fs::Mode::from_raw_mode(umask));
        let (_folder, slots) = slots();
        let report = probe::every(&slots).unwrap();
        let tried = report.tried.iter();
        let found: Vec<_> = tried.map(|it| (it.mechanism.name(), it.level, &it.why)).collect();
        println!("\nfound {found:?}");
        return;
    }
    let found = |umask: &str| {
        #[expect(clippy::disallowed_methods, reason = "the test itself, under another umask")]
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", NAME, "--nocapture"])
            .env(UMASK, umask)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
        said.lines().find(|line| line.starts_with("found ")).unwrap().to_owned()
    };
    let usual = found("022");
    for umask in ["027", "077", "177"] {
        assert_eq!(found(umask), usual, "{umask}");
    }
}

#[test]
fn walls_of_nothing_are_found_to_be_none() {
    let (_folder, slots) = slots();
    let tried = probe::try_one(&slots, Mechanism::Nothing).unwrap();
    assert_eq!(tried.level, None);
    assert_eq!(
        tried.why.as_deref(),
        Some(
            "a run could read what is outside, see what is outside, write what is read-only, change the mode of what is \
             read-only, reach a service of the host, signal a process of the host, make namespaces"
        )
    );
    assert!(
        tried.facts.iter().any(|fact| fact.name == "read what is outside" && fact.value == "yes")
    );
}

#[test]
fn the_preferred_of_equals_is_the_best() {
    let tried = |mechanism, level| probe::Tried { mechanism, level, why: None, facts: Vec::new() };
    let program = "/usr/bin/bwrap".into();
    let report = probe::Report {
        tried: vec![
            tried(Mechanism::Namespaces, None),
            tried(Mechanism::Bubblewrap { program }, Some(Level::KernelIsolated)),
            tried(Mechanism::Landlock, Some(Level::KernelRestricted)),
        ],
    };
    assert_eq!(report.best().unwrap().mechanism.name(), "bubblewrap");
    let report = probe::Report {
        tried: vec![
            tried(Mechanism::Namespaces, Some(Level::KernelIsolated)),
            tried(Mechanism::Landlock, Some(Level::KernelIsolated)),
        ],
    };
    assert_eq!(report.best().unwrap().mechanism.name(), "namespaces");
    assert_eq!(probe::Report { tried: Vec::new() }.level(), Level::Advisory);
}
