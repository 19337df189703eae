use super::{
    Drift, DriftClass, ReconcileAxis, ReconcileFacts, ReconcileOutcome, classify_drift, reconcile,
    reconcile_outcome, reconcile_structure,
};
use crate::tests::{DESIGN, each_breaks, failing, names};

fn drift(outside: bool, impossible: bool, tier: bool, structural: bool) -> Drift {
    Drift {
        what: "a drift".into(),
        outside_scope: Some(outside),
        criterion_impossible: Some(impossible),
        tier_broken: Some(tier),
        structural: Some(structural),
        annotated: Some(true),
    }
}

/// One of each class, and how each of them ends: nothing has to be written of a cosmetic one, a structural one has to be
/// repaired and annotated, and one against the spec ends only by a person.
///
/// Proves: L-088
#[test]
fn a_drift_is_silent_annotated_or_for_a_person() {
    let evaluated = |drift: Drift| {
        let facts =
            ReconcileFacts { axes: Some(ReconcileAxis::ALL.into()), drifts: Some(vec![drift]) };
        failing(&reconcile(&facts))
    };
    let with = |drift: Drift, annotated: Option<bool>| evaluated(Drift { annotated, ..drift });
    let cosmetic = drift(false, false, false, false);
    let structural = drift(false, false, false, true);
    let violating = drift(true, false, false, false);
    let classes = [&cosmetic, &structural, &violating].map(classify_drift);
    let expected = [DriftClass::Cosmetic, DriftClass::Structural, DriftClass::SpecViolating];
    assert_eq!(classes, expected);
    for annotated in [None, Some(false), Some(true)] {
        assert_eq!(with(cosmetic.clone(), annotated), Vec::<String>::new(), "fixed silently");
        let is_annotated = annotated == Some(true);
        let open = if is_annotated { vec![] } else { vec!["reconcile.annotated"] };
        assert_eq!(with(structural.clone(), annotated), open, "fixed and annotated");
        assert_eq!(with(violating.clone(), annotated), ["reconcile.spec"], "a person decides");
    }
}

/// The list of the design is one for the brake and for the reconcile: the paths that are read are those that count.
///
/// Proves: L-042
#[test]
fn the_tree_of_the_design_is_what_brake_and_reconcile_compare() {
    let (design, findings) = crate::design::read(Some(DESIGN), Some(crate::Tier::House));
    assert_eq!(findings, []);
    let paths = [
        "Cargo.toml",
        "src/main.rs",
        "src/crawler.rs",
        "src/store.rs",
        "src/web.rs",
        "tests/report.rs",
    ];
    assert_eq!(design.files, paths);
    let compared =
        |files: &[&str]| reconcile_structure(&design.files, &design.directories, &names(files));
    assert!(compared(&paths).passes());
    // Each of them is asked for at exactly its path.
    for (nth, path) in paths.iter().enumerate() {
        let mut others = paths.to_vec();
        others.remove(nth);
        let said = compared(&others);
        assert_eq!(failing(&said), ["reconcile.structure"], "{path}");
        assert!(said.findings[0].what.contains(path), "{:?}", said.findings);
    }
    let elsewhere = [&paths[..], &["lib/other.rs"]].concat();
    assert!(compared(&elsewhere).findings[0].what.contains("lib/other.rs"));
    let braked = |count: usize| {
        let files: Vec<(String, u64)> =
            (0..count).map(|nth| (format!("src/{nth}.rs"), 1)).collect();
        let none = std::collections::BTreeSet::new();
        crate::brake::brake(&design.files, &design.exempt, &files, 0, &none, &none).len()
    };
    assert_eq!((braked(2 * paths.len()), braked(2 * paths.len() + 1)), (0, 1));
}

/// Proves: L-089, L-091
#[test]
fn the_worst_drift_decides_the_outcome() {
    let cosmetic = drift(false, false, false, false);
    let structural = drift(false, false, false, true);
    assert_eq!(classify_drift(&cosmetic), DriftClass::Cosmetic);
    assert_eq!(classify_drift(&structural), DriftClass::Structural);
    let outcome = |drifts: &[&Drift]| {
        reconcile_outcome(&drifts.iter().map(|it| (*it).clone()).collect::<Vec<_>>())
    };
    assert_eq!(outcome(&[]), ReconcileOutcome::Clean);
    assert_eq!(outcome(&[&cosmetic]), ReconcileOutcome::Clean);
    assert_eq!(outcome(&[&structural, &cosmetic]), ReconcileOutcome::Repaired);
    let against = [
        drift(true, false, false, false),
        drift(false, true, false, false),
        drift(false, false, true, true),
        // What was not looked at could be against the spec.
        Drift { outside_scope: None, ..cosmetic.clone() },
        Drift { criterion_impossible: None, ..cosmetic.clone() },
        Drift { tier_broken: None, ..cosmetic.clone() },
    ];
    for it in &against {
        assert_eq!(classify_drift(it), DriftClass::SpecViolating);
        assert_eq!(outcome(&[&structural, it]), ReconcileOutcome::Blocked);
    }
    let unknown = Drift { structural: None, ..cosmetic };
    assert_eq!(classify_drift(&unknown), DriftClass::Structural);
    let names = [ReconcileOutcome::Clean, ReconcileOutcome::Repaired, ReconcileOutcome::Blocked];
    assert_eq!(serde_json::to_string(&names).unwrap(), r#"["CLEAN","REPAIRED","BLOCKED"]"#);
}

/// Proves: L-087
#[test]
fn every_condition_of_the_reconcile_gate_has_a_test() {
    let good = ReconcileFacts {
        axes: Some(ReconcileAxis::ALL.into()),
        drifts: Some(vec![drift(false, false, false, true), drift(false, false, false, false)]),
    };
    let spec = |it: &mut ReconcileFacts| it.drifts.as_mut().unwrap()[0].outside_scope = Some(true);
    each_breaks(
        &good,
        reconcile,
        &[
            ("reconcile.axes", &|it| _ = it.axes.as_mut().unwrap().pop_first()),
            ("reconcile.axes?", &|it| it.axes = None),
            ("reconcile.spec", &spec),
            ("reconcile.annotated", &|it| it.drifts.as_mut().unwrap()[0].annotated = Some(false)),
            ("reconcile.annotated", &|it| it.drifts.as_mut().unwrap()[0].annotated = None),
        ],
    );
    for axis in ReconcileAxis::ALL {
        let axes = ReconcileAxis::ALL.into_iter().filter(|it| *it != axis).collect();
        assert!(!reconcile(&ReconcileFacts { axes: Some(axes), ..good.clone() }).passes());
    }
    let unread = ReconcileFacts { drifts: None, ..good };
    assert_eq!(failing(&reconcile(&unread)), ["reconcile.spec?", "reconcile.annotated?"]);
}
