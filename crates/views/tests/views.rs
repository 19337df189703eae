//! The views of tasks that the scripted world drives.

#[cfg(test)]
#[path = "views/first_screen.rs"]
mod first_screen;
#[cfg(test)]
#[path = "views/hostile.rs"]
mod hostile;
#[cfg(test)]
#[path = "views/pages.rs"]
mod pages;
#[cfg(test)]
#[path = "views/pull_request.rs"]
mod pull_request;
#[cfg(test)]
#[path = "views/renderer.rs"]
mod renderer;
#[cfg(test)]
#[path = "views/scenario.rs"]
mod scenario;
#[cfg(test)]
#[path = "views/slices.rs"]
mod slices;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;

use scenario::{Scenario, body, done, failing, halted, honest, learned, parked};
use sealwright_kernel::owner::{Autonomy, Header, Risk};
use sealwright_kernel::task::slice::{GateKind, Pass, Progress, Want as SliceWant};
use sealwright_kernel::task::{
    Effect, Input, Notice, Part, Phase, Report, ResidueKind, Status, Task, Want,
};
use sealwright_kernel::{Digest, Effect as _, Machine as _, Seq, scripted};
use sealwright_store::Record;
use sealwright_views::{Outcome, TaskSummary, edits, footer_of, is_as_rendered};
use serde_json::{Value, json};

#[test]
fn the_state_of_a_fresh_task() {
    insta::assert_snapshot!(body(&Scenario::created().view("STATE.md")), @"
    # T-limits: make the rate limiter per tenant

    Rendered from the journal. Text that you add under Blockers, Next step or Notes becomes a note; any other edit is stored as a copy and reverted.

    - **Phase:** none
    - **Status:** pending: not started
    - **Objective:** make the rate limiter per tenant
    - **Done gate:**
      - a tenant's limit does not touch another's (verify: tests)
    - **Not doing:** none
    - **Reality constraints:** none
    - **Validation plan:**
      - check tests
    - **Current result:** no evidence yet
    - **Next step:** the engine takes the write lease of a work tree
    - **Blockers:** none
    - **Evidence location:** .sealwright/tasks/T-limits and .sealwright/store/blobs
    - **Evidence link:** none yet
    - **Candidate done:** no
    - **Validator status:** pending
    - **Repair applied:** no
    - **Revalidation status:** pending
    - **Last updated:** 2023-11-14 22:14:21Z

    ## To advance

    - Next phases: intake
    - Evidence needed: the write lease of a work tree
    - Rules: lane factory, autonomy auto, risk normal

    ## Feature checklist

    none

    ## Counters

    - Attempt: 0
    - Verify fails: 0 of 3
    - Revisions: 0 of 2
    - Cheats: 0 of 3

    ## Open question

    none

    ## Gate record

    none

    ## Post-mortems

    none

    ## Notes

    none
    ");
}

#[test]
fn the_state_of_a_parked_task_lists_the_parts_to_freeze() {
    insta::assert_snapshot!(body(&parked().view("STATE.md")), @r#"
    # T-limits: make the rate limiter per tenant

    Rendered from the journal. Text that you add under Blockers, Next step or Notes becomes a note; any other edit is stored as a copy and reverted.

    - **Phase:** shape
    - **Status:** parked: waiting for a person; other tasks continue
    - **Objective:** limits per tenant
    - **Done gate:**
      - a tenant's limit does not touch another's (verify: tests)
      - tests pass for two tenants at once
    - **Not doing:**
      - limits per user
    - **Reality constraints:**
      - the store has no transactions
    - **Validation plan:**
      - cargo test limiter
      - check tests
    - **Current result:** no evidence yet
    - **Next step:** a person approves the contract or says what to change
    - **Blockers:**
      - Is this contract fit to be built?
    - **Evidence location:** .sealwright/tasks/T-limits and .sealwright/store/blobs
    - **Evidence link:** none yet
    - **Candidate done:** no
    - **Validator status:** pending
    - **Repair applied:** no
    - **Revalidation status:** pending
    - **Last updated:** 2023-11-14 22:17:24Z

    ## To advance

    - Next phases: implement, blocked, needs_user_decision
    - Evidence needed: a complete contract and plan, a person's approval of exactly these, and a run in which their tests fail
    - Rules: lane factory, autonomy auto, risk normal

    ## Feature checklist

    - real_working: limit header

    ## Counters

    - Attempt: 1
    - Verify fails: 0 of 3
    - Revisions: 0 of 2
    - Cheats: 0 of 3

    ## Open question

    Is this contract fit to be built?

    - Option approve: accept exactly this version: `sealwright approve T-limits --item 48b736d3eec7`
    - Option decline: reject; a new draft or repair follows: `sealwright decline T-limits --because "…"`
    - Option decline --amend: reject, and change it as the reason says: `sealwright decline T-limits --amend --because "…"`
    - Option answer: change it as you say: `sealwright answer T-limits "…"`
    - Recommendation: review the least certain part first; it is 60 % sure
    - Look at: The scenarios are the cases that matter (60 % sure)
    - Look at: The contract has the right shape to freeze (80 % sure)
    - Look at: The spec says what is meant (90 % sure)
    - Look at: Done means: tests pass for two tenants at once
    - Look at: It is right not to do: limits per user
    - Look at: The plan is cut right, into one slice
    - Look at: Autonomy \`auto\` and risk \`normal\` are right for it
    - Read: the scenarios, 60 % sure: d1a1c362651af80e00f3edf924ede8060c24213db5ca58086ae20b9beb820496
    - Read: the contract, 80 % sure: cc8321d6375c494d043fdd0260f21bc0ec51dacc9f6abb7f909cdcd3041b78bf
    - Read: the spec, 90 % sure: d4f02eaafd1a9e9de7d10972ca8e47fa7a985825c3c9c1e249c72683cb3e4f19
    - Item: 48b736d3eec77624100900447126c198291393e054b28041e987af85cd5cf27b
    - Contract: objective

      ```text
      limits per tenant
      ```
    - Contract: done when

      ```text
      · tests pass for two tenants at once
      ```
    - Contract: out of scope

      ```text
      · limits per user
      ```
    - Contract: scenarios, 60 % sure

      ```text
      running 3 tests
      test limits::two_tenants ... ok
      ```
    - Contract: contract, 80 % sure

      ```text
      running 3 tests
      test limits::two_tenants ... ok
      ```
    - Contract: specification, 90 % sure

      ```text
      running 3 tests
      test limits::two_tenants ... ok
      ```
    - Contract: planned changes

      ```text
      · count requests per tenant (in src, tests)
        criterion: two tenants are counted apart
        constraint: no new dependency
      ```
    - Contract: checks that will run

      ```text
      · tripwire: compares every frozen file with its frozen version
      · tests: a check of sealwright.toml
      · challenger: an agent judges the change
      · arbiter: an agent judges the change
      ```
    - Contract: the draft says that it is verified by

      ```text
      · cargo test limiter
      ```

    ## Gate record

    none

    ## Post-mortems

    none

    ## Notes

    none
    "#);
}

#[test]
fn the_state_of_a_halted_task_lists_the_answers() {
    let mut scenario = halted();
    scenario.note("ask Bob about the clock");
    insta::assert_snapshot!(body(&scenario.view("STATE.md")), @r#"
    # T-limits: make the rate limiter per tenant

    Rendered from the journal. Text that you add under Blockers, Next step or Notes becomes a note; any other edit is stored as a copy and reverted.

    - **Phase:** needs_user_decision
    - **Status:** halted: waiting for a person's decision
    - **Objective:** limits per tenant
    - **Done gate:**
      - a tenant's limit does not touch another's (verify: tests)
      - tests pass for two tenants at once
    - **Not doing:**
      - limits per user
    - **Reality constraints:**
      - the store has no transactions
    - **Validation plan:**
      - cargo test limiter
      - check tests
    - **Current result:** not verified yet; last evidence: check-tests: fail (EV-000009)
    - **Next step:** a person decides: mend what fails, plan differently, or change what is wanted
    - **Blockers:**
      - BLOCKED: checks failed three times: check-tests: limits::two_tenants. Options: [PROVIDE_FIX, AMEND_SPEC, REVISE_PLAN, ABANDON_TASK]. Recommendation: PROVIDE_FIX.
    - **Evidence location:** .sealwright/tasks/T-limits and .sealwright/store/blobs
    - **Evidence link:** [evidence.html](evidence.html)
    - **Candidate done:** no
    - **Validator status:** fail
    - **Repair applied:** yes
    - **Revalidation status:** fail
    - **Last updated:** 2023-11-14 22:34:41Z

    ## To advance

    - Next phases: a new attempt, once a person resolves the halt
    - Evidence needed: a person's resolution of ESC-9d4c5a11
    - Rules: lane factory, autonomy auto, risk normal

    ## Feature checklist

    - real_working: limit header

    ## Counters

    - Attempt: 1
    - Verify fails: 3 of 3
    - Revisions: 0 of 2
    - Cheats: 0 of 3

    ## Open question

    BLOCKED: checks failed three times: check-tests: limits::two_tenants. Options: [PROVIDE_FIX, AMEND_SPEC, REVISE_PLAN, ABANDON_TASK]. Recommendation: PROVIDE_FIX.

    - Option resolve provide-fix: provide a patch, or --branch NAME, or --commit REV: `sealwright resolve T-limits provide-fix --because "…" --patch fix.patch`
    - Option resolve amend-spec: change the specification and start again: `sealwright resolve T-limits amend-spec --because "…" --criterion "…"`
    - Option answer: start again with the same criteria and what you say: `sealwright answer T-limits "…"`
    - Option resolve revise-plan: change the plan in your editor, or give it with --plan FILE: `sealwright resolve T-limits revise-plan --because "…"`
    - Option resolve abandon-task: abandon the task: `sealwright resolve T-limits abandon-task --because "…"`
    - Recommendation: resolve provide-fix. Needed: mend what fails, plan differently, or change what is wanted
    - Evidence: EV-000002, EV-000003, EV-000004, EV-000005, EV-000006, EV-000007, EV-000008, EV-000009
    - Item: ESC-9d4c5a11

    ## Gate record

    none

    ## Post-mortems

    none

    ## Notes

    - ada: ask Bob about the clock
    "#);
}

/// Proves in part: A-006, A-102
#[test]
fn the_state_of_a_done_task_names_the_gate_owner() {
    insta::assert_snapshot!(body(&done().view("STATE.md")), @"
    # T-limits: make the rate limiter per tenant

    Rendered from the journal. Text that you add under Blockers, Next step or Notes becomes a note; any other edit is stored as a copy and reverted.

    - **Phase:** done
    - **Status:** shipped: done
    - **Objective:** limits per tenant
    - **Done gate:**
      - a tenant's limit does not touch another's (verify: tests)
      - tests pass for two tenants at once
    - **Not doing:**
      - limits per user
    - **Reality constraints:**
      - the store has no transactions
    - **Validation plan:**
      - cargo test limiter
      - check tests
    - **Current result:** tree fc35af74954b is verified and shipped
    - **Next step:** none, the task is done
    - **Blockers:** none
    - **Evidence location:** .sealwright/tasks/T-limits and .sealwright/store/blobs
    - **Evidence link:** [evidence.html](evidence.html)
    - **Candidate done:** yes
    - **Validator status:** pass
    - **Repair applied:** no
    - **Revalidation status:** pending
    - **Last updated:** 2023-11-14 22:30:37Z

    ## To advance

    - Next phases: none
    - Evidence needed: none, the task is done
    - Rules: lane factory, autonomy auto, risk normal

    ## Feature checklist

    - real_working: limit header

    ## Counters

    - Attempt: 1
    - Verify fails: 0 of 3
    - Revisions: 0 of 2
    - Cheats: 0 of 3

    ## Open question

    none

    ## Gate record

    GATE RECORD: PASS

    - Owner: auto-resolved by the run
    - Reason: auto-resolved: every check holds and nothing is left
    - Tree: fc35af74954b3a5961c3ab2e8799aebd307ef515a1a57a031ac9bd891bd2fa12
    - Header: autonomy auto, risk normal

    ## Post-mortems

    none

    ## Notes

    none
    ");
    let header = Header { autonomy: Autonomy::Conservative, risk: Risk::Normal };
    let by_ada = Scenario::under("", header).until(is_shipped, honest).view("STATE.md");
    assert!(by_ada.contains("- Owner: ada (person)\n"), "{by_ada}");
    assert!(!by_ada.contains("auto-resolved"), "{by_ada}");
}

/// Proves: P-022, P-023
#[test]
fn a_state_has_its_seventeen_fields_at_every_step() {
    let names = [
        "Phase",
        "Status",
        "Objective",
        "Done gate",
        "Not doing",
        "Reality constraints",
        "Validation plan",
        "Current result",
        "Next step",
        "Blockers",
        "Evidence location",
        "Evidence link",
        "Candidate done",
        "Validator status",
        "Repair applied",
        "Revalidation status",
        "Last updated",
    ];
    let mut seen: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for scenario in [done(), halted(), revived()] {
        scenario.each_step(|step| {
            let state = step.view("STATE.md");
            let fields = fields_of(&state);
            assert_eq!(fields.iter().map(|(name, _)| *name).collect::<Vec<_>>(), names);
            for (name, value) in &fields {
                assert!(!value.is_empty(), "{name} says nothing in {state}");
                let seen = seen.entry(names[names.iter().position(|it| it == name).unwrap()]);
                seen.or_default().push((*value).to_owned());
            }
            let data = step.task.data().unwrap();
            let is_linked = state.contains("- **Evidence link:** [evidence.html](evidence.html)\n");
            assert_eq!(is_linked, !data.evidence.is_empty());
            assert_eq!(state.contains("- real_working: limit header\n"), data.frame.is_some());
            for name in ["- Next phases: ", "- Evidence needed: "] {
                assert!(state.contains(name), "{name} is missing in {state}");
            }
            assert!(is_as_rendered(&state));
            assert_eq!(footer_of(&state).unwrap().seq, step.records.last().unwrap().seq);
        });
    }
    let all = |name: &str| {
        let mut all = seen[name].clone();
        all.sort();
        all.dedup();
        all
    };
    assert_eq!(all("Candidate done"), ["no", "yes"]);
    assert_eq!(all("Repair applied"), ["no", "yes"]);
    assert_eq!(all("Validator status"), ["fail", "pass", "pending"]);
    assert_eq!(all("Revalidation status"), ["fail", "pass", "pending"]);
    let is_phase = |name: &String| Phase::ALL.iter().any(|phase| phase.name() == name);
    assert!(all("Phase").iter().all(|name| is_phase(name) || name == "none"), "{:?}", all("Phase"));
}

/// Proves: A-115
#[test]
fn flagged_and_least_certain_parts_come_first() {
    let mut scenario = Scenario::created().until(|task| task.phase() == Some(Phase::Shape), honest);
    let effect = scenario.task.owed()[0].id();
    let mut bundle = scripted::bundle(2);
    let flags = vec!["the header is new".to_owned()];
    bundle.parts[2] = Part { flags, ..bundle.parts[2].clone() };
    let pass = Pass { progress: vec![Progress::Change], ..Pass::default() };
    scenario.hear(Input::Report { effect, report: Report::Shaped { bundle, pass } });
    let state = scenario.view("STATE.md");
    let looks: Vec<&str> = state.lines().filter_map(|it| it.strip_prefix("- Look at: ")).collect();
    assert_eq!(looks.len(), 7, "{looks:?}");
    let flagged =
        "FLAGGED: The contract has the right shape to freeze (the header is new) (80 % sure)";
    assert_eq!(looks[0], flagged);
    assert!(looks[1].ends_with("(60 % sure)") && looks[2].ends_with("(90 % sure)"), "{looks:?}");
    assert!(looks[3..].iter().all(|it| !it.contains("% sure")), "{looks:?}");
    let parts: Vec<&str> = state.lines().filter_map(|it| it.strip_prefix("- Read: ")).collect();
    let order = ["the scenarios, 60 % sure: ", "the contract, 80 %", "the spec, 90 %"];
    assert_eq!(parts.len(), order.len());
    assert!(parts.iter().zip(order).all(|(it, part)| it.starts_with(part)), "{parts:?}");
}

/// Proves: B-048, B-049
/// Proves in part: B-018, B-022
#[test]
fn the_first_snapshot_has_zero_counts_and_the_agreed_facts() {
    let views = done().views();
    let names: Vec<&str> =
        views.iter().map(|view| view.name.as_str()).filter(|name| name.contains('/')).collect();
    assert_eq!(names[..2], ["context/iter-0001.md", "context/iter-0002.md"]);
    insta::assert_snapshot!(body(&done().view("context/iter-0001.md")), @"
    # iter-0001

    - **Iteration:** iter-0001
    - **Parent snapshot:** none
    - **Slice ID:** S-0001
    - **Slice:** count requests per tenant
    - **Scope cap:** the limiter and its tests
    - **Gate (iteration):** fast
    - **Gate (exit):** full
    - **Last gate run:** none
    - **Last gate outcome:** none
    - **Consecutive Iteration FAILs (this Slice ID):** 0
    - **Consecutive Exit FAILs (this Slice ID):** 0

    ## Evidence (Scout Findings)

    - none

    ## Consolidated Context (Source of Truth)

    - allowed: src, tests
    - excluded: src/generated
    - gates: fast in every cycle, full before delivery
    - F1 (criterion): two tenants are counted apart (from: intake)
    - F2 (constraint): no new dependency (from: intake)

    ## Issues (State)

    ### Open

    - none

    ### Resolved This Iteration

    - none
    ");
}

/// Proves: B-023, B-025, B-036
/// Proves in part: B-022, B-041, B-042
#[test]
fn a_snapshot_after_a_gate_counts_it_and_names_what_closed_an_issue() {
    // The iteration gate fails once, then everything holds.
    let fails_once = |effect: &Effect| match effect {
        Effect::Slice { effect } => match &effect.want {
            SliceWant::RunGate { gate: GateKind::Iteration, .. } if effect.nth < 6 => 1,
            _ => 0,
        },
        Effect::Task { .. } => 0,
    };
    let scenario = Scenario::created().until(is_shipped, fails_once);
    let snapshots: Vec<String> = scenario
        .views()
        .into_iter()
        .filter(|view| view.name.starts_with("context/"))
        .map(|view| body(&view.content).to_owned())
        .collect();
    let of = |what: &str| snapshots.iter().find(|it| it.contains(what)).expect("there is one");
    insta::assert_snapshot!(of("Last gate outcome:** FAIL"), @"
    # iter-0003

    - **Iteration:** iter-0003
    - **Parent snapshot:** iter-0002
    - **Slice ID:** S-0001
    - **Slice:** count requests per tenant
    - **Scope cap:** the limiter and its tests
    - **Gate (iteration):** fast
    - **Gate (exit):** full
    - **Last gate run:** iteration
    - **Last gate outcome:** FAIL
    - **Consecutive Iteration FAILs (this Slice ID):** 1
    - **Consecutive Exit FAILs (this Slice ID):** 0

    ## Evidence (Scout Findings)

    - E1 (gate, EV-000002, seen): the iteration gate ended in FAIL (source: EV-000002)

    ## Consolidated Context (Source of Truth)

    - allowed: src, tests
    - excluded: src/generated
    - gates: fast in every cycle, full before delivery
    - F1 (criterion): two tenants are counted apart (from: intake)
    - F2 (constraint): no new dependency (from: intake)
    - F3 (gate result): the iteration gate ended in FAIL (EV-000002) (from: E1)

    ## Issues (State)

    ### Open

    - two tenants share a count (opened by: iteration gate; next action: fix)

    ### Resolved This Iteration

    - none
    ");
    insta::assert_snapshot!(of("closed by"), @"
    # iter-0004

    - **Iteration:** iter-0004
    - **Parent snapshot:** iter-0003
    - **Slice ID:** S-0001
    - **Slice:** count requests per tenant
    - **Scope cap:** the limiter and its tests
    - **Gate (iteration):** fast
    - **Gate (exit):** full
    - **Last gate run:** iteration
    - **Last gate outcome:** PASS
    - **Consecutive Iteration FAILs (this Slice ID):** 0
    - **Consecutive Exit FAILs (this Slice ID):** 0

    ## Evidence (Scout Findings)

    - E1 (gate, EV-000002, seen): the iteration gate ended in FAIL (source: EV-000002)
    - E2 (gate, EV-000003, seen): the iteration gate ended in PASS (source: EV-000003)

    ## Consolidated Context (Source of Truth)

    - allowed: src, tests
    - excluded: src/generated
    - gates: fast in every cycle, full before delivery
    - F1 (criterion): two tenants are counted apart (from: intake)
    - F2 (constraint): no new dependency (from: intake)
    - F3 (gate result): the iteration gate ended in FAIL (EV-000002) (from: E1)
    - F4 (gate result): the iteration gate ended in PASS (EV-000003) (from: E2)

    ## Issues (State)

    ### Open

    - none

    ### Resolved This Iteration

    - two tenants share a count (closed by: E2)
    ");
}

#[test]
fn snapshots_never_change_and_the_log_is_only_appended_to() {
    for scenario in [done(), halted(), revived()] {
        let mut written: BTreeMap<String, String> = BTreeMap::new();
        let mut log = String::new();
        scenario.each_step(|step| {
            for view in step.views() {
                if view.name.starts_with("context/") {
                    let before = written.entry(view.name).or_insert(view.content.clone());
                    assert_eq!(*before, view.content);
                }
            }
            let longer = step.view("log.md");
            assert!(longer.starts_with(log.trim_end()), "{longer}");
            log = body(&longer).to_owned();
        });
        assert!(!written.is_empty());
    }
}

#[test]
fn the_log_holds_gates_decisions_halts_post_mortems_and_hand_edits() {
    let log = revived().view("log.md");
    let headings: Vec<&str> = log.lines().filter(|line| line.starts_with("## ")).collect();
    for kind in ["gate", "decision", "halt", "post-mortem", "hand edit"] {
        let is_there = headings.iter().any(|heading| heading.contains(&format!(". {kind}, 2023-")));
        assert!(is_there, "no {kind} in {headings:?}");
    }
    let halt = "\nBLOCKED: checks failed three times: check-tests: limits::two_tenants. Options: \
                [PROVIDE_FIX, AMEND_SPEC, REVISE_PLAN, ABANDON_TASK]. Recommendation: PROVIDE_FIX.\n";
    assert!(log.contains(halt), "{log}");
    assert!(log.contains("- Restored: Phase\n") && log.contains("- Try next: because\n"), "{log}");
    assert!(log.contains("- Reason: I looked at it\n"), "{log}");
}

/// Events of other versions and notes of the journal get a line, and nothing panics.
#[test]
fn an_unknown_event_gets_a_line() {
    let mut scenario = parked();
    let strange = [
        (json!({"journal": {"torn_tail": {"bytes": 7, "sha256": Digest::ZERO}}}), "7 bytes"),
        (json!({"journal": "ended"}), "closed"),
        (json!({"journal": {"new": 1}}), "unknown to this version: journal"),
        (json!({"teleported": {"to": "Mars"}}), "unknown to this version: teleported"),
        (json!({"entered": {"phase": "orbit"}}), "unknown to this version: entered"),
        (json!("x".repeat(4_000)), "unknown to this version: xxx"),
        (json!([1, null]), "unknown to this version: unnamed"),
        (Value::Null, "unknown to this version: unnamed"),
    ];
    let last = scenario.records.last().unwrap().clone();
    for (event, text) in strange {
        let events = vec![event];
        scenario.record(Record { seq: Seq::new(99), events, cause: json!([{}]), ..last.clone() });
        let line = scenario.chronicle.lines().last().unwrap();
        assert!(line.said[0].contains(text), "{line:?}");
        assert!(line.said[0].len() < 200);
    }
    scenario.record(Record { events: vec![], cause: Value::Null, ..last });
    assert_eq!(scenario.views().len(), 6);
}

#[test]
fn an_edited_field_becomes_a_note_or_is_ignored() {
    let rendered = halted().view("STATE.md");
    assert_eq!(edits(&rendered, &rendered), Default::default());
    for (name, _) in fields_of(&rendered) {
        let label = format!("- **{name}:**");
        let found = rendered.replace(&label, &format!("{label} it is fine,"));
        let edits = edits(&rendered, &found);
        if ["Blockers", "Next step"].contains(&name) {
            assert!(edits.notes[0].starts_with(&format!("{name}: it is fine,")), "{edits:?}");
            assert_eq!(edits.ignored, Vec::<String>::new());
        } else {
            assert_eq!((edits.notes, edits.ignored), (vec![], vec![name.to_owned()]));
        }
    }
}

/// Writes sample pages to `target/tmp/pages`.
#[test]
fn sample_pages_are_written() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    std::fs::create_dir_all(&folder).unwrap();
    let hostile = Scenario::with_suffix(hostile::SUFFIX).until(is_halted, failing);
    let scenarios = [
        ("fresh", Scenario::created()),
        ("parked", parked()),
        ("halted", halted()),
        ("revived", revived()),
        ("done", done()),
        ("hostile", hostile),
    ];
    for (name, scenario) in scenarios {
        std::fs::write(folder.join(format!("{name}.html")), scenario.view("evidence.html"))
            .unwrap();
    }
}

/// A task that halted, got notes and another plan, and shipped after a repair.
fn revived() -> Scenario {
    let mut scenario = halted();
    scenario.note("ask Bob about the clock");
    scenario.hear(Input::Notice {
        notice: Notice::ViewEdited {
            view: "STATE.md".to_owned(),
            kept: Digest::of(b"edited"),
            notes: vec!["Next step: call Bob".to_owned()],
            ignored: vec!["Phase".to_owned()],
        },
    });
    let ask = scenario.task.owed().into_iter().find(is_question).expect("a halt asks a question");
    // The second resolution is another plan.
    scenario.hear(scripted::answers(&ask).swap_remove(1));
    let fails = Cell::new(1);
    scenario.until(is_shipped, |effect| match (failing(effect), fails.get()) {
        (1, 1..) => {
            fails.set(fails.get() - 1);
            1
        }
        _ => 0,
    })
}

fn is_question(effect: &Effect) -> bool {
    matches!(effect, Effect::Task { want: Want::Ask { .. }, .. })
}

fn is_shipped(task: &Task) -> bool {
    task.status() == Status::Shipped
}

fn is_halted(task: &Task) -> bool {
    task.status() == Status::Halted
}

/// The fields of a state, each with the value on its line or below it.
fn fields_of(state: &str) -> Vec<(&str, &str)> {
    let mut fields = Vec::new();
    let mut lines = state.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((name, value)) = line.strip_prefix("- **").and_then(|it| it.split_once(":**"))
        else {
            continue;
        };
        let below = lines.peek().copied().filter(|line| line.starts_with("  - ")).unwrap_or("");
        fields.push((name, if value.is_empty() { below } else { value.trim() }));
    }
    fields
}
