use serde_json::{Value, json};

use super::*;

fn report() -> Value {
    json!({
        "query": "limit requests",
        "candidates_considered": [{"module_ref": "MM-gate@1.0.0", "why_rejected": "per process"}],
        "conclusion": "CREATE_NEW",
        "justification": "nothing limits per tenant",
    })
}

fn read(value: Value) -> Option<Result<(), InvalidReport>> {
    serde_json::from_value::<ReuseSearchReport>(value).ok().map(|report| report.check())
}

/// Proves: F-INDEX-017
#[test]
fn a_report_has_every_field_of_the_schema_and_no_other() {
    assert_eq!(read(report()), Some(Ok(())));
    for field in ["query", "candidates_considered", "conclusion", "justification"] {
        let mut cut = report();
        cut.as_object_mut().unwrap().remove(field);
        assert_eq!(read(cut), None, "{field}");
    }
    for (field, value) in [("color", json!(1)), ("conclusion", json!("REUSE")), ("query", json!(1))]
    {
        let mut other = report();
        other[field] = value;
        assert_eq!(read(other), None, "{field}");
    }
    let mut reuse = report();
    reuse["conclusion"] = json!("REUSE_EXISTING");
    reuse["candidates_considered"] = json!([]);
    reuse["module_id"] = json!("MM-limiter");
    assert_eq!(read(reuse), Some(Ok(())));
}

#[test]
fn a_report_without_substance_is_refused() {
    let with = |path: &str, value: Value| {
        let mut changed = report();
        *changed.pointer_mut(path).unwrap() = value;
        read(changed).unwrap().is_ok()
    };
    assert!(!with("/query", json!(" ")));
    assert!(!with("/justification", json!("")));
    assert!(!with("/candidates_considered/0/why_rejected", json!("")));
    assert!(!with("/candidates_considered/0/module_ref", json!("T-limiter@1.0.0")));
    assert!(with("/query", json!("x".repeat(PURPOSE_BYTES_MAX))));
    assert!(!with("/query", json!("x".repeat(PURPOSE_BYTES_MAX + 1))));
    let many = |count| {
        let one = report()["candidates_considered"][0].clone();
        with("/candidates_considered", Value::from(vec![one; count]))
    };
    assert!(many(ITEMS_MAX) && !many(ITEMS_MAX + 1));
    let mut named = report();
    named["module_id"] = json!("limiter");
    assert!(read(named).unwrap().is_err());
}
