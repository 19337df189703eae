use std::collections::BTreeSet;
use std::string::{String, ToString as _};
use std::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::owner::{Autonomy, Guard, Header, Risk};
use crate::task::escalation::{Cause, ResolutionKind};
use crate::{Actor, Cheat, Effect as _, EvidenceRecord, Lane, Source, Verdict, fold, scripted};

mod resolutions;
mod tripwires;

/// Proves: P-006, P-007, P-008
#[test]
fn a_frame_is_complete_or_it_says_what_is_missing() {
    let whole = scripted::frame();
    assert_eq!((whole.missing_at_intake(), whole.missing()), (vec![], vec![]));
    let cases = [
        (Frame { objective: " ".to_string(), ..whole.clone() }, Missing::Objective),
        (Frame { done_gate: vec![], ..whole.clone() }, Missing::DoneGate),
        (Frame { not_doing: vec![String::new()], ..whole.clone() }, Missing::Exclusions),
        (Frame { reality: vec![], ..whole.clone() }, Missing::RealityConstraints),
    ];
    for (frame, missing) in cases {
        assert_eq!((frame.missing_at_intake(), frame.missing()), (vec![missing], vec![missing]));
    }
    let unplanned = Frame { validation: vec![], ..whole.clone() };
    assert_eq!(unplanned.missing(), [Missing::ValidationPlan]);
    let unlabelled = Frame { features: vec![], ..whole.clone() };
    assert_eq!(unlabelled.missing(), [Missing::FeatureChecklist]);
    let hidden = Frame { audience: Audience::Code, ..unlabelled };
    assert_eq!(hidden.missing(), []);
    // An incomplete one keeps the task where it is, three times at most.
    let mut task = created(Lane::Quick, Header::default());
    tell(&mut task, 0);
    for _ in 0..2 {
        tell(&mut task, 1);
        assert_eq!(task.phase(), Some(Phase::Intake));
    }
    tell(&mut task, 1);
    assert!(matches!(cause(&task), Cause::Unclear { .. }));
    // In shape the frame has two parts more, and the task stays there until it has them.
    let frames =
        [Frame { validation: vec![], ..whole.clone() }, Frame { features: vec![], ..whole }];
    for frame in frames {
        let mut task = at(Phase::Shape, Lane::Quick, Header::default());
        for _ in 0..2 {
            let Input::Report { effect, report: Report::Shaped { bundle, pass } } =
                answer(&task, 0)
            else {
                unreachable!("a draft is owed")
            };
            let bundle = Bundle { frame: frame.clone(), ..bundle };
            put(&mut task, Input::Report { effect, report: Report::Shaped { bundle, pass } });
            assert_eq!((task.phase(), asks(&task)), (Some(Phase::Shape), false));
            assert!(task.data().unwrap().bundle.is_none());
        }
        tell(&mut task, 0);
        assert!(matches!(task.stage(), Stage::AwaitingFreeze { .. }));
    }
}

/// Proves: P-028
#[test]
fn a_feature_has_one_of_four_labels() {
    let labels = [
        FeatureLabel::RealWorking,
        FeatureLabel::RealReadOnly,
        FeatureLabel::BlockedHidden,
        FeatureLabel::UnknownDoNotShow,
    ];
    for label in labels {
        assert_eq!(serde_json::to_value(label).unwrap(), label.name());
    }
    assert!(serde_json::from_str::<FeatureLabel>("\"mostly_working\"").is_err());
}

/// Proves: A-104
/// Proves in part: A-014
#[test]
fn a_freeze_covers_three_parts_and_what_is_guarded_is_what_was_seen_red() {
    let mut task = parked(Lane::Factory, Header::default());
    let bundle = task.data().unwrap().bundle.clone().unwrap();
    let kinds: Vec<PartKind> = bundle.parts.iter().map(|part| part.kind).collect();
    assert_eq!(kinds, [PartKind::Spec, PartKind::Scenarios, PartKind::Contract]);
    for missing in 0..3 {
        let mut parts = bundle.parts.clone();
        parts.remove(missing);
        assert_eq!(Bundle { parts, ..bundle.clone() }.missing().len(), 1);
    }
    // The item is everything: another digest of any part is another item.
    let charter = task.data().unwrap().charter.clone();
    for nth in 0..3 {
        let mut parts = bundle.parts.clone();
        parts[nth].content = Digest::of(b"another");
        assert_ne!(Bundle { parts, ..bundle.clone() }.item(&charter), bundle.item(&charter));
    }
    let edited = Charter { text: Digest::of(b"another"), ..charter.clone() };
    assert_ne!(bundle.item(&edited), bundle.item(&charter));
    tell(&mut task, 0);
    tell(&mut task, 0);
    tell(&mut task, 0);
    let guarded = task.data().unwrap().guarded.unwrap();
    assert_eq!(guarded, Guarded { tests: Digest::of(b"tests"), contract: bundle.contract() });
}

/// A contract that keeps behaviour needs tests that pass before, and no other contract takes them.
#[test]
fn the_tests_of_a_change_without_new_behaviour_pass_before_it() {
    for (keeps_behaviour, accepted) in [(true, 1), (false, 0)] {
        let mut task = at(Phase::Shape, Lane::Quick, Header::default());
        let Input::Report { effect, report: Report::Shaped { bundle, pass } } = answer(&task, 0)
        else {
            unreachable!("a draft is owed")
        };
        let bundle = Bundle { keeps_behaviour, ..bundle };
        put(&mut task, Input::Report { effect, report: Report::Shaped { bundle, pass } });
        tell(&mut task, 0);
        tell(&mut task, 0);
        let mut refused = task.clone();
        tell(&mut refused, 1 - accepted);
        assert!(matches!(refused.stage(), Stage::WritingTests { .. }), "{:?}", refused.stage());
        assert!(refused.data().unwrap().guarded.is_none());
        tell(&mut task, accepted);
        assert_eq!(task.phase(), Some(Phase::Implement));
        assert!(task.data().unwrap().guarded.is_some());
    }
}

/// Proves: A-103
#[test]
fn nothing_is_built_before_the_tests_were_seen_to_fail() {
    let mut task = parked(Lane::Quick, Header::default());
    tell(&mut task, 0);
    for _ in 0..2 {
        tell(&mut task, 0);
        tell(&mut task, 1);
        assert_eq!((task.phase(), task.data().unwrap().slices.len()), (Some(Phase::Shape), 0));
    }
    tell(&mut task, 0);
    tell(&mut task, 2);
    assert!(matches!(cause(&task), Cause::TestsVacuous { .. }));
    let mut honest = parked(Lane::Quick, Header::default());
    (0..3).for_each(|_| tell(&mut honest, 0));
    assert_eq!((honest.phase(), honest.data().unwrap().slices.len()), (Some(Phase::Implement), 1));
}

/// Proves: P-010
#[test]
fn implement_ends_with_a_candidate_that_its_exit_gate_has_judged() {
    let mut task = at(Phase::Implement, Lane::Quick, Header::default());
    let is_exit = |task: &Task| task.owed()[0].id().to_string().contains("exit-gate");
    while !is_exit(&task) {
        tell(&mut task, 0);
        assert_eq!(task.phase(), Some(Phase::Implement));
    }
    let mut failed = task.clone();
    tell(&mut failed, 1);
    assert_eq!(failed.phase(), Some(Phase::Implement));
    tell(&mut task, 0);
    assert_eq!(task.phase(), Some(Phase::Verify));
    let known = task.data().unwrap();
    let last = known.evidence.last().unwrap();
    assert_eq!((last.subject.as_str(), last.verdict), ("S-0001 exit gate", Verdict::Pass));
    assert_eq!(Some(last.evidence.tree), known.tree);

    // Half a candidate is none: every slice of the plan is judged first.
    let mut task = parked_with(2, "the fee is cut");
    while task.phase() != Some(Phase::Verify) {
        tell(&mut task, 0);
    }
    let judged = |slice: &str| {
        let mut records = task.data().unwrap().evidence.iter();
        records.any(|it| {
            it.subject == std::format!("{slice} exit gate") && it.verdict == Verdict::Pass
        })
    };
    assert!(judged("S-0001") && judged("S-0002"));
}

/// Whatever roles, gates and checks answer: a phase follows another only as the table has it. People alone may reopen an
/// earlier one.
///
/// Proves: P-021
#[test]
fn phases_follow_each_other_as_the_table_says() {
    let mut seen = BTreeSet::new();
    for walk in 0..400_u64 {
        let lane = [Lane::Quick, Lane::Factory, Lane::Strict][walk as usize % 3];
        let mut task = created(lane, Header::default());
        let mut die = walk;
        for _ in 0..80 {
            die =
                die.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let owed = task.owed();
            let Some(effect) = owed.first() else { break };
            let is_person = matches!(effect, Effect::Task { want: Want::Ask { .. }, .. });
            let answers = scripted::answers(effect);
            // Mostly the honest answer, or no walk would come far.
            let nth = if die >> 62 == 0 { (die >> 33) as usize % answers.len() } else { 0 };
            let Ok(events) = task.decide(&answers[nth]) else { continue };
            for event in &events {
                if let (Event::Entered { phase }, Some(from), false) =
                    (event, task.phase(), is_person)
                {
                    assert!(from.next().contains(phase), "{from} > {phase} after {effect:?}");
                    seen.insert((from.name(), phase.name()));
                }
                task.evolve(event);
            }
        }
    }
    // The walks were no strolls.
    for edge in [
        ("shape", "implement"),
        ("verify", "repair"),
        ("repair", "verify"),
        ("review", "repair"),
        ("review", "done"),
    ] {
        assert!(seen.contains(&edge), "{edge:?} is not in {seen:?}");
    }
}

/// Proves: P-031
#[test]
fn nothing_is_done_before_every_check_ran_as_a_command_on_the_tree_that_is_kept() {
    let charter = scripted::charter("T-x", Lane::Quick, Header::default());
    let checks = ["tests", "lint"].map(str::to_string).to_vec();
    let mut task = Task::default();
    put(&mut task, scripted::create(Charter { checks, ..charter }));
    while task.phase() != Some(Phase::Verify) {
        tell(&mut task, 0);
    }
    // The tripwire and one check are not enough; the word of a role is no check.
    tell(&mut task, 0);
    tell(&mut task, 0);
    assert_eq!((task.phase(), task.owed().len()), (Some(Phase::Verify), 1));
    for lie in scripted::lies(&task.owed()[0]) {
        assert!(task.decide(&lie).is_err(), "{lie:?}");
    }
    while !task.is_over() {
        tell(&mut task, 0);
    }
    let known = task.data().unwrap();
    for check in ["check-tests", "check-lint"] {
        let found = known.evidence.iter().rfind(|record| record.subject == check);
        let Some(EvidenceRecord { verdict, evidence, .. }) = found else { panic!("{check}") };
        assert_eq!((*verdict, Some(evidence.tree)), (Verdict::Pass, known.tree), "{check}");
        assert!(
            matches!(&evidence.source, Source::Command { argv, exit: 0, .. } if !argv.is_empty()),
            "{check}: {evidence:?}"
        );
    }
}

/// Proves: P-013, P-017, P-018
#[test]
fn verify_leads_where_the_table_says() {
    let verifying = at(Phase::Verify, Lane::Quick, Header::default());
    let led = |tripwire: usize, check: usize| {
        let mut task = verifying.clone();
        tell(&mut task, tripwire);
        tell(&mut task, check);
        task
    };
    assert_eq!(led(0, 0).phase(), Some(Phase::Review));
    assert_eq!(led(0, 1).phase(), Some(Phase::Repair));
    assert_eq!(led(0, 2).phase(), Some(Phase::Repair), "a pass with failures is none");
    assert_eq!(led(0, 3).phase(), Some(Phase::Blocked));
    assert_eq!(led(3, 0).phase(), Some(Phase::Blocked), "cannot tell is never a pass");
    assert!(matches!(cause(&led(0, 4)), Cause::Security { .. }));
    assert!(matches!(cause(&led(2, 0)), Cause::FrozenEdited { .. }));
    let mut repaired = led(0, 1);
    assert_eq!(repaired.data().unwrap().to_mend, ["check-tests: limits::two_tenants"]);
    tell(&mut repaired, 0);
    assert_eq!(repaired.phase(), Some(Phase::Verify));
    assert_eq!(repaired.data().unwrap().verified, None);
    let mut outside = led(0, 1);
    tell(&mut outside, 1);
    assert!(matches!(cause(&outside), Cause::OutOfBounds { .. }));
}

/// Proves: P-015, P-030, P-034
#[test]
fn review_asks_five_questions_and_leads_where_the_table_says() {
    let reviewing = at(Phase::Review, Lane::Quick, Header::default());
    let mut passed = reviewing.clone();
    tell(&mut passed, 0);
    assert_eq!(*passed.stage(), Stage::Shipping);
    let questions = [
        ReviewQuestion::Objective,
        ReviewQuestion::NoFakeTruth,
        ReviewQuestion::NoHalfWorkingFeature,
        ReviewQuestion::Consistent,
        ReviewQuestion::Minimal,
    ];
    for question in questions {
        let mut task = reviewing.clone();
        let Input::Report { effect, report: Report::Challenged { challenge } } = answer(&task, 0)
        else {
            unreachable!()
        };
        let challenge = Challenge { unmet: vec![question], ..challenge };
        put(&mut task, Input::Report { effect, report: Report::Challenged { challenge } });
        assert_eq!(task.phase(), Some(Phase::Repair), "{question:?}");
        assert_eq!(task.data().unwrap().to_mend, [question.text()]);
    }
    let mut tradeoff = reviewing;
    tell(&mut tradeoff, 7);
    assert!(matches!(cause(&tradeoff), Cause::Tradeoff { .. }));
}

#[test]
fn a_mild_challenge_is_asked_for_twice_more_and_then_counts_as_failed() {
    let mut task = at(Phase::Review, Lane::Quick, Header::default());
    for _ in 0..2 {
        tell(&mut task, 3);
        assert_eq!(*task.stage(), Stage::Challenging);
    }
    tell(&mut task, 3);
    assert_eq!(task.data().unwrap().to_mend, ["mild_review_violation"]);
}

#[test]
fn amendments_are_applied_verified_and_checked_and_not_debated_again() {
    let mut task = at(Phase::Review, Lane::Factory, Header::default());
    tell(&mut task, 0);
    tell(&mut task, 1);
    assert_eq!(task.phase(), Some(Phase::Repair));
    tell(&mut task, 0);
    tell(&mut task, 0);
    tell(&mut task, 0);
    assert_eq!(*task.stage(), Stage::CheckingAmendments);
    let mut missing = task.clone();
    tell(&mut missing, 1);
    assert!(matches!(cause(&missing), Cause::AmendmentsMissing { .. }));
    assert!(!options(&missing).contains(&ResolutionKind::ApproveOverride));
    tell(&mut task, 0);
    assert_eq!(*task.stage(), Stage::Shipping);
}

#[test]
fn what_a_challenger_found_survives_the_arbiters_amendments() {
    let mut task = at(Phase::Review, Lane::Factory, Header::default());
    tell(&mut task, 5);
    tell(&mut task, 1);
    (0..3).for_each(|_| tell(&mut task, 0));
    assert_eq!(*task.stage(), Stage::CheckingAmendments);
    tell(&mut task, 0);
    assert!(matches!(task.stage(), Stage::AwaitingOwner { .. }), "{:?}", task.stage());
}

#[test]
fn work_mended_for_another_reason_than_amendments_is_judged_anew() {
    let mut task = at(Phase::Review, Lane::Factory, Header::default());
    tell(&mut task, 0);
    tell(&mut task, 1);
    (0..4).for_each(|_| tell(&mut task, 0));
    assert_eq!(*task.stage(), Stage::Shipping);
    tell(&mut task, 2);
    assert_eq!(task.phase(), Some(Phase::Repair));
    (0..3).for_each(|_| tell(&mut task, 0));
    assert_eq!(*task.stage(), Stage::Challenging);
}

#[test]
fn a_cheat_does_not_hide_a_hole() {
    let mut task = at(Phase::Review, Lane::Quick, Header::default());
    tell(&mut task, 8);
    assert!(matches!(cause(&task), Cause::Security { .. }));
    assert_eq!(task.data().unwrap().heals, 1);
}

#[test]
fn what_was_drafted_from_an_older_text_is_not_frozen_by_an_older_yes() {
    let charter = scripted::charter("T-x", Lane::Quick, Header::default());
    let mut task = Task::default();
    put(&mut task, scripted::create(Charter { freeze: Freeze::InAdvance, ..charter.clone() }));
    while task.phase() != Some(Phase::Shape) {
        tell(&mut task, 0);
    }
    let late = answer(&task, 0);
    let Charter { title, criteria, lane, header, .. } = charter;
    let text = Digest::of(b"another text");
    let says = PersonInput::Adopt { text, title, criteria, lane, header };
    put(&mut task, Input::Person { by: scripted::ada(), says });
    assert!(matches!(task.decide(&late), Err(Rejected::NotOwed { .. })));
    tell(&mut task, 0);
    assert!(matches!(task.stage(), Stage::AwaitingFreeze { .. }), "{:?}", task.stage());
}

/// Proves: A-107
#[test]
fn a_frozen_contract_changes_only_by_a_new_start_that_voids_what_rests_on_it() {
    let building = at(Phase::Implement, Lane::Quick, Header::default());
    let rests = |task: &Task| {
        let known = task.data().unwrap();
        (known.frozen.is_some(), known.guarded.is_some(), !known.slices.is_empty())
    };
    assert_eq!(rests(&building), (true, true, true));
    let pass = slice::Pass { progress: vec![slice::Progress::Change], ..slice::Pass::default() };
    let report = Report::Shaped { bundle: scripted::bundle(2), pass };
    let draft = Input::Report { effect: building.owed()[0].id(), report };
    assert!(building.decide(&draft).is_err(), "nobody may draft another contract now");
    let mut task = building;
    let Charter { title, criteria, lane, header, .. } = task.data().unwrap().charter.clone();
    let says =
        PersonInput::Adopt { text: Digest::of(b"another text"), title, criteria, lane, header };
    put(&mut task, Input::Person { by: scripted::ada(), says });
    assert!(matches!(cause(&task), Cause::FreezeVoid { .. }));
    assert_eq!(
        (task.data().unwrap().frozen.is_some(), task.data().unwrap().guarded),
        (false, None)
    );
    // Every way on leads over a new contract, a new yes and a new red run.
    assert!(!options(&task).contains(&ResolutionKind::ApproveOverride));
    tell(&mut task, 0);
    assert_eq!((task.phase(), rests(&task)), (Some(Phase::Intake), (false, false, false)));
    while !matches!(task.stage(), Stage::AwaitingFreeze { .. }) {
        tell(&mut task, 0);
    }
    assert_eq!(rests(&task), (false, false, false));
}

#[test]
fn work_that_cannot_be_judged_or_kept_asks_a_person() {
    for stage in [Stage::Challenging, Stage::Adjudicating, Stage::Shipping] {
        let mut task = at(Phase::Review, Lane::Factory, Header::default());
        while *task.stage() != stage {
            tell(&mut task, 0);
        }
        let last = scripted::answers(&task.owed()[0]).len() - 1;
        tell(&mut task, last);
        assert!(matches!(cause(&task), Cause::CannotReview { .. }), "{stage:?}");
        assert_eq!(task.phase(), Some(Phase::NeedsUserDecision));
        assert!(!options(&task).contains(&ResolutionKind::ApproveOverride));
    }
}

#[test]
fn a_person_cancels_a_task_in_every_stage_that_is_not_over() {
    let header = Header { autonomy: Autonomy::Manual, risk: Risk::Normal };
    let cancel = |why: &str| Input::Person { by: scripted::ada(), says: scripted::cancel(why) };
    let mut task = created(Lane::Quick, header);
    let mut stages = 0;
    loop {
        let stage = task.stage().clone();
        let by_a_machine = Input::Person { by: Actor::Machine, says: scripted::cancel("enough") };
        if task.is_over() {
            assert_eq!(task.decide(&cancel("enough")), Err(Rejected::Over));
            break;
        }
        assert_eq!(task.decide(&by_a_machine), Err(Rejected::NotAPerson), "{stage:?}");
        assert_eq!(task.decide(&cancel(" ")), Err(Rejected::NoReason), "{stage:?}");
        let mut ended = task.clone();
        put(&mut ended, cancel("not wanted any more"));
        assert_eq!((ended.status(), ended.is_over()), (Status::Abandoned, true), "{stage:?}");
        assert!(ended.owed().is_empty());
        stages += 1;
        tell(&mut task, 0);
    }
    assert!(stages > 8, "{stages}");
    // A halt and a reached budget are no exceptions.
    let mut halted = at(Phase::Verify, Lane::Quick, header);
    tell(&mut halted, 0);
    tell(&mut halted, 3);
    assert!(matches!(halted.stage(), Stage::Halted { .. }));
    put(&mut halted, cancel("not wanted any more"));
    assert!(halted.is_over());
}

#[test]
fn a_fix_is_a_persons_only_until_somebody_mends_it() {
    let header = Header { autonomy: Autonomy::Manual, risk: Risk::Normal };
    let mut task = at(Phase::Verify, Lane::Quick, header);
    tell(&mut task, 0);
    tell(&mut task, 3);
    let [_, _, fix, ..] = scripted::resolutions();
    let Stage::Halted { escalation } = task.stage().clone() else { panic!("not halted") };
    let says = PersonInput::Resolve { escalation: escalation.id, resolution: fix };
    put(&mut task, Input::Person { by: scripted::ada(), says });
    (0..4).for_each(|_| tell(&mut task, 0));
    assert!(matches!(task.stage(), Stage::AwaitingOwner { .. }));
    tell(&mut task, 1);
    tell(&mut task, 0);
    tell(&mut task, 1);
    tell(&mut task, 0);
    assert_eq!((task.phase(), task.data().unwrap().heals), (Some(Phase::Repair), 1));
}

/// Proves
/// Proves in part: A-060
#[test]
fn a_finding_no_test_can_settle_stops_for_a_person_at_every_rung() {
    for lane in Lane::ALL {
        for autonomy in [Autonomy::Manual, Autonomy::Conservative, Autonomy::Auto] {
            let header = Header { autonomy, risk: Risk::Normal };
            let reviewing = at(Phase::Review, lane, header);
            let mut security = reviewing.clone();
            tell(&mut security, 4);
            while !asks(&security) {
                tell(&mut security, 0);
            }
            assert!(matches!(cause(&security), Cause::Security { .. }), "{lane:?} {autonomy:?}");
            // A check that finds it stops the task like a challenger.
            let mut checked = at(Phase::Verify, lane, header);
            while checked.phase() == Some(Phase::Verify) {
                let is_check = checked.owed()[0].id().to_string().contains("check-tests");
                tell(&mut checked, if is_check { 4 } else { 0 });
            }
            assert!(matches!(cause(&checked), Cause::Security { .. }), "{lane:?} {autonomy:?}");
        }
        let mut layering = at(Phase::Review, lane, Header::default());
        tell(&mut layering, 5);
        while !asks(&layering) {
            tell(&mut layering, 0);
        }
        assert!(matches!(layering.stage(), Stage::AwaitingOwner { .. }), "{lane:?}");
    }
}

#[test]
fn the_strict_lane_owes_two_readers_beside_its_checks() {
    let header = Header { autonomy: Autonomy::Conservative, risk: Risk::Normal };
    let task = at(Phase::Verify, Lane::Strict, header);
    let probes: Vec<String> = task.owed().iter().map(|effect| effect.id().to_string()).collect();
    let names = ["tripwire", "check-tests", "read-refute-reader", "read-auditor"];
    assert_eq!(probes.len(), 4);
    assert!(probes.iter().zip(names).all(|(probe, name)| probe.contains(name)), "{probes:?}");
    let mut cheated = task;
    tell(&mut cheated, 0);
    tell(&mut cheated, 0);
    tell(&mut cheated, 1);
    tell(&mut cheated, 0);
    assert_eq!((cheated.phase(), cheated.data().unwrap().heals), (Some(Phase::Repair), 1));
}

/// Proves: B-027, B-047
#[test]
fn slices_are_named_by_their_place_in_the_plan_and_never_by_their_words() {
    let named = |sentence: &str| {
        let mut task = parked_with(2, sentence);
        tell(&mut task, 0);
        task
    };
    let ids = |task: &Task| -> Vec<String> {
        task.data().unwrap().plan.iter().map(|(id, _)| id.to_string()).collect()
    };
    assert_eq!(ids(&named("count per tenant")), ["S-0001", "S-0002"]);
    assert_eq!(ids(&named("tenants are counted")), ["S-0001", "S-0002"]);
    // Work that goes on goes on in its slices: failed gates, failed checks and repairs make no new one.
    let mut kept = named("count per tenant");
    let mut failed = BTreeSet::new();
    while !kept.is_over() {
        let effect = kept.owed()[0].id().to_string();
        let gates = ["iteration-gate", "exit-gate", "check-tests"];
        let fails = gates.into_iter().any(|name| effect.contains(name) && failed.insert(name));
        tell(&mut kept, usize::from(fails));
        assert_eq!(ids(&kept), ["S-0001", "S-0002"], "{effect}");
    }
    assert_eq!((kept.phase(), failed.len()), (Some(Phase::Done), 3), "{failed:?}");
    // A new plan has new slices; an old name never comes back.
    let mut task = named("count per tenant");
    tell(&mut task, 1);
    let Stage::Halted { escalation } = task.stage().clone() else { panic!("not halted") };
    let [_, revise, ..] = scripted::resolutions();
    let says = PersonInput::Resolve { escalation: escalation.id, resolution: revise };
    put(&mut task, Input::Person { by: scripted::ada(), says });
    tell(&mut task, 0);
    assert_eq!(ids(&task), ["S-0003"]);
}

/// Proves: P-049
#[test]
fn a_run_stops_when_it_is_done_blocked_or_somebody_has_to_decide() {
    let mut task = parked(Lane::Quick, Header::default());
    assert!(asks(&task));
    tell(&mut task, 0);
    while !task.is_over() {
        assert!(!asks(&task), "{:?}", task.stage());
        tell(&mut task, 0);
    }
    assert_eq!(task.phase(), Some(Phase::Done));
}

#[test]
fn two_tasks_may_stand_on_different_rungs() {
    let conservative = Header { autonomy: Autonomy::Conservative, risk: Risk::Normal };
    let mut careful = at(Phase::Review, Lane::Quick, conservative);
    let mut quick = at(Phase::Review, Lane::Quick, Header::default());
    tell(&mut careful, 0);
    tell(&mut quick, 0);
    assert!(matches!(careful.stage(), Stage::AwaitingOwner { .. }));
    assert_eq!(*quick.stage(), Stage::Shipping);
}

/// Proves: A-040
#[test]
fn citations_change_nothing_about_the_gates() {
    let [cited, plain] = ["fast (verify: bench)", "fast"].map(|criterion| {
        let charter = scripted::charter("T-x", Lane::Quick, Header::default());
        let criteria = vec![criterion.to_string()];
        let mut task = Task::default();
        put(&mut task, scripted::create(Charter { criteria, ..charter }));
        let mut story: Vec<String> = Vec::new();
        while !task.is_over() {
            story.push(task.owed()[0].id().to_string());
            tell(&mut task, 0);
        }
        story
    });
    assert_eq!(cited, plain);
}

/// Until a person approves, nothing but the draft is asked for, and whatever anybody reports of tests, slices, checks and
/// reviews is refused; the approval alone starts the work.
///
/// Proves: A-003
#[test]
fn nothing_starts_before_a_person_approved() {
    let is_draft = |effect: &Effect| {
        let Effect::Task { want, .. } = effect else { return false };
        matches!(want, Want::Lease | Want::Frame | Want::Shape { .. })
    };
    for lane in Lane::ALL {
        let mut task = created(lane, Header::default());
        while !asks(&task) {
            assert!(matches!(task.phase(), None | Some(Phase::Intake | Phase::Shape)), "{lane:?}");
            assert!(task.owed().iter().all(is_draft), "{lane:?}: {:?}", task.owed());
            tell(&mut task, 0);
        }
        let mut later = task.clone();
        tell(&mut later, 0);
        let mut refused = 0;
        while !later.is_over() {
            for effect in later.owed() {
                for report in scripted::answers(&effect) {
                    if matches!(report, Input::Report { .. } | Input::Slice { .. }) {
                        assert!(task.decide(&report).is_err(), "{lane:?}: {report:?}");
                        refused += 1;
                    }
                }
            }
            tell(&mut later, 0);
        }
        assert!(refused > 20, "{refused}");
        assert!(matches!(task.owed()[..], [Effect::Task { want: Want::Ask { .. }, .. }]));
    }
}

#[test]
fn a_task_without_a_check_is_not_created() {
    let charter = scripted::charter("T-x", Lane::Quick, Header::default());
    let checks = [vec![], vec!["a b".to_string()], vec!["x".to_string(); 2]];
    for checks in checks {
        let input = scripted::create(Charter { checks, ..charter.clone() });
        assert!(matches!(Task::default().decide(&input), Err(Rejected::Charter { .. })));
    }
    let lane = Charter { freeze: Freeze::InAdvance, lane: Lane::Factory, ..charter };
    let refused = Task::default().decide(&scripted::create(lane));
    assert!(matches!(refused, Err(Rejected::Charter { .. })));
}

proptest! {
    /// A careless world answers what it was asked, at random, and lies in between. Whatever it
    /// does: no lie is believed, no effect comes back, cheats are never forgotten, and the
    /// journal rebuilds the same task.
    ///
    /// Proves in part: A-108
    #[test]
    fn a_careless_world_cannot_break_a_task(
        lane in prop_oneof![Just(Lane::Quick), Just(Lane::Factory), Just(Lane::Strict)],
        dice in prop::collection::vec(any::<u16>(), 0..120),
    ) {
        let header = Header { autonomy: Autonomy::Conservative, risk: Risk::Normal };
        let create = scripted::create(scripted::charter("T-x", lane, header));
        let mut task = Task::default();
        let mut events = task.decide(&create).unwrap();
        events.iter().for_each(|event| task.evolve(event));
        let mut settled: Vec<EffectId> = Vec::new();
        for die in dice {
            let owed = task.owed();
            let Some(effect) = owed.get(usize::from(die >> 8) % owed.len().max(1)) else { break };
            prop_assert!(!settled.contains(&effect.id()), "{} came back", effect.id());
            prop_assert!(task.owes(&effect.id()));
            for lie in scripted::lies(effect) {
                prop_assert!(task.decide(&lie).is_err(), "{lie:?}");
            }
            let answers = scripted::answers(effect);
            let heals = task.data().unwrap().heals;
            let Ok(decided) = task.decide(&answers[usize::from(die) % answers.len()]) else { continue };
            decided.iter().for_each(|event| task.evolve(event));
            prop_assert!(task.data().unwrap().heals >= heals);
            settled.push(effect.id());
            events.extend(decided);
        }
        prop_assert_eq!(&fold::<Task>(&events), &task);
        let stored = serde_json::to_string(&(&task, &events)).unwrap();
        prop_assert_eq!(serde_json::from_str::<(Task, Vec<Event>)>(&stored).unwrap(), (task, events));
    }
}

fn created(lane: Lane, header: Header) -> Task {
    let mut task = Task::default();
    put(&mut task, scripted::create(scripted::charter("T-x", lane, header)));
    task
}

/// A task that waits for its freeze, with a plan of so many slices.
fn parked_with(slices: usize, sentence: &str) -> Task {
    let mut task = created(Lane::Quick, Header::default());
    while task.phase() != Some(Phase::Shape) {
        tell(&mut task, 0);
    }
    let Input::Report { effect, report: Report::Shaped { pass, .. } } = answer(&task, 0) else {
        unreachable!("a draft is owed")
    };
    let mut bundle = scripted::bundle(slices);
    bundle.plan.iter_mut().for_each(|planned| planned.sentence = sentence.to_string());
    put(&mut task, Input::Report { effect, report: Report::Shaped { bundle, pass } });
    task
}

fn parked(lane: Lane, header: Header) -> Task {
    let mut task = created(lane, header);
    while !asks(&task) {
        tell(&mut task, 0);
    }
    task
}

/// A task that just came to `phase`, honestly.
fn at(phase: Phase, lane: Lane, header: Header) -> Task {
    let mut task = created(lane, header);
    while task.phase() != Some(phase) {
        tell(&mut task, 0);
    }
    task
}

fn answer(task: &Task, nth: usize) -> Input {
    scripted::answers(&task.owed()[0]).swap_remove(nth)
}

fn tell(task: &mut Task, nth: usize) {
    let input = answer(task, nth);
    put(task, input);
}

fn put(task: &mut Task, input: Input) {
    let events = task.decide(&input).unwrap();
    events.iter().for_each(|event| task.evolve(event));
}

fn asks(task: &Task) -> bool {
    task.question().is_some()
}

fn cause(task: &Task) -> Cause {
    let Stage::Halted { escalation } = task.stage() else {
        panic!("not halted: {:?}", task.stage());
    };
    escalation.cause.clone()
}

fn options(task: &Task) -> Vec<ResolutionKind> {
    let Some((_, Question { about: QuestionSubject::Halt { escalation }, .. })) = task.question()
    else {
        panic!("not halted: {:?}", task.stage());
    };
    escalation.options
}
