//! Accounts for people: a block per change and a summary line.

use sealwright_evaluate::{
    Account, Change, Counts, End, Fate, Proven, Strength, Suites, Summary, ToDeclare,
};
use sealwright_gates::Finding;
use sealwright_gates::tripwire::What;
use sealwright_kernel::Verdict;

use crate::output::{bad, counted, good, sanitize, short, warn};

/// A change on one line of a terminal.
pub(super) fn title(change: &Change) -> String {
    let commit: String = short(&change.commit).chars().take(COMMIT_LETTERS).collect();
    cut(&format!("{commit} {}", sanitize(&change.subject)), COLUMNS)
}

pub(super) fn block(account: &Account) -> Vec<String> {
    let mut lines = vec![title(&account.change)];
    let why = match &account.fate {
        Fate::Passed => {
            lines.push(format!("  {}", good("would have passed")));
            &[][..]
        }
        Fate::Stopped { why } => {
            lines.push(format!("  {}: {}", bad("would have been stopped"), first(why)));
            why
        }
        Fate::CannotTell { why } => {
            lines.push(format!("  {}: {}", warn("cannot tell"), first(why)));
            why
        }
        Fate::Nothing { why } => {
            lines.push(format!("  nothing to check: {}", said(why)));
            &[][..]
        }
        Fate::NotReached => {
            lines.push(format!("  {}", warn("not reached in time")));
            &[][..]
        }
    };
    lines.extend(why.iter().skip(1).map(|why| format!("  and: {}", said(why))));
    lines.extend(account.suites.iter().map(suites));
    lines.extend(proof(&account.proof));
    lines.extend(
        account
            .lost
            .iter()
            .take(SHOWN_MAX)
            .map(|lost| format!("  {}: {}", lost.how.name(), said(&lost.test))),
    );
    lines.extend(more(account.lost.len()));
    lines.extend(account.declare.iter().take(SHOWN_MAX).map(declare));
    lines.extend(more(account.declare.len()));
    lines.extend(account.findings.iter().take(SHOWN_MAX).map(|Finding { place, what, .. }| {
        format!("  needs review: {}: {}", said(place), said(what))
    }));
    lines.extend(more(account.findings.len()));
    for check in &account.checks {
        let verdict = match check.verdict {
            Verdict::Pass => "pass",
            Verdict::Fail if check.before == Some(Verdict::Fail) => "fail, as before",
            Verdict::Fail => "fail",
            Verdict::CannotTell => "cannot tell",
        };
        lines.push(format!("  check {}: {verdict}", sanitize(&check.name)));
    }
    account.strength.iter().for_each(|it| lines.extend(strength(it)));
    if !account.flaky.is_empty() {
        let names: Vec<String> = account.flaky.iter().map(|it| sanitize(it)).collect();
        lines.push(format!("  flaky, passed when run again: {}", names.join(", ")));
    }
    lines
}

/// Why there is no change at all.
pub(super) fn no_changes(since: Option<&str>) -> String {
    match since {
        Some(since) => format!("no change to evaluate after {}", sanitize(since)),
        None => {
            "no change to evaluate: there is only the first commit, and none before it".to_owned()
        }
    }
}

pub(super) fn summary(summary: &Summary) -> String {
    let Summary { changes, passed, stopped, untold, nothing, unreached, killed, mutants, .. } =
        *summary;
    let mut parts = vec![
        format!("{passed} would have passed"),
        format!("{stopped} stopped"),
        format!("{untold} undecided"),
    ];
    if nothing > 0 {
        parts.push(format!("{nothing} with nothing to check"));
    }
    if unreached > 0 {
        parts.push(format!("{unreached} not reached"));
    }
    let strength = match mutants {
        0 => "no mutants were run".to_owned(),
        _ => format!("{killed} of {mutants} mutants killed"),
    };
    format!("{}: {}; {strength}", counted(changes as u64, "change"), parts.join(", "))
}

fn suites(suites: &Suites) -> String {
    let Suites { toolchain, before, now, .. } = suites;
    let language = toolchain.language().name();
    format!("  {language} tests: {}; before: {}", counts(*now), counts(*before))
}

fn counts(counts: Counts) -> String {
    let parts = [(counts.passed, "passed"), (counts.failed, "failed"), (counts.skipped, "skipped")];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, word)| format!("{count} {word}")).collect();
    if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
}

fn proof(tests: &[Proven]) -> Option<String> {
    let red = tests.iter().filter(|test| test.end.is_proof()).count();
    let green = tests.iter().filter(|test| test.end == End::Green).count();
    let came = counted(tests.len() as u64, "new or changed test");
    (!tests.is_empty()).then(|| match green {
        0 => format!("  {came}: {red} red without the change"),
        _ => format!("  {came}: {red} red without the change, {green} green without it"),
    })
}

fn declare(it: &ToDeclare) -> String {
    let what = match it.what {
        What::Edited => "was changed",
        What::Removed => "was removed",
        What::Added => "was added",
    };
    format!("  undeclared: {} ({}) {what}", said(&it.path), it.guard.name())
}

fn strength(strength: &Strength) -> Vec<String> {
    let Some(score) = &strength.score else {
        let why = strength.judgement.because.first().map(|why| said(why)).unwrap_or_default();
        return vec![format!("  mutants: not run: {why}")];
    };
    let all = score.killed + score.survivors.len();
    let mut lines = vec![format!("  mutants: {} of {all} killed", score.killed)];
    for (line, difference) in score.survivors.iter().take(SHOWN_MAX) {
        lines.push(format!("    survived: {}", said(line)));
        lines.extend(replaced(difference));
    }
    lines.extend(more(score.survivors.len()));
    lines
}

/// The changed lines of a diff.
fn replaced(difference: &str) -> Vec<String> {
    let is_name = |line: &&str| line.starts_with("---") || line.starts_with("+++");
    let lines = difference.lines().skip_while(is_name);
    let replaced = lines.filter(|line| line.starts_with(['-', '+']));
    let shown = |line: &str| format!("      {} {}", &line[..1], said(line[1..].trim()));
    replaced.take(REPLACED_MAX).map(shown).collect()
}

fn first(why: &[String]) -> String {
    why.first().map(|why| said(why)).unwrap_or_default()
}

/// Untrusted text on one bounded line.
fn said(text: &str) -> String {
    cut(&sanitize(text), SAID_MAX)
}

fn more(count: usize) -> Option<String> {
    let more = count.saturating_sub(SHOWN_MAX);
    (more > 0).then(|| format!("    … and {more} more"))
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() > most {
        text.chars().take(most - 1).chain(['…']).collect()
    } else {
        text.to_owned()
    }
}

const COLUMNS: usize = 80;
const COMMIT_LETTERS: usize = 8;
const SHOWN_MAX: usize = 3;
const SAID_MAX: usize = 200;
const REPLACED_MAX: usize = 4;
