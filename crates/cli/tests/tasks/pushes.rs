//! Real pushes to real repositories, with the hook and with the action's own steps.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::task_performer::{TestRepo, edit};

/// A repository with a signed task and somewhere to push it.
fn pushing() -> (TestRepo, String) {
    let shop = TestRepo::new();
    let (task, anchor) = shop.finished();
    assert!(shop.see(&["keys", "new"]).ends_with("= 0"));
    assert!(shop.see(&["keys", "sign", task.as_str()]).ends_with("= 0"));
    shop.commit(Some(&anchor));
    let bare = shop.home().join("bare.git");
    shop.git(&["init", "--quiet", "--bare", bare.to_str().unwrap()]);
    shop.git(&["remote", "add", "origin", bare.to_str().unwrap()]);
    (shop, task.to_string())
}

fn push(shop: &TestRepo, more: &[&str]) -> Output {
    let mut command = Command::new("git");
    command.args(["push", "origin", "main"]).args(more).current_dir(shop.folder());
    command.output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_tampered_record_is_not_pushed() {
    let (shop, task) = pushing();
    let installed = shop.see(&["hooks", "install"]);
    assert!(installed.contains(": installed") && installed.ends_with("= 0"), "{installed}");
    let honest = push(&shop, &[]);
    assert!(honest.status.success(), "{}", said(&honest));
    let segment = shop.path(".sealwright/journal").join(&task).join("000000000001.jsonl");
    edit(&segment, "limits per tenant", "limits per TENANT");
    shop.commit(None);
    let refused = push(&shop, &[]);
    assert!(!refused.status.success());
    assert!(said(&refused).contains(&format!("{task}, record 1")), "{}", said(&refused));
    assert!(said(&refused).contains("was not pushed"), "{}", said(&refused));
    // What lies in the folder does not speak for what is pushed.
    edit(&segment, "limits per TENANT", "limits per tenant");
    assert!(shop.see(&["verify", "--allow-changes"]).ends_with("= 0"));
    assert!(!push(&shop, &[]).status.success());
    // Nothing is left of where it was looked at.
    assert_eq!(shop.git(&["worktree", "list"]).lines().count(), 1);
    // The mended commit goes through.
    shop.commit(None);
    assert!(push(&shop, &[]).status.success());
    // Taking a branch away has nothing to verify.
    shop.git(&["push", "--quiet", "origin", "main:other"]);
    shop.git(&["push", "--quiet", "origin", "--delete", "other"]);
}

#[test]
fn a_push_is_held_to_the_keys_that_were_pinned() {
    let (shop, _) = pushing();
    let exported = shop.sealwright(&["keys", "export"]).output().unwrap().stdout;
    let pins = shop.home().join("it's pinned.keys");
    fs::write(&pins, exported).unwrap();
    let trusted = shop.see(&["hooks", "install", "--trust", pins.to_str().unwrap()]);
    assert!(trusted.ends_with("= 0"), "{trusted}");
    let honest = push(&shop, &[]);
    assert!(honest.status.success(), "{}", said(&honest));
    fs::remove_dir_all(shop.path(".sealwright/store/attestations")).unwrap();
    shop.commit(None);
    let refused = push(&shop, &[]);
    assert!(said(&refused).contains(": missing"), "{}", said(&refused));
}

#[test]
fn a_repository_below_the_top_of_another_is_verified_where_it_is() {
    let shop = TestRepo::new();
    let below = shop.path("services/limits");
    fs::create_dir_all(&below).unwrap();
    let inside = |args: &[&str]| {
        let output = shop.sealwright(args).current_dir(&below).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    fs::copy(shop.path("sealwright.toml"), below.join("sealwright.toml")).unwrap();
    inside(&["init", "--repository", "."]);
    inside(&["new", "limits per tenant"]);
    inside(&["hooks", "install"]);
    shop.commit(None);
    let bare = shop.home().join("bare.git");
    shop.git(&["init", "--quiet", "--bare", bare.to_str().unwrap()]);
    shop.git(&["remote", "add", "origin", bare.to_str().unwrap()]);
    assert!(push(&shop, &[]).status.success());
    let journal = below.join(".sealwright/journal");
    let stream = fs::read_dir(&journal).unwrap().next().unwrap().unwrap().path();
    edit(&stream.join("000000000001.jsonl"), "limits per tenant", "limits per TENANT");
    shop.commit(None);
    let refused = push(&shop, &[]);
    assert!(!refused.status.success() && said(&refused).contains("record 1"), "{}", said(&refused));
}

#[test]
fn a_hook_of_somebody_else_is_left_as_it_is() {
    let (shop, _) = pushing();
    let hook = shop.path(".git/hooks/pre-push");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\nexit 0\n").unwrap();
    for command in ["install", "uninstall"] {
        let refused = shop.see(&["hooks", command]);
        assert!(
            refused.contains("not installed by Sealwright") && refused.ends_with("= 12"),
            "{refused}"
        );
        assert_eq!(fs::read_to_string(&hook).unwrap(), "#!/bin/sh\nexit 0\n");
    }
    fs::remove_file(&hook).unwrap();
    assert!(shop.see(&["hooks", "install"]).ends_with("= 0"));
    // Ours, with a line of theirs, is theirs.
    let ours = fs::read_to_string(&hook).unwrap();
    fs::write(&hook, format!("{ours}echo mine\n")).unwrap();
    assert!(shop.see(&["hooks", "uninstall"]).ends_with("= 12"));
    fs::write(&hook, &ours).unwrap();
    assert!(shop.see(&["hooks", "uninstall"]).ends_with("= 0") && !hook.exists());
    // A folder of hooks that other repositories may share is nobody's to write.
    let shared = shop.home().join("shared");
    shop.git(&["config", "core.hooksPath", shared.to_str().unwrap()]);
    let elsewhere = shop.see(&["hooks", "install"]);
    assert!(elsewhere.contains("core.hooksPath") && !shared.exists(), "{elsewhere}");
    let role = shop.see_with(&["hooks", "uninstall"], &[("SEALWRIGHT_ROLE", "builder")]);
    assert!(role.ends_with("= 12"), "{role}");
}

/// The step of `action.yml` that verifies, run as the runner would run it.
#[test]
fn the_action_fails_on_a_clone_that_does_not_verify() {
    let action = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../action.yml");
    let action = fs::read_to_string(action).unwrap();
    let step = step(&action, "Verify");
    let (shop, task) = pushing();
    let exported = shop.sealwright(&["keys", "export"]).output().unwrap().stdout;
    let exported = String::from_utf8(exported).unwrap();
    let act = |trust: &str| {
        let program = Path::new(env!("CARGO_BIN_EXE_sealwright"));
        let path = std::env::var("PATH").unwrap();
        let path = format!("{}:{path}", program.parent().unwrap().display());
        let mut command = Command::new("bash");
        command.args(["-euo", "pipefail", "-c", &step]).current_dir(shop.folder());
        command.env("TRUST", trust).env("REPOSITORY", ".").env("EXACT", "false").env("PATH", path);
        command.env("RUNNER_TEMP", shop.home()).output().unwrap()
    };
    let honest = act(&exported);
    assert_eq!(honest.status.code(), Some(0), "{}", said(&honest));
    let key = exported.split("\"key\":\"").nth(1).unwrap()[..64].to_owned();
    assert_eq!(act(&key).status.code(), Some(0));
    // Nobody pins nothing by mistake.
    assert_ne!(act("").status.code(), Some(0));
    assert_ne!(act("  \n").status.code(), Some(0));
    let statement = shop.path(".sealwright/store/attestations").join(&task).join("EV-000001.json");
    fs::remove_file(statement).unwrap();
    assert_eq!(act(&exported).status.code(), Some(10));
    // The header of a finished task, lowered after the fact.
    shop.git(&["checkout", "--quiet", "--", "."]);
    let text = shop.path(".sealwright/tasks").join(&task).join("TASK.md");
    edit(&text, "risk: normal", "risk: high");
    let refused = act(&exported);
    assert_eq!(refused.status.code(), Some(10));
    let told = String::from_utf8_lossy(&refused.stdout).into_owned();
    assert!(told.contains("unguarded_high_risk_auto"), "{told}");
}

/// The script of a step, by its name.
fn step(action: &str, name: &str) -> String {
    let from = action.find(&format!("- name: {name}\n")).unwrap();
    let (_, script) = action[from..].split_once("run: |\n").unwrap();
    let indent = script.len() - script.trim_start().len();
    let lines = script
        .lines()
        .take_while(|line| line.is_empty() || line.len() - line.trim_start().len() >= indent);
    lines.map(|line| line.get(indent..).unwrap_or_default()).collect::<Vec<_>>().join("\n")
}
