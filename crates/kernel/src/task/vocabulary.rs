//! What is said about a task: inputs, events, effects, refusals.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::bounds::TooMuch;
use crate::owner::Header;
use crate::task::Phase;
use crate::task::bundle::{Bundle, Frame, Missing};
use crate::task::charter::{Charter, Freeze};
use crate::task::escalation::{Escalation, PostMortem, Resolution, ResolutionKind, Unusable};
use crate::task::slice::{self, Pass, Planned};
use crate::task::spending::{Bound, Budget, Receipt};
use crate::{
    Actor, Cheat, Cost, Digest, EffectId, EscalationId, Evidence, EvidenceId, EvidenceRecord,
    InvocationId, Lane, Role, SliceId, TaskId, Unsupported, Verdict,
};

/// What the world may tell a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// A person wants something done.
    Create { by: Actor, charter: Charter },
    /// The project gives it its turn.
    Dispatch,
    /// What came of an effect.
    Report { effect: EffectId, report: Report },
    /// What came of an effect of its current slice.
    Slice { input: slice::Input },
    /// A person says something.
    Person { by: Actor, says: PersonInput },
    /// The machine noticed something about the files.
    Notice { notice: Notice },
    /// The machine asked a role, and this is what it cost.
    Spend { receipt: Receipt },
}

/// What can come of an effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// The write lease is held.
    Leased,
    /// What is wanted was put into words.
    Framed { frame: Frame, pass: Pass },
    /// The contract and the plan were drafted.
    Shaped { bundle: Bundle, pass: Pass },
    /// The tests were written.
    TestsWritten { tests: Digest, tree: Digest },
    /// The tests were run before anything was built.
    RedRan { evidence: Evidence, verdict: Verdict, green: Vec<String> },
    /// It cannot be done here.
    Impossible { why: String },
    /// A person's fix is in the tree.
    FixApplied { tree: Digest },
    /// A probe of the candidate ended.
    Probed { result: ProbeResult },
    /// The challenger judged.
    Challenged { challenge: Challenge },
    /// The arbiter judged.
    Adjudicated { evidence: Evidence, decision: Adjudication },
    /// It was checked which amendments were applied.
    AmendmentsChecked { evidence: Evidence, verdict: Verdict, missing: Vec<String> },
    /// What had failed was mended.
    Repaired { tree: Digest, outside: Vec<String>, pass: Pass },
    /// It was kept, as the tree that was verified.
    Shipped { tree: Digest },
    /// It could not be kept.
    ShipRefused { why: ShipRefusal },
    /// The project has heard.
    Told,
}

/// One look at the candidate.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Probe {
    /// Is everything frozen as it was?
    Tripwire,
    /// A check, by name.
    Check(String),
    /// A role reads, to show that green was not earned.
    Read(Role),
}

/// What a probe found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeResult {
    /// How it ended.
    pub verdict: Verdict,
    /// What stands behind it.
    pub evidence: Evidence,
    /// What failed.
    pub failed: Vec<String>,
    /// Cheats that were confirmed.
    pub cheats: Vec<(Cheat, String)>,
    /// Whether a person, not a role, changed what was frozen.
    pub frozen_edited: Option<String>,
    /// What no test can settle.
    pub residue: Vec<Residue>,
    /// A question nobody but a person can answer.
    pub ambiguity: Option<String>,
}

/// A finding no test can settle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Residue {
    /// What kind it is.
    pub kind: ResidueKind,
    /// The finding.
    pub what: String,
}

/// Kinds of residue. Security is never waived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResidueKind {
    /// Security.
    Security,
    /// Timing and concurrency.
    Concurrency,
    /// Layering and architecture.
    Architecture,
}

/// What a challenger says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Challenge {
    /// Its captured answer.
    pub evidence: Evidence,
    /// Whether the answer kept to its form and gave evidence.
    pub compliance: Compliance,
    /// What is wrong.
    pub failures: Vec<String>,
    /// Which of the five questions of a review were not met.
    pub unmet: Vec<ReviewQuestion>,
    /// What no test can settle.
    pub residue: Vec<Residue>,
    /// Cheats that were confirmed.
    pub cheats: Vec<(Cheat, String)>,
    /// A tradeoff nobody but a person can settle.
    pub tradeoff: Option<String>,
}

/// Whether a challenge may be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Compliance {
    /// It has its form and its evidence.
    Kept,
    /// It is too mild to count.
    Mild,
}

/// What every review answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewQuestion {
    /// Does it match the objective?
    Objective,
    /// Is there no fake backend, no placeholder shown as real?
    NoFakeTruth,
    /// Is there no visible feature that half works?
    NoHalfWorkingFeature,
    /// Do documents and artifacts agree?
    Consistent,
    /// Is the change minimal and sensible?
    Minimal,
}

/// What an arbiter decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Adjudication {
    /// It may ship.
    Approve,
    /// It may ship once these are applied.
    ApproveWithAmendments { amendments: Vec<String> },
    /// It may not ship.
    Reject { rationale: String },
}

/// Why a task could not be kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShipRefusal {
    /// The surface is not the one that was locked.
    Fingerprint { what: String },
    /// The tree is no longer the one that was verified.
    TreeChanged { found: Digest },
}

/// What a person can say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PersonInput {
    /// An answer to an open question about one item.
    Decide { question: EffectId, item: Digest, choice: Choice, rationale: String },
    /// How to go on after a halt.
    Resolve { escalation: EscalationId, resolution: Resolution },
    /// A cheat was found.
    Heal { cheat: Cheat, reason: String },
    /// What the task says now, after it was edited by hand.
    Adopt { text: Digest, title: String, criteria: Vec<String>, lane: Lane, header: Header },
    /// A tampered snapshot was looked at.
    Acknowledge { what: String },
    /// Something to be remembered.
    Note { text: String },
    /// What it may cost from now on. It is more than what was spent.
    RaiseBudget { budget: Budget },
}

/// How a person answers a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// Yes.
    Approve,
    /// No; draft it anew.
    Reject,
    /// Nearly; change it as the rationale says.
    Amend,
}

/// What the machine can notice about files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notice {
    /// A view was edited; the edit is kept aside and never becomes state.
    ViewEdited { view: String, kept: Digest, notes: Vec<String>, ignored: Vec<String> },
    /// A snapshot was edited; it has been restored.
    SnapshotTampered { snapshot: String, kept: Digest },
    /// The task's own text differs from what was taken from it.
    TextDrifted { found: Digest },
    /// The text is again what was taken from it.
    TextRestored,
}

/// What can become true of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// It is wanted.
    Created { charter: Charter, by: String },
    /// Its first attempt began.
    Dispatched,
    /// It entered a phase, for the how manyth time.
    Entered { phase: Phase },
    /// What is wanted, in words.
    Framed { frame: Frame },
    /// A draft was not complete.
    DraftRefused { missing: Vec<Missing> },
    /// A contract and a plan are on the table.
    Bundled { bundle: Bundle, item: Digest },
    /// A person approved them.
    Frozen { item: Digest, by: String, when: Freeze },
    /// A person did not.
    FreezeDeclined { by: String, choice: Choice, rationale: String },
    /// The plan stands; these are its slices.
    PlanLocked { slices: Vec<(SliceId, Planned)> },
    /// The tests were written.
    TestsWritten { tests: Digest, tree: Digest },
    /// The tests were seen to fail; they and the contract are what the tripwire guards.
    SeenRed { evidence: EvidenceRecord, guarded: Guarded },
    /// Some tests passed before anything was built; they go back.
    SeenGreen { evidence: EvidenceRecord, tests: Vec<String> },
    /// Something happened to a slice.
    Slice { slice: SliceId, event: slice::Event },
    /// A person's fix is in the tree.
    FixApplied { tree: Digest },
    /// A probe ended.
    Probed { probe: Probe, evidence: EvidenceRecord, result: ProbeResult },
    /// Every probe held, for this tree.
    Verified { tree: Digest },
    /// Checks failed.
    VerifyFailed { failed: Vec<String> },
    /// A role cheated.
    CheatConfirmed { cheat: Cheat, what: String },
    /// A challenge was too mild and is asked for again.
    ChallengeDropped { evidence: EvidenceRecord },
    /// The challenger judged.
    Challenged { evidence: EvidenceRecord, failures: Vec<String>, residue: Vec<Residue> },
    /// The arbiter judged.
    Adjudicated { evidence: EvidenceRecord, decision: Adjudication },
    /// It was checked which amendments were applied.
    AmendmentsChecked { evidence: EvidenceRecord },
    /// It was sent back; this has to be mended.
    SentBack { items: Vec<String>, by: SentBackBy },
    /// A person is asked whether it is done.
    OwnerAsked { item: Digest },
    /// The last gate is open.
    GatePassed { record: GateRecord },
    /// What had failed was mended.
    Repaired { tree: Digest },
    /// It was kept.
    Shipped { tree: Digest },
    /// It halted.
    Halted { escalation: Escalation },
    /// A person resolved the halt.
    Resolved { escalation: EscalationId, resolution: Resolution, by: String },
    /// Another attempt began.
    Reopened { attempt: u32, at: Phase, post_mortem: PostMortem },
    /// It was given up.
    Abandoned { by: String, rationale: String },
    /// What the task says changed.
    Adopted {
        text: Digest,
        title: String,
        criteria: Vec<String>,
        lane: Lane,
        header: Header,
        by: String,
    },
    /// What was frozen counts no longer.
    FreezeVoided { what: String },
    /// A person said something worth keeping.
    Noted { by: String, text: String },
    /// A hand edit of a view was kept aside.
    ViewEdited { view: String, kept: Digest, notes: Vec<String>, ignored: Vec<String> },
    /// A snapshot had been tampered with.
    SnapshotTampered { snapshot: String, kept: Digest },
    /// A person has seen it.
    Acknowledged { by: String, what: String },
    /// The task's text differs from what was taken from it.
    TextDrifted { found: Digest },
    /// It no longer does.
    TextRestored,
    /// The project has heard of this change.
    Told { news: u32 },
    /// A role was asked, and this is what it cost.
    Spent { receipt: Receipt },
    /// A person decided what it may cost from now on.
    BudgetRaised { by: String, budget: Budget },
}

/// An event that a proof of the task consists of. Auditors and signers look at these alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Milestone<'a> {
    /// The task's text was taken from its file.
    TextTaken { text: Digest },
    /// A person approved the contract.
    Frozen { item: Digest, by: &'a str, when: Freeze },
    /// The tests failed before the change, as they must.
    SeenRed { guarded: &'a Guarded },
    /// Every probe held for this tree.
    Verified { tree: Digest },
    /// The last gate was opened.
    GatePassed { record: &'a GateRecord },
    /// This tree was kept.
    Shipped { tree: Digest },
    /// The task is done.
    Done,
}

/// What the tripwire compares with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guarded {
    /// The tests that were seen red.
    pub tests: Digest,
    /// The frozen contract.
    pub contract: Digest,
}

/// Who sent a task to repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SentBackBy {
    /// A challenge that failed; it is counted.
    Challenge,
    /// An arbiter, with amendments.
    Amendments,
    /// A person who owns the gate.
    Person,
    /// The tree had changed since it was verified; it is counted like a challenge.
    Ship,
}

/// How the last gate was opened, and by whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateRecord {
    /// What it says.
    pub outcome: Completion,
    /// Who opened it.
    pub owner: RecordOwner,
    /// Why.
    pub reason: String,
    /// The tree it speaks of.
    pub tree: Digest,
    /// The header it was opened under.
    pub header: Header,
}

/// How a task can complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING-KEBAB-CASE")]
pub enum Completion {
    /// Everything held.
    Pass,
    /// A person took the risk of a judgement.
    RiskAccepted,
}

/// Who opened a gate. A person's name stands here only if the person did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordOwner {
    /// The run, on evidence: auto-resolved.
    Run,
    /// A person.
    Person(String),
}

/// What a task asks of the world.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Something of its own.
    Task { task: TaskId, visit: u32, want: Want },
    /// Something of its current slice.
    Slice { effect: slice::Effect },
}

impl Effect {
    /// The task that owes it.
    pub fn task(&self) -> &TaskId {
        match self {
            Self::Task { task, .. } => task,
            Self::Slice { effect } => &effect.task,
        }
    }
}

/// What a task can want of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Want {
    /// Hold the write lease of a work tree.
    Lease,
    /// Put into words what is wanted.
    Frame,
    /// Draft the contract and the plan.
    Shape { declined: Option<String>, missing: Vec<Missing> },
    /// Ask a person.
    Ask { question: Question },
    /// Write the tests of the frozen contract.
    WriteTests { vacuous: Vec<String> },
    /// Run the tests before anything is built.
    RunRed { tests: Digest, tree: Digest },
    /// Put a person's fix into the tree.
    ApplyFix { patch: Digest },
    /// Look at the candidate.
    Probe { probe: Probe, tree: Digest },
    /// Judge the candidate.
    Challenge { tree: Digest, nth: u32 },
    /// Decide from the record.
    Adjudicate { tree: Digest },
    /// Check that these were applied.
    CheckAmendments { amendments: Vec<String>, tree: Digest },
    /// Mend these and nothing else.
    Repair { items: Vec<String>, tree: Digest },
    /// Keep the verified tree.
    Ship { tree: Digest },
    /// Tell the project.
    Tell { news: u32, status: super::Status, phase: Option<Phase> },
}

/// Something only a person can answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// What it is about.
    pub about: QuestionSubject,
    /// The item to be decided. An answer names it, so a stale one is noticed.
    pub item: Digest,
    /// How sure the work is of itself, in percent; the lowest comes first.
    pub confidence: u8,
}

/// What a question is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionSubject {
    /// Whether the contract is fit to be built.
    Freeze,
    /// Whether the verified work is done.
    Done { residue: Vec<Residue> },
    /// How to go on after a halt.
    Halt { escalation: Escalation },
    /// Whether roles may go on to be paid, after so many calls.
    Budget { spent: Cost, calls: u32, budget: Budget },
}

/// Why an input was turned away. The task is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// There is nothing yet that this could be about.
    #[error("the task has not been created")]
    NotCreated,
    /// A task is created once.
    #[error("the task has been created already")]
    AlreadyCreated,
    /// What creates it is not usable.
    #[error("the task cannot be created: {why}")]
    Charter {
        /// What is wrong with it.
        why: &'static str,
    },
    /// Nothing more can happen to it.
    #[error("the task is over")]
    Over,
    /// It is not waiting for its turn.
    #[error("the task is not waiting to be dispatched")]
    NotPending,
    /// The report answers an effect that is not, or no longer, owed.
    #[error("{effect} is not owed")]
    NotOwed {
        /// The effect it names.
        effect: EffectId,
    },
    /// The effect is owed, but this is no answer to it.
    #[error("that does not answer {effect}")]
    NoAnswer {
        /// The effect it names.
        effect: EffectId,
    },
    /// No slice is being built.
    #[error("no slice is being built")]
    NoSlice,
    /// The slice turned it away.
    #[error(transparent)]
    Slice(#[from] slice::Rejected),
    /// Only a person may say this.
    #[error("only a person may decide")]
    NotAPerson,
    /// The question is not, or no longer, open.
    #[error("that question is not open")]
    Stale,
    /// The question is open, but about something newer.
    #[error("the question is about something newer than what was decided")]
    OtherItem,
    /// A reason is part of the record.
    #[error("a decision needs a reason")]
    NoReason,
    /// High risk at `auto`.
    #[error("unguarded_high_risk_auto: high risk needs autonomy conservative or manual")]
    Unguarded,
    /// The task's text was edited by hand and not adopted.
    #[error("the task's text was edited by hand; adopt it or put it back first")]
    Unadopted,
    /// This answer is not admitted here.
    #[error("{} is not admitted for this halt", .kind.name())]
    NotAdmitted {
        /// The answer.
        kind: ResolutionKind,
    },
    /// The answer's payload is not whole.
    #[error("the resolution cannot be used")]
    Unusable(#[from] Unusable),
    /// The evidence does not carry the verdict.
    #[error("the evidence does not carry the verdict")]
    Unsupported(#[from] Unsupported),
    /// The tree is not the one that was verified.
    #[error("that tree was not verified")]
    OtherTree,
    /// There is nothing to be healed here.
    #[error("a cheat can be reported while a task is in verify or review")]
    NothingToHeal,
    /// It is said already.
    #[error("that is known already")]
    Known,
    /// It is too long or too much.
    #[error(transparent)]
    TooMuch(#[from] TooMuch),
    /// A call is paid once.
    #[error("{invocation} has left its receipt already")]
    SpentBefore {
        /// The call.
        invocation: InvocationId,
    },
    /// A budget that is spent already would ask again at once.
    #[error("as much {} or more is spent already", .bound.name())]
    SpentAlready {
        /// Of what.
        bound: Bound,
    },
    /// A yes does not say how much.
    #[error("a budget is raised with an amount, not with a yes")]
    NoAmount,
}

impl Event {
    /// What it contributes to the proof of the task, if anything.
    pub fn milestone(&self) -> Option<Milestone<'_>> {
        Some(match self {
            Self::Created { charter: Charter { text, .. }, .. } | Self::Adopted { text, .. } => {
                Milestone::TextTaken { text: *text }
            }
            Self::Frozen { item, by, when } => Milestone::Frozen { item: *item, by, when: *when },
            Self::SeenRed { guarded, .. } => Milestone::SeenRed { guarded },
            Self::Verified { tree } => Milestone::Verified { tree: *tree },
            Self::GatePassed { record } => Milestone::GatePassed { record },
            Self::Shipped { tree } => Milestone::Shipped { tree: *tree },
            Self::Entered { phase: Phase::Done } => Milestone::Done,
            Self::Dispatched
            | Self::Entered { .. }
            | Self::Framed { .. }
            | Self::DraftRefused { .. }
            | Self::Bundled { .. }
            | Self::FreezeDeclined { .. }
            | Self::PlanLocked { .. }
            | Self::TestsWritten { .. }
            | Self::SeenGreen { .. }
            | Self::Slice { .. }
            | Self::FixApplied { .. }
            | Self::Probed { .. }
            | Self::VerifyFailed { .. }
            | Self::CheatConfirmed { .. }
            | Self::ChallengeDropped { .. }
            | Self::Challenged { .. }
            | Self::Adjudicated { .. }
            | Self::AmendmentsChecked { .. }
            | Self::SentBack { .. }
            | Self::OwnerAsked { .. }
            | Self::Repaired { .. }
            | Self::Halted { .. }
            | Self::Resolved { .. }
            | Self::Reopened { .. }
            | Self::Abandoned { .. }
            | Self::FreezeVoided { .. }
            | Self::Noted { .. }
            | Self::ViewEdited { .. }
            | Self::SnapshotTampered { .. }
            | Self::Acknowledged { .. }
            | Self::TextDrifted { .. }
            | Self::TextRestored
            | Self::Told { .. }
            | Self::Spent { .. }
            | Self::BudgetRaised { .. } => return None,
        })
    }
}

impl crate::Input for Input {
    fn answers(&self) -> Option<&EffectId> {
        match self {
            Self::Create { .. }
            | Self::Dispatch
            | Self::Person { .. }
            | Self::Notice { .. }
            | Self::Spend { .. } => None,
            Self::Report { effect, .. } => Some(effect),
            Self::Slice { input } => crate::Input::answers(input),
        }
    }

    fn signed_by(&self) -> Option<&Actor> {
        match self {
            Self::Create { by, .. } | Self::Person { by, .. } => Some(by),
            // No role writes its own bill.
            Self::Spend { .. } => Some(&Actor::Machine),
            Self::Dispatch | Self::Report { .. } | Self::Slice { .. } | Self::Notice { .. } => None,
        }
    }
}

impl crate::Effect for Effect {
    fn id(&self) -> EffectId {
        match self {
            Self::Slice { effect } => crate::Effect::id(effect),
            Self::Task { task, visit, want } => want.id(task, *visit),
        }
    }
}

impl Want {
    fn id(&self, task: &TaskId, visit: u32) -> EffectId {
        let what = match self {
            Self::Lease => "lease",
            Self::Frame => "frame",
            Self::Shape { .. } => "shape",
            Self::Ask {
                question: Question { about: QuestionSubject::Budget { calls, .. }, .. },
            } => {
                return EffectId::of(task, "budget", *calls);
            }
            Self::Ask { .. } => "ask",
            Self::WriteTests { .. } => "write-tests",
            Self::RunRed { .. } => "red-run",
            Self::ApplyFix { .. } => "apply-fix",
            Self::Probe { probe, .. } => {
                return EffectId::of(format_args!("{task}/verify"), &probe.key(), visit);
            }
            Self::Challenge { .. } => "challenge",
            Self::Adjudicate { .. } => "adjudicate",
            Self::CheckAmendments { .. } => "check-amendments",
            Self::Repair { .. } => "repair",
            Self::Ship { .. } => "ship",
            Self::Tell { news, .. } => return EffectId::of(task, "tell", *news),
        };
        EffectId::of(task, what, visit)
    }
}

impl ReviewQuestion {
    /// What is said when it is not met.
    pub fn text(self) -> &'static str {
        match self {
            Self::Objective => "it does not match the objective",
            Self::NoFakeTruth => "something fake is shown as real",
            Self::NoHalfWorkingFeature => "a visible feature half works",
            Self::Consistent => "documents and artifacts disagree",
            Self::Minimal => "the change is larger than it has to be",
        }
    }
}

impl Probe {
    /// Its name in effects and evidence. Names of checks are plain, so an id can hold them.
    pub fn key(&self) -> String {
        match self {
            Self::Tripwire => "tripwire".into(),
            Self::Check(name) => alloc::format!("check-{name}"),
            Self::Read(role) => alloc::format!("read-{}", role.name()),
        }
    }
}

impl Question {
    /// What is being asked, in one line.
    pub fn text(&self) -> String {
        match &self.about {
            QuestionSubject::Freeze => "Is this contract fit to be built?".into(),
            QuestionSubject::Done { residue } if residue.is_empty() => {
                "Every check passed. Is it done?".into()
            }
            QuestionSubject::Done { .. } => {
                "Every check passed, with findings left. Is it done?".into()
            }
            QuestionSubject::Halt { escalation } => escalation.line(),
            QuestionSubject::Budget { spent, budget, .. } => {
                let told = budget.describe(*spent);
                alloc::format!("The budget is reached: {told}. Shall it go on?")
            }
        }
    }

    /// The evidence that belongs to it.
    pub fn evidence(&self) -> &[EvidenceId] {
        match &self.about {
            QuestionSubject::Freeze
            | QuestionSubject::Done { .. }
            | QuestionSubject::Budget { .. } => &[],
            QuestionSubject::Halt { escalation } => &escalation.evidence,
        }
    }
}
