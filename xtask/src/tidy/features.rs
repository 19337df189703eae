//! Features of libraries: the same ones with the tests of the workspace and without them.
//!
//! Where they differ, `cargo` compiles a library and everything above it twice: once for the tests, once for the
//! programs and the documentation.

use std::collections::BTreeSet;

use anyhow::Result;

use super::auditor::tree;

/// Libraries that tests want with other features than programs do.
pub(super) fn wrong() -> Result<Vec<String>> {
    let programs = tree(&["--workspace", "--edges", "normal,build"])?;
    let tests = tree(&["--workspace", "--edges", "normal,build,dev"])?;
    Ok(in_trees(&programs, &tests))
}

fn in_trees(programs: &str, tests: &str) -> Vec<String> {
    let known: BTreeSet<&str> = tests.lines().map(without_mark).collect();
    let mut wrong: Vec<String> = programs
        .lines()
        .map(without_mark)
        .filter(|line| !known.contains(line))
        .map(|line| {
            let name = line.split(' ').next().unwrap_or_default();
            format!("tests want {name} with other features than programs, so it is compiled twice")
        })
        .collect();
    wrong.sort();
    wrong.dedup();
    wrong
}

/// `cargo tree` marks what it has told before.
fn without_mark(line: &str) -> &str {
    line.trim_end_matches(" (*)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_with_other_features_in_tests_is_named() {
        let programs = "serde v1|std\nrmcp v3|server\nserde v1|std (*)\n";
        let tests = "serde v1|std\nrmcp v3|client,server\ninsta v1|\n";
        assert_eq!(
            in_trees(programs, tests),
            ["tests want rmcp with other features than programs, so it is compiled twice"]
        );
    }
}
