//! Every run that a table allows, found by taking every step.

use std::collections::{BTreeSet, HashSet};
use std::fmt;

use anyhow::{Result, ensure};
use sealwright_kernel::pipeline::properties::{INVARIANTS, STEP_PROPERTIES, Taken};
use sealwright_kernel::pipeline::{Kind, Pipeline, Rules, State, Step};

use crate::workspace::root;

/// What there is to reach. The first run counts as a step, as TLC has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Explored {
    pub(super) runs: usize,
    pub(super) steps: usize,
    pub(super) rows: usize,
}

/// A property that does not hold.
#[derive(Debug)]
pub(super) struct Broken {
    pub(super) property: &'static str,
    at: Pipeline,
    step: Option<Step>,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} does not hold: {:?}", self.property, self.at)?;
        self.step.map_or(Ok(()), |step| write!(f, ", {step:?}"))
    }
}

/// Takes every step from the first run on, and stops where a property does not hold.
pub(super) fn explore(rules: Rules<'_>, refinement: &Refinement) -> Result<Explored, Broken> {
    let (mut seen, mut rows) = (HashSet::new(), BTreeSet::new());
    let (mut open, mut steps) = (vec![Pipeline::default()], 1);
    seen.insert(Pipeline::default());
    while let Some(at) = open.pop() {
        let broken = INVARIANTS.iter().find(|(_, holds)| !holds(&at, rules));
        if let Some((property, _)) = broken {
            return Err(Broken { property, at, step: None });
        }
        for (row, step, next) in rules.steps(at) {
            let taken = Taken { before: &at, step, after: &next, rules };
            let broken = STEP_PROPERTIES.iter().find(|(_, holds)| !holds(&taken));
            let broken = broken.map(|(property, _)| *property);
            let property = broken.or_else(|| refinement.broken_by(at.state, next.state));
            if let Some(property) = property {
                return Err(Broken { property, at, step: Some(step) });
            }
            rows.insert((row.from, row.action, row.to));
            steps += 1;
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    Ok(Explored { runs: seen.len(), steps, rows: rows.len() })
}

/// The steps of the machine without memory, and those that the pipeline has beyond it.
#[derive(Debug)]
pub(super) struct Refinement {
    edges: HashSet<(String, String)>,
}

impl Refinement {
    pub(super) fn read() -> Result<Self> {
        let text = std::fs::read_to_string(root().join(SEED))?;
        let mut edges = HashSet::new();
        for line in text.lines().filter(|it| it.contains(THEN)) {
            let (before, after) = line.split_once(THEN).unwrap_or_default();
            for from in quoted(before) {
                edges.extend(quoted(after).map(|to| (from.to_owned(), to.to_owned())));
            }
        }
        ensure!(edges.len() == SEED_EDGES, "{} edges in {SEED}", edges.len());
        Ok(Self { edges })
    }

    fn broken_by(&self, from: State, to: State) -> Option<&'static str> {
        let edge = (format!("{from:?}"), format!("{to:?}"));
        let is_known = from == to || self.edges.contains(&edge) || is_extension(from, to);
        (!is_known).then_some("RefinesSeed")
    }
}

/// What the machine without memory has no step for.
fn is_extension(from: State, to: State) -> bool {
    let is_waiting = |it: State| it.kind() == Kind::Waiting || it == State::ReconcileBlocked;
    let is_fixing = |it: State| matches!(it.kind(), Kind::Fixing(_));
    let is_passed = |it: State| matches!(it.kind(), Kind::Passed(_));
    match (from, to) {
        (State::VerifyFixing, State::Reviewing)
        | (State::DeployRetrying, State::Building)
        | (State::IterationConfirmed, State::Expanding) => true,
        (from, State::BlockedOnGate) => from.phase().is_some(),
        (from, State::SessionDropped) => from.kind() == Kind::Aside,
        (from, State::ContextRecovering) => is_passed(from) || from == State::SteppedModePaused,
        (State::ContextRecovering, to) => to.kind() == Kind::Aside || is_fixing(to),
        (
            State::ReconcileBlocked,
            State::Expanding | State::Designing | State::Analyzing | State::Building,
        ) => true,
        (from, State::PipelineComplete | State::Ideating) => is_waiting(from),
        _ => false,
    }
}

fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('"').skip(1).step_by(2)
}

const SEED: &str = "crates/kernel/model/Seed.tla";
const SEED_EDGES: usize = 110;
const THEN: &str = "pipelineState' ";
