//! Files that are not as their gates passed on them, wherever the run is.

use super::*;

/// In every phase, each document that a fresh gate depends on is changed or gone: when a person is back, when a gate is
/// examined, and when one that passed is kept. The difference is recorded, and no gate that rests on it counts any more.
///
/// Proves: L-201, L-222
#[test]
fn a_gate_counts_while_its_documents_are_what_it_passed_on() {
    for phase in Phase::ALL {
        let project = at(phase);
        for (document, seen) in edits(phase) {
            let case = format!("{document:?} in {phase:?}");
            let is_worked_on = Job::Phase(phase).may_change(document);
            let mut back = project.clone();
            let returned =
                tell(&mut back, Input::Return { by: scripted::ada(), seen: seen.clone() });
            if is_worked_on {
                // A repair is the work itself; what is said of it decides.
                assert!(returned.is_err(), "{case}");
                continue;
            }
            let change = Some(document.change());
            assert_eq!(changes(&returned.unwrap()), [Some(Change::Nothing), change], "{case}");
            is_stale_from(&mut back, document, &seen, &case);
            let mut examined = project.clone();
            hand_in_if_due(&mut examined);
            let effect = due(&examined).id();
            let read = upto(phase, &seen);
            let report = Examination { read, ..report(Verdict::Pass, &examined) };
            let told = tell(&mut examined, Input::Examined { effect, report });
            assert_eq!(state(&examined), State::SessionDropped, "{case}");
            let is_verdict =
                |it: &ProjectEvent| matches!(it, ProjectEvent::Run(Event::GateExamined { .. }));
            assert!(!told.unwrap().iter().any(is_verdict), "{case}");
            // Two gates have no state of their own between passing and what follows.
            if matches!(phase, Phase::Reconcile | Phase::Deploy) {
                continue;
            }
            let mut keeping = project.clone();
            hand_in_if_due(&mut keeping);
            examine(&mut keeping, Verdict::Pass);
            let effect = due(&keeping).id();
            let kept = Input::Kept { effect, commit: "c".to_string(), seen: seen.clone() };
            let events = tell(&mut keeping, kept).unwrap();
            assert_eq!(changes(&events), [Some(document.change())], "{case}");
            is_stale_from(&mut keeping, document, &seen, &case);
        }
    }
}

/// Every combination of documents that are as they were, others, or gone, in every phase: the run goes on where the
/// earliest of them is made, and in no phase before it that has something to do.
///
/// Proves: L-136
#[test]
fn a_run_goes_on_where_the_earliest_missing_thing_is_made() {
    let mut tried = 0;
    for phase in Phase::ALL {
        let project = at(phase);
        for combination in 0..3_u32.pow(5) {
            let (mut seen, mut expected) = (Documents::new(), phase);
            for (nth, document) in Document::ALL.into_iter().enumerate() {
                let how = combination / 3_u32.pow(u32::try_from(nth).unwrap()) % 3;
                let is_same = how == 0;
                if is_same {
                    seen.insert(document, files()[&document]);
                } else if how == 1 {
                    seen.insert(document, Digest::of(b"others"));
                }
                // What no gate passed on yet is still to be made.
                let counts = document.gate() < phase && !Job::Phase(phase).may_change(document);
                if !is_same && counts {
                    expected = expected.min(document.gate());
                }
            }
            let mut project = project.clone();
            let back = Input::Return { by: scripted::ada(), seen: seen.clone() };
            if tell(&mut project, back).is_ok() {
                recover_with(&mut project, &seen);
            }
            // A design that is what it was passes again by itself.
            if expected == Phase::Analyze && phase != Phase::Analyze {
                assert_eq!(state(&project), State::Designing);
                examine_with(&mut project, Verdict::Pass, &seen);
                keep_with(&mut project, &seen);
            }
            assert_eq!(state(&project), expected.working(), "{seen:?} in {phase:?}");
            let is_examined = matches!(due(&project), Effect::Examine { .. });
            assert_eq!(is_examined, expected == Phase::Build, "{seen:?} in {phase:?}");
            tried += 1;
        }
    }
    assert_eq!(tried, 8 * 243);
}

/// Where a person decided that the design changes, the one that passed is not taken again.
#[test]
fn a_design_that_has_to_change_is_worked_on() {
    let mut project = at(Phase::Build);
    let (reason, why) = (StopReason::Unsafe, "it pays twice".to_string());
    tell(&mut project, Input::Stop { by: scripted::ada(), reason, why }).unwrap();
    let mut seen = files();
    seen.insert(Document::Readiness, Digest::of(b"others"));
    go_on(&mut project, Change::Design).unwrap();
    recover_with(&mut project, &seen);
    assert_eq!(state(&project), State::Designing);
    assert!(matches!(due(&project), Effect::Work { .. }));
}

/// A project whose run is in a phase, with every gate before it fresh.
pub(super) fn at(phase: Phase) -> Project {
    if phase < Phase::Build {
        let mut project = begun(Mode::Auto);
        (0..phase as usize).for_each(|_| pass(&mut project));
        return project;
    }
    let mut project = built();
    if phase > Phase::Build {
        examine(&mut project, Verdict::Pass);
        keep(&mut project);
        (Phase::Review as usize..phase as usize).for_each(|_| pass(&mut project));
    }
    assert_eq!(state(&project), phase.working());
    project
}

/// Each document that a gate before the phase depends on, changed and gone.
fn edits(phase: Phase) -> Vec<(Document, Documents)> {
    let gated = Document::ALL.into_iter().filter(|it| it.gate() < phase);
    let edited = |document: Document| {
        let (mut changed, mut gone) = (files(), files());
        changed.insert(document, Digest::of(b"by hand"));
        gone.remove(&document);
        [(document, changed), (document, gone)]
    };
    gated.flat_map(edited).collect()
}

fn is_stale_from(project: &mut Project, document: Document, seen: &Documents, case: &str) {
    let first = document.change().stale_from().unwrap();
    recover_with(project, seen);
    assert_eq!(state(project), first.working(), "{case}");
    let fresh: Vec<Phase> = project.run().pipeline.fresh.phases().collect();
    let before: Vec<Phase> = Phase::ALL.into_iter().filter(|it| *it < first).collect();
    assert_eq!(fresh, before, "{case}");
    assert!(project.run().gated.keys().all(|it| it.gate() < first), "{case}");
    assert_eq!(project.run().pipeline.broken(), None, "{case}");
}

/// What the steps among some events say has changed.
fn changes(events: &[ProjectEvent]) -> Vec<Option<Change>> {
    let steps = events.iter().filter_map(|it| {
        let ProjectEvent::Run(Event::Stepped { step, .. }) = it else { return None };
        Some(Some(step.change))
    });
    steps.collect()
}

pub(super) fn hand_in_if_due(project: &mut Project) {
    if matches!(due(project), Effect::Work { .. }) {
        hand_in(project);
    }
}

pub(super) fn upto(phase: Phase, files: &Documents) -> Documents {
    let part = files.iter().filter(|(it, _)| it.gate() <= phase);
    part.map(|(it, digest)| (*it, *digest)).collect()
}

pub(super) fn examine_with(project: &mut Project, verdict: Verdict, files: &Documents) {
    let effect = due(project).id();
    let phase = project.run().pipeline.state.phase().unwrap();
    let report = Examination { read: upto(phase, files), ..report(verdict, project) };
    tell(project, Input::Examined { effect, report }).unwrap();
}

pub(super) fn keep_with(project: &mut Project, files: &Documents) {
    let effect = due(project).id();
    let kept = Input::Kept { effect, commit: "commit".to_string(), seen: files.clone() };
    tell(project, kept).unwrap();
}

pub(super) fn recover_with(project: &mut Project, files: &Documents) {
    let effect = due(project).id();
    tell(project, Input::Recovered { effect, seen: files.clone() }).unwrap();
}
