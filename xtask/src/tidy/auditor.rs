//! What the offline auditor and the views must not be able to do: run a command, open a socket; for views, touch a file.
//!
//! The libraries below `verify` are looked at as `cargo` resolves them, with their features; what the code of both
//! crates names is read from their sources.

use std::process::Command;

use anyhow::Result;

use super::never;
use crate::workspace::{output_of, root};

/// Everything about both crates that is not as it must be.
pub(super) fn wrong() -> Result<Vec<String>> {
    let mut wrong = in_tree(&tree(&["--package", "sealwright-verify", "--edges", "normal"])?);
    wrong.extend(never("crates/verify/src", "names", NEVER_IN_VERIFY)?);
    wrong.extend(never("crates/views/src", "names", NEVER_IN_VIEWS)?);
    Ok(wrong)
}

/// The packages that `of` selects, one a line, with their features after the name.
pub(super) fn tree(of: &[&str]) -> Result<String> {
    let mut cargo = Command::new("cargo");
    cargo.args(["tree", "--locked", "--offline", "--prefix", "none", "--format", "{p}|{f}"]);
    output_of(cargo.args(of).current_dir(root()))
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

/// What runs commands or opens sockets, of ours and of others.
const NEVER_BELOW_VERIFY: &[&str] = &[
    "async-process",
    "gix-command",
    "gix-protocol",
    "gix-transport",
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
