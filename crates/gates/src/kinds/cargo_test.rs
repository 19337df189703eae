//! Gate `cargo-test`: the tests of a Rust project, in a clean room, believed by what each executable prints and how it
//! ends.

use std::collections::BTreeMap;

use crate::kinds::scales::{Scales, no_answer};
use crate::kinds::suite::Runs;
use crate::kinds::{Demand, Key, Kind, Setting, room};
use crate::reports::{Tests, libtest, whole};
use crate::{Ended, Ran, Seen, Status, Step, TestId, TestResult, Visited};

pub(crate) const KIND: Kind = Kind {
    key: "cargo-test",
    proves: "every expected Rust test ran in a clean room and passed, and a test that must fail did",
    needs: "cargo, the locked packages, frozen tests, walls",
    takes: &[(Key::Tests, Demand::Optional), (Key::Sources, Demand::Optional)],
    next,
};

fn next(setting: &Setting, seen: &[Seen]) -> Step {
    match seen {
        [] => room::visit(KIND.key, setting),
        [Seen::Visited(visited)] => judge(setting, visited),
        _ => no_answer(seen),
    }
}

fn judge(setting: &Setting, visited: &Visited) -> Step {
    let mut scales = Scales::default();
    room::weigh(&mut scales, KIND.key, visited);
    let (mut runs, mut named) = (Runs::default(), BTreeMap::<&str, u32>::new());
    let known = setting.expected.known_failing();
    for (name, ran) in &visited.runs {
        // Two packages may call an executable the same.
        let nth = named.entry(name).or_default();
        *nth += 1;
        let suite = if *nth == 1 { name.clone() } else { format!("{name} #{nth}") };
        let report = if visited.without_harness.contains(name) {
            Ok(one_test(&suite, ran))
        } else {
            // Tests that failed before run by themselves.
            let left_out = known.iter().filter(|id| id.suite == *name).count() as u64;
            whole(Some(&ran.stdout)).and_then(|said| libtest::read_without(&suite, left_out, said))
        };
        runs.add(&mut scales, &format!("`{suite}`"), ran, report);
    }
    for (name, ran) in &visited.known_failing {
        runs.add_known(whole(Some(&ran.stdout)).and_then(|said| libtest::read(name, said)));
    }
    // What does not compile has no tests to be missed.
    if room::is_built(visited) {
        runs.conclude(&mut scales, &setting.expected);
    }
    room::conclude(&mut scales, visited, &setting.expected);
    scales.say()
}

/// A program that is one test: its exit code is the result.
fn one_test(suite: &str, ran: &Ran) -> Tests {
    let status = match ran.ended {
        Ended::Exited(0) => Status::Passed,
        ended => Status::Failed { why: format!("{ended:?}") },
    };
    let id = TestId { suite: suite.to_owned(), name: "main".to_owned() };
    Tests { results: vec![TestResult { id, status, millis: Some(ran.millis) }], odd: vec![] }
}

#[cfg(test)]
mod tests;
