use proptest::prelude::*;

use super::{CONDITIONS, README_KEY, README_SECTIONS, SECTIONS, delivery, readme};
use crate::Tier;
use crate::finding::Finding;
use crate::tests::{Case, DELIVERY, README, Subject, mutated, replaced, section};

const ROLLBACK: &str = "docker compose up -d linkwatch:41";

fn read(text: Option<&str>, tier: Tier) -> Vec<Finding> {
    let criteria = ["AC-1", "AC-2", "AC-3"].map(String::from);
    delivery(text, tier, &criteria, Some(ROLLBACK))
}

fn skyscraper(text: Option<&str>) -> Vec<Finding> {
    read(text, Tier::Skyscraper)
}

fn subject() -> Subject<'static> {
    let sections = SECTIONS.iter().map(|(_, it)| it).collect();
    Subject { key: "delivery", good: DELIVERY, sections, read: &skyscraper }
}

fn readme_subject() -> Subject<'static> {
    let sections = README_SECTIONS[1..].iter().collect();
    Subject { key: README_KEY, good: README, sections, read: &readme }
}

/// Proves: L-112
#[test]
fn every_part_of_the_readme_is_needed() {
    readme_subject().needs_every_section();
    readme_subject().keeps_the_bounds();
    let opening = "Checks the links of a site each night and shows the broken ones.\n";
    let cases: [Case<'_>; 2] = [
        ("readme.section.what-it-is", opening, "", ""),
        ("readme.section.what-it-is", opening, "## About\n\nTBD\n", "## About"),
    ];
    readme_subject().holds_except(&cases, &[]);
    let about = replaced(README, opening, "## About\n\nChecks links.\n");
    assert_eq!(readme(Some(&about)), []);
}

/// Proves: L-114
#[test]
fn every_rule_of_the_delivery_has_its_condition() {
    subject().needs_every_section();
    subject().keeps_the_bounds();
    let cases: [Case<'_>; 5] = [
        ("delivery.verified", "- AC-2: the report", "- the report", "## Verified Criteria"),
        ("delivery.verified", "- AC-2: the report", "- AC-22: the report", "## Verified Criteria"),
        ("delivery.rollback", "linkwatch:41", "linkwatch:40", "## Incident Response"),
        (
            "delivery.rollback",
            ROLLBACK,
            "docker compose up -d linkwatch:41 --build",
            "## Incident Response",
        ),
        (
            "delivery.rollback",
            "   $ docker compose up -d linkwatch:41\n",
            "",
            "## Incident Response",
        ),
    ];
    subject().holds_except(&cases, CONDITIONS);
}

#[test]
fn the_rollback_command_may_be_inline_or_a_line_of_its_own() {
    let part = section(DELIVERY, "## Incident Response");
    for text in [
        "Run `docker compose up -d linkwatch:41`, then call Ana.",
        ROLLBACK,
        &format!("- {ROLLBACK}"),
    ] {
        let text = format!("## Incident Response\n\n{text}\n\n");
        assert_eq!(skyscraper(Some(&replaced(DELIVERY, part, &text))), [], "{text}");
    }
    let elsewhere = format!("## Incident Response\n\nCall Ana.\n\n## Rollback\n\n`{ROLLBACK}`\n\n");
    assert_eq!(skyscraper(Some(&replaced(DELIVERY, part, &elsewhere))).len(), 1);
}

/// Proves: L-113
#[test]
fn the_delivery_deepens_with_the_tier() {
    for (least, wanted) in &SECTIONS {
        let part = section(DELIVERY, &format!("## {}", wanted.names[0]));
        let without = replaced(DELIVERY, part, "");
        for tier in Tier::ALL {
            let found = read(Some(&without), tier);
            let ids: Vec<&str> = found.iter().map(|it| it.condition.as_ref()).collect();
            let expected: &[&str] = if tier >= *least { &[wanted.condition] } else { &[] };
            assert_eq!(ids, expected, "{tier:?} without {}", wanted.names[0]);
        }
    }
    for tier in Tier::ALL {
        assert_eq!(read(None, tier)[0].condition, "delivery.absent");
    }
    let least: Vec<Tier> = SECTIONS.iter().map(|(least, _)| *least).collect();
    let count = |tier: Tier| least.iter().filter(|it| **it == tier).count();
    assert_eq!(Tier::ALL.map(count), [2, 2, 3]);
}

#[test]
fn a_wrong_rollback_command_is_found_at_every_tier() {
    let text = DELIVERY.replace("linkwatch:41", "linkwatch:40");
    for tier in Tier::ALL {
        assert_eq!(read(Some(&text), tier).len(), 1, "{tier:?}");
    }
}

proptest! {
    #[test]
    fn any_text_is_survived(text in any::<String>()) {
        subject().survives(&text);
        readme_subject().survives(&text);
    }

    #[test]
    fn a_broken_document_is_survived(text in mutated(DELIVERY), other in mutated(README)) {
        subject().survives(&text);
        readme_subject().survives(&other);
    }
}
