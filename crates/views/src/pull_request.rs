//! The title and body of a pull request for a finished task.
//!
//! Like a view it is a pure function of the records, but no file holds it. Code hosts act on text: `@name` notifies a
//! person, `#12` links an issue, "closes #12" closes it, and an address becomes a link. So this module breaks up such
//! patterns in text of agents and people, on top of the Markdown escaping.

use std::fmt::Write as _;

use sealwright_kernel::task::{Status, TaskData};
use sealwright_kernel::{EvidenceRecord, Verdict};
use sealwright_store::Anchor;

use super::markdown::{self, one_line};
use super::summary::{Provenance, Summary, check, ran_tests, said};
use super::{ViewInput, evidence, request, reworded, wording};
use crate::built_in_checks::{HOLD_OUT, STRENGTH};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullRequest {
    pub title: String,
    /// Markdown; the last paragraph holds commit trailers.
    pub body: String,
}

/// The pull request of a shipped task; `None` for any other.
pub fn pull_request(input: &ViewInput<'_>) -> Option<PullRequest> {
    let data = input.task.data()?;
    if input.task.status() != Status::Shipped {
        return None;
    }
    let summary = Summary::of(input, data);
    let mut body = String::new();
    requested(&mut body, input, data, &summary);
    checks(&mut body, data, &summary);
    test_strength(&mut body, &summary);
    unproven(&mut body, &summary);
    cost(&mut body, &summary);
    how_to_verify(&mut body, data);
    trailers(&mut body, input, data);
    Some(PullRequest { title: title(data), body })
}

fn title(data: &TaskData) -> String {
    let title = one_line(&data.charter.title);
    match title.char_indices().nth(TITLE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", title[..end].trim_end()),
        None => title,
    }
}

fn requested(out: &mut String, input: &ViewInput<'_>, data: &TaskData, summary: &Summary<'_>) {
    let request = request(input, data);
    let _ = writeln!(out, "## Request\n\n> {}\n", quiet(&request, REQUEST_CHARS_MAX));
    if let Some(objective) = reworded(data, &request) {
        let _ = writeln!(out, "Objective: {}\n", line(objective));
    }
    if summary.criteria.is_empty() {
        out.push_str("No criteria.\n");
    }
    for criterion in summary.criteria.iter().take(LIST_MAX) {
        // Our own words come first, so that text of an agent cannot replace them.
        let mut seen = format!("**{}**", criterion.status.name());
        for (what, id) in &criterion.seen {
            let _ = write!(seen, ", {what} ({id})");
        }
        let _ = writeln!(out, "- {seen}: {}", line(criterion.text));
    }
    more(out, summary.criteria.len());
}

fn checks(out: &mut String, data: &TaskData, summary: &Summary<'_>) {
    out.push_str("\n## Checks\n\n");
    if let Some(gate) = wording::gate_text(data) {
        let _ = writeln!(out, "Gate: {}\n", line(&gate));
    }
    if summary.latest.is_empty() {
        out.push_str("No evidence.\n");
        return;
    }
    out.push_str("| check | verdict | evidence | by | sandbox |\n|---|---|---|---|---|\n");
    for record in summary.latest.iter().take(LIST_MAX) {
        let Provenance { by, sandbox } = Provenance::of(record);
        let (subject, by) = (cell(&record.subject), cell(&by));
        let (verdict, id) = (evidence::verdict(record), record.id);
        let _ = writeln!(out, "| {subject} | {verdict} | {id} | {by} | {sandbox} |");
    }
    more(out, summary.latest.len());
}

/// Hold-out tests and mutants: they say how much a pass of the other tests is worth.
fn test_strength(out: &mut String, summary: &Summary<'_>) {
    let held_out = check(&summary.latest, HOLD_OUT).filter(|record| ran_tests(record));
    let mutants = check(&summary.latest, STRENGTH);
    if held_out.is_none() && mutants.is_none() {
        return;
    }
    out.push_str("\n## Test strength\n\n");
    let checks = [("Hold-out tests", held_out), ("Mutants of the change", mutants)];
    for (what, record) in checks.into_iter().filter_map(|(what, it)| it.map(|it| (what, it))) {
        let (verdict, id, said) = (evidence::verdict(record), record.id, line(&said(record)));
        let _ = writeln!(out, "- {what}: {verdict} ({id}). {said}");
    }
    if let Some(place) = &summary.held_out {
        let _ = writeln!(out, "- Hold-out tests: {}", line(place));
    }
}

fn unproven(out: &mut String, summary: &Summary<'_>) {
    out.push_str("\n## Not proven\n\n");
    list(out, &summary.unproven);
    if !summary.problems.is_empty() {
        out.push_str("\n## Problems\n\n");
        list(out, &summary.problems);
    }
}

fn list(out: &mut String, texts: &[String]) {
    for text in texts.iter().take(LIST_MAX) {
        let _ = writeln!(out, "- {}", line(text));
    }
    more(out, texts.len());
}

/// Code hosts limit the length of a body; this names how many entries are left out.
fn more(out: &mut String, count: usize) {
    if let Some(left @ 1..) = count.checked_sub(LIST_MAX) {
        let _ = writeln!(out, "\n{left} more in `evidence.html`");
    }
}

fn cost(out: &mut String, summary: &Summary<'_>) {
    let costs: Vec<String> = summary
        .costs
        .iter()
        .map(|(name, text)| format!("{}: {text}", name.to_lowercase()))
        .collect();
    let _ = writeln!(out, "\n## Cost\n\n{}", costs.join("; "));
}

fn how_to_verify(out: &mut String, data: &TaskData) {
    let task = &data.charter.id;
    let _ = writeln!(
        out,
        "\n## How to verify\n\nThis text is rendered from `.sealwright/journal/{task}`. In a clone that holds the \
         journal, offline:\n\n```sh\nsealwright verify\nsealwright log {task}\n```\n\nPage with all evidence: \
         `.sealwright/tasks/{task}/evidence.html`"
    );
}

/// Commit trailers as the last paragraph, so that a squash merge keeps the anchor.
fn trailers(out: &mut String, input: &ViewInput<'_>, data: &TaskData) {
    let task = &data.charter.id;
    let anchor = Anchor { stream: task.stream().clone(), head: input.head };
    let _ = writeln!(out, "\nSealwright-Task: {task}");
    let Some(tree) = data.verified else {
        let _ = writeln!(out, "{}", anchor.trailer());
        return;
    };
    let _ = writeln!(out, "Sealwright-Tree: {tree}\n{}", anchor.trailer());
    let passed =
        |record: &&EvidenceRecord| record.verdict == Verdict::Pass && record.evidence.tree == tree;
    for record in data.evidence.iter().filter(passed).take(LIST_MAX) {
        let _ = writeln!(out, "Sealwright-Evidence: {} {}", record.id, line(&record.subject));
    }
}

fn cell(text: &str) -> String {
    line(text).replace('|', "&#124;")
}

fn line(text: &str) -> String {
    quiet(text, TEXT_CHARS_MAX)
}

/// The text on one line, without patterns that notify, close or link on a code host.
fn quiet(text: &str, chars_max: usize) -> String {
    let cut = match text.char_indices().nth(chars_max) {
        Some((end, _)) => &format!("{}…", &text[..end]),
        None => text,
    };
    let escaped = markdown::line(cut);
    let mut quiet = String::with_capacity(escaped.len() + 16);
    let mut rest = escaped.as_str();
    while let Some(c) = rest.chars().next() {
        let (shown, behind) = rest.split_at(c.len_utf8());
        quiet.push_str(shown);
        let is_active = match c {
            '@' => behind.starts_with(|c: char| c.is_alphanumeric()),
            '#' => behind.starts_with(|c: char| c.is_ascii_digit()),
            ':' => behind.starts_with("//"),
            '-' => ends_in(&quiet, "gh-") && behind.starts_with(|c: char| c.is_ascii_digit()),
            'w' | 'W' => ends_in(&quiet, "www") && behind.starts_with('.'),
            _ => false,
        };
        if is_active {
            quiet.push_str(ZERO_WIDTH_SPACE);
        }
        rest = behind;
    }
    quiet
}

fn ends_in(text: &str, end: &str) -> bool {
    let from = text.len().checked_sub(end.len());
    from.and_then(|from| text.get(from..)).is_some_and(|it| it.eq_ignore_ascii_case(end))
}

const ZERO_WIDTH_SPACE: &str = "&#8203;";
const TITLE_CHARS_MAX: usize = 120;
/// GitHub accepts 65,536 characters.
const LIST_MAX: usize = 30;
const TEXT_CHARS_MAX: usize = 300;
const REQUEST_CHARS_MAX: usize = 8_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_notifies_no_person_and_closes_or_links_nothing() {
        let cases = [
            ("ask @ada and a@b.c", "ask @&#8203;ada and a@&#8203;b.c"),
            ("closes #12, o/r#3, # 4", "closes #&#8203;12, o/r#&#8203;3, # 4"),
            ("fixes GH-7 and gh-x", "fixes GH-&#8203;7 and gh-x"),
            ("see https://x.y and WWW.x.y", "see https:&#8203;//x.y and WWW&#8203;.x.y"),
            ("#1 first", "\\#&#8203;1 first"),
            ("é@é w. www", "é@&#8203;é w. www"),
        ];
        for (text, quiet) in cases {
            assert_eq!(line(text), quiet, "{text}");
        }
        assert_eq!(cell("a | b\\|c"), "a &#124; b\\\\&#124;c");
    }
}
