//! The charter of a module version: what the plan fixed before anything was built.
//!
//! The contract itself is kept elsewhere: here are its fingerprint, a reference, and the parts that the debate is about.

use alloc::string::String;
use alloc::vec::Vec;

use sealwright_kernel::pack::RefKind;
use sealwright_kernel::task::slice::Planned;
use sealwright_kernel::{Digest, Ref, SliceId, StreamId, TaskId};
use serde::{Deserialize, Serialize};

use super::dossier::is_name;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Charter {
    pub task: TaskId,
    /// The task file at its revision: `T-…@1.0.0`.
    pub task_ref: Ref,
    /// `MM-…@x.y.z`.
    pub module: Ref,
    /// `CTR-…@x.y.z`.
    pub contract: Ref,
    /// The locked interface fingerprint of the contract.
    pub fingerprint: Digest,
    /// The clauses that need a test.
    pub clauses: Vec<Clause>,
    /// The names of the contract's inputs.
    pub inputs: Vec<String>,
    /// The names of the declared error surfaces.
    pub error_surfaces: Vec<String>,
    /// The criteria of the task that the plan assigned to this module.
    pub criteria: Vec<String>,
    /// The exact dependencies, as they were locked.
    pub dependencies: Vec<Dependency>,
    /// Reuse search reports that belong to it.
    pub index_results: Vec<Ref>,
    /// The slices to build it in, in order.
    pub slices: Vec<PlannedSlice>,
    /// The tree it starts from.
    pub tree: Digest,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clause {
    /// A JSON pointer into the contract, such as `/inputs/0/constraints/1`.
    pub pointer: String,
    pub kind: ClauseKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClauseKind {
    InputConstraint,
    OutputInvariant,
    ErrorSurface,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dependency {
    #[serde(rename = "ref")]
    pub reference: Ref,
    pub fingerprint: Digest,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedSlice {
    pub id: SliceId,
    pub planned: Planned,
}

/// Why a charter cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadCharter {
    #[error("`{field}` refers to another kind of thing: {reference}")]
    WrongKind { field: &'static str, reference: Ref },
    #[error("the task reference names another task")]
    OtherTask,
    #[error("a dependency of the module is the module itself")]
    OwnDependency,
    #[error("too many {what}: at most {most}")]
    TooMany { what: &'static str, most: usize },
    #[error("{what}: none is given")]
    None { what: &'static str },
    #[error("an entry of {what} is blank, too long or not one line")]
    BadName { what: &'static str },
    #[error("clause {pointer} is no JSON pointer into a dimension of a contract")]
    BadPointer { pointer: String },
    #[error("slice {slice} is to keep another contract than the module's")]
    OtherContract { slice: SliceId },
}

impl Charter {
    pub fn check(&self) -> Result<(), BadCharter> {
        let kinds = [
            ("task_ref", &self.task_ref, RefKind::Task),
            ("module", &self.module, RefKind::Module),
            ("contract", &self.contract, RefKind::Contract),
        ];
        let found = self.index_results.iter();
        let found = found.map(|it| ("index_results", it, RefKind::ReuseSearchReport));
        let others = self.dependencies.iter();
        let others = others.map(|it| ("dependencies", &it.reference, RefKind::Module));
        for (field, reference, kind) in kinds.into_iter().chain(found).chain(others) {
            if reference.kind() != kind {
                return Err(BadCharter::WrongKind { field, reference: reference.clone() });
            }
        }
        if self.task_ref.id() != self.task.as_str() {
            return Err(BadCharter::OtherTask);
        }
        if self.dependencies.iter().any(|it| it.reference.id() == self.module.id()) {
            return Err(BadCharter::OwnDependency);
        }
        let lists = [
            ("clauses", self.clauses.len(), CLAUSES_MAX),
            ("inputs", self.inputs.len(), LIST_MAX),
            ("error surfaces", self.error_surfaces.len(), LIST_MAX),
            ("criteria", self.criteria.len(), LIST_MAX),
            ("dependencies", self.dependencies.len(), LIST_MAX),
            ("index results", self.index_results.len(), LIST_MAX),
            ("slices", self.slices.len(), SLICES_MAX),
        ];
        for (what, count, most) in lists {
            if count > most {
                return Err(BadCharter::TooMany { what, most });
            }
        }
        for (what, count) in [("criteria", self.criteria.len()), ("slices", self.slices.len())] {
            if count == 0 {
                return Err(BadCharter::None { what });
            }
        }
        let is_sentence = |it: &String| !it.trim().is_empty() && it.len() <= CRITERION_BYTES_MAX;
        for (what, is_good) in [
            ("inputs", self.inputs.iter().all(|it| is_name(it))),
            ("error surfaces", self.error_surfaces.iter().all(|it| is_name(it))),
            ("criteria", self.criteria.iter().all(is_sentence)),
        ] {
            if !is_good {
                return Err(BadCharter::BadName { what });
            }
        }
        let is_pointer = |it: &&Clause| {
            is_name(&it.pointer) && DIMENSIONS.iter().any(|root| is_below(&it.pointer, root))
        };
        if let Some(bad) = self.clauses.iter().find(|it| !is_pointer(it)) {
            let pointer = bad.pointer.chars().take(80).collect();
            return Err(BadCharter::BadPointer { pointer });
        }
        match self.slices.iter().find(|it| it.planned.fingerprint != self.fingerprint) {
            Some(other) => Err(BadCharter::OtherContract { slice: other.id }),
            None => Ok(()),
        }
    }

    pub fn declares_error(&self, surface: &str) -> bool {
        self.error_surfaces.iter().any(|it| it == surface)
    }

    /// Whether the contract has something at `pointer`: a dimension, a clause or a part above one.
    pub fn has_pointer(&self, pointer: &str) -> bool {
        DIMENSIONS.contains(&pointer)
            || self.clauses.iter().any(|clause| is_below(&clause.pointer, pointer))
    }

    /// The name of the module's stream. A stream's name has no `@`, and a module's id no `-` behind its prefix.
    pub fn stream(&self) -> Result<StreamId, sealwright_kernel::IdError> {
        StreamId::new(alloc::format!("{}-{}", self.module.id(), self.module.version()))
    }
}

fn is_below(pointer: &str, above: &str) -> bool {
    let rest = if above.is_empty() { None } else { pointer.strip_prefix(above) };
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The five dimensions of a contract, as JSON pointers.
pub const DIMENSIONS: [&str; 5] = ["/inputs", "/outputs", "/error_surfaces", "/effects", "/modes"];

pub const CLAUSES_MAX: usize = 1024;
pub const SLICES_MAX: usize = 64;
/// Entries of each shorter list. A pack must have room for all of them.
pub const LIST_MAX: usize = 128;
pub const CRITERION_BYTES_MAX: usize = 2048;
