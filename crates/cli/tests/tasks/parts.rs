//! Who is asked what while a task is carried out: as whom, in which phase, with which hands, how often and for how long.

use std::fs;

use sealwright_agents::Budget;
use sealwright_factory::task_performer::Key;
use sealwright_host::Ended;
use sealwright_kernel::owner::{Autonomy, Header, Risk};
use sealwright_kernel::task::slice::{self, Claim, Edit, GateKind, Pass, Progress};
use sealwright_kernel::task::{
    Effect, Event, Freeze, Input, Phase, Probe, Rejected, Report, Stage, Status, Task, Want,
};
use sealwright_kernel::{
    Access, Digest, Effect as _, EffectId, Lane, Machine as _, Role, scripted,
};
use sealwright_sandbox::plan;

use crate::scripted_agents::{FEES, FRAME, SHAPE, ScriptedAgents, ScriptedTask};

/// In a whole errand five calls are made, each for the work of one phase. What comes next is decided without any: the
/// journal alone, with nobody there to be asked, leads through the same phases again. No file is asked either, and
/// nothing of the machine's own has to be left over from the effect before.
///
/// Proves: P-001, P-043, P-057
#[test]
fn roles_work_inside_phases_and_what_comes_next_is_decided_without_them() {
    let scripted = ScriptedTask::quick();
    let agents = ScriptedAgents::honest();
    let state = scripted.file("STATE.md");
    let forge = move |_: &Effect| {
        let text = fs::read_to_string(&state).unwrap();
        let lines = text.lines().map(|line| match line.starts_with("- **Phase:**") {
            true => "- **Phase:** done\n".to_owned(),
            false => format!("{line}\n"),
        });
        fs::write(&state, lines.collect::<String>()).unwrap();
    };
    let ended = scripted.run_with(&agents, |_| 0, forge);
    assert!(matches!(ended, Ended::Over(_)), "{ended:?}");
    let calls = agents.calls();
    let told: Vec<(Key, Role, Phase)> =
        calls.iter().map(|call| (call.key, call.role, call.phase)).collect();
    assert_eq!(
        told,
        [
            (Key::Frame, Role::Builder, Phase::Intake),
            (Key::Shape, Role::Builder, Phase::Shape),
            (Key::Tests, Role::TestAuthor, Phase::Shape),
            (Key::Edit, Role::Builder, Phase::Implement),
            (Key::Challenge, Role::Challenger, Phase::Review),
        ]
    );
    for call in &calls {
        assert_eq!(Some(call.phase), call.stood_in, "{call:?}");
    }
    let done = scripted.look();
    assert_eq!(done.data().unwrap().spending.all().calls, 5, "a call without a receipt");
    let mut task = Task::default();
    let mut entered = Vec::new();
    for record in scripted.records().iter().filter(|record| !record.cause.is_null()) {
        let input: Input = serde_json::from_value(record.cause.clone()).unwrap();
        let decided = task.decide(&input).unwrap();
        let recorded: Vec<serde_json::Value> =
            decided.iter().map(|event| serde_json::to_value(event).unwrap()).collect();
        assert_eq!(recorded, record.events, "record {}", record.seq);
        for event in &decided {
            task.evolve(event);
            if let Event::Entered { phase } = event {
                entered.push(*phase);
            }
        }
    }
    assert_eq!(task, done);
    let way = [Phase::Intake, Phase::Shape, Phase::Implement, Phase::Verify, Phase::Review];
    assert_eq!(entered, [&way[..], &[Phase::Done]].concat());
}

/// Proves: P-045
#[test]
fn a_pass_is_one_run_that_has_an_end() {
    let config = "[budget.invocation]\nminutes = 5\n";
    let minutes = |count: u64| Budget { wall_ms_max: count * 60_000, ..Budget::default() };
    let quick =
        |config: &str| ScriptedTask::of(config, Lane::Quick, Header::default(), Freeze::InAdvance);
    for (config, budget) in [("", minutes(30)), (config, minutes(5))] {
        let (scripted, agents) = (quick(config), ScriptedAgents::honest());
        assert!(matches!(scripted.run(&agents, |_| 0), Ended::Over(_)));
        let calls = agents.calls();
        let mut effects: Vec<&EffectId> = calls.iter().map(|call| &call.effect).collect();
        effects.sort();
        effects.dedup();
        assert_eq!(effects.len(), calls.len(), "a pass was more than one run: {calls:?}");
        assert!(calls.iter().all(|call| call.budget == budget), "{calls:?}");
    }
    // Who never gives an answer is asked three times and no more, each time within the same bounds.
    let (scripted, agents) = (quick(config), ScriptedAgents::with(&[(Key::Edit, FRUITLESS)]));
    let ended = scripted.run(&agents, |_| 0);
    assert!(matches!(ended, Ended::Waiting(_)), "{ended:?}");
    let edits: Vec<_> = agents.calls().into_iter().filter(|it| it.key == Key::Edit).collect();
    assert_eq!(edits.iter().map(|call| call.again).collect::<Vec<_>>(), [0, 1, 2]);
    assert!(edits.iter().all(|call| call.budget == minutes(5)), "{edits:?}");
    assert_eq!(scripted.look().status(), Status::Halted);
}

/// Every role there is in a task plays, and each tries to write what it can reach. What is kept was written by the
/// builder, in the parts that are there for it, one at a time.
///
/// Proves: B-003, B-006, B-008
#[test]
fn only_the_builder_writes_and_only_one_at_a_time() {
    let header = Header { autonomy: Autonomy::Conservative, risk: Risk::Normal };
    let scripted = ScriptedTask::of("", Lane::Strict, header, Freeze::Asked);
    let shape = SHAPE.replace("unknowns = []", "unknowns = [\"how an hour is counted\"]");
    let agents = ScriptedAgents::with(&[
        (Key::Shape, &shape),
        (Key::Scout, &trying(DENIED, crate::scripted_agents::SCOUT)),
        (Key::Audit, &trying(NO_TREE, crate::scripted_agents::AUDIT)),
        (Key::Refute, &trying(IN_VAIN, crate::scripted_agents::READ)),
        (Key::Inspect, &trying(NO_TREE, crate::scripted_agents::READ)),
        (Key::Challenge, &trying(NO_TREE, crate::scripted_agents::CHALLENGE)),
        (Key::Adjudicate, &trying(NO_TREE, crate::scripted_agents::ADJUDICATE)),
    ]);
    assert!(matches!(scripted.run(&agents, |_| 0), Ended::Waiting(_)));
    scripted.approve();
    let ended = scripted.run(&agents, fails_three_times());
    assert!(matches!(ended, Ended::Waiting(_)), "{ended:?}");
    assert!(matches!(scripted.look().stage(), Stage::AwaitingOwner { .. }));
    scripted.approve();
    let ended = scripted.run(&agents, |_| 0);
    assert!(matches!(ended, Ended::Over(_)), "{ended:?}");

    let calls = agents.calls();
    for call in &calls {
        let writes = matches!(call.key, Key::Tests | Key::Edit | Key::Repair);
        let access = if writes { Access::Write } else { Access::ReadOnly };
        assert_eq!(call.access, access, "{call:?}");
        assert_eq!(call.tree == Some(plan::Access::ReadWrite), writes, "{call:?}");
        let writer = if call.key == Key::Tests { Role::TestAuthor } else { Role::Builder };
        assert!(!writes || call.role == writer, "{call:?}");
        // Whoever else wants to write the tree is told who does; where nobody writes, nobody holds it.
        assert_eq!(call.writer, writes.then(|| call.effect.to_string()), "{call:?}");
        assert_eq!(call.rung, Autonomy::Conservative);
    }
    let count = |key: Key, role: Role| {
        calls.iter().filter(|call| (call.key, call.role) == (key, role)).count()
    };
    assert_eq!(count(Key::Scout, Role::Scout), 1);
    // An auditor comes when a slice is stuck and not before, and once more to read before it is judged.
    assert_eq!((count(Key::Audit, Role::Auditor), count(Key::Inspect, Role::Auditor)), (1, 1));
    assert_eq!(count(Key::Refute, Role::RefuteReader), 1);
    let place = |key: Key| calls.iter().position(|call| call.key == key).unwrap();
    let edits_before = calls[..place(Key::Audit)].iter().filter(|it| it.key == Key::Edit).count();
    assert_eq!((edits_before, count(Key::Edit, Role::Builder)), (3, 4));

    let kept = scripted.git(&["show", &format!("{}:parking/fees.py", scripted.branch())]);
    assert_eq!(kept, format!("{FEES}{}", "# a day\n".repeat(4)));
    let changed = scripted.git(&["diff", "--name-only", "main", &scripted.branch()]);
    let is_known = |path: &str| {
        path == "parking/fees.py"
            || path.starts_with("tests/test_")
            || path.starts_with(".sealwright/proofs/")
    };
    assert!(changed.lines().all(is_known), "{changed}");
}

/// An auditor who is not needed is not called.
#[test]
fn honest_work_calls_neither_scouts_nor_auditors() {
    let (scripted, agents) = (ScriptedTask::quick(), ScriptedAgents::honest());
    assert!(matches!(scripted.run(&agents, |_| 0), Ended::Over(_)));
    let is_called = |key: Key| agents.calls().iter().any(|call| call.key == key);
    assert!(!is_called(Key::Scout) && !is_called(Key::Audit) && !is_called(Key::Refute));
}

/// The goal in other words, what the world does not allow and what it will be seen by: all of it is on record before
/// anything is shaped, and no part of it can be left out.
#[test]
fn an_intake_is_on_record_with_goal_constraints_and_criteria_or_not_at_all() {
    let frame = |text: &str| {
        let scripted = ScriptedTask::of("", Lane::Quick, Header::default(), Freeze::Asked);
        let agents = ScriptedAgents::with(&[(Key::Frame, text)]);
        let ended = scripted.run(&agents, |_| 0);
        (scripted, ended)
    };
    let (scripted, ended) = frame(FRAME);
    assert!(matches!(ended, Ended::Waiting(_)), "{ended:?}");
    let framed = |record: &sealwright_store::Record| {
        record.events.iter().find_map(|event| event.get("framed").cloned())
    };
    let told = scripted.records().iter().find_map(framed).unwrap()["frame"].clone();
    assert_eq!(told["objective"], "A day of parking never costs more than 2000 cents.");
    assert_eq!(told["reality"], serde_json::json!(["every hour that was begun is still paid for"]));
    assert_eq!(told["not_doing"], serde_json::json!(["fees that depend on the weekday"]));
    assert_eq!(told["done_gate"].as_array().unwrap().len(), 2);
    for field in ["objective", "done_gate", "reality", "not_doing"] {
        let is_it = |line: &&str| line.starts_with(&format!("{field} = "));
        let line = FRAME.lines().find(is_it).unwrap();
        let blank = if field == "objective" { "\"\"" } else { "[]" };
        for text in [FRAME.replace(line, ""), FRAME.replace(line, &format!("{field} = {blank}"))] {
            let (scripted, _) = frame(&text);
            assert!(scripted.records().iter().all(|it| framed(it).is_none()), "{field}: {text}");
            assert!(scripted.look().data().unwrap().bundle.is_none());
        }
    }
}

/// Whatever is reported while a candidate is verified, no change of it is among what is taken.
///
/// Proves: P-012
#[test]
fn nothing_is_changed_while_it_is_verified() {
    let pass = || Pass { progress: vec![Progress::Change], ..Pass::default() };
    for lane in [Lane::Quick, Lane::Factory, Lane::Strict] {
        let header = Header { autonomy: Autonomy::Conservative, risk: Risk::Normal };
        let mut task = Task::default();
        put(&mut task, &scripted::create(scripted::charter("T-x", lane, header)));
        while task.phase() != Some(Phase::Verify) {
            let input = scripted::honest(&task.owed()[0]).unwrap();
            put(&mut task, &input);
        }
        let edit = EffectId::of("T-x/S-0001", "edit", 3);
        while task.phase() == Some(Phase::Verify) {
            for effect in task.owed() {
                // Commands look at the candidate, and whoever is asked may change nothing.
                match &effect {
                    Effect::Task { want: Want::Probe { probe: Probe::Read(role), .. }, .. } => {
                        assert_ne!(*role, Role::Builder);
                    }
                    Effect::Task { want: Want::Probe { .. }, .. } => {}
                    other => panic!("{} is owed in verify", other.id()),
                }
                let tree = Digest::of(b"a new feature");
                let change = Edit { tree, places: vec![], claim: Claim::Ready, pass: pass() };
                for effect in [&effect.id(), &edit] {
                    let input =
                        slice::Input::Edited { effect: effect.clone(), edit: change.clone() };
                    assert_eq!(task.decide(&Input::Slice { input }), Err(Rejected::NoSlice));
                }
                for report in [
                    Report::Repaired { tree, outside: vec![], pass: pass() },
                    Report::FixApplied { tree },
                    Report::TestsWritten { tests: tree, tree },
                ] {
                    let input = Input::Report { effect: effect.id(), report };
                    assert!(matches!(task.decide(&input), Err(Rejected::NoAnswer { .. })));
                }
            }
            let before = task.data().unwrap().tree;
            let input = scripted::honest(&task.owed()[0]).unwrap();
            put(&mut task, &input);
            assert_eq!(task.data().unwrap().tree, before);
        }
        assert_eq!(task.data().unwrap().verified, task.data().unwrap().tree);
    }
}

fn put(task: &mut Task, input: &Input) {
    let events = task.decide(input).unwrap();
    events.iter().for_each(|event| task.evolve(event));
}

/// The iteration gate says no three times, and yes from then on.
fn fails_three_times() -> impl Fn(&Effect) -> usize + Send + Sync {
    let fails = std::sync::atomic::AtomicU32::new(0);
    move |effect| match effect {
        Effect::Slice { effect } => match effect.want {
            slice::Want::RunGate { gate: GateKind::Iteration, .. } => {
                usize::from(fails.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < 3)
            }
            _ => 0,
        },
        Effect::Task { .. } => 0,
    }
}

/// A script that first does something else.
fn trying(command: &str, script: &str) -> String {
    format!("[[step]]\ndo = \"run\"\ncommand = '''\n{command}\n'''\n{script}")
}

/// Ends well only if nothing could be written.
const DENIED: &str = "if printf x > mine.txt; then exit 1; fi\n\
    if printf x >> parking/fees.py; then exit 1; fi\n\
    if rm -f parking/fees.py; then exit 1; fi";
/// Ends well only if there is no tree.
const NO_TREE: &str = "if test -e /work; then exit 1; fi";
/// Writes where it can, which comes to nothing.
const IN_VAIN: &str = "printf x > mine.txt || true\nprintf x >> parking/fees.py || true";
/// Ends without an answer.
const FRUITLESS: &str = "[[step]]\ndo = \"run\"\ncommand = \"exit 1\"\n\
    [[step]]\ndo = \"submit\"\nanswer = { ready = true, summary = \"done\", next = \"verify\", need = { kind = \"none\", what = \"\", places = [] }, \
    residue = [], lessons = [] }\n";
