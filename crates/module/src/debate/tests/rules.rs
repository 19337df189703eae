//! The rules of a debate, played by hand.

use sealwright_kernel::Actor;
use sealwright_kernel::task::slice;

use super::*;
use crate::debate::challenge::ChallengeVerdict;
use crate::debate::escalation::{Cause, Reach, Resolution, ResolutionKind};
use crate::debate::explore::answers::{
    amend, amend_vaguely, applied, approve, fail, garbage, pass, reject,
};
use crate::debate::explore::mild_reviews;
use crate::debate::round::{Proposer, RoundEnd};
use crate::debate::vocabulary::{Judge, Origin, SentBackBy};
use crate::debate::{Next, REVISIONS_MAX, route};

fn failed() -> Value {
    fail(3, "contract:/inputs/0")
}

fn halted(play: &Play) -> &Cause {
    match play.stage() {
        Stage::Halted { cause, .. } => cause,
        other => panic!("{other:?}"),
    }
}

/// Proves: F-DEBATE-014, F-DEBATE-015, F-DEBATE-016
#[test]
fn a_failed_challenge_is_revised_twice_and_then_adjudicated() {
    let of = |verdict| [0, 1, 2, 3].map(|count| route(verdict, count));
    use Next::{Adjudicate, Revise};
    assert_eq!(of(ChallengeVerdict::Fail), [Revise, Revise, Adjudicate, Adjudicate]);
    assert_eq!(of(ChallengeVerdict::Pass), [Adjudicate; 4]);
}

/// Proves: F-DEBATE-013, F-DEBATE-017, F-DEBATE-018
#[test]
fn a_challenger_that_always_fails_it_gets_two_revisions() {
    let mut play = Play::new();
    for count in 0..=REVISIONS_MAX {
        assert_eq!(play.module.data().unwrap().retry_count, count);
        play.propose().examine().challenge(&failed());
    }
    assert_eq!(play.stage(), &Stage::Adjudicating);
    let data = play.module.data().unwrap();
    assert_eq!((data.retry_count, data.rounds.len()), (2, 3));
    let ends: Vec<_> = data.rounds.iter().map(|it| it.end).collect();
    let back = Some(RoundEnd::SentBack(SentBackBy::Challenge));
    assert_eq!(ends, [back, back, None]);
    let versions: Vec<String> =
        data.rounds.iter().map(|it| it.implementation.version().to_string()).collect();
    assert_eq!(versions, ["1.0.0", "1.0.1", "1.0.2"]);
    assert_eq!(data.rounds[2].supersedes.as_ref(), Some(&data.rounds[1].implementation));
}

#[test]
fn an_exhausted_failure_is_amended_or_rejected_and_never_approved() {
    let mut play = Play::new();
    for _ in 0..3 {
        play.propose().examine().challenge(&failed());
    }
    let events = play.report(Report::Adjudicated { answer: approve().to_string() });
    let Event::AnswerRefused { defects, .. } = &events[0] else { panic!("{events:?}") };
    assert_eq!(
        defects[0].to_string(),
        "decision: the last challenge is FAIL; decide APPROVE_WITH_AMENDMENTS or REJECT"
    );
    let mut other = Play { sample: sample(), module: play.module.clone() };
    other.adjudicate(&amend("test:counts_apart"));
    assert_eq!(other.stage(), &Stage::Amending);
    play.adjudicate(&reject());
    assert!(matches!(halted(&play), Cause::Rejected { .. }));
    let escalation = play.module.escalation().unwrap();
    assert_eq!((escalation.trail.len(), escalation.reach), (3, Reach::Module));
    assert_eq!(escalation.failed_invariants[0].invariant, "contract:/inputs/0");
    assert_eq!(escalation.options[0], ResolutionKind::ApproveOverride);
}

/// Proves: F-DEBATE-028
/// Proves in part: F-DEBATE-012
#[test]
fn a_challenger_that_stays_mild_is_asked_three_times() {
    let mut play = Play::new();
    play.propose().examine();
    let (_, mild) =
        mild_reviews().into_iter().find(|(name, _)| *name == "PASS with NOT_MET").unwrap();
    for attempt in 1..=2 {
        let events = play.report(Report::Challenged { answer: mild.to_string() });
        assert!(
            matches!(&events[..], [Event::AnswerRefused { attempt: it, .. }] if *it == attempt)
        );
        assert_eq!(play.module.data().unwrap().round().unwrap().challenge, None);
        let (input, want) = play.asked();
        let Input::Report { effect, .. } = input else { unreachable!() };
        let expected =
            format!("T-limits-001/MM-limiter@1.0.0/round-1/challenge/try-{}", attempt + 1);
        assert_eq!(effect.as_str(), expected);
        let Want::Challenge { defects, .. } = want else { panic!("{want:?}") };
        assert_eq!(defects[0].path, "verdict");
    }
    play.challenge(&mild);
    let data = play.module.data().unwrap();
    let (challenge, origin) = data.rounds[0].challenge.as_ref().unwrap();
    assert_eq!(
        (*origin, challenge.failures[0].invariant.as_str()),
        (Origin::Machine, "mild_review_violation")
    );
    assert_eq!((data.retry_count, play.stage()), (1, &Stage::Proposing));
}

#[test]
fn what_no_challenger_tried_to_disprove_is_rejected_and_a_person_may_still_approve_it() {
    let mut play = Play::new();
    for _ in 0..3 {
        play.propose().examine();
        (0..3).for_each(|_| drop(play.report(Report::Challenged { answer: garbage() })));
    }
    play.adjudicate(&amend("test:counts_apart"));
    assert_eq!(play.stage(), &Stage::Adjudicating);
    play.adjudicate(&reject());
    let escalation = play.module.escalation().unwrap();
    assert_eq!(escalation.mild_reviews, 9);
    let resolution = Resolution::ApproveOverride { rationale: "read in person".to_string() };
    let by = Actor::Human("mara".to_string());
    play.tell(&Input::Resolve { by, escalation: escalation.escalation_id, resolution });
    play.surface(play.sample.charter.fingerprint).tests(&[TestResult::Pass]);
    let round = play.module.data().unwrap().round().unwrap();
    let judge = round.adjudication.as_ref().map(|(_, by)| by.clone());
    assert_eq!(judge, Some(Judge::Person { name: "mara".to_string() }));
    assert_eq!(play.stage(), &Stage::Promoting);
}

#[test]
fn a_vague_arbiter_rejects_and_one_that_gives_no_answer_halts() {
    let mut play = Play::new();
    play.propose().examine().challenge(&pass());
    for _ in 0..3 {
        play.adjudicate(&amend_vaguely());
    }
    let round = &play.module.data().unwrap().rounds[0];
    assert_eq!(round.adjudication.as_ref().unwrap().1, Judge::Machine);
    assert_eq!(round.end, Some(RoundEnd::SentBack(SentBackBy::Arbiter)));
    play.propose().examine().challenge(&pass());
    (0..3).for_each(|_| drop(play.report(Report::Adjudicated { answer: garbage() })));
    assert!(matches!(halted(&play), Cause::AgentOutputInvalid { .. }));
}

/// Proves: F-CONTRACT-022, F-CONTRACT-033
#[test]
fn a_surface_that_is_not_the_locked_one_never_reaches_the_tests() {
    let (mut play, bent) = (Play::new(), Digest::of(b"bent"));
    play.propose().examine().challenge(&failed());
    for count in [1, 2] {
        play.propose().examine().challenge(&pass()).adjudicate(&approve()).surface(bent);
        assert_eq!(play.module.data().unwrap().retry_count, count.max(2));
    }
    let locked = play.sample.charter.fingerprint;
    let Cause::FingerprintMismatch { locked: said, actual, differing } = halted(&play) else {
        panic!("{:?}", play.stage())
    };
    assert_eq!((*said, *actual, &differing[..]), (locked, bent, &["inputs".to_string()][..]));
    let text = format!("Interface fingerprint mismatch: expected {locked}, got {bent}");
    assert_eq!(play.module.escalation().unwrap().failed_invariants[0].evidence, text);
    let data = play.module.data().unwrap();
    assert!(data.rounds.iter().all(|it| it.log.is_none() && it.surface.is_none()));
    let by = Actor::Human("mara".to_string());
    let escalation = play.module.escalation().unwrap().escalation_id;
    let resolution = Resolution::ApproveOverride { rationale: "never mind".to_string() };
    let overridden = play.module.decide(&Input::Resolve { by, escalation, resolution });
    let kind = ResolutionKind::ApproveOverride;
    assert_eq!(overridden, Err(Rejected::NotPossible { kind }));
}

/// Proves: F-CONTRACT-040
#[test]
fn failing_tests_cost_a_revision_and_the_third_time_halt() {
    let mut play = Play::new();
    let bad: [&[TestResult]; 3] = [&[TestResult::Fail], &[], &[TestResult::Pass, TestResult::Fail]];
    for results in bad {
        play.propose().examine().challenge(&pass()).adjudicate(&approve());
        play.surface(play.sample.charter.fingerprint).tests(results);
        assert!(!matches!(play.stage(), Stage::Promoting));
    }
    assert_eq!(halted(&play), &Cause::TestsFailed { log: play.sample.log(bad[2]) });
}

#[test]
fn amendments_are_applied_seen_twice_and_not_debated_again() {
    let mut play = Play::new();
    play.propose().examine().challenge(&pass()).adjudicate(&amend("examples:Admit a request"));
    let mut refused = Play { sample: sample(), module: play.module.clone() };
    let tree = Digest::of(b"amended");
    refused.report(Report::Amended { tree, answer: applied(false).to_string() });
    let Cause::AmendmentNotApplied { amendment, note } = halted(&refused) else { panic!() };
    assert_eq!(amendment.target, "examples:Admit a request");
    assert!(note.contains("generated from the contract"));

    play.report(Report::Amended { tree, answer: applied(true).to_string() });
    let locked = play.sample.charter.fingerprint;
    let seen = |after: &[u8]| {
        let (before, after) = (Some(Digest::of(b"old")), Some(Digest::of(after)));
        vec![crate::debate::adjudication::Observed { amendment_index: 0, before, after }]
    };
    let observed = seen(b"new");
    play.report(Report::AmendmentsSeen { tree, observed, fingerprint: locked });
    assert_eq!(play.stage(), &Stage::ReadingSurface);
    let read =
        |observed| Report::SurfaceRead { tree, fingerprint: locked, differing: vec![], observed };
    let mut tampered = Play { sample: sample(), module: play.module.clone() };
    tampered.report(read(seen(b"old")));
    assert!(matches!(halted(&tampered), Cause::AmendmentsMissing { .. }));
    play.report(read(seen(b"new")));
    play.tests(&[TestResult::Pass]);
    play.report(Report::Promoted { tree, version: Digest::of(b"v") });
    assert_eq!(play.stage(), &Stage::Shipped { tree, version: Digest::of(b"v") });
    assert!(!play.module.is_over());
    play.report(Report::Told);
    assert!(play.module.is_over() && play.module.owed().is_empty());
}

#[test]
fn a_report_names_its_effect_its_round_its_attempt_and_its_tree() {
    let mut play = Play::new();
    play.propose();
    let tree = play.tree();
    let told = |tree| Report::Dossier { dossier: play.sample.dossier(tree), files: vec![] };
    let Input::Report { effect, report, .. } = play.input(told(tree)) else { unreachable!() };
    let with = |round, attempt| {
        let (effect, report) = (effect.clone(), report.clone());
        play.module.decide(&Input::Report { effect, round, attempt, report })
    };
    assert!(with(1, 1).is_ok());
    assert!(matches!(with(2, 1), Err(Rejected::OtherRound { round: 2, expected: 1, .. })));
    assert!(matches!(with(1, 2), Err(Rejected::OtherAttempt { attempt: 2, expected: 1, .. })));
    let found = Digest::of(b"another");
    assert_eq!(play.refuses(told(found)), Rejected::OtherTree { expected: tree, found });
    assert!(matches!(play.refuses(Report::Told), Rejected::NoAnswer { .. }));
    let late = play.input(told(tree));
    play.tell(&late);
    assert!(matches!(play.module.decide(&late), Err(Rejected::NotOwed { .. })));
}

#[test]
fn probes_are_bounded_and_named() {
    let mut play = Play::new();
    play.propose().examine();
    let ask = |play: &Play, arguments: &str| {
        let Input::Report { effect, round, attempt, .. } = play.asked().0 else { unreachable!() };
        Input::Probe { effect, round, attempt, arguments: arguments.to_string() }
    };
    for bad in [r#"{"key":1}"#, "[1]", "", "null"] {
        let refused = play.module.decide(&ask(&play, bad));
        assert!(matches!(refused, Err(Rejected::BadProbe { .. })), "{bad}");
    }
    let long = |bytes: usize| format!(r#"{{"tenant":"{}"}}"#, "x".repeat(bytes - 13));
    let max = crate::debate::probe::ARGUMENTS_BYTES_MAX;
    assert!(play.module.decide(&ask(&play, &long(max))).is_ok());
    assert!(play.module.decide(&ask(&play, &long(max + 1))).is_err());
    for _ in 0..crate::debate::probe::PROBES_MAX {
        let probe = ask(&play, r#"{"tenant":""}"#);
        play.tell(&probe);
    }
    let most = crate::debate::probe::PROBES_MAX;
    let refused = play.module.decide(&ask(&play, "{}"));
    assert_eq!(refused, Err(Rejected::TooMany { what: "probes", most }));
    assert_eq!(play.module.owed().len(), 1 + most);
    // The answers come in any order, and only what is answered can be cited.
    let owed = play.module.owed();
    let Effect::Module { round, attempt, .. } = owed[3].clone() else { unreachable!() };
    let result = crate::debate::probe::ProbeResult::Raised { surface: "Overflow".to_string() };
    let report = Report::Probed { result };
    let input = Input::Report { effect: owed[3].id(), round, attempt, report };
    play.tell(&input);
    assert!(play.module.decide(&input).is_err());
    let events = play.report(Report::Challenged { answer: pass().to_string() });
    let Event::AnswerRefused { defects, .. } = &events[0] else { panic!("{events:?}") };
    assert!(defects[0].to_string().contains("probe probe-3 raises the undeclared `Overflow`"));
}

#[test]
fn a_persons_tree_is_examined_and_challenged_without_revisions() {
    let mut play = Play::new();
    play.propose().examine().challenge(&fail(3, "PLAN: two modules are needed"));
    assert!(matches!(halted(&play), Cause::PlanFault { .. }));
    let first = play.module.escalation().unwrap();
    assert_eq!(first.reach, Reach::Task);
    assert!(!first.options.contains(&ResolutionKind::ApproveOverride));
    let tree = Digest::of(b"by hand");
    let resolution = Resolution::ProvideFix { fix_description: "cut it in two".to_string(), tree };
    let by = Actor::Human("mara".to_string());
    let escalation = first.escalation_id.clone();
    play.tell(&Input::Resolve { by, escalation, resolution });
    let round = play.module.data().unwrap().round().unwrap();
    assert_eq!(round.proposer, Proposer::Person { name: "mara".to_string() });
    assert!(round.proposal.is_some());
    play.examine().challenge(&failed());
    assert_eq!(play.stage(), &Stage::Adjudicating);
    play.adjudicate(&reject());
    let second = play.module.escalation().unwrap();
    assert_ne!(second.escalation_id, first.escalation_id);
    assert_eq!(second.trail.len(), 2);
}

#[test]
fn a_stuck_slice_and_an_exception_halt_the_module() {
    let mut play = Play { sample: sample(), module: Module::default() };
    play.tell(&Input::Create { charter: play.sample.charter.clone() });
    let effect = play.module.owed()[0].id();
    let why = "the tool chain is missing".to_string();
    play.tell(&Input::Slice { input: slice::Input::Impossible { effect, why } });
    assert!(matches!(halted(&play), Cause::SliceStuck { .. }));

    let mut play = Play::new();
    play.propose().examine();
    let effect = play.module.owed()[0].id();
    let exception = sealwright_kernel::Ref::new("ICE-0c0c0c0c@1.0.0").unwrap();
    play.tell(&Input::Exception { effect, exception: exception.clone() });
    assert_eq!(halted(&play), &Cause::InterfaceChange { exception });
    let round = play.module.data().unwrap().round().unwrap();
    assert_eq!((round.end, round.challenge.is_none()), (Some(RoundEnd::InterruptedByIce), true));
}

/// Proves: F-DEBATE-008
#[test]
fn a_proposal_has_its_schema() {
    use crate::debate::proposal::{CHECKS_MAX, Proposal, ProposalAnswer};
    let read = |value: &Value| {
        let read = ProposalAnswer::read(&value.to_string());
        read.map_err(|defects| defects[0].to_string())
    };
    assert!(read(&proposal()).is_ok());
    let bent = |field: &str, value: Value| {
        let mut answer = proposal();
        answer[field] = value;
        read(&answer).unwrap_err()
    };
    let empty = "acceptance_checks: it is empty; name at least one objective check";
    assert_eq!(bent("acceptance_checks", Value::Array(vec![])), empty);
    assert_eq!(bent("claim", "".into()), "claim: it is blank; say it in words");
    assert!(bent("proposal_id", "PROP-00000000".into()).starts_with("$: unknown field"));
    let checks = |count: usize| {
        (0..count).map(|nth| format!("check number {nth} passes")).collect::<Vec<_>>()
    };
    let mut full = proposal();
    full["acceptance_checks"] = checks(CHECKS_MAX).into();
    assert!(read(&full).is_ok());
    assert!(bent("acceptance_checks", checks(CHECKS_MAX + 1).into()).contains("use at most 64"));
    let mut play = Play::new();
    play.propose();
    let stored = play.module.data().unwrap().rounds[0].proposal.clone().unwrap();
    let written = serde_json::to_value(&stored).unwrap();
    for field in
        ["proposal_id", "target_artifact_id", "claim", "deliverable_ref", "acceptance_checks"]
    {
        let mut without = written.clone();
        assert!(without.as_object_mut().unwrap().remove(field).is_some(), "{field}");
        assert!(serde_json::from_value::<Proposal>(without).is_err(), "{field}");
    }
    assert!(stored.proposal_id.starts_with("PROP-") && stored.proposal_id.len() == 13);
}

#[test]
fn a_charter_is_checked_and_bounded() {
    use crate::debate::charter::{Charter, LIST_MAX};
    let of = |change: fn(&mut Charter)| {
        let mut charter = sample().charter;
        change(&mut charter);
        Module::default().decide(&Input::Create { charter }).is_ok()
    };
    assert!(of(|_| {}));
    assert!(of(|it| it.criteria = vec!["c".to_string(); LIST_MAX]));
    let refused: [fn(&mut Charter); 9] = [
        |it| it.criteria = vec!["c".to_string(); LIST_MAX + 1],
        |it| it.criteria.clear(),
        |it| it.slices.clear(),
        |it| it.fingerprint = Digest::ZERO,
        |it| it.contract = it.module.clone(),
        |it| it.dependencies[0].reference = it.module.clone(),
        |it| it.inputs.push("a\nb".to_string()),
        |it| it.clauses[0].pointer = "/purpose".to_string(),
        |it| it.clauses[0].pointer = "/inputs2".to_string(),
    ];
    for (nth, change) in refused.into_iter().enumerate() {
        assert!(!of(change), "{nth}");
    }
    assert!(
        sample().charter.has_pointer("/inputs/0") && !sample().charter.has_pointer("/inputs/00")
    );
    assert_eq!(sample().charter.stream().unwrap().as_str(), "MM-limiter-1.0.0");
}

#[test]
fn a_journal_rebuilds_the_module() {
    let mut play = Play { sample: sample(), module: Module::default() };
    let mut events = play.tell(&Input::Create { charter: play.sample.charter.clone() });
    while let Some(Effect::Slice { effect }) = play.module.owed().into_iter().next() {
        let input = scripted::slice_answers(&effect).remove(0);
        events.extend(play.tell(&Input::Slice { input }));
    }
    let (_, want) = play.asked();
    let Want::Propose { tree, .. } = want else { panic!("{want:?}") };
    events.extend(play.report(Report::Proposed { tree, answer: proposal().to_string() }));
    let stored = serde_json::to_string(&events).unwrap();
    let read: Vec<Event> = serde_json::from_str(&stored).unwrap();
    assert_eq!(sealwright_kernel::fold::<Module>(&read), play.module);
    let snapshot = serde_json::to_string(&play.module).unwrap();
    assert_eq!(serde_json::from_str::<Module>(&snapshot).unwrap(), play.module);
}
