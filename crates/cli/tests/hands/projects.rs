//! A project from a product spec to a branch: planned by a person, built task by task, each on top of what it depends on.

use std::fs;

use serde_json::{Value, json};

use crate::rehearsal::{READY, Rehearsal};

/// Three tasks in a row. Nothing begins before the spec is approved; the second one halts, what depends on it waits, and
/// its resolution frees it. In the end one branch has the work of all, in the order of their dependencies.
///
/// Proves: F-PROD-008, F-PROD-012, F-PROD-013, F-PROD-014, F-PROD-039, F-PROD-042, F-PROD-050, F-PROJ-001, F-PROJ-024,
/// F-PROJ-031, F-PROJ-036, F-PROJ-037, F-PROJ-038, F-PROJ-041
/// Proves in part: F-PROD-040, F-PROD-043, F-PROJ-010
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
    fs::write(spec, product(3).to_string()).unwrap();
    let told = rehearsal.says(11, &["plan", "--from", spec]);
    assert!(told.contains("shorter than 20 characters") && told.contains("3 tasks"), "{told}");
    assert_eq!(rehearsal.file(".sealwright/product/spec.json"), product(3).to_string());
    let readable = rehearsal.file(".sealwright/product/spec.md");
    for part in ["SPEC-001", "PIL-001", "EPC-001", "STR-001", "TSK-003", "## Warnings"] {
        assert!(readable.contains(part), "{part}");
    }
    // It waits for a person, also in another process; words of no use are refused.
    assert!(rehearsal.says(11, &["run"]).contains("the spec waits for your decision"));
    assert!(rehearsal.says(12, &["plan", "--amend", " "]).contains("say why"));
    rehearsal.says(2, &["plan", "--approve", "--reject", "no"]);
    assert!(!rehearsal.path().join(".sealwright/journal").join(id(1)).exists());
    rehearsal.see(&["plan", "--approve", "--yes"]);
    assert_eq!(statuses(&rehearsal), [("pending", false), ("pending", false), ("pending", false)]);
    // The second one does not say what it leaves out.
    let told = rehearsal.says(11, &["run"]);
    assert!(told.contains(&id(2)), "{told}");
    assert_eq!(statuses(&rehearsal), [("shipped", false), ("halted", false), ("pending", true)]);
    assert!(rehearsal.says(11, &["run"]).contains(&id(2)), "it halts until a person decides");
    let frame = frame(2, "[\"prices\"]");
    rehearsal.rewrite(&format!("{}/frame", id(2)), &frame);
    let [one, two] = criteria(2);
    let (task, because) = (id(2), ["--because", "it says so now"]);
    let words = ["resolve", &task, "amend-spec", "--criterion", &one, "--criterion", &two];
    rehearsal.see(&[&words[..], &because].concat());
    let text = rehearsal.view(&task, "TASK.md");
    assert!(text.contains("it says so now"), "{text}");
    // What a person changed is approved by a person.
    rehearsal.says(11, &["run"]);
    rehearsal.see(&["approve", &task]);
    let told = rehearsal.see(&["run"]);
    assert!(told.contains("the work is on branch sealwright/project"), "{told}");
    assert_eq!(statuses(&rehearsal), [("shipped", false); 3]);
    let titles = rehearsal.git(&["log", "--format=%s", "-3", "sealwright/project"]);
    assert_eq!(titles, "Part 3\nPart 2\nPart 1\n");
    for nth in 2..=3 {
        let base = rehearsal.event(&id(nth), "based").unwrap()["commit"].clone();
        let before = rehearsal.git(&["rev-parse", &format!("sealwright/{}", id(nth - 1))]);
        assert_eq!(base.as_str(), Some(before.trim()));
    }
    // A run of what has ended changes nothing.
    let before = rehearsal.git(&["rev-parse", "sealwright/project"]);
    rehearsal.see(&["run"]);
    assert_eq!(rehearsal.git(&["rev-parse", "sealwright/project"]), before);
    assert!(rehearsal.see(&["verify"]).contains("proven"));
    let drawn = rehearsal.see(&["graph", "--as", "svg"]);
    assert!(drawn.starts_with("<svg") && drawn.contains("Part 3"), "{drawn}");
}

/// Status of each task, and whether it is blocked.
fn statuses(rehearsal: &Rehearsal) -> Vec<(&'static str, bool)> {
    let printed = rehearsal.see(&["graph", "--format", "json"]);
    let rows = printed.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let known = ["pending", "in_progress", "halted", "shipped"];
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
    let returned = amount(nth, 2);
    [
        format!("AC-{}: amount of part {nth} returns {returned} for two hours", 2 * nth - 1),
        format!("AC-{}: amount of part {nth} returns 0 for no hours", 2 * nth),
    ]
}

/// Each part is the one before it and its own share.
fn amount(nth: u32, hours: i64) -> i64 {
    (1..=nth).map(|it| hours * (i64::from(it) + 1)).sum()
}

/// A product of so many tasks.
pub(crate) fn product(count: u32) -> Value {
    let task = |nth: u32| {
        json!({
            "task_id": format!("TSK-{nth:03}"),
            "name": format!("Part {nth}"),
            "description": format!("Part {nth} of the sums of parking"),
            "subtasks": ["write the module of the part", "add the amount of the part before it"],
            "acceptance_criteria": criteria(nth),
            "io_contract_sketch": {
                "inputs": "a whole number of hours",
                "outputs": "an amount in cents",
                "error_surfaces": "TypeError if the hours are no number",
                "effects": "pure: no side effects",
                "modes": "one call and nothing else",
            },
            "depends_on": if nth == 1 { json!([]) } else { json!([format!("TSK-{:03}", nth - 1)]) },
        })
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
    let done = json!(criteria(nth));
    format!(
        "[[step]]\ndo = \"submit\"\n[step.answer]\nobjective = \"Part {nth} has an amount.\"\ndone_gate = {done}\n\
         not_doing = {not_doing}\nreality = [\"the fees stay as they are\"]\naudience = \"code\"\nfeatures = []\n\
         stop = {{ kind = \"none\", why = \"\", question = \"\" }}\n"
    )
}

/// The answers of all roles in one task.
pub(crate) fn scripts(nth: u32) -> [(&'static str, String); 5] {
    let done = json!(criteria(nth));
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
        let amounts: Vec<i64> = hours.iter().map(|it| amount(nth, *it)).collect();
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
        1 => (String::new(), String::new()),
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
    let not_doing = if nth == 2 { "[]" } else { "[\"prices\"]" };
    [
        ("frame", frame(nth, not_doing)),
        ("shape", shape),
        ("tests", tests),
        ("edit", edit),
        ("challenge", challenge),
    ]
}
