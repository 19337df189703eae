use std::collections::{BTreeMap, BTreeSet};
use std::format;
use std::string::{String, ToString as _};
use std::vec::Vec;

use super::walk::{Walked, walk};
use super::*;
use crate::{InvocationId, Role, scripted};

/// The rows are those of the table that people read: the same steps, by the same party.
#[test]
fn the_table_is_the_one_that_is_written_down() {
    let text = include_str!("../../model/pipeline.tsv");
    let row = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let by = match columns[5] {
            "env" => "environment",
            by => by,
        };
        [columns[0], columns[1], columns[3], by].join(" ")
    };
    let written: Vec<String> = text.lines().skip(1).map(row).collect();
    let ours = |it: &Row| {
        let by = format!("{:?}", it.by).to_lowercase();
        format!("{:?} {:?} {:?} {by}", it.from, it.action, it.to)
    };
    let ours: Vec<String> = table::ROWS.iter().map(ours).collect();
    assert_eq!(ours, written);
    assert_eq!(ours.len(), 151);
}

/// Every run that can be reached: all properties hold in each, and of each step. As many runs and steps as TLC finds.
///
/// Proves: L-202, L-203, L-205, L-207, L-209, L-210, L-211, L-217
/// Proves in part: L-201, L-212
#[test]
fn all_properties_hold_of_every_run() {
    let walked = walk(Rules::OURS, |_| None);
    let all = Walked { runs: 626_890, steps: 1_841_255, rows: table::ROWS.len() };
    assert_eq!(walked, Ok(all));
}

/// Proves: L-203
/// Proves in part: L-136
#[test]
fn a_run_goes_on_at_the_earliest_gate_that_is_not_fresh() {
    let mut at = Pipeline { state: State::ContextRecovering, ..Pipeline::default() };
    for phase in Phase::ALL {
        assert_eq!(at.fresh.resume(), phase.working());
        let next: Vec<State> = at.steps().map(|(_, _, next)| next.state).collect();
        assert_eq!(next, [phase.working()]);
        at.fresh.add(phase);
    }
}

/// Proves: L-118, L-206
#[test]
fn the_third_failure_of_any_gate_blocks_however_it_is_fixed() {
    assert_eq!(FAILS_MAX, 3);
    for phase in Phase::ALL.into_iter().filter(|it| *it != Phase::Reconcile) {
        let mut at = working(phase);
        for nth in 1..=FAILS_MAX {
            at = take(&at, |action| format!("{action:?}") == format!("Fail{phase:?}Gate"));
            assert_eq!(at.fails.of(phase), nth);
            let is_last = nth == FAILS_MAX;
            if matches!(at.state, State::ReviewFixing | State::VerifyFixing) && is_last {
                assert!(!can(&at, |it| format!("{it:?}").starts_with("Fix")));
                at = take(&at, |it| format!("{it:?}").starts_with("Escalate"));
            }
            assert_eq!(can(&at, |it| it == Action::BlockAfterThreeRetries), is_last);
            if !is_last {
                let again = |it: Action| {
                    let name = format!("{it:?}");
                    name.starts_with("Retry")
                        || name == format!("Fix{phase:?}Findings")
                        || name == "FixVerifyFailures"
                };
                at = take(&at, again);
                assert_eq!(at.state, phase.working());
            }
        }
        at = take(&at, |it| it == Action::BlockAfterThreeRetries);
        assert_eq!((at.state, at.history.blocked_at), (State::BlockedOnGate, Some(phase)));
    }
}

/// Proves: L-094
#[test]
fn a_reconcile_that_is_blocked_three_times_blocks_the_run() {
    assert_eq!(FAILS_MAX, 3);
    let mut at = working(Phase::Reconcile);
    for nth in 1..=FAILS_MAX {
        at = take(&at, |it| it == Action::ReconcileBlocked);
        assert_eq!(at.fails.of(Phase::Reconcile), nth);
        if nth < FAILS_MAX {
            at = told(&at, Action::ResolveReconcileBlock).unwrap();
        }
    }
    assert!(told(&at, Action::ResolveReconcileBlock).is_err());
    assert_eq!(take(&at, |it| it == Action::BlockAfterThreeRetries).state, State::BlockedOnGate);
}

/// Proves: L-124, L-208
#[test]
fn only_a_person_unblocks_continues_and_iterates() {
    let role = Actor::Role(Role::Builder, InvocationId::new(1));
    let mut at = working(Phase::Design);
    for _ in 0..FAILS_MAX {
        at = take(&at, |it| it == Action::FailDesignGate);
        at = take(&at, |it| matches!(it, Action::RetryDesign | Action::BlockAfterThreeRetries));
    }
    at.fails.set(Phase::Build, 2);
    let paused = |at: &Pipeline| Pipeline { mode: Mode::Stepped, ..*at };
    let paused =
        take(&take(&paused(&working(Phase::Expand)), |it| it == Action::PassExpandGate), |it| {
            it == Action::PauseForSteppedMode
        });
    let complete = take(&working(Phase::Deploy), |it| it == Action::PassDeployGate);
    let steps = [
        (at, Action::UnblockByUser),
        (at, Action::AbandonRun),
        (paused, Action::ResumeToDesign),
        (complete, Action::StartIteration),
    ];
    for (at, action) in steps {
        for by in [&role, &Actor::Machine, &Actor::Environment, &Actor::Human(" ".to_string())] {
            let refused = at.step(&action.into(), by);
            assert_eq!(refused, Err(Refused::NotBy { action, by: Party::Human }), "{by:?}");
        }
        told(&at, action).unwrap();
    }
    // And only the engine says that a gate passed.
    for by in [&role, &scripted::ada()] {
        let (at, action) = (working(Phase::Design), Action::PassDesignGate);
        let refused = at.step(&action.into(), by);
        assert_eq!(refused, Err(Refused::NotBy { action, by: Party::Machine }), "{by:?}");
    }
    let free = told(&at, Action::UnblockByUser).unwrap();
    assert_eq!(free.state, State::ContextRecovering);
    assert_eq!((free.fails.of(Phase::Design), free.fails.of(Phase::Build)), (0, 2));
}

/// Proves: L-127, L-129
#[test]
fn stepped_mode_pauses_behind_each_of_six_gates_and_goes_on_there() {
    let mut at = Pipeline { mode: Mode::Stepped, ..working(Phase::Expand) };
    let mut story = String::new();
    while at.state != State::PipelineComplete {
        let (row, step, next) = at
            .steps()
            .find(|(row, ..)| {
                let name = format!("{:?}", row.action);
                name.starts_with("Pass")
                    || name.starts_with("Pause")
                    || name.starts_with("ResumeTo")
                    || name == "ReconcileClean"
            })
            .unwrap();
        assert!(!can(&at, |it| format!("{it:?}").starts_with("AutoContinue")), "{at:?}");
        if row.from == State::SteppedModePaused {
            let ways = at.steps().filter(|(row, ..)| !is_edit_or_end(row.action)).count();
            assert_eq!(ways, 1, "{at:?}");
            story.push_str(&format!("{:?} ", step.action));
        }
        at = next;
    }
    let expected = "ResumeToDesign ResumeToAnalyze ResumeToBuild ResumeToReview ResumeToReconcile ResumeToDeploy ";
    assert_eq!(story, expected);
}

/// Proves: L-137, L-138
#[test]
fn a_person_may_have_a_reconcile_in_five_phases_and_is_led_back() {
    for phase in Phase::ALL {
        let at = working(phase);
        let asks = |it: Action| format!("{it:?}").starts_with("ManualReconcile");
        let may = matches!(
            phase,
            Phase::Design | Phase::Analyze | Phase::Build | Phase::Review | Phase::Verify
        );
        assert_eq!(can(&at, asks), may, "{phase:?}");
        if may {
            let asked = take(&at, asks);
            assert_eq!(asked.state, State::Reconciling);
            assert!(at.steps().all(|(row, ..)| !asks(row.action) || row.by == Party::Human));
            let back: Vec<State> = asked
                .steps()
                .filter(|(row, ..)| !matches!(row.action, Action::RaiseStop | Action::DropSession))
                .map(|(_, _, next)| next.state)
                .collect();
            assert_eq!(back, [State::ReconcileBlocked, phase.working()]);
        }
    }
}

/// Proves: L-218
#[test]
fn a_stop_and_a_lost_process_are_possible_wherever_a_role_works() {
    let works = |it: &State| it.phase().is_some();
    let all: BTreeSet<State> = table::ROWS.iter().map(|it| it.from).collect();
    assert_eq!(all.iter().filter(|it| works(it)).count(), 10);
    for state in all {
        let at = Pipeline { state, is_delivered: true, ..Pipeline::default() };
        assert_eq!(can(&at, |it| it == Action::RaiseStop), works(&state), "{state:?}");
        if works(&state) {
            let stopped = take(&at, |it| it == Action::RaiseStop);
            assert_eq!((stopped.state, stopped.fails), (State::BlockedOnGate, at.fails));
        }
        assert_eq!(
            can(&at, |it| it == Action::DropSession),
            works(&state) || state.kind() == Kind::Aside
        );
    }
    let mut fixing = take(&working(Phase::Review), |it| it == Action::FailReviewGate);
    let stopped = take(&fixing, |it| it == Action::RaiseStop);
    assert_eq!(stopped.fails, fixing.fails);
    fixing = take(&fixing, |it| it == Action::DropSession);
    let recover = |change| {
        let step = Step::changing(Action::StartContextRecovery, change);
        let at = fixing.step(&step, &scripted::ada()).unwrap();
        take(&at, |_| true).state
    };
    assert_eq!(recover(Change::Nothing), State::ReviewFixing);
    assert_eq!(recover(Change::Design), State::Designing);
}

/// Growth is asked about while tasks are built, and nowhere else.
///
/// Proves: L-072
#[test]
fn only_a_build_can_outgrow_its_design() {
    for state in states() {
        let at = Pipeline { state, is_delivered: true, ..Pipeline::default() };
        let may = can(&at, |it| it == Action::TriggerComplexityBrake);
        assert_eq!(may, state == State::Building, "{state:?}");
    }
    let at = take(&working(Phase::Build), |it| it == Action::TriggerComplexityBrake);
    let resolved = told(&at, Action::ResolveComplexityBrake).unwrap();
    assert_eq!((at.state, at.fails), (State::ComplexityBrakeTriggered, Fails::default()));
    assert_eq!(resolved.state, State::ContextRecovering);
}

/// Proves: L-001
#[test]
fn there_are_41_states_and_a_run_is_in_one_of_them() {
    let states = states();
    assert_eq!(states.len(), 41);
    for state in states {
        let at = Pipeline { state, ..Pipeline::default() };
        let stored = serde_json::to_value(at).unwrap();
        assert_eq!(stored["state"], format!("{state:?}"));
        assert_eq!(serde_json::from_value::<Pipeline>(stored.clone()).unwrap(), at);
        for other in ["Paused", "expanding", "", "Expanding "] {
            let mut bent = stored.clone();
            bent["state"] = other.into();
            assert!(serde_json::from_value::<Pipeline>(bent).is_err(), "{other}");
        }
    }
}

/// Each party's steps, by the states they lead to and from: what stands here is what the requirements say in words.
///
/// Proves: L-018, L-020, L-022, L-023, L-074, L-084, L-085, L-093, L-108, L-117, L-152
/// Proves in part: L-215
#[test]
fn steps_lead_where_they_are_said_to_lead() {
    let delivered = Pipeline { is_delivered: true, ..Pipeline::default() };
    let in_state = |state: State| Pipeline { state, ..delivered };
    // A stack audit and a distillation are begun by a person, from here and from nowhere else, and lead back.
    let into = |to: State| -> BTreeSet<State> {
        let rows =
            table::ROWS.iter().filter(|it| it.to == to && it.from.kind() != Kind::Recovering);
        rows.inspect(|it| assert_eq!(it.by, Party::Human)).map(|it| it.from).collect()
    };
    let configured = in_state(State::PreferencesConfigured);
    assert_eq!(into(State::AuditingStack), [configured.state].into());
    let audit = take(&configured, |it| it == Action::AuditStackFromConfigured);
    let done = take(&audit, |it| it == Action::StackAuditComplete);
    assert_eq!(done.state, State::PreferencesConfigured);
    let expected = [State::PreferencesConfigured, State::PipelineComplete, State::Ideating];
    assert_eq!(into(State::Distilling), expected.into());
    for (state, back) in [
        (State::PreferencesConfigured, State::PreferencesConfigured),
        (State::PipelineComplete, State::Iterating),
        (State::Ideating, State::Ideating),
    ] {
        let at = take(&in_state(state), |it| format!("{it:?}").starts_with("Distill"));
        assert_eq!(at.state, State::Distilling, "{state:?}");
        let ends = |it: Action| !matches!(it, Action::RaiseStop | Action::DropSession);
        let ways: Vec<State> = at
            .steps()
            .filter(|(row, ..)| ends(row.action))
            .map(|(_, _, next)| next.state)
            .collect();
        assert_eq!(ways, [back], "{state:?}");
    }
    // In auto mode a passed gate leads on by itself.
    for (phase, next) in [
        (Phase::Build, State::Reviewing),
        (Phase::Review, State::Reconciling),
        (Phase::Verify, State::Deploying),
    ] {
        let passed = take(&working(phase), |it| format!("{it:?}") == format!("Pass{phase:?}Gate"));
        let on = take(&passed, |it| format!("{it:?}").starts_with("AutoContinue"));
        assert_eq!(on.state, next);
    }
    let reconciled = take(&working(Phase::Reconcile), |it| it == Action::ReconcileClean);
    assert_eq!(reconciled.state, State::Verifying);
    // What failed is worked on again, or blocks.
    for (phase, retrying, again) in [
        (Phase::Build, State::BuildRetrying, &[State::Building][..]),
        (Phase::Deploy, State::DeployRetrying, &[State::Building, State::Deploying]),
    ] {
        let mut at = take(&working(phase), |it| format!("{it:?}") == format!("Fail{phase:?}Gate"));
        assert_eq!(at.state, retrying);
        let on = |at: &Pipeline| -> BTreeSet<State> {
            let steps = at.steps().filter(|(row, ..)| !is_edit_or_end(row.action));
            steps.map(|(_, _, next)| next.state).collect()
        };
        assert_eq!(on(&at), again.iter().copied().collect(), "{phase:?}");
        at.fails.set(phase, FAILS_MAX);
        assert_eq!(on(&at), [State::BlockedOnGate].into());
    }
    for (phase, fixing, retrying) in [
        (Phase::Review, State::ReviewFixing, State::ReviewRetrying),
        (Phase::Verify, State::VerifyFixing, State::VerifyRetrying),
    ] {
        let failed = take(&working(phase), |it| format!("{it:?}") == format!("Fail{phase:?}Gate"));
        assert_eq!(failed.state, fixing);
        let given_up = take(&failed, |it| format!("{it:?}").starts_with("Escalate"));
        assert_eq!(given_up.state, retrying);
        let mut ways = BTreeSet::new();
        for fails in 1..=FAILS_MAX {
            let mut at = given_up;
            at.fails.set(phase, fails);
            let steps = at.steps().filter(|(row, ..)| !is_edit_or_end(row.action));
            ways.extend(steps.map(|(_, _, next)| next.state));
        }
        assert_eq!(ways, [fixing, State::BlockedOnGate].into(), "{phase:?}");
    }
    // What a person resolved is compared again.
    let blocked = take(&working(Phase::Reconcile), |it| it == Action::ReconcileBlocked);
    assert_eq!(told(&blocked, Action::ResolveReconcileBlock).unwrap().state, State::Reconciling);
    // A deployment that is mended in the code is built, reviewed and verified again.
    let failed = take(&working(Phase::Deploy), |it| it == Action::FailDeployGate);
    let rework = take(&failed, |it| it == Action::DeployFixNeedsRework);
    assert_eq!(rework.state, State::Building);
    assert!(!rework.fresh.has(Phase::Build) && !rework.fresh.has(Phase::Verify), "{rework:?}");
}

/// Proves: L-151
/// Proves in part: L-221
#[test]
fn a_run_is_given_up_for_what_was_delivered_or_for_nothing() {
    for is_delivered in [false, true] {
        let at = Pipeline { is_delivered, ..working(Phase::Build) };
        let stopped = take(&at, |it| it == Action::RaiseStop);
        let given_up = told(&stopped, Action::AbandonRun).unwrap();
        let (state, fresh) = if is_delivered {
            (State::PipelineComplete, Fresh::ALL)
        } else {
            (State::Ideating, Fresh::NONE)
        };
        assert_eq!((given_up.state, given_up.fresh), (state, fresh));
        let ideating = Pipeline { is_delivered, ..Pipeline::default() };
        let reentered = told(&ideating, Action::ReenterFromIdeation).map(|it| it.state);
        let begun = told(&ideating, Action::CommitToBuild).map(|it| it.state);
        assert_eq!(reentered.ok(), is_delivered.then_some(State::Iterating));
        assert_eq!(begun.ok(), (!is_delivered).then_some(State::TemplateForked));
    }
}

/// Proves in part: L-144, L-146, L-147
#[test]
fn an_iteration_begins_behind_the_gates_that_pass_again_in_place() {
    let complete = take(&working(Phase::Deploy), |it| it == Action::PassDeployGate);
    let iterating = told(&complete, Action::StartIteration).unwrap();
    let proposed = take(&iterating, |it| it == Action::ProposeIteration);
    assert_eq!(told(&proposed, Action::RejectIteration).unwrap(), complete);
    let confirm = Step::beginning(Action::ConfirmIteration, Mode::Auto);
    let confirmed = proposed.step(&confirm, &scripted::ada()).unwrap();
    assert_eq!(confirmed.fresh, Fresh::NONE);
    let begun = |action: Action| {
        let at = take(&confirmed, |it| it == action);
        (at.state, at.fresh.phases().collect::<Vec<_>>())
    };
    let analyzing = (State::Analyzing, std::vec![Phase::Expand, Phase::Design]);
    assert_eq!(begun(Action::IterateDirectToAnalyze), analyzing);
    assert_eq!(begun(Action::IterateToDesign), (State::Designing, std::vec![Phase::Expand]));
    assert_eq!(begun(Action::IterateToExpand), (State::Expanding, std::vec![]));
    assert!(proposed.step(&Action::ConfirmIteration.into(), &scripted::ada()).is_err());
}

/// Proves in part: L-204
#[test]
fn a_run_that_was_bent_on_disk_is_known() {
    let paused = Pipeline { mode: Mode::Stepped, ..working(Phase::Analyze) };
    let paused = take(&paused, |it| it == Action::PassAnalyzeGate);
    let paused = take(&paused, |it| it == Action::PauseForSteppedMode);
    assert_eq!(paused.broken(), None);
    let stored = serde_json::to_value(paused).unwrap();
    assert_eq!(serde_json::from_value::<Pipeline>(stored.clone()).unwrap(), paused);
    let bends = [
        ("pause_next", "Deploying"),
        ("reconcile_return", "Building"),
        ("interrupted", "Building"),
        ("distill_return", "Ideating"),
        ("blocked_at", "Build"),
    ];
    for (field, value) in bends {
        let mut bent = stored.clone();
        bent["history"][field] = value.into();
        let bent: Pipeline = serde_json::from_value(bent).unwrap();
        assert!(bent.broken().is_some(), "{field}");
    }
    let mut bent = stored;
    bent["fresh"] = serde_json::json!(["Expand", "Design", "Build"]);
    assert!(serde_json::from_value::<Pipeline>(bent).unwrap().broken().is_some());
}

/// Between two people's decisions a run takes a bounded number of steps: without them and without what the world does to
/// it, no run comes to the same place twice.
///
/// Proves: L-225
#[test]
fn a_run_without_people_comes_to_an_end() {
    let mut longest: BTreeMap<Pipeline, usize> = BTreeMap::new();
    let recovering = Pipeline { state: State::ContextRecovering, ..Pipeline::default() };
    let mut open = std::vec![(recovering, false)];
    let mut above = BTreeSet::new();
    let own = |at: &Pipeline| {
        let own = at.steps().filter(|(row, ..)| matches!(row.by, Party::Machine | Party::Agent));
        own.map(|(_, _, next)| next).collect::<Vec<_>>()
    };
    while let Some((at, is_left)) = open.pop() {
        if is_left {
            above.remove(&at);
            let behind = own(&at).iter().map(|it| longest[it] + 1).max();
            longest.insert(at, behind.unwrap_or(0));
        } else if !longest.contains_key(&at) {
            assert!(above.insert(at), "a circle at {at:?}");
            open.push((at, true));
            for next in own(&at) {
                assert!(!above.contains(&next), "a circle at {next:?}");
                open.push((next, false));
            }
        }
    }
    let steps = longest.values().max().copied().unwrap();
    assert_eq!(steps, 124);
}

/// A run in a phase, all gates before it fresh.
fn working(phase: Phase) -> Pipeline {
    let mut at = Pipeline { state: phase.working(), ..Pipeline::default() };
    Phase::ALL.into_iter().filter(|it| *it < phase).for_each(|it| at.fresh.add(it));
    at
}

/// Every state that a row of the table is about.
fn states() -> BTreeSet<State> {
    table::ROWS.iter().flat_map(|it| [it.from, it.to]).collect()
}

fn is_edit_or_end(action: Action) -> bool {
    matches!(action, Action::DetectHandEdit | Action::AbandonRun)
}

fn told(at: &Pipeline, action: Action) -> Result<Pipeline, Refused> {
    at.step(&action.into(), &scripted::ada())
}

fn can(at: &Pipeline, is_meant: impl Fn(Action) -> bool) -> bool {
    Rules::OURS.allows(at, is_meant)
}

/// The run after the only step that is meant.
fn take(at: &Pipeline, is_meant: impl Fn(Action) -> bool) -> Pipeline {
    let (_, _, next) = at.steps().find(|(row, ..)| is_meant(row.action)).unwrap();
    next
}
