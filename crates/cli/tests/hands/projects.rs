//! A project from a product spec to a branch: planned by a person, built task by task, each on top of what it depends on.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::rehearsal::{READY, Rehearsal};

/// Three tasks in a row, and one beside them. Nothing begins before the spec is approved; the second one halts, what depends
/// on it waits and the other does not begin either, and its resolution frees both. In the end one branch has the work of all,
/// in the order of their dependencies.
///
/// Proves: F-PROD-039, F-PROJ-001, F-PROJ-024, F-PROJ-031, F-PROJ-037, F-PROJ-041, F-PROJ-050
/// Proves in part: F-PROJ-038, F-PROJ-039, F-PROJ-040, F-PROD-013, F-PROD-014, F-PROD-050
#[test]
fn a_project_is_planned_by_a_person_and_built_task_by_task() {
    let rehearsal = Rehearsal::with(&[]);
    for nth in 1..=3 {
        for (call, text) in scripts(nth) {
            rehearsal.rewrite(&format!("{}/{call}", id(nth)), &text);
        }
    }
    let spec = rehearsal.path().join(".git/spec.json");
    let spec = spec.to_str().unwrap();
    assert!(rehearsal.says(2, &["run"]).contains("there is no project here"));
    // Every error at once, each with its place, and nothing is kept.
    let mut broken = product(3);
    broken["title"] = json!(" ");
    broken["pillars"][0]["epics"][0]["stories"][0]["tasks"][1]["depends_on"] = json!(["TSK-009"]);
    broken["pillars"][0]["epics"][0]["stories"][0]["tasks"][2]["subtasks"] = json!(["one"]);
    fs::write(spec, broken.to_string()).unwrap();
    for words in [&["spec", "check", spec][..], &["plan", "--from", spec]] {
        let told = rehearsal.says(10, words);
        for part in ["title:", "tasks[1].depends_on[0]:", "tasks[2].subtasks:", "has 3 errors"] {
            assert!(told.contains(part), "{part} is not in {told}");
        }
    }
    assert!(!rehearsal.path().join(".sealwright/product").exists());
    let mut whole = product(4);
    let beside = &mut whole["pillars"][0]["epics"][0]["stories"][0]["tasks"][3];
    (beside["depends_on"], beside["acceptance_criteria"]) = (json!([]), json!(criteria_of(4, 4)));
    for (call, text) in scripts_of(4, 4) {
        rehearsal.rewrite(&format!("{}/{call}", id(4)), &text);
    }
    fs::write(spec, whole.to_string()).unwrap();
    let told = rehearsal.says(11, &["plan", "--from", spec]);
    assert!(told.contains("shorter than 20 characters") && told.contains("4 tasks"), "{told}");
    assert_eq!(rehearsal.file(".sealwright/product/spec.json"), whole.to_string());
    let readable = rehearsal.file(".sealwright/product/spec.md");
    for part in ["SPEC-001", "PIL-001", "EPC-001", "STR-001", "TSK-003", "## Warnings"] {
        assert!(readable.contains(part), "{part}");
    }
    // It waits for a person, also in another process; words of no use are refused.
    assert!(rehearsal.see(&["inbox"]).contains("the spec waits for your decision"));
    assert!(rehearsal.says(11, &["run"]).contains("the spec waits for your decision"));
    assert!(rehearsal.says(12, &["plan", "--amend", " "]).contains("say why"));
    rehearsal.says(2, &["plan", "--approve", "--reject", "no"]);
    assert!(!rehearsal.path().join(".sealwright/journal").join(id(1)).exists());
    rehearsal.see(&["plan", "--approve", "--yes"]);
    let pending = ("pending", false);
    assert_eq!(statuses(&rehearsal), [pending; 4]);
    // The second one does not say what it leaves out.
    let told = rehearsal.says(11, &["run"]);
    assert!(told.contains(&id(2)), "{told}");
    let halted = [("shipped", false), ("halted", false), ("pending", true), pending];
    assert_eq!(statuses(&rehearsal), halted);
    let before = rehearsal.records("project").len();
    assert!(rehearsal.says(11, &["run"]).contains(&id(2)), "it halts until a person decides");
    assert_eq!(statuses(&rehearsal), halted, "nor does the one beside it begin");
    assert_eq!(rehearsal.records("project").len(), before, "nothing happens meanwhile");
    assert!(!rehearsal.events(&id(4)).contains(&json!("dispatched")));
    told_in_machine(&rehearsal);
    for words in [&["approve", &id(2)][..], &["do", "--continue", &id(2)]] {
        let output = rehearsal.sealwright(words);
        assert!(!output.status.success(), "no word frees it but a resolution");
        assert_eq!(statuses(&rehearsal), halted, "{words:?}");
    }
    let frame = frame(2, "[\"prices\"]");
    rehearsal.rewrite(&format!("{}/frame", id(2)), &frame);
    let [one, two] = criteria(2);
    let (task, because) = (id(2), ["--because", "it says so now"]);
    let words = ["resolve", &task, "amend-spec", "--criterion", &one, "--criterion", &two];
    let words = [&words[..], &because].concat();
    assert!(rehearsal.says_as_role(12, &words).contains("agents may not"));
    rehearsal.see(&words);
    let text = rehearsal.view(&task, "TASK.md");
    assert!(text.contains("it says so now"), "{text}");
    // What a person changed is approved by a person.
    rehearsal.says(11, &["run"]);
    rehearsal.see(&["approve", &task]);
    let told = rehearsal.see(&["run"]);
    assert!(told.contains("the work is on branch sealwright/project"), "{told}");
    assert_eq!(statuses(&rehearsal), [("shipped", false); 4]);
    let titles = rehearsal.git(&["log", "--format=%s", "--topo-order", "sealwright/project"]);
    let of = |part: u32| titles.find(&format!("Part {part}\n")).unwrap();
    assert!(of(3) < of(2) && of(2) < of(1) && titles.contains("Part 4\n"), "{titles}");
    for nth in 2..=3 {
        let base = rehearsal.event(&id(nth), "based").unwrap()["commit"].clone();
        let before = rehearsal.git(&["rev-parse", &format!("sealwright/{}", id(nth - 1))]);
        // It has the work of the one before in its history.
        rehearsal.git(&["merge-base", "--is-ancestor", before.trim(), base.as_str().unwrap()]);
    }
    in_rounds(&rehearsal);
    // A run of what has ended changes nothing.
    let before = rehearsal.git(&["rev-parse", "sealwright/project"]);
    rehearsal.see(&["run"]);
    assert_eq!(rehearsal.git(&["rev-parse", "sealwright/project"]), before);
    assert!(rehearsal.see(&["verify"]).contains("proven"));
    let drawn = rehearsal.see(&["graph", "--as", "svg"]);
    assert!(drawn.starts_with("<svg") && drawn.contains("Part 3"), "{drawn}");
}

/// Each task has its turn, is dispatched, works and tells how it ended, in this order, after all were planned.
fn in_rounds(rehearsal: &Rehearsal) {
    let events = rehearsal.events("project");
    let at = |is_it: &dyn Fn(&Value) -> bool| events.iter().position(is_it).unwrap();
    let planned = at(&|it| it == "plan_closed");
    for nth in 1..=4 {
        let task = id(nth);
        let of = |name: &str| at(&|it| it.get(name).is_some_and(|it| it["task"] == task.as_str()));
        let shipped = |it: &Value| {
            it.get("heard")
                .is_some_and(|it| it["task"] == task.as_str() && it["status"] == "shipped")
        };
        let round = [planned, of("turn_given"), of("dispatched"), of("heard"), at(&shipped)];
        assert!(round.is_sorted(), "{task}: {round:?}");
    }
}

/// What the file for programs says of one that shipped, one that halted and one that is blocked.
fn told_in_machine(rehearsal: &Rehearsal) {
    let machine: Value =
        serde_json::from_str(&rehearsal.file(".sealwright/project/state_machine.json")).unwrap();
    let [shipped, halted, blocked] = [1, 2, 3].map(|nth| &machine["tasks"][id(nth)]);
    let statuses = [shipped, halted, blocked].map(|it| it["status"].as_str().unwrap());
    assert_eq!(statuses, ["SHIPPED", "HALTED", "BLOCKED"]);
    assert!(shipped["shipped_at"].as_str().unwrap().ends_with('Z'), "{shipped}");
    assert!(
        halted["halted_reason"].as_str().unwrap().contains("what is not being done"),
        "{halted}"
    );
    assert!(halted["escalation_ref"].as_str().unwrap().starts_with("ESC-"), "{halted}");
    for field in ["shipped_at", "halted_reason", "escalation_ref"] {
        assert_eq!(blocked[field], json!(null), "{field}");
    }
}

/// Every file below a folder, with what it says.
pub(crate) fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut found, mut open) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(at).into_iter().flatten().map(|it| it.unwrap().path()) {
            if entry.is_dir() {
                open.push(entry);
            } else {
                let text = fs::read(&entry).unwrap();
                found.insert(entry, text);
            }
        }
    }
    found
}

/// Status of each task, and whether it is blocked.
pub(crate) fn statuses(rehearsal: &Rehearsal) -> Vec<(&'static str, bool)> {
    let printed = rehearsal.see(&["graph", "--format", "json"]);
    let rows = printed.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let known = ["pending", "in_progress", "halted", "shipped", "abandoned"];
    let status = |row: Value| {
        let word = known.into_iter().find(|it| row["status"] == *it).unwrap();
        (word, row["blocked"] == true)
    };
    rows.map(status).collect()
}

pub(crate) fn id(nth: u32) -> String {
    format!("T-sums-parts-counting-{nth:03}")
}

fn criteria(nth: u32) -> [String; 2] {
    criteria_of(1, nth)
}

pub(crate) fn criteria_of(from: u32, nth: u32) -> [String; 2] {
    let returned = amount(from, nth, 2);
    [
        format!("AC-{}: amount of part {nth} returns {returned} for two hours", 2 * nth - 1),
        format!("AC-{}: amount of part {nth} returns 0 for no hours", 2 * nth),
    ]
}

/// Each part is the one before it and its own share, from the first one on.
fn amount(from: u32, nth: u32, hours: i64) -> i64 {
    (from..=nth).map(|it| hours * (i64::from(it) + 1)).sum()
}

/// A task of a spec without its id: the parts from another one on.
pub(crate) fn part(nth: u32, from: u32, on: &[&str]) -> Value {
    json!({
        "name": format!("Part {nth}"),
        "description": format!("Part {nth} of the sums of parking"),
        "subtasks": ["write the module of the part", "add the amount of the part before it"],
        "acceptance_criteria": criteria_of(from, nth),
        "io_contract_sketch": {
            "inputs": "a whole number of hours",
            "outputs": "an amount in cents",
            "error_surfaces": "TypeError if the hours are no number",
            "effects": "pure: no side effects",
            "modes": "one call and nothing else",
        },
        "depends_on": on,
    })
}

/// A product of so many tasks.
pub(crate) fn product(count: u32) -> Value {
    let task = |nth: u32| {
        let before = format!("TSK-{:03}", nth - 1);
        let before = if nth == 1 { vec![] } else { vec![before.as_str()] };
        let mut task = part(nth, 1, &before);
        task["task_id"] = json!(format!("TSK-{nth:03}"));
        task
    };
    json!({
        "spec_id": "SPEC-001", "spec_version": "1.0.0", "title": "Parking sums",
        "description": "too short",
        "created_at": "2026-11-18T12:00:00Z", "updated_at": "2026-11-18T12:00:00Z",
        "pillars": [{
            "pillar_id": "PIL-001", "name": "Sums", "description": "All sums of parking together",
            "rationale": "people ask for them",
            "epics": [{
                "epic_id": "EPC-001", "name": "Parts", "description": "The parts of the sums of parking",
                "success_criteria": ["every part returns its amount"],
                "stories": [{
                    "story_id": "STR-001", "name": "Counting", "description": "Amounts that a person looks at",
                    "user_facing_behavior": "a person sees the amount",
                    "tasks": (1..=count).map(task).collect::<Vec<_>>(),
                }],
            }],
        }],
    })
}

fn frame(nth: u32, not_doing: &str) -> String {
    frame_of(1, nth, not_doing)
}

fn frame_of(from: u32, nth: u32, not_doing: &str) -> String {
    let done = json!(criteria_of(from, nth));
    format!(
        "[[step]]\ndo = \"submit\"\n[step.answer]\nobjective = \"Part {nth} has an amount.\"\ndone_gate = {done}\n\
         not_doing = {not_doing}\nreality = [\"the fees stay as they are\"]\naudience = \"code\"\nfeatures = []\n\
         stop = {{ kind = \"none\", why = \"\", question = \"\" }}\n"
    )
}

/// The answers of all roles in one task.
pub(crate) fn scripts(nth: u32) -> [(&'static str, String); 5] {
    let mut scripts = scripts_of(1, nth);
    let not_doing = if nth == 2 { "[]" } else { "[\"prices\"]" };
    scripts[0].1 = frame(nth, not_doing);
    scripts
}

/// The same for a part that builds on the parts from another one on, and on none before.
pub(crate) fn scripts_of(from: u32, nth: u32) -> [(&'static str, String); 5] {
    let done = json!(criteria_of(from, nth));
    let part = |confidence: u32| {
        format!("text = \"amount of part {nth}\"\nconfidence = {confidence}\nflags = []\n")
    };
    let shape = format!(
        "[[step]]\ndo = \"submit\"\n[step.answer]\nvalidation = [\"acceptance tests of both criteria\"]\ndeclared = []\n\
         items = [\"amount\"]\nskips = []\nkeeps_behaviour = false\nimpossible = \"\"\n[step.answer.spec]\n{}\
         [step.answer.scenarios]\n{}[step.answer.contract]\n{}[[step.answer.slices]]\n\
         sentence = \"amount() of part {nth}\"\nplaces = [\"parking\"]\ncriteria = {done}\n\
         constraints = [\"the fees stay as they are\"]\nunknowns = []\nlook_in = []\nleave_out = []\n",
        part(95),
        part(90),
        part(95),
    );
    let test = |name: &str, hours: &[i64]| {
        let amounts: Vec<i64> = hours.iter().map(|it| amount(from, nth, *it)).collect();
        format!(
            "\n\ndef test_{name}():\n    assert [amount(x) for x in {hours:?}] == {amounts:?}\n"
        )
    };
    let (mut tests, mut traces) = (String::new(), String::new());
    for (file, first, second) in
        [("part", [1, 2, 3], [0, 9, -2]), ("more", [5, 7, 11], [0, -1, 13])]
    {
        let path = format!("tests/test_{file}_{nth}.py");
        let names = [
            format!("ac_{}_{file}_{nth}_counts", 2 * nth - 1),
            format!("ac_{}_{file}_{nth}_of_nothing", 2 * nth),
        ];
        let cases = [test(&names[0], &first), test(&names[1], &second)].concat();
        tests.push_str(&format!(
            "[[step]]\ndo = \"write\"\npath = \"{path}\"\ntext = '''\nfrom parking.part_{nth} import amount\n{cases}'''\n"
        ));
        for (criterion, name) in names.iter().enumerate() {
            let criterion = criterion + 1;
            traces.push_str(&format!(
                "{{ test = \"{path}::test_{name}\", criterion = {criterion} }},"
            ));
        }
    }
    let tests = format!("{tests}[[step]]\ndo = \"submit\"\n[step.answer]\ntraces = [{traces}]\n");
    let (import, before) = match nth {
        first if first == from => (String::new(), String::new()),
        _ => (
            format!("from parking import part_{}\n\n\n", nth - 1),
            format!(" + part_{}.amount(hours)", nth - 1),
        ),
    };
    let edit = format!(
        "[[step]]\ndo = \"write\"\npath = \"parking/part_{nth}.py\"\ntext = '''\n{import}def amount(hours):\n    \
         return hours * {}{before}\n'''\n[[step]]\ndo = \"run\"\ncommand = \"python3 -m pytest -q\"\n[[step]]\n\
         do = \"submit\"\n[step.answer]\n{READY}\n",
        nth + 1
    );
    let tried = |criterion: u32, tried: &str| {
        format!(
            "{{ criterion = {criterion}, place = \"parking/part_{nth}.py:2\", tried = \"{tried}\" }},"
        )
    };
    let challenge = format!(
        "[[step]]\ndo = \"submit\"\n[step.answer]\nfailures = []\nunmet = []\nresidue = []\ncheats = []\n\
         tradeoff = \"\"\nlooked_at = [{}{}]\n",
        tried(1, "counted two hours through by hand"),
        tried(2, "looked for an amount where no hours are"),
    );
    [
        ("frame", frame_of(from, nth, "[\"prices\"]")),
        ("shape", shape),
        ("tests", tests),
        ("edit", edit),
        ("challenge", challenge),
    ]
}
