//! `EVIDENCE.md`: in short what was shown and what was not, then everything that was seen, and where it stands in the
//! store.

use std::fmt::Write as _;

use sealwright_kernel::task::TaskData;
use sealwright_kernel::{Cost, Digest, EvidenceRecord, Verdict};

use super::markdown::{fenced, line};
use super::summary::{Came, Summary, said};
use super::{Telling, link, objective, state, wording};

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
    let _ = writeln!(out, "- Cost: {}", cost(&evidence.cost));
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

/// What something cost, in words; commands cost only time.
pub(super) fn cost(cost: &Cost) -> String {
    let mut words = time(cost.millis);
    if cost.tokens > 0 {
        let _ = write!(words, ", {} tokens", grouped(cost.tokens));
    }
    if cost.micro_dollars > 0 {
        let _ = write!(words, ", {}", dollars(cost.micro_dollars));
    }
    words
}

pub(crate) fn time(millis: u64) -> String {
    let seconds = millis / 1_000;
    match (seconds / 3_600, seconds / 60 % 60, seconds % 60) {
        (0, 0, 0..10) => format!("{}.{} s", seconds, millis % 1_000 / 100),
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{} h {minutes} min", grouped(hours)),
    }
}

/// A number with its thousands apart.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + 6);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Dollars to the cent, and further where a cent is too much.
pub fn dollars(micro: u64) -> String {
    let (whole, rest) = (micro / 1_000_000, micro % 1_000_000);
    match rest % 10_000 {
        0 => format!("${}.{:02}", grouped(whole), rest / 10_000),
        _ => format!("${}.{:04}", grouped(whole), rest / 100),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_read_at_a_glance() {
        let told = [0, 1_250, 59_999, 61_000, 3_720_000].map(time);
        assert_eq!(told, ["0.0 s", "1.2 s", "59 s", "1 min 1 s", "1 h 2 min"]);
        assert_eq!([0, 999, 1_000, 12_345_678].map(grouped), ["0", "999", "1,000", "12,345,678"]);
        assert_eq!(
            [0, 420_000, 1_234_567, 99].map(dollars),
            ["$0.00", "$0.42", "$1.2345", "$0.0000"]
        );
        let free = Cost { millis: 1_200, ..Cost::default() };
        assert_eq!(cost(&free), "1.2 s");
        let agent = Cost { tokens: 1_500, micro_dollars: 30_000, ..free };
        assert_eq!(cost(&agent), "1.2 s, 1,500 tokens, $0.03");
        assert!(!time(u64::MAX).is_empty());
    }
}
