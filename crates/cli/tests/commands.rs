//! The binary, as people and programs use it.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]
#![expect(clippy::disallowed_methods, reason = "these tests start the binary")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A copy of the journal that a released version left behind.
struct Recorded {
    folder: tempfile::TempDir,
    stream: &'static str,
}

impl Recorded {
    /// A task that was noted on, edited, adopted and cancelled.
    fn copy() -> Self {
        Self::copy_of("task", TASK)
    }

    fn copy_of(kind: &str, stream: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let recorded =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/journals/0.1.0").join(kind);
        copy_tree(&recorded.join(".sealwright"), &folder.path().join(".sealwright"));
        Self { folder, stream }
    }

    fn segment(&self) -> PathBuf {
        let stream = self.folder.path().join(".sealwright/journal").join(self.stream);
        stream.join("000000000001.jsonl")
    }

    fn edit(&self, from: &str, to: &str) {
        let text = fs::read_to_string(self.segment()).unwrap();
        assert!(text.contains(from), "nothing to edit");
        fs::write(self.segment(), text.replacen(from, to, 1)).unwrap();
    }

    /// What a person sees: the command, both outputs, the exit code.
    fn see(&self, args: &[&str]) -> String {
        see(self.folder.path(), args)
    }
}

/// The same in every run: a commit has a time in it.
fn without_commit(text: &str) -> String {
    match text.split_once("• HEAD (") {
        Some((before, after)) => {
            let (_, after) = after.split_once(')').unwrap();
            format!("{before}• HEAD (COMMIT){after}")
        }
        None => text.to_owned(),
    }
}

fn see(folder: &Path, args: &[&str]) -> String {
    let output = sealwright(folder, args).output().unwrap();
    let (out, err) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    let place = folder.to_string_lossy().into_owned();
    let text =
        format!("$ sealwright {}\n{out}{err}= {}", args.join(" "), output.status.code().unwrap());
    without_commit(&text.replace(&place, "FOLDER"))
}

fn sealwright(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sealwright"));
    command.args(args).current_dir(folder).env("NO_COLOR", "1").env("COLUMNS", "100");
    command.stdin(Stdio::null());
    command
}

fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_tree(&entry.path(), &target),
            false => {
                fs::copy(entry.path(), target).unwrap();
            }
        }
    }
}

/// Journals of released versions verify and replay for ever.
#[test]
fn a_recorded_journal_verifies_and_replays() {
    let recorded = Recorded::copy();
    insta::assert_snapshot!(recorded.see(&["verify"]), @"
    $ sealwright verify
    • 1 task shipped nothing; only the records were checked
    • 4 decisions by ada (not signed: only a name)
    ✓ intact, nothing proven: 1 stream, 6 records, 0 anchors, 2 blobs, 0 snapshots
    = 0
    ");
    insta::assert_snapshot!(recorded.see(&["journal"]), @"
    $ sealwright journal
     stream                              records  condition  head
     T-limit-requests-per-tenant-fdd1f3  6        ended      72862d6238b9
    = 0
    ");
    insta::assert_snapshot!(recorded.see(&["journal", TASK]), @"
    $ sealwright journal T-limit-requests-per-tenant-fdd1f3
     seq  at                    actor    cause   events          hash
     1    2026-11-16 14:27:43Z  ada      create  created         b86c43710d1b
     2    2026-11-16 14:27:44Z  ada      person  noted           94ff0d2ed317
     3    2026-11-16 14:27:45Z  machine  notice  text_drifted    b5bd6062e5c5
     4    2026-11-16 14:27:46Z  ada      person  adopted         90658e9ec6df
     5    2026-11-16 14:27:47Z  ada      person  abandoned       d7d67237f23a
     6    2026-11-16 14:27:47Z  machine  –       journal: ended  72862d6238b9
    = 0
    ");
    insta::assert_snapshot!(recorded.see(&["replay", "--at", "4"]), @r#"
    $ sealwright replay --at 4
    # task T-limit-requests-per-tenant-fdd1f3 after record 4
    {
      "known": {
        "amended": [],
        "amendments": [],
        "attempt": 0,
        "bundle": null,
        "charter": {
          "belongs": "alone",
          "checks": [
            "tests"
          ],
          "criteria": [],
          "freeze": "asked",
          "header": {
            "autonomy": "auto",
            "risk": "normal"
          },
          "id": "T-limit-requests-per-tenant-fdd1f3",
          "lane": "quick",
          "text": "da67eb1e3fe78b74d2f55822a8350036b1bdacd881da71c0afd4296cb26d759f",
          "title": "Limit the requests of each tenant"
        },
        "created_by": "ada",
        "drafts": 0,
        "drifted": null,
        "escalations": 0,
        "evidence": [],
        "fix_by": null,
        "frame": null,
        "frozen": null,
        "guarded": null,
        "heals": 0,
        "iteration": null,
        "mild": 0,
        "minted": 0,
        "news": 1,
        "notes": [
          [
            "ada",
            "a tenant is named by its key"
          ]
        ],
        "plan": [],
        "post_mortems": [],
        "record": null,
        "residue": [],
        "revisions": 0,
        "slices": [],
        "tampered": [],
        "test_tries": 0,
        "to_mend": [],
        "told": 0,
        "tree": null,
        "verified": null,
        "verify_fails": 0,
        "visit": 1
      },
      "stage": "pending"
    }
    = 0
    "#);
    insta::assert_snapshot!(recorded.see(&["replay", TASK, "--at", "2", "--format", "json"]), @r#"
    $ sealwright replay T-limit-requests-per-tenant-fdd1f3 --at 2 --format json
    {"aggregate":"task","head":{"hash":"94ff0d2ed31748178b56cdfb21c9d75896a4da721ff5adc24c024619f7f0510a","seq":2},"state":{"known":{"amended":[],"amendments":[],"attempt":0,"bundle":null,"charter":{"belongs":"alone","checks":["tests"],"criteria":[],"freeze":"asked","header":{"autonomy":"auto","risk":"normal"},"id":"T-limit-requests-per-tenant-fdd1f3","lane":"quick","text":"5515812bfc7e723e173df58d40d3326b58b06da1a6f76e3ac58ae076273b7bab","title":"Limit requests per tenant"},"created_by":"ada","drafts":0,"drifted":null,"escalations":0,"evidence":[],"fix_by":null,"frame":null,"frozen":null,"guarded":null,"heals":0,"iteration":null,"mild":0,"minted":0,"news":1,"notes":[["ada","a tenant is named by its key"]],"plan":[],"post_mortems":[],"record":null,"residue":[],"revisions":0,"slices":[],"tampered":[],"test_tries":0,"to_mend":[],"told":0,"tree":null,"verified":null,"verify_fails":0,"visit":1},"stage":"pending"},"stream":"T-limit-requests-per-tenant-fdd1f3"}
    = 0
    "#);
    insta::assert_snapshot!(recorded.see(&["verify", "--format", "json"]), @r#"
    $ sealwright verify --format json
    {"anchors":0,"blobs":2,"blobs_elsewhere":0,"bytes":3496,"changed":[],"code":null,"decisions":4,"evidence":0,"explained":[],"findings":[],"history":"none","keys":0,"records":6,"snapshots":0,"statements":0,"streams":1,"torn":[],"trust":"clone","unaudited":[],"unsigned":[],"verdict":"proven"}
    = 0
    "#);
    insta::assert_snapshot!(recorded.see(&["journal", TASK, "--last", "1", "--format", "json"]), @r#"
    $ sealwright journal T-limit-requests-per-tenant-fdd1f3 --last 1 --format json
    {"actor":"machine","at":1794839267775,"blobs":[],"cause":null,"events":[{"journal":"ended"}],"hash":"72862d6238b93d762df9a0906b8194e258fef8c9a370b6b02401d5c6c0b5691f","prev":"d7d67237f23ae4f63be4a86bf1d8b6fb0d59376d98cba1d4d860cb60b1f53eec","seq":6,"stream":"T-limit-requests-per-tenant-fdd1f3"}
    = 0
    "#);
}

/// No machine of this version folds an `INV-` stream; `verify` checks its hashes and says that this is all.
#[test]
fn a_stream_without_a_machine_is_checked_by_its_hashes() {
    let recorded = Recorded::copy_of("invocation", "INV-000001");
    insta::assert_snapshot!(recorded.see(&["verify"]), @"
    $ sealwright verify
    • INV-000001 has events that this version does not know; only its hashes were checked
    • 1 decision by ada (not signed: only a name)
    ✓ intact, nothing proven: 1 stream, 10 records, 0 anchors, 0 blobs, 0 snapshots
    = 0
    ");
    insta::assert_snapshot!(recorded.see(&["replay"]), @"
    $ sealwright replay
    error: no machine in this version for the stream `INV-000001`
    hint: another version of Sealwright wrote it; use that version
    = 12
    ");
    insta::assert_snapshot!(recorded.see(&["journal", "INV-000001", "--last", "3"]), @"
    $ sealwright journal INV-000001 --last 3
     seq  at                    actor        cause         events          hash
     8    2026-01-01 00:00:07Z  environment  inspected     accepted        fb73f771d3e6
     9    2026-01-01 00:00:08Z  environment  tree_settled  tree_settled    3418fb9f2d02
     10   2026-01-01 00:00:09Z  machine      –             journal: ended  036a31a199ab
    7 earlier records not shown; use --last or --format json
    = 0
    ");
    recorded.edit("is missing", "is present");
    insta::assert_snapshot!(recorded.see(&["verify"]), @"
    $ sealwright verify
    ✗ INV-000001, record 4: the content does not match its hash
      restore `.sealwright/journal/INV-000001` from git or a backup
    checked 1 stream, 3 records, 0 anchors, 0 blobs, 0 snapshots
    error: not proven: 1 finding
    = 10
    ");
}

#[test]
fn a_changed_byte_is_not_proven_and_named() {
    let recorded = Recorded::copy();
    recorded.edit("requests of each tenant", "requests of every user");
    insta::assert_snapshot!(recorded.see(&["verify"]), @"
    $ sealwright verify
    ✗ T-limit-requests-per-tenant-fdd1f3, record 4: the content does not match its hash
      restore `.sealwright/journal/T-limit-requests-per-tenant-fdd1f3` from git or a backup
    checked 1 stream, 3 records, 0 anchors, 2 blobs, 0 snapshots
    error: not proven: 1 finding
    = 10
    ");
    insta::assert_snapshot!(recorded.see(&["verify", "--format", "json"]), @r#"
    $ sealwright verify --format json
    {"anchors":0,"blobs":2,"blobs_elsewhere":0,"bytes":0,"changed":[],"code":null,"decisions":0,"evidence":0,"explained":[],"findings":[{"finding":"T-limit-requests-per-tenant-fdd1f3, record 4: the content does not match its hash","hint":"restore `.sealwright/journal/T-limit-requests-per-tenant-fdd1f3` from git or a backup","object":"record T-limit-requests-per-tenant-fdd1f3#4","seq":4,"stream":"T-limit-requests-per-tenant-fdd1f3"}],"history":"none","keys":0,"records":3,"snapshots":0,"statements":0,"streams":1,"torn":[],"trust":"clone","unaudited":[],"unsigned":[],"verdict":"not_proven"}
    error: not proven: 1 finding
    = 10
    "#);
    insta::assert_snapshot!(recorded.see(&["replay"]), @"
    $ sealwright replay
    error: cannot use the journal
      caused by: T-limit-requests-per-tenant-fdd1f3, record 4: the content does not match its hash
    hint: restore `.sealwright/journal/T-limit-requests-per-tenant-fdd1f3` from git or a backup
    = 10
    ");
    insta::assert_snapshot!(recorded.see(&["journal"]), @"
    $ sealwright journal
     stream                              records  condition  head
     T-limit-requests-per-tenant-fdd1f3  ?        damaged    see `sealwright verify`
    = 0
    ");
}

#[test]
fn a_snapshot_that_is_not_the_fold_is_not_proven() {
    use sealwright_store::{FileJournal, Journal as _, Snapshot};
    let recorded = Recorded::copy();
    let journal = FileJournal::at(recorded.folder.path().join(".sealwright"));
    let stream = TASK.parse().unwrap();
    let head =
        journal.read_blocking(&stream, sealwright_store::Head::START, &mut |_| Ok(())).unwrap();
    let state = serde_json::json!({"known": null, "stage": "idle"});
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(journal.keep_snapshot(&Snapshot { stream, head, state })).unwrap();
    insta::assert_snapshot!(recorded.see(&["verify"]), @"
    $ sealwright verify
    ✗ T-limit-requests-per-tenant-fdd1f3, snapshot at 6: the snapshot differs from its stream
      delete it in `.sealwright/cache/snapshots`; Sealwright rebuilds it
    • 4 decisions by ada (not signed: only a name)
    checked 1 stream, 6 records, 0 anchors, 2 blobs, 1 snapshot
    error: not proven: 1 finding
    = 10
    ");
}

#[test]
fn a_torn_tail_is_told_and_proves_nothing_wrong() {
    let recorded = Recorded::copy();
    let mut content = fs::read(recorded.segment()).unwrap();
    content.extend(b"{\"actor\":");
    fs::write(recorded.segment(), content).unwrap();
    insta::assert_snapshot!(recorded.see(&["verify"]), @"
    $ sealwright verify
    • T-limit-requests-per-tenant-fdd1f3 ends with an incomplete line after a crash; its next writer drops it
    • 1 task shipped nothing; only the records were checked
    • 4 decisions by ada (not signed: only a name)
    ✓ intact, nothing proven: 1 stream, 6 records, 0 anchors, 2 blobs, 0 snapshots
    = 0
    ");
}

#[test]
fn mistakes_are_answered_with_what_to_do() {
    let recorded = Recorded::copy();
    insta::assert_snapshot!(recorded.see(&["replay", "t-limit-requests-per-tenant-fdd1f3"]), @"
    $ sealwright replay t-limit-requests-per-tenant-fdd1f3
    error: no stream `t-limit-requests-per-tenant-fdd1f3`
    hint: did you mean `T-limit-requests-per-tenant-fdd1f3`?
    = 2
    ");
    insta::assert_snapshot!(recorded.see(&["replay", "--at", "99"]), @"
    $ sealwright replay --at 99
    error: T-limit-requests-per-tenant-fdd1f3 has no record 99; its last record is 6
    hint: choose a record from 1 to 6
    = 2
    ");
    insta::assert_snapshot!(recorded.see(&["replay", "--at", "0"]), @"
    $ sealwright replay --at 0
    error: invalid value '0' for '--at <SEQ>': 0 is not in 1..18446744073709551615

    For more information, try '--help'.
    = 2
    ");
    insta::assert_snapshot!(recorded.see(&["journal", "../../etc"]), @"
    $ sealwright journal ../../etc
    error: no stream `../../etc`
    hint: `sealwright journal` lists streams
    = 2
    ");
    let streams = recorded.folder.path().join(".sealwright/journal");
    copy_tree(&streams.join(TASK), &streams.join("X-new-001"));
    insta::assert_snapshot!(recorded.see(&["replay"]), @"
    $ sealwright replay
    error: 2 streams; name one
    hint: `sealwright journal` lists streams
    = 2
    ");
    insta::assert_snapshot!(recorded.see(&["replay", "X-new-001"]), @"
    $ sealwright replay X-new-001
    error: no machine in this version for the stream `X-new-001`
    hint: another version of Sealwright wrote it; use that version
    = 12
    ");
    insta::assert_snapshot!(recorded.see(&["verify"]), @"
    $ sealwright verify
    ✗ X-new-001, record 1: the line is not the expected record
      restore `.sealwright/journal/X-new-001` from git or a backup
    • 4 decisions by ada (not signed: only a name)
    checked 2 streams, 6 records, 0 anchors, 2 blobs, 0 snapshots
    error: not proven: 1 finding
    = 10
    ");
    let empty = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(see(empty.path(), &["verify"]), @"
    $ sealwright verify
    error: no `.sealwright` in this folder or above
    hint: `sealwright init` creates one; `--repository FOLDER` names another repository
    = 20
    ");
    let elsewhere = recorded.folder.path().to_str().unwrap();
    let seen = see(empty.path(), &["--repository", elsewhere, "replay", TASK, "--at", "1"]);
    assert!(seen.ends_with("= 0"), "{seen}");
    // A folder that was named is that folder, not one above it.
    insta::assert_snapshot!(recorded.see(&["--repository", "mistyped", "verify"]), @"
    $ sealwright --repository mistyped verify
    error: no `.sealwright` in mistyped
    hint: `sealwright init` creates one; `--repository FOLDER` names another repository
    = 20
    ");
}

/// A folder above may be open to everybody, such as the one for temporary files.
#[test]
fn what_another_user_left_above_is_not_taken_for_ones_own() {
    let recorded = Recorded::copy();
    let below = recorded.folder.path().join("mine");
    fs::create_dir(&below).unwrap();
    assert!(see(&below, &["status"]).ends_with("= 0"));
    // Only root can give something away.
    if std::os::unix::fs::chown(recorded.folder.path().join(".sealwright"), Some(4_321), None)
        .is_err()
    {
        return;
    }
    let seen =
        see(&below, &["status"]).replace(&*recorded.folder.path().to_string_lossy(), "ABOVE");
    insta::assert_snapshot!(seen, @"
    $ sealwright status
    error: `.sealwright` in ABOVE belongs to another user
    hint: work as that user; or, if you trust it, name it with `--repository FOLDER`
    = 20
    ");
    assert!(see(&below, &["--repository", "..", "status"]).ends_with("= 0"));
}

/// One stream that a newer version wrote does not hide that another is damaged.
#[test]
fn verify_says_everything_it_finds() {
    use sealwright_store::{Draft, FileJournal, Head, Journal as _, Snapshot};
    let recorded = Recorded::copy();
    recorded.edit("requests of each tenant", "requests of every user");
    let journal = FileJournal::at(recorded.folder.path().join(".sealwright"));
    let stream: sealwright_kernel::StreamId = "project".parse().unwrap();
    let draft = Draft {
        at: sealwright_kernel::Timestamp::from_millis(1),
        actor: sealwright_kernel::Actor::Human("ada\u{1b}[2J\u{9b}2J".to_owned()),
        cause: serde_json::json!({"future": "\u{202e}\u{7f}"}),
        events: vec![serde_json::json!({"unheard_of": {}})],
        blobs: vec![],
    };
    let (line, head) = draft.seal(&stream, &Head::START).unwrap();
    fs::create_dir_all(journal.layout().stream(&stream)).unwrap();
    fs::write(journal.layout().stream(&stream).join("000000000001.jsonl"), line).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let snapshot = Snapshot { stream, head, state: serde_json::json!(1) };
    runtime.block_on(journal.keep_snapshot(&snapshot)).unwrap();
    insta::assert_snapshot!(recorded.see(&["verify"]), @"
    $ sealwright verify
    ✗ T-limit-requests-per-tenant-fdd1f3, record 4: the content does not match its hash
      restore `.sealwright/journal/T-limit-requests-per-tenant-fdd1f3` from git or a backup
    ✗ project, snapshot at 1: cannot fold the stream: project, record 1: this version cannot read its events
      delete it in `.sealwright/cache/snapshots`; Sealwright rebuilds it
    • project has events that this version does not know; only its hashes were checked
    • 1 decision by ada�[2J�2J (not signed: only a name)
    checked 2 streams, 4 records, 0 anchors, 2 blobs, 1 snapshot
    error: not proven: 2 findings
    = 10
    ");
    insta::assert_snapshot!(recorded.see(&["replay", "project"]), @"
    $ sealwright replay project
    error: cannot use the journal
      caused by: project, record 1: this version cannot read its events
      caused by: unknown variant `unheard_of`, expected one of `spec_emitted`, `spec_decided`, `admitted`, `plan_opened`, `plan_closed`, `superseded`, `spec_amended`, `rewired`, `parallel_set`, `stranded`, `opened`, `turn_given`, `dispatched`, `heard`, `run` at line 1 column 14
    hint: a newer Sealwright wrote this journal; use that version
    = 12
    ");
    // Nothing it says steers a terminal.
    insta::assert_snapshot!(recorded.see(&["journal", "project"]), @"
    $ sealwright journal project
     seq  at                    actor       cause   events      hash
     1    1970-01-01 00:00:00Z  ada�[2J�2J  future  unheard_of  8c8aba4cac94
    = 0
    ");
    insta::assert_snapshot!(recorded.see(&["journal", "project", "--format", "json"]), @r#"
    $ sealwright journal project --format json
    {"actor":{"human":"ada\u001b[2J\u009b2J"},"at":1,"blobs":[],"cause":{"future":"\u202e\u007f"},"events":[{"unheard_of":{}}],"hash":"8c8aba4cac94f88b1b8207ff4a86190ffaaeaa9c6e6386f9a4df1fd26dc98d76","prev":"0000000000000000000000000000000000000000000000000000000000000000","seq":1,"stream":"project"}
    = 0
    "#);
    insta::assert_snapshot!(recorded.see(&["journal", TASK, "--last", "2"]), @"
    $ sealwright journal T-limit-requests-per-tenant-fdd1f3 --last 2
     seq  at                    actor    cause   events        hash
     2    2026-11-16 14:27:44Z  ada      person  noted         94ff0d2ed317
     3    2026-11-16 14:27:45Z  machine  notice  text_drifted  b5bd6062e5c5
    error: cannot use the journal
      caused by: T-limit-requests-per-tenant-fdd1f3, record 4: the content does not match its hash
    hint: restore `.sealwright/journal/T-limit-requests-per-tenant-fdd1f3` from git or a backup
    = 10
    ");
}

#[test]
fn a_shallow_clone_says_that_it_does_not_know_everything() {
    let recorded = Recorded::copy();
    let clone = tempfile::tempdir().unwrap();
    let git = |folder: &Path, args: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]);
        command.args(["-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null"]);
        assert!(command.args(args).current_dir(folder).output().unwrap().status.success());
    };
    let folder = recorded.folder.path();
    git(folder, &["init", "--quiet"]);
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "--message=one"]);
    git(folder, &["commit", "--quiet", "--allow-empty", "--message=two"]);
    let from = format!("file://{}", folder.display());
    git(clone.path(), &["clone", "--quiet", "--depth=1", &from, "clone"]);
    insta::assert_snapshot!(see(&clone.path().join("clone"), &["verify"]), @"
    $ sealwright verify
    • the git history is shallow; older commits were not checked
    • 1 task shipped nothing; only the records were checked
    • 4 decisions by ada (not signed: only a name)
    ✓ intact, nothing proven: 1 stream, 6 records, 0 anchors, 2 blobs, 0 snapshots
    • HEAD (COMMIT): nothing in its history was proven
    error: this commit is not proven: nothing in its history was proven
    hint: `--allow-changes` accepts that; what a task proved is on its branch, `sealwright/TASK`
    = 13
    ");
}

#[test]
fn every_command_explains_itself() {
    let folder = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(see(folder.path(), &["--help"]), @r#"
    $ sealwright --help
    A software factory: coding agents make a change, Sealwright proves it before you get a branch

    Usage: sealwright [OPTIONS] <COMMAND>

    Begin:
      init       Set up this repository
      demo       See it work in a minute; no key, no network
      doctor     Check this machine: sandbox, clean rooms, agents and models
      allow      Allow addresses, keys, prices and scripts of this repository
      login      Let agents use your own login of Codex, Claude Code or Copilot

    Work:
      do         Make one change in this repository and prove it
      new        Create a task from a sentence or a file
      status     Show the status of every task
      show       Show one task: objective, slices, evidence and open question
      watch      Watch tasks while they run
      log        Show the history of a task in words

    Project:
      spec       Check a product spec
      plan       Plan a project from a product spec
      run        Build the planned project, task by task
      continue   Say that your part is done, and go on
      stop       Stop the work of a version, for a person to decide how it goes on
      abandon    Give up the version that is worked on, where it waits for you
      validate   Record what users say of a delivered version
      iterate    Begin the next version of a delivered project
      graph      Show the tasks of the project, and what each waits for

    Decide:
      inbox      List open questions that only a person can answer
      approve    Approve a contract, or finished work
      decline    Decline a contract, or finished work
      answer     Answer a question in your own words
      resolve    Resolve a halt: choose how the task continues
      cancel     Cancel a task: end it without a result, in whatever state it is
      note       Add a note to a task
      heal       Report a cheat: the tests are green, but the work is not done
      budget     Show the cost of a task, or raise its budget
      sign       Sign your decisions with your own SSH key

    Prove:
      evidence   Print the evidence of a task, also in formats of other tools
      pr         Print the pull request of a finished task
      verify     Verify journal, decisions, evidence and signatures offline
      restore    Restore an earlier tree of a task as a commit on a new branch

    Try:
      gates      List the checks of this project, or run one
      evaluate   Judge the last changes of this repository with its gates
      agents     Try a configured agent
      sandbox    Show what a role can see, or run a command in its sandbox

    More commands:
      check, adopt, acknowledge, logout, keys, hooks, journal, replay, mcp
      completions

    Options:
          --repository <FOLDER>
              Repository folder [default: the nearest folder above that contains `.sealwright`]

          --format <FORMAT>
              Output format

              Possible values:
              - human: Text for people
              - json:  One JSON value, or one per line
              
              [default: human]

      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version

    Examples:
      sealwright do "a day of parking never costs more than 2000 cents"
      sealwright inbox
      sealwright help resolve

    Exit codes:
       0  done
       2  usage error
      10  not proven
      11  waiting for a person
      12  refused
      13  nothing to verify, or changed since it was proven
      20  environment error
    = 0
    "#);
    insta::assert_snapshot!(see(folder.path(), &["journal", "-h"]), @"
    $ sealwright journal -h
    List streams, or the records of one stream

    Usage: sealwright journal [OPTIONS] [STREAM]

    Arguments:
      [STREAM]  Stream whose records to list

    Options:
          --last <COUNT>         Only the last COUNT records
          --repository <FOLDER>  Repository folder [default: the nearest folder above that contains
                                 `.sealwright`]
          --format <FORMAT>      Output format [default: human] [possible values: human, json]
      -h, --help                 Print help (see more with '--help')
    = 0
    ");
}

#[test]
fn an_anchor_in_the_history_is_held_against_the_stream() {
    let recorded = Recorded::copy();
    let folder = recorded.folder.path();
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]);
        command.args(["-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null"]);
        assert!(command.args(args).current_dir(folder).output().unwrap().status.success());
    };
    git(&["init", "--quiet"]);
    insta::assert_snapshot!(recorded.see(&["verify"]), @"
    $ sealwright verify
    • 1 task shipped nothing; only the records were checked
    • 4 decisions by ada (not signed: only a name)
    ✓ intact, nothing proven: 1 stream, 6 records, 0 anchors, 2 blobs, 0 snapshots
    = 0
    ");
    let trailer = "Sealwright-Stream: T-limit-requests-per-tenant-fdd1f3 seq=6 \
                   sha256=72862d6238b93d762df9a0906b8194e258fef8c9a370b6b02401d5c6c0b5691f";
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message=done", "--message", trailer]);
    insta::assert_snapshot!(recorded.see(&["verify"]), @"
    $ sealwright verify
    • 1 task shipped nothing; only the records were checked
    • 4 decisions by ada (not signed: only a name)
    ✓ intact, nothing proven: 1 stream, 6 records, 1 anchor, 2 blobs, 0 snapshots
    • HEAD (COMMIT): nothing in its history was proven
    error: this commit is not proven: nothing in its history was proven
    hint: `--allow-changes` accepts that; what a task proved is on its branch, `sealwright/TASK`
    = 13
    ");
    let text = fs::read_to_string(recorded.segment()).unwrap();
    let cut: Vec<&str> = text.split_inclusive('\n').take(4).collect();
    fs::write(recorded.segment(), cut.concat()).unwrap();
    insta::assert_snapshot!(recorded.see(&["verify"]), @"
    $ sealwright verify
    ✗ T-limit-requests-per-tenant-fdd1f3, record 5: missing, but a commit's trailer names record 6
      restore `.sealwright/journal/T-limit-requests-per-tenant-fdd1f3` from git or a backup
    checked 1 stream, 4 records, 1 anchor, 2 blobs, 0 snapshots
    • HEAD (COMMIT): nothing in its history was proven
    error: not proven: 1 finding
    = 10
    ");
    fs::remove_dir_all(folder.join(".sealwright/journal").join(TASK)).unwrap();
    insta::assert_snapshot!(recorded.see(&["verify"]), @"
    $ sealwright verify
    ✗ T-limit-requests-per-tenant-fdd1f3, record 1: missing, but a commit's trailer names record 6
      restore `.sealwright/journal/T-limit-requests-per-tenant-fdd1f3` from git or a backup
    checked 0 streams, 0 records, 1 anchor, 2 blobs, 0 snapshots
    error: not proven: 1 finding
    = 10
    ");
}

#[test]
fn a_reader_who_closes_the_pipe_has_seen_enough() {
    let recorded = Recorded::copy();
    for format in ["human", "json"] {
        let args = ["journal", TASK, "--format", format];
        let mut command = sealwright(recorded.folder.path(), &args);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr), (Some(0), vec![]));
    }
}

#[test]
fn reading_writes_nothing_but_its_cache() {
    let recorded = Recorded::copy();
    recorded.see(&["verify"]);
    recorded.see(&["replay"]);
    recorded.see(&["journal", TASK]);
    let names = |folder: &str| {
        let mut names: Vec<String> = fs::read_dir(recorded.folder.path().join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(".sealwright"), [".gitattributes", ".gitignore", "journal", "store"]);
    recorded.see(&["journal"]);
    assert_eq!(names(".sealwright/cache"), ["catalog.jsonl"]);
}

const TASK: &str = "T-limit-requests-per-tenant-fdd1f3";
