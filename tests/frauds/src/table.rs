//! The table of all cases, verdicts and totals.

use std::fmt::Write as _;

use anyhow::Result;

use crate::case::{Case, Kind, Way};
use crate::queue;
use crate::system::{System, Verdict};

/// The verdicts of every system on every case.
#[derive(Debug)]
pub struct Table {
    systems: Vec<String>,
    rows: Vec<Row>,
}

#[derive(Debug)]
pub struct Row {
    pub case: Case,
    /// The verdict of each system, or why the case could not be run.
    pub verdicts: Vec<Result<Verdict>>,
}

/// The results of one system on one kind of case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Total {
    /// Cases that apply.
    pub cases: usize,
    pub accepted: usize,
    pub refused: usize,
    /// Cases that could not be run.
    pub failed: usize,
}

impl Row {
    /// One line, with the reasons for refusals last.
    pub fn line(&self) -> String {
        let cells: Vec<String> = self.verdicts.iter().map(cell).collect();
        let why = self.verdicts.last().map(|last| match last {
            Ok(Verdict::Refused { why, .. }) => format!(": {}", why.replace('\n', " ")),
            Ok(Verdict::Accepted | Verdict::NoSuchThing) => String::new(),
            Err(error) => format!(": {error:#}"),
        });
        let kind = match (self.case.kind, self.verdicts.last()) {
            (_, Some(Err(_))) => "lost",
            (Kind::Fraud, Some(Ok(Verdict::Accepted))) => "escaped",
            (Kind::Honest, Some(Ok(Verdict::Refused { .. }))) => "alarm",
            (Kind::Fraud, _) => "fraud",
            (Kind::Honest, _) => "honest",
        };
        format!("{kind} {} | {}{}", self.case.id, cells.join(" | "), why.unwrap_or_default())
    }
}

impl Table {
    /// Runs every system on every case. The systems of one case run in sequence.
    pub fn fill(systems: &[&dyn System], cases: &[Case], heard: impl Fn(&Row) + Sync) -> Self {
        let rows = queue::each(cases, |case| {
            let verdicts = systems.iter().map(|system| system.judge(case)).collect();
            let row = Row { case: case.clone(), verdicts };
            heard(&row);
            row
        });
        Self { systems: systems.iter().map(|system| system.name().to_owned()).collect(), rows }
    }

    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The results of the system at this index, on cases of a kind.
    pub fn total(&self, kind: Kind, system: usize) -> Total {
        self.counted(system, |case| case.kind == kind)
    }

    /// The same on frauds of one way.
    pub fn total_of(&self, way: Way, system: usize) -> Total {
        self.counted(system, |case| case.data.way == Some(way))
    }

    /// Frauds that are known to escape the system, and do.
    pub fn known(&self, system: usize) -> usize {
        self.counted(system, |case| case.data.would_catch.is_some()).accepted
    }

    fn counted(&self, system: usize, is_meant: impl Fn(&Case) -> bool) -> Total {
        let mut total = Total::default();
        for row in self.rows.iter().filter(|row| is_meant(&row.case)) {
            match row.verdicts.get(system) {
                Some(Ok(Verdict::Accepted)) => total.accepted += 1,
                Some(Ok(Verdict::Refused { .. })) => total.refused += 1,
                Some(Err(_)) => total.failed += 1,
                Some(Ok(Verdict::NoSuchThing)) | None => continue,
            }
            total.cases += 1;
        }
        total
    }

    pub fn render(&self) -> String {
        let mut text = String::new();
        for (kind, title) in [(Kind::Fraud, "fraud"), (Kind::Honest, "honest run")] {
            let rows: Vec<&Row> = self.rows.iter().filter(|row| row.case.kind == kind).collect();
            if rows.is_empty() {
                continue;
            }
            self.heading(&mut text, title);
            for row in rows {
                let cells: Vec<String> = row.verdicts.iter().map(cell).collect();
                line(&mut text, &row.case.id, &cells);
            }
            let totals: Vec<String> =
                (0..self.systems.len()).map(|at| summed(kind, self.total(kind, at))).collect();
            line(&mut text, "", &totals);
            text.push('\n');
        }
        text
    }

    fn heading(&self, text: &mut String, title: &str) {
        line(text, title, &self.systems);
        let rule: Vec<String> = self.systems.iter().map(|_| "-".repeat(CELL)).collect();
        line(text, &"-".repeat(NAME), &rule);
    }
}

fn summed(kind: Kind, total: Total) -> String {
    let (wrong, what) = match kind {
        Kind::Fraud => (total.accepted, "escaped"),
        Kind::Honest => (total.refused, "alarms"),
    };
    match total.failed {
        0 => format!("{wrong}/{} {what}", total.cases),
        failed => format!("{wrong}/{} {what}, {failed}?", total.cases),
    }
}

fn cell(verdict: &Result<Verdict>) -> String {
    match verdict {
        Ok(verdict) => verdict.to_string(),
        Err(_) => "could not be played".to_owned(),
    }
}

fn line(text: &mut String, name: &str, cells: &[String]) {
    let mut whole = format!("{name:NAME$}");
    for cell in cells {
        // Writing to a string does not fail.
        let _ = write!(whole, "  {cell:CELL$}");
    }
    text.push_str(whole.trim_end());
    text.push('\n');
}

const NAME: usize = 44;
const CELL: usize = 19;
