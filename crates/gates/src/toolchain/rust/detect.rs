//! How `init` finds a Rust project and its tests.

use crate::toolchain::ecosystem::{Folder, Found, SuggestedCheck};

pub(super) fn detect(folder: &dyn Folder) -> Option<Found> {
    if !folder.is_file("Cargo.toml") {
        return None;
    }
    // Beside a package, cargo tests a workspace's other members only if it is asked to.
    let is_workspace = |line: &str| line.trim_start().starts_with("[workspace");
    let all = folder.text("Cargo.toml").lines().any(is_workspace).then_some("--workspace");
    let check = if folder.is_file(".config/nextest.toml") {
        let words = ["cargo", "nextest", "run"].into_iter().chain(all);
        SuggestedCheck::new("nextest", words.collect())
    } else {
        let words = ["cargo", "test"].into_iter().chain(all);
        SuggestedCheck::new("cargo-test", words.collect())
    };
    Some(Found { language: "rust", check: Some(check) })
}
