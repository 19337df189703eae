//! Halts of tasks of a project: what a person is told, whenever the process died.

use std::fs;

use serde_json::{Value, json};

use crate::projects::{files, id, product, scripts_of, statuses};
use crate::rehearsal::{Rehearsal, swap};

/// A run ends with this task halted. What a person is told of it is whole, the same in the file and from the program, and
/// nothing happens until they decide.
fn halts(rehearsal: &Rehearsal, task: &str) -> Value {
    let told = rehearsal.says(11, &["run"]);
    assert!(told.contains(task), "{told}");
    let shown: Value =
        serde_json::from_str(&rehearsal.see(&["show", task, "--format", "json"])).unwrap();
    let stored = whole(rehearsal, task, &shown["escalation"]);
    let inbox = rehearsal.see(&["inbox"]);
    assert!(inbox.contains(task) && inbox.contains("resolve"), "{inbox}");
    let journal = rehearsal.path().join(".sealwright/journal");
    let before = files(&journal);
    rehearsal.says(11, &["run"]);
    assert!(files(&journal) == before, "something went on while {task} was halted");
    stored
}

/// The file of a halt, which is all that the program tells of it, with everything that a person needs to decide.
pub(crate) fn whole(rehearsal: &Rehearsal, task: &str, told: &Value) -> Value {
    let text = |field: &str| {
        let said = told[field].as_str().unwrap_or_else(|| panic!("no {field} in {told}"));
        assert!(!said.trim().is_empty(), "{field} is empty in {told}");
        said
    };
    let file = format!(".sealwright/escalations/{}.json", text("escalation_id"));
    let stored: Value = serde_json::from_str(&rehearsal.file(&file)).unwrap();
    assert_eq!(&stored, told, "the program tells the whole file");
    assert_eq!(text("task_id"), task);
    assert!(rehearsal.path().join(text("task_ref")).is_file(), "{told}");
    assert!(text("created_at").ends_with('Z') && text("minimal_decision_required").len() > 10);
    // The trail is there, and what it rests on is on record.
    let evidence = rehearsal.view(task, "EVIDENCE.md");
    let known = |it: &Value| assert!(evidence.contains(it.as_str().unwrap()), "{it} {evidence}");
    for part in ["proposals", "challenges", "adjudications"] {
        let part = told["debate_trail"][part].as_array().unwrap();
        part.iter().filter_map(|it| it.get("evidence")).for_each(known);
    }
    let failed = told["failed_invariants"].as_array().unwrap();
    assert!(!failed.is_empty(), "{told}");
    for it in failed {
        assert!(!it["invariant"].as_str().unwrap().is_empty(), "{told}");
        let shows = it["evidence"].as_array().unwrap();
        // What was judged has the judgement; what was never built has none.
        let is_judged = !told["debate_trail"]["challenges"].as_array().unwrap().is_empty();
        assert!(!is_judged || !shows.is_empty(), "{told}");
        shows.iter().for_each(known);
    }
    let options: Vec<&str> =
        told["options"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    assert_eq!(options.first(), Some(&text("recommended_resolution")), "{told}");
    assert!(options.iter().all(|it| RESOLUTIONS.contains(it)), "{told}");
    assert!(text("resolution_context").contains("recommended: "), "{told}");
    // As the project stood once it had heard of it: what depends on it is blocked already.
    let tasks = told["state_machine_snapshot"]["tasks"].as_object().unwrap();
    assert_eq!(tasks[task]["status"], "HALTED");
    for it in tasks.values() {
        let is_behind = it["depends_on"].as_array().unwrap().contains(&json!(task));
        assert!(!is_behind || it["status"] == "BLOCKED", "{told}");
    }
    stored
}

/// Four tasks in a row with their contracts approved in advance.
fn planned() -> Rehearsal {
    let rehearsal = Rehearsal::with(&[]);
    for nth in 1..=4 {
        for (call, text) in scripts_of(1, nth) {
            rehearsal.rewrite(&format!("{}/{call}", id(nth)), &text);
        }
    }
    let spec = rehearsal.path().join(".git/spec.json");
    fs::write(&spec, product(4).to_string()).unwrap();
    rehearsal.says(11, &["plan", "--from", spec.to_str().unwrap()]);
    rehearsal.see(&["plan", "--approve", "--yes"]);
    rehearsal
}

/// The process dies after each step of a halt: after the task recorded it, after the project heard of it, before its file
/// is written. The next run ends the sequence, and ends with the same halt, the same file, and nothing twice. Until a person
/// decides, everything behind the task is blocked, and nothing is recorded.
///
/// Proves: F-ESC-024, F-ESC-026, F-PROJ-036
#[test]
fn a_halt_that_is_cut_off_anywhere_is_completed_before_a_person_is_asked() {
    let rehearsal = planned();
    let silent = swap(&scripts_of(1, 1)[0].1, "not_doing = [\"prices\"]", "not_doing = []");
    rehearsal.rewrite(&format!("{}/frame", id(1)), &silent);
    let told = halts(&rehearsal, &id(1));
    let standing = statuses(&rehearsal);
    let behind = ("pending", true);
    assert_eq!(standing, [("halted", false), behind, behind, behind]);
    let events = |stream: &str| rehearsal.events(stream);
    let (own, project) = (events(&id(1)), events("project"));
    let halted_at = record_with(&rehearsal, &id(1), |it| it.get("halted").is_some());
    let heard_at = record_with(&rehearsal, "project", |it| it["heard"]["status"] == "halted");
    let (own_end, project_end) =
        (rehearsal.records(&id(1)).len(), rehearsal.records("project").len());
    // How many records of the task and of the project were durable when the process died.
    let cuts = [
        (halted_at, heard_at - 1),
        (halted_at, heard_at),
        (own_end, heard_at),
        (own_end, project_end),
    ];
    for cut in cuts {
        keep_first(&rehearsal, &id(1), cut.0);
        keep_first(&rehearsal, "project", cut.1);
        // Nothing that was written after these records is there, and views are written anew.
        for view in ["escalations", "project/state_machine.json", "tasks", "work/locks", "cache"] {
            let path = rehearsal.path().join(".sealwright").join(view);
            let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
        }
        let asked = rehearsal.says(11, &["run"]);
        assert!(asked.contains(&id(1)), "{cut:?}: {asked}");
        assert_eq!(statuses(&rehearsal), standing, "{cut:?}");
        let tasks = &machine(&rehearsal)["tasks"];
        assert_eq!(tasks[id(1)]["escalation_ref"], told["escalation_id"], "{cut:?}");
        assert_eq!([1, 2].map(|nth| &tasks[id(nth)]["status"]), ["HALTED", "BLOCKED"], "{cut:?}");
        let name =
            format!(".sealwright/escalations/{}.json", told["escalation_id"].as_str().unwrap());
        let stored: Value = serde_json::from_str(&rehearsal.file(&name)).unwrap();
        assert_eq!(stored, told, "{cut:?}");
        assert_eq!(events(&id(1)), own, "{cut:?}");
        assert_eq!(events("project"), project, "{cut:?}");
    }
    // Nothing shipped, so nothing is proven; the records are whole.
    assert!(rehearsal.says(13, &["verify"]).contains("intact"));
}

/// The number of the first record with such an event, from 1.
fn record_with(rehearsal: &Rehearsal, stream: &str, is_it: impl Fn(&Value) -> bool) -> usize {
    let records = rehearsal.records(stream);
    let has = |it: &Value| it["events"].as_array().unwrap().iter().any(&is_it);
    1 + records.iter().position(has).unwrap_or_else(|| panic!("{stream} has no such record"))
}

/// A stream as it was when so many records were durable.
fn keep_first(rehearsal: &Rehearsal, stream: &str, records: usize) {
    let folder = rehearsal.path().join(".sealwright/journal").join(stream);
    let mut segments: Vec<_> = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    segments.retain(|path| path.extension().is_some_and(|it| it == "jsonl"));
    assert_eq!(segments.len(), 1, "a short stream has one segment");
    let text = fs::read_to_string(&segments[0]).unwrap();
    let kept: String = text.split_inclusive('\n').take(records).collect();
    fs::write(&segments[0], kept).unwrap();
}

fn machine(rehearsal: &Rehearsal) -> Value {
    serde_json::from_str(&rehearsal.file(".sealwright/project/state_machine.json")).unwrap()
}

const RESOLUTIONS: [&str; 6] =
    ["APPROVE_OVERRIDE", "AMEND_SPEC", "SPLIT_TASK", "REVISE_PLAN", "PROVIDE_FIX", "ABANDON_TASK"];
