//! The assertions of a Rust test, and those among them that cannot fail.

use crate::toolchain::rust::tokens::{Bracket, Token, arguments, spelled};

/// The number of assertions in a body, and those that cannot fail.
pub(super) fn asserts(body: &[Token]) -> (u32, Vec<(u32, String)>) {
    let (mut count, mut hollow) = (0, Vec::new());
    let mut open = vec![body];
    while let Some(tokens) = open.pop() {
        for (at, token) in tokens.iter().enumerate() {
            open.extend(token.inner());
            if token.is_mark("?") {
                count += 1;
            }
            let Some(name) = token.name() else { continue };
            let next = tokens.get(at + 1);
            let is_macro = next.is_some_and(|next| next.is_mark("!"));
            let is_call = next.is_some_and(|next| next.group(Bracket::Round).is_some());
            let is_check = CHECKS.iter().any(|check| name.starts_with(check));
            let is_end =
                matches!(name, "panic" | "unreachable" | "todo" | "bail" | "unimplemented");
            if is_macro && (is_check || is_end) {
                count += 1;
                let inner = tokens.get(at + 2).and_then(Token::inner).unwrap_or_default();
                if is_hollow(name, inner) {
                    hollow.push((token.line, format!("{name}!({})", spelled(inner).trim())));
                }
            } else if is_call && (is_check || UNWRAPS.contains(&name)) {
                count += 1;
            }
        }
    }
    (count, hollow)
}

fn is_hollow(name: &str, inner: &[Token]) -> bool {
    let arguments = arguments(inner);
    match (name, arguments.as_slice()) {
        ("assert" | "debug_assert" | "prop_assert", [condition, ..]) => {
            let is_true = condition.len() == 1 && condition[0].is_name("true");
            let ors: Vec<_> = condition.split(|token| token.is_mark("||")).collect();
            let or_true =
                ors.len() > 1 && ors.iter().any(|part| part.len() == 1 && part[0].is_name("true"));
            let sides: Vec<_> = condition.split(|token| token.is_mark("==")).collect();
            is_true || or_true || matches!(sides.as_slice(), [left, right] if is_same(left, right))
        }
        ("assert_eq" | "debug_assert_eq" | "prop_assert_eq", [left, right, ..]) => {
            is_same(left, right)
        }
        _ => false,
    }
}

/// The same call twice may well differ; the same name cannot.
fn is_same(left: &[Token], right: &[Token]) -> bool {
    let is_call = |token: &Token| token.inner().is_some();
    !left.is_empty() && spelled(left) == spelled(right) && !left.iter().any(is_call)
}

/// Beginnings of the names of assertions.
const CHECKS: &[&str] =
    &["assert", "debug_assert", "prop_assert", "check", "expect", "verify", "ensure", "should"];

const UNWRAPS: &[&str] = &["unwrap", "unwrap_err", "unwrap_none", "expect_err"];
