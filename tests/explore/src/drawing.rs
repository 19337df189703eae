//! A machine as a drawing: its states, and every way between them that a walk met.
//!
//! States and ways are named by the machines' own words, as they stand in journals. So a drawing cannot say what a
//! machine does not do.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use sealwright_kernel::invocation::{self, Invocation};
use sealwright_kernel::owner::{Autonomy, Header};
use sealwright_kernel::slice::{self, Slice};
use sealwright_kernel::task::{Freeze, Input, Says, Stage, Task};
use sealwright_kernel::{Digest, Lane, Machine};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::walk::{Hand, Move, Step, World, walk};
use crate::{invocations, projects, slices, tasks};

/// The states of a machine and the ways between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawing {
    /// Its states that a walk came to, in the order they are declared.
    pub states: Vec<String>,
    /// Where it can end.
    pub ends: BTreeSet<String>,
    /// From where to where, by whose hand, and by which words.
    pub ways: BTreeMap<(String, String, Whose), BTreeSet<String>>,
}

/// Who leads a machine along a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Whose {
    /// An answer to what the machine asked of the world.
    World,
    /// A person.
    Person,
}

/// One role, asked for one result.
pub fn invocation() -> Result<Drawing, String> {
    let mut drawing = Drawing::declared::<invocation::State>();
    for world in invocations::worlds() {
        let name = |machine: &Invocation| tag(machine.state());
        drawing.walked(world, Invocation::default(), &name, &tag)?;
    }
    Ok(drawing.without_the_unseen())
}

/// The smallest change.
pub fn slice() -> Result<Drawing, String> {
    let mut drawing = Drawing::declared::<slice::State>();
    for unknowns in [0, 1] {
        let name = |machine: &Slice| tag(machine.state());
        drawing.walked(slices::world(unknowns)?, Slice::default(), &name, &tag)?;
    }
    Ok(drawing.without_the_unseen())
}

/// A piece of work that stands alone, in the lanes that differ in their stages.
pub fn task() -> Result<Drawing, String> {
    let mut drawing = Drawing::declared::<Stage>();
    let rung = |autonomy| Header { autonomy, ..Header::default() };
    for (lane, autonomy, freeze) in [
        (Lane::Quick, Autonomy::Auto, Freeze::Asked),
        (Lane::Quick, Autonomy::Auto, Freeze::InAdvance),
        (Lane::Factory, Autonomy::Conservative, Freeze::Asked),
    ] {
        let name = |machine: &Task| tag(machine.stage());
        let world = tasks::world(lane, rung(autonomy), freeze);
        drawing.walked(world, Task::default(), &name, &said_to_a_task)?;
    }
    Ok(drawing.without_the_unseen())
}

/// A task, as its project sees it.
pub fn project() -> Result<Drawing, String> {
    projects::drawing()
}

impl Drawing {
    /// Nothing but the states that are declared.
    fn declared<S: DeserializeOwned>() -> Self {
        Self { states: variants::<S>(), ..Self::default() }
    }

    pub(crate) fn add(&mut self, from: String, to: String, whose: Whose, said: String) {
        self.ways.entry((from, to, whose)).or_default().insert(said);
    }

    fn walked<M: Machine, W: World<M>>(
        &mut self,
        world: W,
        start: M,
        name: &dyn Fn(&M) -> String,
        said: &dyn Fn(&M::Input) -> String,
    ) -> Result<(), String>
    where
        W::Ghost: Default,
    {
        let onlooker = Onlooker { world, name, said, drawing: RefCell::new(self.clone()) };
        walk(&onlooker, start, W::Ghost::default(), STATES_MAX)?;
        *self = onlooker.drawing.into_inner();
        Ok(())
    }

    /// Without the states that no way leads to or from here.
    pub(crate) fn without_the_unseen(mut self) -> Self {
        let seen =
            |state: &String| self.ways.keys().any(|(from, to, _)| state == from || state == to);
        self.states.retain(seen);
        self
    }
}

/// A world, and somebody who writes down which ways are taken in it.
struct Onlooker<'o, M: Machine, W> {
    world: W,
    name: &'o dyn Fn(&M) -> String,
    said: &'o dyn Fn(&M::Input) -> String,
    drawing: RefCell<Drawing>,
}

impl<M: Machine, W: World<M>> World<M> for Onlooker<'_, M, W> {
    type Ghost = W::Ghost;

    fn moves(&self, machine: &M) -> Vec<Move<M>> {
        self.world.moves(machine)
    }

    fn key(&self, machine: &M, ghost: &W::Ghost) -> Digest {
        self.world.key(machine, ghost)
    }

    fn step(&self, step: &Step<'_, M>, ghost: &W::Ghost) -> Result<W::Ghost, String> {
        let whose = match step.hand {
            Hand::World | Hand::Liar => Whose::World,
            Hand::Person => Whose::Person,
        };
        let (from, to) = ((self.name)(step.before), (self.name)(step.after));
        let mut drawing = self.drawing.borrow_mut();
        if step.after.is_over() {
            drawing.ends.insert(to.clone());
        }
        drawing.add(from, to, whose, (self.said)(step.input));
        self.world.step(step, ghost)
    }

    fn state(&self, machine: &M, ghost: &W::Ghost) -> Result<(), String> {
        self.world.state(machine, ghost)
    }
}

fn said_to_a_task(input: &Input) -> String {
    match input {
        Input::Report { report, .. } => tag(report),
        Input::Slice { input } => format!("slice: {}", tag(input)),
        Input::Person { says: Says::Decide { choice, .. }, .. } => tag(choice),
        Input::Person { says: Says::Resolve { resolution, .. }, .. } => tag(resolution),
        Input::Person { says, .. } => tag(says),
        Input::Notice { notice } => tag(notice),
        Input::Create { .. } | Input::Dispatch | Input::Spend { .. } => tag(input),
    }
}

/// What a value of a closed set is called in a journal, in words.
pub(crate) fn tag(value: &impl Serialize) -> String {
    let name = match serde_json::to_value(value).unwrap_or(Value::Null) {
        Value::String(name) => name,
        Value::Object(members) => match members.get("action").and_then(Value::as_str) {
            Some(action) => action.to_owned(),
            None => members.keys().next().cloned().unwrap_or_default(),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => String::new(),
    };
    in_words(&name)
}

fn in_words(name: &str) -> String {
    match name.chars().any(char::is_lowercase) {
        true => name.replace('_', " "),
        // What people type stays as they type it.
        false => name.to_owned(),
    }
}

/// The variants of a closed set in the order they are declared, as it lists them to whoever offers another.
fn variants<S: DeserializeOwned>() -> Vec<String> {
    let offered = serde_json::from_value::<S>(Value::String("unheard of".to_owned()));
    let told = offered.err().map(|error| error.to_string()).unwrap_or_default();
    let (_, expected) = told.split_once("expected ").unwrap_or_default();
    expected.split('`').skip(1).step_by(2).map(in_words).collect()
}

/// As many as the largest walk here has, three times.
const STATES_MAX: usize = 400_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invocation_is_drawn_with_every_state_and_its_two_retries() {
        let drawing = invocation().unwrap();
        let expected = [
            "idle",
            "requested",
            "context built",
            "running",
            "captured",
            "accepted",
            "rejected",
            "aborted",
        ];
        assert_eq!(drawing.states, expected);
        assert_eq!(drawing.ends, ["accepted", "rejected", "aborted"].map(str::to_owned).into());
        let leads = |from: &str, to: &str| {
            drawing.ways.keys().any(|(source, target, _)| source == from && target == to)
        };
        assert!(leads("captured", "accepted") && leads("rejected", "requested"));
        assert!(!leads("running", "accepted"), "nothing is believed before it was looked at");
    }

    #[test]
    fn a_task_of_a_project_waits_for_its_turn() {
        let drawing = project().unwrap();
        let from: BTreeSet<&str> = drawing
            .ways
            .keys()
            .filter(|(_, to, _)| to == "at work")
            .map(|(from, _, _)| from.as_str())
            .collect();
        assert!(!from.contains("waiting") && from.contains("to dispatch"), "{from:?}");
    }
}
