//! Exports: evidence in the forms other tools read. Pure: what was kept goes in, text comes out.
//!
//! No export is greener than the verdict it tells of: where a gate did not pass and no test says why, the gate itself
//! stands among the tests as the one that failed. The red run is the exception: its failures are expected, so they are
//! exported as skipped, in suites of their own.

pub mod junit;
pub mod sarif;

use sealwright_kernel::Verdict;

use crate::{Finding, TestResult};

/// One piece of evidence, with what was kept of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exhibit {
    /// Its name, such as `EV-000001`.
    pub evidence: String,
    /// The check, gate or judge it comes from.
    pub check: String,
    pub verdict: Verdict,
    /// Whether this is the red run, whose tests fail because nothing is built yet.
    pub is_red: bool,
    /// The command with its exit, or the role, in one line.
    pub done: String,
    /// The first lines of what was said.
    pub excerpt: String,
    /// How each test ended, where tests were kept.
    pub tests: Vec<TestResult>,
    /// Findings for a person, where any were kept.
    pub findings: Vec<Finding>,
    pub millis: u64,
}

#[cfg(test)]
pub(crate) mod tests {
    use sealwright_kernel::task::ResidueKind;

    use super::*;
    use crate::{Status, TestId};

    pub(crate) fn exhibits() -> Vec<Exhibit> {
        let why = |text: &str| text.to_owned();
        let test = |suite: &str, name: &str, status| TestResult {
            id: TestId { suite: suite.to_owned(), name: name.to_owned() },
            status,
            millis: Some(12),
        };
        let tests = Exhibit {
            evidence: "EV-000001".to_owned(),
            check: "check-tests".to_owned(),
            verdict: Verdict::Fail,
            is_red: false,
            done: "cargo test, exit 101".to_owned(),
            excerpt: "running 4 tests".to_owned(),
            tests: vec![
                test("limits", "two_tenants", Status::Passed),
                test("limits", "starves", Status::Failed { why: why("left: 1\nright: <2>") }),
                test("header", "is_told", Status::Broken { why: why("it did not compile") }),
                test("header", "on_windows", Status::Skipped { why: why("not here") }),
            ],
            findings: vec![],
            millis: 1_200,
        };
        let audit = Exhibit {
            evidence: "EV-000002".to_owned(),
            check: "check-audit".to_owned(),
            verdict: Verdict::Pass,
            is_red: false,
            done: "cargo deny check, exit 0".to_owned(),
            excerpt: "advisories ok".to_owned(),
            tests: vec![],
            findings: vec![
                Finding {
                    kind: ResidueKind::Security,
                    rule: "RUSTSEC-2024-0001".to_owned(),
                    place: "openssl 0.10.1".to_owned(),
                    what: "it can be made to read too far".to_owned(),
                },
                Finding {
                    kind: ResidueKind::Architecture,
                    rule: String::new(),
                    place: "src/limiter.rs:12".to_owned(),
                    what: "the limiter knows the database".to_owned(),
                },
            ],
            millis: 300,
        };
        let lost = Exhibit {
            evidence: "EV-000003".to_owned(),
            check: "challenge".to_owned(),
            verdict: Verdict::CannotTell,
            is_red: false,
            done: "challenger, INV-000007".to_owned(),
            excerpt: "no answer".to_owned(),
            tests: vec![],
            findings: vec![],
            millis: 0,
        };
        vec![tests, audit, lost]
    }
}
