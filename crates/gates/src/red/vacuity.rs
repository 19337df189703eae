//! Tests that cannot fail, as far as their text tells.

use std::collections::BTreeSet;

use crate::toolchain::{Function, Outline};

/// How much of a test is hollow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// Nothing else is left.
    Whole,
    /// The rest of it may be good.
    Part,
}

/// What is hollow in a test. A check that is made in a function it calls, or that a fixture gives it, is one. A check that
/// the code under test brings along is none: whoever writes the code says what it does. `modules` are those under test.
pub(super) fn look(
    test: &Function,
    outlines: &[Outline],
    modules: &BTreeSet<String>,
) -> Option<(String, Extent)> {
    let hollow: Vec<_> =
        test.hollow.iter().map(|(line, what)| format!("line {line}: {what}")).collect();
    let brought = brought(test, outlines, modules);
    let real = (test.asserts as usize).saturating_sub(hollow.len() + brought);
    let is_helped = || {
        let is_named = |helper: &Function| {
            let name = helper.name.rsplit("::").next().unwrap_or_default();
            test.mentions.contains(name) || test.parameters.iter().any(|it| it == name)
        };
        let asserts = |it: &&Function| {
            let none = it.hollow.len() + self::brought(it, outlines, modules);
            it.name != test.name && it.asserts as usize > none
        };
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
        (0, true) if brought > 0 => {
            Some(("the code that it tests brings all its assertions".to_owned(), Extent::Whole))
        }
        (0, true) => Some(("it asserts nothing".to_owned(), Extent::Whole)),
        (0, false) => Some((hollow.join("; "), Extent::Whole)),
    }
}

/// How many assertions of a function are macros of the code under test.
fn brought(function: &Function, outlines: &[Outline], modules: &BTreeSet<String>) -> usize {
    if function.own_checks.is_empty() {
        return 0;
    }
    let own = outlines.iter().find(|it| it.functions.iter().any(|it| std::ptr::eq(it, function)));
    let imports = own.map(|it| it.imports.as_slice()).unwrap_or_default();
    let is_under_test = |path: &str| modules.contains(path.split("::").next().unwrap_or_default());
    let is_brought = |name: &str| {
        let means =
            |module: &str| module.rsplit("::").next() == Some(name) || module.ends_with('*');
        let named = imports.iter().filter(|it| it.name == name).collect::<Vec<_>>();
        match named.as_slice() {
            _ if name.contains("::") => is_under_test(name),
            [] => imports.iter().any(|it| means(&it.module) && is_under_test(&it.module)),
            named => named.iter().any(|it| is_under_test(&it.module)),
        }
    };
    let brought = function.own_checks.iter().filter(|(name, _)| is_brought(name));
    brought.map(|(_, times)| *times as usize).sum()
}
