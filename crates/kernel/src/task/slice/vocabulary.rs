//! The vocabulary of a slice: inputs, events, effects, rejections.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::bounds::TooMuch;
use crate::task::Phase;
use crate::task::Residue;
use crate::task::slice::snapshot::{Certainty, FactKind, GateKind, ScopeCap, Snapshot};
use crate::{
    Cheat, Digest, EffectId, Evidence, EvidenceRecord, Iteration, SliceId, TaskId, Unsupported,
    Verdict,
};

/// What is fixed when a slice begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Charter {
    pub task: TaskId,
    /// Its name, minted by the machine from the locked plan.
    pub id: SliceId,
    /// What the plan says of it.
    pub planned: Planned,
    pub tree: Digest,
    /// The latest snapshot of the task, if there is one.
    pub parent: Option<Iteration>,
    /// How much evidence the task holds already.
    pub evidence_before: u32,
}

/// A slice as a plan describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    /// The slice in one sentence.
    pub sentence: String,
    /// Where its scouts may look.
    pub cap: ScopeCap,
    /// Where it may change something. The first release wrote plans without it: there it is what the cap allows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// What has to be found out first.
    pub unknowns: Vec<String>,
    /// What it has to achieve.
    pub criteria: Vec<String>,
    /// What it must respect.
    pub constraints: Vec<String>,
    /// The gate of every cycle.
    pub gate_iteration: String,
    /// The gate before delivery.
    pub gate_exit: String,
    /// The fingerprint of the contract it must keep.
    pub fingerprint: Digest,
}

/// What the world may tell a slice. Every report names the effect it answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    Begin {
        charter: Charter,
    },
    Scouted {
        effect: EffectId,
        findings: Vec<NewFinding>,
    },
    Consolidated {
        effect: EffectId,
        facts: Vec<NewFact>,
        gaps: Vec<String>,
    },
    Planned {
        effect: EffectId,
        answer: PlanAnswer,
    },
    Edited {
        effect: EffectId,
        edit: Edit,
    },
    /// The builder lacks something and changed nothing that counts.
    Blocked {
        effect: EffectId,
        need: Need,
    },
    GateRan {
        effect: EffectId,
        run: GateRun,
    },
    Audited {
        effect: EffectId,
        report: AuditReport,
    },
    RungChosen {
        effect: EffectId,
        rung: Rung,
        because: Vec<u32>,
    },
    Impossible {
        effect: EffectId,
        why: String,
    },
}

/// Something a scout found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewFinding {
    /// Which unknown it answers, counted from 0 in the order they were asked.
    pub unknown: u32,
    /// The place it can be checked at.
    pub source: String,
    /// The shortest text that shows it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub snippet: String,
    pub note: String,
    pub certainty: Certainty,
}

/// A fact that a consolidation adds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewFact {
    pub kind: FactKind,
    pub text: String,
    /// The findings it rests on.
    pub from: Vec<u32>,
}

/// The answer to a request for a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanAnswer {
    Grounded(Plan),
    FactMissing { unknown: String },
    CapTooNarrow { cap: ScopeCap, because: String },
}

/// The smallest change that serves the slice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The change in words.
    pub change: String,
    /// The facts it stands on.
    pub cites: Vec<u32>,
    /// The folders and files it may touch.
    pub places: Vec<String>,
    pub gate: String,
}

/// What an edit did, computed from the tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// The tree afterwards.
    pub tree: Digest,
    /// Every file that differs.
    pub places: Vec<String>,
    /// Whether the builder thinks the slice is ready for its exit gate.
    pub claim: Claim,
    pub pass: Pass,
}

/// What a builder lacks to go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// Something has to be found out first.
    Fact { unknown: String },
    /// Scouts have to look elsewhere.
    Cap { cap: ScopeCap, because: String },
    /// The contract does not say what it has to.
    Contract { what: String },
}

/// What a builder says of its own work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// There is more to do.
    MoreToDo,
    /// The exit gate may be run.
    Ready,
}

/// One bounded pass of a role, as the machine saw it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pass {
    /// What was gained, found out by comparing, never by asking.
    pub progress: Vec<Progress>,
    /// The phase the role would go to next. It is checked and never obeyed.
    pub proposed_next: Option<Phase>,
    /// What the role says no test can settle.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub residue: Vec<Residue>,
    /// What the role says later tasks should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lessons: Vec<String>,
}

/// What a pass can gain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// Code or documents changed.
    Change,
    /// The state changed.
    State,
    /// There is more evidence.
    Evidence,
    /// What stands in the way is clearer.
    Blocker,
    /// A risk is smaller.
    Risk,
}

/// What a gate said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateRun {
    pub verdict: Verdict,
    pub evidence: Evidence,
    pub failures: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cheats: Vec<(Cheat, String)>,
    /// Criteria that are not met, at the exit gate.
    pub unmet: Vec<String>,
    /// The fingerprint of the surface as it is, at the exit gate.
    pub fingerprint: Option<Digest>,
}

/// What an auditor reports. It has no room for what to change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditReport {
    /// Whether acceptance is met.
    pub verdict: Verdict,
    /// What does not fit together.
    pub mismatches: Vec<String>,
    /// Why it is stuck.
    pub diagnosis: Vec<Diagnosis>,
    /// Open questions.
    pub gaps: Vec<String>,
    /// What may go wrong.
    pub risks: Vec<String>,
    /// How it could be checked.
    pub validations: Vec<String>,
}

/// One reason why a slice is stuck.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Diagnosis {
    /// The kind of cause.
    pub category: String,
    /// What speaks for it, with its source.
    pub evidence: String,
    /// How sure the auditor is, in percent.
    pub confidence: u8,
}

/// The ladder after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rung {
    /// It is local and understood: mend it.
    FixForward,
    /// Facts are missing or wrong: look again.
    Rescout,
    /// The approach is wrong: plan again.
    Replan,
}

/// Why a slice cannot end by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stuck {
    /// One gate failed four times in a row.
    FailedInARow { gate: GateKind },
    /// Every gate run a slice has is used up.
    RunsUsedUp,
    /// Too many turns without a gate run.
    Detours { last: String },
    /// The surface is not the one that was locked.
    InterfaceChanged { found: Option<Digest> },
    /// A pass gained nothing, or proposed a phase that cannot follow.
    NoProgress { why: String },
    /// A gate could not reach a verdict.
    CannotTell { why: String },
    /// The step cannot be performed in this environment.
    Impossible { why: String },
    /// The builder found a gap in the contract.
    ContractGap { what: String },
}

/// What can become true of a slice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// It began, with its first snapshot.
    Begun { charter: Charter, snapshot: Snapshot },
    /// Findings were captured.
    Captured { findings: Vec<NewFinding> },
    /// A scout looked where it may not; what it brought is dropped.
    LeftCap { source: String },
    /// A new snapshot holds what was weighed.
    Consolidated { snapshot: Snapshot },
    /// The plan stands.
    Planned { plan: Plan },
    /// Something has to be found out first; the snapshot says so.
    FactMissing { unknown: String, snapshot: Snapshot },
    /// The cap was revised, in a new snapshot.
    CapRevised { because: String, snapshot: Snapshot },
    /// The tree was changed inside the plan.
    Edited { tree: Digest, claim: Claim },
    /// The tree was changed outside the plan; it does not count.
    EditRefused { outside: Vec<String> },
    /// A gate ran; the snapshot counts it.
    GateRan { gate: GateKind, evidence: EvidenceRecord, snapshot: Snapshot, then: AfterGate },
    /// An audit was captured.
    Audited { report: AuditReport },
    /// A rung was taken.
    RungTaken { rung: Rung, because: Vec<u32> },
    /// The slice is delivered, at this tree.
    Delivered { tree: Digest },
    /// It cannot end by itself.
    Escalated { why: Stuck },
}

/// Where a gate run leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AfterGate {
    ExitGate,
    /// There is more to do.
    Planning,
    /// A way on has to be chosen.
    Ladder,
    /// An auditor has to look first.
    AuditDue,
    Over,
}

/// What a slice asks of the world.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effect {
    pub task: TaskId,
    pub slice: SliceId,
    /// The how manyth request of this slice it is.
    pub nth: u32,
    /// The snapshot to work from: the latest, and no other.
    pub snapshot: Iteration,
    pub want: Want,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Want {
    /// Find these things out, read-only, inside the cap.
    Scout { unknowns: Vec<String>, cap: ScopeCap },
    /// Weigh what was captured; the first of it will be finding `first`, the next `first + 1`.
    Consolidate { captured: Vec<NewFinding>, first: u32 },
    /// Plan the smallest change, from consolidated context only.
    Plan,
    /// Change the tree as planned.
    Edit { plan: Plan, tree: Digest },
    /// Run a gate on this tree.
    RunGate { gate: GateKind, name: String, tree: Digest },
    /// Say why it is stuck, read-only.
    Audit,
    /// Choose how to go on, from consolidated context only.
    ChooseRung,
}

/// Why an input was turned away. The slice is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// There is nothing yet that this could be about.
    #[error("the slice has not begun")]
    NotBegun,
    /// A slice begins once.
    #[error("the slice has begun already")]
    AlreadyBegun,
    /// What begins it is not complete.
    #[error("the plan of the slice has no {missing}")]
    Incomplete { missing: &'static str },
    /// The report answers an effect that is not, or no longer, owed.
    #[error("{effect} is not owed")]
    NotOwed { effect: EffectId },
    /// The effect is owed, but this is no answer to it.
    #[error("the report does not answer {effect}")]
    NoAnswer { effect: EffectId },
    /// A finding answers an unknown that was not asked.
    #[error("unknown {unknown} is not among those asked")]
    UnknownUnknown { unknown: u32 },
    /// A fact cites no existing finding.
    #[error("the fact `{fact}` cites no existing finding")]
    Unfounded { fact: String },
    /// A plan or a choice cites something that is not consolidated.
    #[error("fact {cited} is not in the consolidated context")]
    NotConsolidated { cited: u32 },
    /// A plan or a choice cites nothing.
    #[error("the plan or choice cites no fact")]
    CitesNothing,
    /// A plan has to name the gate that judges it.
    #[error("the plan names another gate than `{gate}`")]
    OtherGate { gate: String },
    /// A plan has to say where it will change something, inside the tree.
    #[error("`{place}` is not a path inside the tree")]
    NoPlace { place: String },
    /// The evidence does not carry the verdict.
    #[error("the evidence does not support the verdict")]
    Unsupported(#[from] Unsupported),
    /// A finding needs a source and words.
    #[error("a finding has no source or no text")]
    EmptyFinding,
    /// A size limit is exceeded.
    #[error(transparent)]
    TooMuch(#[from] TooMuch),
}

impl Event {
    pub fn is_end(&self) -> bool {
        matches!(self, Self::Delivered { .. } | Self::Escalated { .. })
    }
}

impl Planned {
    /// Where it may change something.
    pub fn places(&self) -> &[String] {
        if self.places.is_empty() { &self.cap.allowed } else { &self.places }
    }
}

impl Input {
    /// The pass of a role that it reports, if it does.
    pub fn pass(&self) -> Option<&Pass> {
        if let Self::Edited { edit, .. } = self { Some(&edit.pass) } else { None }
    }

    /// The cheat it tells of, if it does.
    pub fn cheat(&self) -> Option<&(Cheat, String)> {
        if let Self::GateRan { run, .. } = self { run.cheats.first() } else { None }
    }
}

impl crate::Input for Input {
    fn answers(&self) -> Option<&EffectId> {
        match self {
            Self::Begin { .. } => None,
            Self::Scouted { effect, .. }
            | Self::Consolidated { effect, .. }
            | Self::Planned { effect, .. }
            | Self::Edited { effect, .. }
            | Self::Blocked { effect, .. }
            | Self::GateRan { effect, .. }
            | Self::Audited { effect, .. }
            | Self::RungChosen { effect, .. }
            | Self::Impossible { effect, .. } => Some(effect),
        }
    }
}

impl crate::Effect for Effect {
    fn id(&self) -> EffectId {
        let what = match &self.want {
            Want::Scout { .. } => "scout",
            Want::Consolidate { .. } => "consolidate",
            Want::Plan => "plan",
            Want::Edit { .. } => "edit",
            Want::RunGate { gate: GateKind::Iteration, .. } => "iteration-gate",
            Want::RunGate { gate: GateKind::Exit, .. } => "exit-gate",
            Want::Audit => "audit",
            Want::ChooseRung => "rung",
        };
        EffectId::of(format_args!("{}/{}", self.task, self.slice), what, self.nth)
    }
}

impl AuditReport {
    /// The report as findings: evidence first, authority only after it was weighed.
    pub fn findings(&self) -> Vec<NewFinding> {
        let finding = |source: &str, note: &String| NewFinding {
            unknown: 0,
            source: source.into(),
            snippet: String::new(),
            note: note.clone(),
            certainty: Certainty::Uncertain,
        };
        let mismatches = self.mismatches.iter().map(|it| finding("mismatch", it));
        let causes = self.diagnosis.iter().map(|it| {
            finding(&it.evidence, &alloc::format!("{} ({} %)", it.category, it.confidence))
        });
        let gaps = self.gaps.iter().map(|it| finding("evidence gap", it));
        let risks = self.risks.iter().map(|it| finding("risk", it));
        let checks = self.validations.iter().map(|it| finding("way to validate", it));
        mismatches.chain(causes).chain(gaps).chain(risks).chain(checks).collect()
    }
}

impl Pass {
    /// Why the pass does not count, if it does not: nothing was gained in `phase`, or a
    /// phase was proposed that cannot follow.
    pub fn is_wasted(&self, phase: Phase) -> Option<String> {
        match self.proposed_next {
            Some(next) if !phase.may_propose(next) => {
                Some(alloc::format!("{phase} cannot be followed by {next}, which it proposed"))
            }
            Some(_) | None if self.progress.is_empty() => {
                Some(alloc::format!("the pass in {phase} gained nothing"))
            }
            Some(_) | None => None,
        }
    }
}
