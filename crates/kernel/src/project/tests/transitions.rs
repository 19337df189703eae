//! How a task may come from one status to another, and what has to hold of the graph afterwards.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::json;

use super::*;

/// The statuses of `state_machine.json`. `Blocked` is computed: it is `Pending` behind something that blocks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Pending,
    InProgress,
    Shipped,
    Halted,
    Blocked,
    Abandoned,
}

use Shown::{Abandoned, Blocked, Halted, InProgress, Pending, Shipped};

/// Every status a task can have, and every one it could have next. Nothing leads there but what the table says: a turn,
/// what the task tells once it has one, a person who ends it, and what becomes of the tasks before it.
///
/// Proves: F-PROJ-045
#[test]
fn from_each_status_only_the_table_leads_to_another() {
    const ALL: [Shown; 6] = [Pending, InProgress, Shipped, Halted, Blocked, Abandoned];
    let legal: [(Shown, &[Shown]); 6] = [
        (Pending, &[InProgress, Blocked, Abandoned]),
        (InProgress, &[Shipped, Halted, Abandoned]),
        (Shipped, &[]),
        (Halted, &[InProgress, Shipped, Abandoned]),
        (Blocked, &[Pending, Abandoned]),
        (Abandoned, &[]),
    ];
    for (from, next) in legal {
        for to in ALL.into_iter().filter(|to| *to != from) {
            let project = standing(from);
            assert_eq!(shown(&project), from);
            let tried = attempts(from, to);
            assert!(!tried.is_empty(), "{from:?} to {to:?} was not tried");
            let mut reached = Vec::new();
            for inputs in tried {
                let mut project = project.clone();
                let told: Vec<_> = inputs.iter().map(|it| tell(&mut project, it.clone())).collect();
                let is = shown(&project);
                assert!(is == from || is == to, "{from:?} to {to:?} led to {is:?}: {told:?}");
                reached.push(is == to);
            }
            assert_eq!(reached.contains(&true), next.contains(&to), "{from:?} to {to:?}");
        }
    }
    // The word of a task is not enough where it has no turn, and the project cannot be told that a task is blocked.
    for from in [Pending, Blocked] {
        for status in [Status::InProgress, Status::Parked, Status::Halted, Status::Shipped] {
            let told = tell(&mut standing(from), heard("T-s", 9, status));
            assert!(matches!(told, Err(Rejected::NotNow { .. })), "{from:?} {status:?}");
        }
    }
    assert!(serde_json::from_value::<Status>(json!("blocked")).is_err());
}

/// What could bring the task from one status to another.
fn attempts(from: Shown, to: Shown) -> Vec<Vec<Input>> {
    let says = |status| vec![heard("T-s", 9, status)];
    let rewire = |on: &[&str]| {
        let depends_on = on.iter().map(|it| TaskId::new(*it).unwrap()).collect();
        let task = TaskId::new("T-s").unwrap();
        vec![Input::Rewire { by: scripted::ada(), task, depends_on }]
    };
    match to {
        // In its turn: the one before it ships, and the task takes it.
        InProgress if from == Pending => vec![vec![
            heard("T-first", 9, Status::Shipped),
            Input::Dispatched { effect: dispatch("T-s") },
            heard("T-s", 9, Status::InProgress),
        ]],
        InProgress => vec![
            says(Status::InProgress),
            vec![
                Input::Dispatched { effect: dispatch("T-s") },
                heard("T-s", 9, Status::InProgress),
            ],
        ],
        Shipped => vec![says(Status::Shipped)],
        Halted => vec![says(Status::Halted)],
        Abandoned => vec![says(Status::Abandoned)],
        Pending => vec![says(Status::Pending), rewire(&[])],
        // What it depends on halts; one that has begun depends on what it did.
        Blocked => vec![
            vec![heard("T-first", 9, Status::Halted)],
            [rewire(&["T-first"]), vec![heard("T-first", 9, Status::Halted)]].concat(),
        ],
    }
}

/// A project whose task `T-s` stands like this; `T-first` was declared before it and works, unless it blocks.
fn standing(status: Shown) -> Project {
    let mut project = scripted::project::approved();
    let on: &[&str] = if status == Blocked { &["T-first"] } else { &[] };
    let tasks = vec![planned("T-first", &[]), planned("T-s", on)];
    tell(&mut project, Input::Plan { by: scripted::ada(), tasks, is_last: true }).unwrap();
    if !matches!(status, Pending | Blocked) {
        tell(&mut project, Input::Parallel { by: scripted::ada(), at_once: 2 }).unwrap();
    }
    begin(&mut project);
    tell(&mut project, heard("T-first", 1, Status::InProgress)).unwrap();
    match status {
        Pending => {}
        Blocked => tell(&mut project, heard("T-first", 2, Status::Halted)).unwrap(),
        InProgress => tell(&mut project, heard("T-s", 1, Status::InProgress)).unwrap(),
        Shipped => tell(&mut project, heard("T-s", 1, Status::Shipped)).unwrap(),
        Halted => tell(&mut project, heard("T-s", 1, Status::Halted)).unwrap(),
        Abandoned => tell(&mut project, heard("T-s", 1, Status::Abandoned)).unwrap(),
    }
    project
}

fn shown(project: &Project) -> Shown {
    let task = TaskId::new("T-s").unwrap();
    match project.task(&task).unwrap().status {
        Status::Pending if project.blocked().contains(&task) => Blocked,
        Status::Pending => Pending,
        Status::InProgress | Status::Parked => InProgress,
        Status::Shipped => Shipped,
        Status::Halted => Halted,
        Status::Abandoned => Abandoned,
    }
}

/// A status that no rule knows is in no journal that is read, and in no project that is loaded.
///
/// Proves: F-PROJ-023
#[test]
fn a_status_is_one_of_six_words_and_any_other_is_not_loaded() {
    let known = ["pending", "in_progress", "parked", "shipped", "halted", "abandoned"];
    let event = |status: &str| {
        let heard = json!({ "task": "T-a", "news": 1, "status": status, "phase": null });
        serde_json::from_value::<Event>(json!({ "heard": heard }))
    };
    let stored = serde_json::to_value(with_two()).unwrap();
    let project = |status: &str| {
        let mut stored = stored.clone();
        stored["tasks"]["T-a"]["status"] = json!(status);
        serde_json::from_value::<Project>(stored)
    };
    for word in known {
        assert!(event(word).is_ok() && project(word).is_ok(), "{word}");
    }
    for word in ["", "done", "PENDING", "blocked", "running", "shipped ", "parked?"] {
        assert!(event(word).is_err() && project(word).is_err(), "{word}");
    }
}

/// A change that leaves the graph wrong is noticed at once, in builds with debug assertions: one may begin though what it
/// waits for halts, one is left out though nothing is before it, one counts what is not there.
///
/// Proves: F-PROJ-049
#[test]
#[cfg(debug_assertions)]
fn a_change_that_leaves_the_graph_wrong_is_noticed_at_once() {
    let stored = serde_json::to_value(with_one_behind_another()).unwrap();
    type Bend = fn(&mut serde_json::Value);
    let bends: [(&str, Status, Bend); 4] = [
        ("it may begin, and waits", Status::Halted, |it| {
            it["tasks"]["T-b"]["unmet"] = json!(0);
            it["ready"].as_array_mut().unwrap().push(json!([1, "T-b"]));
        }),
        ("it may begin: true", Status::InProgress, |it| {
            it["tasks"]["T-b"]["unmet"] = json!(0);
            it["tasks"]["T-b"]["depends_on"] = json!([]);
        }),
        ("1 dependencies are not met, and it says 0", Status::Parked, |it| {
            it["tasks"]["T-b"]["unmet"] = json!(0);
        }),
        ("dependencies are not met, and it says 1", Status::Shipped, |it| {
            it["tasks"]["T-b"]["unmet"] = json!(2);
        }),
    ];
    let after = |bend: Bend, status| {
        let mut stored = stored.clone();
        bend(&mut stored);
        let mut project: Project = serde_json::from_value(stored).unwrap();
        let told = AssertUnwindSafe(|| tell(&mut project, heard("T-a", 1, status)).unwrap());
        catch_unwind(told).map_err(|it| it.downcast_ref::<String>().cloned().unwrap_or_default())
    };
    for (why, status, bend) in bends {
        assert_eq!(after(|_| {}, status), Ok(()), "{status:?}");
        let noticed = after(bend, status).unwrap_err();
        assert!(noticed.contains(why), "{noticed}");
    }
}
