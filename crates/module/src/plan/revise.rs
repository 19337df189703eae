//! A plan that a person gives instead of the locked one.
//!
//! The modules are whole, as a planner writes them. The short form `{module_id, description, depends_on}` is taken if every
//! module is one of the prior plan: all other fields are inherited then.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use super::{CheckedPlan, MicroPlan, PLAN_BYTES_MAX, PLAN_MODULES_MAX, PlanFacts, PlanModule};
use crate::contract::json::{Node, Problems, Reader, Tree};
use crate::contract::{Dependency, MODULE_ID, MODULE_REF, ModuleId, ModuleRange, ModuleRef, PROSE};

struct ShortModule {
    module_id: ModuleId,
    description: String,
    depends_on: Vec<ModuleRef>,
}

impl MicroPlan {
    /// Reads `revised_micro_plan`, a list of modules, and checks the plan they make like any other.
    pub fn revise(&self, modules: &[u8], facts: &PlanFacts) -> Result<CheckedPlan, Problems> {
        let tree = Tree::parse(modules, PLAN_BYTES_MAX)?;
        let is_short = |it: &Tree| it.field("description").is_some();
        let has_short = matches!(&tree, Tree::List(list) if list.iter().any(is_short));
        let modules = if has_short { self.inherited(&tree)? } else { tree };
        let plan = Tree::Object(alloc::vec![
            ("micro_plan_id".into(), Tree::Text(self.micro_plan_id.to_string())),
            ("parent_task_ref".into(), Tree::Text(facts.task.to_string())),
            ("modules".into(), modules),
        ]);
        let text = serde_json::to_vec(&plan).expect("a tree that was read can be written");
        Self::check(&text, facts)
    }

    fn inherited(&self, tree: &Tree) -> Result<Tree, Problems> {
        let mut reader = Reader::default();
        let read = |reader: &mut Reader, node: &Node<'_>| self.short(reader, node);
        let modules = reader.list(&Node::root(tree), PLAN_MODULES_MAX, read);
        let modules = reader.finish(modules)?;
        let whole = modules.iter().filter_map(|it| Some(inherit(self.module(&it.module_id)?, it)));
        let text = serde_json::to_vec(&whole.collect::<Vec<PlanModule>>());
        Tree::parse(&text.expect("a plan can be written"), PLAN_BYTES_MAX)
    }

    fn short(&self, reader: &mut Reader, node: &Node<'_>) -> Option<ShortModule> {
        let it = reader.fields(node, &["module_id", "description", "depends_on"])?;
        let module_id: Option<ModuleId> = reader.need_parsed(&it, "module_id", MODULE_ID);
        let description = reader.need_text(&it, "description", PROSE);
        let depends_on = reader.need_list(&it, "depends_on", PLAN_MODULES_MAX, |reader, node| {
            reader.parsed(node, MODULE_REF)
        });
        if let Some(id) = module_id.as_ref().filter(|id| self.module(id).is_none()) {
            let what =
                format!("{id} is no module of the prior plan, so there is nothing to inherit");
            let fix = "write all modules whole: name, purpose, io_contract, error_cases, depends_on, \
                       reuse_decision, reuse_justification, contract, reuse_report_ref, criteria_refs";
            reader.add(&it.path("module_id"), what, fix);
        }
        Some(ShortModule {
            module_id: module_id?,
            description: description?,
            depends_on: depends_on?,
        })
    }
}

/// The prior module with what the short form says: its purpose and its dependencies.
fn inherit(prior: &PlanModule, short: &ShortModule) -> PlanModule {
    let mut module = prior.clone();
    module.purpose.clone_from(&short.description);
    module.depends_on.clone_from(&short.depends_on);
    if let Some(contract) = &mut module.contract {
        contract.purpose.clone_from(&short.description);
        contract.dependencies.retain(|it| short.depends_on.iter().any(|on| it.range.includes(on)));
        for on in &short.depends_on {
            if !contract.dependencies.iter().any(|it| it.range.includes(on)) {
                let why = String::from("a person added it to the plan");
                contract.dependencies.push(Dependency { range: ModuleRange::exactly(on), why });
            }
        }
    }
    module
}
