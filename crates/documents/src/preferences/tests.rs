use proptest::prelude::*;

use super::{CONDITIONS, SECTIONS, read};
use crate::Tier;
use crate::tests::{Case, PREFERENCES, Subject, mutated};

fn subject() -> Subject<'static> {
    let sections = SECTIONS.iter().collect();
    Subject { key: "preferences", good: PREFERENCES, sections, read: &|text| read(text).1 }
}

#[test]
fn good_preferences_are_read() {
    let (preferences, findings) = read(Some(PREFERENCES));
    assert_eq!(findings, []);
    assert_eq!(preferences.stack, ["Rust 1.95", "axum", "SQLite"]);
    assert_eq!(preferences.deploy_target, "Docker on a VPS behind Caddy.");
    assert_eq!((preferences.conventions.len(), preferences.security_baseline.len()), (2, 2));
    let bars = &preferences.quality_bars;
    assert_eq!(bars[&Tier::Shed], "runs for one person, structured logs on stdout.");
    assert_eq!(bars.len(), 3);
}

/// Proves: L-013
#[test]
fn every_part_of_the_preferences_is_needed() {
    subject().needs_every_section();
    subject().keeps_the_bounds();
    let cases: [Case<'_>; 6] = [
        ("preferences.quality-bar.shed", "- shed: runs", "- hut: runs", "## Quality Bar"),
        ("preferences.quality-bar.house", "- house: runs", "- runs", "## Quality Bar"),
        ("preferences.quality-bar.skyscraper", "- skyscraper: runs", "- runs", "## Quality Bar"),
        ("preferences.placeholder", "- axum", "- TBD", "- TBD"),
        (
            "preferences.placeholder",
            "- Conventional commits.",
            "- Commits: <how>",
            "- Commits: <how>",
        ),
        ("preferences.placeholder", "Caddy.\n", "Caddy.\n\n...\n", "..."),
    ];
    subject().holds_except(&cases, CONDITIONS);
}

#[test]
fn a_bar_that_is_a_placeholder_is_no_bar() {
    let text = PREFERENCES.replace("runs for a team, with tracing and alerts.", "TBD");
    let (preferences, findings) = read(Some(&text));
    assert!(!preferences.quality_bars.contains_key(&Tier::House));
    let ids: Vec<&str> = findings.iter().map(|it| it.condition.as_ref()).collect();
    assert_eq!(ids, ["preferences.placeholder", "preferences.quality-bar.house"]);
}

#[test]
fn quality_bars_may_be_headings_or_rows() {
    let (list, _) = PREFERENCES.split_once("- shed:").unwrap();
    let headings = "### Shed\n\nOne.\n\n### House\n\n- Two.\n- Three.\n\n### Skyscraper\n\nFour.\n";
    let (preferences, findings) = read(Some(&format!("{list}{headings}")));
    assert_eq!(findings, []);
    assert_eq!(preferences.quality_bars[&Tier::House], "Two. Three.");
    let rows =
        "| Tier | Bar |\n|---|---|\n| shed | One |\n| house | Two |\n| skyscraper | Four |\n";
    let (preferences, findings) = read(Some(&format!("{list}{rows}")));
    assert_eq!(findings, []);
    assert_eq!(preferences.quality_bars[&Tier::Skyscraper], "Four");
}

proptest! {
    #[test]
    fn any_text_is_survived(text in any::<String>()) {
        subject().survives(&text);
    }

    #[test]
    fn a_broken_document_is_survived(text in mutated(PREFERENCES)) {
        subject().survives(&text);
    }
}
