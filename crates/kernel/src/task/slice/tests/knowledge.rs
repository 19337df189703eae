//! What a slice knows: what scouts bring, what becomes a fact, and what every gate run leaves.

use super::*;
use crate::Verdict;

/// Proves: B-040, B-051, B-053
#[test]
fn what_was_seen_becomes_a_fact_of_its_kind_and_what_is_uncertain_does_not() {
    let mut slice = begun(2);
    let finding = |unknown: u32, source: &str, note: &str| NewFinding {
        unknown,
        source: source.to_string(),
        snippet: "fn take()".to_string(),
        note: note.to_string(),
        certainty: if unknown == 0 { Certainty::Seen } else { Certainty::Uncertain },
    };
    let scouted = |slice: &Slice, findings: Vec<NewFinding>| {
        slice.decide(&Input::Scouted { effect: slice.owed()[0].id(), findings })
    };
    for (source, note) in [("", "it is there"), ("src/limiter.rs:1", " ")] {
        let refused = scouted(&slice, vec![finding(0, source, note)]);
        assert_eq!(refused, Err(Rejected::EmptyFinding));
    }
    let found = vec![
        finding(0, "src/limiter.rs:12", "tokens are taken there"),
        finding(1, "src/clock.rs:1", "the clock may be shared"),
    ];
    let events = scouted(&slice, found).unwrap();
    events.iter().for_each(|event| slice.evolve(event));
    // Nothing is planned from what was not weighed.
    let effect = slice.owed()[0].id();
    let plan = Plan {
        change: "take tokens per tenant".to_string(),
        cites: vec![1],
        places: vec!["src".to_string()],
        gate: "fast".to_string(),
    };
    let early = Input::Planned { effect: effect.clone(), answer: PlanAnswer::Grounded(plan) };
    assert_eq!(slice.decide(&early), Err(Rejected::NoAnswer { effect: effect.clone() }));
    let weighed = |facts: &[(FactKind, u32)]| {
        let fact = |(kind, from): &(FactKind, u32)| NewFact {
            kind: *kind,
            text: "tokens are taken in src/limiter.rs".to_string(),
            from: vec![*from],
        };
        let gaps = vec!["whether the clock is shared".to_string()];
        let facts = facts.iter().map(fact).collect();
        Input::Consolidated { effect: effect.clone(), facts, gaps }
    };
    let kinds = [
        FactKind::Convention,
        FactKind::KeyPlace,
        FactKind::EntryPoint,
        FactKind::Command,
        FactKind::Constraint,
    ];
    for kind in kinds {
        assert!(slice.decide(&weighed(&[(kind, 1)])).is_ok(), "{kind:?}");
        let unsure = slice.decide(&weighed(&[(kind, 2)]));
        assert!(matches!(unsure, Err(Rejected::Unfounded { .. })), "{kind:?}");
    }
    // What is to be achieved was agreed; a scout adds nothing to it.
    assert!(slice.decide(&weighed(&[(FactKind::Criterion, 1)])).is_err());
    let before = slice.snapshot().unwrap().header.clone();
    let events = slice.decide(&weighed(&kinds.map(|kind| (kind, 1)))).unwrap();
    events.iter().for_each(|event| slice.evolve(event));
    let Snapshot { header, evidence, consolidated, open, .. } = slice.snapshot().unwrap();
    assert_eq!((header.parent, &header.slice), (Some(before.iteration), &before.slice));
    let sources: Vec<(&str, &str)> =
        evidence.iter().map(|it| (it.source.as_str(), it.snippet.as_str())).collect();
    assert_eq!(sources, [("src/limiter.rs:12", "fn take()"), ("src/clock.rs:1", "fn take()")]);
    let known: Vec<FactKind> = consolidated.iter().map(|fact| fact.kind).collect();
    assert_eq!(known, [&[FactKind::Criterion, FactKind::Constraint][..], &kinds].concat());
    for fact in consolidated {
        let is_seen = |id: &u32| evidence[*id as usize - 1].certainty == Certainty::Seen;
        match &fact.from {
            Origin::Intake => assert!(fact.id <= 2, "{fact:?}"),
            Origin::Evidence(ids) => {
                assert!(!ids.is_empty() && ids.iter().all(is_seen), "{fact:?}");
            }
        }
    }
    let issues: Vec<(&str, NextAction)> =
        open.iter().map(|issue| (issue.text.as_str(), issue.next)).collect();
    assert_eq!(issues, [("whether the clock is shared", NextAction::Rescout)]);
}

/// Proves: B-061
#[test]
fn every_gate_run_leaves_a_snapshot_with_outcome_counters_and_issues() {
    for gate in [GateKind::Iteration, GateKind::Exit] {
        let mut judged = begun(0);
        until_gate(&mut judged);
        if gate == GateKind::Exit {
            tell(&mut judged, 0);
        }
        let before = judged.snapshot().unwrap().clone();
        let answers = scripted::slice_answers(&judged.owed()[0]);
        let mut verdicts = Vec::new();
        for input in answers {
            let Input::GateRan { run, .. } = &input else { continue };
            let events = judged.decide(&input).unwrap();
            let mut slice = judged.clone();
            events.iter().for_each(|event| slice.evolve(event));
            let Snapshot { header, evidence, open, .. } = slice.snapshot().unwrap();
            let next = Iteration::new(before.header.iteration.number() + 1);
            assert_eq!((header.iteration, header.parent), (next, Some(before.header.iteration)));
            assert!(matches!(evidence.last().unwrap().by, Finder::Gate(_)));
            assert_eq!(evidence.len(), before.evidence.len() + 1);
            let counted = (header.iteration_fails, header.exit_fails);
            let is_clean = run.failures.is_empty() && run.unmet.is_empty() && run.cheats.is_empty();
            let outcome = match run.verdict {
                Verdict::CannotTell => None,
                Verdict::Pass if is_clean => Some(GateOutcome::Pass),
                Verdict::Pass | Verdict::Fail => Some(GateOutcome::Fail),
            };
            match outcome {
                Some(outcome) => {
                    assert_eq!(header.last_run, Some((gate, outcome)));
                    let expected = before.header.after_run(header.slice_id, gate, outcome);
                    assert_eq!(counted, expected);
                }
                // No verdict is neither a pass nor a failure, and the reason is an issue.
                None => {
                    assert_eq!(header.last_run, before.header.last_run);
                    assert_eq!(counted, (before.header.iteration_fails, before.header.exit_fails));
                    assert_eq!(open[0].text, "no cargo here");
                }
            }
            assert_eq!(open.is_empty(), outcome == Some(GateOutcome::Pass), "{run:?}");
            verdicts.push(run.verdict);
        }
        for verdict in [Verdict::Pass, Verdict::Fail, Verdict::CannotTell] {
            assert!(verdicts.contains(&verdict), "{verdict:?}");
        }
    }
}
