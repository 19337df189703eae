//! The clauses of a contract, and which tests cover them.
//!
//! A clause id is stable and bound to what the clause says: `inputs/key/constraints/1a2b3c4d` ends with the digest of the
//! constraint, so a test that covers a constraint does not cover the next wording of it. Named clauses are
//! `error_surfaces/RateLimited`, `effects/WRITE ledger` and `modes/async`; the purpose itself is `purpose`.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;

use sealwright_kernel::Digest;
use serde::{Deserialize, Serialize};

use super::json::{Node, Problems, Reader, Text, Tree};
use super::{Dimension, MicroModuleContract};

/// The name of a clause within its contract.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClauseId(String);

/// One promise of a contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clause {
    pub id: ClauseId,
    pub kind: ClauseKind,
    /// What is promised, in the words of the contract.
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClauseKind {
    /// The purpose: a case from end to end in which nothing goes wrong.
    HappyPath,
    InputConstraint,
    OutputInvariant,
    ErrorSurface,
    Effect,
    Mode,
    ErrorCase,
}

/// Which test covers which clauses, as `coverage.json` says it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoverageClaim {
    pub tests: Vec<TestClaim>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestClaim {
    pub name: String,
    /// Ids of clauses. They are claims, and may name clauses that do not exist.
    pub clauses: Vec<String>,
}

/// Which passing tests cover each clause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coverage {
    /// Every clause of the contract; one without a test has an empty list.
    pub tests: BTreeMap<ClauseId, Vec<String>>,
    /// The clauses that need a passing test and have none, in the order of the contract.
    pub uncovered: Vec<Clause>,
    /// Claims for clauses that the contract does not have: the test and the id.
    pub unknown: Vec<(String, String)>,
    /// Tests that cover something by claim, and did not pass or did not run.
    pub not_passed: Vec<String>,
}

impl ClauseId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ClauseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl ClauseKind {
    /// The dimension whose extraction from the code proves the clause, so that it needs no test.
    ///
    /// A surface extractor sees that an error exists, not that it is raised: an error surface needs its test.
    pub fn proven_by(self) -> Option<Dimension> {
        match self {
            Self::Mode => Some(Dimension::Modes),
            Self::HappyPath
            | Self::InputConstraint
            | Self::OutputInvariant
            | Self::ErrorSurface
            | Self::Effect
            | Self::ErrorCase => None,
        }
    }
}

impl CoverageClaim {
    /// Reads `coverage.json`: `{"tests": [{"name": "…", "clauses": ["…"]}]}`.
    pub fn parse(text: &[u8]) -> Result<Self, Problems> {
        let tree = Tree::parse(text, CLAIM_BYTES_MAX)?;
        let mut reader = Reader::default();
        let claim = Self::read(&mut reader, &Node::root(&tree));
        reader.finish(claim)
    }

    fn read(reader: &mut Reader, node: &Node<'_>) -> Option<Self> {
        let it = reader.fields(node, &["tests"])?;
        let tests = reader.need_list(&it, "tests", TESTS_MAX, |reader, node| {
            let it = reader.fields(node, &["name", "clauses"])?;
            let name = reader.need_text(&it, "name", Text::Line(TEST_NAME_BYTES_MAX));
            let id = Text::Line(CLAUSE_BYTES_MAX);
            let clauses = reader.need_texts(&it, "clauses", CLAUSES_OF_TEST_MAX, id);
            Some(TestClaim { name: name?, clauses: clauses? })
        })?;
        reader.distinct(&it.path("tests"), tests.iter().map(|it| it.name.as_str()));
        Some(Self { tests })
    }
}

/// The clauses of a contract, in its order.
pub fn clauses(contract: &MicroModuleContract) -> Vec<Clause> {
    let mut all = Clauses::default();
    let interface = &contract.interface;
    all.add("purpose".into(), ClauseKind::HappyPath, &contract.purpose);
    for input in &interface.inputs {
        let place = format!("inputs/{}/constraints", input.name);
        input
            .constraints
            .iter()
            .for_each(|it| all.add_text(&place, ClauseKind::InputConstraint, it));
    }
    for output in &interface.outputs {
        let place = format!("outputs/{}/invariants", output.name);
        output
            .invariants
            .iter()
            .for_each(|it| all.add_text(&place, ClauseKind::OutputInvariant, it));
    }
    for it in &interface.error_surfaces {
        let text = format!("{} as {}: {}", it.name, it.surface.name(), it.when);
        all.add(format!("error_surfaces/{}", it.name), ClauseKind::ErrorSurface, &text);
    }
    for it in &interface.effects {
        let text = format!("{}: {}", it.name(), it.description);
        all.add(format!("effects/{}", it.name()), ClauseKind::Effect, &text);
    }
    if interface.modes.is_sync {
        all.add("modes/sync".into(), ClauseKind::Mode, "the entry point is called synchronously");
    }
    if interface.modes.is_async {
        all.add("modes/async".into(), ClauseKind::Mode, "the entry point is called asynchronously");
    }
    for it in &contract.error_cases {
        all.add_text("error_cases", ClauseKind::ErrorCase, it);
    }
    all.list
}

/// Holds what tests claim to cover against the clauses of a contract.
///
/// `passed` are the tests that the engine ran itself and that passed; claims of other tests count for nothing. A clause
/// whose dimension was extracted from the code needs no test.
pub fn coverage(
    contract: &MicroModuleContract,
    claim: &CoverageClaim,
    passed: &BTreeSet<String>,
    extracted: &BTreeSet<Dimension>,
) -> Coverage {
    let clauses = clauses(contract);
    let mut tests: BTreeMap<ClauseId, Vec<String>> =
        clauses.iter().map(|it| (it.id.clone(), Vec::new())).collect();
    let (mut unknown, mut not_passed) = (Vec::new(), Vec::new());
    for test in &claim.tests {
        let counts = passed.contains(&test.name);
        if !counts {
            not_passed.push(test.name.clone());
        }
        for id in &test.clauses {
            match tests.get_mut(&ClauseId(id.clone())) {
                Some(covering) if counts => covering.push(test.name.clone()),
                Some(_) => {}
                None => unknown.push((test.name.clone(), id.clone())),
            }
        }
    }
    let is_proven = |it: &Clause| it.kind.proven_by().is_some_and(|it| extracted.contains(&it));
    let has_test = |it: &Clause| tests.get(&it.id).is_some_and(|tests| !tests.is_empty());
    let uncovered = clauses.into_iter().filter(|it| !has_test(it) && !is_proven(it)).collect();
    Coverage { tests, uncovered, unknown, not_passed }
}

#[derive(Default)]
struct Clauses {
    list: Vec<Clause>,
    ids: BTreeSet<String>,
}

impl Clauses {
    /// A clause without a name of its own.
    fn add_text(&mut self, place: &str, kind: ClauseKind, text: &str) {
        let digest = Digest::of(text.as_bytes()).to_string();
        self.add(format!("{place}/{}", &digest[..8]), kind, text);
    }

    fn add(&mut self, id: String, kind: ClauseKind, text: &str) {
        // Eight digits can be made to meet; two clauses never share a test by that.
        let others = (2..).map(|nth| format!("{id}-{nth}"));
        let free = core::iter::once(id.clone()).chain(others).find(|it| !self.ids.contains(it));
        let id = free.unwrap_or(id);
        self.ids.insert(id.clone());
        self.list.push(Clause { id: ClauseId(id), kind, text: text.to_string() });
    }
}

/// The most tests of a module.
pub const TESTS_MAX: usize = 4096;
pub const TEST_NAME_BYTES_MAX: usize = 512;
pub const CLAUSES_OF_TEST_MAX: usize = 256;
const CLAUSE_BYTES_MAX: usize = 1024;
/// The largest `coverage.json` that is read.
pub const CLAIM_BYTES_MAX: usize = 4 << 20;
