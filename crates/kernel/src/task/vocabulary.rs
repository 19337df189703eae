//! The vocabulary of a task: inputs, events, effects, rejections.

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

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    Create {
        by: Actor,
        charter: Charter,
    },
    /// The work starts from this commit: what it depends on is in it.
    Base {
        commit: String,
    },
    Dispatch,
    Report {
        effect: EffectId,
        report: Report,
    },
    Slice {
        input: slice::Input,
    },
    Person {
        by: Actor,
        says: PersonInput,
    },
    Notice {
        notice: Notice,
    },
    Spend {
        receipt: Receipt,
    },
}

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
    /// The step cannot be performed in this environment.
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
    /// The known failures were repaired.
    Repaired { tree: Digest, outside: Vec<String>, pass: Pass },
    /// The verified tree was shipped.
    Shipped { tree: Digest },
    /// The tree could not be shipped.
    ShipRefused { why: ShipRefusal },
    /// The project has heard.
    Told,
}

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

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeResult {
    pub verdict: Verdict,
    pub evidence: Evidence,
    pub failed: Vec<String>,
    pub cheats: Vec<(Cheat, String)>,
    /// Whether a person, not a role, changed what was frozen.
    pub frozen_edited: Option<String>,
    /// Findings that no test can settle.
    pub residue: Vec<Residue>,
    /// A question that only a person can answer.
    pub ambiguity: Option<String>,
}

/// A finding no test can settle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Residue {
    pub kind: ResidueKind,
    pub what: String,
}

/// Kinds of residue. Security is never waived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResidueKind {
    Security,
    /// Timing and concurrency.
    Concurrency,
    /// Layering and architecture.
    Architecture,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Challenge {
    /// Its captured answer.
    pub evidence: Evidence,
    /// Whether the answer kept to its form and gave evidence.
    pub compliance: Compliance,
    pub failures: Vec<String>,
    /// Which of the five questions of a review were not met.
    pub unmet: Vec<ReviewQuestion>,
    /// Findings that no test can settle.
    pub residue: Vec<Residue>,
    pub cheats: Vec<(Cheat, String)>,
    /// A tradeoff that only a person can settle.
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

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Adjudication {
    Approve,
    ApproveWithAmendments { amendments: Vec<String> },
    Reject { rationale: String },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShipRefusal {
    /// The surface is not the one that was locked.
    Fingerprint { what: String },
    /// The tree is no longer the one that was verified.
    TreeChanged { found: Digest },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PersonInput {
    /// An answer to an open question about one item.
    Decide { question: EffectId, item: Digest, choice: Choice, rationale: String },
    /// How to go on after a halt.
    Resolve { escalation: EscalationId, resolution: Resolution },
    /// A cheat was found.
    Heal { cheat: Cheat, reason: String },
    /// Takes over the task file after it was edited by hand.
    Adopt { text: Digest, title: String, criteria: Vec<String>, lane: Lane, header: Header },
    /// The person has seen that a snapshot was tampered with.
    Acknowledge { what: String },
    /// A note for the record.
    Note { text: String },
    /// A new budget, higher than the amount spent.
    RaiseBudget { budget: Budget },
    /// Ends the task, in whatever stage it is.
    Cancel { rationale: String },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    Approve,
    /// No; draft it anew.
    Reject,
    /// Nearly; change it as the rationale says.
    Amend,
}

/// A change of files that the host noticed.
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

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The task was created.
    Created { charter: Charter, by: String },
    /// Its work starts from this commit.
    Based { commit: String },
    /// Its first attempt began.
    Dispatched,
    /// It entered a phase.
    Entered { phase: Phase },
    /// The frame is complete.
    Framed { frame: Frame },
    /// A draft was not complete.
    DraftRefused { missing: Vec<Missing> },
    /// A contract and a plan were drafted.
    Bundled { bundle: Bundle, item: Digest },
    /// A person approved them.
    Frozen { item: Digest, by: String, when: Freeze },
    /// A person did not approve them.
    FreezeDeclined { by: String, choice: Choice, rationale: String },
    /// The plan is locked, with these slices.
    PlanLocked { slices: Vec<(SliceId, Planned)> },
    /// The tests were written.
    TestsWritten { tests: Digest, tree: Digest },
    /// The tests were seen to fail; they and the contract are what the tripwire guards.
    SeenRed { evidence: EvidenceRecord, guarded: Guarded },
    /// The tests of a change without new behaviour pass before it; they and the contract are guarded.
    SeenKept { evidence: EvidenceRecord, guarded: Guarded },
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
    /// The known failures were repaired.
    Repaired { tree: Digest },
    /// The verified tree was shipped.
    Shipped { tree: Digest },
    /// It halted.
    Halted { escalation: Escalation },
    /// A person resolved the halt.
    Resolved { escalation: EscalationId, resolution: Resolution, by: String },
    /// Another attempt began.
    Reopened { attempt: u32, at: Phase, post_mortem: PostMortem },
    /// A person abandoned the task.
    Abandoned { by: String, rationale: String },
    /// A hand edit of the task file was taken over.
    Adopted {
        text: Digest,
        title: String,
        criteria: Vec<String>,
        lane: Lane,
        header: Header,
        by: String,
    },
    /// The freeze is void.
    FreezeVoided { what: String },
    /// A person left a note.
    Noted { by: String, text: String },
    /// A hand edit of a view was kept aside.
    ViewEdited { view: String, kept: Digest, notes: Vec<String>, ignored: Vec<String> },
    /// A snapshot had been tampered with.
    SnapshotTampered { snapshot: String, kept: Digest },
    /// A person has seen it.
    Acknowledged { by: String, what: String },
    /// The task's text differs from what was taken from it.
    TextDrifted { found: Digest },
    /// The text matches again.
    TextRestored,
    /// The project acknowledged this status message.
    Told { news: u32 },
    /// The receipt of one call of a role.
    Spent { receipt: Receipt },
    /// A person changed the budget.
    BudgetRaised { by: String, budget: Budget },
    /// A role said what no test can settle, and what later tasks should know.
    Learned { residue: Vec<Residue>, lessons: Vec<String> },
}

/// An event that a proof of the task consists of. Auditors and signers look at these alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Milestone<'a> {
    TextTaken { text: Digest },
    Frozen { item: Digest, by: &'a str, when: Freeze },
    SeenRed { guarded: &'a Guarded },
    Verified { tree: Digest },
    GatePassed { record: &'a GateRecord },
    Shipped { tree: Digest },
    Done,
}

/// The digests that the tripwire compares with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guarded {
    /// The tests that were seen red.
    pub tests: Digest,
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
    pub outcome: Completion,
    pub owner: RecordOwner,
    pub reason: String,
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
    Person(String),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// An effect of the task itself.
    Task { task: TaskId, visit: u32, want: Want },
    /// An effect of the current slice.
    Slice { effect: slice::Effect },
}

impl Effect {
    pub fn task(&self) -> &TaskId {
        match self {
            Self::Task { task, .. } => task,
            Self::Slice { effect } => &effect.task,
        }
    }
}

/// The effects of the task itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Want {
    /// Hold the write lease of a work tree.
    Lease,
    /// Draft the frame.
    Frame,
    /// Draft the contract and the plan.
    Shape { declined: Option<String>, missing: Vec<Missing> },
    /// Ask a person.
    Ask { question: Question },
    /// Write the tests of the frozen contract.
    WriteTests { vacuous: Vec<String> },
    /// Run the tests before anything is built.
    RunRed { tests: Digest, tree: Digest },
    /// Put a person's fix into the tree. It changes these files and no others.
    ApplyFix { patch: Digest, places: Vec<String> },
    /// Run a probe on the candidate.
    Probe { probe: Probe, tree: Digest },
    /// Judge the candidate.
    Challenge { tree: Digest, nth: u32 },
    /// Decide from the record.
    Adjudicate { tree: Digest },
    /// Check that these were applied.
    CheckAmendments { amendments: Vec<String>, tree: Digest },
    /// Repair these failures and nothing else.
    Repair { items: Vec<String>, tree: Digest },
    /// Ship the verified tree.
    Ship { tree: Digest },
    /// Report the status to the project.
    Tell { news: u32, status: super::Status, phase: Option<Phase> },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    pub about: QuestionSubject,
    /// The item to be decided. An answer names it, so a stale one is noticed.
    pub item: Digest,
    /// Confidence in percent; the inbox shows the lowest first.
    pub confidence: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionSubject {
    /// Whether the contract is fit to be built.
    Freeze,
    /// Whether the verified work is done.
    Done { residue: Vec<Residue> },
    /// The resolution of a halt.
    Halt { escalation: Escalation },
    /// Whether to raise the budget, after so many calls.
    Budget { spent: Cost, calls: u32, budget: Budget },
}

/// Why an input was rejected. The task is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// The first input must create the task.
    #[error("the task has not been created")]
    NotCreated,
    /// A task is created once.
    #[error("the task has been created already")]
    AlreadyCreated,
    /// The charter is invalid.
    #[error("the task cannot be created: {why}")]
    Charter { why: &'static str },
    /// The task is done or abandoned.
    #[error("the task has ended")]
    Over,
    /// It is not waiting for its turn.
    #[error("the task is not waiting to be dispatched")]
    NotPending,
    /// The report answers an effect that is not, or no longer, owed.
    #[error("{effect} is not owed")]
    NotOwed { effect: EffectId },
    /// The effect is owed, but this is no answer to it.
    #[error("the report does not answer {effect}")]
    NoAnswer { effect: EffectId },
    /// No slice is being built.
    #[error("no slice is being built")]
    NoSlice,
    /// The slice rejected it.
    #[error(transparent)]
    Slice(#[from] slice::Rejected),
    /// Only a person may say this.
    #[error("only a person may decide")]
    NotAPerson,
    /// The question is not, or no longer, open.
    #[error("the question is not open")]
    Stale,
    /// The question is open, but about something newer.
    #[error("the decision is about an older item than the open question")]
    OtherItem,
    /// A reason is part of the record.
    #[error("a decision needs a reason")]
    NoReason,
    /// High risk at `auto`.
    #[error("unguarded_high_risk_auto: high risk needs autonomy conservative or manual")]
    Unguarded,
    /// The task's text was edited by hand and not adopted.
    #[error("the task file was edited by hand; adopt the edit or revert it first")]
    Unadopted,
    /// This answer is not admitted here.
    #[error("{} is not allowed for this halt", .kind.name())]
    NotAdmitted { kind: ResolutionKind },
    /// The answer's payload is not whole.
    #[error("invalid resolution")]
    Unusable(#[from] Unusable),
    /// The evidence does not carry the verdict.
    #[error("the evidence does not support the verdict")]
    Unsupported(#[from] Unsupported),
    /// The tree is not the one that was verified.
    #[error("the tree was not verified")]
    OtherTree,
    /// Cheats are reported only in verify or review.
    #[error("a cheat can be reported only in verify or review")]
    NothingToHeal,
    /// The input changes nothing.
    #[error("already recorded")]
    Known,
    /// A size limit is exceeded.
    #[error(transparent)]
    TooMuch(#[from] TooMuch),
    /// A receipt counts once.
    #[error("the receipt of {invocation} is already recorded")]
    SpentBefore { invocation: InvocationId },
    /// The task would ask for a larger budget again at once.
    #[error("the new budget does not exceed the {} already spent", .bound.name())]
    SpentAlready { bound: Bound },
    /// An approval does not name an amount.
    #[error("a budget question needs an amount, not an approval")]
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
            Self::SeenRed { guarded, .. } | Self::SeenKept { guarded, .. } => {
                Milestone::SeenRed { guarded }
            }
            Self::Verified { tree } => Milestone::Verified { tree: *tree },
            Self::GatePassed { record } => Milestone::GatePassed { record },
            Self::Shipped { tree } => Milestone::Shipped { tree: *tree },
            Self::Entered { phase: Phase::Done } => Milestone::Done,
            Self::Based { .. }
            | Self::Dispatched
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
            | Self::BudgetRaised { .. }
            | Self::Learned { .. } => return None,
        })
    }
}

impl crate::Input for Input {
    fn answers(&self) -> Option<&EffectId> {
        match self {
            Self::Create { .. }
            | Self::Base { .. }
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
            // Only the host writes receipts, never a role.
            Self::Spend { .. } => Some(&Actor::Machine),
            Self::Base { .. }
            | Self::Dispatch
            | Self::Report { .. }
            | Self::Slice { .. }
            | Self::Notice { .. } => None,
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
        let QuestionSubject::Halt { escalation } = &self.about else { return &[] };
        &escalation.evidence
    }
}
