//! `frauds`: lists the corpus, checks it, and runs systems on it.

use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::{Parser, Subcommand};
use sealwright_frauds::case::{Case, Kind, Way};
use sealwright_frauds::project::Project;
use sealwright_frauds::sealwright::Sealwright;
use sealwright_frauds::system::System;
use sealwright_frauds::table::{Table, Total};
use sealwright_frauds::{baselines, check, corpus, overhead, queue};
use serde_json::{Value, json};

/// Planted frauds and honest runs on small projects.
#[derive(Parser)]
#[command(name = "frauds")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List every case with its class.
    List,
    /// Check that each project passes, and that its new tests fail before the solution and pass with it.
    CheckTemplates,
    /// Check that every fraud fools a naive loop and does the harm it claims, and that honest runs pass.
    Check(Only),
    /// Run the naive loops on every case.
    Baselines(Only),
    /// Run Sealwright on every case.
    Run(Run),
    /// Measure the overhead of a gate over the bare command.
    Overhead {
        /// A scratch folder outside of every repository.
        #[arg(long)]
        state: std::path::PathBuf,
        /// Only a trivial suite.
        #[arg(long)]
        quick: bool,
    },
}

#[derive(clap::Args)]
struct Run {
    #[command(flatten)]
    only: Only,
    /// A scratch folder outside of every repository.
    #[arg(long)]
    state: std::path::PathBuf,
    /// Only frauds, or only honest runs.
    #[arg(long)]
    kind: Option<Which>,
    /// A few frauds and an honest run, chosen from the whole corpus by this number.
    #[arg(long)]
    sample: Option<u64>,
    /// Also run the naive loops on the same cases.
    #[arg(long)]
    beside: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Which {
    Fraud,
    Honest,
}

impl Run {
    /// Cases that are judged wrongly so far. A sample has none of them.
    fn open(&self) -> Result<Vec<Case>> {
        match self.sample {
            None => Ok(self.only.of(corpus::open()?)),
            Some(_) => Ok(Vec::new()),
        }
    }

    fn cases(&self) -> Result<Vec<Case>> {
        let wanted = self.kind.map(|kind| match kind {
            Which::Fraud => Kind::Fraud,
            Which::Honest => Kind::Honest,
        });
        let mut cases = self.only.of(corpus::all()?);
        cases.retain(|case| wanted.is_none_or(|wanted| case.kind == wanted));
        let (frauds, honest) = cases.into_iter().partition(|case| case.kind == Kind::Fraud);
        let mut cases = corpus::chosen(frauds, SAMPLE_FRAUDS, self.sample);
        cases.extend(corpus::chosen(honest, SAMPLE_HONEST, self.sample));
        Ok(cases)
    }
}

#[derive(clap::Args)]
struct Only {
    /// Only cases whose name contains this.
    #[arg(long)]
    only: Option<String>,
}

fn main() -> ExitCode {
    sealwright_sandbox::launcher::take_over_if_asked();
    let outcome = match Args::parse().command {
        Command::List => list(),
        Command::CheckTemplates => check_templates(),
        Command::Check(only) => check_cases(&only),
        Command::Baselines(only) => judge(&only),
        Command::Run(run) => judge_all(&run),
        Command::Overhead { state, quick } => cost(&state, quick),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("failed: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn list() -> Result<()> {
    let cases = corpus::all()?;
    for Case { id, kind, data } in &cases {
        let kind = match kind {
            Kind::Fraud => "fraud",
            Kind::Honest => "honest",
        };
        say(&format!("{kind:6}  {id:44}  {:10}  {:28}  {}", data.project, data.class, data.story));
    }
    let count = |kind| cases.iter().filter(|case| case.kind == kind).count();
    let classes = check::classes(&cases).len();
    say(&format!(
        "{} frauds and {} honest runs in {classes} classes",
        count(Kind::Fraud),
        count(Kind::Honest)
    ));
    Ok(())
}

fn check_templates() -> Result<()> {
    report(queue::each(&Project::all()?, |project| printed(check::template(project))))
}

fn check_cases(only: &Only) -> Result<()> {
    report(queue::each(&only.of(corpus::all()?), |case| printed(check::case(case))))
}

fn judge(only: &Only) -> Result<()> {
    let loops = baselines::all();
    let systems: Vec<&dyn System> = loops.iter().map(|one| one as &dyn System).collect();
    let table = Table::fill(&systems, &only.of(corpus::all()?), |_| {});
    say(&table.render());
    for row in table.rows() {
        for error in row.verdicts.iter().filter_map(|verdict| verdict.as_ref().err()) {
            say(&format!("{}: {error:#}", row.case.id));
        }
    }
    Ok(())
}

/// Runs every system on every case, prints progress, and ends with one line of figures.
fn judge_all(run: &Run) -> Result<()> {
    let sealwright = Sealwright::open(&run.state)?;
    let loops = if run.beside { Vec::from(baselines::all()) } else { Vec::new() };
    let mut systems: Vec<&dyn System> = loops.iter().map(|one| one as &dyn System).collect();
    systems.push(&sealwright);
    let cases = run.cases()?;
    let table = Table::fill(&systems, &cases, |row| say(&row.line()));
    say(&table.render());
    let told = |total: Total| {
        json!({
            "cases": total.cases, "accepted": total.accepted, "refused": total.refused, "failed": total.failed,
        })
    };
    let open = Table::fill(&[&sealwright as &dyn System], &run.open()?, |row| {
        say(&format!("open, {}", row.line()));
    });
    let mut figures: serde_json::Map<String, Value> = systems
        .iter()
        .enumerate()
        .map(|(at, system)| {
            let ways = Way::ALL.map(|way| (way.name().to_owned(), told(table.total_of(way, at))));
            let totals = json!({
                "frauds": told(table.total(Kind::Fraud, at)),
                "known": table.known(at),
                "ways": serde_json::Map::from_iter(ways),
                "honest": told(table.total(Kind::Honest, at)),
            });
            (system.name().to_owned(), totals)
        })
        .collect();
    let totals = [("frauds", Kind::Fraud), ("honest", Kind::Honest)];
    let totals = totals.map(|(name, kind)| (name.to_owned(), told(open.total(kind, 0))));
    figures.insert("open".to_owned(), Value::Object(serde_json::Map::from_iter(totals)));
    say(&Value::Object(figures).to_string());
    Ok(())
}

fn cost(state: &std::path::Path, quick: bool) -> Result<()> {
    let sealwright = Sealwright::open(state)?;
    let trivial = overhead::measure(sealwright.gates(), 1, 0.0, 5)?;
    let slow = if quick { None } else { Some(overhead::measure(sealwright.gates(), 30, 1.0, 1)?) };
    let figures = |cost: overhead::Cost| json!({"bare_ms": cost.bare.as_millis() as u64, "gate_ms": cost.gate.as_millis() as u64});
    say(&json!({"trivial": figures(trivial), "slow": slow.map(figures)}).to_string());
    Ok(())
}

/// Prints the result of a check at once: all checks take minutes.
fn printed(checked: Result<String>) -> Result<()> {
    match &checked {
        Ok(line) => say(line),
        Err(error) => say(&format!("NOT SO: {error:#}")),
    }
    checked.map(drop)
}

fn report(checked: Vec<Result<()>>) -> Result<()> {
    let count = checked.len();
    let wrong = checked.iter().filter(|one| one.is_err()).count();
    ensure!(wrong == 0, "{wrong} of {count} are not what they say");
    say(&format!("all {count} are what they say"));
    Ok(())
}

impl Only {
    fn of(&self, cases: Vec<Case>) -> Vec<Case> {
        let Some(only) = &self.only else { return cases };
        cases.into_iter().filter(|case| case.id.contains(only)).collect()
    }
}

#[expect(clippy::print_stdout, reason = "tables are what it prints")]
fn say(text: &str) {
    println!("{text}");
}

/// How many are played with every change.
const SAMPLE_FRAUDS: usize = 4;
const SAMPLE_HONEST: usize = 1;
