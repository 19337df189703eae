mod knowledge;

use std::string::{String, ToString as _};
use std::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::task::Phase;
use crate::{Effect as _, Iteration, SliceId, TaskId, fold, scripted};

/// Proves: B-030, B-031, B-032, B-033, B-034
#[test]
fn a_gate_run_changes_its_own_counter_and_no_other() {
    let header = begun(0).snapshot().unwrap().header.clone();
    let same = header.slice_id;
    let (gates, outcomes) =
        ([GateKind::Iteration, GateKind::Exit], [GateOutcome::Pass, GateOutcome::Fail]);
    for (iteration_fails, exit_fails) in [(0, 0), (2, 1), (1, 2)] {
        let header = SnapshotHeader { iteration_fails, exit_fails, ..header.clone() };
        for gate in gates {
            for outcome in outcomes {
                let counted = |before| if outcome == GateOutcome::Fail { before + 1 } else { 0 };
                let expected = match gate {
                    GateKind::Iteration => (counted(iteration_fails), exit_fails),
                    GateKind::Exit => (iteration_fails, counted(exit_fails)),
                };
                assert_eq!(header.after_run(same, gate, outcome), expected);
            }
        }
        let other = SliceId::new(99);
        assert_eq!(
            header.after_run(other, GateKind::Exit, GateOutcome::Fail),
            (iteration_fails, 1)
        );
    }
    // In a slice nothing but a gate run changes them, in a new snapshot that names the run.
    let counters =
        |it: &SnapshotHeader| (it.iteration_fails, it.exit_fails, it.last_run, it.iteration);
    let mut slice = begun(0);
    while !slice.is_over() {
        let before = counters(&slice.snapshot().unwrap().header);
        let is_gate = matches!(want(&slice), Want::RunGate { .. });
        tell(&mut slice, usize::from(is_gate));
        let after = counters(&slice.snapshot().unwrap().header);
        if is_gate {
            let failed = Some((GateKind::Iteration, GateOutcome::Fail));
            assert_eq!((after.0, after.1, after.2), (before.0 + 1, before.1, failed));
            assert!(after.3 > before.3);
        } else {
            assert_eq!((before.0, before.1, before.2), (after.0, after.1, after.2));
        }
    }
    // Every other writer of snapshots copies them: another plan, a wider cap, findings, a missing fact.
    let mut slice = begun(0);
    until_gate(&mut slice);
    tell(&mut slice, 1);
    let failed = counters(&slice.snapshot().unwrap().header);
    assert_eq!((failed.0, failed.1), (1, 0));
    tell(&mut slice, 2);
    let mut plans = [2, 1, 0].into_iter();
    while !matches!(want(&slice), Want::RunGate { .. }) {
        let is_plan = matches!(want(&slice), Want::Plan);
        tell(&mut slice, if is_plan { plans.next().unwrap() } else { 0 });
        let after = counters(&slice.snapshot().unwrap().header);
        assert_eq!((after.0, after.1, after.2), (failed.0, failed.1, failed.2));
    }
    assert_eq!(plans.next(), None);
    let last = slice.snapshot().unwrap().header.iteration;
    assert!(last.number() >= failed.3.number() + 3, "{last:?}");
}

/// Failures that an older snapshot counted raise no alarm, and neither gate forgets its own for the other one.
///
/// Proves: B-029, B-035
#[test]
fn only_the_latest_snapshot_counts_towards_an_alarm() {
    let mut slice = begun(0);
    let mut ran = |outcome: GateOutcome| {
        // Whatever the ladder and the audit ask for in between is answered.
        let mut is_audited = false;
        while !matches!(want(&slice), Want::RunGate { .. }) {
            is_audited |= matches!(want(&slice), Want::Audit);
            tell(&mut slice, 0);
        }
        let Want::RunGate { gate, .. } = want(&slice) else { unreachable!() };
        tell(&mut slice, usize::from(outcome == GateOutcome::Fail));
        let header = &slice.snapshot().unwrap().header;
        (gate, is_audited, header.iteration_fails, header.exit_fails)
    };
    use GateKind::{Exit, Iteration};
    use GateOutcome::{Fail, Pass};
    assert_eq!(ran(Fail), (Iteration, false, 1, 0));
    assert_eq!(ran(Fail), (Iteration, false, 2, 0));
    assert_eq!(ran(Pass), (Iteration, false, 0, 0));
    assert_eq!(ran(Fail), (Exit, false, 0, 1));
    // The fourth failure of the slice, but one in a row of its gate.
    assert_eq!(ran(Fail), (Iteration, false, 1, 1));
    assert_eq!(ran(Fail), (Iteration, false, 2, 1));
    assert_eq!(ran(Pass), (Iteration, false, 0, 1));
    assert_eq!(ran(Fail), (Exit, false, 0, 2));
    assert_eq!(ran(Pass), (Iteration, false, 0, 2));
    assert_eq!(ran(Fail), (Exit, false, 0, 3));
    // Three in a row of one gate, whatever the other one said in between.
    assert_eq!(ran(Pass), (Iteration, true, 0, 3));
}

/// Proves: B-016, B-067, B-068
#[test]
fn the_header_alone_says_when_a_slice_is_stuck() {
    let header = begun(0).snapshot().unwrap().header.clone();
    for (fails, alarm) in
        [(0, Alarm::None), (2, Alarm::None), (3, Alarm::Audit), (4, Alarm::Escalate)]
    {
        assert_eq!(SnapshotHeader { iteration_fails: fails, ..header.clone() }.alarm(), alarm);
        assert_eq!(SnapshotHeader { exit_fails: fails, ..header.clone() }.alarm(), alarm);
        let reworded = SnapshotHeader {
            iteration_fails: fails,
            slice: "other words".to_string(),
            ..header.clone()
        };
        assert_eq!(reworded.alarm(), alarm);
    }
}

/// Proves: B-017, B-026, B-028, B-048
/// Proves in part: B-049
#[test]
fn a_slice_begins_with_a_snapshot_of_what_was_agreed_and_nothing_else() {
    let scouted =
        Input::Impossible { effect: EffectId::of("T-x/S-0001", "scout", 1), why: String::new() };
    assert_eq!(Slice::default().decide(&scouted), Err(Rejected::NotBegun));
    let slice = begun(1);
    let Snapshot { header, evidence, consolidated, open, resolved } = slice.snapshot().unwrap();
    assert_eq!((header.iteration, header.parent), (Iteration::new(8), Some(Iteration::new(7))));
    assert_eq!(header.slice_id, SliceId::new(1));
    assert_eq!((header.last_run, header.iteration_fails, header.exit_fails), (None, 0, 0));
    assert_eq!((header.gate_iteration.as_str(), header.gate_exit.as_str()), ("fast", "full"));
    assert!(evidence.is_empty() && open.is_empty() && resolved.is_empty());
    let kinds: Vec<FactKind> = consolidated.iter().map(|fact| fact.kind).collect();
    assert_eq!(kinds, [FactKind::Criterion, FactKind::Constraint]);
    assert!(consolidated.iter().all(|fact| fact.from == Origin::Intake));
    let empty = Planned { criteria: vec![], ..scripted::planned(vec![]) };
    assert_eq!(empty.check(), Err(Rejected::Incomplete { missing: "criterion" }));
    let nowhere = ScopeCap { allowed: vec![], ..scripted::planned(vec![]).cap };
    let nowhere = Planned { cap: nowhere, ..scripted::planned(vec![]) };
    assert_eq!(nowhere.check(), Err(Rejected::Incomplete { missing: "scope cap" }));
}

/// Proves: B-013, B-072, B-073
#[test]
fn a_scout_that_leaves_the_cap_brings_nothing_until_the_cap_is_revised() {
    let mut slice = begun(1);
    assert!(matches!(want(&slice), Want::Scout { .. }));
    tell(&mut slice, 2);
    // What it brought is not weighed.
    assert_eq!(*slice.state(), State::Consolidating { captured: vec![] });
    tell(&mut slice, 0);
    assert_eq!(*slice.state(), State::Planning);
    assert!(slice.snapshot().unwrap().evidence.is_empty());
    let before = slice.snapshot().unwrap().header.clone();
    tell(&mut slice, 2);
    let after = &slice.snapshot().unwrap().header;
    assert!(!before.scope_cap.holds("secrets/key.pem") && after.scope_cap.holds("secrets/key.pem"));
    assert!(after.iteration > before.iteration);
    tell(&mut slice, 2);
    assert!(matches!(slice.state(), State::Consolidating { captured } if captured.len() == 1));
}

#[test]
fn a_cap_is_about_folders_not_about_letters() {
    let cap = scripted::planned(vec![]).cap;
    for inside in ["src/limiter.rs", "src/a/b.rs:12", "tests", "src"] {
        assert!(cap.holds(inside), "{inside}");
    }
    for outside in
        ["srcs/x.rs", "src/generated/x.rs", "src/../etc", "/src/x", "", "src//x", "..", "src\\x"]
    {
        assert!(!cap.holds(outside), "{outside}");
    }
}

/// Proves: B-004, B-009, B-037, B-038, B-039, B-057
#[test]
fn only_what_was_weighed_may_be_planned_from() {
    let mut slice = begun(1);
    let Input::Scouted { effect, mut findings } =
        scripted::slice_answers(&slice.owed()[0]).swap_remove(0)
    else {
        unreachable!("scouts are out")
    };
    findings[0].source = " ".to_string();
    let unbacked = slice.decide(&Input::Scouted { effect, findings });
    assert_eq!(unbacked, Err(Rejected::EmptyFinding));
    tell(&mut slice, 0);
    let effect = slice.owed()[0].id();
    let unfounded = |from: Vec<u32>| {
        let fact = NewFact { kind: FactKind::KeyPlace, text: "it is there".to_string(), from };
        Input::Consolidated { effect: effect.clone(), facts: vec![fact], gaps: vec![] }
    };
    for from in [vec![], vec![2], vec![1, 2]] {
        assert!(matches!(slice.decide(&unfounded(from)), Err(Rejected::Unfounded { .. })));
    }
    // Nothing promoted: the finding is there, and may not be cited.
    let mut raw = slice.clone();
    tell(&mut raw, 1);
    let snapshot = raw.snapshot().unwrap();
    assert_eq!((snapshot.evidence.len(), snapshot.consolidated.len()), (1, 2));
    assert_eq!(snapshot.evidence[0].source, "src/limiter.rs:12");
    assert_eq!(raw.decide(&plan(&raw, vec![3])), Err(Rejected::NotConsolidated { cited: 3 }));
    assert_eq!(raw.decide(&plan(&raw, vec![])), Err(Rejected::CitesNothing));
    // Promoted: it may.
    tell(&mut slice, 0);
    let snapshot = slice.snapshot().unwrap();
    assert_eq!(snapshot.consolidated[2].from, Origin::Evidence(vec![1]));
    assert!(slice.decide(&plan(&slice, vec![3])).is_ok());
    let Input::Planned { effect, answer: PlanAnswer::Grounded(planned) } = plan(&slice, vec![3])
    else {
        unreachable!()
    };
    let elsewhere = PlanAnswer::Grounded(Plan { gate: "full".to_string(), ..planned });
    let elsewhere = slice.decide(&Input::Planned { effect, answer: elsewhere });
    assert!(matches!(elsewhere, Err(Rejected::OtherGate { .. })));
}

/// Proves: B-058
#[test]
fn a_missing_fact_is_scouted_and_promoted_before_anything_is_planned_on_it() {
    let mut slice = begun(0);
    while !matches!(want(&slice), Want::Plan) {
        tell(&mut slice, 0);
    }
    let known = slice.snapshot().unwrap().consolidated.len() as u32;
    let missing = known + 1;
    let unknown = Rejected::NotConsolidated { cited: missing };
    assert_eq!(slice.decide(&plan(&slice, vec![missing])), Err(unknown.clone()));
    tell(&mut slice, 1);
    let open = &slice.snapshot().unwrap().open;
    assert_eq!(
        (open[0].text.as_str(), open[0].next),
        ("how is the clock read", NextAction::Rescout)
    );
    assert!(
        matches!(want(&slice), Want::Scout { unknowns, .. } if unknowns == [open[0].text.clone()])
    );
    // A finding alone is not enough.
    tell(&mut slice, 0);
    let mut raw = slice.clone();
    tell(&mut raw, 1);
    assert_eq!(raw.decide(&plan(&raw, vec![missing])), Err(unknown));
    tell(&mut slice, 0);
    let promoted = slice.snapshot().unwrap();
    assert!(promoted.open.is_empty() && promoted.resolved.len() == 1, "{promoted:?}");
    assert!(matches!(promoted.fact(missing).unwrap().from, Origin::Evidence(_)));
    assert!(slice.decide(&plan(&slice, vec![missing])).is_ok());
}

/// Proves: B-007, B-076
#[test]
fn neither_scouts_nor_auditors_have_room_for_advice() {
    let finding = r#"{"unknown":0,"source":"src/a.rs:1","note":"it is there","certainty":"seen"}"#;
    assert!(serde_json::from_str::<NewFinding>(finding).is_ok());
    let advice = finding.replace("\"unknown\"", "\"proposal\":\"rewrite it\",\"unknown\"");
    assert!(serde_json::from_str::<NewFinding>(&advice).is_err());
    let mut slice = begun(0);
    while !matches!(want(&slice), Want::Audit) {
        let nth = usize::from(matches!(want(&slice), Want::RunGate { .. }));
        tell(&mut slice, nth);
    }
    let Some(Input::Audited { report, .. }) =
        scripted::slice_answers(&slice.owed()[0]).into_iter().next()
    else {
        unreachable!()
    };
    let mut report = serde_json::to_value(report).unwrap();
    assert!(serde_json::from_value::<AuditReport>(report.clone()).is_ok());
    for field in ["verdict", "mismatches", "diagnosis", "gaps", "risks", "validations"] {
        let mut without = report.clone();
        without.as_object_mut().unwrap().remove(field);
        assert!(serde_json::from_value::<AuditReport>(without).is_err(), "{field}");
    }
    report["change"] = "rewrite it".into();
    assert!(serde_json::from_value::<AuditReport>(report).is_err());
}

/// Proves: B-054, B-069, B-070, B-078
#[test]
fn the_third_failure_is_audited_and_the_fourth_is_the_last() {
    let mut slice = begun(0);
    let mut fails = 0;
    let story = core::iter::from_fn(|| {
        if slice.is_over() {
            return None;
        }
        let kind = want(&slice);
        let is_gate = matches!(kind, Want::RunGate { .. });
        fails += u32::from(is_gate);
        let name = slice.owed()[0].id().as_str().split('/').nth(2)?.to_string();
        // A rung rests on what is consolidated, and on nothing else.
        for lie in scripted::slice_lies(&slice.owed()[0]) {
            assert!(slice.decide(&lie).is_err(), "{lie:?}");
        }
        tell(&mut slice, usize::from(is_gate));
        Some(name)
    });
    let story: Vec<String> = story.collect();
    insta::assert_snapshot!(story.join(" "), @"consolidate plan edit iteration-gate rung edit iteration-gate rung edit iteration-gate audit consolidate rung edit iteration-gate");
    assert_eq!(fails, 4);
    // What the auditor said is evidence of a snapshot.
    let evidence = &slice.snapshot().unwrap().evidence;
    assert!(evidence.iter().any(|it| it.by == Finder::Auditor), "{evidence:?}");
    assert_eq!(
        *slice.state(),
        State::Escalated { why: Stuck::FailedInARow { gate: GateKind::Iteration } }
    );
}

/// Proves: B-064
#[test]
fn a_failed_exit_gate_gives_a_snapshot_a_rung_and_another_run() {
    let mut slice = begun(0);
    until_gate(&mut slice);
    tell(&mut slice, 0);
    let before = slice.snapshot().unwrap().header.clone();
    tell(&mut slice, 1);
    let failed = slice.snapshot().unwrap().clone();
    assert_eq!(failed.header.iteration.number(), before.iteration.number() + 1);
    assert_eq!(failed.header.last_run, Some((GateKind::Exit, GateOutcome::Fail)));
    assert_eq!((failed.header.exit_fails, failed.open.len()), (before.exit_fails + 1, 1));
    assert!(matches!(want(&slice), Want::ChooseRung));
    while !slice.is_over() {
        tell(&mut slice, 0);
    }
    assert!(matches!(slice.state(), State::Delivered { .. }));
    let last = slice.snapshot().unwrap();
    assert_eq!((last.header.exit_fails, last.open.len()), (0, 0));
    let notes = last.evidence.iter().filter(|finding| matches!(finding.by, Finder::Gate(_)));
    let exits: Vec<&str> =
        notes.map(|finding| finding.note.as_str()).filter(|note| note.contains("exit")).collect();
    assert_eq!(exits, ["the exit gate ended in FAIL", "the exit gate ended in PASS"]);
}

/// Each rung leads to its own work, and none is taken without a reason from the snapshot.
///
/// Proves in part: B-066
#[test]
fn each_rung_of_the_ladder_leads_to_its_own_work() {
    let mut failed = begun(0);
    until_gate(&mut failed);
    tell(&mut failed, 1);
    for lie in scripted::slice_lies(&failed.owed()[0]) {
        assert!(failed.decide(&lie).is_err(), "{lie:?}");
    }
    let next = [0, 1, 2].map(|rung| {
        let mut slice = failed.clone();
        tell(&mut slice, rung);
        slice.owed()[0].id().as_str().split('/').nth(2).map(str::to_string)
    });
    assert_eq!(next, ["edit", "scout", "plan"].map(|name| Some(name.to_string())));
}

/// Proves: B-021, B-041, B-042, B-062
#[test]
fn an_issue_is_carried_until_the_gate_that_opened_it_passes() {
    let mut slice = begun(0);
    until_gate(&mut slice);
    tell(&mut slice, 1);
    let failed = slice.snapshot().unwrap().clone();
    assert_eq!(failed.open.len(), 1);
    assert_eq!(failed.open[0].next, NextAction::Fix);
    assert_eq!(failed.header.last_run, Some((GateKind::Iteration, GateOutcome::Fail)));
    tell(&mut slice, 2);
    tell(&mut slice, 0);
    tell(&mut slice, 0);
    assert!(slice.snapshot().unwrap().resolved.is_empty());
    tell(&mut slice, 0);
    let passed = slice.snapshot().unwrap();
    assert!(passed.open.is_empty());
    let closing = passed.finding(passed.resolved[0].closed_by).unwrap();
    assert!(matches!(closing.by, Finder::Gate(_)) && closing.note.contains("PASS"), "{closing:?}");
    assert_eq!(passed.header.parent, Some(Iteration::new(passed.header.iteration.number() - 1)));
    let stored = serde_json::to_string(&failed.open).unwrap();
    assert!(serde_json::from_str::<Vec<Issue>>(&stored.replace("\"fix\"", "\"wait\"")).is_err());
}

/// Proves: B-014, B-060, B-063
#[test]
fn a_slice_is_delivered_by_its_exit_gate_and_only_if_everything_holds() {
    let mut slice = begun(0);
    until_gate(&mut slice);
    tell(&mut slice, 0);
    assert_eq!(*slice.state(), State::ExitGate);
    // Unmet criteria, another surface, no surface at all.
    for (nth, state) in [(4, "Ladder"), (5, "Escalated"), (6, "Escalated"), (3, "Escalated")] {
        let mut bent = slice.clone();
        tell(&mut bent, nth);
        assert!(std::format!("{:?}", bent.state()).starts_with(state), "{nth}: {:?}", bent.state());
    }
    tell(&mut slice, 0);
    assert!(matches!(slice.state(), State::Delivered { .. }));
    let last = slice.snapshot().unwrap().header.last_run;
    assert_eq!(last, Some((GateKind::Exit, GateOutcome::Pass)));
}

/// Proves in part: B-011
#[test]
fn every_request_names_the_latest_snapshot_and_no_other() {
    let mut slice = begun(1);
    while !slice.is_over() {
        let effect = slice.owed().remove(0);
        assert_eq!(effect.snapshot, slice.snapshot().unwrap().header.iteration);
        // All that is known is in it: a slice read back from the journal goes on alike.
        let stored = serde_json::to_string(&slice).unwrap();
        let mut read: Slice = serde_json::from_str(&stored).unwrap();
        tell(&mut slice, 0);
        tell(&mut read, 0);
        assert_eq!(read, slice);
    }
}

/// Proves: B-052
#[test]
fn scouts_go_out_until_every_unknown_is_answered_and_three_times_at_most() {
    let findings = |slice: &Slice, nth: usize| {
        let Input::Scouted { effect, findings } =
            scripted::slice_answers(&slice.owed()[0]).swap_remove(0)
        else {
            unreachable!("scouts are out")
        };
        Input::Scouted { effect, findings: findings[nth..=nth].to_vec() }
    };
    let put = |slice: &mut Slice, input: Input| {
        let events = slice.decide(&input).unwrap();
        events.iter().for_each(|event| slice.evolve(event));
    };
    let mut slice = begun(2);
    let first = findings(&slice, 0);
    put(&mut slice, first);
    assert!(matches!(want(&slice), Want::Scout { .. }));
    let second = findings(&slice, 1);
    put(&mut slice, second);
    assert!(matches!(slice.state(), State::Consolidating { captured } if captured.len() == 2));
    let mut fruitless = begun(2);
    (0..SCOUTINGS_MAX).for_each(|_| tell(&mut fruitless, 1));
    assert!(matches!(fruitless.state(), State::Consolidating { captured } if captured.is_empty()));
}

#[test]
fn a_slice_that_is_full_can_still_go_on() {
    let mut slice = begun(2);
    let full = |slice: &Slice, unknown: u32, count: usize| {
        let Input::Scouted { effect, findings } =
            scripted::slice_answers(&slice.owed()[0]).swap_remove(0)
        else {
            unreachable!("scouts are out")
        };
        let finding = NewFinding { unknown, ..findings[0].clone() };
        Input::Scouted { effect, findings: std::vec![finding; count] }
    };
    let most = full(&slice, 0, 524);
    assert!(matches!(slice.decide(&full(&slice, 0, 525)), Err(Rejected::TooMuch { .. })));
    slice.decide(&most).unwrap().iter().for_each(|event| slice.evolve(event));
    assert!(matches!(slice.decide(&full(&slice, 1, 1)), Err(Rejected::TooMuch { .. })));
    tell(&mut slice, 1);
    tell(&mut slice, 1);
    // However full it is, an answer that adds nothing is taken.
    while !slice.is_over() {
        tell(&mut slice, 0);
    }
    assert!(matches!(slice.state(), State::Delivered { .. }));
}

/// Proves: B-015
#[test]
fn a_header_without_its_slice_or_its_counters_is_none() {
    let header = serde_json::to_value(&begun(0).snapshot().unwrap().header).unwrap();
    assert!(serde_json::from_value::<SnapshotHeader>(header.clone()).is_ok());
    for field in ["slice_id", "iteration_fails", "exit_fails", "iteration", "scope_cap"] {
        let mut without = header.clone();
        without.as_object_mut().unwrap().remove(field);
        assert!(serde_json::from_value::<SnapshotHeader>(without).is_err(), "{field}");
    }
}

/// Proves: P-046, P-048, P-052, P-053
#[test]
fn a_pass_that_gains_nothing_or_proposes_nonsense_stops_the_slice() {
    for nth in [3, 4] {
        let mut slice = begun(0);
        while !matches!(want(&slice), Want::Edit { .. }) {
            tell(&mut slice, 0);
        }
        let tree = slice.tree();
        tell(&mut slice, nth);
        assert!(matches!(slice.state(), State::Escalated { why: Stuck::NoProgress { .. } }));
        assert_eq!(slice.tree(), tree);
    }
    for phase in Phase::ALL {
        let next = Pass {
            progress: vec![Progress::Evidence],
            proposed_next: Some(phase),
            ..Pass::default()
        };
        let is_wasted = next.is_wasted(Phase::Implement).is_some();
        assert_eq!(is_wasted, !Phase::Implement.may_propose(phase), "{phase}");
    }
}

/// Proves: B-079
#[test]
fn an_edit_outside_its_plan_does_not_count() {
    let mut slice = begun(0);
    while !matches!(want(&slice), Want::Edit { .. }) {
        tell(&mut slice, 0);
    }
    let tree = slice.tree();
    tell(&mut slice, 2);
    assert_eq!((slice.state(), slice.tree()), (&State::Planning, tree));
}

proptest! {
    /// A careless world answers what it was asked, at random, and lies in between. Whatever it
    /// does: it comes to an end, snapshots count up by one, ids never come back, and the
    /// journal rebuilds the same slice, and nothing was planned before something was consolidated. Counters change in
    /// snapshots after a gate run and in no other.
    ///
    /// Proves: B-020
    #[test]
    fn a_careless_world_cannot_break_a_slice(dice in prop::collection::vec(any::<u16>(), 0..400)) {
        let mut slice = Slice::default();
        let begin = Input::Begin { charter: charter(2) };
        let mut events = slice.decide(&begin).unwrap();
        events.iter().for_each(|event| slice.evolve(event));
        let mut asked: Vec<EffectId> = Vec::new();
        for die in dice {
            let Some(effect) = slice.owed().into_iter().next() else { break };
            prop_assert!(!asked.contains(&effect.id()), "{} came back", effect.id());
            for lie in scripted::slice_lies(&effect) {
                prop_assert!(slice.decide(&lie).is_err(), "{lie:?}");
            }
            let answers = scripted::slice_answers(&effect);
            let former = slice.snapshot().unwrap().header.clone();
            let before = former.iteration.number();
            let decided = slice.decide(&answers[usize::from(die) % answers.len()]).unwrap();
            decided.iter().for_each(|event| slice.evolve(event));
            let after = slice.snapshot().unwrap().header.iteration.number();
            prop_assert!(after == before || after == before + 1);
            let counters = |it: &SnapshotHeader| (it.iteration_fails, it.exit_fails, it.last_run);
            let latest = &slice.snapshot().unwrap().header;
            let is_gate = matches!(effect.want, Want::RunGate { .. });
            prop_assert!(counters(latest) == counters(&former) || (is_gate && after == before + 1));
            asked.push(effect.id());
            events.extend(decided);
        }
        let planned = events.iter().position(|event| matches!(event, Event::Planned { .. }));
        let is_weighed = |event: &Event| matches!(event, Event::Consolidated { .. });
        prop_assert!(events[..planned.unwrap_or(0)].iter().any(is_weighed) || planned.is_none());
        prop_assert_eq!(fold::<Slice>(&events), slice);
    }
}

fn charter(unknowns: usize) -> Charter {
    Charter {
        task: TaskId::new("T-x").unwrap(),
        id: SliceId::new(1),
        planned: scripted::planned(
            (0..unknowns).map(|nth| std::format!("unknown {nth}")).collect(),
        ),
        tree: scripted::tree_after(Digest::ZERO),
        parent: Some(Iteration::new(7)),
        evidence_before: 0,
    }
}

fn begun(unknowns: usize) -> Slice {
    let mut slice = Slice::default();
    let begun = slice.decide(&Input::Begin { charter: charter(unknowns) }).unwrap();
    begun.iter().for_each(|event| slice.evolve(event));
    slice
}

fn want(slice: &Slice) -> Want {
    slice.owed().remove(0).want
}

fn tell(slice: &mut Slice, nth: usize) {
    let input = scripted::slice_answers(&slice.owed()[0]).swap_remove(nth);
    let events = slice.decide(&input).unwrap();
    events.iter().for_each(|event| slice.evolve(event));
}

fn until_gate(slice: &mut Slice) {
    while !matches!(want(slice), Want::RunGate { .. }) {
        tell(slice, 0);
    }
}

fn plan(slice: &Slice, cites: Vec<u32>) -> Input {
    let planned = scripted::slice_answers(&slice.owed()[0]).swap_remove(0);
    let Input::Planned { effect, answer: PlanAnswer::Grounded(plan) } = planned else {
        unreachable!("a plan is owed")
    };
    Input::Planned { effect, answer: PlanAnswer::Grounded(Plan { cites, ..plan }) }
}
