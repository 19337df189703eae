//! The phase in which something is built: from the latest snapshot, inside the plan, in several passes, and what people
//! find afterwards.

use std::path::Path;

use serde_json::{Value, json};

use crate::rehearsal::{EDIT, READY, Rehearsal, SHAPE, WANTED, after, script, swap};

/// Code, a document and a program, in two passes; a change beside the plan does not count. Every pass has the latest
/// snapshot and no other, and needs none. The fast gate runs after each pass, the whole one before delivery.
///
/// Proves: B-011, B-043, B-046, B-056, B-059, P-024, P-027, P-056
/// Proves in part: P-009, P-041, P-042
#[test]
fn a_slice_is_built_in_passes_inside_its_plan_and_judged_by_both_gates() {
    let shape =
        swap(SHAPE, "places = [\"parking\"]", "places = [\"parking\", \"docs\", \"tools\"]");
    let shape = swap(&shape, "unknowns = []", "unknowns = [\"what an hour costs\"]");
    let shape = swap(&shape, "look_in = []", "look_in = [\"parking\"]");
    let scout = script(
        "",
        "findings = [{ unknown = 0, source = \"parking/fees.py:3\", snippet = \"HOUR = 300\", \
         note = \"an hour costs 300 cents\", certainty = \"seen\" }]",
    );
    let stray = script("echo beside > beside.txt; echo '# a day' >> parking/fees.py", READY);
    // The refused change is not there.
    let code = after(
        "test ! -e beside.txt\nif grep -q '# a day' parking/fees.py; then exit 1; fi\nmkdir docs && cat /brief/snapshot.md > docs/first.md",
        EDIT,
    );
    let code = swap(&code, "ready = true", "ready = false");
    // What was found out before the first pass is taken from the one snapshot there is.
    // A package further down is found by the role's commands as by the gates.
    let rest = script(
        "python3 -m pytest -q\npython3 -c 'import desk'\ntest \"$(ls /brief | grep -c -e snapshot -e '^iter-')\" = 1\n\
         cat /brief/snapshot.md > docs/second.md\n\
         hour=$(sed -n 's/^- F.*an hour costs \\([0-9]*\\) cents.*/\\1/p' /brief/snapshot.md)\n\
         echo \"An hour costs $hour cents.\" > docs/fees.md\n\
         mkdir tools && printf '#!/bin/sh\\necho 2000\\n' > tools/day.sh && chmod +x tools/day.sh",
        READY,
    );
    let scripts = [
        ("shape", &shape),
        ("scout", &scout),
        ("edit-1", &stray),
        ("edit-2", &code),
        ("edit-3", &rest),
    ];
    let whole =
        "[checks.whole]\ncommand = [\"sh\", \"-c\", \"echo everything\"]\nsets = [\"exit\"]\n";
    let scripts = scripts.map(|(name, text)| (name, text.as_str()));
    let rehearsal = Rehearsal::configured(&scripts, whole);
    let desk = rehearsal.path().join("services/desk/desk");
    std::fs::create_dir_all(&desk).unwrap();
    std::fs::write(desk.join("__init__.py"), "").unwrap();
    rehearsal.git(&["add", "services"]);
    rehearsal.git(&["commit", "--quiet", "--message", "desk"]);
    let task = rehearsal.ask(&[WANTED, "--lane", "quick"]);
    assert!(rehearsal.view(&task, "STATE.md").contains("- **Evidence link:** none yet\n"));
    rehearsal.see(&["approve", &task]);
    // One command, started anywhere, repeats passes until the task is over.
    let elsewhere = tempfile::tempdir().unwrap();
    let path = rehearsal.path().to_str().unwrap();
    let words = ["do", "--continue", &task, "--repository", path];
    let output = rehearsal.sealwright_in(elsewhere.path(), &words);
    assert_eq!(output.status.code(), Some(0), "{:?}", rehearsal.event(&task, "halted"));
    let way = ["intake", "shape", "implement", "verify", "review", "done"];
    assert_eq!(rehearsal.phases(&task), way);

    passes(&rehearsal, &task);
    gates(&rehearsal, &task);
    pages(&rehearsal, &task);
}

fn passes(rehearsal: &Rehearsal, task: &str) {
    let refused = rehearsal.of_slices(task, "edit_refused");
    assert_eq!(refused, [json!({ "outside": ["beside.txt"] })]);
    let claims: Vec<Value> =
        rehearsal.of_slices(task, "edited").into_iter().map(|it| it["claim"].clone()).collect();
    assert_eq!(claims, ["more_to_do", "ready"]);
    let edits = rehearsal.calls(task).iter().filter(|(_, part)| part == "edit").count();
    assert_eq!(edits, 3, "a pass was asked for again");
    let branch = format!("sealwright/{task}");
    let files = rehearsal.git(&["ls-tree", "-r", &branch, "--", "docs", "tools", "beside.txt"]);
    assert!(files.contains("100755") && !files.contains("beside.txt"), "{files}");
    assert_eq!(rehearsal.kept(task, "docs/fees.md"), "An hour costs 300 cents.\n");
    let tasks = rehearsal.view(task, "TASKS.md");
    assert!(tasks.contains("- Gate runs: 3 of 12\n"), "{tasks}");

    // What the plan rests on and what each pass was given, held against the latest snapshot at that time.
    let (mut latest, mut given) = (Value::Null, Vec::new());
    for event in rehearsal.all(task, "slice").into_iter().map(|it| it["event"].clone()) {
        if let Some(plan) = event.get("planned").map(|it| &it["plan"]) {
            assert_eq!(plan["change"], "fee() never takes more than 2000 cents for a day");
            let known: Vec<&Value> =
                latest["consolidated"].as_array().unwrap().iter().map(|fact| &fact["id"]).collect();
            let cites = plan["cites"].as_array().unwrap();
            assert!(!cites.is_empty() && cites.iter().all(|id| known.contains(&id)), "{plan}");
        }
        if event.get("edited").is_some() {
            given.push(latest["header"]["iteration"].as_str().unwrap().to_owned());
        }
        let new = event.as_object().and_then(|it| it.values().next()?.get("snapshot").cloned());
        latest = new.unwrap_or(latest);
    }
    assert_eq!(given.len(), 2);
    assert_ne!(given[0], given[1]);
    for (iteration, file) in given.iter().zip(["docs/first.md", "docs/second.md"]) {
        let copy = rehearsal.kept(task, file);
        assert!(copy.starts_with(&format!("# {iteration}\n")), "{iteration}: {copy}");
        assert!(copy.contains("an hour costs 300 cents (from: E1)"), "{copy}");
    }
}

fn gates(rehearsal: &Rehearsal, task: &str) {
    let begun = &rehearsal.of_slices(task, "begun")[0]["snapshot"]["header"];
    assert_eq!(
        (&begun["gate_iteration"], &begun["gate_exit"]),
        (&json!("iteration"), &json!("exit"))
    );
    let ran = rehearsal.of_slices(task, "gate_ran");
    let told: Vec<(&str, bool)> = ran
        .iter()
        .map(|it| {
            let last = it["evidence"]["evidence"]["source"]["command"]["argv"].to_string();
            (it["gate"].as_str().unwrap(), last.contains("echo everything"))
        })
        .collect();
    assert_eq!(told, [("iteration", false), ("iteration", false), ("exit", true)]);
    // Both ran the tests.
    let is_tested =
        |it: &Value| it["evidence"]["evidence"]["artifacts"].to_string().contains("tests.json");
    assert!(ran.iter().all(is_tested), "{ran:?}");
}

/// One page leads to everything that was seen, and the state of the task leads to the page.
fn pages(rehearsal: &Rehearsal, task: &str) {
    let state = rehearsal.view(task, "STATE.md");
    assert!(state.contains("- **Evidence link:** [evidence.html](evidence.html)\n"), "{state}");
    let page = rehearsal.view(task, "evidence.html").replace("&#x2f;", "/");
    // What was built, how it is taken over, and what was agreed.
    let merge = format!("git merge sealwright/{task}");
    for text in
        [&merge, "tools/day.sh</span> +2 −0", "<span class=\"good\">+", "out of scope</summary>"]
    {
        assert!(page.contains(text), "{text} is not on the page");
    }
    let folder = rehearsal.path().join(".sealwright/tasks").join(task);
    let links: Vec<&str> =
        page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let mut digests = Vec::new();
    let events = rehearsal.events(task);
    events.iter().for_each(|event| collect(event, &mut digests));
    assert!(digests.len() > 10, "{digests:?}");
    for digest in digests {
        let name = format!("{}/{}", &digest[..2], &digest[2..]);
        let link = links.iter().find(|link| link.ends_with(&name));
        let link = link.unwrap_or_else(|| panic!("no link to {digest}"));
        assert!(folder.join(Path::new(link)).is_file(), "{link} leads nowhere");
    }
}

/// The digests of outputs and artifacts of all evidence in an event.
fn collect(value: &Value, digests: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            if let (Some(output), Some(artifacts)) =
                (members.get("output"), members.get("artifacts"))
            {
                let contents = artifacts.as_array().into_iter().flatten().map(|it| &it["content"]);
                let texts = contents.chain([output]).filter_map(Value::as_str);
                digests.extend(texts.map(str::to_owned));
            }
            members.values().for_each(|member| collect(member, digests));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, digests)),
        _ => {}
    }
}
