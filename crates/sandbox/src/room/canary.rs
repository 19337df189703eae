//! The canary: one more test in every frozen test file, which must fail.
//!
//! Code under test that ends the process, or rewrites how tests are judged, makes it pass, and is seen. The canary
//! has to be in the files that use the code: what is not used is not even linked.

use std::collections::BTreeMap;

use crate::room::material::Material;
use crate::room::outcome::Canary;
use crate::room::visit::{Only, Visit};
use crate::{Ended, RunOutcome};

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

/// The tests that run in the second room: the canary of each file, and one known test of it that uses the code.
///
/// The nonce chooses that test, and no code can guess the nonce.
pub(crate) fn beside(
    tests: &[&str],
    witnesses: &BTreeMap<String, Vec<String>>,
    canary: &str,
    nonce: &str,
) -> Only {
    let draw = |many: usize| {
        nonce.bytes().fold(0_usize, |sum, it| sum * 31 % 65_521 + usize::from(it)) % many
    };
    let run = |test: &str| {
        let known = witnesses.get(test).filter(|known| !known.is_empty())?;
        Some(vec![canary.to_owned(), known[draw(known.len())].clone()])
    };
    tests.iter().map(|test| ((*test).to_owned(), run(test).unwrap_or_default())).collect()
}

pub(crate) fn judge(
    visit: &Visit,
    tests: &[&str],
    has_failed: impl Fn(&RunOutcome, &str) -> bool,
) -> Canary {
    for test in tests {
        let Some(run) = visit.runs.iter().find(|run| run.tests.iter().any(|one| one == test))
        else {
            return passed(test, "it was not run".to_owned());
        };
        // A run that took too long or was ended from outside says nothing; that is no pass either.
        if matches!(run.outcome.ended, Ended::TimedOut | Ended::Cancelled | Ended::Vanished) {
            let why = format!("`{}` ended with {:?}", run.name, run.outcome.ended);
            return Canary::Unseen { test: (*test).to_owned(), why };
        }
        if !has_failed(&run.outcome, test) {
            return passed(test, format!("`{}` ended with {:?}", run.name, run.outcome.ended));
        }
    }
    Canary::Failed
}

fn passed(test: &str, why: String) -> Canary {
    Canary::Passed { test: test.to_owned(), why }
}
