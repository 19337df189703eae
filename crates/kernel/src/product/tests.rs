use std::format;
use std::string::{String, ToString as _};
use std::vec;
use std::vec::Vec;

use serde_json::{Value, json};

use super::*;

/// Proves: F-PROD-009, F-PROD-016, F-PROD-019, F-PROD-020, F-PROD-021, F-PROD-022, F-PROD-023
#[test]
fn every_field_that_is_missing_is_named_with_its_place() {
    let places = [
        (
            "",
            vec![
                "spec_id",
                "spec_version",
                "title",
                "description",
                "created_at",
                "updated_at",
                "pillars",
            ],
        ),
        ("pillars[0]", vec!["pillar_id", "name", "description", "rationale", "epics"]),
        (
            "pillars[0].epics[0]",
            vec!["epic_id", "name", "description", "success_criteria", "stories"],
        ),
        (
            "pillars[0].epics[0].stories[0]",
            vec!["story_id", "name", "description", "user_facing_behavior", "tasks"],
        ),
        (
            "pillars[0].epics[0].stories[0].tasks[0]",
            vec![
                "task_id",
                "name",
                "description",
                "subtasks",
                "acceptance_criteria",
                "io_contract_sketch",
            ],
        ),
        (
            "pillars[0].epics[0].stories[0].tasks[0].io_contract_sketch",
            vec!["inputs", "outputs", "error_surfaces", "effects", "modes"],
        ),
    ];
    for (path, fields) in places {
        for field in fields {
            for (bend, why) in
                [(None, "missing"), (Some(json!(" ")), ""), (Some(json!(7)), "needed")]
            {
                let mut draft = honest();
                let at = element(&mut draft, path);
                match &bend {
                    None => drop(at.as_object_mut().unwrap().remove(field)),
                    Some(bend) => at[field] = bend.clone(),
                }
                let (report, spec) = read(&draft);
                assert_eq!(spec, None, "{path} {field} {bend:?}");
                let named = report.errors.iter().find(|it| {
                    let inside = format!("{path}.{field}");
                    (it.path == path && it.field == field)
                        || it.path == inside
                        || (path.is_empty() && it.path == field)
                });
                let named = named.unwrap_or_else(|| panic!("{path} {field} {bend:?}: {report:?}"));
                assert!(named.message.contains(why), "{named:?}");
                assert!(report.errors.iter().all(|it| it.severity == Severity::Error));
                assert!(report.warnings.iter().all(|it| it.severity == Severity::Warning));
            }
        }
    }
    let mut draft = honest();
    task(&mut draft, 1).as_object_mut().unwrap().remove("depends_on");
    assert!(read(&draft).1.is_some());
    draft["more"] = json!(1);
    assert_eq!(read(&draft).0.errors[0].message, "no such field");
}

/// Proves: F-PROD-010
#[test]
fn what_is_no_spec_is_reported_and_breaks_nothing() {
    for text in
        ["", "{", "[]", "null", "7", "{\"pillars\": 3}", "\u{fffd}", "{\"pillars\": [1, [], {}]}"]
    {
        let (report, spec) = check(text.as_bytes());
        assert!(!report.errors.is_empty() && spec.is_none(), "{text}");
    }
    let cut = honest().to_string();
    for end in (0..cut.len()).step_by(7) {
        assert!(check(&cut.as_bytes()[..end]).1.is_none());
    }
}

/// Proves: F-PROD-017, F-PROD-018, F-PROD-024, F-PROD-031, F-PROD-032, F-PROD-033
#[test]
fn each_rule_stops_a_spec() {
    type Bend = fn(&mut Value);
    let cases: [(&str, Bend); 32] = [
        ("is not an id such as SPEC-001", |it| it["spec_id"] = json!("SPEC-1")),
        ("is not an id such as SPEC-001", |it| it["spec_id"] = json!("SPC-001")),
        ("is not an id such as PIL-001", |it| pillar(it)["pillar_id"] = json!("PIL-0x1")),
        ("is not an id such as EPC-001", |it| epic(it)["epic_id"] = json!("epc-001")),
        ("is not an id such as STR-001", |it| story(it)["story_id"] = json!("STR001")),
        ("is not an id such as TSK-001", |it| task(it, 0)["task_id"] = json!("TSK-")),
        ("is not a version", |it| it["spec_version"] = json!("1.0")),
        ("is not a version", |it| it["spec_version"] = json!("01.0.0")),
        ("is not a time", |it| it["created_at"] = json!("yesterday")),
        ("is not a time", |it| it["updated_at"] = json!("2026-13-01T00:00:00Z")),
        ("is not a time", |it| it["updated_at"] = json!("2026-12-01T00:00:00")),
        ("at least 1 pillar", |it| it["pillars"] = json!([])),
        ("at least 1 epic", |it| pillar(it)["epics"] = json!([])),
        ("at least 1 story", |it| epic(it)["stories"] = json!([])),
        ("at least 1 success criterion", |it| epic(it)["success_criteria"] = json!([])),
        ("at least 1 task", |it| story(it)["tasks"] = json!([])),
        ("at least 2 subtask", |it| task(it, 0)["subtasks"] = json!(["one"])),
        ("at least 2 acceptance", |it| task(it, 0)["acceptance_criteria"] = json!(["returns 1"])),
        ("says nothing", |it| sketch(it)["modes"] = json!("TBD")),
        ("says nothing", |it| sketch(it)["modes"] = json!("n/a")),
        ("says nothing", |it| sketch(it)["effects"] = json!("None.")),
        ("says nothing", |it| sketch(it)["inputs"] = json!("the TODO list of inputs")),
        ("says nothing", |it| sketch(it)["outputs"] = json!("Not applicable")),
        ("is used at", |it| task(it, 1)["task_id"] = json!("TSK-001")),
        ("is used at", |it| epic(it)["epic_id"] = json!("PIL-001")),
        ("is used at", |it| {
            // In another story, too.
            let mut other = story(it).clone();
            (other["story_id"], other["name"]) = (json!("STR-002"), json!("Read another"));
            other["tasks"].as_array_mut().unwrap().truncate(1);
            epic(it)["stories"].as_array_mut().unwrap().push(other);
        }),
        ("there is no task", |it| task(it, 1)["depends_on"] = json!(["TSK-009"])),
        ("depends on itself", |it| task(it, 0)["depends_on"] = json!(["TSK-001"])),
        ("depends on itself", |it| task(it, 0)["depends_on"] = json!(["TSK-002"])),
        ("no letter or digit", |it| story(it)["name"] = json!("買い物")),
        ("more than 999", |it| {
            let one = task(it, 0).clone();
            let many = (1..=1_000).map(|nth| {
                let mut task = one.clone();
                task["task_id"] = json!(format!("TSK-{nth:03}"));
                task
            });
            story(it)["tasks"] = many.collect();
        }),
        ("more than 128", |it| {
            let long = "a long name of something ".repeat(3);
            pillar(it)["name"] = json!(long);
            epic(it)["name"] = json!(long);
            story(it)["name"] = json!(long);
        }),
    ];
    for (why, bend) in cases {
        let mut draft = honest();
        bend(&mut draft);
        let (report, spec) = read(&draft);
        assert!(spec.is_none(), "{why}");
        assert!(report.errors.iter().any(|it| it.message.contains(why)), "{why}: {report:?}");
    }
}

#[test]
fn warnings_are_told_and_stop_nothing() {
    type Bend = fn(&mut Value);
    let cases: [(&str, Bend, Bend); 4] = [
        (
            "shorter than 20",
            |it| it["description"] = json!("1234567890123456789"),
            |it| it["description"] = json!("12345678901234567890"),
        ),
        (
            "no observable behaviour",
            |it| task(it, 0)["acceptance_criteria"][0] = json!("The system is good"),
            |it| task(it, 0)["acceptance_criteria"][0] = json!("it returns 404"),
        ),
        (
            "nearly the same as subtasks[0]",
            |it| {
                task(it, 0)["subtasks"] =
                    json!(["write the parser of the file", "write a parser of the file"])
            },
            |it| task(it, 0)["subtasks"] = json!(["write the parser", "test the parser of files"]),
        ),
        (
            "no error is named",
            |it| sketch(it)["error_surfaces"] = json!("Errors may occur."),
            |it| sketch(it)["error_surfaces"] = json!("NotFound if there is no such file"),
        ),
    ];
    assert_eq!(read(&honest()).0, Report::default());
    for (why, warns, is_fine) in cases {
        let mut draft = honest();
        warns(&mut draft);
        let (report, spec) = read(&draft);
        assert!(spec.is_some(), "{report:?}");
        assert_eq!(report.warnings.len(), 1, "{report:?}");
        assert!(report.warnings[0].message.contains(why), "{report:?}");
        is_fine(&mut draft);
        assert_eq!(read(&draft).0, Report::default());
    }
}

/// Proves: F-PROJ-002, F-PROJ-003, F-PROJ-004
#[test]
fn slugs_are_made_as_they_are_defined() {
    for (name, expected) in [
        ("API v2.0 Integration", "api-v2-0-integration"),
        ("Setup DB & Cache Layer", "setup-db-cache-layer"),
        ("  Leading Spaces  ", "leading-spaces"),
        ("--a--b--", "a-b"),
        ("ÄPFEL", "pfel"),
        ("", ""),
        ("a name of forty characters, more or less", "a-name-of-forty-characters-more-or-less"),
    ] {
        assert_eq!(slug(name), expected);
    }
    let long = "a".repeat(70);
    let hash = crate::Digest::of(long.as_bytes()).to_string();
    assert_eq!(slug(&long), format!("{}-{}", "a".repeat(56), &hash[..7]));
    assert_eq!(slug(&"a".repeat(64)), "a".repeat(64));
    // A cut behind a hyphen leaves none of two.
    let cut = format!("{} {}", "a".repeat(55), "b".repeat(20));
    assert!(!slug(&cut).contains("--") && slug(&cut).len() <= 64);
}

/// Proves: F-PROJ-005, F-PROJ-006, F-PROJ-011, F-PROJ-012, F-PROJ-015
/// Proves in part: F-PROJ-025
#[test]
fn ids_and_folders_follow_from_the_spec_alone() {
    let mut draft = honest();
    let mut twin = story(&mut draft).clone();
    let natural = {
        let mut natural = twin.clone();
        natural["name"] = json!("Read a list 2");
        natural
    };
    let mut number = 10;
    let mut stories = vec![story(&mut draft).clone()];
    for mut other in [twin.take(), natural] {
        number += 1;
        other["story_id"] = json!(format!("STR-{number:03}"));
        for task in other["tasks"].as_array_mut().unwrap() {
            number += 1;
            task["task_id"] = json!(format!("TSK-{number:03}"));
            task["depends_on"] = json!(["TSK-001"]);
        }
        stories.push(other);
    }
    epic(&mut draft)["stories"] = json!(stories);
    let (report, spec) = read(&draft);
    let spec = spec.unwrap_or_else(|| panic!("{report:?}"));
    let places = plan(&spec).unwrap();
    assert_eq!(plan(&spec).unwrap(), places);
    let told: Vec<String> = places
        .iter()
        .map(|it| format!("{} {} {} {}", it.order, it.id, it.folder.join("/"), it.depends_on.len()))
        .collect();
    let expected = [
        "0 T-lists-reading-read-a-list-001 lists/reading/read-a-list/parse-a-line 0",
        "1 T-lists-reading-read-a-list-002 lists/reading/read-a-list/read-a-file 1",
        // The one that is called so keeps its name; the twin gets the next number.
        "2 T-lists-reading-read-a-list-3-001 lists/reading/read-a-list-3/parse-a-line 1",
        "3 T-lists-reading-read-a-list-3-002 lists/reading/read-a-list-3/read-a-file 1",
        "4 T-lists-reading-read-a-list-2-001 lists/reading/read-a-list-2/parse-a-line 1",
        "5 T-lists-reading-read-a-list-2-002 lists/reading/read-a-list-2/read-a-file 1",
    ];
    assert_eq!(told, expected);
}

/// Proves: F-PROJ-009
#[test]
fn ids_that_meet_across_parents_are_an_error_with_both_names() {
    let mut draft = honest();
    pillar(&mut draft)["name"] = json!("core");
    epic(&mut draft)["name"] = json!("infra auth");
    let mut other = pillar(&mut draft).clone();
    other["pillar_id"] = json!("PIL-002");
    other["name"] = json!("core infra");
    let epic = &mut other["epics"][0];
    (epic["epic_id"], epic["name"]) = (json!("EPC-002"), json!("auth"));
    let story = &mut epic["stories"][0];
    story["story_id"] = json!("STR-002");
    for (nth, task) in story["tasks"].as_array_mut().unwrap().iter_mut().enumerate() {
        task["task_id"] = json!(format!("TSK-{:03}", 50 + nth));
        task["name"] = json!(format!("other {nth}"));
        task["depends_on"] = json!([]);
    }
    draft["pillars"].as_array_mut().unwrap().push(other);
    let (report, spec) = read(&draft);
    assert_eq!(spec, None);
    let message = &report.errors[0].message;
    let parts = ["\"other 0\"", "\"Parse a line\"", "T-core-infra-auth-read-a-list-001"];
    assert!(parts.iter().all(|it| message.contains(it)), "{message}");
}

fn read(draft: &Value) -> (Report, Option<ProductSpec>) {
    check(draft.to_string().as_bytes())
}

fn pillar(draft: &mut Value) -> &mut Value {
    &mut draft["pillars"][0]
}

fn epic(draft: &mut Value) -> &mut Value {
    &mut pillar(draft)["epics"][0]
}

fn story(draft: &mut Value) -> &mut Value {
    &mut epic(draft)["stories"][0]
}

fn task(draft: &mut Value, nth: usize) -> &mut Value {
    &mut story(draft)["tasks"][nth]
}

fn sketch(draft: &mut Value) -> &mut Value {
    &mut task(draft, 0)["io_contract_sketch"]
}

/// The element at a path such as `pillars[0].epics[0]`.
fn element<'d>(draft: &'d mut Value, path: &str) -> &'d mut Value {
    let mut at = draft;
    for part in path.split('.').filter(|it| !it.is_empty()) {
        at = match part.strip_suffix("[0]") {
            Some(list) => &mut at[list][0],
            None => &mut at[part],
        };
    }
    at
}

/// A spec that nothing is wrong with.
pub(super) fn honest_spec() -> ProductSpec {
    read(&honest()).1.unwrap()
}

fn honest() -> Value {
    let task = |id: &str, name: &str, on: &[&str]| {
        json!({
            "task_id": id,
            "name": name,
            "description": "A line of the list is read into its parts.",
            "subtasks": ["split the line", "say what is wrong with it"],
            "acceptance_criteria": ["returns the parts of a line", "rejects an empty line"],
            "io_contract_sketch": {
                "inputs": "one line of text",
                "outputs": "the parts of the line",
                "error_surfaces": "EmptyLine if there is nothing in it",
                "effects": "pure: no side effects",
                "modes": "synchronous only",
            },
            "depends_on": on,
        })
    };
    json!({
        "spec_id": "SPEC-001",
        "spec_version": "1.0.0",
        "title": "Lists",
        "description": "Lists of things are read and printed.",
        "created_at": "2026-01-31T12:00:00Z",
        "updated_at": "2026-01-31T12:00:00.5+01:00",
        "pillars": [{
            "pillar_id": "PIL-001",
            "name": "Lists",
            "description": "Everything that has to do with lists.",
            "rationale": "People keep lists.",
            "epics": [{
                "epic_id": "EPC-001",
                "name": "Reading",
                "description": "Lists are read from files.",
                "success_criteria": ["a list of a thousand lines is read in a second"],
                "stories": [{
                    "story_id": "STR-001",
                    "name": "Read a list",
                    "description": "A person reads a list from a file.",
                    "user_facing_behavior": "The list is printed.",
                    "tasks": [
                        task("TSK-001", "Parse a line", &[]),
                        task("TSK-002", "Read a file", &["TSK-001"]),
                    ],
                }],
            }],
        }],
    })
}

/// What a project could not take is refused before a person approves it: an approved spec can be planned.
#[test]
fn a_spec_that_cannot_be_planned_has_errors() {
    let long = |count: usize| json!("x".repeat(count));
    let many = |count: usize| json!(vec!["returns what was asked for"; count]);
    let bends = [
        ("depends_on", json!(vec!["TSK-001"; 101]), "101 dependencies"),
        ("subtasks", many(101), "101 subtasks"),
        ("acceptance_criteria", many(65), "65 criteria"),
        ("acceptance_criteria", json!([long(70_000), "returns one"]), "bytes of text"),
        ("description", long(20_000), "20000 bytes"),
    ];
    for (field, value, why) in bends {
        let mut draft = honest();
        task(&mut draft, 1)[field] = value;
        let (report, spec) = read(&draft);
        let is_named = |it: &Deficiency| it.message.contains(why);
        assert!(spec.is_none() && report.errors.iter().any(is_named), "{field}: {report:?}");
    }
    let mut draft = honest();
    draft["title"] = long(2_000);
    assert!(read(&draft).1.is_none());
}

/// A part of a plan fits into a record, and what a task depends on stands before it.
#[test]
fn a_large_plan_comes_in_parts_that_a_record_can_hold() {
    let mut draft = honest();
    let first = task(&mut draft, 0).clone();
    let tasks = element(&mut draft, "pillars[0].epics[0].stories[0]");
    let one = |nth: usize| {
        let mut task = first.clone();
        task["task_id"] = json!(format!("TSK-{:03}", nth + 100));
        task["name"] = json!(format!("Task {nth}"));
        task["acceptance_criteria"] = json!(["returns ".repeat(60), "writes ".repeat(60)]);
        // The last ones first, so that the order of declaration is not the order of the parts.
        let on = if nth == 899 { vec![] } else { vec![format!("TSK-{:03}", nth + 101)] };
        task["depends_on"] = json!(on);
        task
    };
    tasks["tasks"] = (0..900).map(one).collect();
    let (report, spec) = read(&draft);
    let spec = spec.unwrap_or_else(|| panic!("{:?}", report.errors));
    let parts = parts(&spec, &plan(&spec).unwrap());
    assert!(parts.len() > 3, "{}", parts.len());
    let mut before: Vec<crate::TaskId> = Vec::new();
    for part in parts {
        assert!(serde_json::to_string(&part).unwrap().len() < 500_000);
        let bytes: usize = part.len() * (60 * 15);
        assert!(bytes < 500_000, "{bytes}");
        before.extend(part.iter().map(|it| it.id.clone()));
        assert!(part.iter().all(|it| it.depends_on.iter().all(|on| before.contains(on))));
    }
    assert!(before.len() >= 900);
}
