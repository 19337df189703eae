use proptest::prelude::*;

use super::{CONDITIONS, SECTIONS, read};
use crate::Tier;
use crate::finding::Finding;
use crate::tests::{Case, DESIGN, Subject, mutated, replaced, section};

fn house(text: Option<&str>) -> Vec<Finding> {
    read(text, Some(Tier::House)).1
}

fn subject() -> Subject<'static> {
    Subject { key: "design", good: DESIGN, sections: SECTIONS.iter().collect(), read: &house }
}

#[test]
fn a_good_design_is_read() {
    let (design, findings) = read(Some(DESIGN), Some(Tier::House));
    assert_eq!(findings, []);
    assert_eq!(design.components, ["crawler", "store", "web"]);
    let files = [
        "Cargo.toml",
        "src/main.rs",
        "src/crawler.rs",
        "src/store.rs",
        "src/web.rs",
        "tests/report.rs",
    ];
    assert_eq!(design.files, files);
    assert_eq!(design.directories, ["src", "tests"]);
    assert_eq!(design.integrations, ["The checked site", "Healthcheck pings"]);
    assert_eq!(design.exempt, ["fixtures/pages/"]);
}

/// Proves: L-040
#[test]
fn every_section_of_the_design_is_needed() {
    subject().needs_every_section();
    subject().keeps_the_bounds();
}

/// Proves: L-043
#[test]
fn every_rule_of_the_design_has_its_condition() {
    let review = section(DESIGN, "## Tier Review");
    let tree = tree();
    let interfaces = "```rust\nstruct Link { page: Url, target: Url, status: u16 }\nfn broken(store: &Store) -> Vec<Link>;\n```";
    let pings = "- When the ping fails, the check goes on and the failure is logged.";
    let first = "- Scenario: nightly check: crawler -> site -> store\n";
    let concerns = "- High: a slow site delays the whole check; pages are read in parallel.\n- Low: the report has no paging.";
    let cases: [Case<'_>; 30] = [
        (
            "design.architecture.components",
            "- crawler: reads pages and collects links\n- store: keeps pages and links\n- web: shows the report\n",
            "A crawler fills a store.\n",
            "## Architecture",
        ),
        (
            "design.architecture.diagram",
            "```text\ncrawler ──▶ store ◀── web\n```",
            "crawler ──▶ store",
            "## Architecture",
        ),
        (
            "design.architecture.diagram",
            "crawler ──▶ store ◀── web",
            "crawler, store, web",
            "## Architecture",
        ),
        ("design.directory.empty", tree, "See the repository.", "## Directory Structure"),
        ("design.directory.parent", "│   ├── store.rs", "│   ├── ../store.rs", "../store.rs"),
        ("design.directory.absolute", "│   ├── store.rs", "│   ├── /etc/store.rs", "/etc/store.rs"),
        ("design.directory.absolute", "│   ├── store.rs", "│   ├── C:/store.rs", "C:/store.rs"),
        ("design.directory.duplicate", "│   └── web.rs", "│   └── main.rs", "└── main.rs"),
        ("design.directory.inexact", "│   ├── store.rs", "│   ├── *.rs", "*.rs"),
        ("design.directory.inexact", "│   ├── store.rs", "│   ├── ...", "├── ..."),
        (
            "design.directory.inexact",
            "│   ├── store.rs",
            "│   ├── store.rs and others",
            "and others",
        ),
        ("design.directory.inexact", "│   ├── store.rs", "│   ├── a//b.rs", "a//b.rs"),
        ("design.interfaces.typed", interfaces, "The crawler calls the store.", "## Interfaces"),
        (
            "design.interfaces.typed",
            interfaces,
            "```text\ncrawler calls store\n```",
            "## Interfaces",
        ),
        (
            "design.interfaces.typed",
            interfaces,
            "| Name | Use |\n|---|---|\n| page | a page |",
            "## Interfaces",
        ),
        (
            "design.integration.no-failure-handling",
            pings,
            "- A ping after each check.",
            "### Healthcheck pings",
        ),
        (
            "design.integration.no-failure-handling",
            pings,
            "- Failure: TBD",
            "### Healthcheck pings",
        ),
        ("design.observability.depth", "a Grafana alert when", "a mail when", "## Observability"),
        ("design.observability.depth", "OpenTelemetry traces", "Records", "## Observability"),
        (
            "design.exception.reason",
            ": recorded pages are long, and splitting them would change them",
            "",
            "fixtures/pages/",
        ),
        ("design.question.open", "resolved: up to five", "", "follow redirects"),
        ("design.question.open", "resolved: up to five", "resolved: TBD", "follow redirects"),
        (
            "design.question.open",
            "resolved: up to five",
            "unresolved: up to five",
            "follow redirects",
        ),
        (
            "design.question.no-reason",
            " because none of the 4,000 pages links into one",
            "",
            "PDF files",
        ),
        (
            "design.question.no-reason",
            "because none of the 4,000 pages links into one",
            "because …",
            "PDF files",
        ),
        ("design.review.missing", review, "", ""),
        ("design.review.scenarios", first, "", "## Tier Review"),
        ("design.review.scenarios", first, &first.repeat(3), "## Tier Review"),
        ("design.review.scenarios", "browser -> web -> store", "it works", "it works"),
        ("design.review.concerns", concerns, "- A slow site delays the check.", "## Tier Review"),
    ];
    subject().holds_except(&cases, CONDITIONS);
}

#[test]
fn the_observability_of_each_tier_is_its_own() {
    let shed = "Structured lines on stdout.";
    let house = "OpenTelemetry traces of every check, logs in Loki, and a Grafana alert when no check ended for a day.";
    let skyscraper = "OTEL in every part, Prometheus metrics and dashboards.";
    for (tier, own) in Tier::ALL.into_iter().zip([shed, house, skyscraper]) {
        for text in [shed, house, skyscraper] {
            let found = read(Some(&replaced(DESIGN, house, text)), Some(tier)).1;
            let ids: Vec<&str> = found.iter().map(|it| it.condition.as_ref()).collect();
            let wanted: &[&str] = if text == own { &[] } else { &["design.observability.depth"] };
            assert_eq!(ids, wanted, "{tier:?}: {text}");
        }
    }
}

#[test]
fn a_shed_needs_no_review() {
    let text = replaced(DESIGN, section(DESIGN, "## Tier Review"), "");
    let text = text.replace("OpenTelemetry traces", "Structured lines on stdout and traces");
    assert_eq!(read(Some(&text), Some(Tier::Shed)).1, []);
}

#[test]
fn two_components_need_no_diagram() {
    let text = replaced(DESIGN, "- web: shows the report\n", "");
    let text = replaced(&text, "```text\ncrawler ──▶ store ◀── web\n```", "");
    assert_eq!(house(Some(&text)), []);
}

#[test]
fn a_tree_may_be_drawn_indented_or_listed() {
    let files = ["Cargo.toml", "src/main.rs", "src/web/page.rs", "tests/report.rs"];
    let trees = [
        "```\n.\n|-- Cargo.toml\n|-- src\n|   |-- main.rs\n|   `-- web\n|       `-- page.rs # shows\n`-- tests\n    `-- report.rs\n```",
        "```\nCargo.toml\nsrc/\n  main.rs\n  web/\n    page.rs  shows\ntests/\n  report.rs\n```",
        "```\nCargo.toml\nsrc/main.rs\nsrc/web/page.rs\n# the tests\ntests/report.rs\n```",
        "- `Cargo.toml` — the manifest\n- src/\n  - main.rs: starts\n  - web/\n    - page.rs # shows\n- tests/report.rs",
        "    Cargo.toml\n    src\n    ├── main.rs\n    └── web\n        └── page.rs\n    tests\n    └── report.rs",
    ];
    for text in trees {
        let (design, findings) = read(Some(&replaced(DESIGN, tree(), text)), Some(Tier::House));
        assert_eq!(findings, [], "{text}");
        assert_eq!(design.files, files, "{text}");
    }
}

#[test]
fn a_source_folder_above_branches_is_not_the_root() {
    let files = |text: &str| read(Some(&replaced(DESIGN, tree(), text)), Some(Tier::House)).0.files;
    assert_eq!(files("```\nsrc/\n└── main.rs\n```"), ["src/main.rs"]);
    assert_eq!(files("```\nshop/\n└── main.rs\n```"), ["main.rs"]);
}

#[test]
fn a_tree_is_bounded() {
    let long = format!("```\n{}\n```", "a/".repeat(200));
    let ids = |tree_text: &str| -> Vec<String> {
        let found = house(Some(&replaced(DESIGN, tree(), tree_text)));
        found.into_iter().map(|it| it.condition.into_owned()).collect()
    };
    assert_eq!(ids(&long), ["design.directory.inexact", "design.directory.empty"]);
    let many: String = (0..10_001).map(|nth| format!("f{nth}\n")).collect();
    assert_eq!(ids(&format!("```\n{many}```")), ["design.directory.inexact"]);
}

#[test]
fn an_integration_may_be_an_item_a_row_or_none() {
    let part = section(DESIGN, "## External Integrations");
    let good = [
        "None.",
        "- mail server: three retries, then the failure is logged",
        "- mail server\n  - on error: logged",
        "| Service | Failure |\n|---|---|\n| mail | three retries |",
    ];
    for (nth, text) in good.iter().enumerate() {
        let text = format!("## External Integrations\n\n{text}\n\n");
        let (design, findings) = read(Some(&replaced(DESIGN, part, &text)), Some(Tier::House));
        assert_eq!(findings, [], "{text}");
        assert_eq!(design.integrations.is_empty(), nth == 0);
    }
    for text in ["- mail server", "We send mail.", "| Service | Use |\n|---|---|\n| mail | news |"]
    {
        let text = format!("## External Integrations\n\n{text}\n\n");
        let found = house(Some(&replaced(DESIGN, part, &text)));
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert_eq!(found[0].condition, "design.integration.no-failure-handling");
    }
}

proptest! {
    #[test]
    fn any_text_is_survived(text in any::<String>()) {
        subject().survives(&text);
    }

    #[test]
    fn a_broken_document_is_survived(text in mutated(DESIGN)) {
        subject().survives(&text);
    }
}

fn tree() -> &'static str {
    let part = section(DESIGN, "## Directory Structure");
    let start = part.find("```").unwrap();
    part[start..].trim_end()
}
