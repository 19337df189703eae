mod decided;
mod disturbed;

use std::format;
use std::string::ToString as _;
use std::vec::Vec;

use super::super::{
    Effect as Owed, Event as ProjectEvent, Input as ProjectInput, Project, Rejected,
};
use super::*;
use crate::pipeline::Mode;
use crate::scripted::project::{approved, planned};
use crate::task::Status;
use crate::{Actor, Effect as _, EffectId, Machine as _, Verdict, scripted};

/// Proves: L-002, L-006, L-015, L-017
/// Proves in part: L-013
#[test]
fn a_request_takes_every_step_of_the_setup_and_each_is_recorded() {
    assert_eq!(state(&Project::default()), State::Ideating);
    let mut project = planned_project();
    assert_eq!(state(&project), State::Ideating);
    let mut slow = project.clone();
    let events = tell(&mut project, begin(Mode::Auto)).unwrap();
    // Nothing is done before the last of these steps.
    for event in &events {
        slow.evolve(event);
        let is_begun = state(&slow) == State::Expanding;
        assert_eq!(slow.owed().iter().any(|it| matches!(it, Owed::Run(_))), is_begun, "{event:?}");
    }
    let leads = |from: State| -> Vec<_> {
        let rows = crate::pipeline::table::ROWS.iter().filter(|it| it.from == from);
        rows.map(|it| (it.action, it.by, it.to)).collect()
    };
    let commit = (Action::CommitToBuild, crate::pipeline::Party::Human, State::TemplateForked);
    assert!(leads(State::Ideating).contains(&commit));
    let clone = (Action::CloneRepo, crate::pipeline::Party::Human, State::RepoCloned);
    assert_eq!(leads(State::TemplateForked), [clone]);
    assert_eq!(Mode::default(), Mode::Auto);
    assert_eq!(Action::RequestBuild.modes(), [Some(Mode::Auto), Some(Mode::Stepped)]);
    let mut states = Vec::new();
    for event in &events {
        if let ProjectEvent::Run(Event::Stepped { to, .. }) = event {
            states.push(to.state);
        }
    }
    let setup = [
        State::TemplateForked,
        State::RepoCloned,
        State::WorkspaceOpened,
        State::PreferencesConfigured,
        State::Expanding,
    ];
    assert_eq!(states, setup);
    assert!(matches!(tell(&mut project, begin(Mode::Auto)), Err(Rejected::Step(_))));
    let mut other = planned_project();
    let asks = |by: Actor, request: &str| {
        let (request, mode) = (request.to_string(), Mode::Auto);
        Input::Begin { by, request, mode, settings: None }
    };
    assert_eq!(tell(&mut other, asks(Actor::Machine, "x")), Err(Rejected::NotAPerson));
    assert!(tell(&mut other, asks(scripted::ada(), " ")).is_err());
    assert!(tell(&mut other, asks(scripted::ada(), "parking\nand more")).is_err());
    // No other word of anybody begins one.
    let request = Input::Step {
        by: scripted::ada(),
        step: Step::beginning(Action::RequestBuild, Mode::Auto),
        why: "x".to_string(),
        seen: files(),
    };
    assert_eq!(tell(&mut other, request), Err(Rejected::NotNow { why: "say what to build" }));
    let into: Vec<_> = crate::pipeline::table::ROWS
        .iter()
        .filter(|it| it.from == State::PreferencesConfigured && it.to == State::Expanding)
        .map(|it| (it.action, it.by))
        .collect();
    assert_eq!(into, [(Action::RequestBuild, crate::pipeline::Party::Human)]);
}

/// Proves: L-038
#[test]
fn a_passed_gate_is_kept_before_the_next_phase_begins() {
    let mut project = begun(Mode::Auto);
    hand_in(&mut project);
    examine(&mut project, Verdict::Pass);
    assert_eq!(state(&project), State::ExpandGatePassed);
    assert!(matches!(due(&project), Effect::Keep { .. }));
    keep(&mut project);
    assert_eq!(state(&project), State::Designing);
    assert_eq!(project.run().kept.as_deref(), Some("commit"));
}

#[test]
fn a_stepped_run_pauses_at_each_gate_until_a_person_goes_on() {
    let mut project = begun(Mode::Stepped);
    pass(&mut project);
    assert_eq!(state(&project), State::SteppedModePaused);
    let by_engine = Input::Step {
        by: Actor::Machine,
        step: Action::ResumeToDesign.into(),
        why: String::new(),
        seen: files(),
    };
    assert_eq!(tell(&mut project, by_engine), Err(Rejected::NotAPerson));
    go_on(&mut project, Change::Nothing).unwrap();
    assert_eq!(state(&project), State::Designing);
}

/// Proves: L-231
#[test]
fn nothing_is_built_before_a_person_approved_exactly_these_documents() {
    for mode in [Mode::Auto, Mode::Stepped] {
        let mut project = before_build(mode);
        assert!(project.run().waits_for_freeze());
        let others = {
            let mut others = project.run().frozen_part();
            others.insert(Document::Design, Digest::of(b"another design"));
            others
        };
        for (documents, spec) in [
            (others, Digest::of(b"a spec")),
            (project.run().frozen_part(), Digest::of(b"another spec")),
        ] {
            let freeze = Input::Freeze { by: scripted::ada(), documents, spec };
            assert!(matches!(tell(&mut project, freeze), Err(Rejected::NotNow { .. })));
        }
        if mode == Mode::Stepped {
            assert!(matches!(
                go_on(&mut project, Change::Nothing),
                Err(Rejected::NotNow { why: "what will be built is not approved yet" })
            ));
        }
        assert!(!turns(&project));
        freeze(&mut project);
        if mode == Mode::Stepped {
            go_on(&mut project, Change::Nothing).unwrap();
        }
        assert_eq!(state(&project), State::Building);
        assert!(turns(&project));
    }
}

#[test]
fn tasks_that_are_planned_before_the_build_wait_for_it() {
    let mut project = begun(Mode::Auto);
    open_all(&mut project);
    assert!(!turns(&project));
}

/// Proves in part: L-118, L-121
#[test]
fn the_third_failure_blocks_and_the_last_gate_is_restored_before_a_person_unblocks() {
    let mut project = begun(Mode::Auto);
    for nth in 1..=3 {
        assert!(matches!(due(&project), Effect::Work { .. }));
        hand_in(&mut project);
        examine(&mut project, Verdict::Fail);
        let state = if nth == 3 { State::BlockedOnGate } else { State::Expanding };
        assert_eq!(self::state(&project), state);
    }
    assert!(go_on(&mut project, Change::Nothing).is_err());
    let Effect::Restore { .. } = due(&project) else { panic!("nothing is restored") };
    let effect = due(&project).id();
    let (broken, commit) = ("broken".to_string(), "restored".to_string());
    tell(&mut project, Input::Restored { effect, broken, commit }).unwrap();
    go_on(&mut project, Change::Nothing).unwrap();
    assert_eq!(state(&project), State::ContextRecovering);
    recover(&mut project);
    assert_eq!(state(&project), State::Expanding);
    assert_eq!(project.run().pipeline.fails.of(Phase::Expand), 0);
}

#[test]
fn what_cannot_be_told_is_neither_a_pass_nor_a_failure() {
    let mut project = begun(Mode::Auto);
    hand_in(&mut project);
    examine(&mut project, Verdict::CannotTell);
    assert_eq!(state(&project), State::Expanding);
    assert_eq!(project.run().pipeline.fails.of(Phase::Expand), 0);
    assert!(matches!(due(&project), Effect::Work { .. }));
}

#[test]
fn a_file_that_was_changed_makes_the_gates_stale_that_depend_on_it() {
    let edited = |document: Document| {
        let mut files = files();
        files.insert(document, Digest::of(b"by hand"));
        files
    };
    for (document, phase) in [
        (Document::Preferences, State::Expanding),
        (Document::Scope, State::Expanding),
        (Document::Design, State::Designing),
        (Document::Readiness, State::Designing),
    ] {
        // While a gate is kept, at the freeze, during the build, and in a pause.
        let mut at_freeze = before_build(Mode::Auto);
        let back = Input::Return { by: scripted::ada(), seen: edited(document) };
        tell(&mut at_freeze, back.clone()).unwrap();
        recover(&mut at_freeze);
        assert_eq!(state(&at_freeze), phase);
        let mut building = before_build(Mode::Auto);
        freeze(&mut building);
        tell(&mut building, back.clone()).unwrap();
        recover(&mut building);
        assert_eq!(state(&building), phase);
        assert_eq!(building.run().frozen, None);
        let mut paused = before_build(Mode::Stepped);
        freeze(&mut paused);
        let (step, why) = (Action::ResumeToBuild.into(), String::new());
        let step = Input::Step { by: scripted::ada(), step, why, seen: edited(document) };
        tell(&mut paused, step).unwrap();
        recover(&mut paused);
        assert_eq!(state(&paused), phase);
    }
    let mut keeping = begun(Mode::Auto);
    hand_in(&mut keeping);
    examine(&mut keeping, Verdict::Pass);
    let effect = due(&keeping).id();
    let kept = Input::Kept { effect, commit: "c".to_string(), seen: edited(Document::Scope) };
    tell(&mut keeping, kept).unwrap();
    assert_eq!(state(&keeping), State::ContextRecovering);
    let same = Input::Return { by: scripted::ada(), seen: files() };
    let mut quiet = before_build(Mode::Auto);
    assert!(matches!(tell(&mut quiet, same), Err(Rejected::NotNow { .. })));
}

#[test]
fn three_calls_that_are_cut_off_in_a_row_ask_a_person() {
    let mut project = begun(Mode::Auto);
    for nth in 1..=3 {
        let effect = due(&project).id();
        tell(&mut project, Input::Begun { effect: effect.clone() }).unwrap();
        match nth {
            // The process was lost, which shows when a person is back.
            2 => {
                let back = Input::Return { by: scripted::ada(), seen: files() };
                tell(&mut project, back).unwrap();
                assert_eq!(state(&project), State::ContextRecovering);
                recover(&mut project);
            }
            _ => {
                tell(&mut project, Input::Aborted { effect, why: "no answer".to_string() })
                    .unwrap();
            }
        }
    }
    assert_eq!(state(&project), State::BlockedOnGate);
    assert_eq!(project.run().why, "three calls in a row were cut off: no answer");
    assert_eq!(project.run().pipeline.fails.of(Phase::Expand), 0);
    let mut working = begun(Mode::Auto);
    for _ in 0..2 {
        let effect = due(&working).id();
        tell(&mut working, Input::Aborted { effect, why: String::new() }).unwrap();
    }
    hand_in(&mut working);
    examine(&mut working, Verdict::Fail);
    let effect = due(&working).id();
    tell(&mut working, Input::Aborted { effect, why: String::new() }).unwrap();
    assert_eq!(state(&working), State::Expanding);
}

/// Proves in part: L-072
#[test]
fn what_outgrows_its_design_is_a_question_and_no_failure() {
    let grown = |verdict: Verdict| {
        let mut project = built();
        let effect = due(&project).id();
        let mut report = report(verdict, &project);
        report.brakes = ["files".to_string()].into();
        tell(&mut project, Input::Examined { effect, report: report.clone() }).unwrap();
        assert_eq!(state(&project), State::ComplexityBrakeTriggered, "{verdict:?}");
        assert_eq!(project.run().pipeline.fails.of(Phase::Build), 0, "{verdict:?}");
        (project, report)
    };
    for verdict in [Verdict::Fail, Verdict::CannotTell] {
        grown(verdict);
    }
    let (mut project, report) = grown(Verdict::Pass);
    let step = |why: &str| Input::Step {
        by: scripted::ada(),
        step: Action::ResolveComplexityBrake.into(),
        why: why.to_string(),
        seen: files(),
    };
    assert!(matches!(tell(&mut project, step(" ")), Err(Rejected::NotNow { why: "say why" })));
    tell(&mut project, step("it is a generated table")).unwrap();
    recover(&mut project);
    assert_eq!(state(&project), State::Building);
    // What a person authorised is not asked again.
    let effect = due(&project).id();
    tell(&mut project, Input::Examined { effect, report }).unwrap();
    assert_eq!(state(&project), State::BuildGatePassed);
}

/// Proves in part: L-126
#[test]
fn a_halted_task_stops_the_run_until_a_person_goes_on() {
    let mut project = before_build(Mode::Auto);
    freeze(&mut project);
    open_all(&mut project);
    begin_all(&mut project);
    hear(&mut project, 1, Status::Halted);
    assert_eq!(state(&project), State::BlockedOnGate);
    assert_eq!(project.run().why, "T-a is halted");
    assert!(!project.run().is_stopped(), "it can be worked on again");
    hear(&mut project, 2, Status::Shipped);
    go_on(&mut project, Change::Nothing).unwrap();
    recover(&mut project);
    assert_eq!(state(&project), State::Building);
    assert!(matches!(due(&project), Effect::Examine { job: Job::Phase(Phase::Build), .. }));
}

#[test]
fn a_failed_build_is_examined_again_when_somebody_worked_on_it() {
    let mut project = built();
    examine(&mut project, Verdict::Fail);
    assert_eq!(state(&project), State::Building);
    assert!(matches!(due(&project), Effect::Work { job: Job::Phase(Phase::Build), .. }));
    hand_in(&mut project);
    examine(&mut project, Verdict::Pass);
    assert_eq!(state(&project), State::BuildGatePassed);
}

/// Proves: L-212
/// Proves in part: L-146
#[test]
fn a_delivered_version_rests_until_a_person_iterates() {
    let mut project = delivered();
    assert_eq!(state(&project), State::PipelineComplete);
    assert_eq!(project.owed(), []);
    let step = |by: Actor, step: Step| Input::Step { by, step, why: String::new(), seen: files() };
    let iterate: Step = Action::StartIteration.into();
    assert_eq!(tell(&mut project, step(Actor::Machine, iterate)), Err(Rejected::NotAPerson));
    tell(&mut project, step(scripted::ada(), iterate)).unwrap();
    pass_work(&mut project, Tells::Nothing);
    assert_eq!(state(&project), State::IterationProposed);
    let confirm = Step::beginning(Action::ConfirmIteration, Mode::Auto);
    tell(&mut project, step(scripted::ada(), confirm)).unwrap();
    assert_eq!(project.run().version, 2);
    assert!(matches!(due(&project), Effect::Examine { job: Job::Confirm, .. }));
    assert!(project.run().pipeline.fresh.phases().next().is_none(), "every gate is stale");
    assert!(project.run().gated.is_empty());
    let effect = due(&project).id();
    // Where the gates do not pass again on the new scope, it begins with its scope.
    for (verdict, tells, begins) in [
        (Verdict::Fail, Architecture::Unchanged, State::Expanding),
        (Verdict::Pass, Architecture::Unknown, State::Expanding),
        (Verdict::Pass, Architecture::Changed, State::Designing),
    ] {
        let mut other = project.clone();
        let tells = Tells::Architecture(tells);
        let report = Examination { tells, ..report(verdict, &project) };
        tell(&mut other, Input::Examined { effect: effect.clone(), report }).unwrap();
        assert_eq!(state(&other), begins, "{verdict:?}");
    }
    let report = Examination {
        tells: Tells::Architecture(Architecture::Unchanged),
        ..report(Verdict::Pass, &project)
    };
    tell(&mut project, Input::Examined { effect, report }).unwrap();
    assert_eq!(state(&project), State::Analyzing);
    let fresh: Vec<Phase> = project.run().pipeline.fresh.phases().collect();
    assert_eq!(fresh, [Phase::Expand, Phase::Design]);
}

/// What was verified is what is deployed: other code is no pass of the gate, and is built, reviewed and verified again.
///
/// Proves: L-215, L-216
#[test]
fn code_that_changed_since_it_was_verified_is_not_delivered() {
    let mut deploying = built();
    examine(&mut deploying, Verdict::Pass);
    keep(&mut deploying);
    (0..3).for_each(|_| pass(&mut deploying));
    assert_eq!(state(&deploying), State::Deploying);
    let mut others = files();
    others.insert(Document::Code, Digest::of(b"mended"));
    // A failed deployment is mended in the code, or the code changes in silence.
    for has_failed in [true, false] {
        let mut project = deploying.clone();
        if has_failed {
            hand_in(&mut project);
            examine(&mut project, Verdict::Fail);
            assert_eq!(state(&project), State::Deploying, "it may be tried again");
        }
        hand_in(&mut project);
        let effect = due(&project).id();
        let report = Examination { read: others.clone(), ..report(Verdict::Pass, &project) };
        tell(&mut project, Input::Examined { effect, report }).unwrap();
        assert_eq!(state(&project), State::SessionDropped);
        assert!(!project.run().pipeline.is_delivered);
        let recover = Input::Step {
            by: scripted::ada(),
            step: Action::StartContextRecovery.into(),
            why: String::new(),
            seen: others.clone(),
        };
        tell(&mut project, recover).unwrap();
        let effect = due(&project).id();
        tell(&mut project, Input::Recovered { effect, seen: others.clone() }).unwrap();
        assert_eq!(state(&project), State::Building);
        let fresh: Vec<Phase> = project.run().pipeline.fresh.phases().collect();
        assert_eq!(fresh, [Phase::Expand, Phase::Design, Phase::Analyze]);
    }
}

/// Work that was cut off is not asked for again before the files were looked at.
///
/// Proves: L-134
#[test]
fn nothing_is_worked_on_before_what_was_cut_off_is_recovered() {
    let mut project = begun(Mode::Auto);
    let old = due(&project).id();
    tell(&mut project, Input::Begun { effect: old.clone() }).unwrap();
    tell(&mut project, Input::Return { by: scripted::ada(), seen: files() }).unwrap();
    assert!(matches!(due(&project), Effect::Recover { .. }));
    assert_eq!(project.owed().iter().filter(|it| matches!(it, Owed::Run(_))).count(), 1);
    for early in [
        Input::Begun { effect: old.clone() },
        Input::Worked { effect: old.clone() },
        Input::HandIn { by: scripted::ada() },
    ] {
        assert!(tell(&mut project, early).is_err());
    }
    let effect = due(&project).id();
    let events = tell(&mut project, Input::Recovered { effect, seen: files() }).unwrap();
    let recovers = |it: &ProjectEvent| matches!(it, ProjectEvent::Run(Event::Stepped { step, .. }) if step.action == Action::RecoverToExpand);
    assert!(events.iter().any(recovers), "{events:?}");
    assert!(matches!(due(&project), Effect::Work { .. }));
}

/// A question about the shape of the work is a brake while it is built; any other stop blocks, wherever it is raised.
///
/// Proves in part: L-126
#[test]
fn a_stop_leads_where_its_reason_says() {
    for reason in StopReason::ALL {
        for (mut project, is_building) in [(begun(Mode::Auto), false), (built(), true)] {
            let before = project.run().pipeline.fails;
            let stop = |by: Actor, why: &str| Input::Stop { by, reason, why: why.to_string() };
            assert_eq!(tell(&mut project, stop(Actor::Machine, "x")), Err(Rejected::NotAPerson));
            assert!(tell(&mut project, stop(scripted::ada(), " ")).is_err());
            tell(&mut project, stop(scripted::ada(), "seen twice")).unwrap();
            let is_brake =
                is_building && matches!(reason, StopReason::SameError | StopReason::ScopeGrew);
            let expected =
                if is_brake { State::ComplexityBrakeTriggered } else { State::BlockedOnGate };
            assert_eq!(state(&project), expected, "{reason:?}");
            assert_eq!(project.run().pipeline.fails, before, "a stop is no failure");
            assert!(project.run().is_stopped());
            assert!(project.run().why.contains("seen twice"));
        }
    }
}

/// The gate that passed is recorded all the same, and nobody goes on before it is.
#[test]
fn a_stop_is_heard_while_a_passed_gate_is_recorded() {
    let mut project = built();
    examine(&mut project, Verdict::Pass);
    keep(&mut project);
    pass(&mut project);
    pass_work(&mut project, Tells::Nothing);
    assert_eq!(state(&project), State::Verifying);
    let (reason, why) = (StopReason::Unsafe, "it pays twice".to_string());
    tell(&mut project, Input::Stop { by: scripted::ada(), reason, why }).unwrap();
    assert_eq!(state(&project), State::BlockedOnGate);
    assert!(matches!(due(&project), Effect::Keep { .. }));
    let early = go_on(&mut project, Change::Nothing);
    assert_eq!(early, Err(Rejected::NotNow { why: "the last gate is still being recorded" }));
    keep(&mut project);
    assert_eq!(state(&project), State::BlockedOnGate);
    go_on(&mut project, Change::Nothing).unwrap();
    recover(&mut project);
    assert_eq!(state(&project), State::Verifying);
}

#[test]
fn each_version_has_a_spec_of_its_own() {
    let mut project = delivered();
    let spec = super::super::Emitted {
        spec_version: "2.0.0".to_string(),
        ..project.product().emitted.clone().unwrap()
    };
    let emit = ProjectInput::Emit { by: scripted::ada(), spec };
    assert!(matches!(tell_project(&mut project, emit.clone()), Err(Rejected::NotNow { .. })));
    let step =
        |step: Step| Input::Step { by: scripted::ada(), step, why: String::new(), seen: files() };
    tell(&mut project, step(Action::StartIteration.into())).unwrap();
    pass_work(&mut project, Tells::Nothing);
    let confirm = Step::beginning(Action::ConfirmIteration, Mode::Auto);
    tell(&mut project, step(confirm)).unwrap();
    tell_project(&mut project, emit).unwrap();
    assert!(project.product().undecided().is_some());
}

#[test]
fn signals_are_recorded_while_a_delivered_version_is_validated() {
    let mut project = delivered();
    let signal = Signal { text: "slow".to_string(), source: "a driver".to_string() };
    let said = Input::Tell { by: scripted::ada(), signal };
    assert!(matches!(tell(&mut project, said.clone()), Err(Rejected::NotNow { .. })));
    let validate = Input::Step {
        by: scripted::ada(),
        step: Action::StartPMFValidation.into(),
        why: String::new(),
        seen: files(),
    };
    tell(&mut project, validate).unwrap();
    tell(&mut project, said).unwrap();
    assert_eq!(project.run().signals, 1);
    let nobody = Signal { text: "slow".to_string(), source: String::new() };
    let said = Input::Tell { by: scripted::ada(), signal: nobody };
    assert!(tell(&mut project, said).is_err());
}

fn planned_project() -> Project {
    let mut project = approved();
    let tasks = ["T-a"].map(|name| planned(name, None, Vec::new())).to_vec();
    let plan = ProjectInput::Plan { by: scripted::ada(), tasks, is_last: true };
    let events = project.decide(&plan).unwrap();
    events.iter().for_each(|event| project.evolve(event));
    project
}

fn begin(mode: Mode) -> Input {
    Input::Begin { by: scripted::ada(), request: "Parking".to_string(), mode, settings: None }
}

fn begun(mode: Mode) -> Project {
    let mut project = planned_project();
    tell(&mut project, begin(mode)).unwrap();
    project
}

/// Every gate of documents has passed.
fn before_build(mode: Mode) -> Project {
    let mut project = begun(mode);
    for phase in 0..3 {
        pass(&mut project);
        if mode == Mode::Stepped && phase < 2 {
            go_on(&mut project, Change::Nothing).unwrap();
        }
    }
    project
}

/// Every task has shipped.
fn built() -> Project {
    let mut project = before_build(Mode::Auto);
    freeze(&mut project);
    open_all(&mut project);
    begin_all(&mut project);
    hear(&mut project, 1, Status::Shipped);
    project
}

fn delivered() -> Project {
    let mut project = built();
    examine(&mut project, Verdict::Pass);
    keep(&mut project);
    for _ in 0..4 {
        pass(&mut project);
    }
    project
}

fn pass(project: &mut Project) {
    pass_work(project, Tells::Nothing);
    keep(project);
}

fn pass_work(project: &mut Project, tells: Tells) {
    hand_in(project);
    let effect = due(project).id();
    let report = Examination { tells, ..report(Verdict::Pass, project) };
    tell(project, Input::Examined { effect, report }).unwrap();
}

fn hand_in(project: &mut Project) {
    if state(project) == State::Deploying && project.run().rollback.is_none() {
        assert!(tell(project, Input::HandIn { by: scripted::ada() }).is_err());
        let (by, command) = (scripted::ada(), "undo".to_string());
        tell(project, Input::Rollback { by, command }).unwrap();
    }
    tell(project, Input::HandIn { by: scripted::ada() }).unwrap();
}

fn examine(project: &mut Project, verdict: Verdict) {
    let effect = due(project).id();
    let report = report(verdict, project);
    tell(project, Input::Examined { effect, report }).unwrap();
}

fn report(verdict: Verdict, project: &Project) -> Examination {
    let upto = project.run().pipeline.state.phase().unwrap_or(Phase::Deploy);
    Examination {
        verdict,
        read: files().into_iter().filter(|(it, _)| it.gate() <= upto).collect(),
        report: Digest::of(b"report"),
        findings: 0,
        first: String::new(),
        brakes: std::collections::BTreeSet::new(),
        said: std::collections::BTreeSet::new(),
        tells: Tells::Nothing,
    }
}

fn keep(project: &mut Project) {
    let effect = due(project).id();
    let kept = Input::Kept { effect, commit: "commit".to_string(), seen: files() };
    tell(project, kept).unwrap();
}

fn recover(project: &mut Project) {
    let effect = due(project).id();
    tell(project, Input::Recovered { effect, seen: files() }).unwrap();
}

fn freeze(project: &mut Project) {
    let documents = project.run().frozen_part();
    let freeze = Input::Freeze { by: scripted::ada(), documents, spec: Digest::of(b"a spec") };
    tell(project, freeze).unwrap();
}

fn go_on(project: &mut Project, change: Change) -> Result<Vec<ProjectEvent>, Rejected> {
    let action = project.run().goes_on().unwrap();
    let step = Step { change, ..action.into() };
    let why = "go on".to_string();
    tell(project, Input::Step { by: scripted::ada(), step, why, seen: files() })
}

fn open_all(project: &mut Project) {
    for owed in project.owed() {
        if let Owed::Open { .. } = owed {
            let opened = ProjectInput::Opened { effect: owed.id() };
            tell_project(project, opened).unwrap();
        }
    }
}

fn begin_all(project: &mut Project) {
    for owed in project.owed() {
        if let Owed::Dispatch { .. } = owed {
            let dispatched = ProjectInput::Dispatched { effect: owed.id() };
            tell_project(project, dispatched).unwrap();
        }
    }
}

fn hear(project: &mut Project, news: u32, status: Status) {
    let task = crate::TaskId::new("T-a").unwrap();
    tell_project(project, ProjectInput::Heard { task, news, status, phase: None }).unwrap();
}

fn turns(project: &Project) -> bool {
    let tasks = |id: EffectId| id.to_string().contains("T-");
    project.owed().iter().any(|it| tasks(it.id()))
        && project.tasks().any(|(id, _)| project.has_turn(id) || !project.to_open.is_empty())
        && project.run().lets_build()
}

fn due(project: &Project) -> Effect {
    let due = project.owed().into_iter().find_map(|owed| match owed {
        Owed::Run(effect) => Some(effect),
        Owed::Open { .. } | Owed::Dispatch { .. } => None,
    });
    due.unwrap_or_else(|| panic!("nothing is due in {:?}", project.run()))
}

fn state(project: &Project) -> State {
    project.run().pipeline.state
}

fn files() -> Documents {
    let digest = |it: Document| Digest::of(format!("{it:?}").as_bytes());
    Document::ALL.into_iter().map(|it| (it, digest(it))).collect()
}

fn tell(project: &mut Project, input: Input) -> Result<Vec<ProjectEvent>, Rejected> {
    tell_project(project, ProjectInput::Run(input))
}

fn tell_project(project: &mut Project, input: ProjectInput) -> Result<Vec<ProjectEvent>, Rejected> {
    let events = project.decide(&input)?;
    events.iter().for_each(|event| project.evolve(event));
    Ok(events)
}
