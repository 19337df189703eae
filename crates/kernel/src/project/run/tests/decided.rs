//! What people decide, what fixes lead to, and steps that nobody could have taken.

use super::disturbed::{at, examine_with, keep_with};
use super::*;
use crate::pipeline::{Fails, Fresh, Pipeline};

/// Nothing of a project that is only asked for is done before its workspace is open: no effect is owed.
///
/// Proves: L-008
#[test]
fn nothing_is_performed_before_the_workspace_is_open() {
    let mut asked = Project::default();
    let mut slow = asked.clone();
    for event in tell(&mut asked, begin(Mode::Auto)).unwrap() {
        let is_open = state(&slow) == State::Expanding;
        assert_eq!(slow.owed().is_empty(), !is_open, "{:?}", state(&slow));
        slow.evolve(&event);
    }
    assert_eq!(state(&slow), State::Expanding);
    assert!(!slow.owed().is_empty());
    let out = crate::pipeline::table::ROWS.iter().filter(|it| it.from == State::TemplateForked);
    let out: Vec<_> = out.map(|it| (it.action, it.to)).collect();
    assert_eq!(out, [(Action::CloneRepo, State::RepoCloned)]);
}

/// Proves: L-073
#[test]
fn a_brake_has_four_answers_and_each_leads_through_recovery() {
    let grown = grown();
    let answers = Decision::of(State::ComplexityBrakeTriggered);
    let names: Vec<&str> = answers.iter().map(|it| it.name()).collect();
    assert_eq!(names, ["simplify", "reduce", "split", "authorise"]);
    for decision in Decision::ALL {
        let resolve = |by: Actor, why: &str| Input::Resolve {
            by,
            decision,
            why: why.to_string(),
            seen: files(),
        };
        let mut project = grown.clone();
        if !answers.contains(&decision) {
            let refused = tell(&mut project, resolve(scripted::ada(), "so"));
            assert!(matches!(refused, Err(Rejected::NotNow { .. })), "{decision:?}");
            continue;
        }
        assert_eq!(tell(&mut project, resolve(Actor::Machine, "so")), Err(Rejected::NotAPerson));
        assert!(tell(&mut project, resolve(scripted::ada(), " ")).is_err());
        let events = tell(&mut project, resolve(scripted::ada(), "so")).unwrap();
        assert_eq!(state(&project), State::ContextRecovering, "{decision:?}");
        let by = "ada".to_string();
        let resolved = ProjectEvent::Run(Event::Resolved { decision, by });
        assert!(events.contains(&resolved), "{events:?}");
        recover(&mut project);
        let expected = match decision {
            Decision::Simplify => State::Designing,
            Decision::Reduce | Decision::Split => State::Expanding,
            Decision::Authorise | Decision::Accept | Decision::Revert => State::Building,
        };
        assert_eq!(state(&project), expected, "{decision:?}");
        assert_eq!(project.run().pipeline.fails, grown.run().pipeline.fails);
    }
}

/// The third approach to one problem is not begun before a person was asked; another problem is another count.
///
/// Proves: L-069
#[test]
fn the_third_approach_to_the_same_problem_is_a_question() {
    let mut project = built();
    fail_with(&mut project, "part 1 has no amount");
    assert_eq!(state(&project), State::Building);
    hand_in(&mut project);
    let mut other = project.clone();
    fail_with(&mut project, "part 1 has no amount");
    assert_eq!(state(&project), State::ComplexityBrakeTriggered);
    assert_eq!(project.run().pipeline.fails.of(Phase::Build), 2, "asking costs no try");
    let said = "approach 3 to the same problem: part 1 has no amount".to_string();
    assert_eq!(project.run().brakes, [said].into());
    let resolve = |decision| Input::Resolve {
        by: scripted::ada(),
        decision,
        why: "the third is another one".to_string(),
        seen: files(),
    };
    tell(&mut project, resolve(Decision::Authorise)).unwrap();
    recover(&mut project);
    // It is worked on before it is looked at, and fails for the last time.
    assert!(matches!(due(&project), Effect::Work { job: Job::Phase(Phase::Build), .. }));
    hand_in(&mut project);
    fail_with(&mut project, "part 1 has no amount");
    assert_eq!(state(&project), State::BlockedOnGate);
    // Two problems, one approach to each of them.
    fail_with(&mut other, "part 2 has no amount");
    assert_eq!(state(&other), State::Building);
    hand_in(&mut other);
    examine(&mut other, Verdict::Pass);
    assert_eq!(state(&other), State::BuildGatePassed);
}

/// What a fix changed decides: documents are compared with the code again, code is also built and reviewed again, and the
/// last verification comes behind both.
///
/// Proves: L-107, L-214
#[test]
fn what_a_fix_changed_is_compared_again_before_the_last_verification() {
    let mut fixing = at(Phase::Verify);
    hand_in(&mut fixing);
    examine(&mut fixing, Verdict::Fail);
    assert_eq!(state(&fixing), State::VerifyFixing);
    hand_in(&mut fixing);
    let changed = |document: Option<Document>| {
        let mut files = files();
        files.extend(document.map(|it| (it, Digest::of(b"mended"))));
        files
    };
    let fixed = |fixed: Fixed, verdict: Verdict, files: &Documents| {
        let mut project = fixing.clone();
        let effect = due(&project).id();
        let (tells, read) = (Tells::Fixed(fixed), files.clone());
        let report = Examination { tells, read, ..report(verdict, &project) };
        tell(&mut project, Input::Examined { effect, report }).unwrap();
        project
    };
    let passes = |project: &mut Project, files: &Documents| {
        let phase = project.run().pipeline.state.phase().unwrap();
        hand_in(project);
        examine_with(project, Verdict::Pass, files);
        keep_with(project, files);
        phase
    };
    for (what, files, behind) in [
        (Fixed::Nothing, changed(None), &[][..]),
        (Fixed::Documents, changed(Some(Document::Design)), &[Phase::Reconcile]),
        (Fixed::Code, changed(Some(Document::Code)), &[Phase::Review, Phase::Reconcile]),
    ] {
        let mut project = fixed(what, Verdict::Pass, &files);
        let mut passed = Vec::new();
        while state(&project) != State::Verifying {
            assert!(!project.run().pipeline.fresh.has(Phase::Reconcile), "{what:?}");
            passed.push(passes(&mut project, &files));
        }
        assert_eq!(passed, behind, "{what:?}");
        // The build gate held on the code as it is now.
        assert_eq!(project.run().gated[&Document::Code], files[&Document::Code], "{what:?}");
        let unbuilt = fixed(what, Verdict::Fail, &files);
        assert_eq!(state(&unbuilt), State::VerifyFixing, "a fix that does not build is none");
        assert_eq!(unbuilt.run().pipeline.fails.of(Phase::Verify), 2);
    }
}

/// Proves: L-110
#[test]
fn nothing_is_deployed_before_it_is_recorded_how_to_undo_it() {
    let mut project = at(Phase::Deploy);
    let mut events = Vec::new();
    for attempt in 1..=2 {
        let effect = due(&project).id();
        let begins = |effect: &EffectId| {
            [
                Input::Begun { effect: effect.clone() },
                Input::Worked { effect: effect.clone() },
                Input::HandIn { by: scripted::ada() },
            ]
        };
        let record =
            |command: &str| Input::Rollback { by: scripted::ada(), command: command.to_string() };
        assert!(tell(&mut project, record(" ")).is_err());
        for early in begins(&effect) {
            let why = "record first how to roll the deployment back";
            assert_eq!(tell(&mut project, early), Err(Rejected::NotNow { why }), "{attempt}");
        }
        events.extend(tell(&mut project, record("undo")).unwrap());
        let [begun, ..] = begins(&effect);
        events.extend(tell(&mut project, begun).unwrap());
        hand_in(&mut project);
        // Another attempt is another deployment.
        examine(&mut project, Verdict::Fail);
        assert_eq!(state(&project), State::Deploying);
    }
    let is_recorded = |it: &ProjectEvent| {
        let is_record = matches!(it, ProjectEvent::Run(Event::RollbackRecorded { .. }));
        let is_begin = matches!(it, ProjectEvent::Run(Event::WorkBegun { .. }));
        (is_record || is_begin).then_some(is_record)
    };
    let order: Vec<bool> = events.iter().filter_map(is_recorded).collect();
    assert_eq!(order, [true, false, true, false]);
}

/// Where a run goes back to follows from the records before it: a step whose record says something else is known, also where
/// the run by itself could be one.
///
/// Proves: L-204
#[test]
fn a_return_that_the_records_do_not_lead_to_is_known() {
    let reconcile: Step = Action::ManualReconcileFromDesigning.into();
    let distill: Step = Action::DistillFromComplete.into();
    let stop = |why: &str| Input::Stop {
        by: scripted::ada(),
        reason: StopReason::Unsafe,
        why: why.to_string(),
    };
    let step =
        |step: Step| Input::Step { by: scripted::ada(), step, why: String::new(), seen: files() };
    let mut cut = at(Phase::Design);
    let effect = due(&cut).id();
    tell(&mut cut, Input::Begun { effect }).unwrap();
    let mut stepped = begun(Mode::Stepped);
    hand_in(&mut stepped);
    examine(&mut stepped, Verdict::Pass);
    let effect = due(&stepped).id();
    let kept = Input::Kept { effect, commit: "c".to_string(), seen: files() };
    type Bend = fn(&mut Pipeline);
    let bends: [(Project, Input, Bend); 5] = [
        (stepped, kept, |it| it.history.pause_next = Some(State::Building)),
        (at(Phase::Design), step(reconcile), |it| {
            it.history.reconcile_return = Some(State::Analyzing);
        }),
        (cut, Input::Return { by: scripted::ada(), seen: files() }, |it| {
            it.history.interrupted = Some(State::Building);
        }),
        (delivered(), step(distill), |it| it.history.distill_return = Some(State::Ideating)),
        (at(Phase::Design), stop("it pays twice"), |it| {
            it.history.blocked_at = Some(Phase::Verify);
        }),
    ];
    let mut could_be = 0;
    for (nth, (project, input, bend)) in bends.into_iter().enumerate() {
        let events = project.decide(&ProjectInput::Run(input)).unwrap();
        let mut honest = project.clone();
        events.iter().for_each(|it| honest.evolve(it));
        assert!(!honest.run().is_bent(), "{nth}");
        let mut bent = project;
        for event in &events {
            let mut event = event.clone();
            if let ProjectEvent::Run(Event::Stepped { to, .. }) = &mut event
                && to.history != crate::pipeline::History::default()
            {
                bend(to);
            }
            bent.evolve(&event);
        }
        assert_ne!(bent, honest, "{nth}");
        assert!(bent.run().is_bent(), "{nth}");
        could_be += u32::from(bent.run().pipeline.broken().is_none());
    }
    assert!(could_be >= 3, "the run itself does not show them: {could_be}");
}

/// Where it waits for a person, a run is given up: for what was delivered, whose files are put back, or for nothing.
///
/// Proves: L-221
#[test]
fn what_is_given_up_leaves_what_was_delivered() {
    for state in [
        State::BlockedOnGate,
        State::ReconcileBlocked,
        State::ComplexityBrakeTriggered,
        State::SteppedModePaused,
    ] {
        for is_delivered in [true, false] {
            let mut fresh = Fresh::NONE;
            fresh.add(Phase::Expand);
            let at = Pipeline { state, fresh, is_delivered, ..Pipeline::default() };
            let given_up = at.step(&Action::AbandonRun.into(), &scripted::ada()).unwrap();
            let (state, fresh) = if is_delivered {
                (State::PipelineComplete, Fresh::ALL)
            } else {
                (State::Ideating, Fresh::NONE)
            };
            let expected = Pipeline { state, fresh, is_delivered, fails: Fails::default(), ..at };
            assert_eq!(given_up, expected);
            assert!(at.step(&Action::AbandonRun.into(), &Actor::Machine).is_err());
        }
    }
    let step = |step: Step, why: &str| {
        let why = why.to_string();
        Input::Step { by: scripted::ada(), step, why, seen: files() }
    };
    let abandon = || step(Action::AbandonRun.into(), "enough");
    let mut first = at(Phase::Design);
    tell(&mut first, abandon()).unwrap();
    assert_eq!((state(&first), first.owed().len()), (State::Ideating, 1), "only the open task");
    let mut second = delivered();
    let kept = second.run().delivered.clone();
    assert!(kept.is_some());
    tell(&mut second, step(Action::StartIteration.into(), "")).unwrap();
    pass_work(&mut second, Tells::Nothing);
    tell(&mut second, step(Step::beginning(Action::ConfirmIteration, Mode::Auto), "")).unwrap();
    let effect = due(&second).id();
    let tells = Tells::Architecture(Architecture::Unchanged);
    let report = Examination { tells, ..report(Verdict::Pass, &second) };
    tell(&mut second, Input::Examined { effect, report }).unwrap();
    tell(&mut second, abandon()).unwrap();
    assert_eq!(state(&second), State::PipelineComplete);
    assert!(matches!(due(&second), Effect::Restore { .. }));
    let early = tell(&mut second, step(Action::StartIteration.into(), ""));
    assert!(matches!(early, Err(Rejected::NotNow { .. })));
    let effect = due(&second).id();
    let (broken, commit) = ("given up".to_string(), "restored".to_string());
    tell(&mut second, Input::Restored { effect, broken, commit }).unwrap();
    assert_eq!(second.owed(), []);
    let run = second.run();
    assert_eq!((&run.kept, &run.broken), (&Some("restored".to_string()), &None));
    assert_eq!(run.delivered, kept);
    tell(&mut second, step(Action::StartIteration.into(), "")).unwrap();
}

/// A build that has outgrown its design.
fn grown() -> Project {
    let mut project = built();
    let effect = due(&project).id();
    let mut report = report(Verdict::Fail, &project);
    report.brakes = ["files".to_string()].into();
    tell(&mut project, Input::Examined { effect, report }).unwrap();
    assert_eq!(state(&project), State::ComplexityBrakeTriggered);
    project
}

fn fail_with(project: &mut Project, first: &str) {
    let effect = due(project).id();
    let first = first.to_string();
    let report = Examination { first, ..report(Verdict::Fail, project) };
    tell(project, Input::Examined { effect, report }).unwrap();
}
