//! Context snapshots: the knowledge of a slice, written once and never changed.
//!
//! A snapshot has a header that counts, the evidence that was found, the consolidated context
//! that alone may be planned from, and the issues that are open. New truth is a new snapshot.
//! Whether a slice is stuck is read from the header of the latest one and from nothing else.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{EvidenceId, Iteration, SliceId, Verdict};

/// Everything a role needs to continue a slice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Which snapshot this is, and the counters.
    pub header: SnapshotHeader,
    /// The findings. Provenance, not authority.
    pub evidence: Vec<Finding>,
    /// The facts. Plans may cite only these.
    pub consolidated: Vec<Fact>,
    pub open: Vec<Issue>,
    /// Issues resolved since the previous snapshot.
    pub resolved: Vec<Resolved>,
}

/// The header of a snapshot: identity, scope and failure counters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotHeader {
    /// Its number, counted over the whole task.
    pub iteration: Iteration,
    /// The snapshot before it.
    pub parent: Option<Iteration>,
    pub slice_id: SliceId,
    /// The slice in one sentence.
    pub slice: String,
    /// Where scouts may look.
    pub scope_cap: ScopeCap,
    /// The gate of every cycle.
    pub gate_iteration: String,
    /// The gate before delivery.
    pub gate_exit: String,
    /// Which gate ran last, and how it ended.
    pub last_run: Option<(GateKind, GateOutcome)>,
    /// Failures of the iteration gate in a row, in this slice.
    pub iteration_fails: u32,
    /// Failures of the exit gate in a row, in this slice.
    pub exit_fails: u32,
}

/// Where scouts may look, until it is explicitly revised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeCap {
    /// The cap in one sentence.
    pub sentence: String,
    /// Folders and files that may be read; nothing means nowhere.
    pub allowed: Vec<String>,
    /// What is left out of them.
    pub excluded: Vec<String>,
}

/// The two gates of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateKind {
    /// The fast one, in every cycle.
    Iteration,
    /// The whole one, before delivery.
    Exit,
}

/// The result of a gate run. A run without a verdict stops the slice instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum GateOutcome {
    Pass,
    Fail,
}

/// Something that was found, with its source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Its number in the slice.
    pub id: u32,
    pub by: Finder,
    /// The place or command it can be checked at.
    pub source: String,
    /// The shortest text that shows it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub snippet: String,
    /// What was found, as a fact.
    pub note: String,
    pub certainty: Certainty,
}

/// Who finds things.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finder {
    /// A scout, read-only, for a named unknown.
    Scout,
    /// An auditor, who says why a slice is stuck.
    Auditor,
    /// A gate the machine ran, with its evidence.
    Gate(EvidenceId),
}

/// Whether a finder was sure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    Seen,
    /// It is only likely.
    Uncertain,
}

/// Something that is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// Its number in the slice. Plans cite it.
    pub id: u32,
    pub kind: FactKind,
    pub text: String,
    pub from: Origin,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// It was agreed before the slice began.
    Intake,
    /// It was promoted from these findings.
    Evidence(Vec<u32>),
}

/// The kinds of knowledge a snapshot holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactKind {
    /// What the slice has to achieve.
    Criterion,
    /// What it must respect.
    Constraint,
    /// How things are done here.
    Convention,
    /// A file or symbol that matters.
    KeyPlace,
    /// Where execution enters.
    EntryPoint,
    /// How to build or test.
    Command,
    /// How a gate ended.
    GateResult,
    /// What an audit made clear.
    Conclusion,
}

/// Something that is wrong, with exactly one next action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Issue {
    /// What is wrong.
    pub text: String,
    pub next: NextAction,
    pub opened_by: Opener,
}

/// What opens an issue, and so what can close it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opener {
    /// A gate that failed.
    Gate(GateKind),
    /// A plan that lacks a fact.
    Planning,
    /// An audit that found a gap.
    Audit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NextAction {
    Fix,
    /// Find out more.
    Rescout,
    /// Think again.
    Replan,
}

/// Something that was put right, and what shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolved {
    pub text: String,
    /// The finding that closed it.
    pub closed_by: u32,
}

/// What follows a failed gate, according to the counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alarm {
    /// Take a rung of the ladder.
    None,
    /// An audit is due first.
    Audit,
    /// It is stuck.
    Escalate,
}

impl SnapshotHeader {
    /// The counters after a gate of slice `slice_id` ran, read from the header before it.
    #[must_use]
    pub fn after_run(&self, slice_id: SliceId, gate: GateKind, outcome: GateOutcome) -> (u32, u32) {
        let counted = |before: u32| match (outcome, self.slice_id == slice_id) {
            (GateOutcome::Pass, _) => 0,
            (GateOutcome::Fail, true) => before + 1,
            (GateOutcome::Fail, false) => 1,
        };
        match gate {
            GateKind::Iteration => (counted(self.iteration_fails), self.exit_fails),
            GateKind::Exit => (self.iteration_fails, counted(self.exit_fails)),
        }
    }

    /// Whether the slice is stuck, from this header alone.
    pub fn alarm(&self) -> Alarm {
        match self.iteration_fails.max(self.exit_fails) {
            0..FAILS_BEFORE_AUDIT => Alarm::None,
            FAILS_BEFORE_AUDIT => Alarm::Audit,
            _ => Alarm::Escalate,
        }
    }
}

impl ScopeCap {
    /// Whether a scout may look at `place`, which is written like `src/lib.rs:12`.
    pub fn holds(&self, place: &str) -> bool {
        let place = place.split(':').next().unwrap_or_default();
        is_inside_the_tree(place)
            && self.allowed.iter().any(|folder| is_below(place, folder))
            && !self.excluded.iter().any(|folder| is_below(place, folder))
    }
}

impl Snapshot {
    /// The fact a plan may cite as `id`.
    pub fn fact(&self, id: u32) -> Option<&Fact> {
        self.consolidated.iter().find(|fact| fact.id == id)
    }

    pub fn finding(&self, id: u32) -> Option<&Finding> {
        self.evidence.iter().find(|finding| finding.id == id)
    }
}

named! { GateKind { Iteration = "iteration", Exit = "exit" } }

named! { GateOutcome { Pass = "PASS", Fail = "FAIL" } }

impl GateOutcome {
    /// The outcome of a verdict; none if the gate could not tell.
    pub fn of(verdict: Verdict) -> Option<Self> {
        match verdict {
            Verdict::Pass => Some(Self::Pass),
            Verdict::Fail => Some(Self::Fail),
            Verdict::CannotTell => None,
        }
    }
}

/// Whether `place` is `folder` or lies in it. A dot is the whole tree.
pub fn is_below(place: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    match place.strip_prefix(folder) {
        Some(rest) => rest.is_empty() || rest.starts_with('/'),
        None => folder == ".",
    }
}

/// Whether `place` is written so that it cannot lead out of the tree.
pub fn is_inside_the_tree(place: &str) -> bool {
    let parts_sound = place.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
    parts_sound && !place.contains(['\\', '\0']) && place.len() <= PLACE_BYTES_MAX
}

/// Failures of one gate in a row that make an audit due. One more is the last.
pub const FAILS_BEFORE_AUDIT: u32 = 3;
const PLACE_BYTES_MAX: usize = 1_024;
