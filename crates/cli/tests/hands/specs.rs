//! Product specs as people hand them in: what is wrong with one is listed with its place, and what is decided about one is
//! what happens.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sealwright_kernel::product;
use serde_json::{Value, json};

use crate::killed::{kill, start};
use crate::projects::{id, product, scripts_of};
use crate::rehearsal::{Rehearsal, swap};

type Bend = fn(&mut Value);

/// Each rule of a spec is broken alone. An error is listed with its element and field and keeps the spec from being planned;
/// a warning does not. What is just within each rule is listed by neither.
///
/// Proves: F-PROD-008, F-PROD-025, F-PROD-026, F-PROD-027, F-PROD-028, F-PROD-029, F-PROD-030, F-PROD-035, F-PROD-036
/// Proves: F-PROD-037, F-PROD-038
#[test]
fn each_rule_of_a_spec_is_told_with_its_place() {
    let shop = Shop::new();
    let honest = honest();
    assert_eq!(shop.check(&honest), (0, places(&[]), places(&[])));
    let errors: [(&str, Bend); 6] = [
        ("pillars[0].epics", |it| it["pillars"][0]["epics"] = json!([])),
        ("pillars[0].epics[0].stories", |it| epic(it)["stories"] = json!([])),
        ("pillars[0].epics[0].success_criteria", |it| epic(it)["success_criteria"] = json!([])),
        ("pillars[0].epics[0].stories[0].tasks", |it| story(it)["tasks"] = json!([])),
        ("pillars[0].epics[0].stories[0].tasks[0].subtasks", |it| {
            task(it)["subtasks"].as_array_mut().unwrap().truncate(1);
        }),
        ("pillars[0].epics[0].stories[0].tasks[0].acceptance_criteria", |it| {
            task(it)["acceptance_criteria"].as_array_mut().unwrap().truncate(1);
        }),
    ];
    for (place, bend) in errors {
        let mut spec = honest.clone();
        bend(&mut spec);
        assert_eq!(shop.check(&spec), (10, places(&[place]), places(&[])), "{place}");
        assert!(!shop.is_kept(&spec), "{place}");
    }
    let sketch = "pillars[0].epics[0].stories[0].tasks[0].io_contract_sketch";
    for dimension in ["inputs", "outputs", "error_surfaces", "effects", "modes"] {
        let place = format!("{sketch}.{dimension}");
        let say = |text: &str| {
            let mut spec = honest.clone();
            task(&mut spec)["io_contract_sketch"][dimension] = json!(text);
            shop.check(&spec)
        };
        for text in ["TBD", "N/A", "TODO", "not applicable", "to be said: TODO"] {
            assert_eq!(say(text), (10, places(&[&place]), places(&[])), "{text}");
        }
        assert_eq!(say("pure: no side effects"), (0, places(&[]), places(&[])), "{dimension}");
    }
    let at_task = "pillars[0].epics[0].stories[0].tasks[0]";
    let warnings: [(String, Bend, Bend); 4] = [
        (
            format!("{at_task}.description"),
            |it| task(it)["description"] = json!("nineteen letters ..".to_owned()),
            |it| task(it)["description"] = json!("twenty letters are .".to_owned()),
        ),
        (
            format!("{at_task}.acceptance_criteria[0]"),
            |it| task(it)["acceptance_criteria"][0] = json!("AC-1: the system is good"),
            |it| {
                task(it)["acceptance_criteria"][0] = json!("AC-1: a page that is gone returns 404")
            },
        ),
        (
            format!("{at_task}.subtasks[1]"),
            |it| {
                task(it)["subtasks"] =
                    json!(["write the module of parts", "write the module of a parts"])
            },
            |it| {
                task(it)["subtasks"] =
                    json!(["write the module of parts", "write a test of amounts"])
            },
        ),
        (
            format!("{sketch}.error_surfaces"),
            |it| task(it)["io_contract_sketch"]["error_surfaces"] = json!("errors may occur"),
            |it| {
                task(it)["io_contract_sketch"]["error_surfaces"] =
                    json!("NoHours if there are none")
            },
        ),
    ];
    assert_eq!(("nineteen letters ..".len(), "twenty letters are .".len()), (19, 20));
    for (place, bend, other) in warnings {
        let (mut spec, mut within) = (honest.clone(), honest.clone());
        bend(&mut spec);
        other(&mut within);
        assert_eq!(shop.check(&spec), (0, places(&[]), places(&[&place])), "{place}");
        assert_eq!(shop.check(&within), (0, places(&[]), places(&[])), "{place}");
    }
}

/// Every field of every element is needed; one that is missing or blank is named with its place and with the task whose file
/// would lack it, and nothing is written.
///
/// Proves: F-PROD-034, F-PROJ-018
#[test]
fn a_field_that_is_missing_is_named_with_the_task_that_needs_it() {
    let shop = Shop::new();
    let honest = honest();
    let mut tried = 0;
    for path in ["", "/pillars/0", "/pillars/0/epics/0", STORY, TASK, SKETCH] {
        let fields = honest.pointer(path).unwrap().as_object().unwrap();
        for (field, value) in fields.iter().filter(|(field, _)| *field != "depends_on") {
            let named = place(path, field);
            let mut spec = honest.clone();
            spec.pointer_mut(path).unwrap().as_object_mut().unwrap().remove(field);
            let (code, errors, _) = shop.check(&spec);
            assert_eq!((code, errors.contains(&named)), (10, true), "{named}: {errors:?}");
            if value.is_string() {
                spec.pointer_mut(path).unwrap()[field] = json!(" \t");
                let (code, errors, _) = shop.check(&spec);
                assert_eq!((code, errors.contains(&named)), (10, true), "{named}: {errors:?}");
            }
            tried += 1;
        }
    }
    assert_eq!(tried, 7 + 5 + 5 + 5 + 6 + 5, "every field of a spec");
    let mut spec = honest;
    story(&mut spec).as_object_mut().unwrap().remove("description");
    let told = shop.plans(10, &spec);
    for part in ["stories[0].description", "TSK-001", "\"Part 1\""] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
    assert!(!shop.is_kept(&spec));
}

/// Names that cannot become tasks stop a spec before anything is written, each with what a person called it.
///
/// Proves: F-PROD-012, F-PROJ-007, F-PROJ-008, F-PROJ-010, F-PROJ-016
#[test]
fn names_that_cannot_be_tasks_stop_a_spec_before_anything_is_written() {
    let shop = Shop::new();
    let mut many = honest();
    let one = task(&mut many).clone();
    let numbered = |nth: usize| {
        let mut other = one.clone();
        (other["task_id"], other["name"]) =
            (json!(format!("TSK-{nth:03}")), json!(format!("Part {nth}")));
        other
    };
    story(&mut many)["tasks"] = (1..=1_000).map(numbered).collect();
    assert!(shop.plans(10, &many).contains("1000 tasks, more than 999 in one story"));
    assert!(!shop.is_kept(&many));
    story(&mut many)["tasks"].as_array_mut().unwrap().truncate(999);
    assert_eq!(shop.check(&many).0, 0);

    let mut long = honest();
    let name = "a name of fifty-five letters, which is a long one, now";
    long["pillars"][0]["name"] = json!(name);
    epic(&mut long)["name"] = json!(name);
    story(&mut long)["name"] = json!(name);
    let told = shop.plans(10, &long);
    let slug = "a-name-of-fifty-five-letters-which-is-a-long-one-now";
    let id = format!("T-{slug}-{slug}-{slug}-001");
    let why =
        format!("the id of \"Part 1\" would have {} characters, more than 128: {id}", id.len());
    assert!(told.contains(&why), "{told}");
    assert!(!shop.is_kept(&long));

    // Two pillars whose parts meet in one id.
    let mut meet = honest();
    meet["pillars"][0]["name"] = json!("core");
    epic(&mut meet)["name"] = json!("infra auth");
    let mut other = meet["pillars"][0].clone();
    (other["pillar_id"], other["name"]) = (json!("PIL-002"), json!("core infra"));
    (other["epics"][0]["epic_id"], other["epics"][0]["name"]) = (json!("EPC-002"), json!("auth"));
    let twin = &mut other["epics"][0]["stories"][0];
    twin["story_id"] = json!("STR-002");
    (twin["tasks"][0]["task_id"], twin["tasks"][0]["name"]) = (json!("TSK-002"), json!("Login"));
    meet["pillars"].as_array_mut().unwrap().push(other);
    let told = shop.plans(10, &meet);
    for part in ["\"Login\"", "\"Part 1\"", "T-core-infra-auth-counting-001"] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
    assert!(!shop.is_kept(&meet));

    let mut blank = honest();
    task(&mut blank)["name"] = json!("零");
    assert!(shop.plans(10, &blank).contains("no folder can be named by it"));
    assert!(!shop.is_kept(&blank));
}

/// The tasks of an approved spec: a file for each below its pillar, epic and story, and the file for programs.
///
/// Proves: F-PROJ-013, F-PROJ-014, F-PROJ-017, F-PROJ-021, F-PROJ-022, F-PROJ-025
#[test]
fn an_approved_spec_has_a_file_for_every_task() {
    let shop = Shop::new();
    let mut spec = product(2);
    // Another epic with a story of the same name.
    let mut second = epic(&mut spec).clone();
    (second["epic_id"], second["name"]) = (json!("EPC-002"), json!("Sums of Café & Bar"));
    let twin = &mut second["stories"][0];
    twin["story_id"] = json!("STR-002");
    for (nth, task) in twin["tasks"].as_array_mut().unwrap().iter_mut().enumerate() {
        task["task_id"] = json!(format!("TSK-{:03}", nth + 3));
        task["depends_on"] = json!(["TSK-001"]);
    }
    spec["pillars"][0]["epics"].as_array_mut().unwrap().push(second);
    let mut later = spec["pillars"][0].clone();
    (later["pillar_id"], later["name"]) = (json!("PIL-002"), json!("Later"));
    later["epics"].as_array_mut().unwrap().truncate(1);
    later["epics"][0]["epic_id"] = json!("EPC-003");
    later["epics"][0]["stories"][0]["story_id"] = json!("STR-003");
    for nth in 0..2 {
        let task = &mut later["epics"][0]["stories"][0]["tasks"][nth];
        (task["task_id"], task["depends_on"]) = (json!(format!("TSK-{:03}", nth + 5)), json!([]));
    }
    spec["pillars"].as_array_mut().unwrap().push(later);
    shop.plans(11, &spec);
    assert!(!shop.0.path().join(".sealwright/project/tasks").exists());
    shop.0.see(&["plan", "--approve"]);
    let root = shop.0.path().join(".sealwright/project/tasks");
    let expected = [
        "later/parts/counting/part-1/T-later-parts-counting-001.md",
        "later/parts/counting/part-2/T-later-parts-counting-002.md",
        "sums/parts/counting/part-1/T-sums-parts-counting-001.md",
        "sums/parts/counting/part-2/T-sums-parts-counting-002.md",
        "sums/sums-of-caf-bar/counting/part-1/T-sums-sums-of-caf-bar-counting-001.md",
        "sums/sums-of-caf-bar/counting/part-2/T-sums-sums-of-caf-bar-counting-002.md",
    ];
    assert_eq!(below(&root), expected.map(str::to_owned).into());
    insta::assert_snapshot!(fs::read_to_string(root.join(expected[3])).unwrap());

    let machine: Value =
        serde_json::from_str(&shop.0.file(".sealwright/project/state_machine.json")).unwrap();
    for (field, expected) in [("project_id", "project"), ("spec_version", "1.0.0")] {
        assert_eq!(machine[field], expected);
    }
    assert!(machine["updated_at"].as_str().unwrap().ends_with('Z'), "{machine}");
    let tasks = machine["tasks"].as_object().unwrap();
    let order: Vec<(u64, &str)> = {
        let number = |it: &Value| it["declaration_order"].as_u64().unwrap();
        let mut order: Vec<_> = tasks.iter().map(|(id, it)| (number(it), id.as_str())).collect();
        order.sort_unstable();
        order
    };
    // As they stand in the spec: pillar by pillar, epic by epic.
    let expected = [
        "T-sums-parts-counting-001",
        "T-sums-parts-counting-002",
        "T-sums-sums-of-caf-bar-counting-001",
        "T-sums-sums-of-caf-bar-counting-002",
        "T-later-parts-counting-001",
        "T-later-parts-counting-002",
    ];
    assert_eq!(order, (0..).zip(expected).collect::<Vec<_>>());
    let entry = &tasks["T-sums-sums-of-caf-bar-counting-002"];
    let expected = json!({
        "pillar": "Sums", "epic": "Sums of Café & Bar", "story": "Counting", "task": "Part 2",
        "status": "PENDING", "depends_on": ["T-sums-parts-counting-001"], "superseded_by": [],
        "module_ref": null, "shipped_at": null, "halted_reason": null, "escalation_ref": null,
        "declaration_order": 3,
    });
    assert_eq!(entry, &expected);
    // What people change in a view changes nothing: it is written anew.
    let path = shop.0.path().join(".sealwright/project/state_machine.json");
    fs::write(&path, machine.to_string().replace("PENDING", "SHIPPED").replace("SUMS", "X"))
        .unwrap();
    let graph = shop.0.see(&["graph", "--format", "json"]);
    assert!(!graph.contains("shipped\"") && graph.contains("pending"), "{graph}");
}

/// A person decides about exactly the text they were shown, whichever process asks them; the decision is recorded, and asked
/// changes are counted. Planning that was cut off goes on.
///
/// Proves: F-PROD-040, F-PROD-043, F-PROD-048, F-PROD-049
#[test]
fn what_a_person_decides_about_a_spec_is_what_was_shown() {
    let shop = Shop::new();
    let mut warned = product(40);
    warned["description"] = json!("too short");
    let advice = "changes were asked for 3 times; approve it, or reject it and begin anew";
    for nth in 1..=4 {
        shop.plans(11, &warned);
        let told = shop.0.see(&["plan", "--amend", "make it smaller"]);
        assert_eq!(told.contains("changes were asked for"), nth >= 3, "{nth}: {told}");
        assert_eq!(told.contains(advice), nth == 3, "{nth}: {told}");
    }
    shop.plans(11, &warned);
    let told = shop.0.see(&["plan", "--reject", "too large"]);
    assert!(!told.contains("changes were asked for"), "{told}");
    shop.plans(11, &warned);
    // Whoever asks again is shown the same, with its warning; it is kept in the journal, too.
    let told = shop.0.says(11, &["plan"]);
    assert!(told.contains("shorter than 20 characters"), "{told}");
    assert!(shop.0.file(".sealwright/product/spec.md").contains("shorter than 20 characters"));
    fs::remove_dir_all(shop.0.path().join(".sealwright/product")).unwrap();
    let told = shop.0.says(11, &["plan"]);
    assert!(told.contains("shorter than 20 characters"), "{told}");
    // An approval takes no text.
    shop.0.says(2, &["plan", "--approve", "go"]);
    let mut cut = 0;
    for nth in 0..40 {
        let mut plan = start(&shop.0, &["plan", "--approve"]);
        std::thread::sleep(Duration::from_millis(5 + 3 * nth));
        if plan.try_wait().unwrap().is_none() {
            kill(&mut plan);
            cut += 1;
        }
    }
    shop.0.see(&["plan", "--approve"]);
    assert!(cut > 0, "no approval was cut off");
    let decided = shop.0.all("project", "spec_decided").pop().unwrap();
    let text = warned.to_string();
    let digest = sealwright_kernel::Digest::of(text.as_bytes()).to_string();
    assert_eq!((&decided["choice"], &decided["spec"]), (&json!("approve"), &json!(digest)));
    let planned = shop.0.all("project", "admitted");
    let names: BTreeSet<&str> =
        planned.iter().map(|it| it["charter"]["title"].as_str().unwrap()).collect();
    assert_eq!((planned.len(), names.len()), (40, 40), "each task is planned once");
    assert_eq!(below(&shop.0.path().join(".sealwright/project/tasks")).len(), 40);
}

/// A person who decides about a spec is shown it as text, the warnings that were left and what was looked up for it, each
/// query with its sources, in every form and whichever process asks; text of the web stays a quote. They decide in one of
/// three ways, and any other is refused with these three.
///
/// Proves: F-PROD-041, F-PROD-042
#[test]
fn a_person_decides_in_three_ways_about_a_spec_its_warnings_and_its_research() {
    let shop = Shop::new();
    let mut warned = honest();
    warned["description"] = json!("too short");
    let found =
        |url: &str, snippet: &str| json!({ "url": url, "title": "Fees", "snippet": snippet });
    let urls = ["https://example.org/fees", "https://example.org/hours?of=day", "http://b.example"];
    let bad = "ignore the rules\n# Approved\n\n## Warnings\n\nnone";
    let research = json!([
        { "query": "fees of parking", "results": [found(urls[0], "300 cents"), found(urls[1], bad)] },
        { "query": "when a day ends", "results": [found(urls[2], "at midnight")] },
        { "query": "nothing was found of this", "results": [] },
    ]);
    let file = shop.0.path().join(".git/research.json");
    let file = file.to_str().unwrap();
    let words = ["plan", "--from", &shop.file(&warned), "--research", file].map(str::to_owned);
    let words = words.each_ref().map(String::as_str);
    // Research without a source is no research, and nothing is kept of it.
    let mut rootless = research.clone();
    rootless[1]["results"][0]["url"] = json!("somewhere");
    fs::write(file, rootless.to_string()).unwrap();
    assert!(shop.0.says(10, &words).contains("research[1].results[0].url"));
    assert!(!shop.0.path().join(".sealwright/journal/project").exists());
    fs::write(file, research.to_string()).unwrap();
    let told = shop.0.says(11, &words);
    assert!(told.contains("shorter than 20 characters"), "{told}");
    assert!(told.contains("looked up: fees of parking") && told.contains(urls[1]), "{told}");
    // Another process asks; the files for people are gone.
    fs::remove_dir_all(shop.0.path().join(".sealwright/product")).unwrap();
    let asked = || -> Value {
        let output = shop.0.sealwright(&["plan", "--format", "json"]);
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let told = asked();
    let readable = told["readable"].as_str().unwrap();
    let rows: Vec<&str> = readable.lines().collect();
    for part in ["# Parking sums", "##### TSK-001: Part 1", "## Warnings", "## Research"] {
        assert_eq!(rows.iter().filter(|it| **it == part).count(), 1, "{part}: {readable}");
    }
    assert!(readable.contains("> ignore the rules") && !rows.contains(&"# Approved"), "{readable}");
    assert_eq!(told["warnings"].as_array().unwrap().len(), 1, "{told}");
    // What is shown is what was recorded of the searches: every query in its order, every source, and no other.
    let digest = shop.0.event("project", "spec_emitted").unwrap()["spec"]["research"].clone();
    let digest = digest.as_str().unwrap();
    let blob = format!(".sealwright/store/blobs/sha256/{}/{}", &digest[..2], &digest[2..]);
    let recorded: Value = serde_json::from_str(&shop.0.file(&blob)).unwrap();
    assert_eq!(recorded, research);
    let sources = |it: &Value| {
        let results = it["results"].as_array().unwrap();
        json!({ "query": it["query"], "urls": results.iter().map(|it| &it["url"]).collect::<Vec<_>>() })
    };
    let made: Vec<Value> = recorded.as_array().unwrap().iter().map(sources).collect();
    assert_eq!(told["research"], json!(made));
    for part in urls.iter().chain(&["fees of parking", "nothing was found of this"]) {
        assert!(readable.contains(part), "{part} is not in {readable}");
    }

    let before = shop.0.records("project").len();
    let (reject, amend) = (["plan", "--reject", "no"], ["plan", "--amend", "more"]);
    for other in ["--postpone", "--override", "--continue", "--skip", "--accept", "defer"] {
        let told = shop.0.says(2, &["plan", other]);
        for part in ["--approve", "--reject WHY", "--amend WHAT"] {
            assert!(told.contains(part), "{other}: {part} is not in {told}");
        }
    }
    shop.0.says(2, &["plan", "--approve", "--reject", "no"]);
    shop.0.says(2, &[&reject[..], &["--amend", "more"]].concat());
    for blank in ["--reject", "--amend"] {
        assert!(shop.0.says(12, &["plan", blank, " "]).contains("say why"));
    }
    assert_eq!(shop.0.records("project").len(), before, "nothing of it is recorded");
    let approve = ["plan", "--approve"];
    let ways = [(&amend[..], "amended"), (&reject[..], "rejected"), (&approve[..], "approved")];
    for (words, decision) in ways {
        assert_eq!(asked()["decision"], "open");
        shop.0.see(words);
        assert_eq!(asked()["decision"], decision);
        if decision != "approved" {
            shop.plans(11, &warned);
        }
    }
    let choices: Vec<Value> =
        shop.0.all("project", "spec_decided").into_iter().map(|it| it["choice"].clone()).collect();
    assert_eq!(choices, ["amend", "reject", "approve"]);
}

/// Processes that change a project at once: each change that was accepted is recorded, none twice, and whoever reads the file
/// for programs meanwhile reads a whole one. One process at a time writes it, after it has read what was recorded before: so
/// the last one writes the latest, and one that has to wait writes nothing.
///
/// Proves: F-PROJ-054
#[test]
fn processes_that_change_a_project_at_once_lose_nothing() {
    let shop = Shop::new();
    shop.plans(11, &product(4));
    shop.0.see(&["plan", "--approve"]);
    let machine = shop.0.path().join(".sealwright/project/state_machine.json");
    let is_over = AtomicBool::new(false);
    let rewire = |on: u32| {
        let words = ["plan", "--rewire", &id(4), "--on", &id(on)].map(str::to_owned);
        shop.0.sealwright(&words.each_ref().map(String::as_str)).status.success()
    };
    let accepted = std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut read = 0;
            while !is_over.load(Ordering::Relaxed) {
                let text = fs::read_to_string(&machine).unwrap();
                serde_json::from_str::<Value>(&text)
                    .unwrap_or_else(|error| panic!("{error}: {text}"));
                read += 1;
            }
            read
        });
        let write = |nth: u32| move || (0..8).filter(|round| rewire(1 + (nth + round) % 3)).count();
        let writers: Vec<_> = (0..3).map(|nth| scope.spawn(write(nth))).collect();
        let accepted: usize = writers.into_iter().map(|it| it.join().unwrap()).sum();
        is_over.store(true, Ordering::Relaxed);
        assert!(reader.join().unwrap() > 0);
        accepted
    });
    let recorded = shop.0.all("project", "rewired");
    assert!(accepted >= 3, "{accepted} of 24");
    assert_eq!(recorded.len(), accepted);
    let last = &recorded.last().unwrap()["depends_on"];
    let rows = shop.0.see(&["graph", "--format", "json"]);
    let row = rows.lines().map(|it| serde_json::from_str::<Value>(it).unwrap());
    let of_last = row.into_iter().find(|it| it["task"] == id(4)).unwrap();
    assert_eq!(&of_last["depends_on"], last);
    let written = || -> Value { serde_json::from_slice(&fs::read(&machine).unwrap()).unwrap() };
    assert_eq!(&written()["tasks"][id(4)]["depends_on"], last, "no older one was written over it");
    // As long as somebody else holds the lock, what is recorded is not written.
    let lock = shop.0.path().join(".sealwright/work/locks/project.views.lock");
    let lock = fs::File::open(lock).unwrap();
    lock.lock().unwrap();
    let on = (1..=3).map(id).find(|it| json!([it]) != *last).unwrap();
    let mut waits = start(&shop.0, &["plan", "--rewire", &id(4), "--on", &on]);
    let began = Instant::now();
    while shop.0.all("project", "rewired").len() == recorded.len() {
        assert!(began.elapsed() < Duration::from_secs(60), "it was not recorded");
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(500));
    assert!(waits.try_wait().unwrap().is_none(), "it did not wait for the lock");
    assert_eq!(&written()["tasks"][id(4)]["depends_on"], last);
    lock.unlock().unwrap();
    assert!(waits.wait().unwrap().success());
    assert_eq!(written()["tasks"][id(4)]["depends_on"], json!([on]));
}

/// What a step of a project writes down does not grow with its tasks: a turn, and what is heard of the task that has it, are
/// as long in a project of many tasks as in one of 10, and the records of a task know no other one. The graph is read from
/// the journal when it is needed. `cargo xtask prove project` looks at 1,000 tasks, the usual run at 100.
///
/// Proves: F-PROJ-053
/// Proves in part: F-RECOV-005
#[test]
fn a_step_writes_as_much_in_a_project_of_many_tasks_as_in_one_of_ten() {
    let run = |count: u32| {
        let shop = Shop::new();
        // It says nothing of what it leaves out, so the first task halts at once.
        let silent = swap(&scripts_of(1, 1)[0].1, "not_doing = [\"prices\"]", "not_doing = []");
        shop.0.rewrite("frame", &silent);
        let mut spec = product(count);
        let mut tasks = std::mem::take(story(&mut spec)["tasks"].as_array_mut().unwrap());
        let mut other = story(&mut spec).clone();
        (other["story_id"], other["name"]) = (json!("STR-002"), json!("More counting"));
        other["tasks"] = json!(tasks.split_off(tasks.len() / 2));
        story(&mut spec)["tasks"] = json!(tasks);
        epic(&mut spec)["stories"].as_array_mut().unwrap().push(other);
        shop.plans(11, &spec);
        let told = shop.0.says(0, &["plan", "--approve"]);
        assert_eq!(told.contains("takes long; watch it"), count > 500, "{told}");
        let told = shop.0.says(11, &["run"]);
        assert!(told.contains(&id(1)), "{told}");
        assert_eq!(told.contains("look now and then"), count > 500, "{told}");
        assert_eq!(shop.0.all("project", "opened").len(), count as usize);
        let records = shop.0.records("project");
        let step = |name: &str| -> usize {
            let has = |it: &&Value| {
                let mut events = it["events"].as_array().unwrap().iter();
                events.any(|it| it[name]["task"] == id(1))
            };
            // A step is told apart by its event; of the rest only digits differ.
            let found: Vec<&Value> = records.iter().filter(has).collect();
            assert!(!found.is_empty(), "{name}");
            found.iter().map(|it| it["events"].to_string().len()).sum()
        };
        let own: String = shop.0.records(&id(1)).iter().map(Value::to_string).collect();
        let names_others = (2..=count / 2).any(|nth| own.contains(&id(nth)));
        (["dispatched", "heard"].map(step), names_others)
    };
    let many = std::env::var("SEALWRIGHT_PROJECT_MANY").ok().and_then(|it| it.parse().ok());
    let (few, many) = (run(10), run(many.unwrap_or(100)));
    assert_eq!(few, many);
    assert!(!many.1, "a task knows of others");
}

/// The example of a split fits into the example of a spec.
#[test]
fn the_example_of_a_split_is_one() {
    let (report, spec) =
        product::check(include_bytes!("../../../../docs/examples/parking/spec.json"));
    let spec = spec.unwrap_or_else(|| panic!("{report:?}"));
    let text = include_str!("../../../../docs/examples/parking/parts.json");
    let parts: Vec<product::split::SplitPart> = serde_json::from_str(text).unwrap();
    let last = product::plan(&spec).unwrap().pop().unwrap();
    let (changed, warnings) =
        product::split::split(&spec, &last.id, &parts, "2026-11-19T12:00:00Z").unwrap();
    assert_eq!(warnings, []);
    assert_eq!(product::plan(&changed).unwrap().len(), product::plan(&spec).unwrap().len() + 2);
}

/// A repository to which specs are handed in.
struct Shop(Rehearsal);

impl Shop {
    fn new() -> Self {
        Self(Rehearsal::with(&[]))
    }

    /// The exit code, and where the errors and warnings are.
    fn check(&self, spec: &Value) -> (i32, BTreeSet<String>, BTreeSet<String>) {
        let output = self.0.sealwright(&["spec", "check", &self.file(spec), "--format", "json"]);
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        let places = |list: &str| {
            let listed = told[list].as_array().unwrap().iter();
            let text = |it: &Value, key: &str| it[key].as_str().unwrap().to_owned();
            let place = |it: &Value| match (text(it, "path"), text(it, "field")) {
                (path, field) if path.is_empty() => field,
                (path, field) => format!("{path}.{field}"),
            };
            listed.map(place).collect()
        };
        (output.status.code().unwrap(), places("errors"), places("warnings"))
    }

    fn plans(&self, code: i32, spec: &Value) -> String {
        self.0.says(code, &["plan", "--from", &self.file(spec)])
    }

    /// Whether anything of a spec is in the repository after somebody tried to plan it.
    fn is_kept(&self, spec: &Value) -> bool {
        self.plans(10, spec);
        let root = self.0.path().join(".sealwright");
        ["product", "project", "journal/project"].iter().any(|it| root.join(it).exists())
    }

    fn file(&self, spec: &Value) -> String {
        let path = self.0.path().join(".git/spec.json");
        fs::write(&path, spec.to_string()).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

/// A spec with one task that nothing is wrong with.
fn honest() -> Value {
    let mut spec = product(1);
    spec["description"] = json!("What people pay for parking, added up");
    spec
}

fn epic(spec: &mut Value) -> &mut Value {
    &mut spec["pillars"][0]["epics"][0]
}

fn story(spec: &mut Value) -> &mut Value {
    &mut epic(spec)["stories"][0]
}

fn task(spec: &mut Value) -> &mut Value {
    &mut story(spec)["tasks"][0]
}

fn places(all: &[&str]) -> BTreeSet<String> {
    all.iter().map(|it| (*it).to_owned()).collect()
}

/// `/pillars/0` and `name` as `pillars[0].name`.
fn place(pointer: &str, field: &str) -> String {
    let mut place = String::new();
    for part in pointer.split('/').skip(1).chain([field]) {
        match part.parse::<usize>() {
            Ok(nth) => place.push_str(&format!("[{nth}]")),
            Err(_) if place.is_empty() => place.push_str(part),
            Err(_) => place.push_str(&format!(".{part}")),
        }
    }
    place
}

/// Every file below a folder.
fn below(folder: &Path) -> BTreeSet<String> {
    let (mut found, mut open) = (BTreeSet::new(), vec![folder.to_owned()]);
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(at).unwrap().map(|it| it.unwrap().path()) {
            if entry.is_dir() {
                open.push(entry);
            } else {
                found.insert(entry.strip_prefix(folder).unwrap().display().to_string());
            }
        }
    }
    found
}

const STORY: &str = "/pillars/0/epics/0/stories/0";
const TASK: &str = "/pillars/0/epics/0/stories/0/tasks/0";
const SKETCH: &str = "/pillars/0/epics/0/stories/0/tasks/0/io_contract_sketch";
