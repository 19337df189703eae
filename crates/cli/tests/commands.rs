//! The binary, as people and programs use it.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]
#![expect(clippy::disallowed_methods, reason = "these tests start the binary")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A copy of the journal that a released version left behind.
struct Recorded {
    folder: tempfile::TempDir,
}

impl Recorded {
    fn copy() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/journals/0.1.0");
        copy_tree(&recorded.join(".sealwright"), &folder.path().join(".sealwright"));
        Self { folder }
    }

    fn segment(&self) -> PathBuf {
        self.folder.path().join(".sealwright/journal/INV-000001/000000000001.jsonl")
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

fn see(folder: &Path, args: &[&str]) -> String {
    let output = sealwright(folder, args).output().unwrap();
    let (out, err) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    let place = folder.to_string_lossy().into_owned();
    let text =
        format!("$ sealwright {}\n{out}{err}= {}", args.join(" "), output.status.code().unwrap());
    text.replace(&place, "FOLDER")
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
    ✓ proven: 1 stream, 10 records, 0 anchors, 0 blobs, 0 snapshots
    = 0
    ");
    insta::assert_snapshot!(recorded.see(&["journal"]), @"
    $ sealwright journal
     stream      records  condition  head
     INV-000001  10       ended      036a31a199ab
    = 0
    ");
    insta::assert_snapshot!(recorded.see(&["journal", "INV-000001"]), @"
    $ sealwright journal INV-000001
     seq  at                    actor        cause          events                 hash
     1    2026-01-01 00:00:00Z  ada          request        requested              020361d830ba
     2    2026-01-01 00:00:01Z  environment  context_built  context_built          5b61ca8792a5
     3    2026-01-01 00:00:02Z  environment  answered       started, captured      f2377df49aae
     4    2026-01-01 00:00:03Z  environment  inspected      rejected               5e8726aff6e1
     5    2026-01-01 00:00:04Z  environment  tree_settled   tree_settled, retried  840443bfca66
     6    2026-01-01 00:00:05Z  environment  context_built  context_built          8dbb3639dbd8
     7    2026-01-01 00:00:06Z  environment  answered       started, captured      bf1987231740
     8    2026-01-01 00:00:07Z  environment  inspected      accepted               fb73f771d3e6
     9    2026-01-01 00:00:08Z  environment  tree_settled   tree_settled           3418fb9f2d02
     10   2026-01-01 00:00:09Z  machine      –              journal: ended         036a31a199ab
    = 0
    ");
    insta::assert_snapshot!(recorded.see(&["replay", "--at", "4"]), @r#"
    $ sealwright replay --at 4
    # invocation INV-000001 after record 4
    {
      "aborts_in_a_row": 0,
      "schema_retries": 1,
      "state": {
        "rejected": {
          "attempt": 1,
          "brief": {
            "access": "write",
            "id": "INV-000001",
            "role": "builder",
            "task": "0cd06b28748f28aaa8fee5e3581157e3a42589ec4f141e8557ccb76c207400d8"
          },
          "findings": [
            {
              "schema_invalid": {
                "why": "`verdict` is missing"
              }
            }
          ],
          "next": "again",
          "tree": "unsettled"
        }
      }
    }
    = 0
    "#);
    insta::assert_snapshot!(recorded.see(&["replay", "INV-000001", "--at", "2", "--format", "json"]), @r#"
    $ sealwright replay INV-000001 --at 2 --format json
    {"aggregate":"invocation","head":{"hash":"5b61ca8792a57a4a4f977f48ec70449cc314285bf2209ecdceec706a0a0ae86d","seq":2},"state":{"aborts_in_a_row":0,"schema_retries":0,"state":{"context_built":{"attempt":1,"brief":{"access":"write","id":"INV-000001","role":"builder","task":"0cd06b28748f28aaa8fee5e3581157e3a42589ec4f141e8557ccb76c207400d8"},"context":"4a959a901d3e691912323597b07bfca5729f5e3ac085959519050fcdde40de69"}}},"stream":"INV-000001"}
    = 0
    "#);
    insta::assert_snapshot!(recorded.see(&["verify", "--format", "json"]), @r#"
    $ sealwright verify --format json
    {"anchors":0,"blobs":0,"blobs_elsewhere":0,"bytes":5187,"changed":[],"decisions":0,"evidence":0,"findings":[],"history":"none","keys":0,"records":10,"snapshots":0,"statements":0,"streams":1,"torn":[],"trust":"clone","unaudited":[],"unsigned":[],"verdict":"proven"}
    = 0
    "#);
    insta::assert_snapshot!(recorded.see(&["journal", "INV-000001", "--last", "1", "--format", "json"]), @r#"
    $ sealwright journal INV-000001 --last 1 --format json
    {"actor":"machine","at":1767225609000,"blobs":[],"cause":null,"events":[{"journal":"ended"}],"hash":"036a31a199aba89cf330d0dad3c4eafc6c238b2156994b8367a386c7ae7d107c","prev":"3418fb9f2d026854e1d0249e5f2d9ff65f495b86c211f826bb368fc92bb33524","seq":10,"stream":"INV-000001"}
    = 0
    "#);
}

#[test]
fn a_changed_byte_is_not_proven_and_named() {
    let recorded = Recorded::copy();
    recorded.edit("is missing", "is present");
    insta::assert_snapshot!(recorded.see(&["verify"]), @"
    $ sealwright verify
    ✗ INV-000001, record 4: the content does not match its hash
      restore `.sealwright/journal/INV-000001` from git or a backup
    checked 1 stream, 3 records, 0 anchors, 0 blobs, 0 snapshots
    error: not proven: 1 finding
    = 10
    ");
    insta::assert_snapshot!(recorded.see(&["verify", "--format", "json"]), @r#"
    $ sealwright verify --format json
    {"anchors":0,"blobs":0,"blobs_elsewhere":0,"bytes":0,"changed":[],"decisions":0,"evidence":0,"findings":[{"finding":"INV-000001, record 4: the content does not match its hash","hint":"restore `.sealwright/journal/INV-000001` from git or a backup","object":"record INV-000001#4","seq":4,"stream":"INV-000001"}],"history":"none","keys":0,"records":3,"snapshots":0,"statements":0,"streams":1,"torn":[],"trust":"clone","unaudited":[],"unsigned":[],"verdict":"not_proven"}
    error: not proven: 1 finding
    = 10
    "#);
    insta::assert_snapshot!(recorded.see(&["replay"]), @"
    $ sealwright replay
    error: cannot use the journal
      caused by: INV-000001, record 4: the content does not match its hash
    hint: restore `.sealwright/journal/INV-000001` from git or a backup
    = 10
    ");
    insta::assert_snapshot!(recorded.see(&["journal"]), @"
    $ sealwright journal
     stream      records  condition  head
     INV-000001  ?        damaged    see `sealwright verify`
    = 0
    ");
}

#[test]
fn a_snapshot_that_is_not_the_fold_is_not_proven() {
    use sealwright_store::{FileJournal, Journal as _, Snapshot};
    let recorded = Recorded::copy();
    let journal = FileJournal::at(recorded.folder.path().join(".sealwright"));
    let stream = "INV-000001".parse().unwrap();
    let head =
        journal.read_blocking(&stream, sealwright_store::Head::START, &mut |_| Ok(())).unwrap();
    let state = serde_json::json!({"aborts_in_a_row": 0, "schema_retries": 0, "state": "idle"});
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(journal.keep_snapshot(&Snapshot { stream, head, state })).unwrap();
    insta::assert_snapshot!(recorded.see(&["verify"]), @"
    $ sealwright verify
    ✗ INV-000001, snapshot at 10: the snapshot differs from its stream
      delete it in `.sealwright/cache/snapshots`; Sealwright rebuilds it
    checked 1 stream, 10 records, 0 anchors, 0 blobs, 1 snapshot
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
    • INV-000001 ends with an incomplete line after a crash; its next writer drops it
    ✓ proven: 1 stream, 10 records, 0 anchors, 0 blobs, 0 snapshots
    = 0
    ");
}

#[test]
fn mistakes_are_answered_with_what_to_do() {
    let recorded = Recorded::copy();
    insta::assert_snapshot!(recorded.see(&["replay", "inv-000001"]), @"
    $ sealwright replay inv-000001
    error: no stream `inv-000001`
    hint: did you mean `INV-000001`?
    = 2
    ");
    insta::assert_snapshot!(recorded.see(&["replay", "--at", "99"]), @"
    $ sealwright replay --at 99
    error: INV-000001 has no record 99; its last record is 10
    hint: choose a record from 1 to 10
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
    copy_tree(&streams.join("INV-000001"), &streams.join("X-new-001"));
    insta::assert_snapshot!(recorded.see(&["replay"]), @"
    $ sealwright replay
    error: 2 streams; name one
    hint: `sealwright journal` lists streams
    = 2
    ");
    insta::assert_snapshot!(recorded.see(&["replay", "X-new-001"]), @"
    $ sealwright replay X-new-001
    error: no machine in this version for the stream `X-new-001`
    hint: a newer Sealwright may have written it; use that version
    = 12
    ");
    insta::assert_snapshot!(recorded.see(&["verify"]), @"
    $ sealwright verify
    ✗ X-new-001, record 1: the line is not the expected record
      restore `.sealwright/journal/X-new-001` from git or a backup
    checked 2 streams, 10 records, 0 anchors, 0 blobs, 0 snapshots
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
    let seen = see(empty.path(), &["--repository", elsewhere, "replay", "INV-000001", "--at", "1"]);
    assert!(seen.ends_with("= 0"), "{seen}");
    // A folder that was named is that folder, not one above it.
    insta::assert_snapshot!(recorded.see(&["--repository", "mistyped", "verify"]), @"
    $ sealwright --repository mistyped verify
    error: no `.sealwright` in mistyped
    hint: `sealwright init` creates one; `--repository FOLDER` names another repository
    = 20
    ");
}

/// One stream that a newer version wrote does not hide that another is damaged.
#[test]
fn verify_says_everything_it_finds() {
    use sealwright_store::{Draft, FileJournal, Head, Journal as _, Snapshot};
    let recorded = Recorded::copy();
    recorded.edit("is missing", "is present");
    let journal = FileJournal::at(recorded.folder.path().join(".sealwright"));
    let stream: sealwright_kernel::StreamId = "INV-000002".parse().unwrap();
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
    ✗ INV-000001, record 4: the content does not match its hash
      restore `.sealwright/journal/INV-000001` from git or a backup
    ✗ INV-000002, snapshot at 1: cannot fold the stream: INV-000002, record 1: this version cannot read its events
      delete it in `.sealwright/cache/snapshots`; Sealwright rebuilds it
    • INV-000002 has events that this version does not know; only its hashes were checked
    checked 2 streams, 4 records, 0 anchors, 0 blobs, 1 snapshot
    error: not proven: 2 findings
    = 10
    ");
    insta::assert_snapshot!(recorded.see(&["replay", "INV-000002"]), @"
    $ sealwright replay INV-000002
    error: cannot use the journal
      caused by: INV-000002, record 1: this version cannot read its events
      caused by: unknown variant `unheard_of`, expected one of `requested`, `context_built`, `started`, `captured`, `accepted`, `rejected`, `aborted`, `tree_settled`, `retried` at line 1 column 14
    hint: a newer Sealwright wrote this journal; use that version
    = 12
    ");
    // Nothing it says steers a terminal.
    insta::assert_snapshot!(recorded.see(&["journal", "INV-000002"]), @"
    $ sealwright journal INV-000002
     seq  at                    actor       cause   events      hash
     1    1970-01-01 00:00:00Z  ada�[2J�2J  future  unheard_of  0f5eff1bdc05
    = 0
    ");
    insta::assert_snapshot!(recorded.see(&["journal", "INV-000002", "--format", "json"]), @r#"
    $ sealwright journal INV-000002 --format json
    {"actor":{"human":"ada\u001b[2J\u009b2J"},"at":1,"blobs":[],"cause":{"future":"\u202e\u007f"},"events":[{"unheard_of":{}}],"hash":"0f5eff1bdc051cc85ca56081914721e0ada2b40ac0bf1b07a6d7bcfc4fd4ed60","prev":"0000000000000000000000000000000000000000000000000000000000000000","seq":1,"stream":"INV-000002"}
    = 0
    "#);
    insta::assert_snapshot!(recorded.see(&["journal", "INV-000001", "--last", "2"]), @"
    $ sealwright journal INV-000001 --last 2
     seq  at                    actor        cause          events             hash
     2    2026-01-01 00:00:01Z  environment  context_built  context_built      5b61ca8792a5
     3    2026-01-01 00:00:02Z  environment  answered       started, captured  f2377df49aae
    error: cannot use the journal
      caused by: INV-000001, record 4: the content does not match its hash
    hint: restore `.sealwright/journal/INV-000001` from git or a backup
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
    • the git history is shallow; anchors in older commits were not checked
    ✓ proven: 1 stream, 10 records, 0 anchors, 0 blobs, 0 snapshots
    = 0
    ");
}

#[test]
fn every_command_explains_itself() {
    let folder = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(see(folder.path(), &["--help"]), @"
    $ sealwright --help
    A software factory: coding agents do the work, a deterministic engine decides from evidence what
    happens next

    Usage: sealwright [OPTIONS] <COMMAND>

    Commands:
      init         Set up a repository: write `sealwright.toml` and `.sealwright`, keep existing files
      demo         Show how Sealwright works, in half a minute, without a key or a network
      do           Make one change in this repository and prove it
      new          Create a task from a sentence or a file
      status       Show the status of every task
      show         Show one task: objective, slices, evidence and open question
      inbox        List open questions that only a person can answer
      watch        Watch tasks while they run
      approve      Approve a contract, or finished work
      decline      Decline a contract, or finished work
      resolve      Resolve a halt: choose how the task continues
      cancel       Cancel a task: end it without a result, in whatever state it is
      note         Add a note to a task
      heal         Report a cheat: the tests are green, but the work is not done
      adopt        Adopt your edits of a TASK.md
      check        Check the files of a task and restore its views
      acknowledge  Acknowledge a tampered snapshot
      budget       Show the cost of a task, or raise its budget
      log          Show the history of a task in words
      restore      Restore an earlier tree of a task as a commit on a new branch
      evidence     Print the evidence of a task, also in formats of other tools
      pr           Print the pull request of a finished task
      verify       Verify journal, decisions, evidence and signatures offline
      keys         Manage signing keys
      hooks        Install a git hook that runs `verify` before every push
      replay       Replay a stream and print its state
      journal      List streams, or the records of one stream
      doctor       Check sandbox, agents and models of this machine, and list what to fix
      agents       Try a configured agent
      gates        List the checks of this project, or run one
      evaluate     Show what the gates would have said about the last changes of this repository
      sandbox      Show what a role can see, or run a command in its sandbox
      mcp          Serve status, inbox, tasks and evidence to an MCP client, read-only
      completions  Print the completion script of a shell
      help         Print this message or the help of the given subcommand(s)

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

    Exit codes:
       0  done
       2  usage error
      10  not proven
      11  waiting for a person
      12  refused
      20  environment error
    = 0
    ");
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
    ✓ proven: 1 stream, 10 records, 0 anchors, 0 blobs, 0 snapshots
    = 0
    ");
    let trailer = "Sealwright-Stream: INV-000001 seq=10 \
                   sha256=036a31a199aba89cf330d0dad3c4eafc6c238b2156994b8367a386c7ae7d107c";
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message=done", "--message", trailer]);
    insta::assert_snapshot!(recorded.see(&["verify"]), @"
    $ sealwright verify
    ✓ proven: 1 stream, 10 records, 1 anchor, 0 blobs, 0 snapshots
    = 0
    ");
    let text = fs::read_to_string(recorded.segment()).unwrap();
    let cut: Vec<&str> = text.split_inclusive('\n').take(7).collect();
    fs::write(recorded.segment(), cut.concat()).unwrap();
    insta::assert_snapshot!(recorded.see(&["verify"]), @"
    $ sealwright verify
    ✗ INV-000001, record 8: missing, but a commit's trailer names record 10
      restore `.sealwright/journal/INV-000001` from git or a backup
    checked 1 stream, 7 records, 1 anchor, 0 blobs, 0 snapshots
    error: not proven: 1 finding
    = 10
    ");
    fs::remove_dir_all(folder.join(".sealwright/journal/INV-000001")).unwrap();
    insta::assert_snapshot!(recorded.see(&["verify"]), @"
    $ sealwright verify
    ✗ INV-000001, record 1: missing, but a commit's trailer names record 10
      restore `.sealwright/journal/INV-000001` from git or a backup
    checked 0 streams, 0 records, 1 anchor, 0 blobs, 0 snapshots
    error: not proven: 1 finding
    = 10
    ");
}

#[test]
fn a_reader_who_closes_the_pipe_has_seen_enough() {
    let recorded = Recorded::copy();
    for format in ["human", "json"] {
        let args = ["journal", "INV-000001", "--format", format];
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
    recorded.see(&["journal", "INV-000001"]);
    let names = |folder: &str| {
        let mut names: Vec<String> = fs::read_dir(recorded.folder.path().join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(".sealwright"), [".gitignore", "journal"]);
    recorded.see(&["journal"]);
    assert_eq!(names(".sealwright/cache"), ["catalog.jsonl"]);
}
