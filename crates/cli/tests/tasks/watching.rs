//! Tasks as they are watched without a terminal, and finished work as it is offered to others.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use sealwright_host::Ended;

use crate::scripted_agents::{ScriptedAgents, ScriptedTask};
use crate::task_performer::TestRepo;

#[test]
fn without_a_terminal_one_frame_is_printed() {
    let shop = TestRepo::new();
    assert!(shop.see(&["watch"]).contains("no tasks;"));
    let task = shop.halted();
    let folder = shop.path(".sealwright/work").join(task.as_str());
    fs::create_dir_all(&folder).unwrap();
    let lines = [
        r#"{"at":1700000000000,"begun":{"part":"edit","role":"builder","agent":"codex","model":"gpt-5","effect":"x"}}"#,
        r#"{"at":1700000001000,"event":{"kind":"text","text":"I look first.\u001b[2J\u202e"}}"#,
        r#"{"at":1700000002000,"ended":{"end":"answered","micro_dollars":1230000,"tokens":4560,"turns":3,"wall_ms":789}}"#,
    ];
    fs::write(folder.join("0001-edit.jsonl"), lines.join("\n") + "\n").unwrap();
    let seen = shop.see(&["watch"]);
    for told in [
        &format!("! {task}  halted, phase needs_user_decision, since "),
        "  limits per tenant\n",
        "? BLOCKED: checks failed three times",
        &format!("$ sealwright resolve {task} provide-fix --because"),
        "✗ check-tests: fail (EV-",
        "✓ S-0001 delivered",
        "$1.23, 4,560 tokens in 1 call",
        "22:13:21 says    I look first.\u{fffd}[2J\u{fffd}\n",
        "= 0",
    ] {
        assert!(seen.contains(told), "{told} is not in\n{seen}");
    }
    assert_eq!(shop.see(&["watch", task.as_str()]), seen);
    let other = shop.see(&["watch", "T-nothing"]);
    assert!(other.ends_with("= 2"), "{other}");
}

#[test]
fn a_pipe_that_closes_is_no_error() {
    let shop = TestRepo::new();
    for _ in 0..3 {
        shop.create(&[]);
    }
    let mut command = shop.sealwright(&["watch"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut talk = String::new();
    child.stderr.take().unwrap().read_to_string(&mut talk).unwrap();
    assert_eq!((child.wait().unwrap().code(), talk.as_str()), (Some(0), ""));
}

#[test]
fn only_finished_work_is_offered() {
    let shop = TestRepo::new();
    let task = shop.parked();
    let refused = shop.see(&["pr", task.as_str()]);
    assert!(refused.contains("is parked; a pull request needs a finished task"), "{refused}");
    assert!(refused.contains("hint: `sealwright show ") && refused.ends_with("= 12"), "{refused}");
    let refused = shop.see(&["pr", shop.halted().as_str(), "--create", "--push"]);
    assert!(refused.ends_with("= 12"), "{refused}");
}

#[test]
fn a_pull_request_is_told_by_the_journal_alone() {
    let shop = TestRepo::new();
    let (task, _) = shop.finished();
    let told = shop.see(&["pr", task.as_str()]);
    insta::with_settings!({ filters => vec![
        (r"T-limits-per-tenant-[0-9a-f]{6}", "T-LIMITS"),
        (r"seq=\d+ sha256=[0-9a-f]{64}", "seq=SEQ sha256=HASH"),
        (r"elapsed: [^;]*", "elapsed: SOME TIME"),
    ] }, {
        insta::assert_snapshot!("pull_request", told);
    });
    // Neither folder nor branch is needed: another clone tells the same.
    fs::remove_dir_all(shop.path(".sealwright/tasks")).unwrap();
    assert_eq!(shop.see(&["pr", task.as_str()]), told);
}

#[test]
fn gh_is_called_with_words_and_the_body_on_its_input() {
    let (shop, path) = offered("exit 0");
    let created = see(&shop, &["pr", shop.task.as_str(), "--create"], &[("PATH", &path)]);
    assert_eq!(created, "somewhere/pull/1\n= 0");
    let called = fs::read_to_string(shop.folder().join("called")).unwrap();
    let words: Vec<&str> = called.lines().collect();
    let branch = shop.branch();
    let title = "a day of parking never costs more than 2000 cents";
    let expected = ["pr", "create", "--head", &branch, "--title", title, "--body-file", "-"];
    assert_eq!(words, expected);
    let body = fs::read_to_string(shop.folder().join("body")).unwrap();
    assert!(body.starts_with("## Request\n") && body.contains("| check-tests | pass | EV-"));
    assert!(see(&shop, &["pr", shop.task.as_str()], &[]).contains(body.trim_end()));
    // A base is handed on, and a word that looks like an option is none.
    let created = see(
        &shop,
        &["pr", shop.task.as_str(), "--create", "--base", "develop", "--format", "json"],
        &[("PATH", &path)],
    );
    assert!(
        created.contains("\"base\":\"develop\"") && created.contains("somewhere/pull/1\n= 0"),
        "{created}"
    );
    let called = fs::read_to_string(shop.folder().join("called")).unwrap();
    assert!(called.ends_with("--base\ndevelop\n"), "{called}");
    let bent = see(&shop, &["pr", shop.task.as_str(), "--create", "--base=--web"], &[]);
    assert!(bent.ends_with("= 2"), "{bent}");
}

#[test]
fn a_pull_request_that_cannot_be_opened_says_why() {
    let (shop, path) = offered("echo no login >&2; exit 4");
    let id = shop.task.as_str();
    let refused = see(&shop, &["pr", id, "--create"], &[("PATH", &path)]);
    assert!(refused.contains("no login") && refused.ends_with("= 20"), "{refused}");
    let bare = std::env::var("PATH").unwrap();
    if !std::env::split_paths(&bare).any(|folder| folder.join("gh").exists()) {
        let missing = see(&shop, &["pr", id, "--create"], &[]);
        assert!(missing.contains("cannot run `gh`") && missing.ends_with("= 20"), "{missing}");
    }
    shop.git(&["branch", "--delete", "--force", &shop.branch()]);
    let absent = see(&shop, &["pr", id, "--create"], &[("PATH", &path)]);
    assert!(absent.contains("in this repository") && absent.ends_with("= 12"), "{absent}");
    let role = see(&shop, &["pr", id, "--create"], &[("PATH", &path), ("SEALWRIGHT_ROLE", "x")]);
    assert!(role.contains("agents may not run") && role.ends_with("= 12"), "{role}");
}

#[test]
fn a_branch_is_pushed_only_when_asked_and_never_by_force() {
    let (shop, path) = offered("exit 0");
    let (id, branch) = (shop.task.as_str(), shop.branch());
    let remote = shop.folder().join("remote.git");
    shop.git(&["init", "--quiet", "--bare", remote.to_str().unwrap()]);
    shop.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
    let there = || {
        let listed = shop.git(&["ls-remote", "origin", &format!("refs/heads/{branch}")]);
        listed.split_whitespace().next().map(str::to_owned)
    };
    see(&shop, &["pr", id], &[]);
    see(&shop, &["pr", id, "--create"], &[("PATH", &path)]);
    assert_eq!(there(), None);
    let pushed = see(&shop, &["pr", id, "--push", "--create"], &[("PATH", &path)]);
    assert!(pushed.starts_with("somewhere/pull/1\n") && pushed.ends_with("= 0"), "{pushed}");
    let first = there();
    assert_eq!(first.as_deref(), Some(shop.git(&["rev-parse", &branch]).trim()));
    // Somebody changed the branch there; what is there stays.
    let tip = shop.git(&["rev-parse", &branch]).trim().to_owned();
    let tree = format!("{tip}^{{tree}}");
    let other = shop.git(&["commit-tree", &tree, "-p", "main", "-m", "other"]).trim().to_owned();
    let there_now = format!("+{other}:refs/heads/{branch}");
    shop.git(&["push", "--quiet", "origin", &there_now]);
    let first = there();
    assert_eq!(first.as_deref(), Some(&*other));
    let refused = see(&shop, &["pr", id, "--push"], &[]);
    assert!(refused.contains("cannot push the branch") && refused.ends_with("= 20"), "{refused}");
    assert_eq!(there(), first);
    let nowhere = see(&shop, &["pr", id, "--push", "--remote", "nowhere"], &[]);
    assert!(nowhere.ends_with("= 20"), "{nowhere}");
}

/// A task that shipped its branch, and a `PATH` on which a `gh` keeps what it is called with.
fn offered(then: &str) -> (ScriptedTask, String) {
    let shop = ScriptedTask::quick();
    assert!(matches!(shop.run(&ScriptedAgents::honest(), |_| 0), Ended::Over(_)));
    let (folder, place) = (shop.folder().join("bin"), shop.folder().to_str().unwrap());
    fs::create_dir(&folder).unwrap();
    let script = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$@\" > '{place}/called'\ncat > '{place}/body'\n\
         echo somewhere/pull/1\n{then}\n"
    );
    fs::write(folder.join("gh"), script).unwrap();
    fs::set_permissions(folder.join("gh"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    (shop, path)
}

/// What a person sees, and the exit code.
fn see(shop: &ScriptedTask, words: &[&str], environment: &[(&str, &str)]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sealwright"));
    command.args(words).current_dir(shop.folder()).stdin(Stdio::null());
    let output = command.env("NO_COLOR", "1").envs(environment.iter().copied()).output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap());
    format!("{out}{err}= {}", output.status.code().unwrap())
}
