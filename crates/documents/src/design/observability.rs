//! How deep the observability of a tier goes.

use crate::Tier;
use crate::finding::Findings;
use crate::markdown::Part;

/// Each row is one thing that must be named, in one of these ways.
pub(super) fn check(part: &Part<'_>, tier: Tier, findings: &mut Findings) {
    let text = part.text().to_lowercase();
    let is_named = |ways: &&&[&str]| ways.iter().any(|it| text.contains(it));
    let missing: Vec<&str> =
        wanted(tier).iter().filter(|ways| !is_named(ways)).map(|ways| ways[0]).collect();
    if missing.is_empty() {
        return;
    }
    let (name, missing) = (tier.name(), missing.join(", "));
    let what = format!("the observability is not that of a {name}: {missing} is not named");
    let fix = format!("say how the project uses {missing}");
    findings.add("design.observability.depth", part.line, what, fix);
}

fn wanted(tier: Tier) -> &'static [&'static [&'static str]] {
    match tier {
        Tier::Shed => &[&["structured", "json"], &["stdout", "standard output"]],
        Tier::House => &[OTEL, &["trace", "tracing"], &["loki"], &["grafana"], &["alert"]],
        Tier::Skyscraper => &[OTEL, &["prometheus"], &["metric"], &["dashboard"]],
    }
}

const OTEL: &[&str] = &["otel", "opentelemetry"];
