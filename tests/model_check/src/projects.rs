//! A walk over a project of two tasks, from the point of view of one.
//!
//! A project has no end and its tasks may send any message, so it is only drawn here, not proven.

use std::collections::{BTreeMap, VecDeque};

use sealwright_kernel::project::{Effect, Event, Input, Project};
use sealwright_kernel::scripted;
use sealwright_kernel::task::{Charter, Membership, Status};
use sealwright_kernel::{Digest, Effect as _, Lane, Machine as _, TaskId};
use serde_json::Value;

use crate::drawing::{Drawing, Whose, tag};
use crate::key::key_without;

/// The states of a task in a project, and their transitions.
pub(crate) fn drawing() -> Result<Drawing, String> {
    let mut drawing = Drawing { states: STATES.map(str::to_owned).into(), ..Drawing::default() };
    drawing.ends = ["shipped", "abandoned"].map(str::to_owned).into();
    let mut known: BTreeMap<Digest, ()> = BTreeMap::new();
    let mut open: VecDeque<Project> = [Project::default()].into();
    while let Some(project) = open.pop_front() {
        for (input, whose) in moves(&project)? {
            let Ok(events) = project.decide(&input) else { continue };
            let mut after = project.clone();
            events.iter().for_each(|event| after.evolve(event));
            for task in both()? {
                let (from, to) = (stands(&project, &task)?, stands(&after, &task)?);
                if from != to {
                    drawing.add(from.into(), to.into(), whose, told(&input, &events, &task));
                }
            }
            // The message counter grows without bound; only the content matters.
            if known.insert(key_without(&after, &["heard"], &()), ()).is_none() {
                open.push_back(after);
            }
            if known.len() > STATES_MAX {
                return Err(format!("more than {STATES_MAX} states; something is not bounded"));
            }
        }
    }
    Ok(drawing.without_the_unseen())
}

fn moves(project: &Project) -> Result<Vec<(Input, Whose)>, String> {
    let mut moves: Vec<(Input, Whose)> = Vec::new();
    for task in both()? {
        let charter = Charter {
            belongs: Membership::Project,
            ..scripted::charter(task.as_str(), Lane::Quick, Default::default())
        };
        moves.push((Input::Admit { by: scripted::ada(), charter }, Whose::Person));
        // A task sends messages once it is dispatched, and none once it is over.
        let is_told = ["to dispatch", "at work", "parked", "halted"];
        if is_told.contains(&stands(project, &task)?) {
            let news = project.task(&task).map_or(0, |entry| entry.heard) + 1;
            let heard = |status| Input::Heard { task: task.clone(), news, status, phase: None };
            moves.extend(TOLD.map(|status| (heard(status), Whose::World)));
        }
    }
    for effect in project.owed() {
        let id = effect.id();
        let answer = match effect {
            Effect::Open { .. } => Input::Opened { effect: id },
            Effect::Dispatch { .. } => Input::Dispatched { effect: id },
            Effect::Run(_) => return Err("these projects have no phases".to_owned()),
        };
        moves.push((answer, Whose::World));
    }
    Ok(moves)
}

/// The state of a task, read from the serialised project.
fn stands(project: &Project, task: &TaskId) -> Result<&'static str, String> {
    let value = serde_json::to_value(project).map_err(|error| error.to_string())?;
    let holds = |list: &str| match &value[list] {
        Value::Object(members) => members.contains_key(task.as_str()),
        Value::Array(items) => items.iter().any(|it| match it {
            Value::Array(pair) => pair.iter().any(|it| it == task.as_str()),
            it => it == task.as_str(),
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    };
    let Some(entry) = project.task(task) else { return Ok("unknown") };
    for (list, name) in [
        ("to_open", "to open"),
        ("ready", "waiting"),
        ("to_dispatch", "to dispatch"),
        ("at_work", "at work"),
    ] {
        if holds(list) {
            return Ok(name);
        }
    }
    match entry.status {
        Status::Parked => Ok("parked"),
        Status::Shipped => Ok("shipped"),
        Status::Abandoned => Ok("abandoned"),
        Status::Halted => Ok("halted"),
        status @ (Status::Pending | Status::InProgress) => {
            Err(format!("{task} is nowhere, and {status:?}"))
        }
    }
}

fn told(input: &Input, events: &[Event], task: &TaskId) -> String {
    let has_turn = |event: &Event| matches!(event, Event::TurnGiven { task: it } if it == task);
    match input {
        _ if events.iter().any(has_turn) => "turn given".to_owned(),
        Input::Heard { status, .. } => format!("heard: {}", tag(status)),
        Input::Admit { .. }
        | Input::Emit { .. }
        | Input::Decide { .. }
        | Input::Plan { .. }
        | Input::Split { .. }
        | Input::Amend { .. }
        | Input::Rewire { .. }
        | Input::Parallel { .. }
        | Input::Opened { .. }
        | Input::Dispatched { .. }
        | Input::Run(_) => tag(input),
    }
}

fn both() -> Result<[TaskId; 2], String> {
    let named = |name: &str| TaskId::new(name).map_err(|error| error.to_string());
    Ok([named("T-1")?, named("T-2")?])
}

const STATES: [&str; 9] = [
    "unknown",
    "to open",
    "waiting",
    "to dispatch",
    "at work",
    "parked",
    "halted",
    "shipped",
    "abandoned",
];
const TOLD: [Status; 5] =
    [Status::InProgress, Status::Parked, Status::Halted, Status::Shipped, Status::Abandoned];
/// Two tasks have a few hundred.
const STATES_MAX: usize = 10_000;
