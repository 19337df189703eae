//! `EVIDENCE.md`: a summary, then every piece of evidence with links into the store.

use std::fmt::Write as _;

use sealwright_kernel::task::TaskData;
use sealwright_kernel::{Digest, EvidenceRecord, Verdict};

use super::markdown::{fenced, line};
use super::summary::{Provenance, Summary, said};
use super::{ViewInput, amounts, link, request, reworded, state, wording};

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
    let request = request(input, data);
    let _ = writeln!(out, "\n## Summary\n\n- Request: {}", line(&request));
    if let Some(objective) = reworded(data, &request) {
        let _ = writeln!(out, "- Objective: {}", line(objective));
    }
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
    if let Some(place) = &summary.held_out {
        let _ = writeln!(out, "- Hold-out tests: {}", line(place));
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
    if is_red(record) {
        "fail, as expected before implementation"
    } else if is_rejected(record) {
        "rejected before implementation"
    } else {
        record.verdict.name()
    }
}

/// Whether this is an accepted red run: tests that fail before implementation, as they must.
pub fn is_red(record: &EvidenceRecord) -> bool {
    record.subject == RED && record.verdict == Verdict::Fail && !is_rejected(record)
}

/// Whether this is a red run after which the tests were sent back, such as one in which a test was not run or passed.
///
/// A run with results from before the change names the number of its red tests, or the reasons against it.
pub fn is_rejected(record: &EvidenceRecord) -> bool {
    let first = record.evidence.excerpt.lines().next().unwrap_or_default();
    record.subject == RED
        && record.verdict == Verdict::Fail
        && record.evidence.artifacts.iter().any(|it| it.name == BASELINE)
        && !says_red(first)
}

/// What an accepted red run says of its tests.
pub fn seen_red(tests: usize) -> String {
    let what = if tests == 1 { ONE_RED } else { ALL_RED };
    format!("{tests} {what}")
}

fn says_red(line: &str) -> bool {
    let (count, what) = line.split_once(' ').unwrap_or_default();
    count.parse::<usize>().is_ok() && [ONE_RED, ALL_RED, ALL_RED_FIRST_RELEASE].contains(&what)
}

/// Whether a check has not passed, as it should have.
pub fn is_open(record: &EvidenceRecord) -> bool {
    record.verdict != Verdict::Pass && !is_red(record)
}

/// The subject of the run of tests before implementation.
pub(super) const RED: &str = "red run";
/// The artifact of the red run with the results before the change.
pub(super) const BASELINE: &str = "baseline.json";
const ONE_RED: &str = "test fails before anything is built, as required";
const ALL_RED: &str = "tests fail before anything is built, as required";
const ALL_RED_FIRST_RELEASE: &str = "fail before anything is built, as they must";

#[cfg(test)]
mod tests {
    use sealwright_kernel::{Artifact, Cost, Evidence, EvidenceId, Source};

    use super::*;

    #[test]
    fn a_red_run_is_red_only_if_every_test_was_seen_to_fail() {
        for (said, is_accepted) in [
            (seen_red(1), true),
            (seen_red(4), true),
            ("4 fail before anything is built, as they must".to_owned(), true),
            ("tests/test_a.py::t was not run: it was not seen to fail".to_owned(), false),
            ("no test failed".to_owned(), false),
            (format!("a.py::t passes before anything is built: t[{}]", seen_red(4)), false),
        ] {
            let record = red_run(&said, BASELINE);
            assert_eq!((is_red(&record), is_rejected(&record)), (is_accepted, !is_accepted));
            assert_eq!(is_open(&record), !is_accepted, "{said}");
        }
        // Without results from before the change there is no such text.
        assert!(is_red(&red_run("2 failed", "tests.json")));
        assert!(verdict(&red_run("no test failed", BASELINE)).starts_with("rejected"));
    }

    fn red_run(said: &str, artifact: &str) -> EvidenceRecord {
        let source =
            Source::Command { argv: vec!["pytest".to_owned()], exit: 1, confinement: None };
        let artifact = Artifact { name: artifact.to_owned(), content: Digest::ZERO };
        let evidence = Evidence {
            tree: Digest::ZERO,
            source,
            output: Digest::ZERO,
            excerpt: said.to_owned(),
            artifacts: vec![artifact],
            cost: Cost::default(),
        };
        let (id, subject) = (EvidenceId::new(1), RED.to_owned());
        EvidenceRecord { id, subject, verdict: Verdict::Fail, evidence }
    }
}
