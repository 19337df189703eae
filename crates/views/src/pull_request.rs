//! A pull request: title and body for whoever is asked to take finished work over.
//!
//! It is a pure function of the records like every view, and is written to no task's folder. Where pull requests are
//! read, text does more than in a file: a name behind an at sign calls somebody, a number behind a hash names an issue,
//! "closes" in front of it closes that issue, and an address becomes a link. So text of others is tamed once more here.

use std::fmt::Write as _;

use sealwright_kernel::task::{Status, TaskData};
use sealwright_kernel::{EvidenceRecord, Verdict};
use sealwright_store::Anchor;

use super::markdown::{self, one_line};
use super::summary::{Came, Summary, check, ran_tests, said};
use super::{Telling, evidence, objective, wording};
use crate::built_in_checks::{HOLD_OUT, STRENGTH};

/// What a pull request says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullRequest {
    /// One line.
    pub title: String,
    /// Markdown; its last paragraph are the trailers of a commit.
    pub body: String,
}

/// The pull request of a task that is done. Any other has none.
pub fn pull_request(telling: &Telling<'_>) -> Option<PullRequest> {
    let known = telling.task.data()?;
    match telling.task.status() {
        Status::Shipped => {}
        Status::Pending
        | Status::InProgress
        | Status::Parked
        | Status::Halted
        | Status::Abandoned => return None,
    }
    let summary = Summary::of(telling, known);
    let mut body = String::new();
    asked(&mut body, known, &summary);
    proven(&mut body, known, &summary);
    unseen(&mut body, &summary);
    open(&mut body, &summary);
    cost(&mut body, &summary);
    how_to_check(&mut body, known);
    trailers(&mut body, telling, known);
    Some(PullRequest { title: title(known), body })
}

fn title(known: &TaskData) -> String {
    let title = one_line(&known.charter.title);
    match title.char_indices().nth(TITLE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", title[..end].trim_end()),
        None => title,
    }
}

fn asked(out: &mut String, known: &TaskData, summary: &Summary<'_>) {
    let _ = writeln!(out, "## What was asked\n\n> {}\n", line(objective(known)));
    if summary.criteria.is_empty() {
        out.push_str("No criterion was given.\n");
    }
    for criterion in summary.criteria.iter().take(LIST_MAX) {
        // Our own words come first, so that nobody else's can stand for them.
        let mut seen = format!("**{}**", criterion.standing.name());
        for (what, id) in &criterion.seen {
            let _ = write!(seen, ", {what} ({id})");
        }
        let _ = writeln!(out, "- {seen}: {}", line(criterion.text));
    }
    more(out, summary.criteria.len());
}

fn proven(out: &mut String, known: &TaskData, summary: &Summary<'_>) {
    out.push_str("\n## What was proven, and how\n\n");
    if let Some(gate) = wording::gate_text(known) {
        let _ = writeln!(out, "Gate: {}\n", line(&gate));
    }
    if summary.latest.is_empty() {
        out.push_str("Nothing was seen.\n");
        return;
    }
    out.push_str("| gate | verdict | evidence | how | walls |\n|---|---|---|---|---|\n");
    for record in summary.latest.iter().take(LIST_MAX) {
        let Came { by, walls } = Came::about(record);
        let (subject, by) = (cell(&record.subject), cell(&by));
        let (verdict, id) = (evidence::verdict(record), record.id);
        let _ = writeln!(out, "| {subject} | {verdict} | {id} | {by} | {walls} |");
    }
    more(out, summary.latest.len());
}

/// Tests that nobody saw but the machine, and mutants: what says whether green is worth anything.
fn unseen(out: &mut String, summary: &Summary<'_>) {
    let held_out = check(&summary.latest, HOLD_OUT).filter(|record| ran_tests(record));
    let mutants = check(&summary.latest, STRENGTH);
    if held_out.is_none() && mutants.is_none() {
        return;
    }
    out.push_str("\n## What the tests are worth\n\n");
    let told = [("Tests kept from the builder", held_out), ("Mutants of the change", mutants)];
    for (what, record) in told.into_iter().filter_map(|(what, it)| it.map(|it| (what, it))) {
        let (verdict, id, said) = (evidence::verdict(record), record.id, line(&said(record)));
        let _ = writeln!(out, "- {what}: {verdict} ({id}). {said}");
    }
}

fn open(out: &mut String, summary: &Summary<'_>) {
    out.push_str("\n## What is not proven\n\n");
    list(out, &summary.unproven);
    if !summary.trouble.is_empty() {
        out.push_str("\n## What went wrong on the way\n\n");
        list(out, &summary.trouble);
    }
}

fn list(out: &mut String, texts: &[String]) {
    for text in texts.iter().take(LIST_MAX) {
        let _ = writeln!(out, "- {}", line(text));
    }
    more(out, texts.len());
}

/// Where pull requests are read a body has an end; what is left out is named.
fn more(out: &mut String, count: usize) {
    if let Some(left @ 1..) = count.checked_sub(LIST_MAX) {
        let _ = writeln!(out, "\n{left} more are in `evidence.html`");
    }
}

fn cost(out: &mut String, summary: &Summary<'_>) {
    let costs: Vec<String> = summary
        .costs
        .iter()
        .map(|(name, text)| format!("{}: {text}", name.to_lowercase()))
        .collect();
    let _ = writeln!(out, "\n## What it cost\n\n{}", costs.join("; "));
}

fn how_to_check(out: &mut String, known: &TaskData) {
    let task = &known.charter.id;
    let _ = writeln!(
        out,
        "\n## How to check it\n\nEverything above is rendered from `.sealwright/journal/{task}`. In a clone that \
         holds it, offline:\n\n```sh\nsealwright verify\nsealwright log {task}\n```\n\nThe page with everything that was \
         seen: `.sealwright/tasks/{task}/evidence.html`"
    );
}

/// The last paragraph, as commits carry it: who squashes this into one keeps the anchor.
fn trailers(out: &mut String, telling: &Telling<'_>, known: &TaskData) {
    let task = &known.charter.id;
    let anchor = Anchor { stream: task.stream().clone(), head: telling.head };
    let _ = writeln!(out, "\nSealwright-Task: {task}");
    let Some(tree) = known.verified else {
        let _ = writeln!(out, "{}", anchor.trailer());
        return;
    };
    let _ = writeln!(out, "Sealwright-Tree: {tree}\n{}", anchor.trailer());
    let passed =
        |record: &&EvidenceRecord| record.verdict == Verdict::Pass && record.evidence.tree == tree;
    for record in known.evidence.iter().filter(passed).take(LIST_MAX) {
        let _ = writeln!(out, "Sealwright-Evidence: {} {}", record.id, line(&record.subject));
    }
}

/// The text in a cell of a table.
fn cell(text: &str) -> String {
    line(text).replace('|', "&#124;")
}

/// The text on one line, where it neither calls nor closes nor links anything.
fn line(text: &str) -> String {
    let cut = match text.char_indices().nth(TEXT_CHARS_MAX) {
        Some((end, _)) => &format!("{}…", &text[..end]),
        None => text,
    };
    let tamed = markdown::line(cut);
    let mut quiet = String::with_capacity(tamed.len() + 16);
    let mut rest = tamed.as_str();
    while let Some(c) = rest.chars().next() {
        let (shown, behind) = rest.split_at(c.len_utf8());
        quiet.push_str(shown);
        let calls = match c {
            '@' => behind.starts_with(|c: char| c.is_alphanumeric()),
            '#' => behind.starts_with(|c: char| c.is_ascii_digit()),
            ':' => behind.starts_with("//"),
            '-' => ends_in(&quiet, "gh-") && behind.starts_with(|c: char| c.is_ascii_digit()),
            'w' | 'W' => ends_in(&quiet, "www") && behind.starts_with('.'),
            _ => false,
        };
        if calls {
            quiet.push_str(APART);
        }
        rest = behind;
    }
    quiet
}

fn ends_in(text: &str, end: &str) -> bool {
    let from = text.len().checked_sub(end.len());
    from.and_then(|from| text.get(from..)).is_some_and(|it| it.eq_ignore_ascii_case(end))
}

/// A space of no width: the eye reads on, and whoever looks for names and numbers does not.
const APART: &str = "&#8203;";
const TITLE_CHARS_MAX: usize = 120;
/// GitHub takes 65,536 characters.
const LIST_MAX: usize = 30;
const TEXT_CHARS_MAX: usize = 300;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_called_and_nothing_is_closed_or_linked() {
        let told = [
            ("ask @ada and a@b.c", "ask @&#8203;ada and a@&#8203;b.c"),
            ("closes #12, o/r#3, # 4", "closes #&#8203;12, o/r#&#8203;3, # 4"),
            ("fixes GH-7 and gh-x", "fixes GH-&#8203;7 and gh-x"),
            ("see https://x.y and WWW.x.y", "see https:&#8203;//x.y and WWW&#8203;.x.y"),
            ("#1 first", "\\#&#8203;1 first"),
            ("é@é w. www", "é@&#8203;é w. www"),
        ];
        for (text, quiet) in told {
            assert_eq!(line(text), quiet, "{text}");
        }
        assert_eq!(cell("a | b\\|c"), "a &#124; b\\\\&#124;c");
    }
}
