//! The gate after Verify, from what the verifier ran and the runner recorded.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Evaluation;
use super::build::TestRun;
use super::checks::Checks;
use crate::scope::Criterion;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VerifyFacts {
    /// The criteria of the scope.
    pub criteria: Vec<Criterion>,
    /// The truths of the readiness.
    pub truths: Vec<String>,
    /// The performer runs all tests.
    pub tests: Option<TestRun>,
    /// Whether the program started and answered on the machine of the performer.
    pub runs_locally: Option<bool>,
    /// What was recorded for criteria and truths.
    pub evidence: Vec<Evidence>,
    /// The scans that were made.
    pub scans: Option<BTreeSet<SecurityScan>>,
    /// The critical security issues that the scans found.
    pub critical_issues: Option<Vec<String>>,
    /// Whether the deployment configuration is that of the target in scope.md.
    pub deploy_config: Option<bool>,
    /// The criteria whose link from scope to test to runtime proof does not hold any more.
    pub broken_links: Option<Vec<String>>,
}

/// One command that the runner started, and what it showed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Evidence {
    /// The id of a criterion, or the text of a truth.
    pub subject: String,
    /// The exact command that the runner started.
    pub command: Option<String>,
    /// The digest of the output that the runner captured.
    pub output: Option<String>,
    /// Whether the output shows that the subject holds.
    pub holds: Option<bool>,
    /// Whether the command exercised the running program, not only its tests.
    pub by_running: Option<bool>,
    /// Whether it was a load test at the stated concurrency.
    pub under_load: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecurityScan {
    Secrets,
    /// Cross-site scripting, SQL injection and cross-site request forgery.
    Injection,
    Authentication,
    DependencySources,
}

pub fn verify(facts: &VerifyFacts) -> Evaluation {
    let mut checks = Checks::new("verify facts");
    let known = (!facts.criteria.is_empty()).then_some(true);
    checks.check("verify.criteria", known, "", "read the criteria of scope.md");
    checks.check(
        "verify.tests",
        facts.tests.map(TestRun::holds),
        "a test fails, or there is none",
        "repair the failing tests",
    );
    checks.check(
        "verify.runs-locally",
        facts.runs_locally,
        "the program does not run locally",
        "repair the start of the program",
    );
    let ran = facts
        .evidence
        .iter()
        .any(|it| it.is_complete() && it.by_running == Some(true) && facts.is_criterion(it));
    checks.check(
        "verify.exercised",
        Some(ran),
        "no criterion was verified by running the program",
        "run the program against a criterion",
    );
    evidence(facts, &mut checks);
    security(facts, &mut checks);
    checks.check(
        "verify.deploy-config",
        facts.deploy_config,
        "the deployment configuration is not that of the target",
        "correct the configuration",
    );
    let broken = facts.broken_links.as_ref().map(|it| it.iter().map(String::as_str).collect());
    checks.none_of(
        "verify.links",
        broken,
        "broken links from scope to test to proof",
        "restore the links",
    );
    checks.finish()
}

fn evidence(facts: &VerifyFacts, checks: &mut Checks) {
    let failed = facts.evidence.iter().filter(|it| it.holds == Some(false));
    let failed = failed.map(|it| it.subject.as_str()).collect();
    checks.none_of(
        "verify.held",
        Some(failed),
        "not met",
        "repair the program; the verifier repairs nothing",
    );
    let criteria: Vec<&str> = facts.criteria.iter().map(|it| it.id.as_str()).collect();
    let without = facts.without_evidence(&criteria);
    checks.none_of("verify.evidence", without, "criteria without evidence", RECORD);
    let truths: Vec<&str> = facts.truths.iter().map(String::as_str).collect();
    let without = facts.without_evidence(&truths);
    checks.none_of("verify.truths", without, "truths without evidence", RECORD);
    let under_load: Vec<&Criterion> = facts.criteria.iter().filter(|it| it.needs_load).collect();
    let has_load = |id: &str| {
        let own = facts.evidence.iter().filter(|it| it.subject == id && it.is_complete());
        own.into_iter().any(|it| it.under_load == Some(true))
    };
    let without = under_load.into_iter().filter(|it| !has_load(&it.id)).map(|it| it.id.as_str());
    let without = (!criteria.is_empty()).then(|| without.collect());
    checks.none_of(
        "verify.load",
        without,
        "criteria without a load test",
        "run a load test at the stated concurrency",
    );
}

fn security(facts: &VerifyFacts, checks: &mut Checks) {
    let scanned = facts.scans.as_ref();
    let scanned = scanned.map(|it| SecurityScan::ALL.iter().all(|scan| it.contains(scan)));
    checks.check(
        "verify.scans",
        scanned,
        "a security scan is missing",
        "scan for secrets, injection, authentication and dependency sources",
    );
    let issues = facts.critical_issues.as_ref().map(|it| it.iter().map(String::as_str).collect());
    checks.none_of("verify.security", issues, "critical security issues", "repair them");
}

impl VerifyFacts {
    fn is_criterion(&self, evidence: &Evidence) -> bool {
        self.criteria.iter().any(|it| it.id == evidence.subject)
    }

    /// The subjects that no complete record speaks of. No subjects at all cannot be told.
    fn without_evidence<'f>(&self, subjects: &[&'f str]) -> Option<Vec<&'f str>> {
        let complete: BTreeSet<&str> = self
            .evidence
            .iter()
            .filter(|it| it.is_complete())
            .map(|it| it.subject.as_str())
            .collect();
        let without = subjects.iter().copied().filter(|it| !complete.contains(it));
        (!subjects.is_empty()).then(|| without.collect())
    }
}

impl Evidence {
    /// The command, its output and what it shows are all there.
    fn is_complete(&self) -> bool {
        let is_said = |it: &Option<String>| it.as_ref().is_some_and(|it| !it.trim().is_empty());
        is_said(&self.command) && is_said(&self.output) && self.holds == Some(true)
    }
}

impl SecurityScan {
    pub const ALL: [Self; 4] =
        [Self::Secrets, Self::Injection, Self::Authentication, Self::DependencySources];
}

const RECORD: &str = "record the exact command and its output";

#[cfg(test)]
mod tests;
