//! Everything a candidate is judged with, read from the frozen records.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sealwright_gates::kinds::{
    Declared as Announced, Expected, Kind, Known, Named, Paths, Setting, Unpassed,
};
use sealwright_gates::toolchain::Part;
use sealwright_gates::tripwire::{Declared, Guarded};
use sealwright_gates::{Gate, Status, TestId, TestResult, Toolchain};
use sealwright_kernel::Digest;
use serde::{Deserialize, Serialize};

use super::acceptance::{Acceptance, Contract};
use super::agent_caller::AgentCaller;
use super::companions::companions;
use super::{EffectContext, PerformError, PerformResult, TaskPerformer};
use crate::fixes::red_run;
use crate::gate_runner::gate_preview::{names, toolchain_of};
use crate::gate_runner::guarded_files::{self, GuardedFiles, is_test_file, part, test_files};
use crate::gate_runner::{Candidate, Frozen};
use crate::task_store::TaskStore;
use sealwright_config::Check;
use sealwright_repo::trees::Tree;

pub(super) struct GateInputs {
    pub(super) contract: Contract,
    pub(super) acceptance: Acceptance,
    pub(super) toolchains: Vec<Toolchain>,
    pub(super) guarded: Guarded,
    /// The module names under which tests import the code.
    pub(super) under_test: Vec<String>,
    /// The tree before anything was built.
    pub(super) before: Tree,
    /// The test results on that tree.
    pub(super) baseline: Vec<Earlier>,
    pub(super) tests_s: u32,
    /// The project's own checks.
    checks: Vec<Check>,
    /// The languages whose tests no room can run here.
    pub(super) without_room: Vec<Toolchain>,
}

/// The result of a test before anything was built.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Earlier {
    #[serde(flatten)]
    pub(super) result: TestResult,
    /// The language whose runner reported it. Older records do not have it.
    #[serde(default)]
    pub(super) language: Option<String>,
}

/// Which of the frozen tests are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tests {
    /// Tests that existed before the task.
    Old,
    /// Tests the builder sees.
    Seen,
    HeldOut,
    /// All tests written for the task.
    Written,
    All,
}

impl<C: AgentCaller, S: TaskStore> TaskPerformer<C, S> {
    /// The inputs of a task whose red run is recorded.
    pub(super) async fn inputs(&self, context: &EffectContext) -> PerformResult<GateInputs> {
        let guarded = context.data.guarded.ok_or(PerformError::NoTask)?;
        let red = red_run(&context.data).ok_or(PerformError::NoTask)?;
        let named = red.evidence.artifacts.iter().find(|artifact| artifact.name == BASELINE);
        let baseline = match named {
            Some(artifact) => {
                serde_json::from_slice(&self.store.blobs().find(&artifact.content).await?)
                    .map_err(std::io::Error::other)?
            }
            None => Vec::new(),
        };
        self.inputs_of(context, guarded.tests, red.evidence.tree, baseline).await
    }

    /// The inputs for tests that were just written.
    pub(super) async fn inputs_of(
        &self,
        context: &EffectContext,
        tests: Digest,
        before: Digest,
        baseline: Vec<Earlier>,
    ) -> PerformResult<GateInputs> {
        let contract = self.contract(context).await?;
        let text = self.store.blobs().find(&tests).await?;
        let acceptance: Acceptance =
            serde_json::from_slice(&text).map_err(std::io::Error::other)?;
        let before = self.tree(context, before).await?;
        let commands: Vec<Vec<String>> =
            self.config.checks().iter().map(|check| check.setting.command.clone()).collect();
        let mut named = guarded_files::Named {
            files: acceptance.files().map(|(path, digest)| (path.clone(), *digest)).collect(),
            texts: BTreeMap::new(),
        };
        for (path, digest) in &acceptance.held_out {
            let content = self.store.blobs().find(digest).await?.to_vec();
            named.texts.extend(guarded_files::text(content).map(|text| (path.clone(), text)));
        }
        let GuardedFiles { toolchains, under_test, guarded } =
            GuardedFiles::of(&self.trees, &context.base, &before, &commands, named).await?;
        let paths: BTreeSet<&str> = before.leaves(&context.base).map(|(path, _)| path).collect();
        let has_no_room = |it: &&Toolchain| !it.language().has_room(&paths);
        let without_room = toolchains.iter().filter(has_no_room).copied().collect();
        Ok(GateInputs {
            without_room,
            contract,
            acceptance,
            toolchains,
            guarded,
            under_test,
            before,
            baseline,
            tests_s: self.tests_s,
            checks: self.config.checks().to_vec(),
        })
    }

    /// The candidate of this tree with all frozen files. `tests` selects the tests to run.
    pub(super) async fn candidate(
        &self,
        context: &EffectContext,
        inputs: &mut GateInputs,
        tree: Tree,
        tests: Tests,
    ) -> PerformResult<Candidate> {
        inputs.grant(context, &tree);
        let mut frozen = Frozen::default();
        for (path, digest) in inputs.guarded.overlay() {
            let is_held = inputs.acceptance.held_out.contains_key(path);
            if is_held && matches!(tests, Tests::Old | Tests::Seen) {
                continue;
            }
            let is_written = inputs.acceptance.visible.contains_key(path) || is_held;
            if is_written && tests == Tests::Old {
                continue;
            }
            let content = match tree.leaf(&context.base, path) {
                Some(leaf) if leaf.content == digest => {
                    self.trees.read(&context.base, &tree, path).await?
                }
                Some(_) | None => None,
            };
            let content = match content {
                Some(content) => content,
                None => self.frozen_content(context, inputs, path, digest).await?,
            };
            frozen.files.insert(path.to_owned(), content);
        }
        for (path, _) in tree.leaves(&context.base) {
            // A test the builder added proves nothing, but it has to pass.
            let is_added = part(&inputs.toolchains, path) == Some(Part::Test)
                && !frozen.files.contains_key(path)
                && inputs.before.leaf(&context.base, path).is_none();
            if is_added && let Some(content) = self.trees.read(&context.base, &tree, path).await? {
                frozen.files.insert(path.to_owned(), content);
            }
        }
        let paths: BTreeSet<&str> = tree.leaves(&context.base).map(|(path, _)| path).collect();
        frozen.surround(&paths, &inputs.toolchains, &inputs.guarded);
        frozen.tests = inputs.run(tests, &frozen);
        for trace in &inputs.acceptance.traces {
            frozen.witnesses.entry(trace.file.clone()).or_default().push(trace.test.clone());
        }
        Ok(Candidate {
            trees: self.trees.clone(),
            base: context.base.clone(),
            before: inputs.before.clone(),
            tree,
            frozen: Arc::new(frozen),
        })
    }

    async fn frozen_content(
        &self,
        context: &EffectContext,
        inputs: &GateInputs,
        path: &str,
        digest: Digest,
    ) -> PerformResult<Vec<u8>> {
        match inputs.before.leaf(&context.base, path) {
            Some(leaf) if leaf.content == digest => {
                let content = self.trees.read(&context.base, &inputs.before, path).await?;
                content.ok_or(PerformError::NoTask)
            }
            Some(_) | None => Ok(self.store.blobs().find(&digest).await?.to_vec()),
        }
    }
}

impl GateInputs {
    /// The test files of this task in a language, as far as this candidate has them.
    pub(super) fn own_tests(&self, toolchain: Toolchain, candidate: &Candidate) -> Vec<String> {
        let mut own = test_files(toolchain, self.acceptance.files().map(|(path, _)| path));
        own.retain(|path| candidate.frozen.tests.contains(path));
        own
    }

    /// Freezes the declared files as the candidate has them.
    pub(super) fn grant(&mut self, context: &EffectContext, tree: &Tree) {
        for (path, why) in &self.contract.declared {
            let now = tree.leaf(&context.base, path).map(|leaf| leaf.content);
            let declared = Declared { path: path.clone(), why: why.clone() };
            // A file that may not be declared stays frozen, and a change of it is reported as a cheat.
            let _ = self.guarded.grant(&declared, now);
        }
    }

    pub(super) fn is_test(&self, path: &str) -> bool {
        part(&self.toolchains, path) == Some(Part::Test)
    }

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
            self.is_test(path)
                && self.toolchains.iter().any(|it| is_test_file(*it, path))
                && (is_written(path) || self.is_named(path))
        };
        frozen.files.keys().filter(|path| is_run(path) && is_wanted(path)).cloned().collect()
    }

    /// Whether the project's own checks run a test file. One that names no tests runs all of its language.
    fn is_named(&self, path: &str) -> bool {
        let is_of = |check: &&Check| toolchain_of(check).is_some_and(|it| is_test_file(it, path));
        let mut checks = self.checks.iter().filter(is_of).peekable();
        checks.peek().is_none() || checks.any(|check| names(check, path))
    }

    /// The gates that run these tests, one per language.
    pub(super) fn gates(&self, tests: Tests, files: &[String]) -> Vec<(Toolchain, Box<dyn Gate>)> {
        let of = |toolchain: &Toolchain| {
            let own = test_files(*toolchain, files);
            let kind = Kind::of(toolchain.language().room_kind())?;
            let is_any = !own.is_empty();
            is_any.then(|| (*toolchain, kind.gate(self.setting(tests, *toolchain, own))))
        };
        let has_room = |it: &&Toolchain| !self.without_room.contains(it);
        self.toolchains.iter().filter(has_room).filter_map(of).collect()
    }

    fn setting(&self, tests: Tests, toolchain: Toolchain, files: Vec<String>) -> Setting {
        Setting {
            timeout_s: self.tests_s,
            expected: self.expected(tests, &others(toolchain), &files),
            tests: files,
            ..Setting::default()
        }
    }

    /// The tests that must be reported when these files are run. Tests of `others` are reported by somebody else.
    pub(super) fn expected(
        &self,
        tests: Tests,
        others: &[Toolchain],
        files: &[String],
    ) -> Expected {
        let traced = self.acceptance.traces.iter().filter(|trace| files.contains(&trace.file));
        let is_others = |it: &Earlier| {
            let language = it.language.as_deref();
            others.iter().any(|other| language == Some(other.language().name()))
        };
        let own = self.baseline.iter().filter(|it| !is_others(it));
        let (moved, passed): (Vec<&Earlier>, Vec<&Earlier>) = own
            .clone()
            .filter(|it| it.result.status == Status::Passed)
            .partition(|it| self.is_declared(&it.result.id));
        // A test of a file that may change may move with it, or go.
        let moved = moved.into_iter().map(|it| Named::Anywhere(it.result.id.name.clone()));
        let unpassed =
            own.filter_map(|it| Some((it.result.id.clone(), Unpassed::of(&it.result.status)?)));
        Expected {
            baseline: match tests {
                Tests::Seen => passed.into_iter().map(|it| it.result.id.clone()).collect(),
                Tests::Old | Tests::HeldOut | Tests::Written | Tests::All => BTreeSet::new(),
            },
            known: match tests {
                Tests::Old => Known::Any,
                Tests::Seen | Tests::Written => Known::These(unpassed.collect()),
                Tests::HeldOut | Tests::All => Known::None,
            },
            acceptance: traced.map(|trace| Named::Anywhere(trace.test.clone())).collect(),
            moved: moved.filter(|_| tests == Tests::Seen).collect(),
            skips: self.contract.skips.iter().map(|name| Named::Anywhere(last(name))).collect(),
        }
    }

    /// Whether the contract lets the file of a test change.
    fn is_declared(&self, id: &TestId) -> bool {
        let is_in = |path: &String| self.toolchains.iter().any(|it| it.language().is_in(id, path));
        self.contract.declared.keys().any(is_in)
    }

    /// Package names that the contract allows to be added: every word of the declared reasons.
    fn packages(&self) -> BTreeSet<String> {
        let is_part = |letter: char| {
            letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.' | '/' | '@')
        };
        let words = self.contract.declared.values().flat_map(|why| why.split(|it| !is_part(it)));
        let words = words.map(|word| word.trim_matches(['.', '/', '-']));
        words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }

    /// The declared scope of the change, for gates that compare changes with it.
    pub(super) fn announced(&self, context: &EffectContext) -> Announced {
        let places = context.data.plan.iter().flat_map(|(_, planned)| planned.cap.allowed.clone());
        let written = self.acceptance.files().map(|(path, _)| path.clone());
        let declared = self.contract.declared.keys().cloned();
        Announced {
            paths: Paths::Below(
                places
                    .chain(written)
                    .chain(declared.clone())
                    .chain(companions(&context.base))
                    .collect(),
            ),
            dependencies: self.packages(),
            changes: declared.collect(),
        }
    }
}

/// A test name without its file.
fn last(name: &str) -> String {
    name.rsplit("::").next().unwrap_or(name).to_owned()
}

/// Every language but this one.
pub(super) fn others(own: Toolchain) -> Vec<Toolchain> {
    Toolchain::ALL.into_iter().filter(|it| *it != own).collect()
}

/// The artifact of the red run that holds the baseline results.
pub(super) const BASELINE: &str = "baseline.json";
