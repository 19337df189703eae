//! The gates of documents, as people meet them: one hand-in, and everything that is missing by its name.

use std::collections::BTreeSet;
use std::fs;

use crate::phases::{findings, ready, state, write};
use crate::rehearsal::{Rehearsal, swap};

/// A scope without a threshold or with another stack does not pass; a design of each tier is asked for what its tier asks, a
/// larger one for a drawing and for a review. What passes afterwards differs in nothing else.
///
/// Proves: L-027, L-029, L-041, L-044, L-045, L-046, L-047
#[test]
fn the_gates_of_documents_name_everything_that_is_missing() {
    for (tier, observed, other) in
        [("House", HOUSE, SHED), ("Shed", SHED, SKYSCRAPER), ("Skyscraper", SKYSCRAPER, HOUSE)]
    {
        let rehearsal = ready();
        fs::write(rehearsal.path().join("preferences.md"), PREFERENCES).unwrap();
        // Documents are examined without an agent.
        let settings = rehearsal.file("sealwright.toml");
        let (checks, agents) = settings.split_once("[agents.rehearsed]").unwrap();
        let after: String = agents.lines().skip(3).map(|line| format!("{line}\n")).collect();
        fs::write(rehearsal.path().join("sealwright.toml"), format!("{checks}{after}")).unwrap();
        rehearsal.says(11, &["run", "Broken links of a site"]);
        let scope = swap(SCOPE, "\nHouse\n", &format!("\n{tier}\n"));
        let is_whole = tier == "House";
        if is_whole {
            let mut poor = swap(&scope, "within 10 minutes", "quickly");
            poor = swap(&poor, "under 200 ms with 50", "no time with many");
            poor = swap(&poor, "of 500 pages", "of a site");
            assert_eq!(hand_in(&rehearsal, "scope.md", &poor), rules(&["scope.threshold"]));
            let poor = swap(&scope, "- axum\n", "- actix\n");
            assert_eq!(hand_in(&rehearsal, "scope.md", &poor), rules(&["scope.stack"]));
        }
        hand_in(&rehearsal, "scope.md", &scope);
        assert_eq!(state(&rehearsal), "Designing", "{tier}");
        let design = swap(DESIGN, HOUSE, observed);
        let mut poor = swap(&design, observed, other);
        let mut expected = vec!["design.observability.depth"];
        if is_whole {
            for (part, less) in [
                ("```text\ncrawler ──▶ store ◀── web\n```\n", ""),
                (
                    "- When the ping fails, the check goes on and the failure is logged.",
                    "A ping after each check.",
                ),
                ("resolved: up to five", ""),
                (" because none of the 4,000 pages links into one", ""),
            ] {
                poor = swap(&poor, part, less);
            }
            poor = poor.split("## Tier Review").next().unwrap().to_owned();
            expected.extend([
                "design.architecture.diagram",
                "design.integration.no-failure-handling",
                "design.question.open",
                "design.question.no-reason",
                "design.review.missing",
            ]);
        }
        assert_eq!(hand_in(&rehearsal, "design.md", &poor), rules(&expected), "{tier}");
        if is_whole {
            let mut poor =
                swap(&design, "- Scenario: nightly check: crawler -> site -> store\n", "");
            for part in ["- High: ", "- Low: "] {
                poor = swap(&poor, part, "- ");
            }
            let expected = rules(&["design.review.scenarios", "design.review.concerns"]);
            assert_eq!(hand_in(&rehearsal, "design.md", &poor), expected);
        }
        hand_in(&rehearsal, "design.md", &design);
        assert_eq!(state(&rehearsal), "Analyzing", "{tier}");
    }
}

/// What `init` writes to be filled in is no preference: each section is asked for before a version begins.
///
/// Proves: L-007
#[test]
fn preferences_that_nobody_filled_in_are_none() {
    let rehearsal = Rehearsal::with(&[]);
    rehearsal.see(&["init", "--project", "--no-try"]);
    assert!(rehearsal.file("preferences.md").contains("## Security Baseline"));
    let told = rehearsal.says(10, &["run", "parking"]);
    assert!(told.contains("preferences.md is not in order"), "{told}");
    assert!(!rehearsal.path().join(".sealwright/journal/project").exists());
}

/// Writes a document and says that it is there; gives the rules that were found broken.
fn hand_in(rehearsal: &Rehearsal, file: &str, text: &str) -> BTreeSet<String> {
    write(rehearsal, file, text);
    rehearsal.says(11, &["continue"]);
    let rule = |it: serde_json::Value| it["rule"].as_str().unwrap().to_owned();
    findings(rehearsal).into_iter().map(rule).collect()
}

fn rules(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|it| (*it).to_owned()).collect()
}

const SHED: &str = "Structured lines on stdout.";
const HOUSE: &str = "OpenTelemetry traces of every check, logs in Loki, and a Grafana alert when no check ended for a day.";
const SKYSCRAPER: &str = "OTEL in every part, Prometheus metrics and dashboards.";
const SCOPE: &str = include_str!("../../../documents/tests/good/scope.md");
const DESIGN: &str = include_str!("../../../documents/tests/good/design.md");
const PREFERENCES: &str = include_str!("../../../documents/tests/good/preferences.md");
