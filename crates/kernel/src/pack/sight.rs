//! Which role may see which kind of input: one table; anything else is refused.
//!
//! The columns of builder (the Factory's Proposer), challenger and arbiter are the Factory's, word for word. The
//! others follow from what each role is there to read; where that was not said, they get nothing.

use core::fmt;

use super::{Permission, Ref, RefKind};
use crate::Role;

/// A kind of input to a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InputKind {
    TaskFile,
    /// The contract and the examples of the module under debate.
    ModuleContract,
    /// The public surfaces of other modules.
    DependencyContracts,
    /// What a search of the code index found.
    IndexResults,
    /// The schemas of the harness. The challenge's is without the words of its criteria.
    HarnessSchemas,
    /// The work tree: source, tests, configuration.
    Workspace,
    Proposal,
    /// What the challenger found, with its assessments.
    Challenge,
    /// Of a challenge only what failed, and what has to change.
    ChallengeFailures,
    Adjudication,
    ImplementationSource,
    /// How a proposal is judged.
    EvaluationRubric,
    /// How a decomposition is judged.
    DecompositionRubric,
    /// The earlier rounds of a debate.
    DebateTrail,
    /// Of a task file only its criteria.
    AcceptanceCriteria,
    /// What the machine found out by itself about a proposal.
    Dossier,
    /// The newest snapshot of a slice.
    Snapshot,
    /// How earlier gates ended.
    GateHistory,
    /// The plan of a task's modules.
    MicroPlan,
    /// What people wrote: the product's and the pipeline's documents.
    Documents,
    /// The shape of the answer that is expected.
    AnswerSchema,
    /// Escalations, exceptions and other packs: they quote content that no role may read again.
    Records,
}

/// How much of a kind of input a role may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    Never,
    /// Up to this much, always.
    UpTo(Permission),
    /// Because it made this itself.
    Own,
    /// All of it, on one occasion only.
    Only(Occasion),
}

/// Why a role is called now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Occasion {
    Begin,
    /// To answer the failures of a challenge.
    Revise,
    /// To apply what an arbiter amended.
    Amend,
}

/// What a role may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    /// The work tree it was given, and nothing else.
    WorkTree,
    /// New test files in the work tree; anything else is refused afterwards.
    Tests,
    Nothing,
}

/// What `role` may change. One role writes code; the tests that judge it are written by another.
pub fn writes(role: Role) -> Writes {
    match role {
        Role::Builder => Writes::WorkTree,
        Role::TestAuthor => Writes::Tests,
        Role::Scout
        | Role::Planner
        | Role::Challenger
        | Role::Arbiter
        | Role::RefuteReader
        | Role::Auditor
        | Role::Reviewer
        | Role::Verifier
        | Role::Reconciler => Writes::Nothing,
    }
}

pub fn sight(role: Role, input: InputKind) -> Sight {
    let columns = TABLE.iter().find(|(row, _)| *row == input).map(|(_, columns)| columns);
    // A kind of input that is missing in the table is never shown.
    columns.map_or(Sight::Never, |columns| columns[column(role)])
}

named! { InputKind {
    TaskFile = "the task file", ModuleContract = "the module's contract",
    DependencyContracts = "contracts of other modules", IndexResults = "results of the code index",
    HarnessSchemas = "the harness's schemas", Workspace = "the work tree",
    Proposal = "the proposal", Challenge = "the challenge",
    ChallengeFailures = "the failures of a challenge", Adjudication = "the adjudication",
    ImplementationSource = "implementation source", EvaluationRubric = "the evaluation rubric",
    DecompositionRubric = "the decomposition rubric", DebateTrail = "the debate trail",
    AcceptanceCriteria = "the acceptance criteria", Dossier = "the verification dossier",
    Snapshot = "the snapshot", GateHistory = "the gate history", MicroPlan = "the micro plan",
    Documents = "documents", AnswerSchema = "the schema of the answer",
    Records = "records of the harness",
} }

impl InputKind {
    /// What kind of input `reference` is, shown that much.
    pub fn of(reference: &Ref, permission: Permission) -> Self {
        match (reference.kind(), permission) {
            // Of a module, everything is its work tree; anything less is what others may see of it.
            (RefKind::Module, Permission::Full) => Self::Workspace,
            (
                RefKind::Module,
                Permission::ContractOnly | Permission::SummaryOnly | Permission::MetadataOnly,
            )
            | (RefKind::ShipEvidence, _) => Self::DependencyContracts,
            (RefKind::Task, _) => Self::TaskFile,
            (RefKind::Schema, _) => Self::HarnessSchemas,
            // Both rubrics are for the same eyes.
            (RefKind::Rubric, _) => Self::EvaluationRubric,
            (RefKind::MicroPlan, _) => Self::MicroPlan,
            (RefKind::Contract | RefKind::Examples, _) => Self::ModuleContract,
            (RefKind::Implementation, _) => Self::ImplementationSource,
            (RefKind::Proposal, _) => Self::Proposal,
            (RefKind::Challenge, _) => Self::Challenge,
            (RefKind::Adjudication, _) => Self::Adjudication,
            (RefKind::ReuseSearchReport, _) => Self::IndexResults,
            (RefKind::ProductSpec, _) => Self::Documents,
            (RefKind::Escalation | RefKind::ContextPack | RefKind::InterfaceChangeException, _) => {
                Self::Records
            }
        }
    }
}

impl Sight {
    /// The most that may be shown on any occasion, or nothing ever.
    pub fn most(self) -> Option<Permission> {
        match self {
            Self::Never => None,
            Self::UpTo(most) => Some(most),
            Self::Own | Self::Only(_) => Some(Permission::Full),
        }
    }
}

impl fmt::Display for InputKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Occasion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Begin => "to begin",
            Self::Revise => "to revise",
            Self::Amend => "to amend",
        })
    }
}

fn column(role: Role) -> usize {
    match role {
        Role::Builder => 0,
        Role::Challenger => 1,
        Role::Arbiter => 2,
        Role::Scout => 3,
        Role::Planner => 4,
        Role::RefuteReader => 5,
        Role::Auditor => 6,
        Role::Reviewer => 7,
        Role::Verifier => 8,
        Role::Reconciler => 9,
        Role::TestAuthor => 10,
    }
}

const NO: Sight = Sight::Never;
const FULL: Sight = Sight::UpTo(Permission::Full);
const CONTRACT: Sight = Sight::UpTo(Permission::ContractOnly);
const OWN: Sight = Sight::Own;
const REVISE: Sight = Sight::Only(Occasion::Revise);
const AMEND: Sight = Sight::Only(Occasion::Amend);

#[rustfmt::skip]
const TABLE: [(InputKind, [Sight; 11]); 22] = [
    //                             builder   challenger arbiter | scout   planner   refuter   auditor   reviewer  verifier  reconciler test author
    (InputKind::TaskFile,             [FULL,     NO,        FULL,     NO,       FULL,     NO,       NO,       NO,       NO,       NO, FULL]),
    (InputKind::ModuleContract,       [FULL,     FULL,      FULL,     NO,       NO,       FULL,     NO,       FULL,     FULL,     FULL, FULL]),
    (InputKind::DependencyContracts,  [CONTRACT, CONTRACT,  NO,       CONTRACT, CONTRACT, CONTRACT, CONTRACT, CONTRACT, CONTRACT, CONTRACT, CONTRACT]),
    (InputKind::IndexResults,         [FULL,     NO,        NO,       NO,       FULL,     NO,       NO,       NO,       NO,       NO, NO]),
    (InputKind::HarnessSchemas,       [FULL,     NO,        NO,       NO,       NO,       NO,       NO,       NO,       NO,       NO, NO]),
    (InputKind::Workspace,            [FULL, NO, NO, FULL, FULL, FULL, NO, FULL, FULL, FULL, FULL]),
    (InputKind::Proposal,             [OWN,      FULL,      FULL,     NO,       NO,       NO,       NO,       NO,       NO,       NO, NO]),
    (InputKind::Challenge,            [NO,       OWN,       FULL,     NO,       NO,       NO,       NO,       NO,       NO,       NO, NO]),
    (InputKind::ChallengeFailures,    [REVISE,   NO,        NO,       NO,       NO,       NO,       NO,       NO,       NO,       NO, NO]),
    (InputKind::Adjudication,         [AMEND,    NO,        OWN,      NO,       NO,       NO,       NO,       NO,       NO,       NO, NO]),
    (InputKind::ImplementationSource, [OWN,      NO,        NO,       FULL,     NO,       FULL,     NO,       FULL,     FULL,     FULL, NO]),
    (InputKind::EvaluationRubric,     [NO,       FULL,      NO,       NO,       NO,       NO,       NO,       NO,       NO,       NO, NO]),
    (InputKind::DecompositionRubric,  [NO,       FULL,      NO,       NO,       NO,       NO,       NO,       NO,       NO,       NO, NO]),
    (InputKind::DebateTrail,          [NO,       FULL,      FULL,     NO,       NO,       NO,       NO,       NO,       NO,       NO, NO]),
    (InputKind::AcceptanceCriteria,   [FULL,     FULL,      FULL,     NO,       FULL,     FULL,     FULL,     FULL,     FULL,     NO, FULL]),
    (InputKind::Dossier,              [NO,       FULL,      NO,       NO,       NO,       NO,       NO,       NO,       NO,       NO, NO]),
    (InputKind::Snapshot,             [FULL,     NO,        NO,       NO,       NO,       NO,       FULL,     NO,       NO,       NO, NO]),
    (InputKind::GateHistory,          [NO,       NO,        NO,       NO,       NO,       NO,       FULL,     NO,       NO,       NO, NO]),
    (InputKind::MicroPlan,            [NO,       NO,        NO,       NO,       OWN,      NO,       NO,       NO,       NO,       NO, NO]),
    (InputKind::Documents,            [NO,       NO,        NO,       NO,       NO,       NO,       NO,       NO,       NO,       FULL, NO]),
    (InputKind::AnswerSchema,         [FULL,     FULL,      FULL,     FULL,     FULL,     FULL,     FULL,     FULL,     FULL,     FULL, FULL]),
    (InputKind::Records,              [NO,       NO,        NO,       NO,       NO,       NO,       NO,       NO,       NO,       NO, NO]),
];
