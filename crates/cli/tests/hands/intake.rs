//! Intake and shape: what is on record before anything is built, and what a person is shown to approve.

use serde_json::json;

use crate::rehearsal::{FRAME, Rehearsal, SHAPE, TESTS, WANTED, after, script, swap};

/// An answer of the wrong form is asked for twice more, and then the task halts.
///
/// Proves in part: F-OUT-001
#[test]
fn an_answer_that_never_has_its_form_halts_the_task_after_three_calls() {
    let shapeless = swap(FRAME, "objective = ", "subject = ");
    let rehearsal = Rehearsal::with(&[("frame", &shapeless)]);
    let task = rehearsal.ask(&[WANTED, "--lane", "quick"]);
    let asked = rehearsal.calls(&task);
    assert_eq!(asked, vec![("builder".to_owned(), "frame".to_owned()); 3]);
    let halted = rehearsal.event(&task, "halted").unwrap()["escalation"]["cause"].to_string();
    assert!(halted.contains("call `frame` returned no usable answer"), "{halted}");
    // Calls have no journal of their own: the performer repeats them, and the task keeps their receipts.
    let streams = std::fs::read_dir(rehearsal.path().join(".sealwright/journal")).unwrap();
    let streams: Vec<String> =
        streams.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(streams.iter().filter(|it| !it.starts_with("T-")).count(), 0, "{streams:?}");
}

/// In the quick lane one call may state the objective and draft contract and plan. A draft that a person does not
/// approve is not used again.
#[test]
fn one_call_states_the_objective_and_drafts_and_a_declined_draft_is_made_anew() {
    let members = SHAPE.split_once("[step.answer]\n").unwrap().1;
    let draft = members.replace("[step.answer.", "[step.answer.draft.");
    let both = format!("{FRAME}\n[step.answer.draft]\n{draft}");
    let rehearsal = Rehearsal::with(&[("frame", &both)]);
    let task = rehearsal.ask(&[WANTED, "--lane", "quick"]);
    let builder = |call: &str| ("builder".to_owned(), call.to_owned());
    assert_eq!(rehearsal.calls(&task), [builder("frame")]);
    assert!(rehearsal.event(&task, "bundled").is_some());
    rehearsal.see(&["decline", &task, "--because", "say what a night costs"]);
    let _ = rehearsal.sealwright(&["do", "--continue", &task]);
    assert_eq!(rehearsal.calls(&task), [builder("frame"), builder("shape")]);
    rehearsal.see(&["approve", &task]);
    let _ = rehearsal.sealwright(&["do", "--continue", &task]);
    assert!(rehearsal.has_branch(&task), "{:?}", rehearsal.event(&task, "halted"));
}

/// Without a language that has a clean room nothing could be proven, so there is no task, and nobody is asked.
#[test]
fn a_repository_without_a_clean_room_is_refused_and_costs_no_call() {
    let rehearsal = Rehearsal::with(&[]);
    rehearsal.git(&["rm", "--quiet", "-r", "parking", "tests", "pyproject.toml"]);
    std::fs::write(rehearsal.path().join("package.json"), "{}").unwrap();
    rehearsal.git(&["add", "--all"]);
    rehearsal.git(&["commit", "--quiet", "--message", "another language"]);
    let why = "a change is proven by tests in a clean room, and there are rooms for Rust and Python only; \
               no such project was found";
    // It comes before everything else, also before an agent that does not exist.
    let refused = rehearsal.says(12, &["do", WANTED, "--agent", "nobody"]);
    assert!(refused.contains(&format!("error: no change can be proven here: {why}")), "{refused}");
    assert!(
        refused.contains("hint: `sealwright gates try` and `sealwright evaluate` run"),
        "{refused}"
    );
    assert!(rehearsal.see(&["status"]).starts_with("no tasks"));
    let doctor = rehearsal.sealwright(&["doctor"]);
    let doctor = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(doctor.contains(&format!("`do` proves no change here: {why}")), "{doctor}");
    // An agent that could build does not make it ready.
    assert!(!doctor.contains(": ready, "), "{doctor}");
    let doctor = rehearsal.says(20, &["doctor"]);
    assert!(doctor.contains("error: no change can be proven here"), "{doctor}");
    // A task that was made in another way halts.
    let made = rehearsal.see(&["new", WANTED]);
    let task = made.split([' ', ':']).find(|word| word.starts_with("T-")).unwrap();
    rehearsal.says(11, &["do", "--continue", task]);
    assert_eq!(rehearsal.calls(task), []);
    let halted = rehearsal.event(task, "halted").unwrap().to_string();
    assert!(halted.contains(why), "{halted}");
}

#[test]
fn an_empty_sentence_is_called_empty() {
    let rehearsal = Rehearsal::with(&[]);
    for empty in ["", " \n"] {
        let told = rehearsal.says(2, &["do", empty]);
        assert!(
            told.contains("error: the sentence or file that says what to change is empty"),
            "{told}"
        );
        assert!(rehearsal.says(2, &["new", empty]).contains("is empty"));
    }
}

/// What a test author writes is shipped with the work, and no gate was made to judge it: only tests, what lies beside
/// them, and source in the places of the plan are taken.
#[test]
fn a_test_author_writes_tests_and_no_workflows() {
    for (path, why) in [
        (".github/workflows/ci.yml", "is no test, and lies beside none"),
        ("tools/deploy.sh", "is no test, and lies beside none"),
        ("other/door.py", "is source outside of the planned places"),
    ] {
        let write = format!("mkdir -p $(dirname {path}) && echo 'import os' > {path}");
        let rehearsal = Rehearsal::with(&[("tests", &after(&write, TESTS))]);
        let task = rehearsal.play("quick");
        let halted = rehearsal.event(&task, "halted").unwrap().to_string();
        assert!(halted.contains(&format!("`{path}` {why}")), "{halted}");
    }
}

/// A finding about a question that nobody asked has its form. The task asks a person instead of waiting for ever.
#[test]
fn an_answer_that_a_task_cannot_take_is_put_to_a_person() {
    let shape = swap(SHAPE, "unknowns = []", "unknowns = [\"how an hour is counted\"]");
    let scout = script(
        "",
        "findings = [{ unknown = 99, source = \"parking/fees.py:3\", snippet = \"\", note = \"an hour\", certainty = \"seen\" }]",
    );
    let rehearsal = Rehearsal::with(&[("shape", &shape), ("scout", &scout)]);
    let task = rehearsal.play("quick");
    let halted = rehearsal.event(&task, "halted").unwrap().to_string();
    assert!(halted.contains("the answer cannot be used"), "{halted}");
}

/// A draft without constraints and a plan without a place to look are drafted again. What a person is asked about is
/// complete, with what is flagged and what is least certain first.
///
/// Proves: A-004, A-005, B-044, B-045, P-029
#[test]
fn a_draft_is_complete_before_a_person_is_asked_about_it() {
    let reality = "reality = [\"every hour that was begun is still paid for\"]";
    let vague = swap(FRAME, reality, "reality = []");
    let frame = swap(
        FRAME,
        "audience = \"code\"\nfeatures = []",
        "audience = \"people\"\nfeatures = [{ name = \"price list\", label = \"real_read_only\" }]",
    );
    let (head, contract) = SHAPE.split_once("[step.answer.contract]").unwrap();
    let head = swap(head, "confidence = 95", "confidence = 70");
    let head = swap(&head, "confidence = 90\nflags = [", "confidence = 60\nflags = []\n#");
    let contract = swap(contract, "flags = []", "flags = [\"is a week seven days?\"]");
    let draft = format!("{head}[step.answer.contract]{contract}");
    let nowhere = swap(&draft, "places = [\"parking\"]", "places = []");
    let shape = swap(
        &draft,
        "look_in = []\nleave_out = []",
        "look_in = [\"parking\", \"tests\"]\nleave_out = [\"parking/__init__.py\"]",
    );
    let scripts =
        [("frame-1", &vague), ("frame", &frame), ("shape-1", &nowhere), ("shape", &shape)];
    let rehearsal = Rehearsal::with(&scripts.map(|(name, text)| (name, text.as_str())));
    let task = rehearsal.ask(&[WANTED, "--lane", "quick"]);

    let refused = rehearsal.all(&task, "draft_refused");
    let missing = |what: &str| json!({ "missing": [what] });
    assert_eq!(refused, [missing("reality_constraints"), missing("plan")]);
    let framed = rehearsal.all(&task, "framed");
    assert_eq!(framed.len(), 1);
    let framed = &framed[0]["frame"];
    assert_eq!(framed["objective"], "A day of parking never costs more than 2000 cents.");
    assert_eq!(framed["reality"], json!(["every hour that was begun is still paid for"]));
    assert_eq!(framed["done_gate"].as_array().unwrap().len(), 2);
    let state = rehearsal.view(&task, "STATE.md");
    for line in [
        "- **Objective:** A day of parking never costs more than 2000 cents.\n",
        "- **Reality constraints:**\n  - every hour that was begun is still paid for\n",
        "- **Done gate:**\n  - a day never costs more than 2000 cents\n",
    ] {
        assert!(state.contains(line), "{line} is not in {state}");
    }

    let bundled = rehearsal.all(&task, "bundled");
    assert_eq!(bundled.len(), 1);
    let cap = &bundled[0]["bundle"]["plan"][0]["cap"];
    assert_eq!(cap["allowed"], json!(["parking", "tests"]));
    assert_eq!(cap["excluded"], json!(["parking/__init__.py"]));
    assert_eq!(cap["sentence"], "look in parking, tests without parking/__init__.py");

    let looks: Vec<&str> = state.lines().filter_map(|it| it.strip_prefix("- Look at: ")).collect();
    assert_eq!(looks.len(), 7, "{looks:?}");
    assert!(looks[0].starts_with("FLAGGED: The contract has the right shape"), "{looks:?}");
    assert!(looks[1].ends_with("(60 % sure)") && looks[2].ends_with("(70 % sure)"), "{looks:?}");
    assert!(!looks[1..].iter().any(|look| look.contains("FLAGGED")), "{looks:?}");
    let parts: Vec<&str> = state.lines().filter_map(|it| it.strip_prefix("- Read: ")).collect();
    let order =
        ["the scenarios, 60 % sure: ", "the spec, 70 % sure: ", "the contract, 95 % sure: "];
    assert_eq!(parts.len(), order.len(), "{parts:?}");
    assert!(parts.iter().zip(order).all(|(part, begin)| part.starts_with(begin)), "{parts:?}");
    assert!(state.contains("## Feature checklist\n\n- real_read_only: price list\n"), "{state}");
}
