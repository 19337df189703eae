use super::{
    Concern, Disposition, ReviewAxis, ReviewCheck, ReviewFacts, ReviewFinding, ReviewSeverity,
    review,
};
use crate::tests::each_breaks;

/// Proves: L-077, L-079, L-080
#[test]
fn every_condition_of_the_review_gate_has_a_test() {
    let finding = |severity, is_fixed| ReviewFinding { id: "R-1".into(), severity, is_fixed };
    let concern = |disposition| Concern { what: "dead code".into(), disposition };
    let good = ReviewFacts {
        axes: Some(ReviewAxis::ALL.into()),
        checks: Some(ReviewCheck::ALL.into()),
        findings: Some(vec![
            finding(ReviewSeverity::Critical, Some(true)),
            finding(ReviewSeverity::Optional, None),
        ]),
        build_tree: Some("sha256:1".into()),
        tree: Some("sha256:1".into()),
        concerns: Some(vec![concern(Disposition::Resolved), concern(Disposition::Documented)]),
    };
    each_breaks(
        &good,
        review,
        &[
            ("review.axes", &|it| _ = it.axes.as_mut().unwrap().pop_first()),
            ("review.axes?", &|it| it.axes = None),
            ("review.checks", &|it| _ = it.checks.as_mut().unwrap().pop_last()),
            ("review.checks?", &|it| it.checks = None),
            ("review.findings", &|it| {
                it.findings = Some(vec![finding(ReviewSeverity::Critical, Some(false))])
            }),
            ("review.findings", &|it| {
                it.findings = Some(vec![finding(ReviewSeverity::Required, None)])
            }),
            ("review.findings?", &|it| it.findings = None),
            ("review.build-evidence", &|it| it.tree = Some("sha256:2".into())),
            ("review.build-evidence?", &|it| it.build_tree = None),
            ("review.concerns", &|it| it.concerns = Some(vec![concern(Disposition::Open)])),
            ("review.concerns?", &|it| it.concerns = None),
        ],
    );
    for axis in ReviewAxis::ALL {
        let axes = ReviewAxis::ALL.into_iter().filter(|it| *it != axis).collect();
        assert!(!review(&ReviewFacts { axes: Some(axes), ..good.clone() }).passes());
    }
}
