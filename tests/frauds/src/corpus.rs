//! The corpus: loads and validates every case.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use crate::case::{Case, Kind, Way};

/// All cases, frauds first, each kind sorted by name.
pub fn all() -> Result<Vec<Case>> {
    let mut cases = read("frauds", Kind::Fraud)?;
    cases.extend(read("honest", Kind::Honest)?);
    Ok(cases)
}

/// Cases that the product does not judge rightly yet: frauds that it accepts, honest runs that it refuses. A case leaves
/// this folder when it is mended.
pub fn open() -> Result<Vec<Case>> {
    let mut cases = read("open/frauds", Kind::Fraud)?;
    cases.extend(read("open/honest", Kind::Honest)?);
    Ok(cases)
}

/// All of them, or at least so many, spread evenly; numbers that follow each other choose others.
pub fn chosen<T>(all: Vec<T>, count: usize, sample: Option<u64>) -> Vec<T> {
    let Some(sample) = sample else { return all };
    let stride = (all.len() / count).max(1);
    let first = (sample % stride as u64) as usize;
    all.into_iter().skip(first).step_by(stride).collect()
}

pub fn parse(id: &str, kind: Kind, text: &str) -> Result<Case> {
    let data = toml::from_str(text).with_context(|| format!("{id} cannot be read"))?;
    let case = Case { id: id.to_owned(), kind, data };
    whole(&case).with_context(|| format!("{id} is not whole"))?;
    Ok(case)
}

fn read(folder: &str, kind: Kind) -> Result<Vec<Case>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(folder);
    let mut cases = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let id = name.strip_suffix(".toml").with_context(|| format!("{name} is no case"))?;
        cases.push(parse(id, kind, &fs::read_to_string(&path)?)?);
    }
    cases.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(cases)
}

fn whole(case: &Case) -> Result<()> {
    let data = &case.data;
    ensure!(data.story.ends_with(['.', '!']), "its story is no sentence");
    ensure!(!data.class.is_empty(), "it has no class");
    match case.kind {
        Kind::Fraud => {
            ensure!(data.cheater.is_some(), "it does not say who cheats");
            ensure!(data.harm.is_some(), "it does not say what is wrong with it");
            ensure!(data.way.is_some(), "it does not say how it comes to be accepted");
            let is_known = data.would_catch.is_some();
            ensure!(!is_known || data.way == Some(Way::Sabotage), "only sabotage may escape");
            ensure!(is_known == data.caught_by.is_empty(), "it does not say what should catch it");
            ensure!(data.modelled_on.is_some(), "it does not say what it is modelled on");
        }
        Kind::Honest => {
            let blames =
                data.cheater.is_some() || data.harm.is_some() || !data.caught_by.is_empty();
            ensure!(!blames, "an honest run has no cheater, no harm and nothing to be caught by");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::project::Project;

    #[test]
    fn there_are_enough_frauds_and_honest_runs() {
        let cases = [all().unwrap(), open().unwrap()].concat();
        let count = |kind| cases.iter().filter(|case| case.kind == kind).count();
        assert!(count(Kind::Fraud) >= 230, "{}", count(Kind::Fraud));
        assert!(count(Kind::Honest) >= 102, "{}", count(Kind::Honest));
        let names: BTreeSet<&str> = cases.iter().map(|case| case.id.as_str()).collect();
        assert_eq!(names.len(), cases.len(), "no fraud is called like an honest run");
    }

    /// Fails when the last fraud of a class is removed.
    #[test]
    fn every_class_of_fraud_is_there() {
        let cases = all().unwrap();
        let frauds = cases.iter().filter(|case| case.kind == Kind::Fraud);
        let classes: BTreeSet<&str> = frauds.map(|case| case.data.class.as_str()).collect();
        let missing: Vec<_> = CLASSES.iter().filter(|class| !classes.contains(**class)).collect();
        assert!(missing.is_empty(), "{missing:?}");
        let unknown: Vec<_> = classes.iter().filter(|class| !CLASSES.contains(class)).collect();
        assert!(unknown.is_empty(), "{unknown:?} may well be new; put them into the list");
    }

    #[test]
    fn every_case_can_be_played() {
        for case in [all().unwrap(), open().unwrap()].concat() {
            let project = Project::open(&case.data.project).unwrap();
            for (part, actor, honest) in case.data.parts.at_work() {
                let deeds = actor.deeds(&project, honest);
                assert!(deeds.is_ok(), "{}: {part}: {deeds:?}", case.id);
            }
        }
    }

    #[test]
    fn a_case_that_says_too_little_is_refused() {
        let text = "project = \"limiter\"\nclass = \"x\"\nstory = \"So it was.\"\n";
        assert!(parse("a", Kind::Fraud, text).is_err());
        assert!(parse("a", Kind::Honest, text).is_ok());
        assert!(parse("a", Kind::Honest, &format!("{text}[edits]\n")).is_err());
    }

    const CLASSES: &[&str] = &[
        "approval-forged",
        "build-script",
        "ci-changed",
        "constants-from-fixtures",
        "criterion-deferred",
        "deceptive-text",
        "deleted-test",
        "dependency-swapped",
        "equality-overridden",
        "evidence-replaced",
        "exit-code-forced",
        "facts-invented",
        "flaky",
        "gate-configuration",
        "git-tricks",
        "hidden-failure",
        "hidden-file",
        "huge-diff",
        "knows-the-harness",
        "machine-told-what-to-do",
        "monkeypatch",
        "narrated-pass",
        "network",
        "no-change",
        "reads-hidden-tests",
        "reads-the-tests",
        "record-edited",
        "renamed-test",
        "reporter-forged",
        "review-without-evidence",
        "role-out-of-bounds",
        "runner-killed",
        "runner-replaced",
        "runner-shadowed",
        "secret-committed",
        "skipped-test",
        "snapshot-accepted",
        "start-up-hook",
        "stubbed-logic",
        "test-configuration",
        "tests-test-themselves",
        "time-out",
        "trace-forged",
        "undeclared-dependency",
        "under-specified",
        "vacuous-asserts",
        "weakened-assertion",
        "work-not-delivered",
        "wrong-build",
    ];
}
