//! Source that notices where it runs: whether it is being tested, and by whom.

use std::collections::BTreeSet;

use sealwright_kernel::Cheat;

use crate::overfit::{Declared, Look, Suspicion, Weight};
use crate::toolchain::{Outline, Role, Signs, Value, ecosystems};

pub(super) fn look(at: &Look<'_>, declared: &Declared) -> Vec<Suspicion> {
    let known: BTreeSet<String> = at.before.iter().flat_map(signs).map(|(sign, ..)| sign).collect();
    let mut found = Vec::new();
    for outline in at.after {
        for (sign, weight, line) in signs(outline) {
            let is_wanted = known.contains(&sign)
                || declared.says(&sign)
                || (weight == Weight::Finding
                    && (is_asked_for(&sign, outline, line, declared) || is_set(&sign, at)));
            if !is_wanted {
                let what = format!("`{sign}` tells it who runs it");
                found.push(Suspicion::new(
                    "knows-its-surroundings",
                    weight,
                    &outline.path,
                    line,
                    what,
                ));
            }
        }
    }
    found
}

/// Whether the task asks for what a sign looks at: a variable of the environment by its name, the time or chance in words.
fn is_asked_for(sign: &str, outline: &Outline, line: u32, declared: &Declared) -> bool {
    let name = sign.replace("::", ".");
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    if has(&["environ", "getenv", "env.var"]) {
        let is_variable = |text: &str| {
            text.len() > 2
                && text
                    .bytes()
                    .all(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'_')
        };
        let near = outline.literals.iter().filter(|it| it.line.abs_diff(line) <= NEAR_LINES);
        let mut named = near.filter_map(|it| match &it.value {
            Value::Text(text) if is_variable(text) => Some(text),
            _ => None,
        });
        return named.any(|variable| declared.says_word(variable));
    }
    let words: &[&str] = if has(&["time", "date", "Instant"]) {
        &["now", "clock", "today", "timestamp", "current time", "current date", "seconds since"]
    } else if has(&["random", "uuid"]) {
        &["random", "uuid", "shuffle", "jitter"]
    } else {
        &[]
    };
    words.iter().any(|word| declared.says_word(word))
}

/// Whether the tests, which nobody who builds can change, set what a sign looks at: they replace the clock by its name, or
/// write to the environment.
fn is_set(sign: &str, at: &Look<'_>) -> bool {
    let name = sign.replace("::", ".");
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    let is_environment = has(&["environ", "getenv", "env.var"]);
    if !is_environment && !has(&["time", "date", "random", "uuid", "sys.argv"]) {
        return false;
    }
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_wanted = |text: &str| {
        let mut parts = text.split(['.', ':']);
        if is_environment {
            return parts.any(|part| ["environ", "setenv", "set_var"].contains(&part));
        }
        parts.next_back() == Some(last)
    };
    at.tests.iter().chain(at.held_out).any(|test| {
        let mut texts = test.literals.iter().filter_map(|it| match &it.value {
            Value::Text(text) => Some(text.as_str()),
            _ => None,
        });
        test.uses.iter().any(|used| is_wanted(&used.name)) || texts.any(is_wanted)
    })
}

/// The signs in one file: what, how grave, where.
fn signs(outline: &Outline) -> Vec<(String, Weight, u32)> {
    let cheat = Weight::Cheat(Cheat::Overfit);
    let mut found = Vec::new();
    for used in &outline.uses {
        let name = used.name.replace("::", ".");
        let is = |wanted: &str| name == wanted || name.ends_with(&format!(".{wanted}"));
        let begins = |prefix: &str| name.starts_with(prefix);
        let is_test =
            all(|it| it.test_names).any(is) || all(|it| it.test_name_prefixes).any(begins);
        let is_look = all(|it| it.looks).any(is) || all(|it| it.look_prefixes).any(begins);
        if is_test {
            found.push((used.name.clone(), cheat, used.line));
        } else if is_look && !is_entry(outline, used.line) {
            found.push((used.name.clone(), Weight::Finding, used.line));
        }
    }
    for import in &outline.imports {
        let is_runner = |runner: &&str| {
            let rest = import.module.strip_prefix(*runner);
            rest.is_some_and(|it| it.is_empty() || it.starts_with('.'))
        };
        if let Some(runner) = all(|it| it.runners).find(is_runner) {
            found.push((runner.to_owned(), cheat, import.line));
        }
    }
    for literal in &outline.literals {
        let Value::Text(text) = &literal.value else { continue };
        let finds_runner = |it: &Signs| {
            let modules = it.loaded_modules.filter(|_| it.runners.contains(&text.as_str()))?;
            outline.uses.iter().any(|used| used.name == modules).then_some(modules)
        };
        if all(|it| it.test_texts).any(|wanted| text.starts_with(wanted)) {
            // A tool about tests may mention these texts; source that compares with one asks who runs it.
            let weight = match literal.role {
                Role::Key | Role::Compared => cheat,
                Role::Message | Role::Returned | Role::Other => Weight::Finding,
            };
            found.push((text.clone(), weight, literal.line));
        } else if let Some(modules) = signs_of().find_map(finds_runner) {
            found.push((format!("{text} in {modules}"), cheat, literal.line));
        } else if OWN_PROCESS.iter().any(|it| text.starts_with(it)) {
            found.push((text.clone(), Weight::Finding, literal.line));
        }
    }
    found
}

/// Where a program begins it may read its arguments.
fn is_entry(outline: &Outline, line: u32) -> bool {
    let name = outline.path.rsplit('/').next().unwrap_or_default();
    let is_program =
        all(|it| it.entry_files).any(|it| it == name) || outline.path.contains("/bin/");
    let mut main = outline.functions.iter().filter(|function| {
        let last = function.name.rsplit("::").next();
        last == Some("main") || last == Some("cli")
    });
    is_program || main.any(|function| (function.first..=function.last).contains(&line))
}

/// Where a process finds out about itself, or is run before its program.
const OWN_PROCESS: [&str; 5] =
    ["/proc/self", "/proc/1/", ".init_array", ".ctors", ".preinit_array"];
/// How far from its use the name of a variable may stand.
const NEAR_LINES: u32 = 3;

/// The signs of every ecosystem: a project may mix them.
fn signs_of() -> impl Iterator<Item = &'static Signs> {
    ecosystems().map(|ecosystem| &ecosystem.signs)
}

fn all(list: fn(&Signs) -> &'static [&'static str]) -> impl Iterator<Item = &'static str> {
    signs_of().flat_map(list).copied()
}
