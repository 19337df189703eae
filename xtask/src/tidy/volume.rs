//! Lines of source, tests left out: for each crate with a bound, for the workspace beside the first release.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;

use super::without_tests;
use crate::workspace::files;

/// Lines of source by crate: what stands below `crates/*/src`, `tests/*/src` and `xtask/src`.
///
/// Left out are files called `tests.rs`, files below a folder whose name ends in `tests`, and the block
/// `#[cfg(test)] mod tests` at the end of a file.
pub(super) fn by_crate(root: &Path) -> Result<BTreeMap<String, usize>> {
    let mut lines = BTreeMap::new();
    for room in ["crates", "tests"] {
        for entry in std::fs::read_dir(root.join(room))? {
            let folder = entry?.path();
            let name = folder.strip_prefix(root)?.display().to_string();
            if folder.join("src").is_dir() {
                lines.insert(name, of_folder(&folder.join("src"))?);
            }
        }
    }
    lines.insert("xtask".to_owned(), of_folder(&root.join("xtask/src"))?);
    Ok(lines)
}

fn of_folder(folder: &Path) -> Result<usize> {
    let mut lines = 0;
    for path in files(folder, "rs")? {
        let below = path.strip_prefix(folder)?;
        let name = |part: &std::ffi::OsStr| part.to_string_lossy().into_owned();
        let is_test_file = below.file_name().map(name).is_some_and(|name| name == "tests.rs");
        let is_below_tests = below.parent().is_some_and(|above| {
            above.iter().any(|part| part.to_string_lossy().ends_with("tests"))
        });
        if !is_test_file && !is_below_tests {
            lines += without_tests(&std::fs::read_to_string(&path)?).lines().count();
        }
    }
    Ok(lines)
}

/// What is larger than it may be.
pub(super) fn wrong(lines: &BTreeMap<String, usize>) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, lines) in lines.iter().filter(|(_, lines)| **lines > CRATE_MAX) {
        wrong.push(format!("{name} has {lines} lines of source, more than {CRATE_MAX}"));
    }
    let all: usize = lines.values().sum();
    if all > WORKSPACE_MAX {
        wrong.push(format!("the workspace has {all} lines of source, more than {WORKSPACE_MAX}"));
    }
    wrong
}

/// One line for each crate, and the sum beside that of the first release.
pub(super) fn told(lines: &BTreeMap<String, usize>) -> String {
    let mut told = String::new();
    for (name, lines) in lines {
        told += &format!("  {lines:6}  {name}\n");
    }
    let all: usize = lines.values().sum();
    told + &format!("  {all:6}  in all; the first release had {FIRST_RELEASE}")
}

/// A crate past that has become two.
const CRATE_MAX: usize = 15_000;
/// The workspace may shrink and not grow, except for a capability that is new. Without any, it had 99,740 lines when it
/// was split into these crates; the public items of a change, role calls, amendments, fixes and plans of people came after
/// that, then ordinary changes in ordinary repositories and the proofs of what performers and tags promise and of what other
/// people's repositories need, then the cost beside bare agents and projects in folders of a repository, then the boundary
/// between tests and the code they judge with its proof, the tests of a project that nothing runs, and that boundary for
/// Rust, then the phases of a project, its task graph and the spec it is planned from, with the commands that plan, run and
/// draw it, then the documents that steer a version, the gates that read them and its run through all phases, then what people
/// decide about halted tasks and how the spec follows it, files of halts and of tasks, the tree of a status, documents written
/// by scripts, and the proof of whole projects, then what people sign, roles that go on with their conversations, and logins
/// of people with their scenarios, then contracts, plans and debates of modules, the store they are sealed in and the index
/// they are found in, then what people answer to a brake or a contradiction, research beside a spec, and sessions of a
/// version that are lost anywhere.
const WORKSPACE_MAX: usize = 163_500;
/// The sum for the first release, commit 3a28ac7, counted by [`by_crate`] as well.
const FIRST_RELEASE: usize = 101_457;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_not_counted() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("crates/a/src/lib.rs", "//! A.\nfn a() {}\n#[cfg(test)]\nmod tests {\n}\n");
        write("crates/a/src/b.rs", "//! B.\n#[cfg(test)]\nmod tests;\n");
        write("crates/a/src/b/tests.rs", "fn no() {}\n");
        write("crates/a/src/contract_tests/one.rs", "fn no() {}\n");
        write("crates/a/tests/all.rs", "fn no() {}\n");
        write("tests/c/src/main.rs", "fn main() {}\n");
        write("xtask/src/main.rs", "fn main() {}\n");
        let lines = by_crate(folder.path()).unwrap();
        let expected = [("crates/a", 3), ("tests/c", 1), ("xtask", 1)];
        assert_eq!(lines, expected.map(|(name, lines)| (name.to_owned(), lines)).into());
    }

    #[test]
    fn a_crate_past_the_bound_is_named() {
        let lines = BTreeMap::from([("crates/a".to_owned(), CRATE_MAX + 1)]);
        assert!(wrong(&lines)[0].starts_with("crates/a has 15001 lines"));
    }
}
