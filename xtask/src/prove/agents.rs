//! `prove agents`: real agents run in the sandbox, and only observations from outside decide.

mod small_model;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::workspace::{build_quickly, root, say, scratch, succeed};

pub(crate) fn run(size: Size) -> Result<()> {
    let mut figures = Figures::new("agents", size);
    say("installing");
    let agents = install(size)?;
    let releases = releases(&agents)?;
    let told = releases.iter().map(|(agent, release)| format!("{agent} {release}"));
    figures.tell(told.collect::<Vec<_>>().join(", "));
    say("running scenarios");
    let program = build_quickly("agent-scenarios")?;
    let (held, lines) = run_scenarios(&program, &agents, size, &[])?;
    count(&lines, held, size, &mut figures)?;
    if size == Size::Full {
        write_page(&program, &lines, &releases)?;
        say("a small real model");
        small_model::prove(&program, &agents, &mut figures)?;
        say("hostile streams");
        figures.hold(
            "10000 hostile streams for each adapter: no panic, bounded, failed with a reason"
                .to_owned(),
            fuzz()?,
        );
    }
    figures.close()
}

/// Installs the agents once, outside of the repository.
pub(super) fn install(size: Size) -> Result<PathBuf> {
    let named = std::env::var_os("SEALWRIGHT_AGENTS").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| scratch("agents").join("installed"));
    let mut install = Command::new(root().join(".ci/agents"));
    install.arg(&folder).args(size.choose(None, Some("--all"))).stdout(Stdio::null());
    succeed(&mut install, "the agents could not be installed")?;
    Ok(folder)
}

/// The installed releases, from their package files.
fn releases(agents: &Path) -> Result<Vec<(String, String)>> {
    let mut releases = Vec::new();
    for (agent, package) in PACKAGES {
        let Ok(text) = std::fs::read_to_string(
            agents.join("lib/node_modules").join(package).join("package.json"),
        ) else {
            continue;
        };
        let package: Value = serde_json::from_str(&text)?;
        let release = package["version"].as_str().context("a package without a version")?;
        releases.push(((*agent).to_owned(), release.to_owned()));
    }
    Ok(releases)
}

/// Runs these scenarios, or all, and gives a line for each; whether all held.
pub(super) fn run_scenarios(
    program: &Path,
    agents: &Path,
    size: Size,
    only: &[&str],
) -> Result<(bool, Vec<Value>)> {
    let mut all = Command::new(program);
    all.args(["all", "--agents"]).arg(agents);
    all.args(size.choose(&["--routes", QUICK_ROUTES][..], &[]));
    if !only.is_empty() {
        all.args(["--scenarios", &only.join(",")]);
    }
    let output =
        all.stderr(Stdio::inherit()).output().context("the scenarios could not be started")?;
    let said = String::from_utf8(output.stdout)?;
    std::fs::create_dir_all(scratch("agents"))?;
    std::fs::write(scratch("agents").join("lines.jsonl"), &said)?;
    let lines: Result<Vec<Value>, _> = said.lines().map(serde_json::from_str).collect();
    Ok((output.status.success(), lines?))
}

fn count(lines: &[Value], held: bool, size: Size, figures: &mut Figures) -> Result<()> {
    let mut broken = 0;
    for line in lines.iter().filter(|line| line["held"] != true) {
        broken += 1;
        say(&format!("  ✗ {}, {}: {}", line["route"], line["scenario"], line["seen"]));
    }
    let routes: BTreeSet<&str> = lines.iter().filter_map(|line| line["route"].as_str()).collect();
    figures.hold(
        format!("{} scenario runs on {} routes, {broken} failed", lines.len(), routes.len()),
        held && broken == 0,
    );
    let answered =
        lines.iter().filter(|line| line["scenario"] == "answers" && line["held"] == true).count();
    let least = size.choose(5, 9);
    figures.hold(
        format!("the same typed answer from {answered} routes (≥ {least}), 0 agent turns spent on driving the engine"),
        answered >= least,
    );
    let slowest = lines.iter().filter_map(|line| line["took_ms"].as_u64()).max();
    let slowest = slowest.context("no scenario ran")?;
    figures.tell(format!("the longest scenario took {:.0} s", slowest as f64 / 1000.0));
    Ok(())
}

fn write_page(program: &Path, lines: &[Value], releases: &[(String, String)]) -> Result<()> {
    let mut page = Command::new(program);
    page.arg("page");
    for (agent, release) in releases {
        page.arg("--version").arg(format!("{agent}={release}"));
    }
    let mut page = page.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut input = page.stdin.take().context("a pipe was asked for")?;
    for line in lines {
        writeln!(input, "{line}")?;
    }
    drop(input);
    let output = page.wait_with_output()?;
    ensure!(output.status.success(), "the page could not be written");
    Ok(std::fs::write(root().join("docs/agents.md"), output.stdout)?)
}

/// Runs the tests with hostile streams, many more times than on every change.
fn fuzz() -> Result<bool> {
    for tests in [["--lib", "hostile"], ["--test", "api"]] {
        let mut cargo = Command::new("cargo");
        cargo.args(["test", "--quiet", "--locked", "--package", "sealwright-agents"]).args(tests);
        cargo.args((tests[1] == "api").then_some("noise"));
        cargo.env("SEALWRIGHT_FUZZ_CASES", "10000").current_dir(root());
        if !cargo.stdout(Stdio::null()).status()?.success() {
            return Ok(false);
        }
    }
    Ok(true)
}

const PACKAGES: &[(&str, &str)] = &[
    ("codex", "@openai/codex"),
    ("claude-code", "@anthropic-ai/claude-code"),
    ("gemini", "@google/gemini-cli"),
    ("opencode", "opencode-ai"),
    ("goose", "@aaif/goose-binary-linux-x64"),
    ("copilot", "@github/copilot"),
];
const QUICK_ROUTES: &str = "codex,codex-login,api,api-responses,api-anthropic,api-gemini";
