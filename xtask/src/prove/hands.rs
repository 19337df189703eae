//! `prove hands`: what a task or a slice owes is done for real, and ends in every report that the rules know.
//!
//! `docs/hands.tsv` has a row for each effect and each report it can get, with the test in which the real performer ends
//! in it. The rows are compared with what the machines can do, the tests are run, and where a harness leaves journals,
//! the journals must show the report. `docs/audit-hands.tsv` lists what an audit found, with the tests that show it gone.

mod cells;
mod possible;
mod table;
mod traces;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::named_tests::{self, NamedTest};
use crate::prove::figures::Figures;
use crate::prove::{Size, in_parts};
use crate::requirements::real_run;
use crate::workspace::{root, say, sources, succeed};

use cells::Cell;
use table::{Finding, Shown};
use traces::Traces;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// Effects, reports and the tests that end in them.
    Effects,
    /// The findings of the audit, and the tests that show them gone.
    Audit,
    /// No proof: runs every test that leaves journals and lists the reports they end in, to fill the table.
    Survey,
}

pub(crate) fn run(size: Size, only: Option<Part>) -> Result<()> {
    if only == Some(Part::Survey) {
        return survey();
    }
    in_parts(
        "hands",
        size,
        only,
        &[
            (Part::Effects, "effects and the reports they end in", &effects),
            (Part::Audit, "findings of the audit", &audit),
        ],
    )
}

/// Lists which test ends in which report, from new runs or from the folder of journals that the variable names.
fn survey() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let traces = match std::env::var_os(traces::VARIABLE) {
        Some(folder) => traces::read(Path::new(&folder))?,
        None => {
            let mut cargo = Command::new("cargo");
            cargo.args(["nextest", "run", "--workspace", "--locked", "--no-fail-fast"]);
            cargo.args(["-E", HARNESSES]).current_dir(root()).env(traces::VARIABLE, folder.path());
            succeed(&mut cargo, "some tests failed")?;
            traces::read(folder.path())?
        }
    };
    let mut all: BTreeMap<Cell, Vec<String>> = BTreeMap::new();
    for cell in possible::possible()? {
        all.insert(cell, Vec::new());
    }
    for ((program, test), cells) in traces {
        for cell in cells {
            all.entry(cell).or_default().push(format!("{program}::{test}"));
        }
    }
    for (Cell { effect, report }, tests) in all {
        say(&format!("{}\t{}\t{report}\t{}", effect.machine(), effect.name(), tests.join(" ")));
    }
    Ok(())
}

fn effects(size: Size, figures: &mut Figures) -> Result<()> {
    let (table, possible) = (table::cells()?, possible::possible()?);
    figures.hold(compared(&table, &possible), table.keys().eq(&possible));
    let scripted = scripted(&table)?;
    figures.hold(
        format!("{} rows rest on a test with a scripted world", scripted.len()),
        scripted.is_empty(),
    );
    let run = chosen(size, QUICK_EFFECTS, table.values().filter_map(Shown::test));
    let folder = tempfile::tempdir()?;
    let left = folder.path().to_string_lossy().into_owned();
    let failed = named_tests::run(&run, &[(traces::VARIABLE, &left)])?;
    failed.iter().for_each(|test| say(&format!("  ✗ did not pass: {test}")));
    figures.hold(
        format!("{} of {} tests run and passed", run.len() - failed.len(), run.len()),
        failed.is_empty(),
    );
    journals(&table, &run, &traces::read(folder.path())?, figures);
    Ok(())
}

/// How far the table and the machines agree.
fn compared(table: &BTreeMap<Cell, Shown>, possible: &BTreeSet<Cell>) -> String {
    let told = |cell: &Cell| format!("{}: {}", cell.effect.name(), cell.report);
    for cell in possible.iter().filter(|cell| !table.contains_key(cell)) {
        say(&format!("  ✗ no row for {}", told(cell)));
    }
    for cell in table.keys().filter(|cell| !possible.contains(cell)) {
        say(&format!("  ✗ cannot happen: {}", told(cell)));
    }
    for (cell, shown) in table {
        if let Shown::Open(reason) = shown {
            say(&format!("  · without a test: {}: {reason}", told(cell)));
        }
    }
    let shown = table.values().filter(|shown| shown.test().is_some()).count();
    let effects: BTreeSet<_> = possible.iter().map(|cell| cell.effect).collect();
    let all = possible.len();
    let open = table.len() - shown;
    format!(
        "{} effects, {all} reports, {shown} shown by a real run, {open} without one for a reason",
        effects.len()
    )
}

/// Rows whose test has only its name to speak for it, in a file that scripts the world or the performer.
fn scripted(table: &BTreeMap<Cell, Shown>) -> Result<Vec<&Cell>> {
    let sources = sources()?;
    let mut scripted = Vec::new();
    for (cell, shown) in table {
        if let Shown::ByName(test) = shown
            && let Some(why) = real_run::objection(&test.file, &sources)
        {
            say(&format!("  ✗ {}: {}: {test}: {why}", cell.effect.name(), cell.report));
            scripted.push(cell);
        }
    }
    Ok(scripted)
}

/// The tests to run: all, or with `--quick` as many as the sample chooses.
fn chosen<'t>(
    size: Size,
    quick: usize,
    tests: impl Iterator<Item = &'t NamedTest>,
) -> BTreeSet<NamedTest> {
    let tests: BTreeSet<NamedTest> = tests.cloned().collect();
    match size {
        Size::Quick(sample) => {
            let tests: Vec<NamedTest> = tests.into_iter().collect();
            sample.of(&tests, quick).into_iter().collect()
        }
        Size::Full => tests,
    }
}

/// Holds the rows against the journals that the tests left.
fn journals(
    table: &BTreeMap<Cell, Shown>,
    run: &BTreeSet<NamedTest>,
    traces: &Traces,
    figures: &mut Figures,
) {
    let nothing = BTreeSet::new();
    let (mut seen, mut unseen, mut more) = (0, 0, 0);
    let trace = |test: &NamedTest| {
        let (program, name) = test.id();
        let program = program.rsplit("::").next().unwrap_or_default().to_owned();
        traces.get(&(program, name.to_owned())).unwrap_or(&nothing)
    };
    for (cell, shown) in table {
        match shown {
            Shown::InJournal(test) if run.contains(test) => {
                if trace(test).contains(cell) {
                    seen += 1;
                } else {
                    unseen += 1;
                    let told = format!("{}: {}", cell.effect.name(), cell.report);
                    let other = traces.iter().find(|(_, cells)| cells.contains(cell));
                    let other = other.map_or("", |((_, test), _)| test.as_str());
                    say(&format!("  ✗ no journal of {test} ends in {told}; another: {other}"));
                }
            }
            Shown::InJournal(_) => {}
            Shown::ByName(_) | Shown::Open(_) => {
                if let Some(((_, test), _)) = traces.iter().find(|(_, cells)| cells.contains(cell))
                {
                    more += 1;
                    let told = format!("{}: {}", cell.effect.name(), cell.report);
                    say(&format!(
                        "  ✗ a journal of {test} ends in {told}; the table does not say so"
                    ));
                }
            }
        }
    }
    for ((_, test), cells) in traces {
        for cell in cells.iter().filter(|cell| !table.contains_key(cell)) {
            more += 1;
            let told = format!("{}: {}", cell.effect.name(), cell.report);
            say(&format!("  ✗ a journal of {test} ends in {told}; the table has no such row"));
        }
    }
    figures.hold(format!("{seen} reports seen in journals, {unseen} not"), unseen == 0);
    figures.hold(format!("{more} reports in journals that the table does not have"), more == 0);
}

fn audit(size: Size, figures: &mut Figures) -> Result<()> {
    let findings = table::findings()?;
    let run = chosen(size, QUICK_FINDINGS, findings.iter().flat_map(|finding| &finding.tests));
    let failed = named_tests::run(&run, &[])?;
    failed.iter().for_each(|test| say(&format!("  ✗ did not pass: {test}")));
    let is_gone = |finding: &&Finding| {
        !finding.tests.is_empty() && !finding.tests.iter().any(|test| failed.contains(test))
    };
    let open: Vec<&Finding> = findings.iter().filter(|finding| !is_gone(finding)).collect();
    for Finding { number, what, reason, .. } in &open {
        say(&format!("  · finding {number} is open: {what}: {reason}"));
    }
    let is_explained = open.iter().all(|it| it.tests.is_empty() && !it.reason.is_empty());
    let gone = findings.len() - open.len();
    figures.hold(
        format!("audit: {gone} of {FINDINGS} gone, {} of their tests run", run.len()),
        findings.len() == FINDINGS && is_explained && failed.is_empty(),
    );
    Ok(())
}

/// How many tests of effects and of findings are run with every change.
const QUICK_EFFECTS: usize = 4;
const QUICK_FINDINGS: usize = 2;
/// The tests whose harnesses leave journals.
const HARNESSES: &str = "binary_id(=sealwright::hands) | binary_id(=sealwright::tasks)";
/// The findings of the audit.
const FINDINGS: usize = 21;
