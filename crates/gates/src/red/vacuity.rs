//! Tests that cannot fail, as far as their text tells.

use crate::toolchain::{Function, Outline};

/// How much of a test is hollow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// Nothing else is left.
    Whole,
    /// The rest of it may be good.
    Part,
}

/// What is hollow in a test. A check that is made in a function it calls, or that a fixture gives it, is one.
pub(super) fn look(test: &Function, outlines: &[Outline]) -> Option<(String, Extent)> {
    let hollow: Vec<_> =
        test.hollow.iter().map(|(line, what)| format!("line {line}: {what}")).collect();
    let real = (test.asserts as usize).saturating_sub(hollow.len());
    let is_helped = || {
        let is_named = |helper: &Function| {
            let name = helper.name.rsplit("::").next().unwrap_or_default();
            test.mentions.contains(name) || test.parameters.iter().any(|it| it == name)
        };
        let asserts =
            |it: &&Function| it.name != test.name && it.asserts as usize > it.hollow.len();
        outlines.iter().any(|outline| {
            let around = |inner: &Function| {
                let is_around = |it: &&Function| it.first < inner.first && inner.last <= it.last;
                outline.functions.iter().filter(is_around).any(is_named)
            };
            outline.functions.iter().filter(asserts).any(|it| is_named(it) || around(it))
        })
    };
    match (real, hollow.is_empty()) {
        (1.., true) => None,
        (1.., false) => Some((hollow.join("; "), Extent::Part)),
        (0, _) if is_helped() => None,
        (0, true) => Some(("it asserts nothing".to_owned(), Extent::Whole)),
        (0, false) => Some((hollow.join("; "), Extent::Whole)),
    }
}
