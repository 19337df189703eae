//! The sandbox around a run.

use serde::Serialize;

use super::{Digest, Level, NonEmptyText};

/// The sandbox around one run, as it was probed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Confinement {
    pub level: Level,
    /// The isolation mechanism.
    pub mechanism: NonEmptyText,
    /// What the probe found.
    pub facts: Vec<Fact>,
    /// The digest of the whole sandbox plan.
    pub plan: Digest,
}

/// One result of a sandbox probe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fact {
    pub name: String,
    pub value: String,
}

/// An isolation mechanism.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Mechanism {
    Namespaces,
    Bubblewrap {
        /// The path of the program.
        program: String,
    },
    Landlock,
    Nothing,
}

impl From<&sealwright_kernel::Confinement> for Confinement {
    fn from(it: &sealwright_kernel::Confinement) -> Self {
        Self {
            level: it.level.into(),
            mechanism: (&it.mechanism).into(),
            facts: it.facts.iter().map(Fact::from).collect(),
            plan: it.plan.into(),
        }
    }
}

impl From<&sealwright_kernel::ConfinementFact> for Fact {
    fn from(fact: &sealwright_kernel::ConfinementFact) -> Self {
        Self { name: fact.name.clone(), value: fact.value.clone() }
    }
}
