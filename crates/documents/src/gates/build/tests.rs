use std::collections::BTreeMap;

use super::{Audit, BuildFacts, RedTest, TestRun, build};
use crate::tests::{each_breaks, failing, names};

fn built() -> BuildFacts {
    let red = RedTest { failed: Some(true), before_source: Some(true) };
    let each = |text: &str| ["AC-1", "AC-2"].map(|it| (it.to_string(), names(&[text])));
    BuildFacts {
        criteria: names(&["AC-1", "AC-2"]),
        red: BTreeMap::from(["AC-1", "AC-2"].map(|it| (it.to_string(), red))),
        compiles: Some(true),
        tests: Some(TestRun { passed: 9, failed: 0 }),
        passed_tests: Some(each("report::lists").into()),
        proofs: Some(each("sha256:1").into()),
        secrets: Some(vec![]),
        audit: Some(Audit::default()),
        dependencies: Some(2),
        lockfile: Some(true),
        designed_files: names(&["src/main.rs", "tests/report.rs"]),
        designed_directories: names(&["src", "tests", "assets/"]),
        files: Some(names(&[
            "src/main.rs",
            "src/more.rs",
            "tests/report.rs",
            "build.rs",
            "assets/a.css",
            "docs/a/b.md",
            ".ci/run",
        ])),
        placeholders: Some(vec![]),
    }
}

/// Proves: L-059, L-060, L-064
#[test]
fn every_condition_of_the_build_gate_has_a_test() {
    each_breaks(
        &built(),
        build,
        &[
            ("build.red-first", &|it| it.red.get_mut("AC-2").unwrap().failed = Some(false)),
            ("build.red-first", &|it| it.red.get_mut("AC-2").unwrap().before_source = Some(false)),
            ("build.red-first?", &|it| it.red.get_mut("AC-2").unwrap().failed = None),
            ("build.red-first?", &|it| _ = it.red.remove("AC-2")),
            ("build.compiles", &|it| it.compiles = Some(false)),
            ("build.compiles?", &|it| it.compiles = None),
            ("build.tests", &|it| it.tests = Some(TestRun { passed: 9, failed: 1 })),
            ("build.tests", &|it| it.tests = Some(TestRun { passed: 0, failed: 0 })),
            ("build.tests?", &|it| it.tests = None),
            ("build.criterion-tests", &|it| _ = it.passed_tests.as_mut().unwrap().remove("AC-1")),
            ("build.criterion-tests", &|it| {
                it.passed_tests.as_mut().unwrap().get_mut("AC-1").unwrap().clear()
            }),
            ("build.criterion-tests?", &|it| it.passed_tests = None),
            ("build.criterion-proofs", &|it| _ = it.proofs.as_mut().unwrap().remove("AC-1")),
            ("build.criterion-proofs?", &|it| it.proofs = None),
            ("build.secrets", &|it| it.secrets = Some(names(&["src/main.rs:3"]))),
            ("build.secrets?", &|it| it.secrets = None),
            ("build.audit", &|it| it.audit = Some(Audit { critical: 0, high: 1 })),
            ("build.audit", &|it| it.audit = Some(Audit { critical: 1, high: 0 })),
            ("build.audit?", &|it| it.audit = None),
            ("build.lockfile", &|it| it.lockfile = Some(false)),
            ("build.lockfile?", &|it| it.lockfile = None),
            ("build.lockfile?", &|it| it.dependencies = None),
            ("build.structure", &|it| it.designed_files.push("src/store.rs".into())),
            ("build.structure", &|it| it.files.as_mut().unwrap().push("lib/a.rs".into())),
            ("build.structure", &|it| it.files.as_mut().unwrap().push("src/deep/a.rs".into())),
            ("build.structure?", &|it| it.designed_files.clear()),
            ("build.structure?", &|it| it.files = None),
            ("build.placeholders", &|it| it.placeholders = Some(names(&["AC-1"]))),
            ("build.placeholders?", &|it| it.placeholders = None),
        ],
    );
}

#[test]
fn a_project_without_dependencies_needs_no_lockfile() {
    let facts = BuildFacts { dependencies: Some(0), lockfile: Some(false), ..built() };
    assert!(build(&facts).passes());
}

#[test]
fn without_criteria_the_build_gate_cannot_tell() {
    let facts = BuildFacts { criteria: vec![], ..built() };
    let of_criteria = ["criteria", "red-first", "criterion-tests", "criterion-proofs"];
    assert_eq!(failing(&build(&facts)), of_criteria.map(|it| format!("build.{it}?")));
}
