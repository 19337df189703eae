//! The runner: the one command that carries tasks on, and what it is told.

use std::fs;
use std::process::Stdio;

use sealwright_kernel::task::{Phase, Stage, Status};

use crate::task_performer::{ASKS_BACK, TestRepo};

/// Every other command looks, decides or keeps; whoever wants a task to go on calls the runner, names the task and the
/// repository, and can stand anywhere. The agent's own program and the person's files are as they were.
#[test]
fn tasks_are_carried_on_by_one_command_of_their_own_that_is_told_task_and_repository() {
    let shop = TestRepo::new();
    let config = "[sandbox]\nquick = \"advisory\"\nfactory = \"advisory\"\nstrict = \"advisory\"\n\
                  [checks.make]\ncommand = [\"make\"]\n\
                  [agents.rehearsed]\nkind = \"script\"\ncommand = [\"steps.toml\"]\n";
    fs::write(shop.path("sealwright.toml"), config).unwrap();
    fs::write(shop.path("steps.toml"), ASKS_BACK).unwrap();
    fs::write(shop.path("clock.py"), "").unwrap();
    shop.git(&["add", "sealwright.toml", "steps.toml", "clock.py"]);
    shop.git(&["commit", "--quiet", "--message", "it"]);
    let (task, other) = (shop.create(&[]), shop.create(&[]));
    let (id, transcripts) = (task.as_str(), shop.path(".sealwright/work").join(task.as_str()));
    for words in [
        &["status"][..],
        &["show", id],
        &["inbox"],
        &["log", id],
        &["check", id],
        &["note", id, "mind the clock"],
        &["replay", id],
        &["verify", "--allow-changes"],
    ] {
        let said = shop.see(words);
        assert!(said.ends_with("= 0"), "{words:?}: {said}");
    }
    let looked = shop.look(&task);
    assert_eq!((looked.status(), looked.phase()), (Status::Pending, None));
    assert!(!transcripts.exists(), "somebody was asked");

    let elsewhere = tempfile::tempdir().unwrap();
    let folder = shop.folder().to_str().unwrap();
    let mut command = shop.sealwright(&["do", "--continue", id, "--repository", folder]);
    let output = command.current_dir(elsewhere.path()).stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(11), "{}", String::from_utf8_lossy(&output.stderr));
    let looked = shop.look(&task);
    assert!(matches!(looked.stage(), Stage::Halted { .. }), "{:?}", looked.stage());
    assert_eq!(looked.phase(), Some(Phase::Blocked));
    assert_eq!(fs::read_dir(&transcripts).unwrap().count(), 1);
    assert!(shop.read(&task, "STATE.md").contains("- **Phase:** blocked\n"));
    // Another task of the same repository, and whatever is where one stands, are left alone.
    assert_eq!(shop.look(&other).status(), Status::Pending);
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    assert_eq!(shop.git(&["status", "--porcelain", "--", ":!.sealwright"]), "");
    assert_eq!(fs::read_to_string(shop.path("steps.toml")).unwrap(), ASKS_BACK);
    crate::traces::leave(&shop.path(".sealwright"));
}
