//! `cargo xtask requirements`: what is proven of `docs/requirements`, and what is open.
//!
//! The doc comment of a test says `Proves: ID, ID` or `Proves in part: ID`. A tag for an unknown requirement is refused,
//! so a typo proves nothing. A requirement of level `real` is proven only by tests with the real performer; `real_run`
//! has the rule for files. `assignment.tsv` names the issue that closes each requirement, `open.tsv` what is missing.

mod ledger;
pub(crate) mod real_run;
pub(crate) mod tags;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};

use crate::workspace::say;

use ledger::{Requirement, State, ledger};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// List the requirements of one area, such as `F-RECOV` or `P`.
    #[arg(long)]
    area: Option<String>,
    /// List the requirements that one issue closes, such as `hands`.
    #[arg(long, conflicts_with = "area")]
    issue: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let ledger = ledger()?;
    let lines = match (&args.area, &args.issue) {
        (Some(name), _) => listing(&ledger, "area", name, |id, _| area(id))?,
        (None, Some(name)) => listing(&ledger, "issue", name, |_, row| &row.issue)?,
        (None, None) => overview(&ledger),
    };
    lines.iter().for_each(|line| say(line));
    Ok(())
}

type Ledger = BTreeMap<String, Requirement>;

/// How many requirements are in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    real: usize,
    rule: usize,
    part: usize,
    open: usize,
}

impl Counts {
    fn of<'a>(rows: impl IntoIterator<Item = &'a Requirement>) -> Self {
        let mut counts = Self::default();
        for row in rows {
            match row.state() {
                State::Real => counts.real += 1,
                State::Rule => counts.rule += 1,
                State::Part => counts.part += 1,
                State::Open => counts.open += 1,
            }
        }
        counts
    }

    fn all(self) -> usize {
        self.real + self.rule + self.part + self.open
    }

    fn sentence(self) -> String {
        let Self { real, rule, part, open } = self;
        let all = self.all();
        format!(
            "{real} proven for real, {rule} proven as a rule, {part} in part, {open} open, {all} in all"
        )
    }
}

/// Figures by area and by issue, and a total.
fn overview(ledger: &Ledger) -> Vec<String> {
    let mut lines = table("area", ledger, |id, _| area(id));
    lines.push(String::new());
    lines.extend(table("issue", ledger, |_, row| &row.issue));
    lines.push(String::new());
    lines.push(format!("requirements: {}", Counts::of(ledger.values()).sentence()));
    lines
}

fn table<'a>(
    title: &str,
    ledger: &'a Ledger,
    group: impl Fn(&'a str, &'a Requirement) -> &'a str,
) -> Vec<String> {
    let mut groups: BTreeMap<&str, Vec<&Requirement>> = BTreeMap::new();
    for (id, row) in ledger {
        groups.entry(group(id, row)).or_default().push(row);
    }
    let head = ["for real", "as a rule", "in part", "open", "all"];
    let mut lines = vec![line(title, head)];
    for (name, rows) in groups {
        let counts = Counts::of(rows);
        let Counts { real, rule, part, open } = counts;
        lines.push(line(name, [real, rule, part, open, counts.all()]));
    }
    lines
}

fn line<T: std::fmt::Display>(name: &str, [real, rule, part, open, all]: [T; 5]) -> String {
    format!("{name:<12} {real:>8} {rule:>9} {part:>8} {open:>6} {all:>6}")
}

/// Every requirement of one group: its state, level and text, the tests that prove it, and what is missing.
fn listing<'a>(
    ledger: &'a Ledger,
    kind: &str,
    name: &str,
    group: impl Fn(&'a str, &'a Requirement) -> &'a str,
) -> Result<Vec<String>> {
    let known: BTreeSet<&str> = ledger.iter().map(|(id, row)| group(id, row)).collect();
    let known: Vec<&str> = known.into_iter().collect();
    ensure!(known.contains(&name), "no {kind} `{name}`; known: {}", known.join(", "));
    let rows: Vec<_> = ledger.iter().filter(|(id, row)| group(id, row) == name).collect();
    let mut lines = Vec::new();
    for (id, row) in &rows {
        let state = match row.state() {
            State::Real | State::Rule => "proven",
            State::Part => "in part",
            State::Open => "open",
        };
        let priority = if row.is_must { "must" } else { "should" };
        let text: String = row.text.chars().take(TEXT_MAX).collect();
        lines.push(format!("{state:<8} {id:<14} {priority:<6} {}  {text}", row.level.name()));
        lines.extend(row.tests().iter().map(|test| format!("{:<9}by {test}", "")));
        lines.extend(row.missing.iter().map(|missing| format!("{:<9}missing: {missing}", "")));
    }
    let of = |is_must: bool| {
        Counts::of(rows.iter().map(|(_, row)| *row).filter(|row| row.is_must == is_must)).sentence()
    };
    lines.push(String::new());
    lines.push(format!("{name}, should: {}", of(false)));
    lines.push(format!("{name}, must: {}", of(true)));
    Ok(lines)
}

fn area(id: &str) -> &str {
    id.rsplit_once('-').map_or(id, |(area, _)| area)
}

/// How many characters of a text a listing shows.
const TEXT_MAX: usize = 90;

/// Areas in which every `must` is proven, or `open.tsv` says what is missing.
#[cfg(test)]
const SETTLED_AREAS: [&str; 3] = ["P", "B", "A"];

/// Issues for which the same holds.
#[cfg(test)]
const SETTLED_ISSUES: [&str; 2] = ["landed", "hands"];

#[cfg(test)]
mod tests {
    use super::ledger::{Level, Proof};
    use super::*;

    #[test]
    fn every_settled_must_is_proven_or_its_gap_is_named() {
        for (id, row) in &ledger().unwrap() {
            let is_settled =
                SETTLED_AREAS.contains(&area(id)) || SETTLED_ISSUES.contains(&row.issue.as_str());
            let is_proven = matches!(row.state(), State::Real | State::Rule);
            assert!(
                !(row.is_must && is_settled) || is_proven || row.missing.is_some(),
                "{id} is open; open.tsv does not say what is missing"
            );
            assert!(!is_proven || row.missing.is_none(), "{id} is proven; strike it from open.tsv");
        }
    }

    #[test]
    fn the_ledgers_have_884_rows() {
        assert_eq!(ledger().unwrap().len(), 884);
    }

    fn three() -> Ledger {
        let row =
            |text: &str, is_must, level, issue: &str, missing: Option<&str>, proof| Requirement {
                text: text.to_owned(),
                is_must,
                level,
                issue: issue.to_owned(),
                missing: missing.map(str::to_owned),
                proof,
            };
        let by = |test: &str| vec![test.to_owned()];
        BTreeMap::from([
            (
                "A-001".to_owned(),
                row("one", true, Level::Real, "hands", None, Proof::Whole(by("a.rs::t"))),
            ),
            (
                "A-002".to_owned(),
                row("two", true, Level::Rule, "waves", None, Proof::Whole(by("b.rs::u"))),
            ),
            (
                "F-B-003".to_owned(),
                row(
                    "three",
                    false,
                    Level::Real,
                    "hands",
                    Some("a run"),
                    Proof::Part(by("c.rs::v")),
                ),
            ),
        ])
    }

    #[test]
    fn the_overview_counts_by_area_and_by_issue() {
        insta::assert_snapshot!(overview(&three()).join("\n"), @"
        area         for real as a rule  in part   open    all
        A                   1         1        0      0      2
        F-B                 0         0        1      0      1

        issue        for real as a rule  in part   open    all
        hands               1         0        1      0      2
        waves               0         1        0      0      1

        requirements: 1 proven for real, 1 proven as a rule, 1 in part, 0 open, 3 in all
        ");
    }

    #[test]
    fn an_issue_is_listed_with_levels_tests_and_gaps() {
        let lines = |name: &str| listing(&three(), "issue", name, |_, row| &row.issue);
        insta::assert_snapshot!(lines("hands").unwrap().join("\n"), @"
        proven   A-001          must   real  one
                 by a.rs::t
        in part  F-B-003        should real  three
                 by c.rs::v
                 missing: a run

        hands, should: 0 proven for real, 0 proven as a rule, 1 in part, 0 open, 1 in all
        hands, must: 1 proven for real, 0 proven as a rule, 0 in part, 0 open, 1 in all
        ");
        let error = lines("hand").unwrap_err().to_string();
        assert_eq!(error, "no issue `hand`; known: hands, waves");
    }
}
