//! Why Python tests fail: what an import misses, and what a test raised.

use std::collections::BTreeSet;

use crate::red::{Missing, Red, Trial, UnderTest, Wrong};
use crate::toolchain::Outline;
use crate::{Status, TestResult};

/// What imports miss, in files that could not be loaded at all.
pub(super) fn missing(trial: &Trial<'_>, red: &mut Red) -> Missing {
    let mut missing = Missing::default();
    let language = trial.toolchain.language();
    let frozen = trial.outlines.iter().filter(|outline| trial.frozen.contains(&outline.path));
    for outline in frozen {
        let of_file = |result: &&TestResult| {
            let is_one = outline.tests().any(|test| {
                let name = test.name.rsplit("::").next().unwrap_or_default();
                result.id.name.split('[').next() == Some(name)
            });
            !is_one && language.is_in(&result.id, &outline.path)
        };
        for result in trial.results.iter().filter(of_file) {
            let why = match &result.status {
                Status::Broken { why } | Status::Failed { why } => why,
                Status::Passed | Status::Skipped { .. } => continue,
            };
            match names(&raised(why), outline, trial.under_test) {
                Some(names) => missing.found.push((outline.path.clone(), 0, names)),
                None => red.refuse(&outline.path, Wrong::Broken, why),
            }
        }
    }
    missing
}

/// Why a test that ran failed because of itself, if it did.
pub(super) fn wrong(why: &str, under_test: &UnderTest) -> Option<String> {
    let raised = raised(why);
    let (kind, text) = (raised.kind.as_str(), raised.text.as_str());
    let first = quoted(text).into_iter().next().unwrap_or_default();
    let is_wrong = match kind {
        "SyntaxError" | "IndentationError" | "TabError" => true,
        "ModuleNotFoundError" => !under_test.has_module(first),
        "ImportError" => !is_declared_import(text, under_test),
        "NameError" | "UnboundLocalError" => !under_test.has_item(first),
        // What an object lacks is for the test to say; what a module lacks must be declared.
        "AttributeError" if text.starts_with("module ") => {
            let of = quoted(text);
            !(under_test.has_module(first) && of.get(1).is_some_and(|it| under_test.has_item(it)))
        }
        "FileNotFoundError"
        | "PermissionError"
        | "IsADirectoryError"
        | "NotADirectoryError"
        | "ConnectionError"
        | "ConnectionRefusedError"
        | "gaierror"
        | "OSError" => true,
        "Failed" => text.to_lowercase().contains("timeout"),
        _ => why.contains("fixture '") && why.contains("not found"),
    };
    is_wrong.then(|| if text.is_empty() { why.to_owned() } else { format!("{kind}: {text}") })
}

/// The names that stand in a file for what its import misses. None if it could not be loaded for another reason.
fn names(raised: &Raised, outline: &Outline, under_test: &UnderTest) -> Option<BTreeSet<String>> {
    let quoted = quoted(&raised.text);
    let module = match raised.kind.as_str() {
        "ModuleNotFoundError" => *quoted.first().filter(|path| under_test.has_module(path))?,
        "ImportError" if is_declared_import(&raised.text, under_test) => *quoted.get(1)?,
        _ => return None,
    };
    let of_module = outline.imports.iter().filter(|import| {
        import.module == module
            || import.module.strip_prefix(module).is_some_and(|rest| rest.starts_with('.'))
            || module.strip_prefix(&import.module).is_some_and(|rest| rest.starts_with('.'))
    });
    let names = of_module.map(|import| import.name.clone());
    match raised.kind.as_str() {
        // Only who uses the name that is missing waits for it.
        "ImportError" => Some(names.filter(|name| name == quoted[0]).collect()),
        _ => Some(names.collect()),
    }
}

/// `cannot import name 'add' from 'calc' (…)`, with both of them declared.
fn is_declared_import(text: &str, under_test: &UnderTest) -> bool {
    let quoted = quoted(text);
    text.starts_with("cannot import name")
        && quoted.first().is_some_and(|name| under_test.has_item(name))
        && quoted.get(1).is_some_and(|module| under_test.has_module(module))
}

/// What was raised, as far as a runner's words tell.
struct Raised {
    kind: String,
    text: String,
}

/// The last thing that was raised: the first of the last lines that pytest marks as an error.
fn raised(why: &str) -> Raised {
    let marked = |line: &str| line.strip_prefix("E ").map(|rest| rest.trim().to_owned());
    let mut last = None;
    let mut was_marked = false;
    for line in why.lines() {
        let found = marked(line);
        if !was_marked {
            last = found.clone().or(last);
        }
        was_marked = found.is_some();
    }
    let line = last.unwrap_or_else(|| why.lines().next().unwrap_or_default().trim().to_owned());
    let (kind, text) = line.split_once(':').unwrap_or((line.as_str(), ""));
    let kind = kind.rsplit('.').next().unwrap_or_default();
    let is_kind = kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let kind = if is_kind { kind } else { "" };
    Raised { kind: kind.to_owned(), text: text.trim().to_owned() }
}

fn quoted(text: &str) -> Vec<&str> {
    text.split('\'').skip(1).step_by(2).collect()
}
