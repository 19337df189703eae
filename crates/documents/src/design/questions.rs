//! What a design leaves open: questions, and integrations that can fail.

use crate::finding::Findings;
use crate::markdown::{Block, Part, Shape};
use crate::text::{after_label, has_word, is_placeholder, shown, split_remark};

pub(super) fn open(part: &Part<'_>, findings: &mut Findings) {
    for point in part.points() {
        let says = |label: &str| after_label(&point.text, label).filter(|it| !is_placeholder(it));
        if says("resolved:").is_some() {
            continue;
        }
        let name = shown(point.head);
        let Some(deferred) = says("deferred:") else {
            let what = format!("the question `{name}` is open");
            let fix = "answer it with `resolved: …`, or put it off with `deferred: … because …`";
            findings.add("design.question.open", point.line, what, fix);
            continue;
        };
        if after_label(deferred, "because").is_none_or(is_placeholder) {
            let what = format!("the question `{name}` is deferred without a reason");
            let fix = "add `because …` after what is deferred";
            findings.add("design.question.no-reason", point.line, what, fix);
        }
    }
}

/// The names of the integrations. Each is a sub-heading, or else a list item or a paragraph.
pub(super) fn integrations(part: &Part<'_>, findings: &mut Findings) -> Vec<String> {
    let mut names = Vec::new();
    for (line, name, handles) in split(part) {
        if !handles {
            let what = format!(
                "the integration `{}` does not say what happens when it fails",
                shown(&name)
            );
            let fix = "add `failure: …` with the timeout, the retries and what the user sees";
            findings.add("design.integration.no-failure-handling", line, what, fix);
        }
        names.push(name);
    }
    names
}

fn split(part: &Part<'_>) -> Vec<(u32, String, bool)> {
    if part.says_none() {
        return Vec::new();
    }
    let starts: Vec<usize> =
        (0..part.blocks.len()).filter(|at| part.blocks[*at].is_heading()).collect();
    if starts.is_empty() {
        let rows = part.blocks.iter().filter(|it| matches!(it.shape, Shape::Row { .. }));
        let rows = rows.map(|it| (it.line, row_name(it), handles_failure(&it.text)));
        let points = part.points().into_iter();
        let points = points
            .map(|it| (it.line, split_remark(it.head).0.to_string(), handles_failure(&it.text)));
        return points.chain(rows).collect();
    }
    let ends = starts.iter().skip(1).copied().chain([part.blocks.len()]);
    let one = |(start, end): (usize, usize)| {
        let heading = &part.blocks[start];
        let handles = part.blocks[start + 1..end].iter().any(|it| handles_failure(&it.text));
        (heading.line, heading.text.clone(), handles)
    };
    starts.iter().copied().zip(ends).map(one).collect()
}

fn row_name(row: &Block) -> String {
    match &row.shape {
        Shape::Row { cells } => cells.first().cloned().unwrap_or_default(),
        _ => String::new(),
    }
}

/// Whether the text speaks of failure and says something after the word for it.
fn handles_failure(text: &str) -> bool {
    let is_empty = |label: &&str| after_label(text, label).is_some_and(is_placeholder);
    let has_empty_label = ["failure:", "failures:", "failure handling:", "errors:", "on failure:"]
        .iter()
        .any(is_empty);
    !has_empty_label && has_word(text, &FAILURE_WORDS)
}

const FAILURE_WORDS: [&str; 20] = [
    "fail",
    "fails",
    "failure",
    "failures",
    "failed",
    "failing",
    "error",
    "errors",
    "timeout",
    "timeouts",
    "retry",
    "retries",
    "retried",
    "unavailable",
    "unreachable",
    "fallback",
    "degrades",
    "degraded",
    "outage",
    "down",
];
