//! Judgements: what a gate says in the end.

use std::collections::BTreeMap;

use sealwright_kernel::task::ResidueKind;
use sealwright_kernel::{Cheat, Verdict};
use serde::{Deserialize, Serialize};

use crate::{TestId, TestResult};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    pub verdict: Verdict,
    /// Why it is no pass, the most telling first. Empty for a pass.
    pub because: Vec<String>,
    pub tests: Vec<TestResult>,
    /// Cheats that left a trace: the place, and what stands there.
    pub cheats: Vec<(Cheat, String)>,
    pub findings: Vec<Finding>,
    /// Tests of the project that it did not run, in a few words each.
    #[serde(default)]
    pub not_run: Vec<String>,
    /// Tests that it ran in one process with the code they judge, each with the reason.
    #[serde(default)]
    pub shared: Vec<String>,
}

/// A finding that no test can settle. A person decides about it, whatever the verdict is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Its kind. A security finding is never waived.
    pub kind: ResidueKind,
    pub rule: String,
    /// Where: a path with a line, a package with its version.
    pub place: String,
    pub what: String,
}

impl Finding {
    /// One about how something is made: a person looks at it and may accept it.
    pub fn architecture(rule: &str, place: &str, what: impl Into<String>) -> Self {
        let (rule, place) = (rule.to_owned(), place.to_owned());
        Self { kind: ResidueKind::Architecture, rule, place, what: what.into() }
    }
}

impl Judgement {
    pub fn pass() -> Self {
        Self::of(Verdict::Pass, Vec::new())
    }

    pub fn fail(because: Vec<String>) -> Self {
        Self::of(Verdict::Fail, because)
    }

    pub fn cannot_tell(why: impl Into<String>) -> Self {
        Self::of(Verdict::CannotTell, vec![why.into()])
    }

    /// Both together: the graver verdict counts, and nothing is lost. A test that both ran counts once, with its worse
    /// result.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        let grave = |verdict: Verdict| match verdict {
            Verdict::Pass => 0,
            Verdict::CannotTell => 1,
            Verdict::Fail => 2,
        };
        if grave(other.verdict) > grave(self.verdict) {
            self.verdict = other.verdict;
        }
        self.because.extend(other.because);
        let mut places: BTreeMap<TestId, usize> =
            self.tests.iter().enumerate().map(|(at, test)| (test.id.clone(), at)).collect();
        for test in other.tests {
            match places.get(&test.id) {
                None => {
                    places.insert(test.id.clone(), self.tests.len());
                    self.tests.push(test);
                }
                Some(&at) if test.status.is_worse_than(&self.tests[at].status) => {
                    self.tests[at] = test;
                }
                Some(_) => {}
            }
        }
        self.cheats.extend(other.cheats);
        self.findings.extend(other.findings);
        self.not_run.extend(other.not_run);
        self.shared.extend(other.shared);
        self
    }

    /// The same, with the results it rests on.
    #[must_use]
    pub fn with_tests(mut self, tests: Vec<TestResult>) -> Self {
        self.tests = tests;
        self
    }

    fn of(verdict: Verdict, because: Vec<String>) -> Self {
        Self {
            verdict,
            because,
            tests: Vec::new(),
            cheats: Vec::new(),
            findings: Vec::new(),
            not_run: Vec::new(),
            shared: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Status;

    #[test]
    fn a_test_that_two_runs_tell_of_counts_once_with_its_worse_result() {
        let result = |suite: &str, name: &str, status| TestResult {
            id: TestId { suite: suite.to_owned(), name: name.to_owned() },
            status,
            millis: None,
        };
        let failed = Status::Failed { why: "1 is not 2".to_owned() };
        let first = Judgement::pass().with_tests(vec![
            result("fees", "a", Status::Passed),
            result("fees", "b", Status::Passed),
        ]);
        let second = Judgement::fail(vec!["b fails".to_owned()]).with_tests(vec![
            result("fees", "a", Status::Passed),
            result("fees", "b", failed.clone()),
            result("days", "a", Status::Passed),
        ]);
        let both = first.clone().and(second.clone());
        assert_eq!(both.tests.len(), 3);
        assert_eq!(both.tests[1].status, failed);
        assert_eq!(second.and(first).tests[1].status, failed);
    }
}
