//! What people decide about halted tasks of a project: others in their place, other criteria, other dependencies, nothing
//! any more. The project goes on by its ordinary rules after each.

use std::fs;

use serde_json::{Value, json};

use crate::projects::{criteria_of, id, part, product, scripts, scripts_of, statuses};
use crate::rehearsal::{Rehearsal, swap};

/// A halted task is split: its parts are tasks like any other, those behind it wait for them, and the spec has both. A
/// split that the project could not take is refused before anything is recorded.
///
/// Proves: F-ESC-002, F-ESC-003, F-ESC-005, F-ESC-015, F-ESC-025
/// Proves in part: F-ESC-001, F-ESC-013, F-ESC-027, F-ESC-031
#[test]
fn a_halted_task_is_split_and_those_behind_it_wait_for_its_parts() {
    let rehearsal = planned(3);
    // The parts of the second one: it again, with a frame that is whole, and one that stands alone.
    play(&rehearsal, &id(4), scripts_of(1, 2));
    play(&rehearsal, &id(5), scripts_of(5, 5));
    rehearsal.says(11, &["run"]);
    assert_eq!(statuses(&rehearsal), [("shipped", false), ("halted", false), ("pending", true)]);
    let task = id(2);
    escalation(&rehearsal, &task);
    let file = rehearsal.path().join(".git/parts.json");
    let file = file.to_str().unwrap();
    let split = |parts: &Value| {
        fs::write(file, parts.to_string()).unwrap();
        ["resolve", &task, "split-task", "--because", "two things at once", "--tasks", file]
            .map(str::to_owned)
    };
    let words = |it: &[String; 7]| -> Vec<String> { it.to_vec() };
    let say = |code: i32, parts: Value| {
        let words = words(&split(&parts));
        rehearsal.says(code, &words.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let (one, two) = (part(2, 1, &[]), part(5, 5, &["new:0"]));
    // Each refusal names the part and the field.
    assert!(
        rehearsal
            .says(2, &["resolve", &task, "split-task", "--because", "x"])
            .contains("no tasks given")
    );
    let mut poor = one.clone();
    poor["subtasks"] = json!(["one"]);
    assert!(say(10, json!([poor, two])).contains("new_tasks[0].subtasks"));
    assert!(say(10, json!([one])).contains("new_tasks"));
    let mut circle = two.clone();
    circle["depends_on"] = json!(["TSK-003"]);
    assert!(say(12, json!([one, circle])).contains("depend on itself"));
    assert!(!rehearsal.path().join(".sealwright/journal").join(id(4)).exists());
    assert!(rehearsal.file(".sealwright/product/spec.json").contains("\"1.0.0\""));
    say(0, json!([one, two]));
    // Both are told apart from what the person was asked: the halt, and what was decided.
    let told = rehearsal.says(11, &["run"]);
    assert!(told.contains(&id(4)), "the contract of a part is approved by itself: {told}");
    let now = rehearsal.see(&["status"]);
    assert!(now.contains("you: ") && now.contains("1 of 4 shipped"), "{now}");
    rehearsal.see(&["approve", &id(4)]);
    rehearsal.says(11, &["run"]);
    rehearsal.see(&["approve", &id(5)]);
    let told = rehearsal.see(&["run"]);
    assert!(told.contains("the work is on branch sealwright/project"), "{told}");
    let machine: Value =
        serde_json::from_str(&rehearsal.file(".sealwright/project/state_machine.json")).unwrap();
    let tasks = &machine["tasks"];
    assert_eq!(tasks[&task]["status"], "ABANDONED");
    assert_eq!(tasks[&task]["superseded_by"], json!([id(4), id(5)]));
    assert_eq!(tasks[id(4)]["declaration_order"], 3);
    assert_eq!(tasks[id(5)]["declaration_order"], 4);
    assert_eq!(tasks[id(5)]["story"], "Counting");
    assert_eq!(machine["spec_version"], "1.0.1");
    for part in [4, 5] {
        let text = rehearsal.view(&id(part), "TASK.md");
        assert!(text.contains("### Story: Counting") && text.contains("## Criteria"), "{text}");
    }
    let spec = rehearsal.file(".sealwright/product/spec.json");
    assert!(spec.contains("TSK-004") && spec.contains("TSK-005"), "{spec}");
    let log = rehearsal.file(".sealwright/pipeline/log.md");
    assert!(log.contains(&format!("{task} is split into {}, {}", id(4), id(5))), "{log}");
    // The work of the parts is there, and the third one builds on it.
    let titles = rehearsal.git(&["log", "--format=%s", "sealwright/project"]);
    let work: Vec<&str> = titles.lines().filter(|it| it.starts_with("Part")).collect();
    assert_eq!(work, ["Part 3", "Part 5", "Part 2", "Part 1"], "{titles}");
    assert!(rehearsal.see(&["verify"]).contains("proven"));
}

/// The file of a halt has everything a person needs to decide, and so has the answer of the program.
fn escalation(rehearsal: &Rehearsal, task: &str) {
    let shown: Value =
        serde_json::from_str(&rehearsal.see(&["show", task, "--format", "json"])).unwrap();
    let told = &shown["escalation"];
    let name = told["escalation_id"].as_str().unwrap();
    let file = rehearsal.file(&format!(".sealwright/escalations/{name}.json"));
    let stored: Value = serde_json::from_str(&file).unwrap();
    assert_eq!(&stored, told, "the program tells the whole file");
    for field in [
        "escalation_id",
        "task_id",
        "task_ref",
        "created_at",
        "debate_trail",
        "failed_invariants",
        "state_machine_snapshot",
        "minimal_decision_required",
        "recommended_resolution",
        "resolution_context",
    ] {
        assert!(!stored[field].is_null(), "{field} is not in {stored}");
    }
    for part in ["proposals", "challenges", "adjudications"] {
        assert!(stored["debate_trail"][part].is_array(), "{part}");
    }
    assert!(stored["failed_invariants"][0]["evidence"].is_array(), "{stored}");
    let digits = name.strip_prefix("ESC-").unwrap();
    let is_digit = |it: char| it.is_ascii_digit() || ('a'..='f').contains(&it);
    assert!(digits.len() == 8 && digits.chars().all(is_digit), "{name}");
    // Its name and its text follow from the journal.
    fs::remove_dir_all(rehearsal.path().join(".sealwright/escalations")).unwrap();
    rehearsal.says(11, &["run"]);
    assert_eq!(rehearsal.file(&format!(".sealwright/escalations/{name}.json")), file);
    assert_eq!(stored["task_id"], task);
    assert_eq!(stored["cause"], "unclear");
    assert_eq!(stored["cause_detail"], json!({ "missing": ["what is not being done"] }));
    assert_eq!(stored["failed_invariants"][0]["invariant"], "what is not being done");
    assert_eq!(stored["recommended_resolution"], "AMEND_SPEC");
    assert!(stored["minimal_decision_required"].as_str().unwrap().contains("criteria"));
    assert!(stored["resolution_context"].as_str().unwrap().len() > 10);
    assert_eq!(stored["debate_trail"]["challenges"], json!([]));
    // As the project stood once it had heard of the halt: what depends on it is blocked already.
    let tasks = &stored["state_machine_snapshot"]["tasks"];
    assert_eq!(tasks[task]["status"], "HALTED");
    assert_eq!(tasks[id(3)]["status"], "BLOCKED");
    assert_eq!(tasks[id(1)]["status"], "SHIPPED");
}

/// Criteria that are amended are a new version of the spec; one is too few. Nobody can rescue what depends on an abandoned
/// task but a person, who makes it depend on something else.
///
/// Proves: F-ESC-011, F-ESC-022, F-ESC-023
#[test]
fn amended_criteria_are_in_the_spec_and_a_stranded_task_is_freed_by_other_dependencies() {
    let rehearsal = planned(3);
    rehearsal.says(11, &["run"]);
    let task = id(2);
    let [one, two] = criteria_of(1, 2);
    let words = ["resolve", &task, "amend-spec", "--because", "clearer", "--criterion", &one];
    assert!(rehearsal.says(10, &words).contains("acceptance_criteria"));
    let more = format!("{two}, as before");
    rehearsal.see(&[&words[..], &["--criterion", &more]].concat());
    rehearsal.says(11, &["run"]);
    let spec = rehearsal.file(".sealwright/product/spec.json");
    assert!(spec.contains("1.0.1") && spec.contains("as before"), "{spec}");
    assert!(
        rehearsal.file(".sealwright/pipeline/log.md").contains("the spec is version 1.0.1 now")
    );
    // It halts again, and is given up.
    let because = ["--because", "not needed"];
    assert!(rehearsal.says(2, &["resolve", &task, "abandon-task"]).contains("--because"));
    rehearsal.see(&[&["resolve", &task, "abandon-task"][..], &because].concat());
    // Nothing brings it back.
    let again = [&words[..], &["--criterion", &more]].concat();
    assert!(!rehearsal.sealwright(&again).status.success());
    let told = rehearsal.says(11, &["run"]);
    assert!(told.contains(&id(3)) && told.contains("--rewire"), "{told}");
    assert_eq!(statuses(&rehearsal)[2], ("pending", true));
    let tree = rehearsal.see(&["status"]);
    assert!(tree.contains(&format!("blocked by {task}")), "{tree}");
    let rewire = |on: &str| ["plan", "--rewire", &id(3), "--on", on].map(str::to_owned);
    let said = |code: i32, on: &str| {
        let words = rewire(on);
        rehearsal.says(code, &words.each_ref().map(String::as_str))
    };
    assert!(said(12, &id(3)).contains("depend on itself"));
    assert!(said(12, "T-gone").contains("T-gone"));
    said(0, &id(1));
    assert_eq!(statuses(&rehearsal)[2], ("pending", false));
    let _ = rehearsal.sealwright(&["run"]);
    assert!(rehearsal.events(&id(3)).contains(&json!("dispatched")));
}

/// What a challenger leaves to a person is decided with a reason, which stays with the halt; then the task ships as it is,
/// without any further word of a role.
///
/// Proves: F-PROJ-042
#[test]
fn a_risk_that_a_person_accepts_ships_as_it_is() {
    let rehearsal = planned(1);
    let mut own = scripts_of(1, 1);
    let asks = swap(&own[4].1, "tradeoff = \"\"", "tradeoff = \"is half an hour an hour?\"");
    own[4].1 = asks;
    play(&rehearsal, &id(1), own);
    rehearsal.says(11, &["run"]);
    let task = id(1);
    assert_eq!(statuses(&rehearsal), [("halted", false)]);
    let before = rehearsal.calls(&task);
    for because in [&[][..], &["--because", " "]] {
        let words = [&["resolve", &task, "approve-override"][..], because].concat();
        assert!(!rehearsal.sealwright(&words).status.success(), "{because:?}");
    }
    rehearsal.says(11, &["run"]);
    let because = ["--because", "half an hour is none"];
    rehearsal.see(&[&["resolve", &task, "approve-override"][..], &because].concat());
    rehearsal.see(&["run"]);
    assert_eq!(statuses(&rehearsal), [("shipped", false)]);
    assert_eq!(rehearsal.calls(&task), before, "no role was asked again");
    let shown = fs::read_dir(rehearsal.path().join(".sealwright/escalations")).unwrap();
    let decided: Vec<Value> = shown
        .map(|it| it.unwrap().path())
        .filter(|it| it.to_string_lossy().ends_with(".resolution.json"))
        .map(|it| serde_json::from_slice(&fs::read(it).unwrap()).unwrap())
        .collect();
    assert_eq!(decided.len(), 1);
    assert!(decided[0].to_string().contains("half an hour is none"), "{decided:?}");
}

/// A project of so many tasks, planned and approved; each plays its scripts.
fn planned(count: u32) -> Rehearsal {
    let rehearsal = Rehearsal::with(&[]);
    for nth in 1..=count {
        play(&rehearsal, &id(nth), scripts(nth));
    }
    let spec = rehearsal.path().join(".git/spec.json");
    let spec = spec.to_str().unwrap();
    fs::write(spec, product(count).to_string()).unwrap();
    rehearsal.says(11, &["plan", "--from", spec]);
    rehearsal.see(&["plan", "--approve", "--yes"]);
    rehearsal
}

fn play(rehearsal: &Rehearsal, task: &str, scripts: [(&'static str, String); 5]) {
    for (call, text) in scripts {
        rehearsal.rewrite(&format!("{task}/{call}"), &text);
    }
}
