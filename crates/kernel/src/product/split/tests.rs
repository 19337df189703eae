use std::string::{String, ToString as _};
use std::vec;
use std::vec::Vec;

use proptest::prelude::*;

use super::super::tests::honest_spec;
use super::*;

const NOW: &str = "2026-03-01T00:00:00Z";

/// Parts stand in the story of the task they came from, behind its other tasks, under the next numbers; every other task
/// keeps its id. The spec has a new version.
///
/// Proves: F-ESC-014
#[test]
fn parts_stand_behind_the_tasks_of_their_story_and_no_other_id_changes() {
    let spec = honest_spec();
    let parts = [part("Skip blanks", &[]), part("Name the line", &["TSK-001", "new:0"])];
    let (changed, warnings) = split(&spec, &second(&spec), &parts, NOW).unwrap();
    assert_eq!(warnings, []);
    assert_eq!((changed.spec_version.as_str(), changed.updated_at.as_str()), ("1.0.1", NOW));
    let (before, after) = (plan(&spec).unwrap(), plan(&changed).unwrap());
    assert_eq!(after[..before.len()], before[..]);
    let new: Vec<(&str, &str, Vec<&str>)> = after[before.len()..]
        .iter()
        .map(|it| {
            let on = it.depends_on.iter().map(TaskId::as_str).collect();
            (it.id.as_str(), it.spec_task_id.as_str(), on)
        })
        .collect();
    let [third, fourth] = ["T-lists-reading-read-a-list-003", "T-lists-reading-read-a-list-004"];
    let first = before[0].id.as_str();
    assert_eq!(new, [(third, "TSK-003", vec![]), (fourth, "TSK-004", vec![first, third])]);
    // A part can be split again; numbers are never used twice.
    let again = split(&changed, &after[2].id, &[part("One", &[]), part("Two", &[])], NOW);
    let places = plan(&again.unwrap().0).unwrap();
    assert_eq!(places[4].id.as_str(), "T-lists-reading-read-a-list-005");
    assert_eq!(places[5].spec_task_id, "TSK-006");
}

/// A part is a task of a spec and held to the same rules; what is wrong is named by the part.
///
/// Proves: F-ESC-012
#[test]
fn parts_are_held_to_the_rules_of_a_spec() {
    let spec = honest_spec();
    let task = second(&spec);
    type Bend = fn(&mut SplitPart);
    let bends: [(&str, Bend); 9] = [
        ("new_tasks[1].name", |it| it.name = " ".to_string()),
        ("new_tasks[1].description", |it| it.description = String::new()),
        ("new_tasks[1].subtasks", |it| drop(it.subtasks.pop())),
        ("new_tasks[1].acceptance_criteria", |it| it.acceptance_criteria.truncate(1)),
        ("new_tasks[1].io_contract_sketch.modes", |it| {
            it.io_contract_sketch.modes = "TBD".to_string();
        }),
        ("new_tasks[1].depends_on[0]", |it| it.depends_on = vec!["TSK-999".to_string()]),
        ("new_tasks[1].depends_on[0]", |it| it.depends_on = vec!["TSK-002".to_string()]),
        ("new_tasks[1].depends_on[0]", |it| it.depends_on = vec!["new:1".to_string()]),
        ("new_tasks[1].depends_on[0]", |it| it.depends_on = vec!["new:7".to_string()]),
    ];
    for (place, bend) in bends {
        let mut parts = [part("One", &[]), part("Two", &[])];
        bend(&mut parts[1]);
        let report = split(&spec, &task, &parts, NOW).unwrap_err();
        let places = report.errors.iter().map(|it| std::format!("{}.{}", it.path, it.field));
        let places: Vec<String> = places.collect();
        assert!(places.contains(&place.to_string()), "{place}: {report:?}");
    }
    let mut circle = [part("One", &["new:1"]), part("Two", &["new:0"])];
    assert!(split(&spec, &task, &circle, NOW).is_err());
    circle[0].depends_on.clear();
    assert!(split(&spec, &task, &circle, NOW).is_ok());
    assert!(split(&spec, &task, &circle[..1], NOW).is_err(), "one part is no split");
    assert!(split(&spec, &TaskId::new("T-gone").unwrap(), &circle, NOW).is_err());
    let mut vague = [part("One", &[]), part("Two", &[])];
    vague[0].acceptance_criteria[0] = "it is nice".to_string();
    let (_, warnings) = split(&spec, &task, &vague, NOW).unwrap();
    assert_eq!(warnings[0].path, "new_tasks[0]");
}

#[test]
fn amended_criteria_are_a_new_version_and_the_same_ones_are_not() {
    let spec = honest_spec();
    let task = second(&spec);
    let own = spec.pillars[0].epics[0].stories[0].tasks[1].acceptance_criteria.clone();
    assert_eq!(amend(&spec, &task, &own, NOW), Ok(None));
    let other = ["returns the file".to_string(), "rejects a folder".to_string()];
    let (changed, _) = amend(&spec, &task, &other, NOW).unwrap().unwrap();
    assert_eq!(changed.pillars[0].epics[0].stories[0].tasks[1].acceptance_criteria, other);
    assert_eq!(changed.spec_version, "1.0.1");
    let report = amend(&spec, &task, &other[..1], NOW).unwrap_err();
    assert_eq!(report.errors[0].field, "acceptance_criteria");
}

proptest! {
    /// Whatever is said of parts, nothing breaks, and a spec that comes of it can be approved.
    #[test]
    fn hostile_parts_break_nothing(
        names in prop::collection::vec(".{0,80}", 0..5),
        on in prop::collection::vec("(new:[0-9]{0,30}|TSK-[0-9]{1,30}|.{0,9})", 0..6),
    ) {
        let spec = honest_spec();
        let on: Vec<&str> = on.iter().map(String::as_str).collect();
        let parts: Vec<SplitPart> = names.iter().map(|name| part(name, &on)).collect();
        if let Ok((changed, _)) = split(&spec, &second(&spec), &parts, NOW) {
            let text = serde_json::to_vec(&changed).unwrap();
            prop_assert_eq!(check(&text).1, Some(changed));
        }
    }
}

fn second(spec: &ProductSpec) -> TaskId {
    plan(spec).unwrap()[1].id.clone()
}

fn part(name: &str, on: &[&str]) -> SplitPart {
    let texts = |it: &[&str]| it.iter().map(|it| (*it).to_string()).collect();
    SplitPart {
        name: name.to_string(),
        description: "A part of reading a list from a file.".to_string(),
        subtasks: texts(&["open the file", "say what is wrong with it"]),
        acceptance_criteria: texts(&["returns the lines", "rejects what is no file"]),
        io_contract_sketch: Sketch {
            inputs: "a path".to_string(),
            outputs: "lines of text".to_string(),
            error_surfaces: "NoFile if there is none".to_string(),
            effects: "reads one file".to_string(),
            modes: "synchronous only".to_string(),
        },
        depends_on: texts(on),
    }
}
