//! What is said about the run of a project: inputs, events, effects, and what they carry.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;

use serde::{Deserialize, Serialize};

use super::Decision;
use crate::pipeline::{Change, Mode, Phase, Pipeline, Step};
use crate::{Actor, Digest, EffectId, Verdict};

/// What gates depend on, by its content.
pub type Documents = BTreeMap<Document, Digest>;

/// Something that a gate depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Document {
    Preferences,
    Scope,
    Design,
    Readiness,
    /// The files of the work that shipped.
    Code,
}

/// What somebody has to do before the run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Job {
    Phase(Phase),
    /// What a review or a verification found.
    Fix(Phase),
    Audit,
    Distill,
    /// A proposal for the next version.
    Propose,
    /// What a confirmed proposal leaves as it is.
    Confirm,
}

/// What the engine saw when it examined what was handed in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Examination {
    pub verdict: Verdict,
    /// What was read.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub read: Documents,
    /// Every condition with its findings, in the store.
    pub report: Digest,
    pub findings: u32,
    /// The first finding, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub first: String,
    /// What outgrew the design.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub brakes: BTreeSet<String>,
    /// What the engine could not measure, and was told by people.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub said: BTreeSet<String>,
    #[serde(default, skip_serializing_if = "Tells::is_nothing")]
    pub tells: Tells,
}

/// What an examination tells besides its verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tells {
    #[default]
    Nothing,
    Fixed(Fixed),
    Drift(Drift),
    Architecture(Architecture),
}

/// What a fix changed, by its diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fixed {
    Nothing,
    Documents,
    Code,
}

/// How documents and code stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Drift {
    Clean,
    Repaired,
    /// They contradict each other.
    Blocked,
}

/// Which gates of documents pass again on what a confirmed iteration asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Architecture {
    /// Scope and design hold as they are.
    Unchanged,
    /// The scope holds; there is a new design.
    Changed,
    /// Both are new.
    Unknown,
}

/// What a person approved before anything is built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Freeze {
    pub documents: Documents,
    /// The spec that all tasks come from.
    pub spec: Digest,
    pub by: String,
}

/// Why work stops before its gate fails: what goes on is for a person to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// Three approaches ended in the same error.
    SameError,
    /// What has to be built is much larger than what the scope says.
    ScopeGrew,
    /// Something that others provide is missing, or does something else than it says.
    Dependency,
    /// It could cost security, data or money.
    Unsafe,
}

/// Something that was learned from those who use a version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signal {
    pub text: String,
    pub source: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// A person asks for the first version. Repository, settings and preferences were found in order.
    Begin {
        by: Actor,
        request: String,
        mode: Mode,
        /// The settings that were loaded, by their content.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        settings: Option<Digest>,
    },
    /// Work stops, and a person decides.
    Stop {
        by: Actor,
        reason: StopReason,
        why: String,
    },
    /// How to undo the deployment that is about to begin.
    Rollback {
        by: Actor,
        command: String,
    },
    /// A person takes a step, and what the gated files were then.
    Step {
        by: Actor,
        step: Step,
        why: String,
        seen: Documents,
    },
    /// A person answers a brake, or a contradiction of documents and code.
    Resolve {
        by: Actor,
        decision: Decision,
        why: String,
        seen: Documents,
    },
    /// A person lets the run go on after a pause of the process.
    Return {
        by: Actor,
        seen: Documents,
    },
    /// A person approves what will be built, as it was shown.
    Freeze {
        by: Actor,
        documents: Documents,
        spec: Digest,
    },
    /// The work of the phase is there.
    HandIn {
        by: Actor,
    },
    Tell {
        by: Actor,
        signal: Signal,
    },
    /// A program was started on the work.
    Begun {
        effect: EffectId,
    },
    /// The program that was started on the work handed it in.
    Worked {
        effect: EffectId,
    },
    Aborted {
        effect: EffectId,
        why: String,
    },
    Examined {
        effect: EffectId,
        report: Examination,
    },
    /// The state of a passed gate is a commit, and what the gated files were then.
    Kept {
        effect: EffectId,
        commit: String,
        seen: Documents,
    },
    /// What failed is a commit, and so is the last passed gate on top of it.
    Restored {
        effect: EffectId,
        broken: String,
        commit: String,
    },
    Recovered {
        effect: EffectId,
        seen: Documents,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    Requested {
        request: String,
        by: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        settings: Option<Digest>,
    },
    StopRaised {
        reason: StopReason,
        by: String,
    },
    RollbackRecorded {
        command: String,
        by: String,
    },
    Stepped {
        step: Step,
        to: Pipeline,
        by: Actor,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        why: String,
    },
    /// What a person decided by the step before.
    Resolved {
        decision: Decision,
        by: String,
    },
    WorkBegun {
        job: Job,
    },
    HandedIn {
        job: Job,
        by: Actor,
    },
    WorkAborted {
        job: Job,
        why: String,
    },
    GateExamined {
        job: Job,
        report: Examination,
    },
    Kept {
        commit: String,
    },
    Restored {
        broken: String,
        commit: String,
    },
    Recovered {
        seen: Documents,
    },
    Frozen {
        freeze: Freeze,
    },
    Signalled {
        signal: Signal,
        by: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Somebody has to do this.
    Work {
        nth: u32,
        job: Job,
    },
    Examine {
        nth: u32,
        job: Job,
    },
    /// Keep the state of a passed gate as a commit.
    Keep {
        nth: u32,
    },
    /// Keep what failed as a commit, and the last passed gate on top of it.
    Restore {
        nth: u32,
    },
    /// Look at every gated file again.
    Recover {
        nth: u32,
    },
}

impl Document {
    pub const ALL: [Self; 5] =
        [Self::Preferences, Self::Scope, Self::Design, Self::Readiness, Self::Code];

    /// The first gate that depends on it.
    pub fn gate(self) -> Phase {
        match self {
            Self::Preferences | Self::Scope => Phase::Expand,
            Self::Design => Phase::Design,
            Self::Readiness => Phase::Analyze,
            Self::Code => Phase::Build,
        }
    }

    /// What it is that changed with it. Readiness follows from the design, and is written after it again.
    pub fn change(self) -> Change {
        match self {
            Self::Preferences | Self::Scope => Change::Scope,
            Self::Design | Self::Readiness => Change::Design,
            Self::Code => Change::Code,
        }
    }
}

impl Job {
    /// Its name in ids and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Phase(phase) => phase.name(),
            Self::Fix(Phase::Review) => "fix-review",
            Self::Fix(_) => "fix-verify",
            Self::Audit => "audit",
            Self::Distill => "distill",
            Self::Propose => "propose",
            Self::Confirm => "confirm",
        }
    }
}

impl Job {
    /// Whether this document may be changed by the work itself, so that a change of it is not one by hand.
    pub(super) fn may_change(self, document: Document) -> bool {
        match (self, document) {
            (Self::Phase(Phase::Reconcile), Document::Design | Document::Readiness) => true,
            (Self::Fix(_), Document::Code) => true,
            (Self::Fix(Phase::Verify), Document::Design | Document::Readiness) => true,
            (
                Self::Phase(_)
                | Self::Fix(_)
                | Self::Audit
                | Self::Distill
                | Self::Propose
                | Self::Confirm,
                Document::Preferences
                | Document::Scope
                | Document::Design
                | Document::Readiness
                | Document::Code,
            ) => false,
        }
    }

    /// Whether a pass binds this document anew: what the gate is about, and nothing before it.
    pub(super) fn binds(self, tells: Tells, document: Document) -> bool {
        match self {
            Self::Phase(Phase::Reconcile) => {
                // Where the code is right, documents follow it. What was asked for is a person's.
                let follows = matches!(document, Document::Design | Document::Readiness);
                tells == Tells::Drift(Drift::Repaired) && follows
            }
            Self::Phase(phase) => document.gate() == phase,
            // Where only documents were fixed, what they say now is compared with the code by the reconcile that follows.
            Self::Fix(_) if tells == Tells::Fixed(Fixed::Documents) => {
                matches!(document, Document::Design | Document::Readiness)
            }
            Self::Fix(_) => document == Document::Code,
            Self::Confirm => match tells {
                Tells::Architecture(Architecture::Unchanged) => document.gate() <= Phase::Design,
                Tells::Architecture(Architecture::Changed) => document.gate() == Phase::Expand,
                Tells::Architecture(Architecture::Unknown)
                | Tells::Nothing
                | Tells::Fixed(_)
                | Tells::Drift(_) => false,
            },
            Self::Audit | Self::Distill | Self::Propose => false,
        }
    }
}

impl Tells {
    fn is_nothing(&self) -> bool {
        *self == Self::Nothing
    }
}

impl StopReason {
    pub const ALL: [Self; 4] = [Self::SameError, Self::ScopeGrew, Self::Dependency, Self::Unsafe];

    pub fn words(self) -> &'static str {
        match self {
            Self::SameError => "three approaches ended in the same error",
            Self::ScopeGrew => "the work is much larger than the scope",
            Self::Dependency => "a dependency is unavailable or misbehaves",
            Self::Unsafe => "it could cost security, data or money",
        }
    }

    /// Whether the shape of the work is in question, and not the work.
    pub(super) fn is_structural(self) -> bool {
        match self {
            Self::SameError | Self::ScopeGrew => true,
            Self::Dependency | Self::Unsafe => false,
        }
    }
}

impl Effect {
    pub fn id(&self) -> EffectId {
        let id = |kind: &str, what: &str, nth: u32| {
            EffectId::of(format_args!("project/run/{kind}"), what, nth.saturating_add(1))
        };
        match self {
            Self::Work { nth, job } => id("work", job.name(), *nth),
            Self::Examine { nth, job } => id("examine", job.name(), *nth),
            Self::Keep { nth } => id("keep", "gate", *nth),
            Self::Restore { nth } => id("restore", "gate", *nth),
            Self::Recover { nth } => id("recover", "documents", *nth),
        }
    }
}

impl Input {
    pub(in crate::project) fn answers(&self) -> Option<&EffectId> {
        match self {
            Self::Begin { .. }
            | Self::Stop { .. }
            | Self::Rollback { .. }
            | Self::Step { .. }
            | Self::Resolve { .. }
            | Self::Return { .. }
            | Self::Freeze { .. }
            | Self::HandIn { .. }
            | Self::Tell { .. } => None,
            Self::Begun { effect }
            | Self::Worked { effect }
            | Self::Aborted { effect, .. }
            | Self::Examined { effect, .. }
            | Self::Kept { effect, .. }
            | Self::Restored { effect, .. }
            | Self::Recovered { effect, .. } => Some(effect),
        }
    }

    pub(in crate::project) fn signed_by(&self) -> Option<&Actor> {
        match self {
            Self::Begin { by, .. }
            | Self::Stop { by, .. }
            | Self::Rollback { by, .. }
            | Self::Step { by, .. }
            | Self::Resolve { by, .. }
            | Self::Return { by, .. }
            | Self::Freeze { by, .. }
            | Self::HandIn { by }
            | Self::Tell { by, .. } => Some(by),
            Self::Begun { .. }
            | Self::Worked { .. }
            | Self::Aborted { .. }
            | Self::Examined { .. }
            | Self::Kept { .. }
            | Self::Restored { .. }
            | Self::Recovered { .. } => None,
        }
    }
}
