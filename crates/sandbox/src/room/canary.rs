//! The canary: one more test in every frozen test file, which must fail.
//!
//! Code under test that ends the process, or rewrites how tests are judged, makes it pass, and is seen. The canary
//! has to be in the files that use the code: what is not used is not even linked.

use crate::Outcome;
use crate::room::Visit;
use crate::room::material::Material;
use crate::room::outcome::Canary;

/// The same material with the canary in every test file.
pub(crate) fn add(material: &Material, tests: &[&str], canary: &str) -> Material {
    let mut material = material.clone();
    for test in tests {
        if let Some(content) = material.frozen.get_mut(*test) {
            content.extend_from_slice(canary.as_bytes());
        }
    }
    material
}

/// How it ended, in every test file.
pub(crate) fn judge(
    visit: &Visit,
    tests: &[&str],
    has_failed: impl Fn(&Outcome, &str) -> bool,
) -> Canary {
    for test in tests {
        let Some(run) = visit.runs.iter().find(|run| run.tests.iter().any(|one| one == test))
        else {
            return passed(test, "it was not run".to_owned());
        };
        if !has_failed(&run.outcome, test) {
            return passed(test, format!("`{}` ended with {:?}", run.name, run.outcome.ended));
        }
    }
    Canary::Failed
}

fn passed(test: &str, why: String) -> Canary {
    Canary::Passed { test: test.to_owned(), why }
}
