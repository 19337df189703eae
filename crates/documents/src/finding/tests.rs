use super::{FINDINGS_MAX, Finding, Findings};

#[test]
fn a_finding_is_stored_and_read() {
    let mut findings = Findings::new("scope", "scope.md");
    findings.add("scope.tier", 3, "no tier", "write one");
    let found = findings.finish();
    let stored = serde_json::to_string(&found).unwrap();
    assert_eq!(serde_json::from_str::<Vec<Finding>>(&stored).unwrap(), found);
}

#[test]
fn findings_stop_at_their_bound() {
    let count = |count: usize| {
        let mut findings = Findings::new("scope", "scope.md");
        (0..count).for_each(|_| findings.add("scope.tier", 3, "no tier", "write one"));
        findings.finish().len()
    };
    assert_eq!(count(FINDINGS_MAX), FINDINGS_MAX);
    assert_eq!(count(FINDINGS_MAX + 1), FINDINGS_MAX + 1);
    assert_eq!(count(FINDINGS_MAX + 9), FINDINGS_MAX + 1);
}
