//! The machine without memory that the pipeline refines: its steps, read from the specification.

use std::collections::HashSet;

use anyhow::{Result, ensure};
use sealwright_kernel::pipeline::properties::Taken;
use sealwright_kernel::pipeline::{Kind, State};

use crate::workspace::root;

/// The steps of the machine without memory, and those that the pipeline has beyond it.
#[derive(Debug)]
pub(super) struct Refinement {
    edges: HashSet<(State, State)>,
}

impl Refinement {
    pub(super) fn read() -> Result<Self> {
        let text = std::fs::read_to_string(root().join(SEED))?;
        let mut edges = HashSet::new();
        for line in text.lines().filter(|it| it.contains(THEN)) {
            let (before, after) = line.split_once(THEN).unwrap_or_default();
            let after: Vec<State> = states(after)?;
            for from in states(before)? {
                edges.extend(after.iter().map(|to| (from, *to)));
            }
        }
        ensure!(edges.len() == SEED_EDGES, "{} edges in {SEED}", edges.len());
        Ok(Self { edges })
    }

    /// The name of the property, if a step breaks it.
    pub(super) fn broken_by(&self, taken: &Taken<'_>) -> Option<&'static str> {
        let (from, to) = (taken.before.state, taken.after.state);
        let is_known = from == to || self.edges.contains(&(from, to)) || is_extension(from, to);
        (!is_known).then_some("RefinesSeed")
    }
}

/// What the machine without memory has no step for.
fn is_extension(from: State, to: State) -> bool {
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
        (from, State::PipelineComplete | State::Ideating) => from.is_waiting(),
        _ => false,
    }
}

/// The states that stand in quotes.
fn states(text: &str) -> Result<Vec<State>> {
    let names = text.split('"').skip(1).step_by(2);
    names.map(|name| Ok(serde_json::from_value(name.into())?)).collect()
}

const SEED: &str = "crates/kernel/model/Seed.tla";
const SEED_EDGES: usize = 110;
const THEN: &str = "pipelineState' ";
