//! Three naive loops. They run a case without a sandbox, then decide.
//!
//! | loop | accepts when |
//! |---|---|
//! | trusting | the agent exits with 0 and claims to be done |
//! | testing | the same, and the tests, run in the work tree, exit with 0 |
//! | diffing | the same, and git shows no change to a test file |
//!
//! A loop has a reviewer only if a case brings one, and believes it. None of them keeps a record, so a case that starts
//! after the run does not apply to them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Result, bail};

use crate::actor_script::Claim;
use crate::case::Case;
use crate::checkout::{Checkout, RunResult};
use crate::process::Ran;
use crate::system::{System, Verdict};

#[derive(Debug)]
pub struct Baseline {
    loops: Loop,
    runs: Arc<Runs>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loop {
    Trusting,
    Testing,
    Diffing,
}

/// The results of each case. It runs once for all three loops, which see the same tree.
#[derive(Debug, Default)]
struct Runs {
    ended: Mutex<BTreeMap<String, Arc<Aftermath>>>,
}

/// The state after all actors have finished.
#[derive(Debug)]
struct Aftermath {
    result: RunResult,
    changed: Result<Vec<String>, String>,
    tests: Ran,
}

pub fn all() -> [Baseline; 3] {
    let runs = Arc::new(Runs::default());
    [Loop::Trusting, Loop::Testing, Loop::Diffing]
        .map(|loops| Baseline { loops, runs: Arc::clone(&runs) })
}

impl System for Baseline {
    fn name(&self) -> &str {
        match self.loops {
            Loop::Trusting => "trusting",
            Loop::Testing => "testing",
            Loop::Diffing => "diffing",
        }
    }

    fn judge(&self, case: &Case) -> Result<Verdict> {
        if case.data.beyond.is_some() {
            return Ok(Verdict::NoSuchThing);
        }
        let after = self.runs.of(case)?;
        let steps: &[fn(&Aftermath) -> Option<Verdict>] = match self.loops {
            Loop::Trusting => &[claims],
            Loop::Testing => &[claims, tests],
            Loop::Diffing => &[claims, tests, diff],
        };
        Ok(steps.iter().find_map(|step| step(&after)).unwrap_or(Verdict::Accepted))
    }
}

impl Runs {
    fn of(&self, case: &Case) -> Result<Arc<Aftermath>> {
        // The systems of one case run in sequence, never at once.
        let known =
            self.ended.lock().unwrap_or_else(PoisonError::into_inner).get(&case.id).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let checkout = Checkout::set_up(case)?;
        let result = checkout.run(case)?;
        // The diff comes first, because the tests of a case may change the tree.
        let changed = checkout.changed()?;
        let tests = checkout.test(case.data.limit_s.unwrap_or(LIMIT_S))?;
        if tests.said.contains("No module named pytest") {
            bail!("pytest is not where it should be");
        }
        let after = Arc::new(Aftermath { result, changed, tests });
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        ended.insert(case.id.clone(), Arc::clone(&after));
        Ok(after)
    }
}

fn claims(after: &Aftermath) -> Option<Verdict> {
    match (&after.result.broke_off, after.result.claim) {
        (Some(why), _) => Some(Verdict::refused("exit", why)),
        (None, Claim::Failed) => Some(Verdict::refused("claim", "the agent gave up")),
        (None, Claim::Done) => None,
    }
}

fn tests(after: &Aftermath) -> Option<Verdict> {
    let tests = &after.tests;
    (!tests.is_well())
        .then(|| Verdict::refused("tests", format!("{}\n{}", tests.ended(), tests.said)))
}

fn diff(after: &Aftermath) -> Option<Verdict> {
    match &after.changed {
        Err(why) => Some(Verdict::refused("diff", why)),
        Ok(changed) => {
            let touched: Vec<&str> =
                changed.iter().map(String::as_str).filter(|path| is_test(path)).collect();
            (!touched.is_empty()).then(|| Verdict::refused("diff", touched.join(", ")))
        }
    }
}

/// The test files that a simple script would recognise.
fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    path.split('/').rev().skip(1).any(|folder| folder == "tests")
        || (name.starts_with("test_") && name.ends_with(".py"))
        || name.ends_with("_test.rs")
        || name.ends_with("_test.py")
}

const LIMIT_S: u32 = 180;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_files_are_known_by_their_names() {
        for path in ["tests/a.rs", "report/tests/deep/x", "test_a.py", "src/b_test.rs"] {
            assert!(is_test(path), "{path}");
        }
        for path in ["src/lib.rs", "conftest.py", "tests", "src/tests.rs", "Cargo.toml"] {
            assert!(!is_test(path), "{path}");
        }
    }
}
