//! The canary: one more test in every frozen test file, which must fail.
//!
//! Code under test that ends the process, or rewrites how tests are judged, makes it pass, and is seen. The canary
//! has to be in the files that use the code: what is not used is not even linked.

use crate::RunOutcome;
use crate::room::material::Material;
use crate::room::outcome::Canary;
use crate::room::{Only, Room, Visit};

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

/// What is run beside each other in the second room: the canary of each file, and a test that uses the code.
///
/// Which one it is follows from the canary's name, which nobody can guess.
pub(crate) fn beside(room: &Room<'_>) -> Only {
    let draw = |many: usize| {
        room.nonce.bytes().fold(0_usize, |sum, it| sum * 31 % 65_521 + usize::from(it)) % many
    };
    let mut only = Only::new();
    for test in room.tests {
        let known = room.witnesses.get(*test).filter(|known| !known.is_empty());
        let run = known.map(|known| {
            vec![room.language.canary_name(room.nonce), known[draw(known.len())].clone()]
        });
        only.insert((*test).to_owned(), run.unwrap_or_default());
    }
    only
}

/// How it ended, in every test file.
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
        if !has_failed(&run.outcome, test) {
            return passed(test, format!("`{}` ended with {:?}", run.name, run.outcome.ended));
        }
    }
    Canary::Failed
}

fn passed(test: &str, why: String) -> Canary {
    Canary::Passed { test: test.to_owned(), why }
}
