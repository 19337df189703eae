//! A person's fix of a halted task: git, sandbox, gates, Python and the binary are the real ones, roles are scripts.

use std::path::Path;
use std::process::{Command, Stdio};

use sealwright_factory::task_performer::Key;
use sealwright_host::Ended;
use sealwright_kernel::task::escalation::Cause;
use sealwright_kernel::task::{Event, Phase, Stage};
use sealwright_store::Head;

use crate::scripted_agents::{FEES, SHAPE, ScriptedAgents, ScriptedTask, in_time};
use crate::task_performer::git;

#[test]
fn a_halted_task_is_fixed_by_a_patch_of_its_restored_tree() {
    let scripted = halted();
    // The tree of the halted task as a branch, with the unannounced change taken back.
    scripted.see(&["restore", scripted.task.as_str()]);
    let restored =
        scripted.git(&["branch", "--list", "--format=%(refname:short)", "sealwright/restored/*"]);
    let folder = checked_out(&scripted, restored.trim());
    write(folder.path(), "parking/rates.py", RATES.1);
    let patch = git(folder.path(), &["diff", "--binary"]);
    std::fs::write(scripted.folder().join("fix.patch"), patch).unwrap();
    let told = resolve(&scripted, &["--patch", "fix.patch"]);
    assert!(told.contains("the fix changes parking/rates.py\n") && told.ends_with("= 0"), "{told}");
    goes_on(&scripted, &["parking/rates.py"]);
}

#[test]
fn a_halted_task_is_fixed_by_a_branch_from_its_base() {
    let scripted = halted();
    let folder = checked_out(&scripted, "HEAD");
    git(folder.path(), &["switch", "--quiet", "--create", "mine"]);
    write(folder.path(), "parking/fees.py", &format!("{FEES}{HONEST}"));
    write(folder.path(), "docs/with space é.md", "a day\n");
    write(folder.path(), ".sealwright/note.md", "no part of the project\n");
    git(folder.path(), &["add", "--all", "--force"]);
    git(folder.path(), &["commit", "--quiet", "--message", "a day"]);
    // It fits the commit that the task began with, and not what was built on it.
    let told = resolve(&scripted, &["--branch", "mine"]);
    assert!(told.ends_with("= 0"), "{told}");
    goes_on(&scripted, &["docs/with space é.md", "parking/fees.py"]);
}

#[test]
fn a_halted_task_is_fixed_by_a_commit_that_renames_and_deletes() {
    let scripted = halted();
    scripted.see(&["restore", scripted.task.as_str()]);
    let restored =
        scripted.git(&["branch", "--list", "--format=%(refname:short)", "sealwright/restored/*"]);
    let folder = checked_out(&scripted, restored.trim());
    write(folder.path(), "parking/rates.py", RATES.1);
    git(folder.path(), &["mv", "notes.bin", "docs-notes.bin"]);
    git(folder.path(), &["commit", "--quiet", "--all", "--message", "as it was"]);
    let commit = git(folder.path(), &["rev-parse", "HEAD"]);
    let told = resolve(&scripted, &["--commit", commit.trim()]);
    assert!(told.ends_with("= 0"), "{told}");
    goes_on(&scripted, &["docs-notes.bin", "notes.bin"]);
}

#[test]
fn a_fix_that_cannot_be_one_is_refused_with_a_hint_and_nothing_is_recorded() {
    let scripted = halted();
    let before = scripted.records().len();
    let file = scripted.folder().join("fix.patch");
    let cases = [
        ("", "the patch changes nothing", "hint: commit the fix"),
        ("no patch at all\n", "the patch does not apply: ", "hint: `sealwright restore TASK`"),
        (
            "--- a/../elsewhere\n+++ b/../elsewhere\n@@ -1 +1 @@\n-a\n+b\n",
            "the patch does not apply: ../elsewhere: does not exist in index",
            "hint: ",
        ),
        (
            "--- /dev/null\n+++ b/../elsewhere\n@@ -0,0 +1 @@\n+b\n",
            "the patch does not apply: invalid path '../elsewhere'",
            "hint: ",
        ),
        (
            "--- a/parking/fees.py\n+++ b/parking/fees.py\n@@ -1 +1 @@\n-nothing like it\n+b\n",
            "the patch does not apply: patch failed: parking/fees.py:1; parking/fees.py: patch does not apply",
            "hint: `sealwright restore TASK`",
        ),
        (
            "diff --git a/out b/out\nnew file mode 120000\n--- /dev/null\n+++ b/out\n@@ -0,0 +1 @@\n+/etc\n\\ No newline at end of file\n",
            "the patch makes `out` a link or a submodule",
            "hint: a fix changes plain files only",
        ),
        (
            "diff --git a/.sealwright/x b/.sealwright/x\nnew file mode 100644\n--- /dev/null\n+++ b/.sealwright/x\n@@ -0,0 +1 @@\n+y\n",
            "the patch changes `.sealwright/x`, which is not a file of the tree",
            "hint: a fix changes files of the project only",
        ),
    ];
    for (patch, error, hint) in cases {
        std::fs::write(&file, patch).unwrap();
        let told = resolve(&scripted, &["--patch", "fix.patch"]);
        assert!(told.contains(error) && told.contains(hint), "{patch}\n{told}");
        assert!(told.ends_with("= 12"), "{told}");
    }
    let told = resolve(&scripted, &["--branch", "nothing"]);
    assert!(told.contains("no branch `nothing`") && told.ends_with("= 2"), "{told}");
    let told = resolve(&scripted, &[]);
    assert!(told.contains("--patch FILE, --branch NAME or --commit REV"), "{told}");
    let two = resolve(&scripted, &["--branch", "main", "--commit", "HEAD"]);
    assert!(two.ends_with("= 2"), "{two}");
    // A branch that has not moved changes nothing.
    let told = resolve(&scripted, &["--branch", "main"]);
    assert!(told.contains("the patch changes nothing") && told.ends_with("= 12"), "{told}");
    assert_eq!(scripted.records().len(), before);
}

#[test]
fn a_stored_fix_of_the_first_release_is_applied_and_one_that_does_not_apply_halts_again() {
    let scripted = halted();
    let give = |fix: &str, places: &[&str]| {
        let blob = in_time(scripted.blobs().put(fix.as_bytes().to_vec())).unwrap();
        let payload = serde_json::json!({"action": "PROVIDE_FIX", "payload": {
            "fix_description": "as it was", "fix_patch": blob.sha256, "fix_places": places,
        }});
        std::fs::write(scripted.folder().join("fix.json"), payload.to_string()).unwrap();
        scripted.see(&["resolve", scripted.task.as_str(), "--payload", "fix.json"]);
        scripted.run(&ScriptedAgents::honest(), |_| 0)
    };
    let why = |scripted: &ScriptedTask| match scripted.look().stage() {
        Stage::Halted { escalation } => escalation.cause.to_string(),
        other => panic!("{other:?}"),
    };
    let patch = "--- a/parking/fees.py\n+++ b/parking/fees.py\n@@ -1 +1 @@\n-nothing like it\n+b\n";
    give(patch, &["parking/fees.py"]);
    assert_eq!(
        why(&scripted),
        "it stops here: the patch does not apply: patch failed: parking/fees.py:1; \
         parking/fees.py: patch does not apply"
    );
    // A record that names other files than the patch changes is refused.
    let patch = "--- /dev/null\n+++ b/more.md\n@@ -0,0 +1 @@\n+b\n";
    give(patch, &["parking/fees.py"]);
    assert!(why(&scripted).contains("the fix changes `more.md`"), "{}", why(&scripted));
    let texts = serde_json::json!({"parking/rates.py": RATES.1, "notes.bin": null}).to_string();
    give(&texts, &["notes.bin", "parking/rates.py"]);
    let ended = accepted(&scripted, &["notes.bin"]);
    assert!(matches!(ended, Ended::Over(_)), "{ended:?} {:?}", scripted.look().stage());
}

#[test]
fn a_frozen_test_that_a_person_edits_is_no_cheat_and_one_that_a_role_edits_is() {
    let scripted = halted();
    scripted.see(&["restore", scripted.task.as_str()]);
    let restored =
        scripted.git(&["branch", "--list", "--format=%(refname:short)", "sealwright/restored/*"]);
    let folder = checked_out(&scripted, restored.trim());
    write(folder.path(), "parking/rates.py", RATES.1);
    let frozen = frozen_test(folder.path());
    write(folder.path(), &frozen, "def test_nothing():\n    pass\n");
    std::fs::write(scripted.folder().join("fix.patch"), git(folder.path(), &["diff", "--binary"]))
        .unwrap();
    assert!(resolve(&scripted, &["--patch", "fix.patch"]).ends_with("= 0"));
    let ended = scripted.run(&ScriptedAgents::honest(), |_| 0);
    assert!(matches!(ended, Ended::Waiting(_)), "{ended:?}");
    let task = scripted.look();
    let Stage::Halted { escalation } = task.stage() else { panic!("{:?}", task.stage()) };
    let Cause::FrozenEdited { what } = &escalation.cause else { panic!("{:?}", escalation.cause) };
    assert!(what.contains(&frozen), "{what}");
    assert_eq!(task.data().unwrap().heals, 0);

    // The same edit by the builder, in a repair, is a cheat.
    let scripted = ScriptedTask::with_real_gates(&[RATES]);
    let cheat = edit(HONEST, &format!("printf 'def test_nothing():\\n    pass\\n' > {frozen}"));
    let shape = SHAPE.replace("places = [\"parking\"]", "places = [\"parking\", \"tests\"]");
    assert_ne!(shape, SHAPE);
    let agents = ScriptedAgents::with(&[(Key::Shape, &shape), (Key::Edit, &cheat)]);
    scripted.run(&agents, |_| 0);
    let task = scripted.look();
    assert!(task.data().unwrap().heals > 0, "{:?}", task.stage());
    let is_edited = |event: &Event| matches!(event, Event::Halted { escalation } if matches!(escalation.cause, Cause::FrozenEdited { .. }));
    assert!(!events(&scripted).iter().any(is_edited));
}

/// A task that halted because the builder changed a function that the contract does not announce.
fn halted() -> ScriptedTask {
    let scripted =
        ScriptedTask::with_real_gates(&[RATES, ("notes.bin", "\u{0}\u{1}binary\u{0}\n")]);
    let edit = edit(HONEST, "sed -i 's/hour(minutes)/hour(minutes, rate)/' parking/rates.py");
    let ended = scripted.run(&ScriptedAgents::with(&[(Key::Edit, &edit)]), |_| 0);
    assert!(matches!(ended, Ended::Waiting(_)), "{ended:?}");
    assert!(
        matches!(scripted.look().stage(), Stage::Halted { .. }),
        "{:?}",
        scripted.look().stage()
    );
    scripted
}

/// What the fix changed outside of the plan is put to a person, who accepts it.
fn accepted(scripted: &ScriptedTask, outside: &[&str]) -> Ended {
    let asked = scripted.see(&["show", scripted.task.as_str()]);
    for place in outside {
        assert!(asked.contains(&format!("{place}: a person's fix changes it")), "{asked}");
    }
    let told = scripted.see(&["approve", scripted.task.as_str(), "--because", "I put it there"]);
    assert!(told.contains('✓'), "{told}");
    scripted.run(&ScriptedAgents::honest(), |_| 0)
}

/// The fix is verified and shipped with these files among its changes.
fn goes_on(scripted: &ScriptedTask, places: &[&str]) {
    assert_eq!(scripted.look().phase(), Some(Phase::Verify));
    let outside: Vec<&str> =
        places.iter().copied().filter(|it| !it.starts_with("parking/")).collect();
    let mut ended = scripted.run(&ScriptedAgents::honest(), |_| 0);
    if !outside.is_empty() {
        ended = accepted(scripted, &outside);
    }
    assert!(matches!(ended, Ended::Over(_)), "{ended:?} {:?}", scripted.look().stage());
    let is_applied = |event: &Event| matches!(event, Event::FixApplied { .. });
    assert!(events(scripted).iter().any(is_applied));
    let changed =
        scripted.git(&["diff", "--name-only", "--no-renames", "-z", "HEAD", &scripted.branch()]);
    for place in places.iter().filter(|it| **it != "parking/rates.py") {
        assert!(changed.split('\0').any(|it| it == *place), "{place} is not in {changed:?}");
    }
    // The proof of the task comes with it, and no other record.
    let is_record = |path: &&str| path.starts_with(".sealwright");
    let records: Vec<&str> = changed.split('\0').filter(is_record).collect();
    assert!(matches!(records[..], [proof] if proof.starts_with(".sealwright/proofs/T-")));
    assert!(!changed.contains("parking/rates.py"), "{changed:?}");
    assert!(changed.contains("parking/fees.py"), "{changed:?}");
}

fn events(scripted: &ScriptedTask) -> Vec<Event> {
    let (mut events, stream) = (Vec::new(), scripted.task.stream());
    let read = scripted.journal.read_blocking(stream, Head::START, &mut |entry| {
        events.extend(entry.events::<Event>()?);
        Ok(())
    });
    read.unwrap();
    events
}

/// A work tree of its own at a commit.
fn checked_out(scripted: &ScriptedTask, revision: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_str().unwrap();
    scripted.git(&["worktree", "add", "--quiet", "--detach", place, revision]);
    folder
}

fn frozen_test(folder: &Path) -> String {
    let listed =
        git(folder, &["diff", "--name-only", "--diff-filter=A", "main", "HEAD", "--", "tests"]);
    listed.lines().next().unwrap().to_owned()
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn resolve(scripted: &ScriptedTask, more: &[&str]) -> String {
    let words = ["resolve", scripted.task.as_str(), "provide-fix", "--because", "as it was"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_sealwright"));
    command.args(words).args(more).current_dir(scripted.folder()).stdin(Stdio::null());
    let output = command.env("NO_COLOR", "1").output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    format!("{}= {}", String::from_utf8(text).unwrap(), output.status.code().unwrap())
}

/// A builder that appends this to the fees, runs a command, and says that it is ready.
fn edit(fees: &str, command: &str) -> String {
    format!(
        "[[step]]\ndo = \"run\"\ncommand = '''\ncat >> parking/fees.py <<'END'\n{fees}END\n{command}\n'''\n\
         [[step]]\ndo = \"submit\"\nanswer = {{ ready = true, summary = \"done\", next = \"verify\", residue = [], \
         lessons = [], need = {{ kind = \"none\", what = \"\", places = [] }} }}\n"
    )
}

/// A public function that no contract here announces.
const RATES: (&str, &str) =
    ("parking/rates.py", "\"\"\"Rates.\"\"\"\n\n\ndef hour(minutes):\n    return minutes * 5\n");
/// The fee of the demonstration. It takes the place of the one before it.
const HONEST: &str = "
DAY = 2000


def fee(minutes):
    days, rest = divmod(minutes, 24 * 60)
    return days * DAY + min((rest + 59) // 60 * HOUR, DAY)
";
