//! A machine as a graph: its states, and every transition that a walk took.
//!
//! Names are those in journals, and a transition is drawn only after the machine took it, so a drawing shows nothing
//! that the machine does not do. It may omit paths that need more than a few dishonest answers; the walks of the proof
//! omit nothing.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use sealwright_kernel::owner::{Autonomy, Header};
use sealwright_kernel::task::slice::{self, Slice};
use sealwright_kernel::task::{Freeze, Input, PersonInput, Stage, Task};
use sealwright_kernel::{Digest, Lane, Machine};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::walk::{Hand, Move, Step, World};
use crate::{projects, slices, tasks};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawing {
    /// The states that the walk reached, in the order of their declaration.
    pub states: Vec<String>,
    pub ends: BTreeSet<String>,
    /// From, to and actor, with the names of the inputs.
    pub ways: BTreeMap<(String, String, Whose), BTreeSet<String>>,
}

/// Who causes a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Whose {
    /// The answer to an effect.
    World,
    Person,
}

pub fn slice() -> Result<Drawing, String> {
    let mut drawing = Drawing::declared::<slice::State>();
    for unknowns in [0, 1] {
        let name = |machine: &Slice| tag(machine.state());
        let how = How { name: &name, said: &tag };
        drawing.walked(&slices::world(unknowns)?, Slice::default(), &how)?;
    }
    Ok(drawing.without_the_unseen())
}

/// A standalone task, in all lanes with different stages.
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
        let how = How { name: &name, said: &said_to_a_task };
        drawing.walked(&world, Task::default(), &how)?;
    }
    Ok(drawing.without_the_unseen())
}

/// A task as its project sees it.
pub fn project() -> Result<Drawing, String> {
    projects::drawing()
}

impl Drawing {
    fn declared<S: DeserializeOwned>() -> Self {
        Self { states: variants::<S>(), ..Self::default() }
    }

    pub(crate) fn add(&mut self, from: String, to: String, whose: Whose, said: String) {
        self.ways.entry((from, to, whose)).or_default().insert(said);
    }

    /// Takes every transition that is reachable with a bounded number of dishonest answers.
    fn walked<M: Machine, W: World<M>>(
        &mut self,
        world: &W,
        start: M,
        how: &How<'_, M>,
    ) -> Result<(), String>
    where
        W::Ghost: Default,
    {
        let mut known: HashSet<(Digest, u32)> = HashSet::new();
        let mut open: VecDeque<(M, W::Ghost, u32)> = [(start, W::Ghost::default(), 0)].into();
        while let Some((machine, ghost, troubles)) = open.pop_front() {
            let from = (how.name)(&machine);
            let honest = world.moves(&machine).into_iter().filter(|it| it.hand != Hand::Liar);
            for (nth, Move { input, hand }) in honest.enumerate() {
                // A person's answer to a halt does not count as trouble.
                let is_trouble = nth > 0 && from != HALTED;
                let troubles = troubles + u32::from(is_trouble);
                let Ok(events) = machine.decide(&input) else { continue };
                let mut after = machine.clone();
                events.iter().for_each(|event| after.evolve(event));
                let to = (how.name)(&after);
                let whose = match hand {
                    Hand::World | Hand::Liar => Whose::World,
                    Hand::Person => Whose::Person,
                };
                if after.is_over() {
                    self.ends.insert(to.clone());
                }
                self.add(from.clone(), to, whose, (how.said)(&input));
                let (before, events) = (&machine, &events[..]);
                let step = Step { before, input: &input, hand, events, after: &after };
                let ghost = world.step(&step, &ghost)?;
                if troubles <= TROUBLES_MAX && known.insert((world.key(&after, &ghost), troubles)) {
                    open.push_back((after, ghost, troubles));
                }
                if known.len() > STATES_MAX {
                    return Err(format!("more than {STATES_MAX} states; something is not bounded"));
                }
            }
        }
        Ok(())
    }

    /// Without the states that have no transition here.
    pub(crate) fn without_the_unseen(mut self) -> Self {
        let seen =
            |state: &String| self.ways.keys().any(|(from, to, _)| state == from || state == to);
        self.states.retain(seen);
        self
    }
}

/// How to name states and inputs.
struct How<'h, M: Machine> {
    name: &'h dyn Fn(&M) -> String,
    said: &'h dyn Fn(&M::Input) -> String,
}

fn said_to_a_task(input: &Input) -> String {
    match input {
        Input::Report { report, .. } => tag(report),
        Input::Slice { input } => format!("slice: {}", tag(input)),
        Input::Person { says: PersonInput::Decide { choice, .. }, .. } => tag(choice),
        Input::Person { says: PersonInput::Resolve { resolution, .. }, .. } => tag(resolution),
        Input::Person { says, .. } => tag(says),
        Input::Notice { notice } => tag(notice),
        Input::Create { .. } | Input::Base { .. } | Input::Dispatch | Input::Spend { .. } => {
            tag(input)
        }
    }
}

/// The journal name of an enum value, with spaces.
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
    // Upper-case names stay as people type them.
    if name.chars().any(char::is_lowercase) { name.replace('_', " ") } else { name.to_owned() }
}

/// The variants of an enum in the order of their declaration, as serde lists them when it refuses an unknown one.
fn variants<S: DeserializeOwned>() -> Vec<String> {
    let offered = serde_json::from_value::<S>(Value::String("unheard of".to_owned()));
    let told = offered.err().map(|error| error.to_string()).unwrap_or_default();
    let (_, expected) = told.split_once("expected ").unwrap_or_default();
    expected.split('`').skip(1).step_by(2).map(in_words).collect()
}

const HALTED: &str = "halted";
/// Counters go up to three or four; one more step may have led there.
const TROUBLES_MAX: u32 = 5;
/// Far more than exist.
const STATES_MAX: usize = 100_000;

#[cfg(test)]
mod tests {
    use super::*;

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
