//! Functions that are not written: they say so, do nothing, or always answer the same.

use sealwright_kernel::Cheat;

use crate::overfit::{Look, Suspicion, Weight};
use crate::toolchain::{Body, Function, Kind, Outline, Value};

pub(super) fn look(at: &Look<'_>) -> Vec<Suspicion> {
    let mut found = Vec::new();
    for outline in at.after {
        for function in &outline.functions {
            let old = at.before.iter().find(|old| old.path == outline.path);
            let old = old.and_then(|old| old.functions.iter().find(|it| it.name == function.name));
            if old.is_some_and(|old| old.body == function.body) {
                continue;
            }
            if let Some((weight, what)) = weigh(function, old, at) {
                let what = format!("`{}` {what}", function.name);
                found.push(Suspicion::new(
                    "stubbed-logic",
                    weight,
                    &outline.path,
                    function.first,
                    what,
                ));
            }
        }
    }
    found
}

fn weigh(
    function: &Function,
    old: Option<&Function>,
    at: &Look<'_>,
) -> Option<(Weight, &'static str)> {
    let stubbed = Weight::Cheat(Cheat::LogicStubbed);
    match function.kind {
        Kind::Plain => {}
        // Doing nothing may be what is asked of these, and others have to write those.
        Kind::Derived => match function.body {
            Body::Unwritten => {}
            Body::Real | Body::Empty | Body::Constant(_) => return None,
        },
        Kind::Test | Kind::Abstract => return None,
    }
    let name = function.name.rsplit("::").next().unwrap_or_default();
    let is_declared = at.items.contains(name) && !name.starts_with("__");
    let did_something = old.is_some_and(|old| old.body == Body::Real && !old.used.is_empty());
    let takes_something = !function.parameters.is_empty();
    match &function.body {
        Body::Real => None,
        Body::Unwritten if is_declared || did_something => Some((stubbed, "is not written")),
        Body::Unwritten => Some((Weight::Finding, "is not written")),
        Body::Empty if takes_something && did_something => Some((stubbed, "does nothing any more")),
        Body::Empty if takes_something && is_declared => Some((Weight::Finding, "does nothing")),
        Body::Constant(_) if takes_something && did_something => {
            Some((stubbed, "answers always the same, and did not before"))
        }
        Body::Constant(answer)
            if takes_something && is_declared && is_expected(answer, at.tests) =>
        {
            Some((stubbed, "answers always what a test expects"))
        }
        Body::Constant(_) if takes_something && is_declared => {
            Some((Weight::Finding, "answers always the same"))
        }
        Body::Empty | Body::Constant(_) => None,
    }
}

/// Whether some test wants just this from a function it gives something to.
fn is_expected(answer: &str, tests: &[Outline]) -> bool {
    tests.iter().flat_map(|test| &test.pairs).any(|pair| match &pair.expected {
        Value::Text(text) => {
            answer.contains(&format!("\"{text}\"")) || answer.contains(&format!("'{text}'"))
        }
        Value::Number(number) => {
            answer.split(' ').any(|word| crate::toolchain::number(word) == *number)
        }
        Value::List(values) => values.iter().all(|value| answer.contains(value.as_str())),
    })
}
