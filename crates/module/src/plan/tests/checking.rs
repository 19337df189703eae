//! Plans against their task: each problem with its place.

use std::format;
use std::string::{String, ToString as _};
use std::vec::Vec;

use serde_json::{Value, json};

use crate::contract::ModuleId;
use crate::plan::*;
use crate::testing::{plan, plan_facts, plan_json, window_contract_json};

/// The problems of the plan after `change`: `path: what`.
pub(super) fn refused(change: impl FnOnce(&mut Value)) -> Vec<String> {
    refused_with(&plan_facts(), change)
}

pub(super) fn refused_with(facts: &PlanFacts, change: impl FnOnce(&mut Value)) -> Vec<String> {
    let mut value = plan_json();
    change(&mut value);
    let checked = MicroPlan::check(value.to_string().as_bytes(), facts);
    let Err(problems) = checked else { return Vec::new() };
    problems.list().iter().map(|it| format!("{}: {}", it.path, it.what)).collect()
}

fn remove(value: &mut Value, field: &str) {
    assert!(value.as_object_mut().unwrap().remove(field).is_some());
}

/// A module without needs of its own, named `name`.
fn plain(name: &str) -> Value {
    let mut module = plan_json()["modules"][1].clone();
    module["module_id"] = json!(name);
    module["contract"]["module_id"] = json!(name);
    module["criteria_refs"] = json!([]);
    module
}

#[test]
fn a_plan_is_what_was_written() {
    let checked = MicroPlan::check(plan_json().to_string().as_bytes(), &plan_facts()).unwrap();
    assert_eq!(checked.warnings, []);
    let plan = checked.plan;
    assert_eq!(plan.facade().module_id.as_str(), "MM-limiter");
    assert_eq!(
        plan.modules()[0].io_contract.effects,
        ["WRITE ledger: counts the call of the tenant in the current window"]
    );
    assert_eq!(plan.modules()[1].io_contract.effects, ["pure: no side effects"]);
    let stored = serde_json::to_vec(&plan).unwrap();
    assert_eq!(MicroPlan::parse(&stored), Ok(plan.clone()));
    assert_eq!(serde_json::from_slice::<MicroPlan>(&stored).unwrap(), plan);
    assert!(MicroPlan::check(&stored, &plan_facts()).is_ok());
}

/// Proves: F-PLAN-003, F-PLAN-004
/// Proves in part: F-PLAN-008
#[test]
fn every_field_is_needed_by_its_name() {
    for field in ["micro_plan_id", "parent_task_ref", "modules"] {
        assert_eq!(refused(|it| remove(it, field)), [format!("$.{field}: `{field}` is missing")]);
    }
    let fields = [
        "module_id",
        "name",
        "purpose",
        "error_cases",
        "depends_on",
        "reuse_decision",
        "reuse_justification",
        "io_contract",
    ];
    for field in fields {
        let found = refused(|it| remove(&mut it["modules"][2], field));
        assert_eq!(found[0], format!("$.modules[2].{field}: `{field}` is missing"), "{found:?}");
        let found = refused(|it| it["modules"][2][field] = json!(7));
        assert!(found[0].starts_with(&format!("$.modules[2].{field}: ")), "{found:?}");
    }
    for field in ["inputs", "outputs", "error_surfaces", "effects", "modes"] {
        let found = refused(|it| remove(&mut it["modules"][2]["io_contract"], field));
        assert_eq!(found, [format!("$.modules[2].io_contract.{field}: `{field}` is missing")]);
    }
    let found = refused(|it| it["modules"][1]["priority"] = json!(1));
    assert_eq!(found, ["$.modules[1]: there is no field `priority` here"]);
    for bad in ["reuse", "REUSE_EXISTING", ""] {
        let found = refused(|it| it["modules"][1]["reuse_decision"] = json!(bad));
        assert_eq!(found, [format!("$.modules[1].reuse_decision: `{bad}` is not known")]);
    }
}

/// Proves: F-PLAN-008
#[test]
fn ids_of_plans_tasks_and_modules_have_their_grammar() {
    for good in ["MP-1a2b3c4d", "MP-limits_1"] {
        assert!(refused(|it| it["micro_plan_id"] = json!(good)).is_empty(), "{good}");
    }
    for bad in ["MP-", "MP-a-b", "mp-1", "MM-1", "MP-é", ""] {
        let found = refused(|it| it["micro_plan_id"] = json!(bad));
        assert_eq!(
            found,
            [format!("$.micro_plan_id: `{bad}` is not a micro plan such as MP-1a2b3c4d")]
        );
    }
    for bad in ["T-api-limits-tenant-001", "MM-a@1.0.0", "T-x@1.0", "T-@1.0.0"] {
        let found = refused(|it| it["parent_task_ref"] = json!(bad));
        assert!(found[0].starts_with("$.parent_task_ref: "), "{bad} {found:?}");
    }
    for bad in ["MM-a-b", "window"] {
        let found = refused(|it| it["modules"][1]["module_id"] = json!(bad));
        assert_eq!(
            found[0],
            format!("$.modules[1].module_id: `{bad}` is not a module such as MM-limiter")
        );
    }
}

/// Proves: F-PLAN-010
#[test]
fn a_dependency_is_one_version_of_a_module() {
    for bad in ["MM-1", "MM-ledger@^1.2", "MM-ledger@1.2", "ledger@1.2.0", "MM-ledger@1.02.0"] {
        let found = refused(|it| it["modules"][0]["depends_on"][1] = json!(bad));
        let expected = format!(
            "$.modules[0].depends_on[1]: `{bad}` is not a version of a module such as MM-limiter@1.0.0"
        );
        assert_eq!(found[0], expected);
    }
}

/// Proves: F-PLAN-009
/// Proves in part: F-PLAN-001
#[test]
fn no_dimension_is_empty_or_a_placeholder() {
    for field in ["inputs", "outputs", "error_surfaces", "effects", "modes"] {
        let at = format!("$.modules[2].io_contract.{field}");
        let found = refused(|it| it["modules"][2]["io_contract"][field] = json!([]));
        assert_eq!(found, [format!("{at}: `{field}` is empty")]);
        for bad in [
            "TBD",
            "todo",
            "N/A",
            "none",
            "not applicable",
            "Not applicable here",
            "n/a: no state",
            "...",
            "",
        ] {
            let found = refused(|it| it["modules"][2]["io_contract"][field] = json!([bad]));
            assert!(found[0].starts_with(&format!("{at}[0]: ")), "{field} {bad} {found:?}");
        }
    }
    let says =
        |text: &str| refused(|it| it["modules"][2]["io_contract"]["effects"] = json!([text]));
    assert!(says("pure: no side effects").is_empty());
    assert!(says("none: it reads its arguments only").is_empty());
    let found = refused(|it| it["modules"][2]["io_contract"]["modes"] = json!(["sync", "batch"]));
    assert_eq!(found, ["$.modules[2].io_contract.modes: `batch` is no mode"]);
}

#[test]
fn a_module_says_what_it_is_for() {
    for bad in ["", "TBD"] {
        let found = refused(|it| it["modules"][2]["purpose"] = json!(bad));
        assert!(found[0].starts_with("$.modules[2].purpose: "), "{found:?}");
    }
    assert!(
        refused(|it| it["modules"][2]["purpose"] = json!("Counts events and sends mail."))
            .is_empty()
    );
}

/// Proves: F-PLAN-011
#[test]
fn ids_of_modules_are_unique() {
    let found = refused(|it| {
        let twin = it["modules"][1].clone();
        it["modules"].as_array_mut().unwrap().push(twin);
    });
    assert_eq!(found, ["$.modules[3].module_id: MM-window is the id of $.modules[1] already"]);
}

/// Proves: F-PLAN-012
#[test]
fn a_cycle_is_named() {
    let depend = |it: &mut Value, nth: usize, on: &str| {
        let module = &mut it["modules"][nth];
        module["depends_on"].as_array_mut().unwrap().push(json!(format!("{on}@1.0.0")));
        let dependency = json!({"ref": format!("{on}@^1"), "why": "it counts"});
        module["contract"]["dependencies"].as_array_mut().unwrap().push(dependency);
    };
    let found = refused(|it| {
        it["modules"].as_array_mut().unwrap().push(plain("MM-clock2"));
        depend(it, 1, "MM-clock2");
        depend(it, 3, "MM-window");
    });
    let report = "$.modules[3].reuse_report_ref: RSR-00000001 is about MM-window";
    let cycle = "$.modules[1].depends_on: the modules depend on each other in a cycle: \
                 MM-window → MM-clock2 → MM-window";
    assert_eq!(found, [cycle, report]);
    let found = refused(|it| {
        it["modules"][1]["depends_on"] = json!(["MM-window@1.0.0"]);
    });
    assert!(found.iter().any(|it| it.ends_with("in a cycle: MM-window → MM-window")), "{found:?}");
}

/// Proves in part: F-FACE-001
#[test]
fn one_module_is_the_facade_and_no_other_depends_on_it() {
    let found = refused(|it| it["modules"][0]["facade"] = json!(false));
    assert_eq!(found, ["$.modules: no module is the facade"]);
    let found = refused(|it| it["modules"][2]["facade"] = json!(true));
    assert_eq!(found, ["$.modules[2].facade: $.modules[0] is the facade already"]);
    let found = refused(|it| {
        it["modules"][0]["facade"] = json!(false);
        it["modules"][1]["facade"] = json!(true);
    });
    assert_eq!(found, ["$.modules[1].facade: $.modules[0] depends on the facade"]);
}

/// Proves in part: F-CRIT-001
#[test]
fn every_criterion_is_assigned_and_none_is_made_up() {
    let found = refused(|it| it["modules"][1]["criteria_refs"] = json!([]));
    assert_eq!(found, ["$.modules: criterion 2 of the task is assigned to no module"]);
    let found = refused(|it| it["modules"][1]["criteria_refs"] = json!([2, 3]));
    assert_eq!(found, ["$.modules[1].criteria_refs: the task has no criterion 3"]);
    let found = refused(|it| it["modules"][1]["criteria_refs"] = json!([2, 2]));
    assert_eq!(found, ["$.modules[1].criteria_refs: criterion 2 is named twice"]);
    assert!(refused(|it| it["modules"][1]["criteria_refs"] = json!([0, 1, 2])).is_empty());
    // The task is done when shipped modules cover all of them.
    let shipped = |names: &[&str]| {
        let shipped = crate::testing::ids(names).into_iter().collect();
        plan().uncovered_criteria(3, &shipped)
    };
    assert_eq!(shipped(&[]), [0, 1, 2]);
    assert_eq!(shipped(&["MM-window"]), [0, 1]);
    assert_eq!(shipped(&["MM-limiter"]), [2]);
    assert_eq!(shipped(&["MM-limiter", "MM-window"]), [0; 0]);
}

#[test]
fn a_module_and_its_contract_say_the_same() {
    for (field, value) in [
        ("name", json!("Other")),
        ("purpose", json!("Does other things.")),
        ("error_cases", json!(["it is late"])),
    ] {
        let found = refused(|it| it["modules"][1][field] = value);
        assert_eq!(
            found,
            [format!("$.modules[1].{field}: `{field}` of the module and of its contract differ")]
        );
    }
    let rendered = serde_json::to_value(&plan().modules()[1].io_contract).unwrap();
    assert!(refused(|it| it["modules"][1]["io_contract"] = rendered.clone()).is_empty());
    let found = refused(|it| {
        it["modules"][1]["io_contract"] = rendered;
        it["modules"][1]["io_contract"]["outputs"] = json!(["a window"]);
    });
    assert_eq!(
        found,
        ["$.modules[1].io_contract.outputs: `outputs` is not what the contract says"]
    );
    let found = refused(|it| it["modules"][1]["contract"]["inputs"] = json!([]));
    assert_eq!(found, ["$.modules[1].contract.inputs: `inputs` is empty"]);
    let found = refused(|it| remove(&mut it["modules"][1], "contract"));
    assert!(
        found.contains(&"$.modules[1].contract: CREATE_NEW needs a contract".to_string()),
        "{found:?}"
    );
}

/// A name may look like a placeholder once it stands in a sentence.
#[test]
fn a_plan_with_any_contract_reads_back() {
    let mut value = plan_json();
    value["modules"][1]["contract"]["inputs"][0]["name"] = json!("TODO_list");
    value["modules"][0]["contract"]["error_surfaces"][0]["when"] = json!("n/a as a tenant");
    let plan = MicroPlan::check(value.to_string().as_bytes(), &plan_facts()).unwrap().plan;
    assert_eq!(MicroPlan::parse(&serde_json::to_vec(&plan).unwrap()), Ok(plan));
}

#[test]
fn dependencies_of_a_module_and_of_its_contract_agree() {
    let found = refused(|it| it["modules"][0]["depends_on"] = json!(["MM-ledger@1.2.0"]));
    assert_eq!(
        found,
        [
            "$.modules[0].depends_on: the contract depends on MM-window@^1.0.0, and `depends_on` does not"
        ]
    );
    let found = refused(|it| {
        it["modules"][0]["contract"]["dependencies"][1]["ref"] = json!("MM-ledger@^1.3")
    });
    assert_eq!(
        found,
        [
            "$.modules[0].contract.dependencies: the contract does not depend on MM-ledger@1.2.0, and `depends_on` does"
        ]
    );
    let found = refused(|it| it["modules"][0]["depends_on"][0] = json!("MM-window@1.1.0"));
    assert_eq!(
        found,
        ["$.modules[0].depends_on: MM-window@1.1.0 is another version than the plan has"]
    );
}

#[test]
fn a_module_outside_the_plan_is_shipped() {
    let with = |on: &str| {
        let mut value = plan_json();
        value["modules"][1]["depends_on"] = json!([on]);
        let dependency = json!([{"ref": "MM-clock@*", "why": "reads the time"}]);
        value["modules"][1]["contract"]["dependencies"] = dependency;
        MicroPlan::check(value.to_string().as_bytes(), &plan_facts())
    };
    let whats = |found: Result<CheckedPlan, Problems>| {
        found.unwrap_err().list().iter().map(|it| it.what.clone()).collect::<Vec<_>>()
    };
    assert_eq!(with("MM-clock@1.0.0").unwrap().warnings, []);
    let warned = with("MM-clock@0.9.0").unwrap().warnings;
    assert_eq!((warned.len(), warned[0].what.as_str()), (1, "MM-clock@0.9.0 is deprecated"));
    assert_eq!(whats(with("MM-clock@0.8.0")), ["MM-clock@0.8.0 is superseded"]);
    assert_eq!(whats(with("MM-clock@9.0.0")), ["MM-clock@9.0.0 is not known"]);
}

#[test]
fn a_module_starts_at_its_first_version_unless_it_is_revised() {
    let set = |it: &mut Value| {
        it["modules"][1]["contract"]["module_version"] = json!("1.1.0");
        it["modules"][0]["depends_on"][0] = json!("MM-window@1.1.0");
    };
    let what = "$.modules[1].contract.module_version: 1.1.0 is not the version that is built next";
    assert_eq!(refused(set), [what]);
    let mut facts = plan_facts();
    facts.revisions.insert("MM-window".parse::<ModuleId>().unwrap(), "1.1.0".parse().unwrap());
    assert!(refused_with(&facts, set).is_empty());
    assert_eq!(refused_with(&facts, |_| {}).len(), 1);
}

#[test]
fn a_plan_is_of_its_task() {
    let found = refused(|it| it["parent_task_ref"] = json!("T-api-limits-tenant-001@1.0.1"));
    assert_eq!(
        found,
        ["$.parent_task_ref: the plan is of another task, or of another revision of it"]
    );
}

#[test]
fn all_problems_are_reported_at_once_in_a_stable_order() {
    let broken = |it: &mut Value| {
        it["micro_plan_id"] = json!("plan");
        it["modules"][0]["facade"] = json!(false);
        it["modules"][0]["criteria_refs"] = json!([0]);
        it["modules"][1]["purpose"] = json!("");
        it["modules"][1]["reuse_report_ref"] = json!("RSR-ffffffff");
        it["modules"][2]["reuse_candidate_refs"] = json!([]);
    };
    let found = refused(broken);
    assert_eq!(
        found,
        [
            "$.micro_plan_id: `plan` is not a micro plan such as MP-1a2b3c4d",
            "$.modules[1].purpose: the text is empty",
            "$.modules[2].reuse_candidate_refs: REUSE needs exactly one candidate, there are 0",
            "$.modules: no module is the facade",
            "$.modules[1].reuse_report_ref: there is no report RSR-ffffffff",
            "$.modules: criterion 1 of the task is assigned to no module",
        ]
    );
    assert_eq!(refused(broken), found);
}

#[test]
fn a_plan_has_at_least_one_module_and_not_too_many() {
    assert!(
        refused(|it| it["modules"] = json!([]))
            .contains(&"$.modules: the plan has no module".to_string())
    );
    let count = |count: usize| {
        refused(|it| {
            let modules = it["modules"].as_array_mut().unwrap();
            let more = (modules.len()..count).map(|nth| {
                let mut module = plain(&format!("MM-m{nth}"));
                module["reuse_report_ref"] = json!("RSR-00000003");
                module
            });
            modules.extend(more.collect::<Vec<_>>());
        })
    };
    let missing = |it: &String| it.ends_with("there is no report RSR-00000003");
    assert!(count(PLAN_MODULES_MAX).iter().all(missing));
    assert_eq!(count(PLAN_MODULES_MAX + 1)[0], "$.modules: 65 items, more than 64");
    assert_eq!(window_contract_json()["module_id"], json!("MM-window"));
}

#[test]
fn three_attempts_are_made() {
    assert_eq!(after_refusal(1), AfterRefusal::Retry { attempt: 2 });
    assert_eq!(after_refusal(2), AfterRefusal::Retry { attempt: 3 });
    assert_eq!(after_refusal(PLAN_ATTEMPTS_MAX), AfterRefusal::Halt);
    assert_eq!(after_refusal(u32::MAX), AfterRefusal::Halt);
}
