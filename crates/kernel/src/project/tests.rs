use std::collections::BTreeMap;
use std::format;
use std::string::ToString;
use std::vec;
use std::vec::Vec;

use proptest::prelude::*;

mod transitions;

use super::*;
use crate::owner::Header;
use crate::{Effect as _, Lane, fold, scripted};

/// Proves: F-PROJ-032
#[test]
fn tasks_have_their_turns_in_the_order_they_were_declared() {
    let mut project = Project::default();
    for name in ["T-c", "T-a", "T-b"] {
        tell(&mut project, admit(name)).unwrap();
    }
    for name in ["T-a", "T-b", "T-c"] {
        // The first one keeps its place, whichever is opened before it.
        assert_eq!(turn(&project), [""; 0]);
        let effect = open(name);
        tell(&mut project, Input::Opened { effect }).unwrap();
    }
    assert_eq!(turn(&project), ["T-c"]);
    tell(&mut project, Input::Dispatched { effect: dispatch("T-c") }).unwrap();
    tell(&mut project, heard("T-c", 1, Status::InProgress)).unwrap();
    assert_eq!(turn(&project), [""; 0]);
    tell(&mut project, heard("T-c", 2, Status::Shipped)).unwrap();
    assert_eq!(turn(&project), ["T-a"]);
}

/// Proves in part
#[test]
fn a_parked_task_holds_no_other_up_and_a_halted_one_all() {
    let mut project = with_two();
    tell(&mut project, heard("T-a", 1, Status::InProgress)).unwrap();
    let mut parked = project.clone();
    tell(&mut parked, heard("T-a", 2, Status::Parked)).unwrap();
    assert_eq!(turn(&parked), ["T-b"]);
    tell(&mut project, heard("T-a", 2, Status::Halted)).unwrap();
    assert_eq!(turn(&project), [""; 0]);
    tell(&mut project, heard("T-a", 3, Status::Abandoned)).unwrap();
    assert_eq!(turn(&project), ["T-b"]);
}

#[test]
fn a_message_is_heard_once_and_never_an_older_one() {
    let mut project = with_two();
    tell(&mut project, heard("T-a", 3, Status::Halted)).unwrap();
    for news in [1, 2, 3] {
        let late = tell(&mut project, heard("T-a", news, Status::InProgress));
        assert_eq!(late, Err(Rejected::AlreadyHeard));
    }
    let unknown = tell(&mut project, heard("T-z", 1, Status::InProgress));
    assert!(matches!(unknown, Err(Rejected::Unknown { .. })));
}

#[test]
fn no_turn_is_lost_or_given_twice_when_messages_overtake_each_other() {
    // A task is done before the project knows that its turn was taken.
    let mut project = Project::default();
    for name in ["T-a", "T-b"] {
        tell(&mut project, admit(name)).unwrap();
        tell(&mut project, Input::Opened { effect: open(name) }).unwrap();
    }
    tell(&mut project, heard("T-a", 1, Status::Shipped)).unwrap();
    tell(&mut project, Input::Dispatched { effect: dispatch("T-a") }).unwrap();
    assert_eq!(turn(&project), ["T-b"]);
    // That it waited is old news once it has its turn.
    let mut project = with_two();
    tell(&mut project, heard("T-a", 1, Status::Pending)).unwrap();
    assert_eq!(turn(&project), [""; 0]);
}

#[test]
fn only_people_add_tasks_and_only_such_as_belong_here() {
    let mut project = Project::default();
    let Input::Admit { charter, .. } = admit("T-a") else { unreachable!() };
    let by = Actor::Machine;
    let forged = tell(&mut project, Input::Admit { by, charter: charter.clone() });
    assert_eq!(forged, Err(Rejected::NotAPerson));
    let blank = Actor::Human(" ".to_string());
    let forged = tell(&mut project, Input::Admit { by: blank, charter: charter.clone() });
    assert_eq!(forged, Err(Rejected::NotAPerson));
    let unproven = Charter { checks: Vec::new(), ..charter.clone() };
    let unproven = tell(&mut project, Input::Admit { by: scripted::ada(), charter: unproven });
    assert!(matches!(unproven, Err(Rejected::Charter { .. })));
    let alone = Charter { belongs: Membership::Alone, ..charter };
    let alone = tell(&mut project, Input::Admit { by: scripted::ada(), charter: alone });
    assert!(matches!(alone, Err(Rejected::Alone { .. })));
    tell(&mut project, admit("T-a")).unwrap();
    assert!(matches!(tell(&mut project, admit("T-a")), Err(Rejected::AlreadyThere { .. })));
}

proptest! {
    /// Whatever tasks tell, early, late or twice: at most one has its turn, none is given
    /// one while another is halted, `owed_after` hides nothing, `owes` agrees with `owed`,
    /// and the journal rebuilds the same project.
    #[test]
    fn a_careless_world_cannot_break_a_project(dice in prop::collection::vec(any::<u16>(), 0..120)) {
        let mut project = Project::default();
        let mut events: Vec<Event> = Vec::new();
        let mut news: BTreeMap<u16, u32> = BTreeMap::new();
        for die in dice {
            let who = die / 16 % 4;
            let name = format!("T-{who}");
            let next = news.get(&who).copied().unwrap_or(0) + 1;
            let statuses = [Status::InProgress, Status::Parked, Status::Halted, Status::Shipped];
            let input = match die % 16 {
                0..=2 => admit(&name),
                3..=5 => Input::Opened { effect: open(&name) },
                6..=8 => Input::Dispatched { effect: dispatch(&name) },
                9 => Input::Opened { effect: dispatch(&name) },
                10 => heard(&name, next.saturating_sub(1), Status::InProgress),
                _ => {
                    news.insert(who, next);
                    heard(&name, next, statuses[usize::from(die / 64 % 4)])
                }
            };
            let before = project.clone();
            let Ok(decided) = project.decide(&input) else { continue };
            let mut named: Vec<EffectId> = project.owed().iter().map(|it| it.id()).collect();
            for event in &decided {
                project.evolve(event);
                if let Event::TurnGiven { .. } = event {
                    prop_assert!(project.counts.halted == 0, "a turn beside a halt: {before:?}");
                    prop_assert!(project.to_dispatch.len() == 1);
                }
            }
            named.extend(project.owed_after(&decided).iter().map(|it| it.id()));
            for effect in project.owed() {
                prop_assert!(named.contains(&effect.id()), "owed in secret");
                prop_assert!(project.owes(&effect.id()));
            }
            events.extend(decided);
        }
        prop_assert_eq!(&fold::<Project>(&events), &project);
        let stored = serde_json::to_string(&project).unwrap();
        prop_assert_eq!(serde_json::from_str::<Project>(&stored).unwrap(), project);
    }
}

fn with_two() -> Project {
    let mut project = Project::default();
    for name in ["T-a", "T-b"] {
        tell(&mut project, admit(name)).unwrap();
        tell(&mut project, Input::Opened { effect: open(name) }).unwrap();
    }
    tell(&mut project, Input::Dispatched { effect: dispatch("T-a") }).unwrap();
    project
}

/// Two tasks of a plan, the second behind the first, which has its turn.
fn with_one_behind_another() -> Project {
    let mut project = scripted::project::approved();
    let tasks = vec![planned("T-a", &[]), planned("T-b", &["T-a"])];
    tell(&mut project, Input::Plan { by: scripted::ada(), tasks, is_last: true }).unwrap();
    for name in ["T-a", "T-b"] {
        tell(&mut project, Input::Opened { effect: open(name) }).unwrap();
    }
    tell(&mut project, Input::Dispatched { effect: dispatch("T-a") }).unwrap();
    project
}

/// Every stream is opened, and every task that has a turn takes it.
fn begin(project: &mut Project) {
    while let Some(effect) = project.owed().first() {
        let (effect, is_open) = (effect.id(), matches!(effect, Effect::Open { .. }));
        let done = if is_open { Input::Opened { effect } } else { Input::Dispatched { effect } };
        tell(project, done).unwrap();
    }
}

fn tell(project: &mut Project, input: Input) -> Result<(), Rejected> {
    let events = project.decide(&input)?;
    events.iter().for_each(|event| project.evolve(event));
    Ok(())
}

fn turn(project: &Project) -> Vec<&str> {
    project.to_dispatch.iter().map(TaskId::as_str).collect()
}

fn admit(name: &str) -> Input {
    let charter = scripted::charter(name, Lane::Factory, Header::default());
    let charter = Charter { belongs: Membership::Project, ..charter };
    Input::Admit { by: scripted::ada(), charter }
}

fn heard(name: &str, news: u32, status: Status) -> Input {
    Input::Heard { task: TaskId::new(name).unwrap(), news, status, phase: None }
}

fn open(name: &str) -> EffectId {
    EffectId::of(format!("project/{name}"), "open", 1)
}

fn dispatch(name: &str) -> EffectId {
    EffectId::of(format!("project/{name}"), "dispatch", 1)
}

/// A person decides about the spec that they were shown; nothing is planned before it is approved.
///
/// Proves: F-PROD-002, F-PROD-044, F-PROD-046
#[test]
fn tasks_are_planned_from_an_approved_spec() {
    let [emit, approve] = scripted::project::approval();
    let Input::Decide { spec, .. } = &approve else { unreachable!() };
    let decide = |spec: Digest, choice, why: &str| {
        let (by, rationale) = (scripted::ada(), why.to_string());
        Input::Decide { by, spec, choice, rationale }
    };
    let plan = || {
        let tasks = vec![planned("T-a", &[])];
        Input::Plan { by: scripted::ada(), tasks, is_last: true }
    };
    let mut project = Project::default();
    assert!(tell(&mut project, plan()).is_err());
    assert!(tell(&mut project, approve.clone()).is_err(), "nothing was emitted");
    tell(&mut project, emit.clone()).unwrap();
    assert!(tell(&mut project, plan()).is_err());
    assert!(tell(&mut project, decide(Digest::of(b"another"), Choice::Approve, "")).is_err());
    let role = Actor::Role(crate::Role::Planner, crate::InvocationId::new(1));
    let (choice, rationale) = (Choice::Approve, String::new());
    let by_a_role = Input::Decide { by: role, spec: *spec, choice, rationale };
    assert_eq!(tell(&mut project, by_a_role), Err(Rejected::NotAPerson));
    for choice in [Choice::Reject, Choice::Amend] {
        assert!(tell(&mut project, decide(*spec, choice, " ")).is_err(), "without a reason");
    }
    tell(&mut project, decide(*spec, Choice::Reject, "too large")).unwrap();
    assert!(tell(&mut project, approve.clone()).is_err(), "it was rejected");
    for nth in 1..=4 {
        tell(&mut project, emit.clone()).unwrap();
        tell(&mut project, decide(*spec, Choice::Amend, "smaller")).unwrap();
        assert_eq!(project.product().is_amended_often(), nth >= 3, "{nth}");
    }
    tell(&mut project, emit.clone()).unwrap();
    assert!(tell(&mut project, plan()).is_err());
    tell(&mut project, approve).unwrap();
    assert!(!project.product().is_amended_often());
    assert!(tell(&mut project, emit).is_err(), "it is approved");
    tell(&mut project, plan()).unwrap();
}

/// A dependency that is named twice is one, and there are not more of them than a plan may have.
#[test]
fn dependencies_of_a_rewired_task_are_counted_once() {
    let mut project = scripted::project::approved();
    let tasks = vec![planned("T-a", &[]), planned("T-b", &["T-a"]), planned("T-c", &["T-b"])];
    tell(&mut project, Input::Plan { by: scripted::ada(), tasks, is_last: true }).unwrap();
    let rewire = |on: &[&str]| {
        let depends_on = on.iter().map(|it| TaskId::new(*it).unwrap()).collect();
        let task = TaskId::new("T-c").unwrap();
        Input::Rewire { by: scripted::ada(), task, depends_on }
    };
    begin(&mut project);
    tell(&mut project, rewire(&["T-a", "T-a"])).unwrap();
    tell(&mut project, heard("T-a", 1, Status::Shipped)).unwrap();
    assert!(project.ready.iter().any(|(_, task)| task.as_str() == "T-c"));
    let many = vec!["T-b"; DEPENDENCIES_MAX + 1];
    assert!(matches!(tell(&mut project, rewire(&many)), Err(Rejected::TooMany { .. })));
}

/// X halts; Y depends on it, Z on Y. W halts beside them and is resolved: Y and Z stay blocked.
///
/// Proves: F-PROJ-043, F-PROJ-047
#[test]
fn a_task_is_blocked_as_long_as_something_before_it_is_halted() {
    let mut project = scripted::project::approved();
    let tasks = [("T-w", vec![]), ("T-x", vec![]), ("T-y", vec!["T-x"]), ("T-z", vec!["T-y"])];
    let tasks = tasks.map(|(name, on)| planned(name, &on)).into();
    tell(&mut project, Input::Plan { by: scripted::ada(), tasks, is_last: true }).unwrap();
    let blocked = |project: &Project| {
        project.blocked().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    tell(&mut project, Input::Parallel { by: scripted::ada(), at_once: 2 }).unwrap();
    begin(&mut project);
    tell(&mut project, heard("T-x", 1, Status::Halted)).unwrap();
    tell(&mut project, heard("T-w", 1, Status::Halted)).unwrap();
    assert_eq!((blocked(&project).as_str(), project.outcome()), ("T-y T-z", Outcome::Suspended));
    tell(&mut project, heard("T-w", 2, Status::InProgress)).unwrap();
    assert_eq!(blocked(&project), "T-y T-z");
    tell(&mut project, heard("T-x", 2, Status::Shipped)).unwrap();
    assert_eq!(blocked(&project), "");
    for status in [Status::Pending, Status::InProgress, Status::Halted, Status::Abandoned] {
        let ended = tell(&mut project, heard("T-x", 3, status));
        assert!(matches!(ended, Err(Rejected::NotNow { .. })), "{status:?}");
    }
}

/// Layers of two, each behind both of the layer before: 40 tasks, 2,097,150 ways through them.
///
/// Proves: F-PROJ-046
#[test]
fn a_cascade_looks_at_every_dependency_once() {
    let mut project = scripted::project::approved();
    let name = |nth: usize| format!("T-{nth:02}");
    let above = |nth: usize| match nth / 2 {
        0 => vec![],
        layer => vec![name(layer * 2 - 2), name(layer * 2 - 1)],
    };
    let tasks: Vec<Planned> = (0..40)
        .map(|nth| {
            let above = above(nth);
            planned(&name(nth), &above.iter().map(|it| it.as_str()).collect::<Vec<_>>())
        })
        .collect();
    let edges: usize = tasks.iter().map(|it| it.depends_on.len()).sum();
    tell(&mut project, Input::Plan { by: scripted::ada(), tasks, is_last: true }).unwrap();
    begin(&mut project);
    tell(&mut project, heard("T-00", 1, Status::Halted)).unwrap();
    let (blocked, looked_at) = project.cascade();
    assert_eq!(blocked.len(), 38);
    assert!(looked_at <= edges, "{looked_at} of {edges}");
}

/// A plan, a turn, the work of the task, what it tells; and again for the next one.
#[test]
fn tasks_go_round_one_by_one() {
    let mut project = scripted::project::approved();
    let mut trace = Vec::new();
    let tasks = vec![planned("T-a", &[]), planned("T-b", &["T-a"])];
    told(&mut project, Input::Plan { by: scripted::ada(), tasks, is_last: true }, &mut trace);
    for name in ["T-a", "T-b"] {
        told(&mut project, Input::Opened { effect: open(name) }, &mut trace);
    }
    for name in ["T-a", "T-b"] {
        assert_eq!(turn(&project), [name]);
        told(&mut project, Input::Dispatched { effect: dispatch(name) }, &mut trace);
        told(&mut project, heard(name, 1, Status::InProgress), &mut trace);
        assert_eq!(turn(&project), [""; 0], "nobody else begins meanwhile");
        told(&mut project, heard(name, 2, Status::Shipped), &mut trace);
    }
    let expected = [
        "plan",
        "admitted T-a",
        "admitted T-b",
        "planned",
        "opened T-a",
        "turn T-a",
        "opened T-b",
        "dispatched T-a",
        "InProgress T-a",
        "Shipped T-a",
        "turn T-b",
        "dispatched T-b",
        "InProgress T-b",
        "Shipped T-b",
    ];
    assert_eq!(trace, expected);
    assert_eq!(project.outcome(), Outcome::Complete);
}

fn told(project: &mut Project, input: Input, trace: &mut Vec<std::string::String>) {
    for event in project.decide(&input).unwrap() {
        trace.push(match &event {
            Event::PlanOpened => "plan".to_string(),
            Event::PlanClosed => "planned".to_string(),
            Event::Admitted { charter, .. } => format!("admitted {}", charter.id),
            Event::Opened { task } => format!("opened {task}"),
            Event::TurnGiven { task } => format!("turn {task}"),
            Event::Dispatched { task } => format!("dispatched {task}"),
            Event::Heard { task, status, .. } => format!("{status:?} {task}"),
            Event::SpecEmitted { .. }
            | Event::SpecDecided { .. }
            | Event::Superseded { .. }
            | Event::SpecAmended { .. }
            | Event::Rewired { .. }
            | Event::ParallelSet { .. }
            | Event::Stranded { .. }
            | Event::Run(_) => format!("{event:?}"),
        });
        project.evolve(&event);
    }
}

/// A task that waits for one that is halted or abandoned does not begin, whatever it tells; it has to be free first.
///
/// Proves: F-PROJ-044
/// Proves in part: F-ESC-023
#[test]
fn a_blocked_task_does_not_begin() {
    let mut project = with_one_behind_another();
    let begins = |project: &Project| {
        let mut project = project.clone();
        let begun = tell(&mut project, Input::Dispatched { effect: dispatch("T-b") });
        let told = [Status::InProgress, Status::Parked, Status::Halted, Status::Shipped]
            .map(|status| tell(&mut project, heard("T-b", 1, status)).is_ok());
        begun.is_ok() || told.contains(&true)
    };
    for (news, status) in [(1, Status::Halted), (2, Status::Abandoned)] {
        tell(&mut project, heard("T-a", news, status)).unwrap();
        assert!(project.is_blocked(&TaskId::new("T-b").unwrap()));
        assert!(!begins(&project), "{status:?}");
        assert_eq!(turn(&project), [""; 0]);
    }
    let (task, depends_on) = (TaskId::new("T-b").unwrap(), vec![]);
    tell(&mut project, Input::Rewire { by: scripted::ada(), task, depends_on }).unwrap();
    assert_eq!(turn(&project), ["T-b"]);
    tell(&mut project, Input::Dispatched { effect: dispatch("T-b") }).unwrap();
    tell(&mut project, heard("T-b", 1, Status::InProgress)).unwrap();
}

/// Every way in which a task can stand, and every status that it can tell next.
#[test]
fn a_task_changes_its_status_in_these_ways_and_in_no_other() {
    use Status::{Abandoned, Halted, InProgress, Parked, Pending, Shipped};
    let project = with_one_behind_another();
    let after = |status| {
        let mut project = project.clone();
        tell(&mut project, heard("T-a", 1, status)).unwrap();
        project
    };
    // An old word of the time before its turn says that it works.
    let works = [
        (Pending, InProgress),
        (InProgress, InProgress),
        (Parked, Parked),
        (Halted, Halted),
        (Shipped, Shipped),
        (Abandoned, Abandoned),
    ];
    let waits = [(Pending, Pending), (Abandoned, Abandoned)];
    let table = [
        ("T-b", project.clone(), &waits[..]),
        ("T-b", after(Halted), &waits),
        ("T-a", project.clone(), &works),
        ("T-a", after(InProgress), &works),
        ("T-a", after(Parked), &works[1..]),
        ("T-a", after(Halted), &works[1..]),
        ("T-a", after(Shipped), &[]),
        ("T-a", after(Abandoned), &[]),
    ];
    for (name, from, legal) in table {
        for told in [Pending, InProgress, Parked, Halted, Shipped, Abandoned] {
            let mut project = from.clone();
            let heard = tell(&mut project, heard(name, 9, told));
            let task = TaskId::new(name).unwrap();
            let (was, is) =
                (from.entry(&task).unwrap().status, project.entry(&task).unwrap().status);
            match legal.iter().find(|(it, _)| *it == told) {
                Some((_, next)) => assert_eq!((heard, is), (Ok(()), *next), "{was:?} {told:?}"),
                None => {
                    assert!(matches!(heard, Err(Rejected::NotNow { .. })), "{was:?} {told:?}");
                    assert_eq!(is, was);
                }
            }
        }
    }
}

/// What is argued inside of a task is no part of its project: it knows how the task stands, and nothing else of it.
///
/// Proves: F-PROJ-051
#[test]
fn a_project_knows_nothing_of_what_is_argued_in_a_task() {
    let mut project = with_two();
    tell(&mut project, heard("T-a", 1, Status::InProgress)).unwrap();
    let stored = serde_json::to_value(&project).unwrap();
    let keys = |it: &serde_json::Value| {
        let mut keys: Vec<_> = it.as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys
    };
    let of_task = keys(&stored["tasks"]["T-a"]);
    assert_eq!(of_task, ["heard", "is_met", "order", "parts_left", "phase", "status", "unmet"]);
    let expected = [
        "at_once",
        "at_work",
        "counts",
        "declared",
        "is_planning",
        "is_stranded",
        "product",
        "ready",
        "run",
        "tasks",
        "to_dispatch",
        "to_open",
    ];
    assert_eq!(keys(&stored), expected);
}

fn planned(name: &str, on: &[&str]) -> Planned {
    let Input::Admit { charter, .. } = admit(name) else { unreachable!() };
    let depends_on = on.iter().map(|it| TaskId::new(*it).unwrap()).collect();
    Planned { charter, order: None, depends_on }
}
