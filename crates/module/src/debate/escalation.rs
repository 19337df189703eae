//! The escalation of a halted module: why it halted, the whole trail, and what a person may answer.

use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use sealwright_kernel::task::slice::Stuck;
use sealwright_kernel::{Digest, EscalationId, Ref, Role, SliceId};
use serde::{Deserialize, Serialize};

use super::adjudication::Amendment;
use super::answer::Defect;
use super::challenge::Failure;
use super::dossier::mismatch;
use super::round::Round;
use super::ship::ExecutionLog;

/// What a person is shown. It is read off the state; nothing in it is kept twice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Escalation {
    pub escalation_id: EscalationId,
    pub module: Ref,
    pub cause: Cause,
    pub reach: Reach,
    /// Every round, with its proposals, challenges and adjudications.
    pub trail: Vec<Round>,
    pub failed_invariants: Vec<FailedInvariant>,
    pub minimal_decision_required: String,
    /// Challenges that were too mild, in all rounds.
    pub mild_reviews: usize,
    /// What a person may answer, the recommended answer first.
    pub options: Vec<ResolutionKind>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedInvariant {
    pub invariant: String,
    pub evidence: String,
}

/// Whether the other modules of the task may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// Modules that do not depend on it may finish.
    Module,
    /// The task stops at once.
    Task,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    SliceStuck {
        slice: SliceId,
        why: Stuck,
    },
    /// A role's answer stayed unusable.
    AgentOutputInvalid {
        role: Role,
        defects: Vec<Defect>,
    },
    /// The arbiter rejected it, and no revision is left.
    Rejected {
        rationale: String,
        failures: Vec<Failure>,
    },
    /// The plan is at fault, not the module.
    PlanFault {
        failures: Vec<Failure>,
    },
    /// The builder could not apply an amendment, and says why.
    AmendmentNotApplied {
        amendment: Amendment,
        note: String,
    },
    /// The builder says that it applied them, and the machine sees that it did not.
    AmendmentsMissing {
        amendments: Vec<Amendment>,
    },
    /// The amended contract is another one, and no amendment says so.
    ContractChanged {
        locked: Digest,
        actual: Digest,
    },
    FingerprintMismatch {
        locked: Digest,
        actual: Digest,
        differing: Vec<String>,
    },
    TestsFailed {
        log: ExecutionLog,
    },
    /// The tree that was to ship is not the one that was approved.
    TreeChanged {
        expected: Digest,
        found: Digest,
    },
    InterfaceChange {
        exception: Ref,
    },
    Infrastructure {
        why: String,
    },
    Budget {
        why: String,
    },
    /// The task stopped it.
    Stopped {
        why: String,
    },
}

/// What a person may answer, without its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ResolutionKind {
    ApproveOverride,
    ProvideFix,
    AbandonModule,
}

/// What a person answers. Other resolutions are the task's, which abandons the module first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "action", content = "payload", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(deny_unknown_fields)]
pub enum Resolution {
    /// Approve in the arbiter's place. The ship check still applies.
    ApproveOverride {
        rationale: String,
    },
    /// Give another tree; it is challenged, without revisions.
    ProvideFix {
        fix_description: String,
        tree: Digest,
    },
    AbandonModule {
        rationale: String,
    },
}

impl Cause {
    pub fn reach(&self) -> Reach {
        match self {
            Self::PlanFault { .. }
            | Self::InterfaceChange { .. }
            | Self::Infrastructure { .. }
            | Self::Budget { .. } => Reach::Task,
            Self::SliceStuck { .. }
            | Self::AgentOutputInvalid { .. }
            | Self::Rejected { .. }
            | Self::AmendmentNotApplied { .. }
            | Self::AmendmentsMissing { .. }
            | Self::ContractChanged { .. }
            | Self::FingerprintMismatch { .. }
            | Self::TestsFailed { .. }
            | Self::TreeChanged { .. }
            | Self::Stopped { .. } => Reach::Module,
        }
    }

    /// Whether it is a judgement. A person may override only these.
    pub fn is_a_judgement(&self) -> bool {
        matches!(self, Self::Rejected { .. })
    }

    pub(super) fn failed_invariants(&self) -> Vec<FailedInvariant> {
        let one = |invariant: &str, evidence: String| {
            vec![FailedInvariant { invariant: invariant.to_string(), evidence }]
        };
        let all = |failures: &[Failure]| {
            let of = |it: &Failure| FailedInvariant {
                invariant: it.invariant.clone(),
                evidence: it.evidence.clone(),
            };
            failures.iter().map(of).collect()
        };
        match self {
            Self::Rejected { failures, .. } | Self::PlanFault { failures } => all(failures),
            Self::FingerprintMismatch { locked, actual, .. } => {
                one("interface_fingerprint", mismatch(*locked, *actual))
            }
            Self::ContractChanged { locked, actual } => {
                one("contract_lock", mismatch(*locked, *actual))
            }
            Self::TestsFailed { log } => {
                one("tests", alloc::format!("{} of {} fail", log.summary.failed, log.summary.total))
            }
            Self::AmendmentNotApplied { amendment, note } => {
                one("amendment", alloc::format!("{}: {note}", amendment.target))
            }
            Self::AmendmentsMissing { amendments } => {
                let targets: Vec<&str> = amendments.iter().map(|it| it.target.as_str()).collect();
                one("amendment", alloc::format!("not found in {}", targets.join(", ")))
            }
            Self::TreeChanged { expected, found } => {
                one("tree", alloc::format!("expected {expected}, found {found}"))
            }
            Self::SliceStuck { .. }
            | Self::AgentOutputInvalid { .. }
            | Self::InterfaceChange { .. }
            | Self::Infrastructure { .. }
            | Self::Budget { .. }
            | Self::Stopped { .. } => vec![],
        }
    }

    pub(super) fn decision(&self) -> &'static str {
        match self {
            Self::SliceStuck { .. } => {
                "the module cannot be built as planned: give a tree or abandon it"
            }
            Self::AgentOutputInvalid { .. } => {
                "a role gave no usable answer: give a tree or abandon it"
            }
            Self::Rejected { .. } => {
                "the arbiter rejected it: approve it in person, give a tree or abandon it"
            }
            Self::PlanFault { .. } => {
                "the plan is at fault: split the task, revise the plan or merge modules"
            }
            Self::AmendmentNotApplied { .. } | Self::AmendmentsMissing { .. } => {
                "an amendment is not applied: give a tree that holds it or abandon the module"
            }
            Self::ContractChanged { .. } | Self::FingerprintMismatch { .. } => {
                "the code does not keep the locked contract: give a tree that does or abandon the module"
            }
            Self::TestsFailed { .. } => "tests fail: give a tree that passes or abandon the module",
            Self::TreeChanged { .. } => {
                "the approved tree was changed: find out by whom, then give a tree or abandon the module"
            }
            Self::InterfaceChange { .. } => "decide the interface change exception",
            Self::Infrastructure { .. } => {
                "the environment cannot do it: mend it, then give a tree"
            }
            Self::Budget { .. } => "the budget is used up: raise it, then give a tree",
            Self::Stopped { .. } => {
                "the task was stopped: give a tree to go on or abandon the module"
            }
        }
    }
}

impl Resolution {
    pub fn kind(&self) -> ResolutionKind {
        match self {
            Self::ApproveOverride { .. } => ResolutionKind::ApproveOverride,
            Self::ProvideFix { .. } => ResolutionKind::ProvideFix,
            Self::AbandonModule { .. } => ResolutionKind::AbandonModule,
        }
    }
}

impl fmt::Display for ResolutionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ApproveOverride => "APPROVE_OVERRIDE",
            Self::ProvideFix => "PROVIDE_FIX",
            Self::AbandonModule => "ABANDON_MODULE",
        })
    }
}
