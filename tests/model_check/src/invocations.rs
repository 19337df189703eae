//! The walk over the invocation machine, and its invariants.

use sealwright_kernel::invocation::{
    Access, Brief, Capture, Effect, Fault, Finding, Input, Invocation, State,
};
use sealwright_kernel::{Actor, Digest, Effect as _, InvocationId, Machine as _, Role, scripted};

use crate::key::key_without;
use crate::walk::{Hand, Move, Step, World};

/// A role that may write and one that may not.
pub(crate) fn worlds() -> Vec<impl World<Invocation, Ghost: Default>> {
    [Access::Write, Access::ReadOnly].map(|access| Asked { access }).into()
}

struct Asked {
    access: Access,
}

/// Counters of a path, derived from the answers alone.
#[derive(Clone, Debug, Default)]
struct Ghost {
    calls: u32,
    dead_in_a_row: u32,
    has_answered: bool,
}

impl World<Invocation> for Asked {
    type Ghost = Ghost;

    fn moves(&self, invocation: &Invocation) -> Vec<Move<Invocation>> {
        let by = |hand| move |input| Move { input, hand };
        let id = InvocationId::new(1);
        let brief =
            Brief { id, role: Role::Builder, access: self.access, task: Digest::of(b"a task") };
        let request = Input::Request { brief };
        let Some(effect) = invocation.owed().into_iter().next() else {
            let hand = if *invocation.state() == State::Idle { Hand::World } else { Hand::Liar };
            return vec![Move { input: request, hand }];
        };
        let cancel = |by| Input::Cancel { invocation: id, by, reason: "enough".to_owned() };
        let mut moves: Vec<Move<Invocation>> =
            answers(&effect).into_iter().map(by(Hand::World)).collect();
        moves.push(Move { input: cancel(scripted::ada()), hand: Hand::Person });
        moves.push(Move { input: cancel(Actor::Machine), hand: Hand::Liar });
        moves.push(Move { input: request, hand: Hand::Liar });
        moves
    }

    fn key(&self, invocation: &Invocation, ghost: &Ghost) -> Digest {
        key_without(invocation, &[], ghost)
    }

    fn step(&self, step: &Step<'_, Invocation>, ghost: &Ghost) -> Result<Ghost, String> {
        let mut ghost = ghost.clone();
        match step.input {
            Input::ContextBuilt { .. } => ghost.calls += 1,
            Input::Answered { .. } => (ghost.has_answered, ghost.dead_in_a_row) = (true, 0),
            Input::Aborted { .. } => ghost.dead_in_a_row += 1,
            Input::Request { .. }
            | Input::Started { .. }
            | Input::Inspected { .. }
            | Input::TreeSettled { .. }
            | Input::Cancel { .. } => {}
        }
        let is_accepted = matches!(step.after.state(), State::Accepted { .. });
        match (is_accepted && !ghost.has_answered, ghost.calls > CALLS_MAX, ghost.dead_in_a_row) {
            (true, _, _) => Err("a result counts that no call gave".to_owned()),
            (_, true, _) => Err(format!("a role was called more than {CALLS_MAX} times")),
            (_, _, dead) if dead > 3 => Err("a fourth call died in a row".to_owned()),
            (_, _, _) => Ok(ghost),
        }
    }

    fn state(&self, _: &Invocation, _: &Ghost) -> Result<(), String> {
        Ok(())
    }
}

fn answers(effect: &Effect) -> Vec<Input> {
    let id = effect.id();
    let abort = Input::Aborted { effect: id.clone(), why: Fault::TimedOut };
    let inspected = |findings| Input::Inspected { effect: id.clone(), findings };
    let unreadable = Finding::SchemaInvalid { why: "no answer".to_owned() };
    match effect {
        Effect::BuildContext { .. } => {
            vec![Input::ContextBuilt { effect: id, context: Digest::of(b"context") }, abort]
        }
        Effect::Invoke { .. } => {
            let capture = Capture { output: Digest::of(b"out"), changes: Digest::of(b"changes") };
            let answered = Input::Answered { effect: id.clone(), capture };
            vec![answered, Input::Started { effect: id }, abort]
        }
        Effect::Inspect { .. } => vec![
            inspected(vec![]),
            inspected(vec![unreadable]),
            inspected(vec![Finding::NoProgress]),
        ],
        Effect::Checkpoint { .. } | Effect::Restore { .. } => {
            vec![Input::TreeSettled { effect: id, at: Digest::of(b"tree") }]
        }
    }
}

/// Three answers, each after two failed calls.
const CALLS_MAX: u32 = 9;
