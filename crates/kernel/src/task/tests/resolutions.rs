//! What a person answers to a halt.

use super::*;

/// Proves: F-ESC-009, F-ESC-018
/// Proves in part: F-ESC-004
#[test]
fn a_resolution_is_one_action_with_its_whole_payload() {
    for resolution in scripted::resolutions() {
        assert_eq!(resolution.check(), Ok(()));
        let stored = serde_json::to_value(&resolution).unwrap();
        assert_eq!(stored["action"], resolution.kind().name());
        for field in stored["payload"].as_object().unwrap().keys() {
            let mut without = stored.clone();
            without["payload"].as_object_mut().unwrap().remove(field);
            assert!(serde_json::from_value::<Resolution>(without).is_err(), "{field}");
        }
    }
    assert!(serde_json::from_str::<Resolution>("\"do what you like\"").is_err());
    // A field that is there and says nothing is missing.
    let [Resolution::AmendSpec { amended_acceptance_criteria: criteria, .. }, ..] =
        scripted::resolutions()
    else {
        unreachable!()
    };
    let amend = |amended_acceptance_criteria: Vec<String>, rationale: &str| {
        let amendment_rationale = rationale.to_string();
        Resolution::AmendSpec { amended_acceptance_criteria, amendment_rationale }.check()
    };
    assert_eq!(amend(criteria.clone(), "because"), Ok(()));
    assert!(amend(vec![], "because").is_err() && amend(vec![" ".to_string()], "because").is_err());
    assert!(amend(criteria, " ").is_err());
    let described = |words: &str, places: &[&str]| Resolution::ProvideFix {
        fix_description: words.to_string(),
        fix_patch: Digest::of(b"a patch"),
        fix_places: places.iter().map(|place| place.to_string()).collect(),
    };
    let fix = |places: &[&str]| described("because", places);
    assert_eq!(fix(&["src/limiter.rs"]).check(), Ok(()));
    assert!(described(" ", &["src/limiter.rs"]).check().is_err());
    for places in [&[][..], &["../elsewhere"], &["/etc/passwd"]] {
        assert!(fix(places).check().is_err(), "{places:?}");
    }
    // What is recommended binds nobody.
    let mut task = at(Phase::Verify, Lane::Quick, Header::default());
    tell(&mut task, 0);
    tell(&mut task, 3);
    assert_eq!(options(&task)[0], ResolutionKind::ProvideFix);
    tell(&mut task, 0);
    assert_eq!(task.phase(), Some(Phase::Intake));
}

/// A resolution leads to its result in the decision that takes it, twice the same, before any role could be asked.
///
/// Proves: F-ESC-029
#[test]
fn a_resolution_is_carried_out_without_a_role() {
    let mut halted = at(Phase::Verify, Lane::Quick, Header::default());
    tell(&mut halted, 0);
    tell(&mut halted, 3);
    let mut taken = Vec::new();
    for nth in 0..scripted::resolutions().len() {
        let input = answer(&halted, nth);
        let Ok(events) = halted.decide(&input) else { continue };
        assert_eq!(halted.decide(&input).as_ref(), Ok(&events));
        assert!(matches!(events[0], Event::Resolved { .. }), "{events:?}");
        let mut task = halted.clone();
        put(&mut task, input);
        assert!(!matches!(task.stage(), Stage::Halted { .. }), "{:?}", task.stage());
        // A new plan goes to a person as it is; no role drafts it again.
        assert_eq!(matches!(task.stage(), Stage::AwaitingFreeze { .. }), nth == 1);
        taken.push(task.phase());
    }
    let led = [Some(Phase::Intake), Some(Phase::Shape), Some(Phase::Verify), None];
    assert_eq!(taken, led);
    // The fifth, where it is admitted.
    let mut judged = at(Phase::Review, Lane::Quick, Header::default());
    while !matches!(judged.stage(), Stage::Halted { .. }) {
        let is_judged = judged.owed()[0].id().to_string().contains("challenge");
        tell(&mut judged, usize::from(is_judged));
    }
    tell(&mut judged, 3);
    assert_eq!(*judged.stage(), Stage::Shipping);
}

/// Proves in part: F-WHO-001
#[test]
fn a_decision_names_its_person_and_its_item_and_is_taken_once() {
    let mut task = parked(Lane::Quick, Header::default());
    let (_, Question { item, .. }) = task.question().unwrap();
    let approve = answer(&task, 0);
    let events = task.decide(&approve).unwrap();
    let by = |event: &Event| matches!(event, Event::Frozen { item: frozen, by, .. } if *frozen == item && by == "ada");
    assert!(events.iter().any(by), "{events:?}");
    put(&mut task, approve.clone());
    assert_eq!(task.decide(&approve), Err(Rejected::Stale));
    let mut halted = at(Phase::Verify, Lane::Quick, Header::default());
    tell(&mut halted, 0);
    tell(&mut halted, 3);
    let resolve = answer(&halted, 0);
    put(&mut halted, resolve.clone());
    assert_eq!(halted.decide(&resolve), Err(Rejected::Stale));
}
