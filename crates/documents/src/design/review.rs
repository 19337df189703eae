//! The review that a house or a skyscraper needs: a part Tier Review with scenarios and concerns.
//!
//! A scenario is a list item or a sub-heading that begins with `Scenario` and follows a path: `client -> api -> store`.
//! There are two or three. A concern is a list item that begins with its severity, `- High: …`, or a table row with it.

use crate::finding::Findings;
use crate::markdown::{Block, Part, Shape};
use crate::text::{has_word, is_placeholder, shown, words};

pub(super) const NAMES: [&str; 2] = ["Tier Review", "Design Review"];

pub(super) fn check(part: Option<Part<'_>>, findings: &mut Findings) {
    let Some(part) = part.filter(|it| !it.is_empty()) else {
        let what = "the tier needs a review of the design, and there is none";
        let fix = "add a section `## Tier Review` with two or three scenarios and the concerns by severity";
        findings.add("design.review.missing", 1, what, fix);
        return;
    };
    let scenarios = scenarios(part.blocks);
    if !SCENARIOS.contains(&scenarios.len()) {
        let what = format!("{} scenarios are traced", scenarios.len());
        let fix = "trace two or three scenarios: `- Scenario: name: client -> api -> store`";
        findings.add("design.review.scenarios", part.line, what, fix);
    }
    for (line, text) in &scenarios {
        let is_traced = ["->", "→", "=>", "▶"].iter().any(|it| text.contains(it));
        if !is_traced {
            let what = format!("`{}` does not say which components it passes", shown(text));
            let fix = "write the path of the scenario with arrows: `client -> api -> store`";
            findings.add("design.review.scenarios", *line, what, fix);
        }
    }
    if !part.blocks.iter().any(is_concern) {
        let what = "the review records no concern with its severity";
        let fix = "add the concerns as `- High: …`, with one of Critical, High, Medium or Low";
        findings.add("design.review.concerns", part.line, what, fix);
    }
}

/// The line of each scenario and its text, with what stands below it.
fn scenarios(blocks: &[Block]) -> Vec<(u32, String)> {
    let mut scenarios: Vec<(u32, String)> = Vec::new();
    let mut is_inside = false;
    for block in blocks {
        // "Scenarios" is the heading of the list.
        let starts = (block.is_heading() || block.is_top_item())
            && words(&block.text).next().is_some_and(|it| it == "scenario");
        if starts {
            scenarios.push((block.line, block.text.clone()));
        } else if is_inside
            && !block.is_heading()
            && !is_concern(block)
            && let Some((_, text)) = scenarios.last_mut()
        {
            text.push(' ');
            text.push_str(&block.text);
        }
        is_inside = starts || (is_inside && !block.is_heading());
    }
    scenarios
}

fn is_concern(block: &Block) -> bool {
    let is_severity = |it: &str| SEVERITIES.contains(&it);
    match &block.shape {
        Shape::Item { .. } => {
            let severity = words(&block.text).next().is_some_and(|it| is_severity(&it));
            let rest = block.text.split_once(':').map_or("", |(_, rest)| rest);
            severity && !is_placeholder(rest)
        }
        Shape::Row { cells } => cells.iter().any(|it| has_word(it, &SEVERITIES)),
        _ => false,
    }
}

const SCENARIOS: std::ops::RangeInclusive<usize> = 2..=3;
const SEVERITIES: [&str; 4] = ["critical", "high", "medium", "low"];
