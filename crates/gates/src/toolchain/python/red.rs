//! Why Python tests fail: what an import misses, and what a test raised.

use std::collections::BTreeSet;

use crate::toolchain::missing::{Missing, TestRun, UnderTest};
use crate::toolchain::outline::Outline;
use crate::{Status, TestId, TestResult};

/// What imports miss, in files that could not be loaded. `is_in` says whether a result means a test in a file.
pub(super) fn missing(run: &TestRun<'_>, is_in: impl Fn(&TestId, &str) -> bool) -> Missing {
    let mut missing = Missing::default();
    for outline in run.outlines.iter().filter(|outline| run.frozen.contains(&outline.path)) {
        let of_file = |result: &&TestResult| {
            let is_test = outline.tests().any(|test| {
                let name = test.name.rsplit("::").next().unwrap_or_default();
                result.id.name.split('[').next() == Some(name)
            });
            !is_test && is_in(&result.id, &outline.path)
        };
        for result in run.results.iter().filter(of_file) {
            let why = match &result.status {
                Status::Broken { why } | Status::Failed { why } => why,
                Status::Passed | Status::Skipped { .. } => continue,
            };
            match names(&raised(why), outline, run.under_test) {
                Some(names) => missing.items.push((outline.path.clone(), 0, names)),
                None => missing.break_at(&outline.path, why),
            }
        }
    }
    missing
}

/// The packages that pytest says it did not find, by their first names. Its report does not say why a file was not
/// loaded.
pub(super) fn not_installed(stdout: &str) -> Vec<String> {
    let errors = stdout.lines().filter_map(|line| line.strip_prefix("E "));
    let named =
        errors.filter_map(|line| line.split("No module named '").nth(1)?.split('\'').next());
    let roots = named.filter_map(|name| name.split('.').next());
    roots.take(NOT_INSTALLED_MAX).map(str::to_owned).collect()
}

/// Why a test that ran failed because of itself, if it did.
pub(super) fn broken(why: &str, under_test: &UnderTest) -> Option<String> {
    let raised = raised(why);
    let (kind, text) = (raised.kind.as_str(), raised.text.as_str());
    let first = quoted(text).into_iter().next().unwrap_or_default();
    let is_wrong = match kind {
        "SyntaxError" | "IndentationError" | "TabError" => true,
        "ModuleNotFoundError" => !under_test.has_module(first),
        "ImportError" => !is_declared_import(text, under_test),
        "NameError" | "UnboundLocalError" => !under_test.has_item(first),
        // A test may say which attribute an object lacks; a missing name of a module must be declared.
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

/// Whether a fixture failed because the code says that it is not written, or lacks what is declared.
pub(super) fn is_unwritten(why: &str, under_test: &UnderTest) -> bool {
    match raised(why).kind.as_str() {
        "NotImplementedError" => true,
        "ModuleNotFoundError" | "ImportError" | "NameError" => broken(why, under_test).is_none(),
        "AttributeError" => why.contains("module '") && broken(why, under_test).is_none(),
        _ => false,
    }
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
        // Only tests that use the missing name wait for it.
        "ImportError" => Some(names.filter(|name| name == quoted[0]).collect()),
        _ => Some(names.collect()),
    }
}

/// `cannot import name 'add' from 'calc' (…)`, with both of them declared.
fn is_declared_import(text: &str, under_test: &UnderTest) -> bool {
    let quoted = quoted(text);
    text.starts_with("cannot import name")
        && quoted.first().is_some_and(|name| under_test.has_item(name))
        && quoted
            .get(1)
            .is_some_and(|module| under_test.has_module(module) || is_of_the_project(text))
}

/// Whether the module that was found is a file of the project, wherever the settings of the project say that imports begin.
fn is_of_the_project(text: &str) -> bool {
    text.rsplit_once('(').is_some_and(|(_, place)| place.starts_with("/work/"))
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
    let line = match line.strip_prefix("failed on setup with \"") {
        Some(said) => said.trim_end_matches('"').to_owned(),
        None => line,
    };
    let (kind, text) = line.split_once(':').unwrap_or((line.as_str(), ""));
    let kind = kind.rsplit('.').next().unwrap_or_default();
    let is_kind = kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let kind = if is_kind { kind } else { "" };
    Raised { kind: kind.to_owned(), text: text.trim().to_owned() }
}

fn quoted(text: &str) -> Vec<&str> {
    text.split('\'').skip(1).step_by(2).collect()
}

const NOT_INSTALLED_MAX: usize = 100;

#[cfg(test)]
mod tests {
    use super::not_installed;

    #[test]
    fn a_module_that_is_not_found_is_named_by_its_root() {
        let said = "E   ModuleNotFoundError: No module named 'yaml.cyaml'\nNo module named 'x'\n";
        assert_eq!(not_installed(said), ["yaml"]);
    }
}
