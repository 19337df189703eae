//! Modules that are reused, and the reports of the search for them.

use std::string::{String, ToString as _};
use std::vec::Vec;

use serde_json::{Value, json};

use super::checking::{refused, refused_with};
use crate::contract::ModuleId;
use crate::plan::*;
use crate::testing::{ids, plan, plan_facts, plan_json, reference};

#[test]
fn a_reused_module_is_one_shipped_version_and_nothing_is_built() {
    let of = |field: &str, value: Value| refused(|it| it["modules"][2][field] = value);
    let candidates = |value: Value| of("reuse_candidate_refs", value);
    assert_eq!(
        candidates(json!([])),
        ["$.modules[2].reuse_candidate_refs: REUSE needs exactly one candidate, there are 0"]
    );
    let two = candidates(json!(["MM-ledger@1.2.0", "MM-throttle@2.0.0"]));
    assert_eq!(
        two,
        ["$.modules[2].reuse_candidate_refs: REUSE needs exactly one candidate, there are 2"]
    );
    let found = candidates(json!(["MM-ledger@1.3.0"]));
    assert_eq!(
        found,
        [
            "$.modules[0].depends_on: MM-ledger@1.2.0 is another version than the plan has",
            "$.modules[2].reuse_candidate_refs: MM-ledger@1.3.0 is not shipped in the code index",
        ]
    );
    for status in [IndexStatus::Deprecated, IndexStatus::Superseded] {
        let mut facts = plan_facts();
        facts.modules.get_mut(&reference("MM-ledger@1.2.0")).unwrap().status = status;
        let found = refused_with(&facts, |_| {});
        assert_eq!(
            found,
            ["$.modules[2].reuse_candidate_refs: MM-ledger@1.2.0 is not shipped in the code index"]
        );
    }
    let found = of("depends_on", json!(["MM-clock@1.0.0"]));
    assert_eq!(
        found,
        ["$.modules[2].depends_on: a reused module depends on nothing in a plan: it is shipped"]
    );
    let found =
        refused(|it| it["modules"][2]["reuse_candidate_refs"] = json!(["MM-throttle@2.0.0"]));
    assert_eq!(
        found[1],
        "$.modules[2].module_id: MM-ledger reuses MM-throttle@2.0.0 under another name"
    );
    let names =
        |list: Vec<&PlanModule>| list.iter().map(|it| it.module_id.to_string()).collect::<Vec<_>>();
    assert_eq!(names(plan().ready(&ids(&[]).into_iter().collect())), ["MM-window"]);
}

#[test]
fn a_contract_of_a_reused_module_is_the_one_it_shipped_with() {
    let mut contract = crate::testing::window_contract_json();
    contract["module_id"] = json!("MM-ledger");
    contract["module_version"] = json!("1.2.0");
    let whole = |it: &mut Value, contract: Value| {
        it["modules"][2]["contract"] = contract;
        it["modules"][2].as_object_mut().unwrap().remove("io_contract");
    };
    let found = refused(|it| whole(it, contract.clone()));
    assert_eq!(
        found,
        ["$.modules[2].contract: the contract is not the one that MM-ledger@1.2.0 shipped with"]
    );
    let mut facts = plan_facts();
    let fingerprint = crate::testing::contract_of(&contract).fingerprint();
    facts.modules.get_mut(&reference("MM-ledger@1.2.0")).unwrap().fingerprint = fingerprint;
    assert!(refused_with(&facts, |it| whole(it, contract.clone())).is_empty());
    contract["module_version"] = json!("1.1.0");
    let found = refused_with(&facts, |it| whole(it, contract));
    assert_eq!(
        found,
        ["$.modules[2].contract: the contract is of MM-ledger@1.1.0, not of MM-ledger@1.2.0"]
    );
}

/// Proves: F-REUSE-002
#[test]
fn nothing_new_is_made_without_a_report_that_says_so() {
    let found = refused(|it| {
        it["modules"][1].as_object_mut().unwrap().remove("reuse_report_ref");
    });
    assert_eq!(found, ["$.modules[1].reuse_report_ref: CREATE_NEW needs a reuse search report"]);
    let of = |id: &str| refused(|it| it["modules"][1]["reuse_report_ref"] = json!(id));
    assert_eq!(
        of("RSR-0000000f"),
        ["$.modules[1].reuse_report_ref: there is no report RSR-0000000f"]
    );
    assert_eq!(
        of("RSR-00000002"),
        ["$.modules[1].reuse_report_ref: RSR-00000002 is about MM-limiter"]
    );
    for bad in ["RSR-1", "RSR-0000000G", "MP-00000001", ""] {
        assert!(of(bad)[0].starts_with("$.modules[1].reuse_report_ref: `"), "{bad}");
    }
    let mut facts = plan_facts();
    let report = facts.reports.get_mut(&"RSR-00000001".parse::<ReportId>().unwrap()).unwrap();
    report.conclusion = Conclusion::ReuseExisting;
    let found = refused_with(&facts, |_| {});
    assert_eq!(
        found,
        ["$.modules[1].reuse_report_ref: RSR-00000001 concludes otherwise than `reuse_decision`"]
    );
}

#[test]
fn every_candidate_that_is_passed_over_is_rejected_in_the_report() {
    let with =
        |module: &str| refused(|it| it["modules"][1]["reuse_candidate_refs"] = json!([module]));
    assert!(with("MM-throttle@2.0.0").is_empty());
    let expected =
        "$.modules[1].reuse_report_ref: RSR-00000001 does not say why MM-clock@1.0.0 is rejected";
    assert_eq!(with("MM-clock@1.0.0"), [expected]);
}

#[test]
fn a_report_is_read_strictly() {
    let whole = json!({
        "query": "count events",
        "candidates_considered": [{"module_ref": "MM-a@1.0.0", "why_rejected": "it forgets"}],
        "conclusion": "CREATE_NEW",
        "justification": "nothing counts",
        "module_id": "MM-b"
    });
    let paths = |value: &Value| -> Vec<String> {
        match ReuseSearchReport::parse(value.to_string().as_bytes()) {
            Ok(_) => Vec::new(),
            Err(problems) => problems.list().iter().map(|it| it.path.clone()).collect(),
        }
    };
    assert!(paths(&whole).is_empty());
    for field in ["query", "candidates_considered", "conclusion", "justification"] {
        let mut value = whole.clone();
        value.as_object_mut().unwrap().remove(field);
        assert_eq!(paths(&value), [std::format!("$.{field}")]);
    }
    let bad = [
        ("/query", json!("TBD"), "$.query"),
        ("/justification", json!(""), "$.justification"),
        ("/conclusion", json!("REUSE"), "$.conclusion"),
        ("/module_id", json!("b"), "$.module_id"),
        (
            "/candidates_considered/0/module_ref",
            json!("MM-a"),
            "$.candidates_considered[0].module_ref",
        ),
        (
            "/candidates_considered/0/why_rejected",
            json!("n/a"),
            "$.candidates_considered[0].why_rejected",
        ),
    ];
    for (place, new, path) in bad {
        let mut value = whole.clone();
        *value.pointer_mut(place).unwrap() = new;
        assert_eq!(paths(&value), [path]);
    }
    let report = ReuseSearchReport::parse(whole.to_string().as_bytes()).unwrap();
    let stored = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<ReuseSearchReport>(&stored).unwrap(), report);
}

/// Proves in part: F-PLAN-019
#[test]
fn a_locked_plan_admits_no_other() {
    let (plan, facts) = (plan(), plan_facts());
    let lock = plan.lock(&facts);
    assert_eq!(lock.admits(&plan), Ok(()));
    let pins: Vec<String> =
        lock.modules.values().map(|it| std::format!("{} {}", it.module, it.is_reused)).collect();
    assert_eq!(pins, ["MM-ledger@1.2.0 true", "MM-limiter@1.0.0 false", "MM-window@1.0.0 false"]);
    let pin = |name: &str| lock.modules[&name.parse::<ModuleId>().unwrap()].fingerprint;
    assert_eq!(pin("MM-limiter"), crate::testing::contract().fingerprint());
    assert_eq!(pin("MM-ledger"), facts.modules[&reference("MM-ledger@1.2.0")].fingerprint);
    let stored = serde_json::to_string(&lock).unwrap();
    assert_eq!(serde_json::from_str::<PlanLock>(&stored).unwrap(), lock);
    let changes: [(&str, Value); 4] = [
        ("/modules/1/reuse_justification", json!("nothing like it is shipped")),
        ("/modules/1/criteria_refs", json!([1, 2])),
        ("/modules/0/contract/tags", json!([])),
        ("/micro_plan_id", json!("MP-00000000")),
    ];
    for (place, new) in changes {
        let mut value = plan_json();
        *value.pointer_mut(place).unwrap() = new;
        let other = MicroPlan::parse(value.to_string().as_bytes()).unwrap();
        let refused = lock.admits(&other).unwrap_err();
        assert_eq!((refused.locked, refused.got), (plan.digest(), other.digest()), "{place}");
        assert!(refused.to_string().contains("is not the locked plan"));
    }
}

#[test]
fn minted_ids_are_derived_and_every_reference_follows() {
    let (plan, facts) = (plan(), plan_facts());
    let none = [].into();
    let minted = plan.with_minted_ids("1", &none, &none);
    assert_eq!(minted, plan.with_minted_ids("1", &none, &none));
    let stored = serde_json::to_vec(&minted).unwrap();
    assert_eq!(MicroPlan::parse(&stored).as_ref(), Ok(&minted));
    let names: Vec<&str> = minted.modules().iter().map(|it| it.module_id.as_str()).collect();
    assert_eq!(names[2], "MM-ledger");
    let is_minted = |it: &&str| it.len() == 11 && it[3..].bytes().all(|it| it.is_ascii_hexdigit());
    assert!(names[..2].iter().all(is_minted), "{names:?}");
    let facade = minted.facade();
    let contract = facade.contract.as_ref().unwrap();
    assert_eq!(
        (contract.module_id.as_str(), facade.depends_on[0].id.as_str()),
        (names[0], names[1])
    );
    assert_eq!(contract.dependencies[0].range.as_str(), std::format!("{}@^1.0.0", names[1]));
    assert_eq!(contract.fingerprint(), crate::testing::contract().fingerprint());
    // Another plan of the task has other ids, and an id that is taken is not minted again.
    let other = plan.with_minted_ids("2", &none, &none);
    assert!(other.modules()[..2].iter().all(|it| !names.contains(&it.module_id.as_str())));
    let taken = ids(&names[..2]).into_iter().collect();
    let again = plan.with_minted_ids("1", &taken, &none);
    assert!(again.modules()[..2].iter().all(|it| !taken.contains(&it.module_id)));
    let kept = ids(&["MM-window"]).into_iter().collect();
    assert_eq!(
        plan.with_minted_ids("1", &none, &kept).modules()[1].module_id.as_str(),
        "MM-window"
    );
    assert_eq!(minted.lock(&facts).modules.len(), 3);
}
