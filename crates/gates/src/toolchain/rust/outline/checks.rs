//! The assertions of a Rust test, and those among them that cannot fail.

use std::collections::BTreeMap;

use crate::toolchain::rust::tokens::{Bracket, Token, arguments, spelled};

/// The assertions of a body.
#[derive(Default)]
pub(super) struct Asserts {
    pub(super) count: u32,
    /// Those that cannot fail: the line, and the text.
    pub(super) hollow: Vec<(u32, String)>,
    /// Macros that are not of the language, as they are named there, and how often each is.
    pub(super) own: BTreeMap<String, u32>,
}

pub(super) fn asserts(body: &[Token]) -> Asserts {
    let Asserts { mut count, mut hollow, mut own } = Asserts::default();
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
                if is_check && !OF_THE_LANGUAGE.contains(&name) {
                    *own.entry(path(tokens, at)).or_default() += 1;
                }
                let inner = tokens.get(at + 2).and_then(Token::inner).unwrap_or_default();
                if is_hollow(name, inner) {
                    hollow.push((token.line, format!("{name}!({})", spelled(inner).trim())));
                }
            } else if is_call && (is_check || UNWRAPS.contains(&name)) {
                count += 1;
            }
        }
    }
    Asserts { count, hollow, own }
}

/// The path that ends with a name: `shop::assert_cents`.
fn path(tokens: &[Token], last: usize) -> String {
    let mut from = last;
    while from >= 2 && tokens[from - 1].is_mark("::") && tokens[from - 2].name().is_some() {
        from -= 2;
    }
    let names = tokens[from..=last].iter().filter_map(Token::name);
    names.collect::<Vec<_>>().join("::")
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

const OF_THE_LANGUAGE: [&str; 7] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "assert_matches",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
];

const UNWRAPS: &[&str] = &["unwrap", "unwrap_err", "unwrap_none", "expect_err"];
