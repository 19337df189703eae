//! Evidence that a clone can check: keys, signatures, and what the audit says when somebody touched something.

use std::fs;
use std::path::{Path, PathBuf};

use sealwright_kernel::task::{Event, Input};
use sealwright_kernel::{Actor, TaskId};
use sealwright_store::{Draft, Head};
use serde_json::{Value, json};

use crate::task_performer::{TestRepo, edit};

/// A repository with a finished and signed task, committed with its anchor.
fn signed() -> (TestRepo, TaskId) {
    let shop = TestRepo::new();
    let (task, anchor) = shop.finished();
    assert!(shop.see(&["keys", "new"]).ends_with("= 0"));
    assert!(shop.see(&["keys", "sign", task.as_str()]).ends_with("= 0"));
    shop.commit(Some(&anchor));
    (shop, task)
}

fn verify(shop: &TestRepo, more: &[&str]) -> (Value, i32) {
    let args = [&["verify", "--allow-changes", "--format", "json"], more].concat();
    let output = shop.sealwright(&args).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{said}"));
    (value, output.status.code().unwrap())
}

fn objects(value: &Value) -> Vec<String> {
    let found = value["findings"].as_array().unwrap().iter();
    found.map(|it| it["object"].as_str().unwrap().to_owned()).collect()
}

fn key(shop: &TestRepo) -> String {
    let output = shop.sealwright(&["keys", "list", "--format", "json"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let keys = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut mine = keys.filter(|key| key["home"] == "here");
    mine.next().unwrap()["key"].as_str().unwrap().to_owned()
}

fn statement(shop: &TestRepo, task: &TaskId, name: &str) -> PathBuf {
    shop.path(".sealwright/store/attestations").join(task.as_str()).join(format!("{name}.json"))
}

#[test]
fn a_clone_alone_shows_what_was_proven_and_by_whose_key() {
    let (shop, _) = signed();
    let clone = shop.home().join("clone");
    shop.git(&["clone", "--quiet", ".", clone.to_str().unwrap()]);
    let see = |more: &[&str]| {
        let mut command = shop.sealwright(&[&["verify", "--allow-changes"], more].concat());
        let output = command.current_dir(&clone).output().unwrap();
        // What it says of the code has the names of commits in it.
        let said = String::from_utf8(output.stdout).unwrap();
        let is_record = |line: &&str| !line.contains("HEAD (") && !line.contains("in no branch");
        let said: Vec<&str> = said.lines().filter(is_record).collect();
        let (said, exit) = (said.join("\n"), output.status.code().unwrap());
        format!("{said}\n= {exit}").replace(&key(&shop), "KEY")
    };
    insta::assert_snapshot!(see(&[]), @"
    • 8 signed statements, 1 key trusted from this clone; --trust pins keys
    • 2 decisions by Ada (not signed: only a name)
    ✓ records intact, 1 task proven: 1 stream, 17 records, 1 anchor, 6 blobs, 0 snapshots
    = 0
    ");
    insta::assert_snapshot!(see(&["--trust", &key(&shop)]), @"
    • 8 signed statements, 1 key pinned with --trust
    • 2 decisions by Ada (not signed: only a name)
    ✓ records intact, 1 task proven: 1 stream, 17 records, 1 anchor, 6 blobs, 0 snapshots
    = 0
    ");
}

/// Without a pin whoever can write all files can sign with a key of their own; with one they cannot.
#[test]
fn a_forger_with_a_key_of_their_own_is_seen_where_keys_are_pinned() {
    let (shop, task) = signed();
    let honest = key(&shop);
    // The forger takes everything signed away, and signs the same with their own key.
    fs::remove_dir_all(shop.path(".sealwright/keys")).unwrap();
    fs::remove_dir_all(shop.path(".sealwright/store/attestations")).unwrap();
    let forged = |args: &[&str]| {
        let mut command = shop.sealwright(args);
        command.env("SEALWRIGHT_STATE", shop.home().join("of-the-forger"));
        assert!(command.output().unwrap().status.success());
    };
    forged(&["keys", "new"]);
    forged(&["keys", "sign", task.as_str()]);
    let (unpinned, exit) = verify(&shop, &[]);
    assert_eq!((&unpinned["trust"], exit), (&json!("clone"), 0));
    let (pinned, exit) = verify(&shop, &["--trust", &honest]);
    assert_eq!((&pinned["trust"], exit), (&json!("pinned"), 10));
    let told = objects(&pinned);
    assert!(
        told.iter().all(|object| object.starts_with("statement ")) && told.len() > 5,
        "{told:?}"
    );
    assert!(pinned["findings"][0]["finding"].as_str().unwrap().contains("not a pinned key"));
}

#[test]
fn a_statement_that_is_gone_altered_or_strange_is_named() {
    let (shop, task) = signed();
    let gone = statement(&shop, &task, "EV-000002");
    let kept = fs::read(&gone).unwrap();
    fs::remove_file(&gone).unwrap();
    assert_eq!(objects(&verify(&shop, &[]).0), [format!("statement {task}/EV-000002")]);
    // The statement of other evidence, signed and whole, in its place.
    fs::copy(statement(&shop, &task, "EV-000003"), &gone).unwrap();
    let (told, _) = verify(&shop, &[]);
    assert_eq!(objects(&told), [format!("statement {task}/EV-000002")]);
    assert!(told["findings"][0]["finding"].as_str().unwrap().contains("differs from the journal"));
    fs::write(&gone, kept).unwrap();
    fs::copy(&gone, statement(&shop, &task, "EV-000999")).unwrap();
    assert_eq!(objects(&verify(&shop, &[]).0), [format!("statement {task}/EV-000999")]);
    fs::remove_file(statement(&shop, &task, "EV-000999")).unwrap();
    assert_eq!(verify(&shop, &[]).1, 0);
    // All of them gone: told without a pin, not proven with one.
    fs::remove_dir_all(shop.path(".sealwright/store/attestations")).unwrap();
    let (told, exit) = verify(&shop, &[]);
    assert_eq!((&told["unsigned"], exit), (&json!([task]), 0));
    assert_eq!(verify(&shop, &["--trust", &key(&shop)]).1, 10);
}

#[test]
fn frozen_files_and_what_evidence_left_have_to_be_kept() {
    let (shop, _) = signed();
    for (content, what) in [
        ("contract", "a frozen part"),
        ("tests", "the frozen tests"),
        ("running 3 tests", ": blob "),
    ] {
        let digest = sealwright_kernel::Digest::of(content.as_bytes());
        let path = shop.journal().layout().blob(&digest, 1);
        let kept = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let (told, exit) = verify(&shop, &[]);
        assert_eq!(exit, 10);
        assert!(objects(&told).contains(&format!("blob {digest}")), "{told}");
        let findings = told["findings"].to_string();
        assert!(findings.contains(what), "{content}: {findings}");
        fs::write(&path, [&kept[..], b"x"].concat()).unwrap();
        assert!(objects(&verify(&shop, &[]).0).contains(&format!("blob {digest}")));
        fs::write(&path, kept).unwrap();
    }
    assert_eq!(verify(&shop, &[]).1, 0);
}

/// Git keeps links; one in the place of a folder must not lead past the checks.
#[test]
fn a_link_in_the_place_of_a_folder_hides_nothing() {
    for (folder, object) in [
        ("store/blobs/sha256", "folder sha256"),
        ("keys", "key keys"),
        ("store/attestations", "statement attestations"),
    ] {
        let (shop, _) = signed();
        let place = shop.path(".sealwright").join(folder);
        let aside = shop.path("aside");
        fs::rename(&place, &aside).unwrap();
        std::os::unix::fs::symlink(&aside, &place).unwrap();
        let (told, exit) = verify(&shop, &[]);
        assert_eq!(exit, 10, "{folder}");
        assert!(objects(&told).contains(&object.to_owned()), "{folder}: {told}");
    }
}

#[test]
fn a_retired_key_holds_for_what_it_signed_and_for_nothing_after() {
    let (shop, task) = signed();
    let old = key(&shop);
    let other = shop.finished().0;
    assert!(shop.see(&["keys", "new", "--rotate"]).ends_with("= 0"));
    assert_ne!(key(&shop), old);
    let (told, exit) = verify(&shop, &[]);
    assert_eq!((exit, &told["unsigned"]), (0, &json!([other])));
    // The old private key is still there; somebody who has it signs another task with it.
    let private_keys = shop.home().join("keys");
    let retirement = shop.path(".sealwright/keys").join(format!("{old}.retired"));
    let aside = fs::read(&retirement).unwrap();
    fs::remove_file(&retirement).unwrap();
    let current = fs::read(private_keys.join("current")).unwrap();
    fs::write(private_keys.join("current"), format!("{old}\n")).unwrap();
    assert!(shop.see(&["keys", "sign", other.as_str()]).ends_with("= 0"));
    fs::write(&retirement, aside).unwrap();
    fs::write(private_keys.join("current"), current).unwrap();
    let (told, exit) = verify(&shop, &[]);
    let all = objects(&told);
    assert_eq!(exit, 10);
    assert!(all.iter().all(|object| object.starts_with(&format!("statement {other}/"))), "{all:?}");
    assert!(told["findings"][0]["finding"].as_str().unwrap().contains("was retired before"));
    // What it signed before holds.
    assert!(!all.iter().any(|object| object.contains(task.as_str())));
}

#[test]
fn a_colleagues_key_is_taken_in_by_somebody_whose_key_counts() {
    let (shop, _) = signed();
    let other = TestRepo::new();
    assert!(other.see(&["keys", "new"]).ends_with("= 0"));
    let exported = other.sealwright(&["keys", "export"]).output().unwrap().stdout;
    let file = shop.path("bob.pub");
    fs::write(&file, &exported).unwrap();
    let trusted = shop.see(&["keys", "trust", "bob.pub"]);
    assert!(trusted.contains("of Ada is trusted") && trusted.ends_with("= 0"), "{trusted}");
    assert_eq!(verify(&shop, &[]).0["keys"], 2);
    let by_a_role = shop.see_with(&["keys", "trust", "bob.pub"], &[("SEALWRIGHT_ROLE", "builder")]);
    assert!(by_a_role.ends_with("= 12"), "{by_a_role}");
    edit(&file, "\"owner\":\"Ada\"", "\"owner\":\"Eve\"");
    let refused = shop.see(&["keys", "trust", "bob.pub"]);
    assert!(refused.ends_with("= 2"), "{refused}");
    // A key file in the clone that nobody vouches for.
    let folder = shop.path(".sealwright/keys");
    let name = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().file_name();
    edit(&folder.join(&name), "\"owner\":\"Ada\"", "\"owner\":\"Eve\"");
    let (told, exit) = verify(&shop, &[]);
    assert_eq!(exit, 10);
    assert!(objects(&told).contains(&format!("key {}", name.to_string_lossy())), "{told}");
}

/// A forger who can hash writes a journal that is whole and says what nobody decided.
#[test]
fn a_journal_that_was_written_anew_is_held_against_the_rules() {
    let forgeries: [(&str, Forge); 6] = [
        ("the actor is not a person", |draft| {
            if decides(draft) {
                draft.actor = Actor::Machine;
            }
        }),
        ("the cause is signed by another actor", |draft| {
            if decides(draft) {
                draft.actor = Actor::Human("Eve".to_owned());
            }
        }),
        ("did not pass on it", |draft| {
            rename(draft, "check-tests", "check-other");
        }),
        ("its events do not follow from its cause", |draft| {
            if draft.cause.get("report").is_some() {
                rename(draft, "limits per tenant", "limits for nobody");
            }
        }),
        ("contradicts the verdict", |draft| {
            if draft.events.iter().any(|event| event.get("probed").is_some()) {
                rename(draft, "\"exit\":0", "\"exit\":1");
            }
        }),
        ("the cause is no input of a person", |draft| {
            if draft.cause.get("report").is_some() {
                draft.actor = Actor::Human("Ada".to_owned());
            }
        }),
    ];
    for (said, forge) in forgeries {
        let shop = TestRepo::new();
        let (task, _) = shop.finished();
        write_anew(&shop, &task, forge);
        let (told, exit) = verify(&shop, &[]);
        assert_eq!(exit, 10, "{said}");
        let findings = told["findings"].to_string();
        assert!(findings.contains(said), "{said}: {findings}");
        assert!(objects(&told).iter().any(|it| it.starts_with(&format!("record {task}#"))));
    }
}

/// Proves: B-018
#[test]
fn a_snapshot_whose_number_was_used_before_or_comes_too_early_is_refused() {
    for number in ["iter-0001", "iter-0009"] {
        let shop = TestRepo::new();
        let (task, _) = shop.finished();
        assert!(shop.file(&task, "context/iter-0003.md").exists());
        assert_eq!(verify(&shop, &[]).1, 0);
        write_anew(&shop, &task, |draft| {
            rename(draft, "\"iteration\":\"iter-0003\"", &format!("\"iteration\":\"{number}\""));
        });
        let (told, exit) = verify(&shop, &[]);
        let findings = told["findings"].to_string();
        assert_eq!(exit, 10, "{number}");
        assert!(
            findings.contains("its events do not follow from its cause"),
            "{number}: {findings}"
        );
    }
}

/// What is signed counts as it was recorded, even where this version would decide otherwise.
#[test]
fn a_rule_that_changed_since_is_told_and_is_no_forgery() {
    let shop = TestRepo::new();
    let (task, _) = shop.finished();
    write_anew(&shop, &task, |draft| {
        if draft.cause.get("report").is_some() {
            rename(draft, "auto-resolved: every check holds", "auto-resolved: all checks hold");
        }
    });
    assert_eq!(verify(&shop, &[]).1, 10);
    assert!(shop.see(&["keys", "new"]).ends_with("= 0"));
    assert!(shop.see(&["keys", "sign", task.as_str()]).ends_with("= 0"));
    // The pages were rendered from what it said before.
    assert!(shop.see(&["check", task.as_str()]).ends_with("= 0"));
    let (told, exit) = verify(&shop, &[]);
    assert_eq!(exit, 0, "{told}");
    let changed = told["changed"].as_array().unwrap();
    assert_eq!(changed.len(), 1, "{told}");
    assert!(changed[0]["finding"].as_str().unwrap().contains("a rule has changed since"));
}

/// Proves: A-034
#[test]
fn a_finished_task_whose_header_was_lowered_is_reported() {
    let shop = TestRepo::new();
    let (task, _) = shop.finished();
    assert_eq!(verify(&shop, &[]).1, 0);
    shop.edit(&task, "TASK.md", "risk: normal", "risk: high");
    let (told, exit) = verify(&shop, &[]);
    let both = vec![format!("text {task}"), format!("view {task}/TASK.md")];
    assert_eq!((objects(&told), exit), (both, 10));
    let of_header = "unguarded_high_risk_auto: the header in TASK.md differs";
    assert!(told["findings"].to_string().contains(of_header), "{told}");
    // And one whose gate record says that the run itself let a high risk through.
    let shop = TestRepo::new();
    let (task, _) = shop.finished();
    write_anew(&shop, &task, |draft| rename(draft, "\"risk\":\"normal\"", "\"risk\":\"high\""));
    let (told, exit) = verify(&shop, &[]);
    let of_gate = "unguarded_high_risk_auto: a high-risk gate was opened without a person";
    assert!(exit == 10 && told["findings"].to_string().contains(of_gate), "{told}");
}

#[test]
fn only_what_passed_its_last_gate_is_signed_and_only_with_a_key_that_counts() {
    let shop = TestRepo::new();
    let (task, _) = shop.finished();
    let nobody = shop.see(&["keys", "sign", task.as_str()]);
    assert!(
        nobody.contains("this installation has no key yet") && nobody.ends_with("= 12"),
        "{nobody}"
    );
    assert!(shop.see(&["keys", "new"]).ends_with("= 0"));
    let parked = shop.parked();
    let early = shop.see(&["keys", "sign", parked.as_str()]);
    assert!(early.contains("has not passed its last gate") && early.ends_with("= 12"), "{early}");
    let role = shop.see_with(&["keys", "sign", task.as_str()], &[("SEALWRIGHT_ROLE", "builder")]);
    assert!(role.ends_with("= 12"), "{role}");
    let first = shop.see(&["keys", "sign", task.as_str()]);
    let again = shop.see(&["keys", "sign", task.as_str()]);
    assert!(first.contains(", 0 were") && again.contains(": 0 statements"), "{first} {again}");
}

type Forge = fn(&mut Draft);

fn decides(draft: &Draft) -> bool {
    draft.events.iter().any(|event| event.get("frozen").is_some())
}

/// Replaces text in what a record says, and in nothing else.
fn rename(draft: &mut Draft, from: &str, to: &str) {
    for event in &mut draft.events {
        *event = serde_json::from_str(&event.to_string().replace(from, to)).unwrap();
    }
}

/// Writes the stream of `task` again with every record bent by `forge`, and every hash right.
fn write_anew(shop: &TestRepo, task: &TaskId, forge: impl Fn(&mut Draft) + Sync) {
    let journal = shop.journal();
    let (mut head, mut lines) = (Head::START, Vec::new());
    journal
        .read_blocking(task.stream(), Head::START, &mut |entry| {
            let record = entry.record()?;
            let mut draft = Draft {
                at: record.at,
                actor: record.actor,
                cause: record.cause,
                events: record.events,
                blobs: record.blobs,
            };
            forge(&mut draft);
            let (line, next) = draft.seal(task.stream(), &head)?;
            lines.extend(line);
            head = next;
            Ok(())
        })
        .unwrap();
    let parsed = |line: &[u8]| serde_json::from_slice::<Value>(line).is_ok();
    assert!(lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).all(parsed));
    let segment = journal.layout().stream(task.stream()).join("000000000001.jsonl");
    fs::write(segment, lines).unwrap();
    forget(journal.layout().root());
    // The words are still those of a task.
    journal
        .read_blocking(task.stream(), Head::START, &mut |entry| {
            entry.events::<Event>()?;
            let cause = entry.record()?.cause;
            assert!(cause.is_null() || serde_json::from_value::<Input>(cause).is_ok());
            Ok(())
        })
        .unwrap();
}

/// What only this machine knew.
fn forget(root: &Path) {
    for local in ["work", "cache"] {
        let _ = fs::remove_dir_all(root.join(local));
    }
}
