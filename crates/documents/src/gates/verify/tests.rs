use super::super::TestRun;
use super::{Evidence, SecurityScan, VerifyFacts, verify};
use crate::scope::Criterion;
use crate::tests::{each_breaks, failing, names};

fn evidence(subject: &str) -> Evidence {
    Evidence {
        subject: subject.into(),
        command: Some("curl localhost:8080/report".into()),
        output: Some("sha256:1".into()),
        holds: Some(true),
        by_running: Some(true),
        under_load: Some(false),
    }
}

fn verified() -> VerifyFacts {
    let criterion =
        |id: &str, needs_load| Criterion { id: id.into(), text: "x".into(), line: 1, needs_load };
    VerifyFacts {
        criteria: vec![criterion("AC-1", false), criterion("AC-2", true)],
        truths: names(&["the site answers"]),
        tests: Some(TestRun { passed: 9, failed: 0 }),
        runs_locally: Some(true),
        evidence: vec![
            evidence("AC-1"),
            Evidence { under_load: Some(true), ..evidence("AC-2") },
            evidence("the site answers"),
        ],
        scans: Some(SecurityScan::ALL.into()),
        critical_issues: Some(vec![]),
        deploy_config: Some(true),
        broken_links: Some(vec![]),
    }
}

/// Proves: L-103
/// Proves in part: L-099
#[test]
fn every_condition_of_the_verify_gate_has_a_test() {
    each_breaks(
        &verified(),
        verify,
        &[
            ("verify.tests", &|it| it.tests = Some(TestRun { passed: 0, failed: 0 })),
            ("verify.tests", &|it| it.tests = Some(TestRun { passed: 9, failed: 1 })),
            ("verify.tests?", &|it| it.tests = None),
            ("verify.runs-locally", &|it| it.runs_locally = Some(false)),
            ("verify.runs-locally?", &|it| it.runs_locally = None),
            ("verify.exercised", &|it| {
                it.evidence.iter_mut().for_each(|it| it.by_running = Some(false))
            }),
            ("verify.exercised", &|it| it.evidence.iter_mut().for_each(|it| it.by_running = None)),
            ("verify.held", &|it| {
                it.evidence.push(Evidence { holds: Some(false), ..evidence("AC-1") })
            }),
            ("verify.evidence", &|it| _ = it.evidence.remove(0)),
            ("verify.evidence", &|it| it.evidence[0].command = None),
            ("verify.evidence", &|it| it.evidence[0].command = Some(" ".into())),
            ("verify.evidence", &|it| it.evidence[0].output = None),
            ("verify.evidence", &|it| it.evidence[0].holds = None),
            ("verify.truths", &|it| _ = it.evidence.remove(2)),
            ("verify.load", &|it| it.evidence[1].under_load = None),
            ("verify.scans", &|it| _ = it.scans.as_mut().unwrap().pop_first()),
            ("verify.scans?", &|it| it.scans = None),
            ("verify.security", &|it| it.critical_issues = Some(names(&["SQL injection"]))),
            ("verify.security?", &|it| it.critical_issues = None),
            ("verify.deploy-config", &|it| it.deploy_config = Some(false)),
            ("verify.deploy-config?", &|it| it.deploy_config = None),
            ("verify.links", &|it| it.broken_links = Some(names(&["AC-1"]))),
            ("verify.links?", &|it| it.broken_links = None),
        ],
    );
    for scan in SecurityScan::ALL {
        let scans = SecurityScan::ALL.into_iter().filter(|it| *it != scan).collect();
        assert!(!verify(&VerifyFacts { scans: Some(scans), ..verified() }).passes());
    }
}

#[test]
fn without_criteria_or_truths_the_verify_gate_cannot_tell() {
    let facts = VerifyFacts { criteria: vec![], ..verified() };
    let expected = ["verify.criteria?", "verify.exercised", "verify.evidence?", "verify.load?"];
    assert_eq!(failing(&verify(&facts)), expected);
    let facts = VerifyFacts { truths: vec![], ..verified() };
    assert_eq!(failing(&verify(&facts)), ["verify.truths?"]);
}
