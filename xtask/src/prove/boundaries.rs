//! `prove boundaries`: what is proven is what is there, and a repository of somebody else acts on nothing.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::named_tests::{self, NamedTest};
use crate::prove::figures::Figures;
use crate::prove::{Prove, Size, agents, in_parts, trust};
use crate::workspace::{build_quickly, root, say, scratch};

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// Hostile repositories, opened with every command.
    Repositories,
    /// Forged commits, histories and proofs, seen from a clone.
    Forgeries,
    /// Single changed bytes.
    Bytes,
    /// Trees that steer the programs working on them, roles that want more than answers, and people's own logins; with the
    /// real programs.
    Agents,
    /// Each sentence of the threat model, with its test.
    Sentences,
}

/// What other steps of the gate run in whole is left out of the quick form.
pub(crate) fn run(size: Size, only: Option<Part>) -> Result<()> {
    let mut parts: Vec<(Part, &str, Prove<'_>)> = vec![
        (Part::Repositories, "hostile repositories", &repositories),
        (Part::Sentences, "sentences of the threat model", &sentences),
    ];
    if size == Size::Full {
        parts.push((Part::Forgeries, "forged commits, histories and proofs", &forgeries));
        parts.push((Part::Bytes, "single bytes", &trust::bytes));
        parts.push((Part::Agents, "hostile trees and greedy roles, with real programs", &programs));
    }
    in_parts("boundaries", size, only, &parts)
}

fn repositories(size: Size, figures: &mut Figures) -> Result<()> {
    let told = scratch("boundaries").join("told.txt");
    std::fs::create_dir_all(scratch("boundaries"))?;
    let _ = std::fs::remove_file(&told);
    let (number, first) = match size {
        Size::Quick(sample) => (QUICK, sample.number()),
        Size::Full => (usize::MAX, 0),
    };
    let failed = named_tests::run(
        &BTreeSet::from([NamedTest::find(HOSTILE)?]),
        &[
            ("SEALWRIGHT_HOSTILE", &number.to_string()),
            ("SEALWRIGHT_HOSTILE_FIRST", &(first % FIRST_MAX).to_string()),
            ("SEALWRIGHT_HOSTILE_TELLS", &told.display().to_string()),
        ],
    )?;
    let said = std::fs::read_to_string(&told).unwrap_or_default();
    let last = said.lines().last().unwrap_or("nothing was told").to_owned();
    figures.hold(last, failed.is_empty());
    Ok(())
}

fn forgeries(_: Size, figures: &mut Figures) -> Result<()> {
    let tests = FORGERIES.iter().map(|name| NamedTest::find(name)).collect::<Result<_>>()?;
    let failed = named_tests::run(&tests, &[])?;
    let source = std::fs::read_to_string(root().join("crates/cli/tests/hands/shipped.rs"))?;
    let commits = source.matches("\n    Forgery {").count();
    figures.hold(
        format!(
            "{commits} forged commits, histories and proofs named from a clone without its maker"
        ),
        failed.is_empty() && commits >= 30,
    );
    Ok(())
}

fn programs(size: Size, figures: &mut Figures) -> Result<()> {
    let installed = agents::install(size)?;
    let program = build_quickly("agent-scenarios")?;
    let wanted = [SCENARIOS, LOGIN_SCENARIOS].concat();
    let (held, lines) = agents::run_scenarios(&program, &installed, size, &wanted)?;
    let routes: BTreeSet<&str> = lines.iter().filter_map(|line| line["route"].as_str()).collect();
    let broken = lines.iter().filter(|line| line["held"] != true).count();
    for line in lines.iter().filter(|line| line["held"] != true) {
        say(&format!("  ✗ {}, {}: {}", line["route"], line["scenario"], line["seen"]));
    }
    figures.hold(
        format!(
            "hostile trees and greedy roles on {} routes of real programs, {broken} runs failed",
            routes.len()
        ),
        held && broken == 0 && routes.len() >= PROGRAMS,
    );
    let is_login =
        |line: &&Value| line["scenario"].as_str().is_some_and(|name| name.starts_with("login-"));
    let signed_in: Vec<&Value> = lines.iter().filter(is_login).collect();
    let names = |key: &str| signed_in.iter().filter_map(|line| line[key].as_str()).collect();
    let (routes, scenarios): (BTreeSet<&str>, BTreeSet<&str>) = (names("route"), names("scenario"));
    figures.hold(
        format!(
            "people's own logins: {} runs of {} scenarios on {} routes",
            signed_in.len(),
            scenarios.len(),
            routes.len()
        ),
        routes.len() >= LOGINS && LOGIN_SCENARIOS.iter().all(|name| scenarios.contains(name)),
    );
    Ok(())
}

fn sentences(size: Size, figures: &mut Figures) -> Result<()> {
    let page = std::fs::read_to_string(root().join(PAGE))?;
    let (sentences, tests) = named(&page)?;
    let mut tests: BTreeSet<NamedTest> =
        tests.iter().map(|name| NamedTest::find(name)).collect::<Result<_>>()?;
    if let Size::Quick(sample) = size {
        let all: Vec<NamedTest> = tests.into_iter().collect();
        tests = sample.of(&all, QUICK_SENTENCES).into_iter().collect();
    }
    let failed = named_tests::run(&tests, &[])?;
    failed.iter().for_each(|test| say(&format!("  ✗ did not pass: {test}")));
    figures.hold(
        format!("{sentences} sentences of the threat model, {} tests of them passed", tests.len()),
        failed.is_empty(),
    );
    Ok(())
}

/// How many sentences the table of what holds has, and the tests it names. A sentence names a test or a proof.
fn named(page: &str) -> Result<(usize, BTreeSet<String>)> {
    let table = page.split("## What holds").nth(1).and_then(|rest| rest.split("\n## ").next());
    let rows = table.context("the page has no table of what holds")?.lines();
    let rows: Vec<&str> = rows.filter(|line| line.starts_with("| ")).skip(1).collect();
    let mut tests = BTreeSet::new();
    for row in &rows {
        let shown = row.trim_end_matches(" |").rsplit(" | ").next().unwrap_or_default();
        let names: Vec<&str> = shown.split('`').skip(1).step_by(2).collect();
        let is_proof = |name: &&str| name.starts_with("cargo xtask prove ");
        let of_tests: Vec<&str> = names.iter().copied().filter(|it| it.contains("::")).collect();
        ensure!(
            !of_tests.is_empty() || names.iter().any(is_proof),
            "{PAGE}: nothing shows this: {row}"
        );
        tests.extend(of_tests.into_iter().map(str::to_owned));
    }
    ensure!(!rows.is_empty(), "{PAGE}: the table of what holds is empty");
    Ok((rows.len(), tests))
}

const PAGE: &str = "docs/threat-model.md";
const HOSTILE: &str =
    "crates/cli/tests/hands/hostile.rs::a_hostile_repository_starts_nothing_and_reaches_nobody";
const FORGERIES: &[&str] = &[
    "crates/cli/tests/hands/shipped.rs::a_clone_of_a_shipped_branch_verifies_and_every_change_of_it_is_named",
    "crates/cli/tests/tasks/forgeries.rs::thirty_ways_to_cheat_and_none_works",
];
const SCENARIOS: &[&str] = &["tree-settings", "other-calls"];
const LOGIN_SCENARIOS: &[&str] = &[
    "login-hidden",
    "login-given",
    "login-renewed",
    "login-expired",
    "login-rejected",
    "login-readable",
    "login-window",
    "login-other-calls",
];
/// Programs whose makers let people sign in by themselves.
const LOGINS: usize = 3;
/// Agents whose programs can be had.
const PROGRAMS: usize = 5;
/// Repositories of the quick form.
const QUICK: usize = 2;
const QUICK_SENTENCES: usize = 4;
/// The numbers from which a sample begins: more than there are repositories.
const FIRST_MAX: u64 = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_without_a_test_is_seen() {
        let page = |row: &str| {
            format!(
                "# x\n\n## What holds\n\n| against | holds | shown by |\n|---|---|---|\n{row}\n\n## What does not\n\n| a | b | c |\n"
            )
        };
        let (sentences, tests) =
            named(&page("| a | b | `x/y.rs::z`, and `cargo xtask prove trust` |")).unwrap();
        assert_eq!((sentences, tests.len()), (1, 1));
        assert!(named(&page("| a | b | `cargo xtask prove trust` |")).unwrap().1.is_empty());
        assert!(named(&page("| a | b | our word |")).is_err());
        assert!(named(&page("")).is_err());
        assert!(named("# nothing").is_err());
    }
}
