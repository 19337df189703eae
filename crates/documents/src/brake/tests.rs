use std::collections::BTreeSet;

use super::{Brake, BrakeKind, brake};

/// The kinds and metrics of the brakes of a codebase with two designed files.
fn braked(
    exempt: &[&str],
    files: &[(&str, u64)],
    approaches: u32,
    added: &[&str],
) -> Vec<(BrakeKind, u64, u64)> {
    let designed = ["src/main.rs", "src/web.rs"].map(String::from);
    let exempt: Vec<String> = exempt.iter().map(ToString::to_string).collect();
    let files: Vec<(String, u64)> =
        files.iter().map(|(path, lines)| (path.to_string(), *lines)).collect();
    let planned = BTreeSet::from([String::from("serde")]);
    let dependencies =
        planned.iter().cloned().chain(added.iter().map(ToString::to_string)).collect();
    let brakes = brake(&designed, &exempt, &files, approaches, &planned, &dependencies);
    brakes.into_iter().map(|Brake { kind, metric, limit, .. }| (kind, metric, limit)).collect()
}

/// Proves: L-067
#[test]
fn more_than_twice_the_designed_files_brake() {
    let files = [("a", 1), ("b", 1), ("c", 1), ("d", 1), ("e", 1)];
    assert_eq!(braked(&[], &files[..4], 1, &[]), []);
    assert_eq!(braked(&[], &files, 1, &[]), [(BrakeKind::Files, 5, 4)]);
}

/// Proves: L-068
#[test]
fn a_source_file_of_more_than_300_lines_brakes() {
    assert_eq!(braked(&[], &[("src/main.rs", 300)], 1, &[]), []);
    let long = [("src/main.rs", 301)];
    assert_eq!(braked(&[], &long, 1, &[]), [(BrakeKind::FileLines, 301, 300)]);
    assert_eq!(braked(&["src/main.rs"], &long, 1, &[]), []);
    assert_eq!(braked(&["src/"], &long, 1, &[]), []);
    assert_eq!(braked(&["src/ma", "", "/"], &long, 1, &[]).len(), 1);
    assert_eq!(braked(&[], &[("a.lock", 999), ("docs/a.md", 999), ("a.JSON", 999)], 1, &[]), []);
}

#[test]
fn the_third_approach_to_one_problem_brakes() {
    assert_eq!(braked(&[], &[], 2, &[]), []);
    assert_eq!(braked(&[], &[], 3, &[]), [(BrakeKind::Approaches, 3, 2)]);
}

/// Proves in part: L-070
#[test]
fn a_dependency_that_the_design_does_not_name_brakes() {
    assert_eq!(braked(&[], &[], 0, &["serde"]), []);
    let expected = [(BrakeKind::Dependency, 2, 0), (BrakeKind::Dependency, 2, 0)];
    assert_eq!(braked(&[], &[], 0, &["tokio", "axum"]), expected);
}
