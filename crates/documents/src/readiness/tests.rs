use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{CONDITIONS, Readiness, SECTIONS, Verdict, next_slice, read};
use crate::finding::Finding;
use crate::tests::{Case, READINESS, Subject, mutated, replaced};

fn criteria() -> Vec<String> {
    ["AC-1", "AC-2", "AC-3"].map(String::from).to_vec()
}

fn findings(text: Option<&str>) -> Vec<Finding> {
    read(text, &criteria()).1
}

fn subject() -> Subject<'static> {
    let sections = SECTIONS.iter().collect();
    Subject { key: "readiness", good: READINESS, sections, read: &findings }
}

fn good() -> Readiness {
    let (readiness, findings) = read(Some(READINESS), &criteria());
    assert_eq!(findings, []);
    readiness
}

#[test]
fn a_good_readiness_is_read() {
    let readiness = good();
    assert_eq!(readiness.verdict, Some(Verdict::Ready));
    assert_eq!(readiness.truths.len(), 2);
    let link = &readiness.links[1];
    let fields = [&link.criterion, &link.design, &link.test, &link.proof];
    assert_eq!(
        fields,
        ["AC-2", "store, web", "tests/report.rs::list", "curl localhost:8080/report"]
    );
    let link = &readiness.coverage[2];
    let fields = [&link.criterion, &link.test, &link.proof];
    assert_eq!(fields, ["AC-3", "tests/report.rs::load", "hey -c 50 against the container"]);
    assert_eq!(readiness.build_order, ["AC-2", "AC-1", "AC-3"]);
    assert_eq!(readiness.clarifications.len(), 1);
}

/// Proves: L-049
#[test]
fn every_section_of_the_readiness_is_needed() {
    subject().needs_every_section();
    subject().keeps_the_bounds();
}

/// Proves: L-050, L-051, L-052, L-053
#[test]
fn every_rule_of_the_readiness_has_its_condition() {
    let row = "| AC-2 | store, web         | tests/report.rs::list | `curl localhost:8080/report`      |\n";
    let item = "- AC-2: test: tests/report.rs::list; proof: `curl localhost:8080/report`\n";
    let order = "2. AC-2: the report";
    let truth = "- SQLite is fast enough for 4,000 pages.";
    let cases: [Case<'_>; 32] = [
        ("readiness.verdict.not-ready", "\nREADY\n", "\nNOT READY\n", "NOT READY"),
        ("readiness.verdict.unreadable", "\nREADY\n", "\nReady\n", "Ready"),
        ("readiness.verdict.unreadable", "\nREADY\n", "\nREADY, almost\n", "READY, almost"),
        ("readiness.verdict.unreadable", "\nREADY\n", "\nREADY NOT READY\n", "READY NOT"),
        ("readiness.truth.unsettled", truth, "- Is SQLite fast enough?", "- Is SQLite"),
        ("readiness.truth.unsettled", truth, "- We assume SQLite is fast enough.", "- We assume"),
        (
            "readiness.truth.unsettled",
            truth,
            "- SQLite is fast\n  - unclear for how long",
            "- SQLite is fast",
        ),
        ("readiness.link.missing", row, "", "## Key Links"),
        ("readiness.link.design", "| AC-3 | web  ", "| AC-3 | — ", "| AC-3 | —"),
        ("readiness.link.test", row, "| AC-2 | store | TBD | curl |\n", "| TBD |"),
        ("readiness.link.proof", row, "| AC-2 | store | t.rs | none |\n", "| none |"),
        ("readiness.link.proof", row, "| AC-2 | store | t.rs |\n", "| AC-2 | store"),
        ("readiness.link.unknown", row, &format!("{row}| AC-9 | a | b | c |\n"), "| AC-9"),
        ("readiness.link.duplicate", row, &format!("{row}| AC-2 | a | b | c |\n"), "| AC-2 | a"),
        ("readiness.coverage.missing", item, "", "## Acceptance Criteria Coverage"),
        (
            "readiness.coverage.test",
            "- AC-2: test: tests/report.rs::list;",
            "- AC-2: test: TBD;",
            "test: TBD",
        ),
        (
            "readiness.coverage.test",
            "- AC-2: test: tests/report.rs::list;",
            "- AC-2:",
            "- AC-2: proof",
        ),
        ("readiness.coverage.proof", item, "- AC-2: test a.rs; proof none\n", "proof none"),
        ("readiness.coverage.proof", item, "- AC-2: test a.rs\n", "- AC-2: test a.rs"),
        ("readiness.coverage.unknown", item, &format!("{item}- AC-9: test a; proof b\n"), "- AC-9"),
        (
            "readiness.coverage.duplicate",
            item,
            &format!("{item}- AC-2: test a; proof b\n"),
            "- AC-2: test a",
        ),
        (
            "readiness.clarification.open",
            "changes pass/fail: no",
            "changes pass/fail: yes",
            "links to other sites",
        ),
        ("readiness.clarification.unmarked", "changes pass/fail: no", "", "links to other sites"),
        (
            "readiness.clarification.unmarked",
            "changes pass/fail: no",
            "changes pass/fail: maybe",
            "links to other",
        ),
        ("readiness.order.missing", order, "2. The report", "## Build Order"),
        ("readiness.order.missing", "3. AC-1, AC-3: ", "3. AC-1: ", "## Build Order"),
        ("readiness.order.unknown", order, "2. AC-9, AC-2: the report", "AC-9"),
        ("readiness.order.duplicate", order, "2. AC-2, AC-1: the report", "3. AC-1"),
        ("readiness.order.duplicate", order, "2. AC-2, AC-2: the report", "2. AC-2"),
        ("readiness.truth.clarification", truth, "- SQLite is fast.\n", "- SQLite is fast."),
        ("readiness.truth.clarification", truth, "- sqlite is FAST", "- sqlite is FAST"),
        ("readiness.truth.clarification", truth, "- **SQLite** is fast", "- **SQLite**"),
    ];
    let (mixed, cases): (Vec<_>, Vec<_>) =
        cases.into_iter().partition(|it| it.0 == "readiness.truth.clarification");
    let own: Vec<&str> =
        CONDITIONS.iter().copied().filter(|it| *it != "readiness.truth.clarification").collect();
    subject().holds_except(&cases, &own);
    let open = "- SQLite is fast. changes pass/fail: no\n\n## Build Order";
    let good = replaced(READINESS, "\n## Build Order", open);
    let subject = Subject { good: &good, ..subject() };
    subject.holds_except(&mixed, &["readiness.truth.clarification"]);
}

/// Proves: L-056
#[test]
fn the_next_slice_is_the_first_of_the_build_order_that_is_not_done() {
    let order = good().build_order;
    let done = |ids: &[&str]| ids.iter().map(ToString::to_string).collect::<BTreeSet<String>>();
    assert_eq!(next_slice(&order, &done(&[])), Some("AC-2"));
    assert_eq!(next_slice(&order, &done(&["AC-1"])), Some("AC-2"));
    assert_eq!(next_slice(&order, &done(&["AC-1", "AC-2"])), Some("AC-3"));
    assert_eq!(next_slice(&order, &done(&["AC-1", "AC-2", "AC-3"])), None);
}

#[test]
fn a_resolved_clarification_may_have_changed_the_verdict() {
    let text =
        replaced(READINESS, "changes pass/fail: no", "resolved: weekly. changes pass/fail: yes");
    assert_eq!(findings(Some(&text)), []);
}

proptest! {
    #[test]
    fn any_text_is_survived(text in any::<String>()) {
        subject().survives(&text);
    }

    #[test]
    fn a_broken_document_is_survived(text in mutated(READINESS)) {
        subject().survives(&text);
    }
}
