use std::collections::BTreeSet;

use super::{
    BuildFacts, DeployFacts, Evaluation, ReconcileFacts, ReviewFacts, Texts, VerifyFacts, analyze,
    build, deploy, design, expand, expand_further, iterate, reconcile, review, verify,
};
use crate::tests::{DESIGN, PREFERENCES, PROPOSAL, READINESS, SCOPE, failing, replaced, section};

fn texts() -> Texts<'static> {
    Texts {
        preferences: Some(PREFERENCES),
        scope: Some(SCOPE),
        design: Some(DESIGN),
        readiness: Some(READINESS),
    }
}

#[test]
fn good_documents_pass_their_gates() {
    for evaluation in
        [expand(&texts()), design(&texts()), analyze(&texts()), iterate(Some(PROPOSAL))]
    {
        assert_eq!(failing(&evaluation), Vec::<String>::new());
        assert!(evaluation.passes() && evaluation.conditions.len() > 10);
        let ids: BTreeSet<&str> = evaluation.conditions.iter().map(|it| it.id.as_ref()).collect();
        assert_eq!(ids.len(), evaluation.conditions.len(), "each condition once");
    }
}

#[test]
fn an_evaluation_without_conditions_does_not_pass() {
    assert!(!Evaluation::default().passes());
}

/// Proves: L-034
#[test]
fn the_expand_gate_fails_for_each_reason() {
    let criteria = section(SCOPE, "## Acceptance Criteria");
    let vague = "## Acceptance Criteria\n\n- AC-1: It is fast.\n\n";
    let many: String = (0..30).map(|nth| format!("- AC-{nth}: Within {nth} ms.\n")).collect();
    let many = format!("## Acceptance Criteria\n\n{many}\n");
    let cases = [
        (section(SCOPE, "## Problem"), "", "scope.section.problem"),
        (section(SCOPE, "## Data Model"), "", "scope.section.data-model"),
        (criteria, vague, "scope.threshold"),
        (criteria, &many, "scope.ambition.criteria"),
        ("works without\nemail reports", "sends email reports", "scope.ambition.deferred"),
        (section(SCOPE, "## Quality Tier"), "", "scope.section.quality-tier"),
        ("House\n", "Good\n", "scope.tier"),
        (section(SCOPE, "## Estimated Cost"), "", "scope.section.estimated-cost"),
        ("$6 per month for", "Little for", "scope.cost.monthly"),
    ];
    for (from, to, condition) in cases {
        let scope = replaced(SCOPE, from, to);
        // The many criteria contain the id of a deferred one.
        let scope = scope.replace("- AC-4: A check of several", "- A check of several");
        assert_eq!(failing(&expand(&Texts { scope: Some(&scope), ..texts() })), [condition]);
    }
    let preferences = replaced(PREFERENCES, "- axum", "- actix");
    let other = Texts { preferences: Some(&preferences), ..texts() };
    assert_eq!(failing(&expand(&other)), ["scope.stack"]);
    assert_eq!(failing(&expand(&Texts { scope: None, ..texts() }))[0], "scope.absent");
    assert!(!expand(&Texts { preferences: None, ..texts() }).passes());
}

#[test]
fn a_further_version_asks_for_more_and_names_what_was_delivered() {
    let of =
        |scope: &str| failing(&expand_further(&Texts { scope: Some(scope), ..texts() }, SCOPE));
    let old = "- AC-2: The report lists each broken link with the page it stands on.\n";
    assert_eq!(of(SCOPE), ["scope.delivered.nothing-new"]);
    let more = replaced(SCOPE, old, &format!("{old}- AC-9: At most 3 clicks.\n"));
    assert_eq!(of(&more), [""; 0]);
    assert_eq!(of(&replaced(SCOPE, old, "- AC-2: The report lists 3 links.\n")), [""; 0]);
    assert_eq!(of(&replaced(&more, old, "")), ["scope.delivered.gone"]);
    let deferred =
        replaced(&more, "- AC-4: A check", "- AC-2: Links — deferred by Ada\n- AC-4: A check");
    assert_eq!(of(&replaced(&deferred, old, "")), [""; 0]);
}

/// Proves: L-048
#[test]
fn the_design_gate_fails_for_each_reason() {
    let mut cases: Vec<(&str, &str, &str)> = vec![
        (
            "- Failure: a timeout of ten seconds and two retries; then the page counts as broken.",
            "",
            "design.integration.no-failure-handling",
        ),
        ("resolved: up to five", "", "design.question.open"),
        (" because none of the 4,000 pages links into one", "", "design.question.no-reason"),
        (section(DESIGN, "## Tier Review"), "", "design.review.missing"),
    ];
    for (heading, condition) in [
        ("## Directory Structure", "design.section.directory-structure"),
        ("## Interfaces", "design.section.interfaces"),
        ("## Observability", "design.section.observability"),
        ("## Complexity Exceptions", "design.section.complexity-exceptions"),
    ] {
        cases.push((section(DESIGN, heading), "", condition));
    }
    for (from, to, condition) in cases {
        let text = replaced(DESIGN, from, to);
        assert_eq!(failing(&design(&Texts { design: Some(&text), ..texts() })), [condition]);
    }
    let scope = replaced(SCOPE, "House\n", "Good\n");
    assert_eq!(failing(&design(&Texts { scope: Some(&scope), ..texts() })), ["design.tier?"]);
}

/// Proves: L-052, L-053, L-054
#[test]
fn the_analyze_gate_fails_for_each_reason() {
    let cases = [
        ("\nREADY\n", "\nNOT READY\n", "readiness.verdict.not-ready"),
        ("- AC-3: test tests/report.rs::load\n", "- AC-3: test none\n", "readiness.coverage.test"),
        ("  - proof `hey -c 50` against the container\n", "", "readiness.coverage.proof"),
        ("changes pass/fail: no", "changes pass/fail: yes", "readiness.clarification.open"),
        ("- SQLite is fast", "- Probably SQLite is fast", "readiness.truth.unsettled"),
        ("3. AC-1, AC-3:", "3. AC-1:", "readiness.order.missing"),
    ];
    for (from, to, condition) in cases {
        let text = replaced(READINESS, from, to);
        assert_eq!(failing(&analyze(&Texts { readiness: Some(&text), ..texts() })), [condition]);
    }
    let absent = failing(&analyze(&Texts { readiness: None, ..texts() }));
    assert_eq!((absent[0].as_str(), absent.len() > 20), ("readiness.absent", true));
    assert!(absent[1..].iter().all(|it| it.ends_with('?')), "{absent:?}");
    let scope = replaced(SCOPE, "changes pass/fail: no", "changes pass/fail: yes");
    let open = Texts { scope: Some(&scope), ..texts() };
    assert_eq!(failing(&analyze(&open)), ["scope.clarification.open"]);
    let empty = analyze(&Texts { scope: None, ..texts() });
    assert!(failing(&empty).contains(&String::from("readiness.criteria?")));
}

#[test]
fn nothing_measured_is_never_a_pass() {
    let told = |it: &Evaluation| it.conditions.iter().filter(|it| it.held == Some(true)).count();
    let none = build(&BuildFacts::default());
    assert!(!none.passes());
    assert_eq!(none.failing().count(), 11);
    let evaluations = [
        review(&ReviewFacts::default()),
        reconcile(&ReconcileFacts::default()),
        verify(&VerifyFacts::default()),
        deploy(&DeployFacts::default(), None, None),
        expand(&Texts::default()),
        design(&Texts::default()),
        analyze(&Texts::default()),
        iterate(None),
    ];
    assert!(evaluations.iter().all(|it| !it.passes()));
    assert_eq!((told(&evaluations[0]), told(&evaluations[1])), (0, 0));
}
