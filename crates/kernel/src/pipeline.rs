//! The pipeline: which phase of a version a project is in, and which gates hold.
//!
//! ```text
//! Expand ─▶ Design ─▶ Analyze ─▶ Build ─▶ Review ─▶ Reconcile ─▶ Verify ─▶ Deploy ─▶ complete ─▶ iterate …
//!    └── each: working ─▶ gate ─▶ passed │ retrying ─▶ working │ after three failures: blocked, a person decides
//! ```
//!
//! Freshness is a prefix of the eight phases. Whatever interrupts a run (a pause, a lost process, a block, the brake, a
//! hand edit, an iteration) makes gates stale, and one rule says where it goes on: at the earliest phase whose gate is not
//! fresh. The rest is a table of 151 rows ([`table::ROWS`]), model-checked as `crates/kernel/model/Pipeline.tla`.
//!
//! The table says what may follow; whether a gate passed is for the project to establish from evidence.

mod actions;
mod fresh;
pub mod properties;
mod row;
pub mod table;
mod vocabulary;
#[cfg(any(test, feature = "testing"))]
pub mod walk;

use serde::{Deserialize, Serialize};

use crate::Actor;

pub use fresh::Fresh;
pub use row::{Guard, Party, Row, Set};
pub use vocabulary::{Action, Change, Kind, Mode, Phase, State, Step};

/// A run, at rest between two steps.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Pipeline {
    pub state: State,
    pub fresh: Fresh,
    pub fails: Fails,
    pub mode: Mode,
    pub history: History,
    /// Whether a version passed its last gate.
    pub is_delivered: bool,
}

/// Failed evaluations of each gate since it last passed.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Fails([u8; 8]);

/// Where a run came from, as long as it has to be known. Each follows from the fresh gates and is kept as a check.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct History {
    /// The phase behind a pause.
    pub pause_next: Option<State>,
    /// Where a person asked for a reconcile.
    pub reconcile_return: Option<State>,
    /// What was lost with the process.
    pub interrupted: Option<State>,
    /// Where a distillation was asked for.
    pub distill_return: Option<State>,
    /// The phase whose gate, or whose STOP, blocked the run.
    pub blocked_at: Option<Phase>,
}

/// Why a step is refused. The run is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("{action:?} does not happen in {state:?}")]
    NotHere { action: Action, state: State },
    /// Only a person may take it, or only the engine.
    #[error("{action:?} is a step of {by:?}")]
    NotBy { action: Action, by: Party },
    #[error("{action:?} is not possible in {state:?}: {why}")]
    Unmet { action: Action, state: State, why: &'static str },
    /// It names a change or a mode where there is none to name, or none where there has to be one.
    #[error("{action:?} does not carry this")]
    Payload { action: Action },
}

impl Pipeline {
    /// The run after a step.
    pub fn step(&self, step: &Step, by: &Actor) -> Result<Self, Refused> {
        let Step { action, change, mode } = *step;
        let state = self.state;
        let mut rows = Rules::OURS.rows_of(state).filter(|it| it.action == action).peekable();
        let Some(first) = rows.peek() else { return Err(Refused::NotHere { action, state }) };
        let is_theirs = match by {
            Actor::Human(_) => first.by == Party::Human && by.person().is_some(),
            Actor::Machine | Actor::Environment => first.by != Party::Human,
            // What a role says decides nothing; what the engine saw of its work does.
            Actor::Role(..) => false,
        };
        if !is_theirs {
            return Err(Refused::NotBy { action, by: first.by });
        }
        if !action.changes().contains(&change) || !action.modes().contains(&mode) {
            return Err(Refused::Payload { action });
        }
        let mut why = "";
        for row in rows {
            match Rules::OURS.unmet(row, self, step) {
                None => return Ok(Rules::OURS.taken(row, self, step)),
                Some(guard) => why = guard.unmet(),
            }
        }
        Err(Refused::Unmet { action, state, why })
    }

    /// The steps that are possible now, with the run after each.
    pub fn steps(&self) -> impl Iterator<Item = (&'static Row, Step, Self)> {
        Rules::OURS.steps(*self)
    }

    /// Where a run goes on that was interrupted.
    pub fn recovers_to(&self) -> State {
        let resume = self.fresh.resume();
        let Some(cut) = self.history.interrupted else { return resume };
        match cut.kind() {
            Kind::Aside => cut,
            Kind::Fixing(phase) if phase.working() == resume => cut,
            Kind::Between
            | Kind::Working(_)
            | Kind::Fixing(_)
            | Kind::Passed(_)
            | Kind::Retrying(_)
            | Kind::Waiting
            | Kind::Recovering => resume,
        }
    }
}

/// A table, and after how many failures a gate blocks. Proofs bend both.
#[derive(Clone, Copy, Debug)]
pub struct Rules<'r> {
    pub rows: &'r [Row],
    pub fails_max: u8,
}

impl Rules<'static> {
    pub const OURS: Self = Self { rows: table::ROWS, fails_max: FAILS_MAX };
}

impl<'r> Rules<'r> {
    /// The steps that are possible, with the run after each.
    pub fn steps(self, at: Pipeline) -> impl Iterator<Item = (&'r Row, Step, Pipeline)> {
        let payloads = |action: Action| {
            let modes = move |change| action.modes().iter().map(move |mode| (change, *mode));
            action.changes().iter().flat_map(move |change| modes(*change))
        };
        let own = self.rows_of(at.state);
        let all = own.flat_map(move |row| {
            let action = row.action;
            payloads(action).map(move |(change, mode)| (row, Step { action, change, mode }))
        });
        all.filter(move |(row, step)| self.unmet(row, &at, step).is_none())
            .map(move |(row, step)| (row, step, self.taken(row, &at, &step)))
    }

    /// Whether an action is possible.
    pub fn allows(self, at: &Pipeline, is_meant: impl Fn(Action) -> bool) -> bool {
        self.steps(*at).any(|(row, ..)| is_meant(row.action))
    }

    fn rows_of(self, state: State) -> impl Iterator<Item = &'r Row> {
        self.rows.iter().filter(move |it| it.from == state)
    }

    fn unmet(self, row: &Row, at: &Pipeline, step: &Step) -> Option<Guard> {
        row.guards.iter().find(|it| !it.holds(at, step, self.fails_max)).copied()
    }

    fn taken(self, row: &Row, at: &Pipeline, step: &Step) -> Pipeline {
        let mut next = Pipeline { state: row.to, ..*at };
        for set in row.sets {
            set.apply(&mut next, step, row.from, self.fails_max);
        }
        next
    }
}

impl Fails {
    pub fn of(self, phase: Phase) -> u8 {
        self.0[phase as usize]
    }

    fn set(&mut self, phase: Phase, count: u8) {
        self.0[phase as usize] = count;
    }
}

/// The failed evaluation of a gate that blocks the run.
pub const FAILS_MAX: u8 = 3;

#[cfg(test)]
mod tests;
