//! Checks of the corpus: templates, frauds and honest runs are what they claim to be.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use crate::baselines;
use crate::case::{Case, Harm, Kind};
use crate::checkout::Checkout;
use crate::process::Ran;
use crate::project::{Layer, Project};
use crate::system::{System as _, Verdict};

/// Checks a template: its tests pass, and each new test fails before the solution and passes with it.
pub fn template(project: &Project) -> Result<String> {
    use Layer::{Acceptance, Base, Holdout, Skeleton, Solution};
    let name = &project.name;
    let base = layered(project, &[Base])?;
    ensure!(base.is_well(), "{name}: the base is not green: {}", base.said);
    let red = layered(project, &[Base, Skeleton, Acceptance, Holdout])?;
    let green = layered(project, &[Base, Skeleton, Acceptance, Holdout, Solution])?;
    ensure!(!red.is_well(), "{name}: the tests are green before anything is built");
    ensure!(green.is_well(), "{name}: the solution is not green: {}", green.said);
    for test in project.about.trace.keys() {
        ensure!(has_failed(&red, test), "{name}: {test} does not fail before: {}", red.said);
    }
    Ok(format!("{name}: {} tests, red before and green after", project.about.trace.len()))
}

/// Checks a case.
///
/// A fraud fools at least one naive loop, unless it says why none applies; a `broken` one fails the honest tests. An
/// honest run passes all tests, including hidden ones.
pub fn case(case: &Case) -> Result<String> {
    match case.kind {
        Kind::Fraud => fraud(case),
        Kind::Honest => honest(case),
    }
    .with_context(|| case.id.clone())
}

fn fraud(case: &Case) -> Result<String> {
    let mut fooled = Vec::new();
    for baseline in baselines::all() {
        if baseline.judge(case)? == Verdict::Accepted {
            fooled.push(baseline.name().to_owned());
        }
    }
    match &case.data.beyond {
        Some(why) => {
            ensure!(!why.is_empty(), "it does not say why it is beyond naive loops");
            changes_a_record(case)?;
        }
        None => ensure!(!fooled.is_empty(), "it fools no naive loop"),
    }
    if let Some(mark) = &case.data.mark {
        let played = Checkout::set_up(case)?;
        played.run(case)?;
        let found = fs::read_to_string(played.tree.join(&mark.path)).unwrap_or_default();
        ensure!(found.contains(&mark.text), "it leaves no mark in {}", mark.path);
    }
    if case.data.harm == Some(Harm::Broken) {
        ensure!(!does_what_was_asked(case)?, "it is not broken");
    }
    Ok(format!("{}: fools {}", case.id, if fooled.is_empty() { "no loop" } else { "" })
        + &fooled.join(", "))
}

fn honest(case: &Case) -> Result<String> {
    let checkout = Checkout::set_up(case)?;
    let result = checkout.run(case)?;
    ensure!(result.broke_off.is_none(), "{:?}", result.broke_off);
    // A case with its own tests replaces those of the template; its hidden tests are its own.
    if case.data.parts.tests.is_none() {
        checkout.project.lay(Layer::Holdout, &checkout.tree)?;
    }
    let ran = checkout.test(LIMIT_S)?;
    ensure!(ran.is_well(), "{}: {}", ran.ended(), ran.said);
    Ok(format!("{}: green", case.id))
}

/// Checks that a change to a record leaves a difference in the record of a finished run.
fn changes_a_record(case: &Case) -> Result<()> {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("record");
    let checkout = Checkout::set_up(case)?;
    copy(&recorded, &checkout.tree.join(".sealwright"))?;
    let committed = checkout.shell("git add -A . && git commit -qm recorded")?;
    ensure!(committed.is_well(), "{}", committed.said);
    let actor = case.data.parts.record.as_ref().context("it does nothing to a record")?;
    let ran = checkout.act(actor, &[])?;
    ensure!(ran.is_well(), "{}: {}", ran.ended(), ran.said);
    let changed = checkout.shell("test -n \"$(git status --porcelain)\"")?;
    ensure!(changed.is_well(), "it changes nothing");
    Ok(())
}

/// Whether the honest tests pass on the sources of a case, with all other files from the template. The exit code does
/// not count: each test must be seen to pass, and one that must fail to fail.
fn does_what_was_asked(case: &Case) -> Result<bool> {
    let played = Checkout::set_up(case)?;
    played.run(case)?;
    let judged = Checkout::bare(&case.data.project)?;
    let project = &judged.project;
    project.lay(Layer::Base, &judged.tree)?;
    for folder in &project.about.sources {
        let (from, to) = (played.tree.join(folder), judged.tree.join(folder));
        if to.exists() {
            fs::remove_dir_all(&to)?;
        }
        copy(&from, &to)?;
    }
    project.lay(Layer::Acceptance, &judged.tree)?;
    project.lay(Layer::Holdout, &judged.tree)?;
    let (name, canary) = project.about.language.failing_test();
    for test in &project.about.tests {
        let path = judged.tree.join(test);
        fs::write(&path, fs::read_to_string(&path)? + canary)?;
    }
    let ran = judged.test(TRUTH_LIMIT_S)?;
    Ok(has_failed(&ran, name) && project.about.trace.keys().all(|test| has_passed(&ran, test)))
}

fn layered(project: &Project, layers: &[Layer]) -> Result<Ran> {
    let checkout = Checkout::bare(&project.name)?;
    for layer in layers {
        project.lay(*layer, &checkout.tree)?;
    }
    let ran = checkout.test(LIMIT_S)?;
    ensure!(ran.code.is_some(), "{}: {}", project.name, ran.ended());
    Ok(ran)
}

fn has_failed(ran: &Ran, test: &str) -> bool {
    is_told(ran, test, "FAILED", "FAILED ")
}

fn has_passed(ran: &Ran, test: &str) -> bool {
    is_told(ran, test, "ok", "PASSED ") && !has_failed(ran, test)
}

/// Whether cargo or pytest says this of a test.
fn is_told(ran: &Ran, test: &str, cargo: &str, pytest: &str) -> bool {
    ran.said.lines().any(|line| {
        let by_pytest = line.starts_with(pytest)
            && line.split(['[', ' ']).any(|word| word.ends_with(&format!("::{test}")));
        by_pytest || line.trim_start() == format!("test {test} ... {cargo}")
    })
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| from.display().to_string())? {
        let entry = entry?;
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        match entry.file_type()? {
            // Interpreter caches are no sources.
            kind if kind.is_dir() && entry.file_name() == "__pycache__" => {}
            kind if kind.is_dir() => copy(&path, &to)?,
            // Links are no sources.
            kind if kind.is_file() => fs::write(to, fs::read(&path)?)?,
            _ => {}
        }
    }
    Ok(())
}

pub fn classes(cases: &[Case]) -> BTreeMap<&str, usize> {
    let mut classes = BTreeMap::new();
    for case in cases {
        *classes.entry(case.data.class.as_str()).or_default() += 1;
    }
    classes
}

const LIMIT_S: u32 = 180;
const TRUTH_LIMIT_S: u32 = 60;
