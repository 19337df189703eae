//! The requirements: their rows in `docs/requirements`, and what the tags of tests prove of each.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail, ensure};

use crate::workspace::{root, shown, sources};

use super::real_run;
use super::tags::{Tag, tags};

/// One row of the ledgers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Requirement {
    pub(super) text: String,
    pub(super) is_must: bool,
    pub(super) level: Level,
    /// The issue that closes it.
    pub(super) issue: String,
    /// What is missing until it is proven, from `open.tsv`.
    pub(super) missing: Option<String>,
    pub(super) proof: Proof,
}

/// What a proof takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// Any test that fails when the rule is broken.
    Rule,
    /// A test in which the real performer, git, sandbox and gates do the work.
    Real,
}

/// The tests that prove a requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    Open,
    Part(Vec<String>),
    Whole(Vec<String>),
}

/// How far a requirement is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    Real,
    Rule,
    Part,
    Open,
}

/// Every requirement by its id, with the tests that prove it.
pub(super) fn ledger() -> Result<BTreeMap<String, Requirement>> {
    let read = |name: &str| {
        let path = root().join("docs/requirements").join(name);
        std::fs::read_to_string(&path).with_context(|| shown(&path))
    };
    let mut ledger = BTreeMap::new();
    let mut issues = pairs(&read("assignment.tsv")?).context("assignment.tsv")?;
    for name in ["requirements-factory.tsv", "requirements-process.tsv"] {
        for (id, requirement) in rows(&read(name)?, &mut issues).context(name)? {
            ensure!(
                ledger.insert(id.clone(), requirement).is_none(),
                "{id} is in the ledgers twice"
            );
        }
    }
    ensure!(issues.is_empty(), "assignment.tsv has rows for unknown requirements: {issues:?}");
    for (id, missing) in pairs(&read("open.tsv")?).context("open.tsv")? {
        let requirement = ledger.get_mut(&id);
        requirement.with_context(|| format!("open.tsv: no requirement {id}"))?.missing =
            Some(missing);
    }
    let refused = prove(&mut ledger, &sources()?);
    if refused.is_empty() {
        Ok(ledger)
    } else {
        bail!("{} tags are refused:\n{}", refused.len(), refused.join("\n"))
    }
}

impl Requirement {
    pub(super) fn state(&self) -> State {
        match (&self.proof, self.level) {
            (Proof::Whole(_), Level::Real) => State::Real,
            (Proof::Whole(_), Level::Rule) => State::Rule,
            (Proof::Part(_), _) => State::Part,
            (Proof::Open, _) => State::Open,
        }
    }

    /// The tests that prove it, wholly or in part.
    pub(super) fn tests(&self) -> &[String] {
        match &self.proof {
            Proof::Whole(by) | Proof::Part(by) => by,
            Proof::Open => &[],
        }
    }
}

impl Level {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Real => "real",
        }
    }
}

impl Proof {
    fn with(self, by: String, is_whole: bool) -> Self {
        match (self, is_whole) {
            (Self::Whole(mut all), true) => {
                all.push(by);
                Self::Whole(all)
            }
            (Self::Whole(all), false) => Self::Whole(all),
            (_, true) => Self::Whole(vec![by]),
            (Self::Part(mut all), false) => {
                all.push(by);
                Self::Part(all)
            }
            (Self::Open, false) => Self::Part(vec![by]),
        }
    }
}

/// Adds the tags of `sources` to the ledger, and gives those that are refused, each with the test and the row.
fn prove(
    ledger: &mut BTreeMap<String, Requirement>,
    sources: &BTreeMap<String, String>,
) -> Vec<String> {
    let mut refused = Vec::new();
    for (path, source) in sources {
        let tags = tags(source);
        let objection = if tags.is_empty() { None } else { real_run::objection(path, sources) };
        for Tag { id, is_whole, test } in tags {
            let by = format!("{path}::{test}");
            let Some(requirement) = ledger.get_mut(&id) else {
                refused.push(format!("{by}: {id} is in no ledger"));
                continue;
            };
            match (&objection, requirement.level) {
                (Some(why), Level::Real) => {
                    refused.push(format!("{by}: {id} is of level real, but {why}"))
                }
                (_, Level::Rule) | (None, Level::Real) => {
                    requirement.proof = requirement.proof.clone().with(by, is_whole);
                }
            }
        }
    }
    refused
}

/// The rows of one ledger. Each takes its issue out of `issues`.
fn rows(text: &str, issues: &mut BTreeMap<String, String>) -> Result<Vec<(String, Requirement)>> {
    let mut rows = Vec::new();
    for line in text.lines().skip(1).filter(|line| !line.is_empty()) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [id, _, text, _, _, priority, level] = columns[..] else {
            bail!("not seven columns: {line}");
        };
        let level = match level {
            "rule" => Level::Rule,
            "real" => Level::Real,
            other => bail!("{id}: unknown level `{other}`"),
        };
        let is_must = match priority {
            "must" => true,
            "should" => false,
            other => bail!("{id}: unknown priority `{other}`"),
        };
        let issue = issues.remove(id).with_context(|| format!("{id} is assigned to no issue"))?;
        let (text, missing, proof) = (text.to_owned(), None, Proof::Open);
        rows.push((id.to_owned(), Requirement { text, is_must, level, issue, missing, proof }));
    }
    Ok(rows)
}

/// A table of two columns without its first line.
fn pairs(text: &str) -> Result<BTreeMap<String, String>> {
    let mut pairs = BTreeMap::new();
    for line in text.lines().skip(1) {
        let (id, value) = line.split_once('\t').context("not two columns")?;
        ensure!(!value.trim().is_empty() && !value.contains('\t'), "{id}: not two columns");
        ensure!(pairs.insert(id.to_owned(), value.to_owned()).is_none(), "{id} twice");
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_rows() -> BTreeMap<String, Requirement> {
        let text = "id\n\
            A-001\ts\tone\tv\tk\tmust\trule\n\
            A-002\ts\ttwo\tv\tk\tshould\treal\n";
        let mut issues = pairs("id\tissue\nA-001\thands\nA-002\twaves\n").unwrap();
        rows(text, &mut issues).unwrap().into_iter().collect()
    }

    fn proven(path: &str, source: &str) -> (Vec<State>, Vec<String>) {
        let mut ledger = two_rows();
        let sources = BTreeMap::from([(path.to_owned(), source.to_owned())]);
        let refused = prove(&mut ledger, &sources);
        (ledger.values().map(Requirement::state).collect(), refused)
    }

    const BOTH: &str = "/// Proves: A-001, A-002\n#[test]\nfn claim() {}\n";

    #[test]
    fn a_real_test_proves_both_levels() {
        let expected = (vec![State::Rule, State::Real], vec![]);
        assert_eq!(proven("crates/cli/tests/commands.rs", BOTH), expected);
    }

    #[test]
    fn a_tag_for_a_real_row_is_refused_in_a_unit_test_with_file_and_row() {
        let (states, refused) = proven("crates/kernel/src/task/tests.rs", BOTH);
        assert_eq!(states, [State::Rule, State::Open]);
        let [line] = &refused[..] else { panic!("{refused:?}") };
        let begin = "crates/kernel/src/task/tests.rs::claim: A-002 is of level real, but ";
        assert!(line.starts_with(begin), "{line}");
        let (_, refused) =
            proven("crates/kernel/src/task/tests.rs", &BOTH.replace("Proves", "Proves in part"));
        assert_eq!(refused.len(), 1);
    }

    #[test]
    fn a_tag_for_an_unknown_row_is_refused() {
        let (_, refused) = proven("crates/cli/tests/commands.rs", &BOTH.replace("A-001", "A-100"));
        assert_eq!(refused, ["crates/cli/tests/commands.rs::claim: A-100 is in no ledger"]);
    }

    #[test]
    fn a_part_is_no_proof_and_a_whole_outweighs_it() {
        let part = "/// Proves in part: A-001\n#[test]\nfn part() {}\n";
        let path = "crates/kernel/src/goal.rs";
        assert_eq!(proven(path, part).0, [State::Part, State::Open]);
        let both = format!("{part}/// Proves: A-001\n#[test]\nfn whole() {{}}\n");
        assert_eq!(proven(path, &both).0, [State::Rule, State::Open]);
    }

    #[test]
    fn a_row_without_a_level_or_an_issue_is_an_error() {
        let issues = || pairs("id\tissue\nA-001\thands\n").unwrap();
        for line in ["A-001\ts\tone\tv\tk\tmust", "A-001\ts\tone\tv\tk\tmust\tvague"] {
            assert!(rows(&format!("id\n{line}\n"), &mut issues()).is_err(), "{line}");
        }
        let line = "id\nA-009\ts\tone\tv\tk\tmust\treal\n";
        assert!(rows(line, &mut issues()).is_err());
    }
}
