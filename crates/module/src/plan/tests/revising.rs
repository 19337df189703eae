//! Plans that a person revises.

use std::format;
use std::string::{String, ToString as _};
use std::vec::Vec;

use serde_json::{Value, json};

use crate::plan::*;
use crate::testing::{plan, plan_facts, plan_json};

fn revised(modules: &Value) -> Result<MicroPlan, Vec<String>> {
    match plan().revise(modules.to_string().as_bytes(), &plan_facts()) {
        Ok(checked) => Ok(checked.plan),
        Err(problems) => {
            Err(problems.list().iter().map(|it| format!("{}: {}", it.path, it.what)).collect())
        }
    }
}

fn short() -> Value {
    json!([
        {
            "module_id": "MM-limiter",
            "description": "Decides whether a tenant may call.",
            "depends_on": ["MM-ledger@1.2.0", "MM-clock@1.0.0"]
        },
        {"module_id": "MM-window", "description": "Finds the window of a time.", "depends_on": []},
        {"module_id": "MM-ledger", "description": "Counts events by key.", "depends_on": []}
    ])
}

#[test]
fn a_whole_plan_of_a_person_is_checked_like_any_other() {
    assert_eq!(revised(&plan_json()["modules"]), Ok(plan()));
    let mut modules = plan_json()["modules"].clone();
    modules[1]["criteria_refs"] = json!([]);
    assert_eq!(
        revised(&modules),
        Err(["$.modules: criterion 2 of the task is assigned to no module".to_string()].into())
    );
    assert!(revised(&json!("no")).is_err() && revised(&json!([])).is_err());
}

#[test]
fn the_short_form_inherits_from_the_prior_plan() {
    let plan = revised(&short()).unwrap();
    let limiter = plan.facade();
    let contract = limiter.contract.as_ref().unwrap();
    assert_eq!(
        (limiter.purpose.as_str(), contract.purpose.as_str()),
        ("Decides whether a tenant may call.", "Decides whether a tenant may call.")
    );
    let ranges: Vec<&str> = contract.dependencies.iter().map(|it| it.range.as_str()).collect();
    assert_eq!(ranges, ["MM-ledger@^1.2", "MM-clock@=1.0.0"]);
    assert_eq!(limiter.criteria_refs, [0, 1]);
    assert_ne!(plan.digest(), crate::testing::plan().digest());
    // A module that is left out takes its criteria with it.
    let mut fewer = short();
    fewer.as_array_mut().unwrap().remove(1);
    assert_eq!(
        revised(&fewer).unwrap_err(),
        ["$.modules: criterion 2 of the task is assigned to no module"]
    );
}

#[test]
fn the_short_form_of_a_new_module_is_refused_with_the_fields_it_lacks() {
    let mut modules = short();
    modules[1]["module_id"] = json!("MM-bucket");
    let problems = plan().revise(modules.to_string().as_bytes(), &plan_facts()).unwrap_err();
    let [only] = problems.list() else { panic!("{problems:?}") };
    assert_eq!(only.path, "$[1].module_id");
    assert!(
        only.fix.contains("io_contract") && only.fix.contains("reuse_justification"),
        "{}",
        only.fix
    );
    // A mixture of both forms is neither.
    let mut mixed = plan_json()["modules"].clone();
    mixed[1] = short()[1].clone();
    assert!(revised(&mixed).is_err());
}
