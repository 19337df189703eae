//! One round of a debate. Rounds are kept for ever; a new one begins with each revision and each fix.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use sealwright_kernel::{Digest, Ref, Role, TaskId};
use serde::{Deserialize, Serialize};

use super::adjudication::{Adjudication, Amendment, ApplicationRecord, Decision};
use super::answer::Defect;
use super::challenge::{Challenge, ChallengeVerdict};
use super::charter::Charter;
use super::dossier::Dossier;
use super::probe::ProbeRecord;
use super::proposal::Proposal;
use super::ship::ExecutionLog;
use super::vocabulary::{Judge, Origin, SentBackBy};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    /// Counted from 1.
    pub number: u32,
    pub proposer: Proposer,
    /// The artifact under debate: every round has its own, one patch above the one before.
    pub implementation: Ref,
    /// The artifact of the round before.
    pub supersedes: Option<Ref>,
    /// The tree under debate.
    pub tree: Digest,
    pub proposal: Option<Proposal>,
    pub dossier: Option<Dossier>,
    pub files: Vec<String>,
    pub probes: Vec<ProbeRecord>,
    /// Answers that were sent back.
    pub refusals: Vec<Refusal>,
    pub challenge: Option<(Challenge, Origin)>,
    pub adjudication: Option<(Adjudication, Judge)>,
    /// The tree after the amendments, with the builder's records.
    pub amended: Option<(Digest, Vec<ApplicationRecord>)>,
    /// The fingerprint that the ship check derived from the code.
    pub surface: Option<Digest>,
    pub log: Option<ExecutionLog>,
    pub end: Option<RoundEnd>,
}

/// Who proposes in a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proposer {
    Builder,
    Person { name: String },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    pub role: Role,
    pub attempt: u32,
    pub defects: Vec<Defect>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoundEnd {
    SentBack(SentBackBy),
    Halted,
    InterruptedByIce,
    Shipped,
}

impl Round {
    pub(super) fn new(
        charter: &Charter,
        number: u32,
        proposer: Proposer,
        before: Option<&Self>,
        tree: Digest,
    ) -> Self {
        let id = mint(charter, number, "IMPL", "implementation");
        let version = format!("{id}@1.0.{}", number.saturating_sub(1));
        Self {
            number,
            proposer,
            implementation: Ref::new(&version).expect("it is a minted id and three numbers"),
            supersedes: before.map(|it| it.implementation.clone()),
            tree,
            proposal: None,
            dossier: None,
            files: vec![],
            probes: vec![],
            refusals: vec![],
            challenge: None,
            adjudication: None,
            amended: None,
            surface: None,
            log: None,
            end: None,
        }
    }

    /// The tree that the adjudication lets ship: the amended one, if there are amendments.
    pub fn deliverable(&self) -> Digest {
        self.amended.as_ref().map_or(self.tree, |(tree, _)| *tree)
    }

    pub fn amendments(&self) -> &[Amendment] {
        self.adjudication.as_ref().map_or(&[], |(it, _)| it.amendments.as_slice())
    }

    /// Whether a challenger tried to disprove it, and its challenge counts.
    pub fn is_challenged(&self) -> bool {
        matches!(self.challenge, Some((_, Origin::Challenger)))
    }

    pub fn has_failed(&self) -> bool {
        self.challenge.as_ref().is_some_and(|(it, _)| it.verdict == ChallengeVerdict::Fail)
    }

    pub fn is_approved(&self) -> bool {
        self.adjudication.as_ref().is_some_and(|(it, _)| match it.decision {
            Decision::Approve | Decision::ApproveWithAmendments => true,
            Decision::Reject => false,
        })
    }

    /// Challenges of this round that were too mild.
    pub fn mild_reviews(&self) -> usize {
        self.refusals.iter().filter(|it| it.role == Role::Challenger).count()
    }

    /// A reference to a debate artifact of this round.
    pub(super) fn reference(id: &str) -> Ref {
        Ref::new(&format!("{id}@1.0.0")).expect("it is a minted id and a version")
    }
}

/// Mints the id of an artifact: always the same one for the same thing of the same round.
pub(super) fn mint(charter: &Charter, round: u32, prefix: &str, what: &str) -> String {
    let Charter { task, module, .. } = charter;
    format!("{prefix}-{}", eight(task, module, round, what))
}

pub(super) fn eight(task: &TaskId, module: &Ref, round: u32, what: &str) -> String {
    let name = format!("{task}/{module}/round-{round}/{what}");
    let digest = Digest::of(name.as_bytes());
    digest.hex()[..8].iter().map(|digit| char::from(*digit)).collect()
}
