//! The published tables: `docs/hands.tsv`, a row for each effect and report, and `docs/audit-hands.tsv`, a row for each
//! finding of the audit.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail, ensure};
use clap::ValueEnum as _;

use super::cells::{Cell, EffectKind};
use crate::named_tests::NamedTest;
use crate::workspace::root;

/// What shows that an effect ends in a report when it is really performed.
#[derive(Clone, Debug)]
pub(super) enum Shown {
    /// A test whose journal says so.
    InJournal(NamedTest),
    /// A test whose name and file say so.
    ByName(NamedTest),
    /// No test, for this reason.
    Open(String),
}

impl Shown {
    pub(super) fn test(&self) -> Option<&NamedTest> {
        match self {
            Self::InJournal(test) | Self::ByName(test) => Some(test),
            Self::Open(_) => None,
        }
    }
}

/// One finding of the audit.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    pub(super) number: usize,
    pub(super) what: String,
    /// The tests that show that it is gone.
    pub(super) tests: Vec<NamedTest>,
    /// Why nothing shows it yet.
    pub(super) reason: String,
}

/// The cells of `docs/hands.tsv`.
pub(super) fn cells() -> Result<BTreeMap<Cell, Shown>> {
    let mut cells = BTreeMap::new();
    for [machine, effect, report, test, seen, reason] in rows(CELLS, HEAD_OF_CELLS)? {
        let row = format!("{CELLS}: {effect}, {report}");
        let kind = EffectKind::from_str(&effect, false)
            .ok()
            .with_context(|| format!("{row}: no such effect"))?;
        ensure!(kind.machine() == machine, "{row}: an effect of the {} machine", kind.machine());
        let shown = match (test.as_str(), seen.as_str(), reason.as_str()) {
            ("-", "-", "") => bail!("{row}: neither a test nor a reason"),
            ("-", "-", _) => Shown::Open(reason),
            (test, "journal", "") => Shown::InJournal(NamedTest::find(test).context(row.clone())?),
            (test, "name", "") => Shown::ByName(NamedTest::find(test).context(row.clone())?),
            _ => bail!(
                "{row}: a test is seen by `journal` or `name` and needs no reason; without a test write `-`"
            ),
        };
        ensure!(cells.insert(Cell { effect: kind, report }, shown).is_none(), "{row}: twice");
    }
    Ok(cells)
}

/// The rows of `docs/audit-hands.tsv`.
pub(super) fn findings() -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for [number, what, tests, reason] in rows(AUDIT, HEAD_OF_AUDIT)? {
        let row = || format!("{AUDIT}: row {number}");
        let tests: Result<Vec<NamedTest>> = match tests.as_str() {
            "-" => Ok(Vec::new()),
            tests => tests.split(' ').map(NamedTest::find).collect(),
        };
        let tests = tests.with_context(row)?;
        let number = number.parse().with_context(row)?;
        ensure!(number == findings.len() + 1, "{AUDIT}: row {number} is out of order");
        findings.push(Finding { number, what, tests, reason });
    }
    Ok(findings)
}

/// The rows of a table whose first line is `head`.
fn rows<const N: usize>(file: &str, head: [&str; N]) -> Result<Vec<[String; N]>> {
    let text = std::fs::read_to_string(root().join(file)).with_context(|| file.to_owned())?;
    let mut lines = text.lines();
    ensure!(lines.next() == Some(head.join("\t").as_str()), "{file}: another first line");
    let row = |line: &str| {
        let columns: Vec<String> = line.split('\t').map(str::to_owned).collect();
        columns.try_into().ok().with_context(|| format!("{file}: not {N} columns: {line}"))
    };
    lines.map(row).collect()
}

const CELLS: &str = "docs/hands.tsv";
const HEAD_OF_CELLS: [&str; 6] = ["machine", "effect", "report", "test", "seen", "reason"];
const AUDIT: &str = "docs/audit-hands.tsv";
const HEAD_OF_AUDIT: [&str; 4] = ["number", "what was wrong", "tests", "reason"];
