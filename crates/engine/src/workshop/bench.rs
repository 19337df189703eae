//! The bench: everything a candidate is judged with, read from what was frozen.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sealwright_gates::kinds::{Declared as Announced, Expected, Kind, Named, Paths, Setting};
use sealwright_gates::toolchain::Part;
use sealwright_gates::trip::{Declared, Given, Guarded};
use sealwright_gates::{Gate, Status, TestResult, Toolchain};
use sealwright_kernel::{Digest, Verdict};

use super::acceptance::{Acceptance, Contract};
use super::cast::Cast;
use super::{Case, Trouble, Workshop};
use crate::gatehouse::{Candidate, Frozen};
use crate::trees::Tree;

/// Everything a candidate is judged with.
pub(super) struct Bench {
    pub(super) contract: Contract,
    pub(super) acceptance: Acceptance,
    pub(super) toolchains: Vec<Toolchain>,
    pub(super) guarded: Guarded,
    /// The names under which tests import what they test.
    pub(super) under_test: Vec<String>,
    /// The tree before anything was built.
    pub(super) before: Tree,
    /// What passed then.
    pub(super) baseline: Vec<TestResult>,
}

/// Which of the frozen tests are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tests {
    /// Those that were there before.
    Old,
    /// Those a builder sees.
    Seen,
    /// Those only the machine sees.
    HeldOut,
    /// All that were written for the task.
    Written,
    /// All of them.
    All,
}

impl<C: Cast> Workshop<C> {
    /// The bench of a task whose tests were seen red.
    pub(super) async fn bench(&self, case: &Case) -> Result<Bench, Trouble> {
        let guarded = case.known.guarded.ok_or(Trouble::NoTask)?;
        let is_red = |record: &&sealwright_kernel::EvidenceRecord| {
            record.subject == "red run" && record.verdict == Verdict::Fail
        };
        let red = case.known.evidence.iter().rev().find(is_red).ok_or(Trouble::NoTask)?;
        let named = red.evidence.artifacts.iter().find(|artifact| artifact.name == BASELINE);
        let baseline = match named {
            Some(artifact) => serde_json::from_slice(&self.blobs.find(&artifact.content).await?)
                .map_err(std::io::Error::other)?,
            None => Vec::new(),
        };
        self.bench_of(case, guarded.tests, red.evidence.tree, baseline).await
    }

    /// The bench of tests that were just written.
    pub(super) async fn bench_of(
        &self,
        case: &Case,
        tests: Digest,
        before: Digest,
        baseline: Vec<TestResult>,
    ) -> Result<Bench, Trouble> {
        let contract = self.contract(case).await?;
        let text = self.blobs.find(&tests).await?;
        let acceptance: Acceptance =
            serde_json::from_slice(&text).map_err(std::io::Error::other)?;
        let before = self.tree(case, before).await?;
        let files: BTreeMap<String, Digest> =
            before.leaves(&case.base).map(|(path, leaf)| (path.to_owned(), leaf.content)).collect();
        let toolchains = Toolchain::found(files.keys().map(String::as_str));
        let frozen: Vec<String> = acceptance.files().map(|(path, _)| path.clone()).collect();
        let texts = self.texts(case, &before, &acceptance, &toolchains).await?;
        let commands: Vec<Vec<String>> =
            self.config.checks().iter().map(|check| check.command.clone()).collect();
        let under_test = under_test(&toolchains, &files);
        let mut known = files.clone();
        known.extend(acceptance.files().map(|(path, digest)| (path.clone(), *digest)));
        let mut guarded = Guarded::of(
            &known,
            &Given {
                toolchains: &toolchains,
                tests: &frozen,
                contract: &[],
                commands: &commands,
                under_test: &under_test,
                texts: &texts,
            },
        );
        // Tests that were there before are guarded like what tests are made of: a change of them can be declared.
        for (path, digest) in &files {
            let is_guarded = guarded.files().any(|(known, _)| known == path);
            if !is_guarded && part(&toolchains, path) == Some(Part::Test) {
                let declared =
                    Declared { path: path.clone(), why: "a test that was there before".to_owned() };
                guarded.grant(&declared, Some(*digest)).map_err(std::io::Error::other)?;
            }
        }
        Ok(Bench { contract, acceptance, toolchains, guarded, under_test, before, baseline })
    }

    /// The candidate of this tree, with everything frozen beside it. `tests` are those that will be run.
    pub(super) async fn candidate(
        &self,
        case: &Case,
        bench: &mut Bench,
        tree: Tree,
        tests: Tests,
    ) -> Result<Candidate, Trouble> {
        bench.grant(case, &tree);
        let mut frozen = Frozen::default();
        for (path, digest) in bench.guarded.overlay() {
            let is_held = bench.acceptance.held_out.contains_key(path);
            if is_held && matches!(tests, Tests::Old | Tests::Seen) {
                continue;
            }
            let is_written = bench.acceptance.visible.contains_key(path) || is_held;
            if is_written && tests == Tests::Old {
                continue;
            }
            let content = match tree.leaf(&case.base, path) {
                Some(leaf) if leaf.content == digest => {
                    self.trees.read(&case.base, &tree, path).await?
                }
                Some(_) | None => None,
            };
            let content = match content {
                Some(content) => content,
                None => self.frozen_content(case, bench, path, digest).await?,
            };
            frozen.files.insert(path.to_owned(), content);
        }
        for (path, _) in tree.leaves(&case.base) {
            match part(&bench.toolchains, path) {
                Some(Part::Test) if !frozen.files.contains_key(path) => {
                    // A test the builder added is no proof of anything, and has to pass all the same.
                    let is_new = bench.before.leaf(&case.base, path).is_none();
                    if let (true, Some(content)) =
                        (is_new, self.trees.read(&case.base, &tree, path).await?)
                    {
                        frozen.files.insert(path.to_owned(), content);
                    }
                }
                Some(Part::Source | Part::Other) if !bench.is_guarded(path) => {
                    frozen.data.push(path.to_owned());
                }
                Some(Part::Test | Part::Source | Part::Other) | None => {}
            }
            let is_undeclared = bench.is_of_a_guarded_kind(path);
            if is_undeclared && !frozen.files.contains_key(path) {
                frozen.absent.insert(path.to_owned());
            }
        }
        let paths: BTreeSet<&str> = tree.leaves(&case.base).map(|(path, _)| path).collect();
        for toolchain in &bench.toolchains {
            let places = toolchain.language().sources(&paths);
            frozen.sources.extend(places.folders);
            frozen.data.extend(places.files);
        }
        frozen.tests = bench.run(tests, &frozen);
        for trace in &bench.acceptance.traces {
            frozen.witnesses.entry(trace.file.clone()).or_default().push(trace.test.clone());
        }
        Ok(Candidate {
            trees: self.trees.clone(),
            base: case.base.clone(),
            before: bench.before.clone(),
            tree,
            frozen: Arc::new(frozen),
        })
    }

    async fn frozen_content(
        &self,
        case: &Case,
        bench: &Bench,
        path: &str,
        digest: Digest,
    ) -> Result<Vec<u8>, Trouble> {
        match bench.before.leaf(&case.base, path) {
            Some(leaf) if leaf.content == digest => {
                let content = self.trees.read(&case.base, &bench.before, path).await?;
                content.ok_or(Trouble::NoTask)
            }
            Some(_) | None => Ok(self.blobs.find(&digest).await?.to_vec()),
        }
    }

    /// The text of everything tests may be made of.
    async fn texts(
        &self,
        case: &Case,
        tree: &Tree,
        acceptance: &Acceptance,
        toolchains: &[Toolchain],
    ) -> Result<BTreeMap<String, String>, Trouble> {
        let mut texts = BTreeMap::new();
        let mut take = |path: &str, content: Vec<u8>| {
            if content.len() <= TEXT_BYTES_MAX
                && let Ok(text) = String::from_utf8(content)
            {
                texts.insert(path.to_owned(), text);
            }
        };
        for (path, leaf) in tree.leaves(&case.base) {
            if part(toolchains, path) == Some(Part::Test) && leaf.bytes <= TEXT_BYTES_MAX as u64 {
                let content = self.trees.read(&case.base, tree, path).await?;
                take(path, content.unwrap_or_default());
            }
        }
        for (path, digest) in &acceptance.held_out {
            take(path, self.blobs.find(digest).await?.to_vec());
        }
        Ok(texts)
    }
}

impl Bench {
    /// Freezes what was declared, as the candidate has it.
    pub(super) fn grant(&mut self, case: &Case, tree: &Tree) {
        for (path, why) in &self.contract.declared {
            let now = tree.leaf(&case.base, path).map(|leaf| leaf.content);
            let declared = Declared { path: path.clone(), why: why.clone() };
            // What may not be declared stays as it is, and a change of it is told as the cheat it is.
            let _ = self.guarded.grant(&declared, now);
        }
    }

    fn is_guarded(&self, path: &str) -> bool {
        self.guarded.files().any(|(known, _)| known == path)
    }

    fn is_of_a_guarded_kind(&self, path: &str) -> bool {
        self.toolchains.iter().any(|it| it.language().guard(path).is_some())
            && !self.guarded.files().any(|(known, kept)| known == path && kept.digest.is_some())
    }

    /// The test files that are run.
    fn run(&self, tests: Tests, frozen: &Frozen) -> Vec<String> {
        let is_written = |path: &String| {
            self.acceptance.visible.contains_key(path)
                || self.acceptance.held_out.contains_key(path)
        };
        let is_wanted = |path: &String| match tests {
            Tests::Old => !is_written(path),
            Tests::Seen => !self.acceptance.held_out.contains_key(path),
            Tests::HeldOut => self.acceptance.held_out.contains_key(path),
            Tests::Written => is_written(path),
            Tests::All => true,
        };
        let is_run = |path: &String| {
            part(&self.toolchains, path) == Some(Part::Test)
                && self.toolchains.iter().any(|it| is_test_file(*it, path))
        };
        frozen.files.keys().filter(|path| is_run(path) && is_wanted(path)).cloned().collect()
    }

    /// The gates that run these tests, one for each language that has any.
    pub(super) fn gates(&self, tests: Tests, files: &[String]) -> Vec<Box<dyn Gate>> {
        let of = |toolchain: &Toolchain| {
            let own: Vec<String> =
                files.iter().filter(|path| is_test_file(*toolchain, path)).cloned().collect();
            let kind = Kind::of(match toolchain {
                Toolchain::Rust => "cargo-test",
                Toolchain::Python => "pytest",
            })?;
            (!own.is_empty()).then(|| kind.gate(self.setting(tests, own)))
        };
        self.toolchains.iter().filter_map(of).collect()
    }

    fn setting(&self, tests: Tests, files: Vec<String>) -> Setting {
        Setting {
            timeout_s: TIMEOUT_S,
            expected: self.expected(tests, &files),
            tests: files,
            ..Setting::default()
        }
    }

    /// Which tests have to be seen where these files are run.
    pub(super) fn expected(&self, tests: Tests, files: &[String]) -> Expected {
        let traced = self.acceptance.traces.iter().filter(|trace| files.contains(&trace.file));
        let passed = self.baseline.iter().filter(|it| it.status == Status::Passed);
        Expected {
            baseline: match tests {
                Tests::Seen => passed.map(|it| it.id.clone()).collect(),
                Tests::Old | Tests::HeldOut | Tests::Written | Tests::All => BTreeSet::new(),
            },
            acceptance: traced.map(|trace| Named::Anywhere(trace.test.clone())).collect(),
            skips: self.contract.skips.iter().map(|name| Named::Anywhere(last(name))).collect(),
            count_min: 0,
        }
    }

    /// What the change said it would do, for gates that look at changes.
    pub(super) fn announced(&self, case: &Case) -> Announced {
        let places = case.known.plan.iter().flat_map(|(_, planned)| planned.cap.allowed.clone());
        let written = self.acceptance.files().map(|(path, _)| path.clone());
        let declared = self.contract.declared.keys().cloned();
        Announced {
            paths: Paths::Below(places.chain(written).chain(declared.clone()).collect()),
            dependencies: BTreeSet::new(),
            changes: declared.collect(),
        }
    }
}

/// A test without the file it is in.
fn last(name: &str) -> String {
    name.rsplit("::").next().unwrap_or(name).to_owned()
}

pub(super) fn part(toolchains: &[Toolchain], path: &str) -> Option<Part> {
    toolchains.iter().map(|it| it.language().part(path)).min()
}

/// Whether a runner of this language is told of the file; helpers beside tests are not.
pub(super) fn is_test_file(toolchain: Toolchain, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    match toolchain {
        Toolchain::Rust => {
            let folder = path.rsplit('/').nth(1).unwrap_or_default();
            name.ends_with(".rs") && folder == "tests"
        }
        Toolchain::Python => {
            name.ends_with(".py") && (name.starts_with("test_") || name.ends_with("_test.py"))
        }
    }
}

/// The names under which tests import what they test.
fn under_test(toolchains: &[Toolchain], files: &BTreeMap<String, Digest>) -> Vec<String> {
    let paths: BTreeSet<&str> = files.keys().map(String::as_str).collect();
    let places = toolchains.iter().map(|it| it.language().sources(&paths));
    let names = places.flat_map(|places| places.folders.into_iter().chain(places.files));
    names
        .map(|path| {
            let name = path.rsplit('/').next().unwrap_or(&path);
            name.strip_suffix(".py").unwrap_or(name).to_owned()
        })
        .collect()
}

/// What passed before anything was built, among the artifacts of the red run.
pub(super) const BASELINE: &str = "baseline.json";
const TIMEOUT_S: u32 = 1_800;
const TEXT_BYTES_MAX: usize = 1 << 20;
