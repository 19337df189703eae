//! Escalation: why work stopped, the one decision that is needed, and what a person may answer.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

use crate::product::split::SplitPart;
use crate::task::Phase;
use crate::task::slice::{self, Stuck};
use crate::{Cheat, Digest, EscalationId, EvidenceId, SliceId};

/// What a person is shown when work halts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Escalation {
    /// Its name. A resolution has to name it.
    pub id: EscalationId,
    pub attempt: u32,
    pub from: Phase,
    pub cause: Cause,
    /// What a person may answer here, best first.
    pub options: Vec<ResolutionKind>,
    /// The evidence that belongs to it.
    pub evidence: Vec<EvidenceId>,
}

/// Why work stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// Intake produced no complete frame.
    Unclear { missing: Vec<String> },
    /// No usable plan after the last try.
    PlanInvalid { missing: Vec<String> },
    /// The tests passed before anything was built.
    TestsVacuous { tests: Vec<String> },
    /// A slice is stuck.
    SliceStuck { slice: SliceId, why: Stuck },
    /// The checks failed once too often.
    ChecksFailed { failed: Vec<String> },
    /// The challenge failed once too often.
    ChallengeFailed { failures: Vec<String> },
    /// The arbiter rejected it.
    ArbiterRejected { rationale: String },
    /// Amendments of the arbiter are missing.
    AmendmentsMissing { amendments: Vec<String> },
    /// A tradeoff that only a person can settle.
    Tradeoff { question: String },
    /// The requirement is ambiguous.
    Ambiguity { question: String },
    /// A finding about security.
    Security { findings: Vec<String> },
    /// A role cheated once too often.
    HardStop { cheat: Cheat, what: String },
    /// A person changed what was frozen.
    FrozenEdited { what: String },
    /// The surface is not the one that was locked.
    FingerprintMismatch { what: String },
    /// A pass gained nothing.
    NoProgress { why: String },
    /// A repair went beyond what had failed.
    OutOfBounds { places: Vec<String> },
    /// The task changed after the freeze.
    FreezeVoid { what: String },
    /// High risk at `auto`.
    UnguardedHighRisk,
    /// The fix a person gave did not hold.
    FixFailed { failed: Vec<String> },
    /// A check could not reach a verdict.
    CannotTell { check: String, why: String },
    /// The step cannot be performed in this environment.
    Impossible { why: String },
    /// The verified tree cannot be reviewed or shipped.
    CannotReview { why: String },
}

/// What a person may answer, without its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ResolutionKind {
    AmendSpec,
    RevisePlan,
    ProvideFix,
    ApproveOverride,
    SplitTask,
    AbandonTask,
}

/// What a person answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "action", content = "payload", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(deny_unknown_fields)]
pub enum Resolution {
    /// Change what is wanted and begin again.
    AmendSpec { amended_acceptance_criteria: Vec<String>, amendment_rationale: String },
    /// Give another plan.
    RevisePlan { revised_plan: Vec<slice::Planned>, rationale: String },
    /// Give a patch; it is kept in the store.
    ProvideFix { fix_description: String, fix_patch: Digest, fix_places: Vec<String> },
    /// Accept the risk of a judgement.
    ApproveOverride { rationale: String },
    /// Put smaller tasks in its place.
    SplitTask { new_tasks: Vec<SplitPart>, rationale: String },
    /// Give the task up.
    AbandonTask { rationale: String },
}

/// The lessons of an attempt, given to the next one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PostMortem {
    pub attempt: u32,
    pub went_wrong: String,
    pub try_next: String,
    pub avoid: Vec<String>,
}

/// What the task has when it halts, which decides the possible resolutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HaltContext {
    /// There is a bundle whose plan could be revised.
    pub has_bundle: bool,
    /// The tests were seen red and the freeze stands, so a fix can be verified.
    pub is_verifiable: bool,
    /// The candidate is the tree that passed verify, and the header allows acceptance.
    pub is_acceptable: bool,
    /// It is a task of a project, which can have others in its place.
    pub is_of_project: bool,
}

/// Why a resolution is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// A part of its payload is missing or blank.
    #[error("`{field}` is missing or blank")]
    Blank { field: &'static str },
    /// A part of its payload is too long.
    #[error("`{field}` is too long")]
    TooLong { field: &'static str },
    /// A place leads out of the tree.
    #[error("`{place}` is not a path inside the tree")]
    OutsideTheTree { place: String },
}

impl Cause {
    /// The phase a task halts in.
    pub fn phase(&self) -> Phase {
        let is_blocked = matches!(
            self,
            Self::CannotTell { .. }
                | Self::Impossible { .. }
                | Self::SliceStuck { why: Stuck::CannotTell { .. } | Stuck::Impossible { .. }, .. }
        );
        if is_blocked { Phase::Blocked } else { Phase::NeedsUserDecision }
    }

    /// Whether it is a judgement of review. A person may override only these.
    pub fn is_a_judgement(&self) -> bool {
        matches!(
            self,
            Self::ChallengeFailed { .. } | Self::ArbiterRejected { .. } | Self::Tradeoff { .. }
        )
    }

    /// The allowed resolutions, the recommended one first.
    pub fn options(&self, context: HaltContext) -> Vec<ResolutionKind> {
        let is_hard_stop = matches!(self, Self::HardStop { .. });
        let may_fix = context.is_verifiable && !is_hard_stop;
        let may_override = self.is_a_judgement() && context.is_acceptable;
        let mut options: Vec<ResolutionKind> = vec![ResolutionKind::AmendSpec];
        options.extend(context.has_bundle.then_some(ResolutionKind::RevisePlan));
        options.extend(may_fix.then_some(ResolutionKind::ProvideFix));
        options.extend(may_override.then_some(ResolutionKind::ApproveOverride));
        options.extend(context.is_of_project.then_some(ResolutionKind::SplitTask));
        options.push(ResolutionKind::AbandonTask);
        // The contract is a person's to complete.
        let is_gap = matches!(self, Self::SliceStuck { why: Stuck::ContractGap { .. }, .. });
        let best = if is_gap { ResolutionKind::AmendSpec } else { self.recommended() };
        if let Some(at) = options.iter().position(|option| *option == best) {
            options[..=at].rotate_right(1);
        }
        options
    }

    fn recommended(&self) -> ResolutionKind {
        match self {
            Self::Unclear { .. }
            | Self::Ambiguity { .. }
            | Self::Tradeoff { .. }
            | Self::Security { .. }
            | Self::FreezeVoid { .. }
            | Self::UnguardedHighRisk
            | Self::CannotReview { .. }
            | Self::Impossible { .. } => ResolutionKind::AmendSpec,
            Self::PlanInvalid { .. }
            | Self::TestsVacuous { .. }
            | Self::SliceStuck { .. }
            | Self::ChallengeFailed { .. }
            | Self::ArbiterRejected { .. }
            | Self::HardStop { .. }
            | Self::FingerprintMismatch { .. }
            | Self::NoProgress { .. }
            | Self::OutOfBounds { .. } => ResolutionKind::RevisePlan,
            Self::ChecksFailed { .. }
            | Self::AmendmentsMissing { .. }
            | Self::FrozenEdited { .. }
            | Self::FixFailed { .. }
            | Self::CannotTell { .. } => ResolutionKind::ProvideFix,
        }
    }

    /// The failures one by one, for the next attempt.
    pub fn items(&self) -> Vec<String> {
        let (Self::Unclear { missing: items }
        | Self::PlanInvalid { missing: items }
        | Self::TestsVacuous { tests: items }
        | Self::ChecksFailed { failed: items }
        | Self::FixFailed { failed: items }
        | Self::ChallengeFailed { failures: items }
        | Self::AmendmentsMissing { amendments: items }
        | Self::Security { findings: items }
        | Self::OutOfBounds { places: items }) = self
        else {
            return vec![self.to_string()];
        };
        items.clone()
    }

    /// The smallest decision that lets the work go on.
    pub fn decision(&self) -> &'static str {
        match self {
            Self::Unclear { .. } => "say what is wanted, in criteria that can be checked",
            Self::PlanInvalid { .. } => "give a plan, or make the task smaller",
            Self::TestsVacuous { .. } => "say what the tests have to catch",
            Self::SliceStuck { .. } => "say how to go on with the slice, or plan differently",
            Self::ChecksFailed { .. } => {
                "mend what fails, plan differently, or change what is wanted"
            }
            Self::ChallengeFailed { .. } | Self::ArbiterRejected { .. } => {
                "accept the risk, plan differently, or change what is wanted"
            }
            Self::AmendmentsMissing { .. } => "apply the amendments, or change what is wanted",
            Self::Tradeoff { .. } | Self::Ambiguity { .. } => "answer the question",
            Self::Security { .. } => "decide how the finding is removed; it cannot be waived",
            Self::HardStop { .. } => "decide who goes on; the cheating cannot be waived",
            Self::FrozenEdited { .. } => "put the frozen files back, or freeze anew",
            Self::FingerprintMismatch { .. } => "keep the contract, or freeze a new one",
            Self::NoProgress { .. } | Self::OutOfBounds { .. } => "plan differently",
            Self::FreezeVoid { .. } => "freeze what the task says now",
            Self::UnguardedHighRisk => "lower the autonomy of the task, or its risk",
            Self::FixFailed { .. } => "give another fix, or plan differently",
            Self::CannotTell { .. } => "make the check runnable",
            Self::Impossible { .. } | Self::CannotReview { .. } => {
                "change the environment, or what is wanted"
            }
        }
    }
}

impl Escalation {
    pub fn recommendation(&self) -> ResolutionKind {
        self.options.first().copied().unwrap_or(ResolutionKind::AbandonTask)
    }

    /// The halt in one line.
    pub fn line(&self) -> String {
        let options: Vec<&str> = self.options.iter().map(|option| option.name()).collect();
        format!(
            "BLOCKED: {}. Options: [{}]. Recommendation: {}.",
            self.cause,
            options.join(", "),
            self.recommendation().name()
        )
    }

    /// The post-mortem of the attempt, given a person's resolution.
    pub fn post_mortem(&self, resolution: &Resolution) -> PostMortem {
        PostMortem {
            attempt: self.attempt,
            went_wrong: self.cause.to_string(),
            try_next: resolution.rationale().to_string(),
            avoid: self.cause.items(),
        }
    }
}

impl Resolution {
    pub fn kind(&self) -> ResolutionKind {
        match self {
            Self::AmendSpec { .. } => ResolutionKind::AmendSpec,
            Self::RevisePlan { .. } => ResolutionKind::RevisePlan,
            Self::ProvideFix { .. } => ResolutionKind::ProvideFix,
            Self::ApproveOverride { .. } => ResolutionKind::ApproveOverride,
            Self::SplitTask { .. } => ResolutionKind::SplitTask,
            Self::AbandonTask { .. } => ResolutionKind::AbandonTask,
        }
    }

    /// Why the person decided so.
    pub fn rationale(&self) -> &str {
        match self {
            Self::AmendSpec { amendment_rationale: why, .. }
            | Self::RevisePlan { rationale: why, .. }
            | Self::ProvideFix { fix_description: why, .. }
            | Self::ApproveOverride { rationale: why }
            | Self::SplitTask { rationale: why, .. }
            | Self::AbandonTask { rationale: why } => why,
        }
    }

    /// Whether its payload is whole.
    pub fn check(&self) -> Result<(), Unusable> {
        match self {
            Self::AmendSpec { amended_acceptance_criteria, amendment_rationale } => {
                said("amendment_rationale", amendment_rationale)?;
                listed("amended_acceptance_criteria", amended_acceptance_criteria)
            }
            Self::RevisePlan { revised_plan, rationale } => {
                said("rationale", rationale)?;
                match revised_plan.len() {
                    0 => Err(Unusable::Blank { field: "revised_plan" }),
                    1..=LIST_MAX => Ok(()),
                    _ => Err(Unusable::TooLong { field: "revised_plan" }),
                }
            }
            Self::ProvideFix { fix_description, fix_places, .. } => {
                said("fix_description", fix_description)?;
                listed("fix_places", fix_places)?;
                match fix_places.iter().find(|place| !slice::is_inside_the_tree(place)) {
                    Some(place) => Err(Unusable::OutsideTheTree { place: place.clone() }),
                    None => Ok(()),
                }
            }
            Self::SplitTask { new_tasks, rationale } => {
                said("rationale", rationale)?;
                match new_tasks.len() {
                    0 => Err(Unusable::Blank { field: "new_tasks" }),
                    1..=LIST_MAX => Ok(()),
                    _ => Err(Unusable::TooLong { field: "new_tasks" }),
                }
            }
            Self::ApproveOverride { rationale } | Self::AbandonTask { rationale } => {
                said("rationale", rationale)
            }
        }
    }
}

named! { ResolutionKind {
    AmendSpec = "AMEND_SPEC", RevisePlan = "REVISE_PLAN", ProvideFix = "PROVIDE_FIX",
    ApproveOverride = "APPROVE_OVERRIDE", SplitTask = "SPLIT_TASK", AbandonTask = "ABANDON_TASK",
} }

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unclear { missing } => write!(f, "the task does not say {}", missing.join(", ")),
            Self::PlanInvalid { missing } => write!(f, "the plan lacks {}", missing.join(", ")),
            Self::TestsVacuous { tests } => {
                write!(
                    f,
                    "tests were not seen to fail before anything is built: {}",
                    tests.join(", ")
                )
            }
            Self::SliceStuck { slice, why } => write!(f, "slice {slice} is stuck: {why}"),
            Self::ChecksFailed { failed } => {
                write!(f, "checks failed three times: {}", failed.join(", "))
            }
            Self::ChallengeFailed { failures } => {
                write!(f, "the challenge failed three times: {}", failures.join(", "))
            }
            Self::ArbiterRejected { rationale } => {
                write!(f, "the arbiter rejected it: {rationale}")
            }
            Self::AmendmentsMissing { amendments } => {
                write!(f, "amendments were not applied: {}", amendments.join(", "))
            }
            Self::Tradeoff { question } => write!(f, "a tradeoff is open: {question}"),
            Self::Ambiguity { question } => write!(f, "it is not clear: {question}"),
            Self::Security { findings } => write!(f, "security: {}", findings.join(", ")),
            Self::HardStop { cheat, what } => {
                write!(f, "HARD-STOP, the fourth cheat ({}): {what}", cheat.name())
            }
            Self::FrozenEdited { what } => write!(f, "what was frozen was edited by hand: {what}"),
            Self::FingerprintMismatch { what } => write!(f, "the contract does not hold: {what}"),
            Self::NoProgress { why } => write!(f, "no progress: {why}"),
            Self::OutOfBounds { places } => {
                write!(f, "the repair touched more than had failed: {}", places.join(", "))
            }
            Self::FreezeVoid { what } => write!(f, "the freeze is void: {what}"),
            Self::UnguardedHighRisk => f.write_str(crate::owner::UNGUARDED),
            Self::FixFailed { failed } => write!(f, "the fix did not hold: {}", failed.join(", ")),
            Self::CannotTell { check, why } => write!(f, "{check} could not be checked: {why}"),
            Self::Impossible { why } => write!(f, "it stops here: {why}"),
            Self::CannotReview { why } => write!(f, "it cannot be judged or kept: {why}"),
        }
    }
}

impl fmt::Display for Stuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FailedInARow { gate } => {
                write!(f, "its {} gate failed four times in a row", gate.name())
            }
            Self::RunsUsedUp => f.write_str("its twelve gate runs are used up"),
            Self::Detours { last } => write!(f, "it went in circles; {last}"),
            Self::InterfaceChanged { .. } => f.write_str("its interface is not the locked one"),
            Self::ContractGap { what } => write!(f, "the contract has a gap: {what}"),
            Self::NoProgress { why } | Self::CannotTell { why } | Self::Impossible { why } => {
                f.write_str(why)
            }
        }
    }
}

fn said(field: &'static str, text: &str) -> Result<(), Unusable> {
    match text.trim().len() {
        0 => Err(Unusable::Blank { field }),
        1..=TEXT_BYTES_MAX => Ok(()),
        _ => Err(Unusable::TooLong { field }),
    }
}

fn listed(field: &'static str, list: &[String]) -> Result<(), Unusable> {
    match list.len() {
        0 => Err(Unusable::Blank { field }),
        1..=LIST_MAX => list.iter().try_for_each(|text| said(field, text)),
        _ => Err(Unusable::TooLong { field }),
    }
}

const TEXT_BYTES_MAX: usize = 4_096;
const LIST_MAX: usize = 64;
