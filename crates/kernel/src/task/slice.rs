//! The slice machine: builds one small change and notices when it is stuck.
//!
//! A slice finds out what it does not know, weighs it, plans from what was weighed and from
//! nothing else, changes the tree inside the plan, and is judged by gates the machine runs.
//! Every judgement writes a new snapshot whose header counts the failures; the counters are
//! read from that header only. The third failure in a row makes an audit due, the fourth
//! sends the slice to a person, and so does the twelfth gate run.
//!
//! ```text
//!  begin ─▶ Scouting ─▶ Consolidating ─▶ Planning ─▶ Editing ─▶ IterGate ─PASS, ready─▶ ExitGate ─PASS─▶ Delivered
//!              ▲ ▲           ▲             ▲ │ ▲        ▲          │  │                    │
//!              │ └─ fact missing, cap ─────┼─┘ └─ PASS ─┼──────────┘  └── FAIL ─▶ Ladder ◀─┤ FAIL
//!              └─────── re-scout ──────────┼── re-plan ─┴─ fix ─────────────────────┘ ▲    │ third
//!                                          └─ outside the plan                        │    ▼
//!  Escalated: fourth FAIL, twelve runs,                        AuditConsolidating ◀─ AuditDue
//!  too many detours, changed interface, nothing gained
//! ```

mod snapshot;
mod steps;
mod vocabulary;

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

pub use snapshot::{
    Alarm, Certainty, FAILS_BEFORE_AUDIT, Fact, FactKind, Finder, Finding, GateKind, GateOutcome,
    Issue, NextAction, Opener, Origin, Resolved, ScopeCap, Snapshot, SnapshotHeader, is_below,
    is_inside_the_tree,
};
pub use vocabulary::{
    AfterGate, AuditReport, Charter, Claim, Diagnosis, Edit, Effect, Event, GateRun, Input, Need,
    NewFact, NewFinding, Pass, Plan, PlanAnswer, Planned, Progress, Rejected, Rung, Stuck, Want,
};

use crate::task::slice::steps::{Weighed, begin};
use crate::{Digest, EffectId, Machine};

/// One slice, at rest between two inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slice {
    state: State,
    #[serde(rename = "known")]
    data: Option<SliceData>,
}

/// The data of a slice that outlives its states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct SliceData {
    charter: Charter,
    snapshot: Snapshot,
    tree: Digest,
    plan: Option<Plan>,
    /// Number of effects requested.
    requests: u32,
    gate_runs: u32,
    /// Turns since the last gate run that led to no gate run.
    detours: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It has not begun.
    #[default]
    Idle,
    /// Scouts are out.
    Scouting { unknowns: Vec<String>, tries: u32, captured: Vec<NewFinding> },
    /// The findings of the scouts are being consolidated.
    Consolidating { captured: Vec<NewFinding> },
    /// The smallest change is being planned.
    Planning,
    /// The tree is being changed.
    Editing { plan: Plan },
    /// The iteration gate runs.
    IterGate { claim: Claim },
    /// The exit gate runs.
    ExitGate,
    /// A way on is being chosen after a failure.
    Ladder,
    /// An auditor has to look first.
    AuditDue,
    /// The report of the auditor is being consolidated.
    AuditConsolidating { report: AuditReport },
    /// It is done, at this tree.
    Delivered { tree: Digest },
    /// It is stuck; a person decides.
    Escalated { why: Stuck },
}

impl Machine for Slice {
    type Input = Input;
    type Event = Event;
    type Effect = Effect;
    type Rejected = Rejected;

    fn decide(&self, input: &Input) -> Result<Vec<Event>, Rejected> {
        let data = match (&self.data, input) {
            (None, Input::Begin { charter }) => return begin(charter),
            (
                None,
                Input::Scouted { .. }
                | Input::Consolidated { .. }
                | Input::Planned { .. }
                | Input::Edited { .. }
                | Input::Blocked { .. }
                | Input::GateRan { .. }
                | Input::Audited { .. }
                | Input::RungChosen { .. }
                | Input::Impossible { .. },
            ) => return Err(Rejected::NotBegun),
            (Some(data), _) => data,
        };
        if let Some(effect) = crate::Input::answers(input) {
            self.expect(effect)?;
        }
        match (&self.state, input) {
            (_, Input::Begin { .. }) => Err(Rejected::AlreadyBegun),
            (State::Scouting { unknowns, captured, .. }, Input::Scouted { findings, .. }) => {
                data.scouted(unknowns, captured, findings)
            }
            (State::Consolidating { captured }, Input::Consolidated { facts, gaps, .. }) => {
                data.consolidated(Weighed::Findings(captured), facts, gaps)
            }
            (State::AuditConsolidating { report }, Input::Consolidated { facts, gaps, .. }) => {
                data.consolidated(Weighed::Audit(report), facts, gaps)
            }
            (State::Planning, Input::Planned { answer, .. }) => data.planned(answer),
            (State::Editing { plan }, Input::Edited { edit, .. }) => data.edited(plan, edit),
            (State::Editing { .. }, Input::Blocked { need, .. }) => data.blocked(need),
            (State::IterGate { claim }, Input::GateRan { run, .. }) => {
                data.gate_ran(GateKind::Iteration, *claim, run)
            }
            (State::ExitGate, Input::GateRan { run, .. }) => {
                data.gate_ran(GateKind::Exit, Claim::Ready, run)
            }
            (State::AuditDue, Input::Audited { report, .. }) => {
                data.has_room_for(report.findings().len())?;
                Ok(vec![Event::Audited { report: report.clone() }])
            }
            (State::Ladder, Input::RungChosen { rung, because, .. }) => {
                data.cites(because)?;
                Ok(vec![Event::RungTaken { rung: *rung, because: because.clone() }])
            }
            (
                State::Scouting { .. }
                | State::Consolidating { .. }
                | State::Planning
                | State::Editing { .. }
                | State::IterGate { .. }
                | State::ExitGate
                | State::Ladder
                | State::AuditDue
                | State::AuditConsolidating { .. },
                Input::Impossible { why, .. },
            ) => Ok(vec![Event::Escalated { why: Stuck::Impossible { why: why.clone() } }]),

            // The inputs are listed, so that a new one does not compile before its row is decided;
            // a new state has to say in `owed` what it waits for.
            (
                _,
                Input::Scouted { effect, .. }
                | Input::Consolidated { effect, .. }
                | Input::Planned { effect, .. }
                | Input::Edited { effect, .. }
                | Input::Blocked { effect, .. }
                | Input::GateRan { effect, .. }
                | Input::Audited { effect, .. }
                | Input::RungChosen { effect, .. }
                | Input::Impossible { effect, .. },
            ) => Err(Rejected::NoAnswer { effect: effect.clone() }),
        }
    }

    fn evolve(&mut self, event: &Event) {
        if let Event::Begun { charter, snapshot } = event {
            let unknowns = charter.planned.unknowns.clone();
            let (tree, charter, snapshot) = (charter.tree, charter.clone(), snapshot.clone());
            let data = SliceData {
                charter,
                snapshot,
                tree,
                plan: None,
                requests: 1,
                gate_runs: 0,
                detours: 0,
            };
            *self = Self { state: scouting(unknowns), data: Some(data) };
            return;
        }
        // The first event is always `Begun`; `decide` sees to that.
        let Some(data) = &mut self.data else { return };
        data.requests += 1;
        let state = core::mem::take(&mut self.state);
        self.state = match event.clone() {
            Event::Begun { .. } => state,
            Event::Captured { findings } => captured(state, findings),
            Event::LeftCap { .. } => {
                data.detours += 1;
                // What was brought from inside the cap before is kept; nothing is planned before it is weighed.
                let captured =
                    if let State::Scouting { captured, .. } = state { captured } else { vec![] };
                State::Consolidating { captured }
            }
            Event::Consolidated { snapshot } => {
                data.snapshot = snapshot;
                if let State::AuditConsolidating { .. } = state {
                    State::Ladder
                } else {
                    State::Planning
                }
            }
            Event::Planned { plan } => {
                data.plan = Some(plan.clone());
                State::Editing { plan }
            }
            Event::FactMissing { unknown, snapshot } => {
                data.detours += 1;
                data.snapshot = snapshot;
                scouting(vec![unknown])
            }
            Event::CapRevised { because, snapshot } => {
                data.detours += 1;
                data.snapshot = snapshot;
                scouting(vec![because])
            }
            Event::Edited { tree, claim } => {
                data.tree = tree;
                State::IterGate { claim }
            }
            Event::EditRefused { .. } => {
                data.detours += 1;
                State::Planning
            }
            Event::GateRan { snapshot, then, .. } => {
                data.gate_runs += 1;
                data.detours = 0;
                data.snapshot = snapshot;
                match then {
                    AfterGate::ExitGate => State::ExitGate,
                    AfterGate::Planning => State::Planning,
                    AfterGate::Ladder => State::Ladder,
                    AfterGate::AuditDue => State::AuditDue,
                    // The event behind this one says how.
                    AfterGate::Over => state,
                }
            }
            Event::Audited { report } => State::AuditConsolidating { report },
            Event::RungTaken { rung, .. } => match (rung, data.plan.clone()) {
                (Rung::FixForward, Some(plan)) => State::Editing { plan },
                (Rung::Rescout, _) => {
                    scouting(data.snapshot.open.iter().map(|it| it.text.clone()).collect())
                }
                (Rung::Replan, _) | (Rung::FixForward, None) => State::Planning,
            },
            Event::Delivered { tree } => State::Delivered { tree },
            Event::Escalated { why } => State::Escalated { why },
        };
    }

    fn owed(&self) -> Vec<Effect> {
        let Some(data) = &self.data else { return vec![] };
        let planned = &data.charter.planned;
        let run = |gate, name: &String| Want::RunGate { gate, name: name.clone(), tree: data.tree };
        let want = match &self.state {
            State::Idle | State::Delivered { .. } | State::Escalated { .. } => return vec![],
            State::Scouting { unknowns, .. } => Want::Scout {
                unknowns: unknowns.clone(),
                cap: data.snapshot.header.scope_cap.clone(),
            },
            State::Consolidating { captured } => Want::Consolidate {
                captured: captured.clone(),
                first: data.snapshot.next_finding(),
            },
            State::AuditConsolidating { report } => Want::Consolidate {
                captured: report.findings(),
                first: data.snapshot.next_finding(),
            },
            State::Planning => Want::Plan,
            State::Editing { plan } => Want::Edit { plan: plan.clone(), tree: data.tree },
            State::IterGate { .. } => run(GateKind::Iteration, &planned.gate_iteration),
            State::ExitGate => run(GateKind::Exit, &planned.gate_exit),
            State::AuditDue => Want::Audit,
            State::Ladder => Want::ChooseRung,
        };
        vec![Effect {
            task: data.charter.task.clone(),
            slice: data.charter.id,
            nth: data.requests,
            snapshot: data.snapshot.header.iteration,
            want,
        }]
    }

    fn is_over(&self) -> bool {
        matches!(self.state, State::Delivered { .. } | State::Escalated { .. })
    }
}

impl Slice {
    pub fn state(&self) -> &State {
        &self.state
    }

    pub fn snapshot(&self) -> Option<&Snapshot> {
        self.data.as_ref().map(|data| &data.snapshot)
    }

    /// What was fixed when it began.
    pub fn charter(&self) -> Option<&Charter> {
        self.data.as_ref().map(|data| &data.charter)
    }

    /// The tree as it stands.
    pub fn tree(&self) -> Option<Digest> {
        self.data.as_ref().map(|data| data.tree)
    }

    pub fn gate_runs(&self) -> u32 {
        self.data.as_ref().map_or(0, |data| data.gate_runs)
    }

    fn expect(&self, effect: &EffectId) -> Result<(), Rejected> {
        if self.owes(effect) {
            return Ok(());
        }
        Err(Rejected::NotOwed { effect: effect.clone() })
    }
}

/// Sends scouts if there are unknowns.
fn scouting(unknowns: Vec<String>) -> State {
    if unknowns.is_empty() {
        return State::Consolidating { captured: vec![] };
    }
    State::Scouting { unknowns, tries: 0, captured: vec![] }
}

/// Keeps the findings and sends scouts again for unknowns without one.
fn captured(state: State, mut findings: Vec<NewFinding>) -> State {
    let State::Scouting { unknowns, tries, captured } = state else { return state };
    findings.splice(0..0, captured);
    let is_answered = |nth: usize| findings.iter().any(|finding| finding.unknown as usize == nth);
    if (0..unknowns.len()).all(is_answered) || tries + 1 >= SCOUTINGS_MAX {
        return State::Consolidating { captured: findings };
    }
    State::Scouting { unknowns, tries: tries + 1, captured: findings }
}

/// How often scouts go out for the same unknowns.
pub const SCOUTINGS_MAX: u32 = 3;
/// How many gate runs a slice has.
pub const GATE_RUNS_MAX: u32 = 12;
/// How many turns may be taken between two gate runs that lead to none.
pub const DETOURS_MAX: u32 = 3;

#[cfg(test)]
mod tests;
