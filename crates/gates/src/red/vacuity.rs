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

/// What is hollow in a test. A check that is made in a function it calls is one.
pub(super) fn look(test: &Function, outlines: &[Outline]) -> Option<(String, Extent)> {
    let hollow: Vec<_> =
        test.hollow.iter().map(|(line, what)| format!("line {line}: {what}")).collect();
    let real = (test.asserts as usize).saturating_sub(hollow.len());
    let is_helped = || {
        let helpers = outlines.iter().flat_map(|outline| &outline.functions);
        let mut helpers = helpers.filter(|helper| helper.name != test.name);
        helpers.any(|helper| {
            let name = helper.name.rsplit("::").next().unwrap_or_default();
            helper.asserts as usize > helper.hollow.len() && test.mentions.contains(name)
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
