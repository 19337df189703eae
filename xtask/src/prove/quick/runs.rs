//! TaskRunner: `sealwright do` as a process of its own, with real agents on the scripted model, looked at from outside.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::prove::Size;
use crate::prove::agents::install;
use crate::prove::figures::Figures;
use crate::workspace::{build_quickly, root, say, scratch};

pub(super) fn runs(size: Size, figures: &mut Figures) -> Result<()> {
    let told = quick_lane(size, &sampled("run", size))?;
    let (runs, right) = (count(&told, "runs")?, count(&told, "right")?);
    let least = match size {
        Size::Quick(_) => 2,
        Size::Full => 25,
    };
    let seconds = told["seconds"].as_f64().unwrap_or_default() / runs.max(1) as f64;
    figures.hold(
        format!("{right} of {runs} runs ended as they must, {seconds:.0} s each"),
        right == runs && runs >= least,
    );
    let own = told["own_seconds_max"].as_f64().context("no figure `own_seconds_max`")?;
    let text =
        format!("the whole of `do` adds {own:.1} s to agents and gates (≤ {OWN_SECONDS_MAX})");
    match size {
        // Beside anything else that runs, it binds nobody.
        Size::Quick(_) => figures.tell(text),
        Size::Full => figures.hold(text, own <= OWN_SECONDS_MAX),
    }
    Ok(())
}

pub(super) fn kills(size: Size, figures: &mut Figures) -> Result<()> {
    let (least, seed) = match size {
        Size::Quick(sample) => ("2", sample.number()),
        Size::Full => ("100", fastrand::u64(..)),
    };
    let seed = seed.to_string();
    let words = ["kills", "--count", least, "--seed", &seed];
    let told = quick_lane(size, &words.map(str::to_owned))?;
    let (kills, wrong) = (count(&told, "kills")?, count(&told, "wrong")?);
    figures.hold(
        format!(
            "{kills} kills in {} runs: same tree, nothing reported twice, nothing left, {wrong} things wrong (0), seed {}",
            count(&told, "runs")?,
            told["seed"],
        ),
        wrong == 0 && kills.to_string() == least,
    );
    Ok(())
}

pub(super) fn trouble(size: Size, figures: &mut Figures) -> Result<()> {
    let told = quick_lane(size, &sampled("trouble", size))?;
    let (troubles, right) = (count(&told, "troubles")?, count(&told, "right")?);
    let least = match size {
        Size::Quick(_) => 1,
        Size::Full => 7,
    };
    figures.hold(
        format!("{right} of {troubles} troubles told by name and mended"),
        right == troubles && troubles >= least,
    );
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

fn count(told: &Value, what: &str) -> Result<u64> {
    told[what].as_u64().with_context(|| format!("no figure `{what}` in {told}"))
}

/// Has the program run, tells what went wrong, and gives its last line, which holds figures. It fails where a figure
/// says so already.
fn quick_lane(size: Size, words: &[String]) -> Result<Value> {
    let mut command = Command::new(build_quickly("quick-lane")?);
    command.args(words).arg("--agents").arg(install(size)?);
    command.env("VIRTUAL_ENV", python()?).stdout(Stdio::piped());
    let mut child = command.spawn().context("it could not be started")?;
    let stdout = child.stdout.take().context("its output is not there")?;
    let mut last = String::new();
    for line in BufReader::new(stdout).lines() {
        let line = line?;
        if !line.starts_with('{') {
            let shown: String = line.chars().take(SHOWN_MAX).collect();
            say(&format!("  · {shown}"));
        }
        last = line;
    }
    child.wait()?;
    serde_json::from_str(&last).with_context(|| format!("no figures in `{last}`"))
}

/// The Python that tests of repositories are run by.
fn python() -> Result<PathBuf> {
    let named = std::env::var_os("SEALWRIGHT_PYTHON").map(PathBuf::from);
    let python = named.unwrap_or_else(|| scratch("trust").join("python"));
    let made =
        Command::new(root().join(".ci/python")).arg(&python).stdout(Stdio::null()).status()?;
    ensure!(made.success(), "Python could not be made ready");
    Ok(python)
}

const SHOWN_MAX: usize = 600;
const OWN_SECONDS_MAX: f64 = 10.0;
