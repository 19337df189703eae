//! The lock of a plan: from here on no step builds anything else.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::vec::Vec;

use sealwright_kernel::{Digest, canonical_json};
use serde::{Deserialize, Serialize};

use super::{MicroPlan, PlanFacts, PlanModule};
use crate::contract::{ModuleId, ModuleRange, ModuleRef};

/// A checked plan by its digest, and the interface that each of its modules is bound to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanLock {
    pub digest: Digest,
    pub modules: BTreeMap<ModuleId, ModulePin>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModulePin {
    pub module: ModuleRef,
    /// Of the contract in the plan, or of the reused version in the index.
    pub fingerprint: Digest,
    pub is_reused: bool,
}

/// A plan that is not the locked one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the plan {got} is not the locked plan {locked}")]
pub struct PlanDrift {
    pub locked: Digest,
    pub got: Digest,
}

impl PlanDrift {
    pub fn hint(&self) -> &'static str {
        "a person replaces a locked plan by resolving its escalation with REVISE_PLAN"
    }
}

impl PlanLock {
    /// Refuses every plan but the locked one.
    pub fn admits(&self, plan: &MicroPlan) -> Result<(), PlanDrift> {
        let (locked, got) = (self.digest, plan.digest());
        if locked == got { Ok(()) } else { Err(PlanDrift { locked, got }) }
    }
}

impl MicroPlan {
    /// The SHA-256 of the canonical JSON of the plan.
    pub fn digest(&self) -> Digest {
        Digest::of(&canonical_json(self).expect("reading a plan bounds its numbers and its depth"))
    }

    /// The lock of a plan that was checked with `facts`. A reused module that the facts do not know is not pinned.
    pub fn lock(&self, facts: &PlanFacts) -> PlanLock {
        let pin = |it: &PlanModule| {
            let module = it.module_ref();
            let fingerprint = match (&it.contract, it.is_built()) {
                (Some(contract), true) => contract.fingerprint(),
                (Some(_), false) | (None, _) => facts.modules.get(&module)?.fingerprint,
            };
            let is_reused = !it.is_built();
            Some((it.module_id.clone(), ModulePin { module, fingerprint, is_reused }))
        };
        PlanLock { digest: self.digest(), modules: self.modules.iter().filter_map(pin).collect() }
    }

    /// The plan with ids that the engine mints for the modules it builds, so that two tasks never share one.
    ///
    /// The ids are derived from the task, `salt` and the name in the plan; `salt` differs for each plan of a task. `taken`
    /// are the ids that exist. Modules in `kept` exist too and are revised: they keep their names, as reused ones do.
    pub fn with_minted_ids(
        &self,
        salt: &str,
        taken: &BTreeSet<ModuleId>,
        kept: &BTreeSet<ModuleId>,
    ) -> Self {
        let mut taken: BTreeSet<ModuleId> = taken.union(kept).cloned().collect();
        let reused = self.modules.iter().filter(|it| !it.is_built());
        taken.extend(reused.map(|it| it.module_id.clone()));
        let mut minted: BTreeMap<ModuleId, ModuleId> = BTreeMap::new();
        let is_minted = |it: &&PlanModule| it.is_built() && !kept.contains(&it.module_id);
        for module in self.modules.iter().filter(is_minted) {
            let name = &module.module_id;
            let nth = |nth: u32| {
                let seed = format!("{}/{salt}/{name}/{nth}", self.parent_task_ref);
                let digest = format!("{}", Digest::of(seed.as_bytes()));
                let id = format!("MM-{}", &digest[..8]);
                id.parse::<ModuleId>().expect("eight hex digits name a module")
            };
            let id = (0..).map(nth).find(|it| !taken.contains(it)).unwrap_or_else(|| name.clone());
            taken.insert(id.clone());
            minted.insert(name.clone(), id);
        }
        let mut plan = self.clone();
        plan.modules.iter_mut().for_each(|it| rename(it, &minted));
        plan
    }
}

fn rename(module: &mut PlanModule, minted: &BTreeMap<ModuleId, ModuleId>) {
    let renamed = |id: &ModuleId| minted.get(id).unwrap_or(id).clone();
    let range = |it: &mut ModuleRange| {
        if let Some(id) = minted.get(it.id()) {
            *it = it.of(id);
        }
    };
    module.module_id = renamed(&module.module_id);
    module.depends_on.iter_mut().for_each(|it| it.id = renamed(&it.id));
    if let Some(contract) = &mut module.contract {
        contract.module_id = renamed(&contract.module_id);
        contract.dependencies.iter_mut().for_each(|it| range(&mut it.range));
        let compatible: &mut Vec<ModuleRange> =
            &mut contract.compatibility.backward_compatible_with;
        compatible.iter_mut().for_each(range);
    }
}
