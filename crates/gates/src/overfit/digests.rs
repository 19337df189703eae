//! Tables under digests: answers that are looked up without a reader seeing the questions.

use std::collections::BTreeSet;

use crate::overfit::{Look, Suspicion, Weight};
use crate::toolchain::{Outline, Role, Value};

pub(super) fn look(at: &Look<'_>) -> Vec<Suspicion> {
    let known: BTreeSet<String> =
        at.before.iter().flat_map(|old| digests(old).into_iter().map(|(text, _)| text)).collect();
    let mut found = Vec::new();
    for outline in at.after {
        let digests: Vec<_> =
            digests(outline).into_iter().filter(|(text, _)| !known.contains(text)).collect();
        let made = outline.uses.iter().find(|it| makes_digests(&it.name));
        if let (Some(made), Some((_, line))) = (made, digests.first())
            && digests.len() >= TABLE_MIN
        {
            let what = format!(
                "{} digests are written out, and `{}` makes such: answers may be kept under them",
                digests.len(),
                made.name
            );
            let rule = "answers-under-digests";
            found.push(Suspicion::new(rule, Weight::Finding, &outline.path, *line, what));
        }
    }
    found
}

/// What looks like a digest and is compared, or leads to something.
fn digests(outline: &Outline) -> Vec<(String, u32)> {
    let literals = outline.literals.iter().filter(|it| match it.role {
        Role::Key | Role::Compared | Role::Other => true,
        Role::Message | Role::Returned => false,
    });
    let digest = |value: &Value| match value {
        Value::Text(text) => is_hex(text).then(|| text.clone()),
        Value::Number(number) => is_large(number).then(|| number.clone()),
        Value::List(_) => None,
    };
    literals.filter_map(|it| Some((digest(&it.value)?, it.line))).collect()
}

fn is_hex(text: &str) -> bool {
    text.len() >= HEX_MIN
        && text.bytes().all(|it| it.is_ascii_hexdigit())
        && text.bytes().any(|it| it.is_ascii_digit())
        && text.bytes().any(|it| it.is_ascii_alphabetic())
}

/// Whether a number is too large to mean much, and not round.
fn is_large(number: &str) -> bool {
    let digits = number.trim_start_matches('-');
    digits.len() >= DIGITS_MIN
        && digits.bytes().all(|it| it.is_ascii_digit())
        && !digits.ends_with("00")
}

fn makes_digests(name: &str) -> bool {
    let name = name.replace("::", ".").to_lowercase();
    let mut parts = name.split('.');
    parts.any(|part| {
        MAKERS.contains(&part)
            || ["sha", "md5", "crc32", "blake"].iter().any(|it| part.starts_with(it))
    })
}

const MAKERS: [&str; 7] =
    ["hashlib", "hash", "adler32", "defaulthasher", "hasher", "siphasher", "fnv"];
const TABLE_MIN: usize = 3;
const HEX_MIN: usize = 8;
const DIGITS_MIN: usize = 8;
