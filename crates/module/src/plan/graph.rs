//! The graph of a plan: which module waits for which.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::{MicroPlan, PlanModule};
use crate::contract::ModuleId;

/// What is left of a plan after modules halted. Modules stand in build order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AfterHalt {
    /// They depend on a halted module, directly or through others, and are abandoned.
    pub blocked: Vec<ModuleId>,
    /// They do not depend on a halted module. Those that shipped already are among them.
    pub buildable: Vec<ModuleId>,
}

impl MicroPlan {
    /// The modules in the order in which they are built; reused ones stand in it and need no work.
    ///
    /// Modules that depend on no module of the plan come first. Everywhere the order of declaration breaks ties.
    pub fn order(&self) -> Vec<&PlanModule> {
        let graph = self.graph();
        let order = order(&graph).expect("a plan is read without a cycle");
        order.into_iter().map(|nth| &self.modules[nth]).collect()
    }

    /// The modules that can be built now: everything that they depend on in the plan shipped or is reused.
    pub fn ready(&self, shipped: &BTreeSet<ModuleId>) -> Vec<&PlanModule> {
        let is_there = |it: &PlanModule| !it.is_built() || shipped.contains(&it.module_id);
        let is_ready = |it: &&PlanModule| {
            let mut on = it.depends_on.iter().filter_map(|on| self.module(&on.id));
            !is_there(it) && on.all(is_there)
        };
        self.order().into_iter().filter(is_ready).collect()
    }

    /// Which modules a halt stops and which it does not.
    pub fn after_halt(&self, halted: &BTreeSet<ModuleId>) -> AfterHalt {
        let mut stopped = halted.clone();
        let (mut blocked, mut buildable) = (Vec::new(), Vec::new());
        // In build order everything that a module depends on is decided before it.
        for module in self.order() {
            let id = &module.module_id;
            if halted.contains(id) || !module.is_built() {
                continue;
            }
            if module.depends_on.iter().any(|on| stopped.contains(&on.id)) {
                stopped.insert(id.clone());
                blocked.push(id.clone());
            } else {
                buildable.push(id.clone());
            }
        }
        AfterHalt { blocked, buildable }
    }

    /// The criteria of the task that no shipped or reused module is judged on, counted from 0.
    pub fn uncovered_criteria(&self, criteria: usize, shipped: &BTreeSet<ModuleId>) -> Vec<usize> {
        let is_there = |it: &&PlanModule| !it.is_built() || shipped.contains(&it.module_id);
        let covered: BTreeSet<usize> =
            self.modules.iter().filter(is_there).flat_map(|it| it.criteria_refs.clone()).collect();
        (0..criteria).filter(|it| !covered.contains(it)).collect()
    }

    fn graph(&self) -> Vec<Vec<usize>> {
        let place = |id: &ModuleId| self.modules.iter().position(|it| it.module_id == *id);
        let on = |it: &PlanModule| it.depends_on.iter().filter_map(|on| place(&on.id)).collect();
        self.modules.iter().map(on).collect()
    }
}

/// The nodes of a graph, each behind those it depends on; or one cycle, which ends where it began.
pub(super) fn order(depends_on: &[Vec<usize>]) -> Result<Vec<usize>, Vec<usize>> {
    let is_root = |nth: &usize| depends_on[*nth].is_empty();
    let mut order: Vec<usize> = (0..depends_on.len()).filter(is_root).collect();
    let mut is_done: Vec<bool> = depends_on.iter().map(Vec::is_empty).collect();
    let mut left: Vec<usize> = (0..depends_on.len()).filter(|nth| !is_root(nth)).collect();
    loop {
        let is_free = |nth: &usize| depends_on[*nth].iter().all(|on| is_done[*on]);
        let Some(at) = left.iter().position(is_free) else { break };
        let nth = left.remove(at);
        is_done[nth] = true;
        order.push(nth);
    }
    let Some(first) = left.first() else { return Ok(order) };
    // Each node that is left waits for another one that is left, so this walk comes back to its own path.
    let mut path = alloc::vec![*first];
    loop {
        let last = path[path.len() - 1];
        let Some(next) = depends_on[last].iter().find(|on| !is_done[**on]) else {
            return Err(path);
        };
        let met = path.iter().position(|it| it == next);
        path.push(*next);
        if let Some(start) = met {
            return Err(path.split_off(start));
        }
    }
}
