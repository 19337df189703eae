//! A machine as a drawing: its states, and every way between them that a walk met.
//!
//! States and ways are named by the machines' own words, as they stand in journals, and a way is drawn only after the
//! machine has taken it. So a drawing cannot say what a machine does not do. It may leave out what needs more than a few
//! troubles on one way; the walks of the proof leave out nothing.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use sealwright_kernel::invocation::{self, Invocation};
use sealwright_kernel::owner::{Autonomy, Header};
use sealwright_kernel::task::slice::{self, Slice};
use sealwright_kernel::task::{Freeze, Input, PersonInput, Stage, Task};
use sealwright_kernel::{Digest, Lane, Machine};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::walk::{Hand, Move, Step, World};
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
        let how = How { name: &name, said: &tag };
        drawing.walked(&world, Invocation::default(), &how)?;
    }
    Ok(drawing.without_the_unseen())
}

/// The smallest change.
pub fn slice() -> Result<Drawing, String> {
    let mut drawing = Drawing::declared::<slice::State>();
    for unknowns in [0, 1] {
        let name = |machine: &Slice| tag(machine.state());
        let how = How { name: &name, said: &tag };
        drawing.walked(&slices::world(unknowns)?, Slice::default(), &how)?;
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
        let how = How { name: &name, said: &said_to_a_task };
        drawing.walked(&world, Task::default(), &how)?;
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

    /// Takes every way that can be taken with at most so many troubles: answers that are not the honest one.
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
                // How a person answers a halt is no trouble; it is what ends one.
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

    /// Without the states that no way leads to or from here.
    pub(crate) fn without_the_unseen(mut self) -> Self {
        let seen =
            |state: &String| self.ways.keys().any(|(from, to, _)| state == from || state == to);
        self.states.retain(seen);
        self
    }
}

/// How a machine is drawn.
struct How<'h, M: Machine> {
    /// What a state is called.
    name: &'h dyn Fn(&M) -> String,
    /// What an input is called.
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

/// Where a task stands that a person has to answer for.
const HALTED: &str = "halted";
/// What is counted is counted to three or four; one more may have led there.
const TROUBLES_MAX: u32 = 5;
/// Far more than there are.
const STATES_MAX: usize = 100_000;

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
