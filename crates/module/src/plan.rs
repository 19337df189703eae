//! A micro plan: the modules of a task, in an order in which they can be built.
//!
//! ```text
//! JSON ──read──▶ drafts ──rules (all problems at once)──▶ MicroPlan ──lock──▶ PlanLock
//!                           ▲                               │
//!         PlanFacts (task, index, reuse reports)            ├─ order, ready, after_halt
//!                                                           └─ uncovered_criteria
//! ```
//!
//! A plan is only made by reading it, so every plan has unique modules, one facade and no cycle. What depends on the
//! world around it (the criteria of the task, the code index, reuse search reports) is checked with [`PlanFacts`].

mod graph;
mod ids;
mod lock;
mod read;
mod reuse;
mod revise;
mod rules;

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use sealwright_kernel::Digest;
use sealwright_kernel::pack::{Ref, Version};
use serde::{Deserialize, Deserializer, Serialize};

pub use graph::AfterHalt;
pub use ids::{PlanId, ReportId};
pub use lock::{ModulePin, PlanDrift, PlanLock};
pub use reuse::{CANDIDATES_MAX, Candidate, Conclusion, REPORT_BYTES_MAX, ReuseSearchReport};

use crate::contract::json::{Node, Problem, Problems, Reader, Tree};
use crate::contract::{MicroModuleContract, ModuleId, ModuleRef};

/// The modules of one task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MicroPlan {
    micro_plan_id: PlanId,
    parent_task_ref: Ref,
    modules: Vec<PlanModule>,
}

/// One module of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlanModule {
    pub module_id: ModuleId,
    pub name: String,
    pub purpose: String,
    pub io_contract: IoContract,
    pub error_cases: Vec<String>,
    pub depends_on: Vec<ModuleRef>,
    pub reuse_candidate_refs: Vec<ModuleRef>,
    pub reuse_decision: ReuseDecision,
    pub reuse_justification: String,
    /// There for every module that is built.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contract: Option<MicroModuleContract>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reuse_report_ref: Option<ReportId>,
    /// The acceptance criteria of the task that this module is judged on, counted from 0.
    pub criteria_refs: Vec<usize>,
    /// Whether dependents of the task see this module first.
    pub facade: bool,
}

/// The five dimensions as sentences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct IoContract {
    pub inputs: Vec<String>,
    pub outputs: Vec<String>,
    pub error_surfaces: Vec<String>,
    pub effects: Vec<String>,
    /// `sync`, `async` or both.
    pub modes: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReuseDecision {
    /// A shipped version is taken as it is: nothing is built.
    Reuse,
    CreateNew,
}

/// The world that a plan is checked against.
#[derive(Clone, Debug)]
pub struct PlanFacts {
    pub task: Ref,
    /// How many acceptance criteria the task has.
    pub criteria: usize,
    /// The module versions that the plan may name: those of upstream tasks, and those that a reuse search found.
    pub modules: BTreeMap<ModuleRef, IndexedModule>,
    pub reports: BTreeMap<ReportId, ReuseSearchReport>,
    /// Modules that exist and are revised by this plan, with the version that is to be built.
    pub revisions: BTreeMap<ModuleId, Version>,
}

/// What the code index says of a module version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexedModule {
    pub status: IndexStatus,
    pub fingerprint: Digest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum IndexStatus {
    Shipped,
    Deprecated,
    Superseded,
}

/// A plan without problems, and what a person should look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedPlan {
    pub plan: MicroPlan,
    pub warnings: Vec<Problem>,
}

/// What follows a plan that was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterRefusal {
    /// The planner is asked again, with the problems and the refused plan.
    Retry { attempt: u32 },
    /// The task halts with an escalation.
    Halt,
}

impl MicroPlan {
    /// Reads a plan that was checked before. It holds to every rule that needs no facts.
    pub fn parse(text: &[u8]) -> Result<Self, Problems> {
        Self::of_tree(&Tree::parse(text, PLAN_BYTES_MAX)?)
    }

    /// Reads a plan as a planner or a person wrote it, and reports everything that is wrong with it at once.
    pub fn check(text: &[u8], facts: &PlanFacts) -> Result<CheckedPlan, Problems> {
        let tree = Tree::parse(text, PLAN_BYTES_MAX)?;
        let mut reader = Reader::default();
        let draft = read::plan(&mut reader, &Node::root(&tree));
        let mut warnings = Vec::new();
        if let Some(draft) = &draft {
            rules::intrinsic(&mut reader, draft);
            warnings = rules::with_facts(&mut reader, draft, facts);
        }
        let plan = reader.finish(draft.and_then(read::Draft::into_plan))?;
        Ok(CheckedPlan { plan, warnings })
    }

    fn of_tree(tree: &Tree) -> Result<Self, Problems> {
        let mut reader = Reader::default();
        let draft = read::plan(&mut reader, &Node::root(tree));
        if let Some(draft) = &draft {
            rules::intrinsic(&mut reader, draft);
        }
        reader.finish(draft.and_then(read::Draft::into_plan))
    }

    pub fn id(&self) -> &PlanId {
        &self.micro_plan_id
    }

    pub fn task(&self) -> &Ref {
        &self.parent_task_ref
    }

    /// The modules as they were declared.
    pub fn modules(&self) -> &[PlanModule] {
        &self.modules
    }

    pub fn module(&self, id: &ModuleId) -> Option<&PlanModule> {
        self.modules.iter().find(|it| it.module_id == *id)
    }

    /// The module that dependents of the task see first.
    pub fn facade(&self) -> &PlanModule {
        self.modules.iter().find(|it| it.facade).expect("a plan is read with exactly one facade")
    }
}

impl PlanModule {
    /// The version that is reused, or that is to be built.
    pub fn module_ref(&self) -> ModuleRef {
        let reused = self.reuse_candidate_refs.first();
        match (self.reuse_decision, &self.contract, reused) {
            (ReuseDecision::CreateNew, Some(contract), _) => contract.module_ref(),
            (ReuseDecision::Reuse, _, Some(candidate)) => candidate.clone(),
            (ReuseDecision::CreateNew, None, _) | (ReuseDecision::Reuse, _, None) => {
                self.module_id.at(crate::contract::FIRST_VERSION)
            }
        }
    }

    /// Whether the module has to be built: a reused one counts as shipped at once.
    pub fn is_built(&self) -> bool {
        self.reuse_decision == ReuseDecision::CreateNew
    }
}

impl IoContract {
    /// The sentences of a contract. A plan that gives a contract says exactly these, or leaves them out.
    pub fn of(contract: &MicroModuleContract) -> Self {
        let it = &contract.interface;
        let with = |kind: &str, name: &str, rules: &[String]| match rules {
            [] => alloc::format!("{kind}: {name}"),
            rules => alloc::format!("{kind}: {name} ({})", rules.join("; ")),
        };
        let or = |list: Vec<String>, none: &str| {
            if list.is_empty() { alloc::vec![none.to_string()] } else { list }
        };
        let errors = it.error_surfaces.iter();
        let errors =
            errors.map(|it| alloc::format!("{}: {} {}", it.when, it.surface.name(), it.name));
        let effects = it.effects.iter();
        let effects = effects.map(|it| alloc::format!("{}: {}", it.name(), it.description));
        let modes = [(it.modes.is_sync, SYNC), (it.modes.is_async, ASYNC)];
        let modes = modes.into_iter().filter(|(is_on, _)| *is_on);
        Self {
            inputs: it
                .inputs
                .iter()
                .map(|it| with(&it.type_name, &it.name, &it.constraints))
                .collect(),
            outputs: it
                .outputs
                .iter()
                .map(|it| with(&it.type_name, &it.name, &it.invariants))
                .collect(),
            error_surfaces: or(errors.collect(), "total: every call succeeds"),
            effects: or(effects.collect(), "pure: no side effects"),
            modes: modes.map(|(_, name)| name.to_string()).collect(),
        }
    }
}

/// Two retries: three attempts.
pub fn after_refusal(attempts: u32) -> AfterRefusal {
    if attempts < PLAN_ATTEMPTS_MAX {
        AfterRefusal::Retry { attempt: attempts + 1 }
    } else {
        AfterRefusal::Halt
    }
}

impl<'de> Deserialize<'de> for MicroPlan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let tree = Tree::deserialize(deserializer)?;
        Self::of_tree(&tree).map_err(|it| serde::de::Error::custom(it.to_string()))
    }
}

const SYNC: &str = "sync";
const ASYNC: &str = "async";
/// The first attempt and two retries.
pub const PLAN_ATTEMPTS_MAX: u32 = 3;
/// The largest plan that is read.
pub const PLAN_BYTES_MAX: usize = 4 << 20;
pub const PLAN_MODULES_MAX: usize = 64;
/// The most acceptance criteria of a task.
pub const PLAN_CRITERIA_MAX: usize = sealwright_kernel::task::CRITERIA_MAX;

#[cfg(test)]
mod tests;
