use super::*;
use crate::kinds::story::captured;

#[test]
fn what_ruff_leaves_is_read() {
    assert_eq!(read(&captured("ruff-green.out")), Ok(Log::default()));
    let log = read(&captured("ruff-red.out")).unwrap();
    let told: Vec<String> =
        log.found.iter().map(|found| format!("{} {}", found.rule, found.what)).collect();
    assert_eq!(
        told,
        ["I001 Import block is un-sorted or un-formatted", "F401 `os` imported but unused"]
    );
    assert!(log.found[0].place.ends_with("lint.py:1"), "{:?}", log.found[0]);
    assert_eq!(log.found[0].weight, Weight::Counts);
}

#[test]
fn a_log_says_what_counts_and_what_does_not() {
    let log = |results: &str| {
        let text = format!(
            r#"{{"version":"2.1.0","runs":[{{"tool":{{"driver":{{"name":"a"}}}},"results":[{results}]}}]}}"#
        );
        read(text.as_bytes())
            .map(|log| log.found.into_iter().map(|found| found.weight).collect::<Vec<_>>())
    };
    assert_eq!(log(""), Ok(vec![]));
    assert_eq!(log(r#"{"message":{"text":"a"}}"#), Ok(vec![Weight::Counts]));
    assert_eq!(log(r#"{"level":"note"}"#), Ok(vec![Weight::Note]));
    assert_eq!(log(r#"{"level":"error","kind":"pass"}"#), Ok(vec![Weight::Note]));
    assert_eq!(log(r#"{"level":"error","suppressions":[{"kind":"inSource"}]}"#), Ok(vec![]));
    assert_eq!(log(r#"{"level":"error","suppressions":[]}"#), Ok(vec![Weight::Counts]));
    assert!(log(r#"{"level":"terrible"}"#).is_err());
}

#[test]
fn a_log_of_nothing_is_no_log() {
    for text in [
        "{}",
        r#"{"version":"2.1.0"}"#,
        r#"{"version":"2.1.0","runs":[]}"#,
        r#"{"version":"1.0.0","runs":[{"tool":{"driver":{"name":"a"}},"results":[]}]}"#,
        r#"{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"a"}}}]}"#,
        r#"{"version":"2.1.0","runs":[{"results":[]}]}"#,
    ] {
        assert!(read(text.as_bytes()).is_err(), "{text}");
    }
    let failed = r#"{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"a"}},"invocations":[{"executionSuccessful":false}],"results":[]}]}"#;
    assert_eq!(read(failed.as_bytes()).unwrap().odd, ["the tool says that it did not end well"]);
}
