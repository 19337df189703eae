//! The rules of a plan: those that hold by themselves, and those that need facts.
//!
//! Every rule judges the parts that it needs and is silent where they could not be read.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::vec::Vec;

use super::graph;
use super::read::{Draft, ModuleDraft};
use super::{IndexStatus, IndexedModule, IoContract, PlanFacts, ReuseDecision};
use crate::contract::json::{Problem, Reader};
use crate::contract::{FIRST_VERSION, MicroModuleContract, ModuleId, ModuleRef};

pub(super) fn intrinsic(reader: &mut Reader, plan: &Draft) {
    let ids: BTreeMap<&ModuleId, &ModuleDraft> =
        plan.modules.iter().filter_map(|it| Some((it.id.as_ref()?, it))).collect();
    let mut seen: BTreeMap<&ModuleId, &ModuleDraft> = BTreeMap::new();
    for it in &plan.modules {
        let Some(id) = &it.id else { continue };
        if let Some(other) = seen.insert(id, it) {
            let what = format!("{id} is the id of {} already", other.path);
            reader.add(&it.path("module_id"), what, "give each module an id of its own");
        }
    }
    for it in &plan.modules {
        match it.decision {
            Some(ReuseDecision::Reuse) => reused(reader, it),
            Some(ReuseDecision::CreateNew) => created(reader, it),
            None => {}
        }
        dependencies(reader, it, &ids);
    }
    acyclic(reader, plan);
    one_facade(reader, plan);
}

/// A plan against its task, the code index and the reuse search reports. Returns the warnings.
pub(super) fn with_facts(reader: &mut Reader, plan: &Draft, facts: &PlanFacts) -> Vec<Problem> {
    let mut warnings = Vec::new();
    if plan.task.as_ref().is_some_and(|it| *it != facts.task) {
        let what = "the plan is of another task, or of another revision of it";
        reader.add("$.parent_task_ref", what, format!("write {}", facts.task));
    }
    let own: BTreeSet<&ModuleId> = plan.modules.iter().filter_map(|it| it.id.as_ref()).collect();
    for it in &plan.modules {
        let path = it.path("depends_on");
        for on in it.depends_on.iter().flatten().filter(|it| !own.contains(&it.id)) {
            external(reader, &path, on, facts, &mut warnings);
        }
        if it.decision == Some(ReuseDecision::Reuse) {
            shipped(reader, it, facts);
        }
        version(reader, it, facts);
        report(reader, it, facts);
    }
    criteria(reader, plan, facts.criteria);
    warnings
}

fn reused(reader: &mut Reader, it: &ModuleDraft) {
    let path = it.path("reuse_candidate_refs");
    let Some(candidates) = &it.candidates else { return };
    let [candidate] = candidates.as_slice() else {
        let what = format!("REUSE needs exactly one candidate, there are {}", candidates.len());
        return reader.add(&path, what, "name the one shipped version that is reused");
    };
    if let Some(id) = it.id.as_ref().filter(|id| **id != candidate.id) {
        let what = format!("{id} reuses {candidate} under another name");
        reader.add(&it.path("module_id"), what, format!("write {}", candidate.id));
    }
    if it.depends_on.as_ref().is_some_and(|it| !it.is_empty()) {
        let what = "a reused module depends on nothing in a plan: it is shipped";
        reader.add(&it.path("depends_on"), what, "leave the list empty");
    }
    let contract = it.contract().filter(|it| it.module_ref() != *candidate);
    if let Some(contract) = contract {
        let what = format!("the contract is of {}, not of {candidate}", contract.module_ref());
        reader.add(&it.path("contract"), what, "leave the contract out: the index has it");
    }
}

fn created(reader: &mut Reader, it: &ModuleDraft) {
    if it.contract.is_none() {
        let fix = "add the whole contract that the module is built to";
        reader.add(&it.path("contract"), "CREATE_NEW needs a contract", fix);
    }
    if it.report.is_none() {
        let fix = "search the code index for the module and name the report of the search";
        reader.add(&it.path("reuse_report_ref"), "CREATE_NEW needs a reuse search report", fix);
    }
    let Some(contract) = it.contract() else { return };
    agrees(reader, it, contract);
    let on = it.depends_on.iter().flatten();
    for on in on.clone() {
        if !contract.dependencies.iter().any(|it| it.range.includes(on)) {
            let what = format!("the contract does not depend on {on}, and `depends_on` does");
            let fix = format!("add a dependency such as {}@^{} to the contract", on.id, on.version);
            reader.add(&it.path("contract.dependencies"), what, fix);
        }
    }
    let ids: BTreeSet<&ModuleId> = on.map(|it| &it.id).collect();
    for range in contract.dependencies.iter().map(|it| &it.range) {
        if it.depends_on.is_some() && !ids.contains(range.id()) {
            let what = format!("the contract depends on {range}, and `depends_on` does not");
            let fix = format!("name the version of {} that is used", range.id());
            reader.add(&it.path("depends_on"), what, fix);
        }
    }
}

/// The plan repeats some of a contract; both say the same.
fn agrees(reader: &mut Reader, it: &ModuleDraft, contract: &MicroModuleContract) {
    let differs = [
        ("module_id", it.id.as_ref().is_some_and(|id| *id != contract.module_id)),
        ("name", it.name.as_ref().is_some_and(|name| *name != contract.name)),
        ("purpose", it.purpose.as_ref().is_some_and(|text| *text != contract.purpose)),
        ("error_cases", it.error_cases.as_ref().is_some_and(|it| *it != contract.error_cases)),
    ];
    for (field, _) in differs.into_iter().filter(|(_, differs)| *differs) {
        let what = format!("`{field}` of the module and of its contract differ");
        reader.add(&it.path(field), what, "write the same in both");
    }
    let Some(written) = &it.io_contract else { return };
    let IoContract { inputs, outputs, error_surfaces, effects, modes } = IoContract::of(contract);
    let pairs = [
        ("inputs", &written.inputs, inputs),
        ("outputs", &written.outputs, outputs),
        ("error_surfaces", &written.error_surfaces, error_surfaces),
        ("effects", &written.effects, effects),
        ("modes", &written.modes, modes),
    ];
    for (name, _, rendered) in pairs.into_iter().filter(|(_, written, it)| *written != it) {
        let path = it.path(&format!("io_contract.{name}"));
        let shown = serde_json::to_string(&rendered).unwrap_or_default();
        let shown: alloc::string::String = shown.chars().take(RENDERED_SHOWN_MAX).collect();
        let what = format!("`{name}` is not what the contract says");
        reader.add(&path, what, format!("leave `io_contract` out, or write {shown}"));
    }
}

/// Dependencies on modules of the plan name the version that the plan builds or reuses.
fn dependencies(reader: &mut Reader, it: &ModuleDraft, ids: &BTreeMap<&ModuleId, &ModuleDraft>) {
    let Some(depends_on) = &it.depends_on else { return };
    let path = it.path("depends_on");
    reader.distinct(&path, depends_on.iter().map(|it| it.id.as_str()));
    for on in depends_on {
        let planned = ids.get(&on.id).and_then(|it| it.version());
        if let Some(version) = planned.filter(|it| *it != on.version) {
            let what = format!("{on} is another version than the plan has");
            reader.add(&path, what, format!("write {}@{version}", on.id));
        }
    }
}

fn acyclic(reader: &mut Reader, plan: &Draft) {
    let place = |id: &ModuleId| plan.modules.iter().position(|it| it.id.as_ref() == Some(id));
    let on = |it: &ModuleDraft| -> Vec<usize> {
        it.depends_on.iter().flatten().filter_map(|on| place(&on.id)).collect()
    };
    let graph: Vec<Vec<usize>> = plan.modules.iter().map(on).collect();
    let Err(cycle) = graph::order(&graph) else { return };
    let names: Vec<&str> =
        cycle.iter().filter_map(|nth| Some(plan.modules[*nth].id.as_ref()?.as_str())).collect();
    let what = format!("the modules depend on each other in a cycle: {}", names.join(" → "));
    let path = cycle
        .first()
        .map_or_else(|| "$.modules".into(), |nth| plan.modules[*nth].path("depends_on"));
    reader.add(&path, what, "remove one of these dependencies, or merge the modules");
}

fn one_facade(reader: &mut Reader, plan: &Draft) {
    if !plan.has_modules || plan.modules.is_empty() {
        return;
    }
    let facades: Vec<&ModuleDraft> =
        plan.modules.iter().filter(|it| it.facade == Some(true)).collect();
    // A facade may hide behind a field that could not be read.
    let all_read = plan.modules.iter().all(|it| it.facade.is_some());
    if facades.is_empty() && all_read {
        let fix = "set `facade` to true on the module that dependents of the task use";
        reader.add("$.modules", "no module is the facade", fix);
    }
    for it in facades.iter().skip(1) {
        let what = format!("{} is the facade already", facades[0].path);
        reader.add(&it.path("facade"), what, "keep one facade");
    }
    let [facade] = facades.as_slice() else { return };
    let Some(id) = &facade.id else { return };
    let uses = |it: &&ModuleDraft| it.depends_on.iter().flatten().any(|on| on.id == *id);
    if let Some(user) = plan.modules.iter().find(uses) {
        let what = format!("{} depends on the facade", user.path);
        let fix = "make a module the facade that no other module of the plan depends on";
        reader.add(&facade.path("facade"), what, fix);
    }
}

fn external(
    reader: &mut Reader,
    path: &str,
    on: &ModuleRef,
    facts: &PlanFacts,
    warnings: &mut Vec<Problem>,
) {
    let fix = "depend on a module of the plan, of an upstream task or of a reuse search";
    match facts.modules.get(on).map(|it| it.status) {
        Some(IndexStatus::Shipped) => {}
        Some(IndexStatus::Deprecated) => warnings.push(Problem {
            path: path.into(),
            what: format!("{on} is deprecated"),
            fix: "use its replacement: a release refuses deprecated dependencies".into(),
        }),
        Some(IndexStatus::Superseded) => {
            reader.add(path, format!("{on} is superseded"), "depend on its successor");
        }
        None => reader.add(path, format!("{on} is not known"), fix),
    }
}

fn shipped(reader: &mut Reader, it: &ModuleDraft, facts: &PlanFacts) {
    let Some([candidate]) = it.candidates.as_deref() else { return };
    let path = it.path("reuse_candidate_refs");
    let found = facts.modules.get(candidate);
    let Some(IndexedModule { status: IndexStatus::Shipped, fingerprint }) = found else {
        let what = format!("{candidate} is not shipped in the code index");
        return reader.add(&path, what, "reuse a version that a reuse search found as SHIPPED");
    };
    if it.contract().is_some_and(|it| it.fingerprint() != *fingerprint) {
        let what = format!("the contract is not the one that {candidate} shipped with");
        reader.add(&it.path("contract"), what, "leave the contract out: the index has it");
    }
}

fn version(reader: &mut Reader, it: &ModuleDraft, facts: &PlanFacts) {
    let (Some(id), Some(contract)) = (&it.id, it.contract()) else { return };
    let expected = facts.revisions.get(id).copied().unwrap_or(FIRST_VERSION);
    if it.decision == Some(ReuseDecision::CreateNew) && contract.module_version != expected {
        let what = format!("{} is not the version that is built next", contract.module_version);
        reader.add(&it.path("contract.module_version"), what, format!("write {expected}"));
    }
}

fn report(reader: &mut Reader, it: &ModuleDraft, facts: &PlanFacts) {
    let (Some(decision), Some(Some(id))) = (it.decision, &it.report) else { return };
    let path = it.path("reuse_report_ref");
    let Some(report) = facts.reports.get(id) else {
        let what = format!("there is no report {id}");
        return reader.add(&path, what, "name a report that the code index answered with");
    };
    if !report.supports(decision) {
        let what = format!("{id} concludes otherwise than `reuse_decision`");
        reader.add(&path, what, "decide as the report concludes, or search again");
    }
    if let (Some(searched), Some(own)) = (&report.module_id, &it.id)
        && searched != own
    {
        reader.add(&path, format!("{id} is about {searched}"), format!("search for {own}"));
    }
    let considered: BTreeSet<&ModuleRef> =
        report.candidates_considered.iter().map(|it| &it.module_ref).collect();
    let candidates = it.candidates.iter().flatten();
    for candidate in candidates.filter(|_| decision == ReuseDecision::CreateNew) {
        if !considered.contains(candidate) {
            let what = format!("{id} does not say why {candidate} is rejected");
            reader.add(&path, what, "reject each candidate in the report");
        }
    }
}

fn criteria(reader: &mut Reader, plan: &Draft, count: usize) {
    let mut assigned: BTreeSet<usize> = BTreeSet::new();
    for it in &plan.modules {
        let mut own: BTreeSet<usize> = BTreeSet::new();
        for nth in it.criteria.iter().flatten() {
            assigned.insert(*nth);
            let path = it.path("criteria_refs");
            if *nth >= count {
                let what = format!("the task has no criterion {nth}");
                reader.add(&path, what, format!("name criteria from 0 to {}", count.max(1) - 1));
            }
            if !own.insert(*nth) {
                reader.add(&path, format!("criterion {nth} is named twice"), "name it once");
            }
        }
    }
    let all_read = plan.modules.iter().all(|it| it.criteria.is_some());
    for nth in (0..count).filter(|it| all_read && plan.has_modules && !assigned.contains(it)) {
        let what = format!("criterion {nth} of the task is assigned to no module");
        reader.add("$.modules", what, "add it to `criteria_refs` of the module that meets it");
    }
}

const RENDERED_SHOWN_MAX: usize = 1000;
