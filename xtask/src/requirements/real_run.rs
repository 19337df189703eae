//! Which test files may prove a requirement of level `real`.
//!
//! A requirement of level `rule` is proven by any test. One of level `real` is proven only by a test in which the real
//! performer, git, sandbox and gates did the work; only the model may follow a script. A tool cannot read what a test
//! does, so it looks at the file:
//!
//! 1. The file is an integration test: below `crates/*/tests`, or below one of [`SUITES`] in `tests`. Unit tests below
//!    `src`, `tests/sim` and `tests/model_check` run no process.
//! 2. Its crate is none of [`PURE`]: these compute and start nothing.
//! 3. Neither the file nor a file of the same test that it names uses the scripted world of the kernel (`scripted::`) or
//!    implements a performer (`impl Performer<…>`).
//!
//! The rule is necessary, not sufficient: a file that passes it can still hold a test that proves nothing.

use std::collections::{BTreeMap, BTreeSet};

/// Folders of `tests` that run the program with real gates.
const SUITES: [&str; 4] = ["agent_scenarios", "attacks", "frauds", "quick_lane"];

/// Crates without processes, files or git.
const PURE: [&str; 3] = ["kernel", "leak", "views"];

/// Why the tests of the file at `path` cannot prove a requirement of level `real`, or `None` if they can.
///
/// Paths are below the root of the repository; `sources` holds every source file by its path.
pub(crate) fn objection(path: &str, sources: &BTreeMap<String, String>) -> Option<String> {
    let parts: Vec<&str> = path.split('/').collect();
    match parts[..] {
        ["crates", name, "tests", ..] if PURE.contains(&name) => {
            return Some(format!("the crate `{name}` runs no process"));
        }
        ["crates", _, "tests", _, ..] => {}
        ["tests", suite, _, ..] if SUITES.contains(&suite) => {}
        _ => {
            return Some("it is not an integration test of a crate that runs processes".to_owned());
        }
    }
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut open = vec![path];
    while let Some(path) = open.pop() {
        let Some((path, source)) = sources.get_key_value(path) else { continue };
        if !seen.insert(path) {
            continue;
        }
        if is_scripted(source) {
            return Some(format!("{path} scripts the world or the performer"));
        }
        let named = sources.keys().filter(|other| is_beside(path, other) && names(source, other));
        open.extend(named.map(String::as_str));
    }
    None
}

/// Whether `other` stands in the folder of `path`, in a folder above it, or in the folder of its own modules.
fn is_beside(path: &str, other: &str) -> bool {
    let (Some((folder, _)), Some((others, _))) = (path.rsplit_once('/'), other.rsplit_once('/'))
    else {
        return false;
    };
    let is_test = |folder: &str| folder.split('/').any(|part| part == "tests");
    let is_above = folder == others || folder.starts_with(&format!("{others}/"));
    let is_below = path.strip_suffix(".rs") == Some(others);
    path != other && is_test(others) && (is_above || is_below)
}

fn names(source: &str, other: &str) -> bool {
    let file = other.rsplit('/').next().unwrap_or(other);
    let stem = file.strip_suffix(".rs").unwrap_or(file);
    code(source).any(|line| {
        has_word(line, &format!("{stem}::"))
            || line.trim_start_matches("pub ") == format!("mod {stem};")
    })
}

fn is_scripted(source: &str) -> bool {
    code(source).any(|line| {
        has_word(line, "scripted::") || (line.starts_with("impl") && has_word(line, "Performer<"))
    })
}

/// The lines of a source file that are not comments.
fn code(source: &str) -> impl Iterator<Item = &str> {
    source.lines().map(str::trim).filter(|line| !line.starts_with("//"))
}

/// Whether `word` occurs and does not continue another identifier.
fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        !line[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objection_to(path: &str, files: &[(&str, &str)]) -> Option<String> {
        let file = |(path, source): &(&str, &str)| ((*path).to_owned(), (*source).to_owned());
        objection(path, &files.iter().map(file).collect())
    }

    #[test]
    fn only_integration_tests_of_crates_that_run_processes_are_real() {
        for path in [
            "crates/kernel/src/task/tests.rs",
            "crates/gates/src/kinds/audit/tests.rs",
            "crates/kernel/tests/machine.rs",
            "crates/views/tests/views.rs",
            "crates/leak/tests/leak/main.rs",
            "tests/sim/src/lib.rs",
            "tests/model_check/src/tasks.rs",
            "tests/scripted_model/tests/server/main.rs",
            "xtask/src/requirements.rs",
        ] {
            assert!(objection_to(path, &[(path, "")]).is_some(), "{path}");
        }
        for path in [
            "crates/cli/tests/commands.rs",
            "crates/sandbox/tests/room/python.rs",
            "tests/quick_lane/src/run.rs",
            "tests/frauds/tests/run.rs",
        ] {
            assert_eq!(objection_to(path, &[(path, "")]), None, "{path}");
        }
    }

    #[test]
    fn a_scripted_world_or_performer_is_not_real() {
        let path = "crates/cli/tests/life.rs";
        for source in [
            "use sealwright_kernel::scripted::answers;",
            "let input = scripted::honest(&effect);",
            "impl Performer<Task> for Fake {",
            "    impl<T> Performer<T> for Fake<T> {",
        ] {
            assert!(objection_to(path, &[(path, source)]).is_some(), "{source}");
        }
        for source in [
            "use sealwright_scripted_model::Server;",
            "// scripted::honest is not used here",
            "let performer = TaskPerformer::open(parts);",
            "impl AgentCaller for Scripts {",
            "let text = \"a scripted agent\";",
        ] {
            assert_eq!(objection_to(path, &[(path, source)]), None, "{source}");
        }
    }

    #[test]
    fn a_file_is_as_real_as_the_files_it_names() {
        let fake = ("crates/cli/tests/tasks/fake.rs", "impl Performer<Task> for Fake {}");
        let between = ("crates/cli/tests/tasks/shop.rs", "use super::fake::Fake;");
        let path = "crates/cli/tests/tasks/life.rs";
        let why = "crates/cli/tests/tasks/fake.rs scripts the world or the performer";
        for source in [
            "use crate::fake::Fake;",
            "use crate::shop::Shop;",
            "use crate::{\n    fake::Fake,\n};",
        ] {
            let found = objection_to(path, &[(path, source), between, fake]);
            assert_eq!(found.as_deref(), Some(why), "{source}");
        }
        assert_eq!(objection_to(path, &[(path, "use crate::other::Other;"), between, fake]), None);
        // A file of the same name in another test is another file.
        let other = ("crates/cli/tests/evaluate/fake.rs", "impl Performer<Task> for Fake {}");
        assert_eq!(objection_to(path, &[(path, "use crate::fake::Fake;"), other]), None);
        // The root of a test names its modules.
        let root = ("crates/cli/tests/whole.rs", "mod fake;");
        let below = ("crates/cli/tests/whole/fake.rs", "impl Performer<Task> for Fake {}");
        assert!(objection_to(root.0, &[root, below]).is_some());
    }
}
