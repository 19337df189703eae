//! A visit to one room: where it is built, what runs in it, and how each command ended.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use sealwright_kernel::{Digest, Level};

use crate::plan::{Limits, Plan};
use crate::room::error::RoomError;
use crate::room::outcome::{Report, Tampering};
use crate::{Cancel, Mechanism, RunOutcome, SandboxSlot, Terms};

#[derive(Clone, Debug)]
pub struct Conditions<'c> {
    /// The mechanism. It must give a root of its own.
    pub mechanism: Mechanism,
    /// The least level of isolation.
    pub least: Level,
    pub cancel: Option<&'c Cancel>,
}

impl Conditions<'_> {
    /// These walls, and nothing that ends a check early.
    pub fn new(mechanism: Mechanism, least: Level) -> Self {
        Self { mechanism, least, cancel: None }
    }

    pub(crate) fn run(&self, slot: &SandboxSlot, plan: &Plan) -> Result<RunOutcome, RoomError> {
        let mut terms = Terms::new(self.mechanism.clone(), self.least);
        terms.cancel = self.cancel;
        Ok(slot.run(plan, terms)?)
    }
}

/// Where a room is built, and with what around it.
pub(crate) struct Site<'s> {
    pub(crate) slot: &'s SandboxSlot,
    pub(crate) conditions: &'s Conditions<'s>,
    pub(crate) place: &'s Path,
    pub(crate) limits: Limits,
}

/// The tests that are run in a room, by file; of a file without any, all.
pub(crate) type Only = BTreeMap<String, Vec<String>>;

/// Which tests are run in a room.
#[derive(Clone, Copy)]
pub(crate) struct Selection<'s> {
    pub(crate) only: Option<&'s Only>,
    /// Tests that failed before the change, by suite and name.
    pub(crate) known_failing: &'s [(String, String)],
    /// Whether those run as well, apart, after all others.
    pub(crate) runs_known_failing: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Visit {
    pub(crate) build: Option<RunOutcome>,
    pub(crate) runs: Vec<Run>,
    pub(crate) reports: Vec<Report>,
    pub(crate) artifacts: BTreeMap<String, Digest>,
    pub(crate) plans: Vec<Digest>,
    pub(crate) tampering: Vec<Tampering>,
    /// The runs whose executables have no test harness.
    pub(crate) without_harness: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) name: String,
    pub(crate) tests: Vec<String>,
    pub(crate) outcome: RunOutcome,
    /// Whether it runs only tests that failed before.
    pub(crate) is_known_failing: bool,
}

impl Visit {
    pub(crate) fn outcomes(&self) -> impl Iterator<Item = &RunOutcome> {
        let runs = self.runs.iter().filter(|run| !run.is_known_failing);
        self.build.iter().chain(runs.map(|run| &run.outcome))
    }
}

impl Site<'_> {
    /// A plan that sees the system, with the room's limits.
    pub(crate) fn plan(&self, argv: &[&str]) -> Result<Plan, RoomError> {
        let mut plan = crate::system::plan(self.slot, argv)?;
        plan.limits = self.limits;
        Ok(plan)
    }

    /// Runs a plan here, and notes what it had around it.
    pub(crate) fn run(
        &self,
        plan: &Plan,
        plans: &mut Vec<Digest>,
    ) -> Result<RunOutcome, RoomError> {
        plans.push(plan.shape());
        self.conditions.run(self.slot, plan)
    }
}

/// Reads something the harness was given. An error names it.
pub(crate) fn reading<T>(
    path: &Path,
    read: impl FnOnce(&Path) -> io::Result<T>,
) -> Result<T, RoomError> {
    read(path).map_err(|source| RoomError::Read { path: path.display().to_string(), source })
}
