//! What the offline auditor and the views must not be able to do: run a command, open a socket; for views, touch a file.
//!
//! The libraries below `verify` are looked at as `cargo` resolves them, with their features; what the code of both
//! crates names is read from their sources.

use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use super::code_lines;
use crate::workspace::{files, root, shown};

/// Everything about both crates that is not as it must be.
pub(super) fn wrong() -> Result<Vec<String>> {
    let mut wrong = in_tree(&tree(&["--package", "sealwright-verify", "--edges", "normal"])?);
    wrong.extend(named("crates/verify/src", NEVER_IN_VERIFY)?);
    wrong.extend(named("crates/views/src", NEVER_IN_VIEWS)?);
    Ok(wrong)
}

/// The packages that `of` selects, one a line, with their features after the name.
pub(super) fn tree(of: &[&str]) -> Result<String> {
    let output = Command::new("cargo")
        .args(["tree", "--locked", "--offline", "--prefix", "none", "--format", "{p}|{f}"])
        .args(of)
        .current_dir(root())
        .output()
        .context("`cargo` could not be started")?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.success(), "`cargo tree` failed: {said}");
    Ok(String::from_utf8(output.stdout)?)
}

fn in_tree(tree: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for line in tree.lines() {
        let (package, features) = line.split_once('|').unwrap_or((line, ""));
        let name = package.split(' ').next().unwrap_or_default();
        if NEVER_BELOW_VERIFY.contains(&name) {
            wrong.push(format!("crates/verify stands on {name}"));
        }
        let features = features.trim_end_matches(" (*)").split(',');
        for feature in features.filter(|it| NEVER_SWITCHED_ON.contains(&(name, it))) {
            wrong.push(format!("crates/verify stands on {name} with `{feature}`"));
        }
    }
    wrong.sort();
    wrong.dedup();
    wrong
}

fn named(folder: &str, never: &[&str]) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for path in files(&root().join(folder), "rs")? {
        if path.file_name().is_some_and(|name| name == "tests.rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path)?;
        for (nth, line) in code_lines(&text) {
            for never in never.iter().filter(|never| line.contains(**never)) {
                wrong.push(format!("{}:{nth} names `{never}`", shown(&path)));
            }
        }
    }
    Ok(wrong)
}

/// What runs commands or opens sockets, of ours and of others.
const NEVER_BELOW_VERIFY: &[&str] = &[
    "async-process",
    "h2",
    "hyper",
    "hyper-util",
    "mio",
    "reqwest",
    "ring",
    "rustls",
    "sealwright-agents",
    "sealwright-factory",
    "sealwright-repo",
    "sealwright-sandbox",
    "socket2",
    "tokio-rustls",
];

/// Features that do.
const NEVER_SWITCHED_ON: &[(&str, &str)] =
    &[("tokio", "process"), ("tokio", "net"), ("rustix", "net")];

const NEVER_IN_VERIFY: &[&str] = &["std::process", "std::net", "tokio::process", "tokio::net"];
const NEVER_IN_VIEWS: &[&str] =
    &["std::process", "std::net", "tokio::process", "tokio::net", "std::fs"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_or_a_feature_that_opens_sockets_is_named() {
        let tree = "sealwright-verify v0.1.0 (/x)|\nserde v1.0.0|std\ntokio v1.0.0|rt,net (*)\n\
                    hyper v1.0.0|default\ntokio v1.0.0|rt,net\n";
        assert_eq!(
            in_tree(tree),
            ["crates/verify stands on hyper", "crates/verify stands on tokio with `net`"]
        );
    }
}
