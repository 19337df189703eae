//! The bundle: frame, contract and plan, approved by a person before anything is built.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

use crate::owner::Header;
use crate::task::charter::Charter;
use crate::task::slice::Planned;
use crate::{Digest, canonical_json};

/// The kickoff frame: the objective and how it will be checked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// What is to be achieved.
    pub objective: String,
    /// The conditions for done.
    pub done_gate: Vec<String>,
    /// Explicit exclusions.
    pub not_doing: Vec<String>,
    /// Constraints that cannot change.
    pub reality: Vec<String>,
    /// How it will be checked.
    pub validation: Vec<String>,
    pub audience: Audience,
    /// What they will see, each with a truthful label.
    pub features: Vec<Feature>,
    /// The draft of contract and plan that came with it, if one call gave both. It is used once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<Digest>,
}

/// Whether people will see the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    #[default]
    Code,
    People,
}

/// Something a person will see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feature {
    pub name: String,
    /// Whether it really works.
    pub label: FeatureLabel,
}

/// Whether a visible feature really works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeatureLabel {
    RealWorking,
    /// It shows what is there.
    RealReadOnly,
    /// It does not work and is hidden.
    BlockedHidden,
    /// Its state is unknown, so it is not shown.
    UnknownDoNotShow,
}

/// Everything that one approval freezes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bundle {
    pub frame: Frame,
    /// The three parts, as they stand in the store.
    pub parts: Vec<Part>,
    /// The slices, in the order they are built.
    pub plan: Vec<Planned>,
    /// Whether nothing observable changes: its tests pass before and after.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub keeps_behaviour: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    pub kind: PartKind,
    /// Its content, in the store.
    pub content: Digest,
    /// How sure its author is, in percent.
    pub confidence: u8,
    /// What a person should look at first.
    pub flags: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// The intent.
    Spec,
    /// The cases that matter.
    Scenarios,
    /// The shape that is frozen.
    Contract,
}

/// Something a draft lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    Objective,
    DoneGate,
    Exclusions,
    RealityConstraints,
    ValidationPlan,
    FeatureChecklist,
    Spec,
    Scenarios,
    Contract,
    Plan,
}

/// One line of what a person looks at before they approve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChecklistLine {
    pub is_flagged: bool,
    /// How sure its author is, in percent.
    pub confidence: u8,
    pub text: String,
}

impl Frame {
    /// What intake still lacks.
    pub fn missing_at_intake(&self) -> Vec<Missing> {
        let is_blank = |list: &[String]| list.iter().all(|text| text.trim().is_empty());
        let needed = [
            (Missing::Objective, self.objective.trim().is_empty()),
            (Missing::DoneGate, is_blank(&self.done_gate)),
            (Missing::Exclusions, is_blank(&self.not_doing)),
            (Missing::RealityConstraints, is_blank(&self.reality)),
        ];
        needed.into_iter().filter(|(_, lacks)| *lacks).map(|(missing, _)| missing).collect()
    }

    pub fn missing(&self) -> Vec<Missing> {
        let mut missing = self.missing_at_intake();
        if self.validation.iter().all(|text| text.trim().is_empty()) {
            missing.push(Missing::ValidationPlan);
        }
        let is_listed = self.features.iter().any(|feature| !feature.name.trim().is_empty());
        match self.audience {
            Audience::People if !is_listed => missing.push(Missing::FeatureChecklist),
            Audience::People | Audience::Code => {}
        }
        missing
    }
}

impl Bundle {
    pub fn missing(&self) -> Vec<Missing> {
        let mut missing = self.frame.missing();
        let has = |kind| self.parts.iter().filter(|part| part.kind == kind).count() == 1;
        let parts = [
            (Missing::Spec, has(PartKind::Spec)),
            (Missing::Scenarios, has(PartKind::Scenarios)),
            (Missing::Contract, has(PartKind::Contract)),
            (Missing::Plan, (1..=SLICES_MAX).contains(&self.plan.len())),
        ];
        missing.extend(parts.into_iter().filter(|(_, is_there)| !is_there).map(|(it, _)| it));
        missing
    }

    /// The digest of the bundle under `charter`. An approval names it, so that it cannot apply to a newer draft.
    pub fn item(&self, charter: &Charter) -> Digest {
        let Charter { text, criteria, lane, header, .. } = charter;
        // Plain data of a bounded depth always has a canonical form.
        Digest::of(&canonical_json(&(self, text, criteria, lane, header)).unwrap_or_default())
    }

    /// The frozen shape.
    pub fn contract(&self) -> Digest {
        let contract = self.parts.iter().find(|part| part.kind == PartKind::Contract);
        contract.map_or(Digest::ZERO, |part| part.content)
    }

    /// The parts, the least certain first.
    pub fn by_confidence(&self) -> Vec<&Part> {
        let mut parts: Vec<&Part> = self.parts.iter().collect();
        parts.sort_by_key(|part| (part.confidence, part.kind));
        parts
    }

    /// How sure the least certain part is, in percent.
    pub fn confidence(&self) -> u8 {
        self.parts.iter().map(|part| part.confidence).min().unwrap_or(0).min(100)
    }

    /// The seven lines a person goes through, what is flagged first.
    pub fn checklist(&self, header: Header) -> [ChecklistLine; 7] {
        let part = |kind: PartKind, asks: &str| {
            let part = self.parts.iter().find(|part| part.kind == kind);
            let flags = part.map(|part| part.flags.join("; ")).unwrap_or_default();
            let confidence = part.map_or(0, |part| part.confidence);
            let text =
                if flags.is_empty() { asks.to_string() } else { format!("{asks} ({flags})") };
            ChecklistLine { is_flagged: !flags.is_empty(), confidence, text }
        };
        let plain = |text: String| ChecklistLine { is_flagged: false, confidence: 100, text };
        let is_unguarded = header.is_guarded() == crate::owner::Guard::Missing;
        let who = format!(
            "Autonomy `{}` and risk `{}` are right for it",
            header.autonomy.name(),
            header.risk.name()
        );
        let mut lines = [
            part(PartKind::Spec, "The spec says what is meant"),
            part(PartKind::Scenarios, "The scenarios are the cases that matter"),
            part(PartKind::Contract, "The contract has the right shape to freeze"),
            plain(format!("Done means: {}", self.frame.done_gate.join("; "))),
            plain(format!("It is right not to do: {}", self.frame.not_doing.join("; "))),
            plain(format!("The plan is cut right, into {}", slices(self.plan.len()))),
            ChecklistLine { is_flagged: is_unguarded, confidence: 100, text: who },
        ];
        lines.sort_by_key(|line| (!line.is_flagged, line.confidence));
        lines
    }
}

fn slices(count: usize) -> String {
    match count {
        1 => "one slice".to_string(),
        count => format!("{count} slices"),
    }
}

named! { FeatureLabel {
    RealWorking = "real_working", RealReadOnly = "real_read_only", BlockedHidden = "blocked_hidden",
    UnknownDoNotShow = "unknown_do_not_show",
} }

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Objective => "the objective",
            Self::DoneGate => "the done gate",
            Self::Exclusions => "what is not being done",
            Self::RealityConstraints => "the reality constraints",
            Self::ValidationPlan => "the validation plan",
            Self::FeatureChecklist => "the feature checklist",
            Self::Spec => "the spec",
            Self::Scenarios => "the scenarios",
            Self::Contract => "the contract",
            Self::Plan => "the slices",
        })
    }
}

pub const SLICES_MAX: usize = 64;
