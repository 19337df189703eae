//! The truths: what is known to be so. A guess or a question among them would be built as if it were known.

use std::collections::BTreeSet;

use crate::finding::Findings;
use crate::markdown::Part;
use crate::scope::Clarification;
use crate::text::{has_word, plain, shown};

pub(super) fn read(
    part: &Part<'_>,
    clarifications: &[Clarification],
    findings: &mut Findings,
) -> Vec<String> {
    let questions: BTreeSet<String> = clarifications.iter().map(|it| bare(&it.text)).collect();
    let mut truths = Vec::new();
    for point in part.points() {
        let text = shown(point.head);
        if point.text.contains('?') || has_word(&point.text, &GUESSES) {
            let what = format!("the truth `{text}` is a question or a guess");
            let fix = "move it to Clarifications Needed, or write what is known to be so";
            findings.add("readiness.truth.unsettled", point.line, what, fix);
        } else if questions.contains(&bare(&point.text)) {
            let what = format!("`{text}` is both a truth and a clarification");
            let fix = "keep it in Truths if it is settled, otherwise in Clarifications Needed";
            findings.add("readiness.truth.clarification", point.line, what, fix);
        }
        truths.push(point.text);
    }
    truths
}

/// The statement without its marks: what stands before `resolved:` and `changes pass/fail:`.
fn bare(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let marks = ["resolved:", "changes pass/fail:"];
    let end = marks.iter().filter_map(|it| lower.find(it)).min().unwrap_or(text.len());
    plain(&text[..end])
}

const GUESSES: [&str; 14] = [
    "unclear",
    "assume",
    "assumes",
    "assumed",
    "assuming",
    "assumption",
    "probably",
    "maybe",
    "perhaps",
    "presumably",
    "unsure",
    "tbd",
    "unknown",
    "guess",
];
