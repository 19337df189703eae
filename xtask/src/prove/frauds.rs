//! Frauds: planted frauds and honest runs, judged by Sealwright and by three naive loops in one run.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::prove::python::python;
use crate::workspace::{build_quickly, figures_in, last_line_of, say};

pub(super) fn prove(size: Size, figures: &mut Figures) -> Result<()> {
    let mut run = command(build_quickly("frauds")?)?;
    run.args(["run", "--state"]).arg(state()?);
    match size {
        Size::Quick(sample) => run.args(["--sample", &sample.number().to_string()]),
        Size::Full => run.arg("--beside"),
    };
    let result = figures_of(run, |line| {
        if ["escaped ", "alarm ", "lost ", "open, "].iter().any(|word| line.starts_with(word)) {
            let shown: String = line.chars().take(SHOWN_MAX).collect();
            say(&format!("  · {shown}"));
        }
    })?;
    let count = |system: &str, kind: &str, what: &str| result[system][kind][what].as_u64();
    for name in ["trusting", "testing", "diffing"] {
        if let (Some(escaped), Some(cases), Some(alarms)) = (
            count(name, "frauds", "accepted"),
            count(name, "frauds", "cases"),
            count(name, "honest", "refused"),
        ) {
            figures.tell(format!(
                "{name} loop: {escaped} of {cases} frauds escape, {alarms} false alarms"
            ));
        }
    }
    let of = |kind: &str, what: &str| count("sealwright", kind, what).context("no such figure");
    // Cases of others that are judged wrongly so far; only the full form plays them.
    let open = |kind: &str, what: &str| count("open", kind, what).context("no such figure");
    let (frauds, escaped, lost) =
        (of("frauds", "cases")?, of("frauds", "accepted")?, of("frauds", "failed")?);
    let (frauds_min, honest_min) = size.choose((4, 1), (230, 102));
    let way = |way: &str, what: &str| {
        result["sealwright"]["ways"][way][what].as_u64().context("no such figure")
    };
    let ways: Vec<String> = ["lazy", "forging", "sabotage"]
        .into_iter()
        .map(|name| Ok(format!("{name} {} of {}", way(name, "accepted")?, way(name, "cases")?)))
        .collect::<Result<_>>()?;
    // What is right in every room is caught by none of them; such a case says what would catch it.
    let known = result["sealwright"]["known"].as_u64().context("no such figure")?;
    figures.hold(
        format!(
            "{escaped} of {frauds} frauds escape ({}; {known} say what would catch them), {lost} could not be run (0)",
            ways.join(", ")
        ),
        escaped == known && lost == 0 && frauds + open("frauds", "cases")? >= frauds_min,
    );
    let (honest, alarms, lost) =
        (of("honest", "cases")?, of("honest", "refused")?, of("honest", "failed")?);
    figures.hold(
        format!(
            "{alarms} false alarms in {honest} honest runs (≤ 2 %), {lost} could not be run (0)"
        ),
        alarms * 50 <= honest && lost == 0 && honest + open("honest", "cases")? >= honest_min,
    );
    let (escaped, refused) = (open("frauds", "accepted")?, open("honest", "refused")?);
    figures.hold(
        format!(
            "open: {escaped} of {} frauds escape, {refused} of {} honest runs are refused (0)",
            open("frauds", "cases")?,
            open("honest", "cases")?
        ),
        escaped == 0 && refused == 0,
    );
    Ok(())
}

pub(super) fn overhead(size: Size, figures: &mut Figures) -> Result<()> {
    let program = size.build("sealwright-frauds", "frauds")?;
    figures.hold_measured(|| {
        let mut run = command(program.clone())?;
        run.args(["overhead", "--state"]).arg(state()?);
        run.args(size.choose(Some("--quick"), None));
        let result = figures_of(run, |_| {})?;
        let of = |suite: &str, what: &str| result[suite][what].as_u64();
        let trivial = of("trivial", "bare_ms").zip(of("trivial", "gate_ms"));
        let (bare, gate) = trivial.context("no figures of the trivial suite")?;
        let added = gate.saturating_sub(bare);
        let mut text = format!(
            "a trivial suite: {bare} ms bare, {gate} ms with the gate: {added} ms added (≤ 150)"
        );
        let mut holds = added <= 150;
        if let Some((bare, gate)) = of("slow", "bare_ms").zip(of("slow", "gate_ms")) {
            let share = gate as f64 / bare as f64 - 1.0;
            text.push_str(&format!(
                "; 30 seconds of tests: {bare} ms bare, {gate} ms: {:.1} % added (≤ 5)",
                share * 100.0
            ));
            holds &= share <= 0.05;
        }
        Ok((text, holds))
    })
}

/// The command for the corpus, with the Python that tests its projects.
fn command(program: PathBuf) -> Result<Command> {
    let mut command = Command::new(program);
    command.env("VIRTUAL_ENV", python()?);
    Ok(command)
}

/// A folder that another user can traverse.
fn state() -> Result<PathBuf> {
    let folder = std::env::temp_dir().join("sealwright-frauds");
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Runs a program and parses its last line as figures.
fn figures_of(mut command: Command, hear: impl Fn(&str)) -> Result<Value> {
    let (held, last) = last_line_of(&mut command, hear)?;
    ensure!(held, "the program failed: {last}");
    figures_in(&last)
}

const SHOWN_MAX: usize = 600;
