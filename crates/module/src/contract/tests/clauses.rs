//! Clauses of a contract and the tests that cover them.

use std::collections::BTreeSet;
use std::string::{String, ToString as _};
use std::vec::Vec;

use serde_json::json;

use crate::contract::*;
use crate::testing::{contract, contract_json, contract_of, window_contract_json};

fn ids(contract: &MicroModuleContract) -> Vec<String> {
    clauses(contract).iter().map(|it| it.id.to_string()).collect()
}

/// Each test covers the clause of the same place.
fn full_claim(contract: &MicroModuleContract) -> CoverageClaim {
    let tests = clauses(contract).into_iter().enumerate().map(|(nth, it)| TestClaim {
        name: std::format!("test_{nth}"),
        clauses: [it.id.to_string()].into(),
    });
    CoverageClaim { tests: tests.collect() }
}

fn names(claim: &CoverageClaim) -> BTreeSet<String> {
    claim.tests.iter().map(|it| it.name.clone()).collect()
}

fn none() -> BTreeSet<Dimension> {
    BTreeSet::new()
}

#[test]
fn every_promise_of_a_contract_is_a_clause() {
    assert_eq!(
        ids(&contract()),
        [
            "purpose",
            "inputs/tenant/constraints/392d7b0a",
            "inputs/now_ms/constraints/cb682187",
            "inputs/now_ms/constraints/67c0a65c",
            "outputs/decision/invariants/3fc214da",
            "error_surfaces/BadTenant",
            "error_surfaces/LedgerFull",
            "effects/WRITE ledger",
            "modes/sync",
            "error_cases/9439b6ba",
            "error_cases/6f93b311",
        ]
    );
    assert_eq!(ids(&contract_of(&window_contract_json())).len(), 3);
}

#[test]
fn an_id_stays_where_its_clause_moves_and_goes_where_it_changes() {
    let mut value = contract_json();
    value["inputs"].as_array_mut().unwrap().swap(0, 1);
    value["inputs"][0]["constraints"].as_array_mut().unwrap().swap(0, 1);
    let mut moved = ids(&contract_of(&value));
    let mut before = ids(&contract());
    moved.sort();
    before.sort();
    assert_eq!(moved, before);
    value["inputs"][0]["constraints"][0] = json!("may be smaller than in an earlier call");
    let changed = ids(&contract_of(&value));
    assert_eq!(before.iter().filter(|it| !changed.contains(it)).count(), 1);
}

/// Two texts whose digests begin alike still are two clauses.
#[test]
fn two_clauses_never_share_an_id() {
    let mut value = contract_json();
    let mut seen = std::collections::BTreeMap::new();
    let pair = (0..).find_map(|nth: u32| {
        let text = std::format!("less than {nth}");
        let start = sealwright_kernel::Digest::of(text.as_bytes()).to_string()[..8].to_string();
        seen.insert(start, nth).map(|first| (first, nth))
    });
    let (first, second) = pair.unwrap();
    let texts = [first, second].map(|nth| std::format!("less than {nth}"));
    value["inputs"][0]["constraints"] = json!(texts);
    let contract = contract_of(&value);
    let all = ids(&contract);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    assert!(all[2].ends_with("-2"), "{}", all[2]);
}

#[test]
fn each_clause_without_a_test_is_named() {
    let contract = contract();
    let whole = full_claim(&contract);
    let found = coverage(&contract, &whole, &names(&whole), &none());
    assert_eq!((found.uncovered.len(), found.unknown.len(), found.not_passed.len()), (0, 0, 0));
    for (nth, clause) in clauses(&contract).into_iter().enumerate() {
        let mut claim = whole.clone();
        claim.tests.remove(nth);
        let found = coverage(&contract, &claim, &names(&whole), &none());
        assert_eq!(found.uncovered, std::slice::from_ref(&clause));
        // A test that is there and did not pass covers nothing either.
        let mut passed = names(&whole);
        passed.remove(&whole.tests[nth].name);
        let found = coverage(&contract, &whole, &passed, &none());
        assert_eq!(found.uncovered, std::slice::from_ref(&clause));
        assert_eq!(found.not_passed, [whole.tests[nth].name.clone()]);
        assert_eq!(found.tests[&clause.id], [""; 0]);
    }
}

#[test]
fn only_modes_are_proven_by_extraction_alone() {
    let contract = contract();
    let nothing = CoverageClaim { tests: Vec::new() };
    let all = Dimension::ALL.into_iter().collect();
    let left = coverage(&contract, &nothing, &BTreeSet::new(), &all).uncovered;
    assert_eq!(left.len(), clauses(&contract).len() - 1);
    assert!(left.iter().all(|it| it.kind != ClauseKind::Mode));
}

#[test]
fn a_claim_for_a_clause_that_is_not_there_is_reported() {
    let contract = contract();
    let mut claim = full_claim(&contract);
    claim.tests[0].clauses.push("error_surfaces/Nope".into());
    let found = coverage(&contract, &claim, &names(&claim), &none());
    assert_eq!(found.unknown, [("test_0".to_string(), "error_surfaces/Nope".to_string())]);
}

#[test]
fn a_claim_is_read_strictly() {
    let claim = full_claim(&contract());
    let text = serde_json::to_vec(&claim).unwrap();
    assert_eq!(CoverageClaim::parse(&text), Ok(claim));
    let bad = [
        (json!({}), "$.tests"),
        (json!({"tests": [{"name": "a", "clauses": []}, {"name": "a", "clauses": []}]}), "$.tests"),
        (json!({"tests": [{"name": "", "clauses": []}]}), "$.tests[0].name"),
        (json!({"tests": [{"name": "a", "clauses": [3]}]}), "$.tests[0].clauses[0]"),
        (
            json!({"tests": [{"name": "a", "clauses": ["purpose", "purpose"]}]}),
            "$.tests[0].clauses",
        ),
        (json!({"tests": [{"name": "a", "clauses": [], "passed": true}]}), "$.tests[0]"),
    ];
    for (value, path) in bad {
        let refused = CoverageClaim::parse(value.to_string().as_bytes()).unwrap_err();
        assert_eq!(refused.list()[0].path, path, "{value}");
    }
    let many = |count: usize| {
        let tests: Vec<_> =
            (0..count).map(|nth| json!({"name": std::format!("t{nth}"), "clauses": []})).collect();
        CoverageClaim::parse(json!({ "tests": tests }).to_string().as_bytes())
    };
    assert!(many(TESTS_MAX).is_ok() && many(TESTS_MAX + 1).is_err());
}
