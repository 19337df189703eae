//! `EVIDENCE.md`: a summary, then every piece of evidence with links into the store.

use std::fmt::Write as _;

use sealwright_kernel::task::TaskData;
use sealwright_kernel::{Digest, EvidenceRecord, Verdict};

use super::markdown::{fenced, line};
use super::summary::{Provenance, Summary, said};
use super::{ViewInput, amounts, link, objective, state, wording};

pub(super) fn render(input: &ViewInput<'_>, data: &TaskData) -> String {
    let mut out = format!("# Evidence of {}\n\n", data.charter.id);
    out.push_str("The same as a page: [evidence.html](evidence.html)\n");
    summary(&mut out, input, data);
    if data.evidence.is_empty() {
        out.push_str("\nNo evidence yet.\n");
        return out;
    }
    for record in &data.evidence {
        section(&mut out, input, record);
    }
    out
}

/// Each line begins with our own words, so that text of an agent cannot replace them.
fn summary(out: &mut String, input: &ViewInput<'_>, data: &TaskData) {
    let summary = Summary::of(input, data);
    let result = state::current_result(input.task, data);
    let _ = writeln!(out, "\n## Summary\n\n- Request: {}", line(objective(data)));
    let _ = writeln!(out, "- Result: {}; {}", state::status(input.task.status()), line(&result));
    if let Some(gate) = wording::gate_text(data) {
        let _ = writeln!(out, "- Gate: {}", line(&gate));
    }
    for criterion in &summary.criteria {
        let mut seen = criterion.status.name().to_owned();
        for (what, id) in &criterion.seen {
            let _ = write!(seen, ", {what} {id}");
        }
        let _ = writeln!(out, "- Criterion: {seen}: {}", line(criterion.text));
    }
    for record in &summary.latest {
        let Provenance { by, sandbox } = Provenance::of(record);
        let (id, subject, verdict) = (record.id, line(&record.subject), verdict(record));
        let (said, by) = (line(&said(record)), line(&by));
        let _ = writeln!(out, "- Check: {id} {subject}: {verdict}; {sandbox}; {by}; {said}");
    }
    for text in &summary.unproven {
        let _ = writeln!(out, "- Not proven: {}", line(text));
    }
    for text in &summary.problems {
        let _ = writeln!(out, "- Problem: {}", line(text));
    }
    for (name, text) in &summary.costs {
        let _ = writeln!(out, "- Cost: {name}: {text}");
    }
}

fn section(out: &mut String, input: &ViewInput<'_>, record: &EvidenceRecord) {
    let evidence = &record.evidence;
    let (name, source) = wording::source_text(&evidence.source);
    let _ = writeln!(out, "\n## {}: {}\n", record.id, line(&record.subject));
    let _ = writeln!(out, "- Verdict: {}", verdict(record));
    let _ = writeln!(out, "- {name}: {}", line(&source));
    let _ = writeln!(out, "- Tree: {}", evidence.tree);
    let _ = writeln!(out, "- Cost: {}", amounts::cost(&evidence.cost));
    let stored = |content| stored(input, content);
    let _ = writeln!(out, "- Output: {}", stored(&evidence.output));
    for artifact in &evidence.artifacts {
        let _ = writeln!(out, "- Artifact {}: {}", line(&artifact.name), stored(&artifact.content));
    }
    if !evidence.excerpt.trim().is_empty() {
        let _ = write!(out, "- Excerpt:\n\n{}", fenced(&evidence.excerpt));
    }
}

/// The digest of stored content, as a link where its size is known.
pub(super) fn stored(input: &ViewInput<'_>, content: &Digest) -> String {
    match link(input.chronicle, content) {
        Some(path) => format!("[{content}]({path})"),
        None => content.to_string(),
    }
}

/// The verdict for people. The failing red run is the expected result and says so.
pub fn verdict(record: &EvidenceRecord) -> &'static str {
    if is_red(record) { "fail, as expected before implementation" } else { record.verdict.name() }
}

/// Whether this is the red run: tests that fail before implementation, as they must.
pub fn is_red(record: &EvidenceRecord) -> bool {
    record.subject == RED && record.verdict == Verdict::Fail
}

/// Whether a check has not passed, as it should have.
pub fn is_open(record: &EvidenceRecord) -> bool {
    record.verdict != Verdict::Pass && !is_red(record)
}

/// The subject of the run of tests before implementation.
pub(super) const RED: &str = "red run";
