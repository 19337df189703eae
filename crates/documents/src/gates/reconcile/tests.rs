use super::{
    Drift, DriftClass, ReconcileAxis, ReconcileFacts, ReconcileOutcome, classify_drift, reconcile,
    reconcile_outcome,
};
use crate::tests::{each_breaks, failing};

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

/// Proves: L-089, L-091
/// Proves in part: L-088
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
