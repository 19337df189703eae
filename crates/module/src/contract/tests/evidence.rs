//! Ship evidence and execution logs.

use std::format;
use std::string::{String, ToString as _};
use std::vec::Vec;

use serde_json::{Value, json};

use crate::contract::*;
use crate::testing::contract;

fn ship() -> Value {
    json!({
        "module_id": "MM-limiter",
        "module_version": "1.0.0",
        "ship_id": "SHIP-1a2b3c4d",
        "verified_at": "2026-01-31T12:00:00Z",
        "verification": {
            "result": "PASS",
            "interface_fingerprint": contract().fingerprint().to_string(),
            "evidence_ref": "modules/MM-limiter/1.0.0/tests/execution_log.json"
        },
        "environment": {
            "repo_revision": "0f1e2d3c",
            "dependency_lock_ref": "dependency_lock.json",
            "runner_id": "runner-1"
        }
    })
}

fn log() -> Value {
    json!({
        "module_id": "MM-limiter",
        "module_version": "1.0.0",
        "executed_at": "2026-01-31T12:00:00.25Z",
        "tests": [
            {"name": "allows the first call", "result": "PASS", "duration_ms": 1.5},
            {"name": "refuses a long tenant", "result": "PASS"}
        ],
        "summary": {"total": 2, "passed": 2, "failed": 0}
    })
}

fn paths(refused: Result<impl Sized, Problems>) -> Vec<String> {
    match refused {
        Ok(_) => Vec::new(),
        Err(problems) => problems.list().iter().map(|it| it.path.clone()).collect(),
    }
}

fn ship_paths(change: impl FnOnce(&mut Value)) -> Vec<String> {
    let mut value = ship();
    change(&mut value);
    paths(ShipEvidence::parse(value.to_string().as_bytes()))
}

fn log_paths(change: impl FnOnce(&mut Value)) -> Vec<String> {
    let mut value = log();
    change(&mut value);
    paths(ExecutionLog::parse(value.to_string().as_bytes()))
}

fn remove(value: &mut Value, field: &str) {
    assert!(value.as_object_mut().unwrap().remove(field).is_some());
}

/// Proves: F-CONTRACT-027, F-CONTRACT-028
/// Proves in part: F-CONTRACT-029
#[test]
fn ship_evidence_has_every_field() {
    let evidence = ShipEvidence::parse(ship().to_string().as_bytes()).unwrap();
    assert_eq!(serde_json::to_value(&evidence).unwrap(), ship());
    let places = [
        (
            "",
            &[
                "module_id",
                "module_version",
                "ship_id",
                "verified_at",
                "verification",
                "environment",
            ][..],
        ),
        ("/verification", &["result", "interface_fingerprint", "evidence_ref"]),
        ("/environment", &["repo_revision", "dependency_lock_ref", "runner_id"]),
    ];
    for (place, fields) in places {
        for field in fields {
            let found = ship_paths(|it| remove(it.pointer_mut(place).unwrap(), field));
            assert_eq!(
                found,
                [format!(
                    "$.{}{field}",
                    place.trim_start_matches('/').to_string()
                        + if place.is_empty() { "" } else { "." }
                )]
            );
        }
    }
    for bad in ["SHIP-1", "SHIP-1A2B3C4D", "CP-1a2b3c4d", "ship"] {
        assert_eq!(ship_paths(|it| it["ship_id"] = json!(bad)), ["$.ship_id"]);
    }
    for bad in ["pass", "ERROR", ""] {
        assert_eq!(
            ship_paths(|it| it["verification"]["result"] = json!(bad)),
            ["$.verification.result"]
        );
    }
    assert!(ship_paths(|it| it["verification"]["result"] = json!("FAIL")).is_empty());
    let digest = contract().fingerprint().to_string();
    for bad in [&digest[1..], &digest.to_uppercase(), ""] {
        let found = ship_paths(|it| it["verification"]["interface_fingerprint"] = json!(bad));
        assert_eq!(found, ["$.verification.interface_fingerprint"]);
    }
    let more = |it: &mut Value| {
        it["test_summary"] = json!({"total": 2, "passed": 2, "failed": 0});
        it["binding_fingerprint"] = json!(digest);
    };
    assert!(ship_paths(more).is_empty());
    assert_eq!(ship_paths(|it| it["approved"] = json!(true)), ["$"]);
}

#[test]
fn a_time_is_in_utc_and_has_one_form() {
    let with = |time: &str| ship_paths(|it| it["verified_at"] = json!(time));
    for good in ["2026-01-31T12:00:00Z", "2026-12-01T23:59:60Z", "2026-01-31T12:00:00.123456789Z"] {
        assert!(with(good).is_empty(), "{good}");
    }
    let bad = [
        "yesterday",
        "2026-01-31",
        "2026-01-31T12:00:00",
        "2026-01-31T12:00:00+01:00",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-01-32T00:00:00Z",
        "2026-01-31T24:00:00Z",
        "2026-01-31T12:60:00Z",
        "2026-01-31T12:00:00.Z",
        "2026-01-31T12:00:00.1234567890Z",
        "é026-01-31T12:00:00Z",
        "+026-01-31T12:00:00Z",
        "2026-01-31T12:00:00,5Z",
    ];
    for bad in bad {
        assert_eq!(with(bad), ["$.verified_at"], "{bad}");
    }
}

/// Proves: F-CONTRACT-037
#[test]
fn a_log_has_every_field() {
    let read = ExecutionLog::parse(log().to_string().as_bytes()).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), log());
    for field in ["module_id", "module_version", "executed_at", "tests", "summary"] {
        assert_eq!(log_paths(|it| remove(it, field)), [format!("$.{field}")]);
    }
    for field in ["name", "result"] {
        assert_eq!(
            log_paths(|it| remove(&mut it["tests"][0], field)),
            [format!("$.tests[0].{field}")]
        );
    }
    for field in ["total", "passed", "failed"] {
        assert_eq!(
            log_paths(|it| remove(&mut it["summary"], field)),
            [format!("$.summary.{field}")]
        );
    }
    for bad in ["SKIP", "ERROR", "pass"] {
        assert_eq!(log_paths(|it| it["tests"][1]["result"] = json!(bad)), ["$.tests[1].result"]);
    }
    for bad in [json!(-1), json!("1s"), json!(1e16)] {
        assert_eq!(log_paths(|it| it["tests"][0]["duration_ms"] = bad), ["$.tests[0].duration_ms"]);
    }
    assert_eq!(
        log_paths(|it| it["tests"][1]["name"] = it["tests"][0]["name"].clone()),
        ["$.tests"]
    );
    let none = |it: &mut Value| {
        it["tests"] = json!([]);
        it["summary"] = json!({"total": 0, "passed": 0, "failed": 0});
    };
    assert_eq!(log_paths(none), ["$.tests"]);
}

/// Proves: F-CONTRACT-039
#[test]
fn a_summary_counts_its_tests() {
    for wrong in [(1, 1, 0), (3, 2, 0), (2, 1, 1), (2, 2, 1), (0, 0, 0)] {
        let (total, passed, failed) = wrong;
        let summary = json!({"total": total, "passed": passed, "failed": failed});
        assert_eq!(log_paths(|it| it["summary"] = summary), ["$.summary"], "{wrong:?}");
    }
    let failing = |it: &mut Value| {
        it["tests"][1]["result"] = json!("FAIL");
        it["summary"] = json!({"total": 2, "passed": 1, "failed": 1});
    };
    assert!(log_paths(failing).is_empty());
}

/// Proves in part: F-CONTRACT-040
#[test]
fn a_failed_test_keeps_a_module_from_shipping() {
    let mut value = log();
    assert!(ExecutionLog::parse(value.to_string().as_bytes()).unwrap().lets_ship());
    value["tests"][0]["result"] = json!("FAIL");
    value["summary"] = json!({"total": 2, "passed": 1, "failed": 1});
    assert!(!ExecutionLog::parse(value.to_string().as_bytes()).unwrap().lets_ship());
}
