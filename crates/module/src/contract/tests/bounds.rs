//! Every document at the edge of its bounds.

use std::format;
use std::string::{String, ToString as _};
use std::vec::Vec;

use serde_json::{Value, json};

use crate::contract::*;
use crate::plan::*;
use crate::testing::{plan_facts, plan_json};

fn claim() -> Value {
    json!({"tests": [{"name": "a call is counted", "clauses": ["purpose"]}]})
}

fn report() -> Value {
    json!({
        "query": "count events",
        "candidates_considered": [],
        "conclusion": "CREATE_NEW",
        "justification": "nothing counts"
    })
}

fn log(tests: usize) -> Value {
    let test = |nth: usize| json!({"name": format!("test {nth}"), "result": "PASS"});
    json!({
        "module_id": "MM-a",
        "module_version": "1.0.0",
        "executed_at": "2026-01-31T12:00:00Z",
        "tests": (0..tests).map(test).collect::<Value>(),
        "summary": {"total": tests, "passed": tests, "failed": 0}
    })
}

fn ship() -> Value {
    json!({
        "module_id": "MM-a",
        "module_version": "1.0.0",
        "ship_id": "SHIP-1a2b3c4d",
        "verified_at": "2026-01-31T12:00:00Z",
        "verification": {"result": "PASS", "interface_fingerprint": "0".repeat(64), "evidence_ref": "log"},
        "environment": {"repo_revision": "0f", "dependency_lock_ref": "lock", "runner_id": "one"}
    })
}

type Read = fn(&[u8]) -> Result<(), Problems>;

#[test]
fn a_document_may_have_as_many_bytes_as_are_allowed() {
    let cases: [(Value, usize, Read); 6] = [
        (json!({"mode_changes": {"async": true}}), DELTA_BYTES_MAX, |it| {
            ContractDelta::parse(it).map(drop)
        }),
        (claim(), CLAIM_BYTES_MAX, |it| CoverageClaim::parse(it).map(drop)),
        (ship(), SHIP_BYTES_MAX, |it| ShipEvidence::parse(it).map(drop)),
        (log(1), LOG_BYTES_MAX, |it| ExecutionLog::parse(it).map(drop)),
        (report(), REPORT_BYTES_MAX, |it| ReuseSearchReport::parse(it).map(drop)),
        (plan_json(), PLAN_BYTES_MAX, |it| MicroPlan::check(it, &plan_facts()).map(drop)),
    ];
    for (value, most, read) in cases {
        let mut text = value.to_string().into_bytes();
        text.resize(most, b' ');
        assert_eq!(read(&text), Ok(()), "{most}");
        text.push(b' ');
        let refused = read(&text).unwrap_err();
        let expected = format!("the document has {} bytes, more than {most}", most + 1);
        assert_eq!((refused.list().len(), &refused.list()[0].what), (1, &expected));
    }
}

#[test]
fn a_list_may_have_as_many_items_as_are_allowed() {
    let clauses = |count: usize| {
        let mut value = claim();
        value["tests"][0]["clauses"] = (0..count).map(|nth| json!(format!("c{nth}"))).collect();
        CoverageClaim::parse(value.to_string().as_bytes()).map(drop)
    };
    let candidates = |count: usize| {
        let mut value = report();
        let candidate = json!({"module_ref": "MM-a@1.0.0", "why_rejected": "it forgets"});
        value["candidates_considered"] = json!(std::vec![candidate; count]);
        ReuseSearchReport::parse(value.to_string().as_bytes()).map(drop)
    };
    let tests = |count: usize| ExecutionLog::parse(log(count).to_string().as_bytes()).map(drop);
    let criteria = |count: usize| {
        let mut value = plan_json();
        value["modules"][0]["criteria_refs"] = (0..count).collect();
        let facts = PlanFacts { criteria: PLAN_CRITERIA_MAX, ..plan_facts() };
        MicroPlan::check(value.to_string().as_bytes(), &facts).map(drop)
    };
    let depends_on = |count: usize| {
        let mut value = plan_json();
        let names: Vec<String> = (0..count).map(|nth| format!("MM-d{nth}@1.0.0")).collect();
        value["modules"][1]["depends_on"] = json!(names);
        let depend = |nth: usize| json!({"ref": format!("MM-d{nth}@^1"), "why": "it counts"});
        let dependencies = (0..count.min(DEPENDENCIES_MAX)).map(depend);
        value["modules"][1]["contract"]["dependencies"] = dependencies.collect();
        MicroPlan::parse(value.to_string().as_bytes()).map(drop)
    };
    type Count<'c> = &'c dyn Fn(usize) -> Result<(), Problems>;
    let cases: [(usize, Count<'_>); 5] = [
        (CLAUSES_OF_TEST_MAX, &clauses),
        (CANDIDATES_MAX, &candidates),
        (LOG_TESTS_MAX, &tests),
        (PLAN_CRITERIA_MAX, &criteria),
        (DEPENDENCIES_MAX, &depends_on),
    ];
    for (most, read) in cases {
        assert_eq!(read(most), Ok(()), "{most}");
        let refused = read(most + 1).unwrap_err();
        assert!(
            refused.list()[0].what.contains("more than")
                || refused.list()[0].what.contains("from 0 to"),
            "{refused}"
        );
    }
}
