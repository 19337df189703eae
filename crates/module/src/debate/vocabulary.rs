//! The words of the module machine: inputs, events, effects, rejections.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use sealwright_kernel::task::slice;
use sealwright_kernel::{Actor, Digest, EffectId, EscalationId, Ref, Role, TaskId};
use serde::{Deserialize, Serialize};

use super::adjudication::{Adjudication, Amendment, ApplicationRecord, Observed};
use super::answer::Defect;
use super::challenge::{Challenge, Failure};
use super::charter::{BadCharter, Charter};
use super::dossier::{BadDossier, Dossier};
use super::escalation::{Cause, Resolution, ResolutionKind};
use super::probe::ProbeResult;
use super::proposal::Proposal;
use super::ship::ExecutionLog;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    Create {
        charter: Charter,
    },
    /// An answer to the slice that is being built.
    Slice {
        input: slice::Input,
    },
    /// An answer to an effect of the module.
    Report {
        effect: EffectId,
        round: u32,
        attempt: u32,
        report: Report,
    },
    /// The challenger, in its call, asks for a probe.
    Probe {
        effect: EffectId,
        round: u32,
        attempt: u32,
        arguments: String,
    },
    /// A role, in its call, raised an interface change exception.
    Exception {
        effect: EffectId,
        exception: Ref,
    },
    /// The task stops the module.
    Stop {
        why: String,
    },
    /// A person resolves the open escalation.
    Resolve {
        by: Actor,
        escalation: EscalationId,
        resolution: Resolution,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// A builder's proposal for a tree, as it was written.
    Proposed {
        tree: Digest,
        answer: String,
    },
    /// The machine's facts, and the files of the deliverable.
    Dossier {
        dossier: Dossier,
        files: Vec<String>,
    },
    /// A challenger's answer, as it was written.
    Challenged {
        answer: String,
    },
    Probed {
        result: ProbeResult,
    },
    /// An arbiter's answer, as it was written.
    Adjudicated {
        answer: String,
    },
    /// A builder applied the amendments.
    Amended {
        tree: Digest,
        answer: String,
    },
    /// The targets of the amendments, and the fingerprint of the contract as it is delivered.
    AmendmentsSeen {
        tree: Digest,
        observed: Vec<Observed>,
        fingerprint: Digest,
    },
    /// The surface of the tree that is to ship.
    SurfaceRead {
        tree: Digest,
        fingerprint: Digest,
        /// The dimensions in which it differs from the contract.
        differing: Vec<String>,
        observed: Vec<Observed>,
    },
    /// Every test was run.
    TestsRun {
        tree: Digest,
        log: ExecutionLog,
    },
    /// The version is in the store, sealed and registered.
    Promoted {
        tree: Digest,
        version: Digest,
    },
    /// The task has heard.
    Told,
    /// It cannot be performed, however often it is tried.
    Impossible {
        why: String,
    },
    /// A ceiling of time, tokens or money was reached.
    OverBudget {
        why: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(clippy::large_enum_variant, reason = "one at a time is made and written")]
pub enum Event {
    Created {
        charter: Charter,
    },
    Slice {
        event: slice::Event,
    },
    /// All slices are delivered; the first round begins.
    Built {
        tree: Digest,
    },
    /// An answer was sent back to its role.
    AnswerRefused {
        role: Role,
        attempt: u32,
        defects: Vec<Defect>,
    },
    Proposed {
        tree: Digest,
        proposal: Proposal,
    },
    Examined {
        dossier: Dossier,
        files: Vec<String>,
    },
    ProbeAsked {
        arguments: String,
    },
    Probed {
        nth: u32,
        result: ProbeResult,
    },
    Challenged {
        challenge: Challenge,
        origin: Origin,
    },
    Adjudicated {
        adjudication: Adjudication,
        by: Judge,
    },
    Amended {
        tree: Digest,
        records: Vec<ApplicationRecord>,
    },
    /// The amendments are in the tree. The lock is new if they changed the contract.
    AmendmentsVerified {
        lock: Option<Digest>,
    },
    SurfaceVerified {
        fingerprint: Digest,
    },
    Tested {
        log: ExecutionLog,
    },
    /// A revision begins, in a new round.
    SentBack {
        failures: Vec<Failure>,
        by: SentBackBy,
    },
    Promoted {
        tree: Digest,
        version: Digest,
    },
    Halted {
        id: EscalationId,
        cause: Cause,
    },
    /// A person gave a tree; a new round begins at the dossier.
    FixProvided {
        tree: Digest,
        proposal: Proposal,
        by: String,
    },
    /// A person takes the place of the arbiter.
    Overridden {
        adjudication: Adjudication,
        by: String,
    },
    Abandoned {
        by: String,
        rationale: String,
    },
    Told {
        news: u32,
    },
}

/// Where a challenge comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    Challenger,
    /// The machine wrote it, because the challenger stayed mild.
    Machine,
}

/// Who adjudicated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judge {
    Arbiter,
    /// The machine wrote a REJECT, because the arbiter's answers stayed unusable.
    Machine,
    Person {
        name: String,
    },
}

/// What made a revision necessary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SentBackBy {
    Challenge,
    Arbiter,
    Surface,
    Tests,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    Slice {
        effect: slice::Effect,
    },
    Module {
        task: TaskId,
        module: Ref,
        /// 0 before the first round.
        round: u32,
        attempt: u32,
        want: Want,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Want {
    /// Propose the tree that was built.
    Propose { tree: Digest, defects: Vec<Defect> },
    /// Mend these failures and propose the result.
    Revise { tree: Digest, failures: Vec<Failure>, defects: Vec<Defect> },
    /// Find out about the tree what a challenger needs.
    Examine { tree: Digest },
    /// Try to disprove the proposal.
    Challenge { tree: Digest, defects: Vec<Defect> },
    /// Call the public surface once.
    RunProbe { tree: Digest, arguments: String },
    /// Decide from the record.
    Adjudicate { tree: Digest, defects: Vec<Defect> },
    /// Apply these and nothing else.
    Amend { tree: Digest, amendments: Vec<Amendment>, defects: Vec<Defect> },
    /// Look at the targets of the amendments.
    SeeAmendments { before: Digest, after: Digest, amendments: Vec<Amendment> },
    /// Derive the interface fingerprint from the tree that is to ship.
    ReadSurface { before: Digest, tree: Digest, amendments: Vec<Amendment> },
    /// Run all of its tests.
    RunTests { tree: Digest },
    /// Store, sign, seal and register it, all or nothing.
    Promote { tree: Digest, fingerprint: Digest, log: ExecutionLog },
    /// Tell the task how it stands.
    Tell { news: u32, standing: Standing },
}

/// What a task hears of a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    Shipped { tree: Digest, version: Digest },
    Halted { escalation: EscalationId, reach: super::escalation::Reach },
    Abandoned,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    #[error("the module has not been created")]
    NotCreated,
    #[error("the module was created before")]
    AlreadyCreated,
    #[error(transparent)]
    BadCharter(#[from] BadCharter),
    #[error("{effect} is not owed")]
    NotOwed { effect: EffectId },
    #[error("{effect} belongs to round {expected}, not {round}")]
    OtherRound { effect: EffectId, round: u32, expected: u32 },
    #[error("{effect} belongs to attempt {expected}, not {attempt}")]
    OtherAttempt { effect: EffectId, attempt: u32, expected: u32 },
    #[error("that is no answer to {effect}")]
    NoAnswer { effect: EffectId },
    #[error("the report is about tree {found}, not {expected}")]
    OtherTree { expected: Digest, found: Digest },
    #[error("no slice is being built")]
    NoSlice,
    #[error(transparent)]
    Slice(#[from] slice::Rejected),
    #[error(transparent)]
    BadDossier(#[from] BadDossier),
    #[error("too many {what}: at most {most}")]
    TooMany { what: &'static str, most: usize },
    #[error("the text is blank or too long")]
    BadText,
    #[error("the probe is refused: {defect}")]
    BadProbe { defect: Defect },
    #[error("the execution log is refused: {defect}")]
    BadLog { defect: Defect },
    #[error("{reference} is no interface change exception")]
    NoException { reference: Ref },
    #[error("the module has not halted")]
    NotHalted,
    #[error("{escalation} is not the open escalation")]
    OtherEscalation { escalation: EscalationId },
    #[error("a person has to decide that, by name")]
    NotAPerson,
    #[error("{kind} is not possible here")]
    NotPossible { kind: ResolutionKind },
    #[error("nothing more can happen to the module")]
    Over,
}

impl Effect {
    /// The role that performs it; none if the machine does.
    pub fn role(&self) -> Option<Role> {
        match self {
            Self::Slice { .. } => None,
            Self::Module { want, .. } => want.role(),
        }
    }
}

impl Want {
    pub fn role(&self) -> Option<Role> {
        match self {
            Self::Propose { .. } | Self::Revise { .. } | Self::Amend { .. } => Some(Role::Builder),
            Self::Challenge { .. } => Some(Role::Challenger),
            Self::Adjudicate { .. } => Some(Role::Arbiter),
            Self::Examine { .. }
            | Self::RunProbe { .. }
            | Self::SeeAmendments { .. }
            | Self::ReadSurface { .. }
            | Self::RunTests { .. }
            | Self::Promote { .. }
            | Self::Tell { .. } => None,
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Propose { .. } => "propose",
            Self::Revise { .. } => "revise",
            Self::Examine { .. } => "examine",
            Self::Challenge { .. } => "challenge",
            Self::RunProbe { .. } => "probe",
            Self::Adjudicate { .. } => "adjudicate",
            Self::Amend { .. } => "amend",
            Self::SeeAmendments { .. } => "see-amendments",
            Self::ReadSurface { .. } => "surface",
            Self::RunTests { .. } => "tests",
            Self::Promote { .. } => "promote",
            Self::Tell { .. } => "tell",
        }
    }
}

impl sealwright_kernel::Effect for Effect {
    fn id(&self) -> EffectId {
        match self {
            Self::Slice { effect } => effect.id(),
            Self::Module { task, module, round, attempt, want } => {
                let owner = format!("{task}/{module}/round-{round}");
                EffectId::of(owner, want.name(), *attempt)
            }
        }
    }
}

impl sealwright_kernel::Input for Input {
    fn answers(&self) -> Option<&EffectId> {
        match self {
            Self::Report { effect, .. } => Some(effect),
            Self::Slice { input } => sealwright_kernel::Input::answers(input),
            // The call goes on after a probe was asked for, and an exception ends it without an answer.
            Self::Probe { .. }
            | Self::Exception { .. }
            | Self::Create { .. }
            | Self::Stop { .. }
            | Self::Resolve { .. } => None,
        }
    }

    fn signed_by(&self) -> Option<&Actor> {
        match self {
            Self::Resolve { by, .. } => Some(by),
            Self::Create { .. }
            | Self::Slice { .. }
            | Self::Report { .. }
            | Self::Probe { .. }
            | Self::Exception { .. }
            | Self::Stop { .. } => None,
        }
    }
}
