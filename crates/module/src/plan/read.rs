//! Reads a plan into drafts: modules of which every part that reads well is there, so that the rules can judge the rest.

use alloc::string::String;
use alloc::vec::Vec;

use sealwright_kernel::pack::{Ref, RefKind, Version};

use super::ids::{PLAN_ID, PlanId, REPORT_ID, ReportId};
use super::{
    ASYNC, IoContract, MicroPlan, PLAN_CRITERIA_MAX, PLAN_MODULES_MAX, PlanModule, ReuseDecision,
    SYNC,
};
use crate::contract::json::{Fields, Node, Reader, Text, Tree};
use crate::contract::{
    DEPENDENCIES_MAX, ENTRIES_MAX, ERROR_CASES_MAX, FIRST_VERSION, MODULE_ID, MODULE_REF,
    MicroModuleContract, ModuleId, ModuleRef, NAME, PROSE, read_contract,
};

/// A plan in the making.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) id: Option<PlanId>,
    pub(super) task: Option<Ref>,
    pub(super) modules: Vec<ModuleDraft>,
    /// Whether the list of modules could be read at all.
    pub(super) has_modules: bool,
}

#[derive(Debug)]
pub(super) struct ModuleDraft {
    /// `$.modules[0]`.
    pub(super) path: String,
    pub(super) id: Option<ModuleId>,
    pub(super) name: Option<String>,
    pub(super) purpose: Option<String>,
    /// As it was written, or as the contract says it.
    pub(super) io_contract: Option<IoContract>,
    pub(super) error_cases: Option<Vec<String>>,
    pub(super) depends_on: Option<Vec<ModuleRef>>,
    pub(super) candidates: Option<Vec<ModuleRef>>,
    pub(super) decision: Option<ReuseDecision>,
    pub(super) justification: Option<String>,
    /// A contract that does not read well is `Some(None)`.
    pub(super) contract: Option<Option<MicroModuleContract>>,
    pub(super) report: Option<Option<ReportId>>,
    pub(super) criteria: Option<Vec<usize>>,
    pub(super) facade: Option<bool>,
}

impl Draft {
    /// The plan, if every part of it could be read.
    pub(super) fn into_plan(self) -> Option<MicroPlan> {
        let modules: Option<Vec<PlanModule>> =
            self.modules.into_iter().map(ModuleDraft::into_module).collect();
        Some(MicroPlan {
            micro_plan_id: self.id?,
            parent_task_ref: self.task?,
            modules: modules.filter(|_| self.has_modules)?,
        })
    }
}

impl ModuleDraft {
    fn into_module(self) -> Option<PlanModule> {
        Some(PlanModule {
            module_id: self.id?,
            name: self.name?,
            purpose: self.purpose?,
            io_contract: self.io_contract?,
            error_cases: self.error_cases?,
            depends_on: self.depends_on?,
            reuse_candidate_refs: self.candidates?,
            reuse_decision: self.decision?,
            reuse_justification: self.justification?,
            contract: whole(self.contract)?,
            reuse_report_ref: whole(self.report)?,
            criteria_refs: self.criteria?,
            facade: self.facade?,
        })
    }

    /// The version that others depend on, as far as it can be told.
    pub(super) fn version(&self) -> Option<Version> {
        match self.decision? {
            ReuseDecision::Reuse => self.candidates.as_ref()?.first().map(|it| it.version),
            ReuseDecision::CreateNew => match &self.contract {
                Some(contract) => contract.as_ref().map(|it| it.module_version),
                None => Some(FIRST_VERSION),
            },
        }
    }

    pub(super) fn contract(&self) -> Option<&MicroModuleContract> {
        self.contract.as_ref()?.as_ref()
    }

    pub(super) fn path(&self, field: &str) -> String {
        alloc::format!("{}.{field}", self.path)
    }
}

/// A part that may be left out, but not be broken.
fn whole<T>(part: Option<Option<T>>) -> Option<Option<T>> {
    part.map_or(Some(None), |it| it.map(Some))
}

pub(super) fn plan(reader: &mut Reader, node: &Node<'_>) -> Option<Draft> {
    let it = reader.fields(node, &["micro_plan_id", "parent_task_ref", "modules"])?;
    let id = reader.need_parsed(&it, "micro_plan_id", PLAN_ID);
    let task: Option<Ref> = reader.need_parsed(&it, "parent_task_ref", TASK_REF);
    if task.as_ref().is_some_and(|it| it.kind() != RefKind::Task) {
        let path = it.path("parent_task_ref");
        reader.add(&path, "this is no version of a task", "write T-…@1.0.0");
    }
    let modules = reader.need_list(&it, "modules", PLAN_MODULES_MAX, module);
    if modules.as_ref().is_some_and(Vec::is_empty) && reader.is_clean() {
        reader.add(&it.path("modules"), "the plan has no module", "plan at least one module");
    }
    Some(Draft { id, task, has_modules: modules.is_some(), modules: modules.unwrap_or_default() })
}

fn module(reader: &mut Reader, node: &Node<'_>) -> Option<ModuleDraft> {
    let Some(it) = reader.fields(node, &FIELDS) else {
        // A draft without parts keeps the rules from calling its neighbours unknown.
        return Some(ModuleDraft::empty(node));
    };
    let id = reader.need_parsed(&it, "module_id", MODULE_ID);
    let name = reader.need_text(&it, "name", NAME);
    let purpose = reader.need_text(&it, "purpose", PROSE);
    let contract = it.optional("contract").map(|it| read_contract(reader, &it));
    let io_contract = io_contract(reader, &it, contract.as_ref());
    let error_cases = reader.need_texts(&it, "error_cases", ERROR_CASES_MAX, PROSE);
    let depends_on = reader.need_list(&it, "depends_on", DEPENDENCIES_MAX, module_ref);
    let candidates = match it.optional("reuse_candidate_refs") {
        Some(node) => reader.list(&node, DEPENDENCIES_MAX, module_ref),
        None => Some(Vec::new()),
    };
    let decisions = [("REUSE", ReuseDecision::Reuse), ("CREATE_NEW", ReuseDecision::CreateNew)];
    let decision = reader.need_one_of(&it, "reuse_decision", &decisions);
    let justification = reader.need_text(&it, "reuse_justification", PROSE);
    let report = it.optional("reuse_report_ref").map(|it| reader.parsed(&it, REPORT_ID));
    let criteria = match it.optional("criteria_refs") {
        Some(node) => {
            reader.list(&node, PLAN_CRITERIA_MAX, |it, node| it.count(node, PLAN_CRITERIA_MAX - 1))
        }
        None => Some(Vec::new()),
    };
    let facade = it.optional("facade").map_or(Some(false), |it| reader.bool(&it));
    Some(ModuleDraft {
        path: node.path.clone(),
        id,
        name,
        purpose,
        io_contract,
        error_cases,
        depends_on,
        candidates,
        decision,
        justification,
        contract,
        report,
        criteria,
        facade,
    })
}

impl ModuleDraft {
    fn empty(node: &Node<'_>) -> Self {
        Self {
            path: node.path.clone(),
            id: None,
            name: None,
            purpose: None,
            io_contract: None,
            error_cases: None,
            depends_on: None,
            candidates: None,
            decision: None,
            justification: None,
            contract: None,
            report: None,
            criteria: None,
            facade: None,
        }
    }
}

fn module_ref(reader: &mut Reader, node: &Node<'_>) -> Option<ModuleRef> {
    reader.parsed(node, MODULE_REF)
}

/// The sentences of a module. A contract speaks for itself: its sentences may be left out.
fn io_contract(
    reader: &mut Reader,
    of: &Fields<'_>,
    contract: Option<&Option<MicroModuleContract>>,
) -> Option<IoContract> {
    let node = match (of.optional("io_contract"), contract) {
        (None, Some(contract)) => return contract.as_ref().map(IoContract::of),
        (Some(node), _) => node,
        (None, None) => reader.need(of, "io_contract")?,
    };
    // The rules of the contract judged these sentences already.
    let rendered = contract.and_then(Option::as_ref).map(IoContract::of);
    if let Some(rendered) = rendered.filter(|it| is_written(it, node.tree)) {
        return Some(rendered);
    }
    let it = reader.fields(&node, &DIMENSIONS)?;
    let [inputs, outputs, errors, effects, modes] =
        DIMENSIONS.map(|name| sentences(reader, &it, name));
    let modes_path = it.path("modes");
    for mode in modes.iter().flatten().filter(|it| !matches!(it.as_str(), SYNC | ASYNC)) {
        let what = alloc::format!("`{}` is no mode", sealwright_kernel::shown(mode));
        reader.add(&modes_path, what, "write sync, async or both");
    }
    Some(IoContract {
        inputs: inputs?,
        outputs: outputs?,
        error_surfaces: errors?,
        effects: effects?,
        modes: modes?,
    })
}

/// Whether an object says exactly these sentences.
fn is_written(sentences: &IoContract, tree: &Tree) -> bool {
    let IoContract { inputs, outputs, error_surfaces, effects, modes } = sentences;
    let lists = [inputs, outputs, error_surfaces, effects, modes];
    let Tree::Object(fields) = tree else { return false };
    let says = |(name, list): (&str, &Vec<String>)| {
        let texts = list.iter().cloned().map(Tree::Text).collect();
        tree.field(name) == Some(&Tree::List(texts))
    };
    fields.len() == lists.len() && DIMENSIONS.into_iter().zip(lists).all(says)
}

fn sentences(reader: &mut Reader, of: &Fields<'_>, name: &str) -> Option<Vec<String>> {
    let kind = Text::Prose(SENTENCE_BYTES_MAX);
    let list = reader.need_texts(of, name, ENTRIES_MAX, kind)?;
    let fix = "say what holds, such as \"pure: no side effects\"";
    if of.is_empty_list(name) {
        reader.add(&of.path(name), alloc::format!("`{name}` is empty"), fix);
    }
    for (nth, text) in list.iter().enumerate() {
        let lower = text.trim_start().to_ascii_lowercase();
        if NOT_APPLICABLE.iter().any(|it| lower.starts_with(it)) {
            let path = alloc::format!("{}[{nth}]", of.path(name));
            reader.add(&path, "the dimension is marked as not applicable", fix);
        }
    }
    Some(list)
}

const FIELDS: [&str; 13] = [
    "module_id",
    "name",
    "purpose",
    "io_contract",
    "error_cases",
    "depends_on",
    "reuse_candidate_refs",
    "reuse_decision",
    "reuse_justification",
    "contract",
    "reuse_report_ref",
    "criteria_refs",
    "facade",
];
const DIMENSIONS: [&str; 5] = ["inputs", "outputs", "error_surfaces", "effects", "modes"];
const NOT_APPLICABLE: [&str; 3] = ["not applicable", "n/a", "n.a."];
const TASK_REF: &str = "a version of a task such as T-core-login-001@1.0.0";
/// Room for what a contract says of one entry with all of its constraints.
const SENTENCE_BYTES_MAX: usize = 256 << 10;
