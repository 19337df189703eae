//! The walk over the slice machine, and its invariants.

use sealwright_kernel::scripted;
use sealwright_kernel::task::slice::{
    Charter, Event, GateKind, GateOutcome, Input, Rung, Slice, State,
};
use sealwright_kernel::{Digest, Machine as _, SliceId, Source, TaskId, Verdict};

use crate::key::key_without;
use crate::walk::{Hand, Move, Step, Walked, World, walk};

pub fn explore(unknowns: usize) -> Result<Walked, String> {
    walk(&world(unknowns)?, Slice::default(), Default::default(), STATES_MAX)
}

pub(crate) fn world(unknowns: usize) -> Result<impl World<Slice, Ghost: Default>, String> {
    let unknowns = (0..unknowns).map(|nth| format!("unknown {nth}")).collect();
    let charter = Charter {
        task: TaskId::new("T-x").map_err(|error| error.to_string())?,
        id: SliceId::new(1),
        planned: scripted::planned(unknowns),
        tree: scripted::tree_after(Digest::ZERO),
        parent: None,
        evidence_before: 0,
    };
    Ok(Scripted { charter })
}

struct Scripted {
    charter: Charter,
}

/// The expected counters, derived from the answers alone.
#[derive(Clone, Debug, Default)]
struct Ghost {
    fails: [u32; 2],
    runs: u32,
    audited_since_third: bool,
    iteration: u32,
}

impl World<Slice> for Scripted {
    type Ghost = Ghost;

    fn moves(&self, slice: &Slice) -> Vec<Move<Slice>> {
        let begin = Input::Begin { charter: self.charter.clone() };
        let Some(effect) = slice.owed().into_iter().next() else {
            // A slice begins once.
            let hand = if slice.charter().is_some() { Hand::Liar } else { Hand::World };
            return vec![Move { input: begin, hand }];
        };
        let by = |hand| move |input| Move { input, hand };
        let answers = scripted::slice_answers(&effect).into_iter().map(by(Hand::World));
        let lies = scripted::slice_lies(&effect).into_iter().map(by(Hand::Liar));
        answers.chain(lies).chain([Move { input: begin, hand: Hand::Liar }]).collect()
    }

    fn key(&self, slice: &Slice, ghost: &Ghost) -> Digest {
        // The content of snapshots grows along the path and decides nothing.
        let left_out = [
            "requests",
            "evidence",
            "consolidated",
            "resolved",
            "open",
            "iteration",
            "parent",
            "unknowns",
            "captured",
            "scope_cap",
            "tree",
        ];
        key_without(slice, &left_out, &(ghost.fails, ghost.runs, ghost.audited_since_third))
    }

    fn step(&self, step: &Step<'_, Slice>, ghost: &Ghost) -> Result<Ghost, String> {
        let mut ghost = ghost.clone();
        let (from, to) = (name(step.before.state()), name(step.after.state()));
        if !EDGES.contains(&(from, to)) {
            return Err(format!("no edge leads from {from} to {to}"));
        }
        let snapshot = step.after.snapshot().ok_or("a slice has no snapshot")?;
        let number = snapshot.header.iteration.number();
        if number < ghost.iteration {
            return Err("a snapshot number went back".to_owned());
        }
        let wrote = number > ghost.iteration;
        if wrote && number != ghost.iteration + 1 {
            return Err("a snapshot number was left out".to_owned());
        }
        ghost.iteration = number;
        match step.input {
            Input::GateRan { run, .. } => {
                let (nth, kind) = match step.before.state() {
                    State::IterGate { .. } => (0, GateKind::Iteration),
                    _ => (1, GateKind::Exit),
                };
                if !wrote {
                    return Err("a gate ran and no snapshot was written".to_owned());
                }
                if run.verdict == Verdict::CannotTell {
                    return expect(to == "escalated", "what cannot be told is not a pass", ghost);
                }
                ghost.runs += 1;
                let exits_well = matches!(&run.evidence.source, Source::Command { exit: 0, .. });
                let passes = run.verdict == Verdict::Pass
                    && exits_well
                    && run.unmet.is_empty()
                    && run.cheats.is_empty()
                    && run.failures.is_empty()
                    && Some(run.evidence.tree) == step.before.tree();
                ghost.fails[nth] = if passes { 0 } else { ghost.fails[nth] + 1 };
                let header = &snapshot.header;
                if [header.iteration_fails, header.exit_fails] != ghost.fails {
                    return Err(format!("the header counts {header:?} instead of {ghost:?}"));
                }
                let outcome = if passes { GateOutcome::Pass } else { GateOutcome::Fail };
                if header.last_run != Some((kind, outcome)) {
                    return Err("the header does not say how the gate ended".to_owned());
                }
                let streak = ghost.fails[nth];
                let is_same = run.fingerprint == Some(self.charter.planned.fingerprint);
                if streak == 3 {
                    ghost.audited_since_third = false;
                }
                let right = match (passes, kind) {
                    (true, GateKind::Exit) if is_same => to == "delivered",
                    (true, GateKind::Exit) => to == "escalated",
                    (true, GateKind::Iteration) if ghost.runs == 12 => to == "escalated",
                    (true, GateKind::Iteration) => to == "planning" || to == "exit gate",
                    (false, _) if streak >= 4 || ghost.runs == 12 => to == "escalated",
                    (false, _) if ghost.fails.contains(&3) => to == "audit due",
                    (false, _) => to == "ladder",
                };
                expect(right, "a gate led elsewhere than the table says", ghost)
            }
            Input::Audited { .. } => expect(!wrote, "a raw report was made a snapshot", ghost),
            Input::Consolidated { .. } => {
                if from == "audit consolidating" {
                    ghost.audited_since_third = true;
                }
                expect(wrote, "a consolidation wrote no snapshot", ghost)
            }
            Input::RungChosen { rung, .. } => {
                let is_audited = !ghost.fails.contains(&3) || ghost.audited_since_third;
                let right = match rung {
                    Rung::FixForward => "editing",
                    Rung::Rescout => "scouting",
                    Rung::Replan => "planning",
                };
                expect(to == right && is_audited, "the ladder was left without an audit", ghost)
            }
            Input::Blocked { .. } => {
                expect(to == "scouting" || to == "escalated", "a need led elsewhere", ghost)
            }
            Input::Begin { .. }
            | Input::Scouted { .. }
            | Input::Planned { .. }
            | Input::Edited { .. }
            | Input::Impossible { .. } => {
                let gates = [snapshot.header.iteration_fails, snapshot.header.exit_fails];
                let is_told = step.events.iter().all(|it| !matches!(it, Event::Delivered { .. }));
                expect(gates == ghost.fails && is_told, "only a gate run counts", ghost)
            }
        }
    }

    fn state(&self, slice: &Slice, _ghost: &Ghost) -> Result<(), String> {
        let owed = slice.owed().len();
        let is_begun = slice.charter().is_some();
        let right = if slice.is_over() || !is_begun { owed == 0 } else { owed == 1 };
        let ends = matches!(slice.state(), State::Delivered { .. } | State::Escalated { .. });
        if right && ends == slice.is_over() && slice.gate_runs() <= 12 {
            return Ok(());
        }
        Err(format!("{:?} owes {owed} things", slice.state()))
    }
}

fn expect(holds: bool, why: &str, ghost: Ghost) -> Result<Ghost, String> {
    if holds { Ok(ghost) } else { Err(why.to_owned()) }
}

fn name(state: &State) -> &'static str {
    match state {
        State::Idle => "idle",
        State::Scouting { .. } => "scouting",
        State::Consolidating { .. } => "consolidating",
        State::Planning => "planning",
        State::Editing { .. } => "editing",
        State::IterGate { .. } => "iteration gate",
        State::ExitGate => "exit gate",
        State::Ladder => "ladder",
        State::AuditDue => "audit due",
        State::AuditConsolidating { .. } => "audit consolidating",
        State::Delivered { .. } => "delivered",
        State::Escalated { .. } => "escalated",
    }
}

/// About three times the number that exists.
const STATES_MAX: usize = 60_000;

const EDGES: &[(&str, &str)] = &[
    ("idle", "scouting"),
    ("idle", "consolidating"),
    ("scouting", "scouting"),
    ("scouting", "consolidating"),
    ("scouting", "escalated"),
    ("consolidating", "planning"),
    ("consolidating", "escalated"),
    ("planning", "editing"),
    ("planning", "scouting"),
    ("planning", "escalated"),
    ("editing", "iteration gate"),
    ("editing", "planning"),
    ("editing", "scouting"),
    ("editing", "escalated"),
    ("iteration gate", "planning"),
    ("iteration gate", "exit gate"),
    ("iteration gate", "ladder"),
    ("iteration gate", "audit due"),
    ("iteration gate", "escalated"),
    ("exit gate", "ladder"),
    ("exit gate", "audit due"),
    ("exit gate", "delivered"),
    ("exit gate", "escalated"),
    ("ladder", "editing"),
    ("ladder", "scouting"),
    ("ladder", "planning"),
    ("ladder", "escalated"),
    ("audit due", "audit consolidating"),
    ("audit due", "escalated"),
    ("audit consolidating", "ladder"),
    ("audit consolidating", "escalated"),
];
