//! Gate `cargo-test`: the tests of a Rust project, in a clean room, believed by what each executable prints and how it
//! ends.

use std::collections::BTreeMap;

use crate::kinds::scales::{Scales, no_answer};
use crate::kinds::suite::Runs;
use crate::kinds::{Demand, Key, Kind, Setting, room};
use crate::reports::{libtest, whole};
use crate::{Seen, Step, Visited};

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
    for (name, ran) in &visited.runs {
        // Two packages may call an executable the same.
        let nth = named.entry(name).or_default();
        *nth += 1;
        let suite = if *nth == 1 { name.clone() } else { format!("{name} #{nth}") };
        let report = whole(Some(&ran.stdout)).and_then(|said| libtest::read(&suite, said));
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

#[cfg(test)]
mod tests;
