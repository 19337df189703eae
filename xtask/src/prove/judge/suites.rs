//! Suites that were not written for the boundary: how many of their tests pass across it.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context as _, Result};
use sealwright_gates::Status;
use sealwright_gates::reports::junit;

use super::{Subject, copy, fresh};
use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::prove::reality::repositories::{Ready, folder, ready};
use crate::workspace::say;

/// A suite, and the share of its tests that pass across.
struct Suite {
    name: &'static str,
    package: &'static str,
    below: &'static str,
    options: &'static [&'static str],
    percent: usize,
}

const SUITES: [Suite; 4] = [
    Suite {
        name: "itsdangerous",
        package: "itsdangerous",
        below: "src",
        options: &[],
        percent: 96,
    },
    Suite {
        name: "more-itertools",
        package: "more_itertools",
        below: "",
        options: &[],
        percent: 96,
    },
    Suite {
        name: "click",
        package: "click",
        below: "src",
        options: &["-m", "not stress"],
        percent: 90,
    },
    Suite { name: "requests", package: "requests", below: "src", options: &[], percent: 76 },
];

pub(super) fn prove(size: Size, figures: &mut Figures) -> Result<()> {
    if !folder().is_dir() {
        figures.tell("no repositories beside this one: no suites".to_owned());
        return Ok(());
    }
    say("  repository      natively    across  share   natively  across");
    for suite in &SUITES[..size.choose(1, SUITES.len())] {
        let repository = ready(suite.name, size)?;
        let began = Instant::now();
        let native = passing(&repository.pytest(&[suite.options, &["tests"]].concat())?)?;
        let natively_s = began.elapsed().as_secs_f64();
        let began = Instant::now();
        let (report, said) = across(suite, &repository, size)?;
        let across_s = began.elapsed().as_secs_f64();
        let across = passing(&report)?;
        let both = across.intersection(&native).count();
        let share = both * 100 / native.len().max(1);
        let (of, many) = (native.len(), across.len());
        let name = suite.name;
        say(&format!(
            "  {name:14} {of:9} {many:9} {share:4} %  {natively_s:6.1} s  {across_s:6.1} s"
        ));
        for line in said.lines().filter(|line| line.starts_with("across the boundary")) {
            say(&format!("    {line}"));
        }
        let only: Vec<&String> = across.difference(&native).take(5).collect();
        figures.hold(
            format!(
                "{name}: {both} of {of} tests pass across ({share} %, at least {} %)",
                suite.percent
            ),
            share >= suite.percent && only.is_empty(),
        );
        if !only.is_empty() {
            say(&format!("  ✗ pass across and not natively: {only:?}"));
        }
    }
    Ok(())
}

fn across(suite: &Suite, repository: &Ready, size: Size) -> Result<(Vec<u8>, String)> {
    let place = fresh(suite.name)?;
    let (candidate, work) = (place.join("candidate"), place.join("work"));
    copy(&repository.folder.join(suite.below).join(suite.package), &candidate)?;
    copy(&repository.folder.join("tests"), &work)?;
    let mut wanted = Vec::new();
    list(&work.join("tests"), "tests", &mut wanted)?;
    wanted.sort();
    let subject = Subject {
        python: repository.python.as_ref().context("no Python")?,
        candidate: &candidate,
        package: suite.package,
        tests: &work,
        wanted,
        options: suite.options,
    };
    let judgement = subject.judged(size)?;
    let said = String::from_utf8_lossy(&judgement.judge.stdout.kept).into_owned();
    let report = judgement.report.with_context(|| format!("no report: {said}"))?;
    Ok((report, said))
}

fn list(folder: &PathBuf, below: &str, wanted: &mut Vec<String>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{below}/{name}");
        if entry.file_type()?.is_dir() {
            list(&entry.path(), &path, wanted)?;
        } else if name.starts_with("test_") && name.ends_with(".py") {
            wanted.push(path);
        }
    }
    Ok(())
}

fn passing(report: &[u8]) -> Result<BTreeSet<String>> {
    let results = junit::read(report)?.results.into_iter();
    let passed = results.filter(|it| matches!(it.status, Status::Passed));
    Ok(passed.map(|it| format!("{}::{}", it.id.suite, it.id.name)).collect())
}
