//! `EVIDENCE.md`: in short what was shown and what was not, then everything that was seen, and where it stands in the
//! store.

use std::fmt::Write as _;

use sealwright_kernel::task::TaskData;
use sealwright_kernel::{Digest, EvidenceRecord, Verdict};

use super::markdown::{fenced, line};
use super::summary::{Came, Summary, said};
use super::{Telling, amounts, link, objective, state, wording};

pub(super) fn render(telling: &Telling<'_>, known: &TaskData) -> String {
    let mut out = format!("# Evidence of {}\n\n", known.charter.id);
    out.push_str("The same as one page: [evidence.html](evidence.html)\n");
    in_short(&mut out, telling, known);
    if known.evidence.is_empty() {
        out.push_str("\nNothing was seen yet.\n");
        return out;
    }
    for record in &known.evidence {
        section(&mut out, telling, record);
    }
    out
}

/// What a reader wants to know first, with our own words before those of others.
fn in_short(out: &mut String, telling: &Telling<'_>, known: &TaskData) {
    let summary = Summary::of(telling, known);
    let result = state::current_result(telling.task, known);
    let _ = writeln!(out, "\n## In short\n\n- Asked: {}", line(objective(known)));
    let _ = writeln!(out, "- Result: {}; {}", state::status(telling.task.status()), line(&result));
    if let Some(gate) = wording::gate_text(known) {
        let _ = writeln!(out, "- Gate: {}", line(&gate));
    }
    for criterion in &summary.criteria {
        let mut seen = criterion.standing.name().to_owned();
        for (what, id) in &criterion.seen {
            let _ = write!(seen, ", {what} {id}");
        }
        let _ = writeln!(out, "- Criterion: {seen}: {}", line(criterion.text));
    }
    for record in &summary.latest {
        let Came { by, walls } = Came::about(record);
        let (id, subject, verdict) = (record.id, line(&record.subject), verdict(record));
        let (said, by) = (line(&said(record)), line(&by));
        let _ = writeln!(out, "- Seen: {id} {subject}: {verdict}; {walls}; {by}; {said}");
    }
    for text in &summary.unproven {
        let _ = writeln!(out, "- Not proven: {}", line(text));
    }
    for text in &summary.trouble {
        let _ = writeln!(out, "- On the way: {}", line(text));
    }
    for (name, text) in &summary.costs {
        let _ = writeln!(out, "- Cost: {name}: {text}");
    }
}

fn section(out: &mut String, telling: &Telling<'_>, record: &EvidenceRecord) {
    let evidence = &record.evidence;
    let (name, source) = wording::source_text(&evidence.source);
    let _ = writeln!(out, "\n## {}: {}\n", record.id, line(&record.subject));
    let _ = writeln!(out, "- Verdict: {}", verdict(record));
    let _ = writeln!(out, "- {name}: {}", line(&source));
    let _ = writeln!(out, "- Tree: {}", evidence.tree);
    let _ = writeln!(out, "- Cost: {}", amounts::cost(&evidence.cost));
    let stored = |content| stored(telling, content);
    let _ = writeln!(out, "- Output: {}", stored(&evidence.output));
    for artifact in &evidence.artifacts {
        let _ = writeln!(out, "- Artifact {}: {}", line(&artifact.name), stored(&artifact.content));
    }
    if !evidence.excerpt.trim().is_empty() {
        let _ = write!(out, "- Excerpt:\n\n{}", fenced(&evidence.excerpt));
    }
}

/// Content by its digest, with a link where it is known to stand.
pub(super) fn stored(telling: &Telling<'_>, content: &Digest) -> String {
    match link(telling.chronicle, content) {
        Some(path) => format!("[{content}]({path})"),
        None => content.to_string(),
    }
}

/// What it says. A red run is good news that looks like bad news.
pub fn verdict(record: &EvidenceRecord) -> &'static str {
    match is_red(record) {
        true => "fail, as it has to before anything is built",
        false => record.verdict.name(),
    }
}

/// Whether it shows tests that failed before anything was built, as they have to.
pub fn is_red(record: &EvidenceRecord) -> bool {
    record.subject == "red run" && record.verdict == Verdict::Fail
}
