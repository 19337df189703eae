//! Output of honest tools, which must pass unchanged.

use sealwright_leak::{Bounds, Budget, Passed, filter};

use super::material::sealed;

/// Proves in part: F-OPAQUE-002
#[test]
fn honest_output_comes_through_as_it_is() {
    let sealed = sealed();
    let mut budget = Budget::default();
    for (name, output) in OUTPUTS {
        let filtered = filter(output.as_bytes(), &sealed, &Bounds::default(), &Budget::default());
        assert_eq!(filtered.text, *output, "{name}: {:?}", filtered.cut);
        assert_eq!(filtered.passed, Passed::Whole, "{name}");
        // A traceback shows the line that raised: one line, and it is counted.
        let shown = usize::from(*name == "python_traceback");
        assert_eq!(filtered.budget.lines_shown(), shown, "{name}: {:?}", filtered.budget);
        // A run that prints all of them in sequence stays within its budget.
        budget = filter(output.as_bytes(), &sealed, &Bounds::default(), &budget).budget;
    }
    assert_eq!((budget.lines_shown(), budget.cuts()), (1, 0));
}

#[test]
fn honest_output_comes_through_in_one_piece() {
    let all: String = OUTPUTS.iter().map(|(_, output)| *output).collect();
    let filtered = filter(all.as_bytes(), &sealed(), &Bounds::default(), &Budget::default());
    assert_eq!(filtered.passed, Passed::Whole, "{:?}", filtered.cut);
}

#[test]
fn colours_go_and_the_words_stay() {
    let output =
        "\u{1b}[0m\u{1b}[1m\u{1b}[38;5;9merror\u{1b}[0m\u{1b}[1m: mismatched types\u{1b}[0m\r\n";
    let filtered = filter(output.as_bytes(), &sealed(), &Bounds::default(), &Budget::default());
    assert_eq!(
        (filtered.text.as_str(), filtered.passed),
        ("error: mismatched types\n", Passed::InPart)
    );
    assert!(filtered.cut.is_empty() && filtered.hint().is_none());
}

#[test]
fn a_long_output_keeps_its_head_and_its_tail() {
    let output: String = (1..=20_000).map(|nth| format!("step {nth} went well\n")).collect();
    let filtered = filter(output.as_bytes(), &sealed(), &Bounds::default(), &Budget::default());
    assert_eq!(filtered.passed, Passed::InPart);
    assert!(filtered.text.starts_with("step 1 went well\nstep 2 went well\n"), "{}", filtered.text);
    assert!(filtered.text.ends_with("step 19999 went well\nstep 20000 went well\n"));
    assert!(filtered.text.contains("left out: the output was longer than it may be"));
    assert!((60 << 10..=64 << 10).contains(&filtered.text.len()), "{}", filtered.text.len());
}

/// Lines that occur in every module are no secret.
#[test]
fn common_lines_come_through() {
    let output = "}\n    Ok(())\n    return None\nuse std::collections::{BTreeMap, HashMap};\nuse std::fmt;\n\
        use serde::{Deserialize, Serialize};\n#[derive(Clone, Debug, PartialEq, Eq)]\nimpl fmt::Display for\n\
        from __future__ import annotations\nfrom typing import Iterable, Optional\n#[cfg(test)]\nmod tests {\n\
        use super::*;\n// Licensed under the Apache License, Version 2.0 (the \"License\"); you may not\n\
        // use this file except in compliance with the License. You may obtain a copy\n\
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {\n        match self {\n";
    let filtered = filter(output.as_bytes(), &sealed(), &Bounds::default(), &Budget::default());
    assert_eq!((filtered.text.as_str(), filtered.passed), (output, Passed::Whole));
}

macro_rules! outputs {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("innocent/", $name, ".txt")))),*]
    };
}

const OUTPUTS: &[(&str, &str)] = outputs![
    "cargo_test_failed",
    "cargo_test_passed",
    "clippy",
    "git_diff",
    "junit",
    "linker",
    "lockfile_digests",
    "module_messages",
    "mutants",
    "nextest",
    "npm_install",
    "npm_test",
    "pytest_own_code",
    "pytest_short",
    "python_traceback",
    "rust_panic_backtrace",
    "rustc_borrow",
    "rustc_mismatched_types",
    "rustc_warnings",
    "tsc",
];
