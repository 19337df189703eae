//! What a module promises: its contract, the fingerprint of its interface, its versions.
//!
//! ```text
//! JSON ──read──▶ MicroModuleContract ──interface──▶ fingerprint (SHA-256 of RFC 8785)
//!                  │      │      └─ clauses ──▶ coverage (which test proves which clause)
//!                  │      └─ delta ──▶ candidate contract, compatibility
//!                  └─ version rules: patch, minor, major
//! ```
//!
//! A contract is only made by reading it, so every contract holds to its bounds. The engine derives fingerprints; a
//! document that brings one is refused.

mod clauses;
mod delta;
mod difference;
mod evidence;
pub(crate) mod json;
mod names;
mod read;
mod versions;

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use sealwright_kernel::pack::Version;
use sealwright_kernel::{Digest, canonical_json};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Number;

pub use clauses::{
    CLAIM_BYTES_MAX, CLAUSES_OF_TEST_MAX, Clause, ClauseId, ClauseKind, Coverage, CoverageClaim,
    TEST_NAME_BYTES_MAX, TESTS_MAX, TestClaim, clauses, coverage,
};
pub use delta::{
    Compatibility, ContractDelta, DELTA_BYTES_MAX, DeltaRefused, Expectation, ModeChanges, Modified,
};
pub use difference::{Change, DimensionDifference, Entry, Mismatch, compare};
pub use evidence::{
    Environment, ExecutionLog, LOG_BYTES_MAX, LOG_TESTS_MAX, SHIP_BYTES_MAX, ShipEvidence, Summary,
    TestEntry, TestResult, Verification, VerificationResult,
};
pub use json::{PROBLEMS_MAX, Problem, Problems};
pub use names::{ModuleId, ModuleRange, ModuleRef, NameError};
pub use versions::{Bump, FIRST_VERSION, VersionRefused, bump_between, check_version};

use json::{Node, Reader, Tree};

pub(crate) use names::{MODULE_ID, MODULE_REF};
pub(crate) use read::{NAME, PROSE, contract as read_contract};

/// Everything that others may rely on when they use a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MicroModuleContract {
    pub module_id: ModuleId,
    pub module_version: Version,
    pub name: String,
    /// One sentence: what comes out for what goes in.
    pub purpose: String,
    pub tags: Vec<String>,
    #[serde(flatten)]
    pub interface: Interface,
    /// The situations that the implementation handles.
    pub error_cases: Vec<String>,
    pub dependencies: Vec<Dependency>,
    pub compatibility: CompatibilityPolicy,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime_budgets: Option<RuntimeBudgets>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<Binding>,
}

/// The five dimensions that callers see, and that the fingerprint covers.
///
/// Order counts, and so do descriptions: two interfaces that differ in a note have two fingerprints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Interface {
    pub inputs: Vec<Parameter>,
    pub outputs: Vec<Output>,
    pub error_surfaces: Vec<ErrorSurface>,
    pub effects: Vec<Effect>,
    pub modes: Modes,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Parameter {
    pub name: String,
    #[serde(rename = "type")]
    pub type_name: String,
    pub constraints: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Output {
    pub name: String,
    #[serde(rename = "type")]
    pub type_name: String,
    pub invariants: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorSurface {
    pub name: String,
    pub when: String,
    pub surface: Surface,
}

/// How an error reaches the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Surface {
    Exception,
    Code,
    Variant,
}

/// A change that a call makes outside the module. Its name is its type and its target: `WRITE ledger`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Effect {
    #[serde(rename = "type")]
    pub kind: EffectKind,
    pub target: String,
    pub description: String,
}

/// A read is a `CALL`, and a deletion is a `MUTATION`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum EffectKind {
    Post,
    Put,
    Patch,
    Write,
    Call,
    Mutation,
}

/// Whether the entry point is called synchronously, asynchronously or both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Modes {
    #[serde(rename = "sync")]
    pub is_sync: bool,
    #[serde(rename = "async")]
    pub is_async: bool,
    pub notes: String,
}

/// A module that this one needs, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Dependency {
    #[serde(rename = "ref")]
    pub range: ModuleRange,
    pub why: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CompatibilityPolicy {
    pub backward_compatible_with: Vec<ModuleRange>,
    pub breaking_change_policy: String,
}

/// Advice on time and memory; no gate measures it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuntimeBudgets {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ms_p95: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_mb_max: Option<Number>,
}

/// How a program calls the module. It is outside the fingerprint of the interface and has one of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Binding {
    pub language: String,
    pub package: String,
    /// The one public entry point: `rate_limiter::allow`.
    pub entry_point: String,
    pub signature: String,
}

/// One of the five parts of an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dimension {
    Inputs,
    Outputs,
    ErrorSurfaces,
    Effects,
    Modes,
}

impl MicroModuleContract {
    /// Reads `contract.json`. All problems are reported at once.
    pub fn parse(text: &[u8]) -> Result<Self, Problems> {
        Self::of_tree(&Tree::parse(text, CONTRACT_BYTES_MAX)?)
    }

    pub(crate) fn of_tree(tree: &Tree) -> Result<Self, Problems> {
        let mut reader = Reader::default();
        let contract = read::contract(&mut reader, &Node::root(tree));
        reader.finish(contract)
    }

    pub fn module_ref(&self) -> ModuleRef {
        self.module_id.at(self.module_version)
    }

    pub fn fingerprint(&self) -> Digest {
        self.interface.fingerprint()
    }

    /// The canonical bytes of the whole contract, as `contract.json` is stored.
    pub fn canonical(&self) -> Vec<u8> {
        canonical_json(self).expect("reading a contract bounds its numbers and its depth")
    }
}

impl Interface {
    /// The SHA-256 of the canonical JSON of the five dimensions.
    pub fn fingerprint(&self) -> Digest {
        Digest::of(&self.canonical())
    }

    /// The bytes that the fingerprint is taken of.
    pub fn canonical(&self) -> Vec<u8> {
        canonical_json(self).expect("texts and truth values have a canonical form")
    }
}

impl Binding {
    /// The SHA-256 of the canonical JSON of the binding, which ship evidence pins.
    pub fn fingerprint(&self) -> Digest {
        Digest::of(&canonical_json(self).expect("texts have a canonical form"))
    }
}

impl Parameter {
    /// Whether callers may leave it out: its type or the first word of a constraint says so.
    pub fn is_optional(&self) -> bool {
        let kind = self.type_name.as_str();
        let parts = || kind.split('|').map(str::trim);
        let by_type = ["Option<", "Optional["].iter().any(|it| kind.starts_with(it))
            || kind.ends_with('?')
            || (parts().count() > 1 && parts().any(|it| matches!(it, "None" | "undefined")));
        let says_so = |text: &String| {
            let first = text.split(|it: char| !it.is_alphanumeric()).next().unwrap_or_default();
            ["optional", "default", "defaults"].iter().any(|it| first.eq_ignore_ascii_case(it))
        };
        by_type || self.constraints.iter().any(says_so)
    }
}

impl Effect {
    pub fn name(&self) -> String {
        alloc::format!("{} {}", self.kind.name(), self.target)
    }
}

impl Surface {
    pub(crate) const NAMED: [(&'static str, Self); 3] =
        [("exception", Self::Exception), ("code", Self::Code), ("variant", Self::Variant)];

    pub fn name(self) -> &'static str {
        match self {
            Self::Exception => "exception",
            Self::Code => "code",
            Self::Variant => "variant",
        }
    }
}

impl EffectKind {
    pub(crate) const NAMED: [(&'static str, Self); 6] = [
        ("POST", Self::Post),
        ("PUT", Self::Put),
        ("PATCH", Self::Patch),
        ("WRITE", Self::Write),
        ("CALL", Self::Call),
        ("MUTATION", Self::Mutation),
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Write => "WRITE",
            Self::Call => "CALL",
            Self::Mutation => "MUTATION",
        }
    }
}

impl Dimension {
    pub const ALL: [Self; 5] =
        [Self::Inputs, Self::Outputs, Self::ErrorSurfaces, Self::Effects, Self::Modes];

    pub fn name(self) -> &'static str {
        match self {
            Self::Inputs => "inputs",
            Self::Outputs => "outputs",
            Self::ErrorSurfaces => "error_surfaces",
            Self::Effects => "effects",
            Self::Modes => "modes",
        }
    }
}

impl<'de> Deserialize<'de> for MicroModuleContract {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let tree = Tree::deserialize(deserializer)?;
        Self::of_tree(&tree).map_err(|it| serde::de::Error::custom(it.to_string()))
    }
}

/// The largest `contract.json` that is read.
pub const CONTRACT_BYTES_MAX: usize = 256 << 10;
/// The most inputs, outputs, error surfaces or effects of a contract, each.
pub const ENTRIES_MAX: usize = 64;
/// The most constraints of an input, or invariants of an output.
pub const CONSTRAINTS_MAX: usize = 32;
pub const ERROR_CASES_MAX: usize = 128;
pub const DEPENDENCIES_MAX: usize = 64;
pub const TAGS_MAX: usize = 32;
pub const NAME_BYTES_MAX: usize = 128;
pub const TYPE_BYTES_MAX: usize = 512;
/// The most bytes of a sentence: a purpose, a constraint, a description.
pub const TEXT_BYTES_MAX: usize = 4 << 10;

#[cfg(test)]
mod tests;
