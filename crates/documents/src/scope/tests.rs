use proptest::prelude::*;

use super::{CONDITIONS, Clarification, Deferred, SECTIONS, criteria_max, read};
use crate::Tier;
use crate::finding::Finding;
use crate::preferences;
use crate::tests::{Case, PREFERENCES, SCOPE, Subject, mutated, replaced};

fn findings(text: Option<&str>) -> Vec<Finding> {
    read(text, Some(&preferences::read(Some(PREFERENCES)).0)).1
}

fn subject() -> Subject<'static> {
    Subject { key: "scope", good: SCOPE, sections: SECTIONS.iter().collect(), read: &findings }
}

#[test]
fn a_good_scope_is_read() {
    let (scope, findings) = read(Some(SCOPE), None);
    assert_eq!(findings, []);
    let ids: Vec<(&str, bool)> =
        scope.criteria.iter().map(|it| (it.id.as_str(), it.needs_load)).collect();
    assert_eq!(ids, [("AC-1", false), ("AC-2", false), ("AC-3", true)]);
    let first = "A check of 500 pages ends within 10 minutes. A page that does not answer counts as broken.";
    assert_eq!((scope.criteria[0].text.as_str(), scope.criteria[0].line), (first, 14));
    assert_eq!(scope.tier, Some(Tier::House));
    assert_eq!(scope.stack, ["SQLite", "axum", "rust 1.95"]);
    assert_eq!(scope.cost, "$6 per month for the smallest VPS.");
    let states: Vec<(bool, Option<bool>)> =
        scope.clarifications.iter().map(|it| (it.is_resolved, it.changes_verdict)).collect();
    assert_eq!(states, [(true, None), (false, Some(false))]);
    let name = |it: &str| it.to_string();
    assert_eq!(
        scope.deferred,
        [
            Deferred { id: None, name: name("Email reports"), by: Some(name("Ana")), line: 49 },
            Deferred {
                id: Some(name("AC-4")),
                name: name("A check of several sites"),
                by: None,
                line: 50
            },
        ]
    );
}

/// Proves: L-025
#[test]
fn every_section_of_the_scope_is_needed() {
    subject().needs_every_section();
    subject().keeps_the_bounds();
}

/// Proves: L-026, L-028
#[test]
fn every_rule_of_the_scope_has_its_condition() {
    let cases: [Case<'_>; 18] = [
        (
            "scope.criteria.none",
            CRITERIA,
            "Editors are happy within 10 minutes.",
            "## Acceptance Criteria",
        ),
        ("scope.criterion.id", "- AC-2: The", "- The", "- The report lists"),
        ("scope.criterion.id", "- AC-2: The", "- ac-2: The", "- ac-2"),
        ("scope.criterion.id", "- AC-2: The", "- ~~AC-2~~: The", "- ~~AC-2"),
        ("scope.criterion.duplicate", "- AC-2: The", "- AC-1: The", "- AC-1: The"),
        (
            "scope.criterion.empty",
            "AC-2: The report lists each broken link with the page it stands on.",
            "AC-2: TBD",
            "AC-2: TBD",
        ),
        (
            "scope.threshold",
            "500 pages ends within 10 minutes.\n  - A page that does not answer counts as broken.\n- AC-2: The report lists each broken link with the page it stands on.\n- AC-3: The report answers in under 200 ms with 50 concurrent users.",
            "a site ends in time.\n- AC-2: Version 2 lists it since 2026-01-31.",
            "## Acceptance Criteria",
        ),
        ("scope.stack", "- axum", "- actix", "## Stack"),
        ("scope.stack", "- axum\n", "", "## Stack"),
        ("scope.stack", "- axum\n", "- axum\n- Redis\n", "## Stack"),
        ("scope.cost.monthly", "$6 per month", "Six coins", "## Estimated Cost"),
        ("scope.cost.monthly", "$6 per month for", "$6 once for", "## Estimated Cost"),
        ("scope.cost.monthly", "$6 per month for", "3 months of", "## Estimated Cost"),
        ("scope.tier", "House\n", "Bungalow\n", "Bungalow"),
        ("scope.tier", "House\n", "shed | house | skyscraper\n", "shed |"),
        (
            "scope.ambition.deferred",
            "works without\nemail reports.",
            "sends email\nreports.",
            "## Smallest",
        ),
        (
            "scope.ambition.deferred",
            "of one site each",
            "of one site, not of a check of several sites, each night. A check of several sites each",
            "## Smallest",
        ),
        ("scope.deferred.criterion", "- AC-4: A", "- AC-3: A", "- AC-3: A"),
    ];
    // The number of criteria has a test of its own.
    let tested: Vec<&str> =
        CONDITIONS.iter().copied().filter(|it| *it != "scope.ambition.criteria").collect();
    subject().holds_except(&cases, &tested);
}

/// Proves: L-026
#[test]
fn an_id_survives_rewording() {
    let text = replaced(
        SCOPE,
        "The report lists each broken link with the page it stands on.",
        "Broken links and their pages are listed.",
    );
    let (scope, findings) = read(Some(&text), None);
    assert_eq!(
        (scope.criterion_ids(), findings),
        (read(Some(SCOPE), None).0.criterion_ids(), vec![])
    );
}

#[test]
fn a_first_version_has_as_many_criteria_as_its_tier_allows() {
    for tier in Tier::ALL {
        let text = replaced(SCOPE, "House\n", &format!("{}\n", tier.name()));
        let scope = |count: usize| {
            let more = (0..count - 3).map(|nth| format!("- AC-X{nth}: One more.\n"));
            replaced(&text, "- AC-2:", &format!("{}- AC-2:", more.collect::<String>()))
        };
        assert_eq!(findings(Some(&scope(criteria_max(tier)))), []);
        let found = findings(Some(&scope(criteria_max(tier) + 1)));
        assert_eq!((found.len(), found[0].condition.as_ref()), (1, "scope.ambition.criteria"));
    }
}

#[test]
fn the_cost_may_be_zero_but_must_be_said() {
    for cost in
        ["$0 — static hosting", "0 EUR", "EUR 12.50 a month", "about 5€/mo", "12 USD monthly"]
    {
        let text = replaced(SCOPE, "$6 per month for the smallest VPS.", cost);
        assert_eq!(findings(Some(&text)), [], "{cost}");
    }
}

#[test]
fn a_threshold_is_a_quantity_and_not_a_name() {
    let is_threshold = |it: &str| super::threshold::is_in(it);
    let quantities = [
        "within 200 ms",
        "<200ms",
        "at least 3 of them",
        "99.9%",
        "5 percent",
        "up to 40",
        "10/s",
        "≤ 5",
        "5-10 ms",
        "24h",
        "costs $5",
        "no more than 3",
        "1,000 users",
        "(100 rows)",
    ];
    quantities.iter().for_each(|it| assert!(is_threshold(it), "{it}"));
    let names = [
        "returns 404",
        "HTTP 200",
        "2026-01-31",
        "1.2.3",
        "version 2",
        "at least 1.2.3",
        "AC-12",
        "1. first",
        "RFC 9457",
        "port 8080",
        "SHA256",
        "v2",
        "version at least 2",
        "fast",
        "",
        "in 2026",
        "2FA",
        "under HTTP",
    ];
    names.iter().for_each(|it| assert!(!is_threshold(it), "{it}"));
}

#[test]
fn criteria_may_be_headings() {
    let text = replaced(
        SCOPE,
        CRITERIA,
        "### AC-1 Speed\n\n- Ends within 10 minutes.\n\n### AC-2: List\n\nLists them.",
    );
    let (scope, findings) = read(Some(&text), None);
    assert_eq!(findings, []);
    let texts: Vec<&str> = scope.criteria.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(texts, ["Speed Ends within 10 minutes.", "List Lists them."]);
}

#[test]
fn none_leaves_the_lists_empty() {
    let text = replaced(
        SCOPE,
        "- Email reports — deferred by Ana\n- AC-4: A check of several sites\n",
        "None.\n",
    );
    let (scope, findings) = read(Some(&text), None);
    assert_eq!((scope.deferred, findings), (vec![], vec![]));
}

#[test]
fn a_clarification_is_resolved_only_with_an_answer() {
    for answer in [
        "resolved: TBD",
        "resolved:",
        "unresolved: the docs",
        "resolved: TBD changes pass/fail: yes",
    ] {
        let text = replaced(SCOPE, "resolved: the documentation of the product", answer);
        let (scope, _) = read(Some(&text), None);
        let open: Vec<&Clarification> =
            scope.clarifications.iter().filter(|it| !it.is_resolved).collect();
        assert_eq!(open.len(), 2, "{answer}");
    }
}

proptest! {
    #[test]
    fn any_text_is_survived(text in any::<String>()) {
        subject().survives(&text);
    }

    #[test]
    fn a_broken_document_is_survived(text in mutated(SCOPE)) {
        subject().survives(&text);
    }
}

const CRITERIA: &str = "- **AC-1**: A check of 500 pages ends within 10 minutes.
  - A page that does not answer counts as broken.
- AC-2: The report lists each broken link with the page it stands on.
- AC-3: The report answers in under 200 ms with 50 concurrent users.";
