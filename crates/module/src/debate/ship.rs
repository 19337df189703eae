//! The ship check: the surface of the tree equals the locked contract, then every test passes.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use sealwright_kernel::Timestamp;
use serde::{Deserialize, Serialize};

use super::answer::Defect;
use super::dossier::is_name;

/// What a run of all tests left behind, written by the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExecutionLog {
    pub module_id: String,
    pub module_version: String,
    /// When the run began.
    pub executed_at: Timestamp,
    pub tests: Vec<LoggedTest>,
    pub summary: Summary,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoggedTest {
    pub name: String,
    pub result: TestResult,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// A skipped or timed out test is a failed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TestResult {
    Pass,
    Fail,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    pub total: u32,
    pub passed: u32,
    pub failed: u32,
}

/// Whether a log that has its form lets a module ship.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogVerdict {
    Passed,
    /// Nothing was tested.
    NoTests,
    /// These tests failed.
    Failed {
        tests: Vec<String>,
    },
}

impl ExecutionLog {
    /// Checks that it is a log of `module_id` at `version` and agrees with itself.
    pub fn check(&self, module_id: &str, version: &str) -> Result<LogVerdict, Defect> {
        if self.module_id != module_id || self.module_version != version {
            let wrong = "it is about another module version";
            return Err(Defect::new("module_id", wrong, format!("log {module_id}@{version}")));
        }
        if self.tests.len() > TESTS_MAX {
            let wrong = format!("it has {} entries", self.tests.len());
            return Err(Defect::new("tests", wrong, format!("use at most {TESTS_MAX}")));
        }
        let mut names = BTreeSet::new();
        for (nth, test) in self.tests.iter().enumerate() {
            let path = format!("tests[{nth}].name");
            if !is_name(&test.name) {
                return Err(Defect::new(path, "it is no name", "name the test in one line"));
            }
            if !names.insert(&test.name) {
                return Err(Defect::new(path, "it is named twice", "name each test once"));
            }
        }
        let failed: Vec<String> = self.tests.iter().filter(is_failed).map(name).collect();
        let counted = [self.tests.len(), self.tests.len() - failed.len(), failed.len()];
        let Summary { total, passed, failed: fails } = self.summary;
        let said = [("total", total), ("passed", passed), ("failed", fails)];
        for ((field, said), counted) in said.into_iter().zip(counted) {
            if usize::try_from(said) != Ok(counted) {
                let wrong = format!("it says {said}");
                let mend = format!("the tests count {counted}");
                return Err(Defect::new(format!("summary.{field}"), wrong, mend));
            }
        }
        Ok(match (self.tests.is_empty(), failed.is_empty()) {
            (true, _) => LogVerdict::NoTests,
            (false, true) => LogVerdict::Passed,
            (false, false) => LogVerdict::Failed { tests: failed },
        })
    }
}

fn is_failed(test: &&LoggedTest) -> bool {
    test.result == TestResult::Fail
}

fn name(test: &LoggedTest) -> String {
    test.name.clone()
}

pub const TESTS_MAX: usize = 10_000;

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString as _;
    use std::vec;

    fn log(results: &[(&str, TestResult)], summary: (u32, u32, u32)) -> ExecutionLog {
        let logged = |(name, result): &(&str, TestResult)| LoggedTest {
            name: name.to_string(),
            result: *result,
            duration_ms: None,
        };
        let (total, passed, failed) = summary;
        ExecutionLog {
            module_id: "MM-x".into(),
            module_version: "1.0.0".into(),
            executed_at: Timestamp::default(),
            tests: results.iter().map(logged).collect(),
            summary: Summary { total, passed, failed },
        }
    }

    fn said(log: &ExecutionLog) -> Result<LogVerdict, String> {
        log.check("MM-x", "1.0.0").map_err(|it| it.to_string())
    }

    /// Proves: F-CONTRACT-038, F-CONTRACT-039
    #[test]
    fn a_log_agrees_with_itself_or_is_refused() {
        use TestResult::{Fail, Pass};
        assert_eq!(said(&log(&[("a", Pass), ("b", Pass)], (2, 2, 0))), Ok(LogVerdict::Passed));
        assert_eq!(said(&log(&[], (0, 0, 0))), Ok(LogVerdict::NoTests));
        let failed = LogVerdict::Failed { tests: vec!["b".into()] };
        assert_eq!(said(&log(&[("a", Pass), ("b", Fail)], (2, 1, 1))), Ok(failed));
        let refused =
            |tests: &[(&str, TestResult)], summary| said(&log(tests, summary)).unwrap_err();
        assert_eq!(
            refused(&[("a", Pass)], (2, 1, 0)),
            "summary.total: it says 2; the tests count 1"
        );
        assert_eq!(
            refused(&[("a", Fail)], (1, 1, 1)),
            "summary.passed: it says 1; the tests count 0"
        );
        assert_eq!(
            refused(&[("a", Fail)], (1, 0, 0)),
            "summary.failed: it says 0; the tests count 1"
        );
        assert_eq!(
            refused(&[("a", Pass), ("a", Pass)], (2, 2, 0)),
            "tests[1].name: it is named twice; name each test once"
        );
        let other = log(&[("a", Pass)], (1, 1, 0)).check("MM-y", "1.0.0");
        assert_eq!(other.unwrap_err().path, "module_id");
    }

    /// Proves in part: F-CONTRACT-037
    #[test]
    fn a_test_passes_or_fails_and_nothing_else() {
        let stored = serde_json::to_string(&log(&[("a", TestResult::Pass)], (1, 1, 0))).unwrap();
        assert!(serde_json::from_str::<ExecutionLog>(&stored).is_ok());
        for (from, to) in [
            (r#""PASS""#, r#""SKIP""#),
            (r#""PASS""#, r#""pass""#),
            (r#""total":1,"#, ""),
            (r#""module_id":"MM-x","#, ""),
            (r#""name":"a","#, r#""name":"a","note":"","#),
        ] {
            let bent = stored.replace(from, to);
            assert_ne!(bent, stored);
            assert!(serde_json::from_str::<ExecutionLog>(&bent).is_err(), "{bent}");
        }
    }

    #[test]
    fn a_log_is_bounded() {
        let of = |count: usize| {
            let tests = (0..count).map(|nth| LoggedTest {
                name: std::format!("t{nth}"),
                result: TestResult::Pass,
                duration_ms: None,
            });
            let count = u32::try_from(count).unwrap();
            ExecutionLog { tests: tests.collect(), ..log(&[], (count, count, 0)) }
        };
        assert_eq!(said(&of(TESTS_MAX)), Ok(LogVerdict::Passed));
        assert!(said(&of(TESTS_MAX + 1)).is_err());
    }
}
