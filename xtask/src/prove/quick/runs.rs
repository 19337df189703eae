//! Runs `sealwright do` as a separate process with real agents and the scripted model, and checks it from outside.

use std::process::Command;

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::prove::Size;
use crate::prove::agents::install;
use crate::prove::figures::Figures;
use crate::prove::python::python;
use crate::workspace::{build_quickly, figures_in, last_line_of, say};

pub(super) fn runs(size: Size, figures: &mut Figures) -> Result<()> {
    let result = quick_lane(size, &sampled("run", size))?;
    let (runs, right) = (count(&result, "runs")?, count(&result, "right")?);
    let seconds = result["seconds"].as_f64().unwrap_or_default() / runs.max(1) as f64;
    figures.hold(
        format!("{right} of {runs} runs ended as they must, {seconds:.0} s each"),
        right == runs && runs >= size.choose(1, 28),
    );
    let own = result["own_seconds_max"].as_f64().context("no figure `own_seconds_max`")?;
    let text =
        format!("the whole of `do` adds {own:.1} s to agents and gates (≤ {OWN_SECONDS_MAX})");
    match size {
        // Other load disturbs the time, so it is informational only.
        Size::Quick(_) => figures.tell(text),
        Size::Full => figures.hold(text, own <= OWN_SECONDS_MAX),
    }
    Ok(())
}

pub(super) fn kills(size: Size, figures: &mut Figures) -> Result<()> {
    match size {
        Size::Quick(sample) => killed(size, "quick", (2, sample.number()), figures),
        Size::Full => {
            killed(size, "quick", (100, fastrand::u64(..)), figures)?;
            killed(size, "strict", (30, fastrand::u64(..)), figures)
        }
    }
}

fn killed(size: Size, lane: &str, (least, seed): (u64, u64), figures: &mut Figures) -> Result<()> {
    let mut words = ["kills", "--count", &least.to_string(), "--seed", &seed.to_string()]
        .map(str::to_owned)
        .to_vec();
    if lane == "strict" {
        words.push("--strict".to_owned());
    }
    let result = quick_lane(size, &words)?;
    let (kills, wrong) = (count(&result, "kills")?, count(&result, "wrong")?);
    figures.hold(
        format!(
            "{lane} lane, {kills} kills in {} runs: same tree, nothing reported twice, nothing left, {wrong} violations (0), seed {}",
            count(&result, "runs")?,
            result["seed"],
        ),
        wrong == 0 && kills == least,
    );
    Ok(())
}

pub(super) fn trouble(size: Size, figures: &mut Figures) -> Result<()> {
    let result = quick_lane(size, &sampled("trouble", size))?;
    let (troubles, right) = (count(&result, "troubles")?, count(&result, "right")?);
    figures.hold(
        format!("{right} of {troubles} faults reported by name and recovered"),
        right == troubles && troubles >= size.choose(1, 7),
    );
    Ok(())
}

pub(super) fn cost(size: Size, figures: &mut Figures) -> Result<()> {
    let result = quick_lane(size, &sampled("cost", size))?;
    let agents = result["agents"].as_array().context("no figure `agents`")?;
    for agent in agents {
        let name = agent["agent"].as_str().unwrap_or_default();
        let (bare, engine) = (&agent["bare"], &agent["do"]);
        let ratio = agent["ratio"].as_f64().context("no figure `ratio`")?;
        figures.hold(
            format!(
                "{name}: {} calls and {} requests of `do` beside {} and {}, {ratio:.1} × the bytes (aim 2, at most {RATIO_MAX})",
                engine["calls"], engine["requests"], bare["calls"], bare["requests"],
            ),
            ratio <= RATIO_MAX,
        );
    }
    Ok(())
}

/// A command, in the quick form with the sample it chooses by.
fn sampled(command: &str, size: Size) -> Vec<String> {
    match size {
        Size::Full => vec![command.to_owned()],
        Size::Quick(sample) => {
            vec![command.to_owned(), "--sample".to_owned(), sample.number().to_string()]
        }
    }
}

fn count(result: &Value, what: &str) -> Result<u64> {
    result[what].as_u64().with_context(|| format!("no figure `{what}` in {result}"))
}

/// Runs the program, prints its lines, and parses its last line as figures. A failure shows in the figures.
fn quick_lane(size: Size, words: &[String]) -> Result<Value> {
    let mut command = Command::new(build_quickly("quick-lane")?);
    command.args(words).arg("--agents").arg(install(size)?).env("VIRTUAL_ENV", python()?);
    let (_, last) = last_line_of(&mut command, |line| {
        if !line.starts_with('{') {
            let shown: String = line.chars().take(SHOWN_MAX).collect();
            say(&format!("  · {shown}"));
        }
    })?;
    figures_in(&last)
}

const RATIO_MAX: f64 = 4.0;
const SHOWN_MAX: usize = 600;
const OWN_SECONDS_MAX: f64 = 10.0;
