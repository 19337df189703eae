//! How `init` finds a Python project and its tests.

use crate::toolchain::ecosystem::{Folder, Found, SuggestedCheck};

pub(super) fn detect(folder: &dyn Folder) -> Option<Found> {
    const MARKS: [&str; 3] = ["pyproject.toml", "setup.py", "requirements.txt"];
    const PYTEST_FILES: [&str; 3] = ["pytest.ini", "conftest.py", "tests/conftest.py"];
    const PYTEST_NAMED: [&str; 8] = [
        "pyproject.toml",
        "setup.py",
        "setup.cfg",
        "tox.ini",
        "requirements.txt",
        "requirements-dev.txt",
        "requirements_dev.txt",
        "dev-requirements.txt",
    ];
    let is_project = MARKS.into_iter().any(|name| folder.is_file(name));
    let uses_pytest = PYTEST_FILES.into_iter().any(|name| folder.is_file(name))
        || PYTEST_NAMED.into_iter().any(|name| folder.text(name).contains("pytest"));
    // Tests are enough: many a project is a few files and nothing that describes them.
    let is_tested = || PLACES.into_iter().any(|path| has_tests(folder, path, "test_"));
    if !is_project && !uses_pytest && !is_tested() {
        return None;
    }
    // Functions alone are tests of pytest; unittest would find none of them, and call that a success.
    let command = unittest(folder).filter(|_| is_of_unittest(folder));
    let uses_pytest = uses_pytest || (is_tested() && command.is_none());
    // pytest runs the tests of unittest too, and tells of each.
    let check = if uses_pytest || (command.is_some() && folder.is_program("pytest")) {
        Some(SuggestedCheck::new("pytest", vec!["pytest"]))
    } else {
        command.map(|command| SuggestedCheck::new("command", command))
    };
    Some(Found { language: "python", check })
}

/// Older Pythons exit with 0 if they find no test at all, so a test file has to be there.
fn unittest(folder: &dyn Folder) -> Option<Vec<&'static str>> {
    // Many systems have no plain `python`.
    let has_only_three = !folder.is_program("python") && folder.is_program("python3");
    let python = if has_only_three { "python3" } else { "python" };
    if has_tests(folder, "", "test") {
        return Some(vec![python, "-m", "unittest"]);
    }
    let tests = ["tests", "test"].into_iter().find(|path| has_tests(folder, path, "test"))?;
    if folder.is_file(&format!("{tests}/__init__.py")) {
        Some(vec![python, "-m", "unittest"])
    } else {
        Some(vec![python, "-m", "unittest", "discover", "-s", tests])
    }
}

/// Whether a test file says that it is written for unittest.
fn is_of_unittest(folder: &dyn Folder) -> bool {
    let mut files = PLACES.into_iter().flat_map(|path| tests_in(folder, path, "test"));
    files.any(|file| folder.text(&file).contains("unittest"))
}

fn has_tests(folder: &dyn Folder, path: &str, prefix: &str) -> bool {
    !tests_in(folder, path, prefix).is_empty()
}

/// The test files of a folder whose names begin like this.
fn tests_in(folder: &dyn Folder, path: &str, prefix: &str) -> Vec<String> {
    let names = folder.names(path).into_iter();
    let tests = names.filter(|name| name.starts_with(prefix) && name.ends_with(".py"));
    let tests = tests.map(|name| if path.is_empty() { name } else { format!("{path}/{name}") });
    tests.take(FILES_MAX).collect()
}

/// Where tests are looked for.
const PLACES: [&str; 3] = ["", "tests", "test"];
const FILES_MAX: usize = 100;
