//! Looking at one change: everything a gate would have asked about it, in this order.
//!
//! ```text
//! both sides ─▶ what had to be declared ─▶ tests before and now ─▶ lost tests ─▶ proof ─▶ honesty ─▶ strength ─▶ checks
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use sealwright_gates::kinds::{Declared, Expected};
use sealwright_gates::red::Trace;
use sealwright_gates::strength::Sample;
use sealwright_gates::toolchain::{NO_ROOM_BELOW, Outline, Part};
use sealwright_gates::tripwire::{Guard, What};
use sealwright_gates::{Listed, TestId, Toolchain};
use sealwright_kernel::{Digest, Verdict};
use sealwright_sandbox::Cancel;

use super::account::{Account, Checked, Declarable, Fate, How, Lost, Strength, Suites, ToDeclare};
use super::changed_files::{ChangedFiles, is_document};
use super::functions::{TestFunction, functions};
use super::history::Change;
use super::lost::{SuiteSide, lost};
use super::proof::{Proof, Trial, brought, definitions, prove, vacuous};
use super::sides::{Sides, room_check};
use super::suite::{Suite, Which};
use super::weighing::Weighing;
use super::{EvaluateError, Mutants};
use sealwright_config::{Check, Config};
use sealwright_factory::gate_runner::gate_preview::toolchain_of;
use sealwright_factory::gate_runner::guarded_files::{is_test_file, part, test_files};
use sealwright_factory::gate_runner::honesty::Wanted;
use sealwright_factory::gate_runner::strength::Trying;
use sealwright_factory::gate_runner::{Candidate, GateRunner};
use sealwright_factory::whole;
use sealwright_repo::trees::Tree;

/// Somebody who looks at one change after the other.
pub(super) struct Looking<'l> {
    pub(super) gates: &'l Arc<GateRunner>,
    pub(super) config: &'l Config,
    pub(super) repository: &'l Path,
    pub(super) place: &'l Path,
    pub(super) mutants: Mutants,
    pub(super) cancel: Arc<Cancel>,
    /// What one change came to is what the next one began with, so no commit is tested twice.
    pub(super) suites: BTreeMap<(String, Toolchain), Suite>,
}

/// One language of a change, on both sides.
struct LanguageChange<'k> {
    sides: &'k Sides,
    change: &'k Change,
    toolchain: Toolchain,
    check: Check,
    was: Candidate,
    is: Candidate,
    before: Suite,
    now: Suite,
}

struct Functions {
    was: Vec<TestFunction>,
    is: Vec<TestFunction>,
    /// Every test file of now.
    outlines: Vec<Outline>,
    /// Tests that were there and read otherwise.
    edited: BTreeSet<String>,
}

impl Looking<'_> {
    /// What is found out about one change.
    pub(super) async fn account(&mut self, change: Change) -> Account {
        let mut account = Account::new(change.clone());
        let mut weighing = Weighing::default();
        let found = self.look(&change, &mut account, &mut weighing).await;
        account.fate = match found {
            Ok(Seen::Judged) => weighing.fate(),
            Ok(Seen::Nothing { why }) => Fate::Nothing { why },
            Err(error) => {
                weighing.unclear(whole(&error));
                weighing.fate()
            }
        };
        account
    }

    async fn look(
        &mut self,
        change: &Change,
        account: &mut Account,
        weighing: &mut Weighing,
    ) -> Result<Seen, EvaluateError> {
        let sides = Sides::read(self.repository, self.place, change, self.config).await?;
        account.declare = to_declare(&sides);
        let concerned: Vec<Toolchain> =
            sides.toolchains.iter().copied().filter(|it| concerns(*it, &sides)).collect();
        let is_document = |it: &Listed| is_document(&it.path);
        let checks: Vec<&Check> = if sides.changed.iter().all(is_document) {
            Vec::new()
        } else {
            self.config.checks().iter().filter(|it| toolchain_of(it).is_none()).collect()
        };
        let concerned: Vec<(Toolchain, Check)> = concerned
            .into_iter()
            .filter_map(|it| Some((it, room_check(self.config, it)?)))
            .collect();
        // What had to be declared is listed; no gate judges it here.
        if concerned.is_empty() && checks.is_empty() {
            return Ok(Seen::Nothing { why: untouched(&sides.changed) });
        }
        for (toolchain, check) in concerned {
            if !sides.has_room(toolchain) {
                let name = toolchain.language().name();
                weighing.unclear(format!("{name} tests cannot be run: {NO_ROOM_BELOW}"));
                continue;
            }
            let was = sides.candidate(&sides.before, self.config, &check).await?;
            let is = sides.candidate(&sides.now, self.config, &check).await?;
            let before = self.suite(&change.before, &was, (&check, toolchain)).await?;
            let mut now = self.suite(&change.commit, &is, (&check, toolchain)).await?;
            if now.fails_since(&before) {
                // A test that fails once and passes at once says nothing about the change.
                let again = (&check, toolchain);
                let again = Suite::run(self.gates, &is, again, Which::All, &self.cancel).await?;
                account.flaky.extend(now.settle(again));
                self.suites.insert((change.commit.clone(), toolchain), now.clone());
                self.in_time()?;
            }
            let known =
                LanguageChange { sides: &sides, change, toolchain, check, was, is, before, now };
            self.language(&known, account, weighing).await?;
        }
        for check in checks {
            let checked = self.check(&sides, check, &account.declare).await?;
            weighing.check(&checked);
            account.checks.push(checked);
        }
        Ok(Seen::Judged)
    }

    /// The tests of one language, and what they are worth.
    async fn language(
        &self,
        known: &LanguageChange<'_>,
        account: &mut Account,
        weighing: &mut Weighing,
    ) -> Result<(), EvaluateError> {
        let LanguageChange { sides, toolchain, before, now, .. } = known;
        account.suites.push(Suites {
            toolchain: *toolchain,
            before: before.counts(),
            now: now.counts(),
            not_run: now.not_run.clone(),
        });
        weighing.tests(before, now, &sides.modules);
        let functions = self.functions(known).await?;
        let edited = functions.edited.iter().map(|test| ToDeclare {
            path: test.clone(),
            guard: Declarable::Test,
            what: What::Edited,
        });
        account.declare.extend(edited);
        let told = |suite, functions| SuiteSide { suite, functions };
        let mut lost = lost(told(before, &functions.was), told(now, &functions.is));
        let work = self.work(known).await?;
        let holds = now.verdict == Verdict::Pass || now.fails_as(before);
        if holds {
            let (proof, weakened) = self.proof(known, &functions, &work).await?;
            lost.extend(weakened);
            weighing.proof(&proof, &work);
            account.proof.extend(proof.tests);
        }
        weighing.lost(&lost);
        account.lost.extend(lost);
        if !holds || work.is_empty() {
            return Ok(());
        }
        self.honesty(known, &work, account, weighing).await?;
        self.strength(known, account, weighing).await
    }

    /// How the tests of a commit end, found out once.
    async fn suite(
        &mut self,
        commit: &str,
        candidate: &Candidate,
        (check, toolchain): (&Check, Toolchain),
    ) -> Result<Suite, EvaluateError> {
        let key = (commit.to_owned(), toolchain);
        if let Some(suite) = self.suites.get(&key) {
            return Ok(suite.clone());
        }
        let suite =
            Suite::run(self.gates, candidate, (check, toolchain), Which::All, &self.cancel).await?;
        self.in_time()?;
        self.suites.insert(key, suite.clone());
        Ok(suite)
    }

    /// The functions of test files that changed, on both sides.
    async fn functions(&self, known: &LanguageChange<'_>) -> Result<Functions, EvaluateError> {
        let LanguageChange { sides, toolchain, was, is, .. } = known;
        let (mut were, mut are) = (Vec::new(), Vec::new());
        // Beside files that a runner is told of, only modules of them hold tests, where the language has such.
        let has_modules = toolchain.language().inner_tests().is_some();
        let holds_tests = |it: &&Listed| has_modules || is_test_file(*toolchain, &it.path);
        for Listed { path, .. } in sides.tests(*toolchain).into_iter().filter(holds_tests) {
            let text = sides.text(&sides.before, path).await?;
            were.extend(text.map(|text| (path.clone(), text)));
            let text = sides.text(&sides.now, path).await?;
            are.extend(text.map(|text| (path.clone(), text)));
        }
        let (mut inner_were, mut inner_are) = (Vec::new(), Vec::new());
        if let Some(inner) = toolchain.language().inner_tests() {
            for Listed { path, .. } in sides.product(*toolchain) {
                let tests = |text: String| (path.clone(), (inner.split)(&text).1.to_owned());
                inner_were.extend(sides.text(&sides.before, path).await?.map(tests));
                inner_are.extend(sides.text(&sides.now, path).await?.map(tests));
            }
        }
        let paths: Vec<String> = were.iter().map(|(path, _)| path.clone()).collect();
        let (outlines, _) = self.gates.outlines(was, *toolchain, &paths, &self.cancel).await?;
        let was = functions(*toolchain, &outlines, &were, &inner_were);
        let is_test = |path: &&String| {
            part(&[*toolchain], path) == Some(Part::Test) && toolchain.language().is_written(path)
        };
        let paths: Vec<String> = is.frozen.files.keys().filter(is_test).cloned().collect();
        let (outlines, _) = self.gates.outlines(is, *toolchain, &paths, &self.cancel).await?;
        let is = functions(*toolchain, &outlines, &are, &inner_are);
        let is_edited = |it: &&TestFunction| {
            let old = was.iter().find(|old| old.key() == it.key());
            it.is_test() && old.is_some_and(|old| old.text != it.text)
        };
        let edited = is.iter().filter(is_edited).map(TestFunction::key).collect();
        Ok(Functions { was, is, outlines, edited })
    }

    /// The work itself: what changed of it, file by file, without tests and without what only people read.
    async fn work(&self, known: &LanguageChange<'_>) -> Result<ChangedFiles, EvaluateError> {
        let LanguageChange { sides, toolchain, .. } = known;
        let mut work = ChangedFiles::default();
        for Listed { path, .. } in sides.product(*toolchain) {
            let before = sides.text(&sides.before, path).await?.unwrap_or_default();
            let now = sides.text(&sides.now, path).await?.unwrap_or_default();
            let head = |text: &str| match toolchain.language().inner_tests() {
                Some(inner) => (inner.split)(text).0.to_owned(),
                None => text.to_owned(),
            };
            let (before, now) = (head(&before), head(&now));
            let facts = toolchain.language().facts();
            if facts.lines(&before) != facts.lines(&now) {
                work.files.push((before, now));
            }
        }
        work.toolchain = Some(*toolchain);
        Ok(work)
    }

    /// How the tests that came with the change end without it, and those among the old ones that were weakened.
    async fn proof(
        &self,
        known: &LanguageChange<'_>,
        functions: &Functions,
        work: &ChangedFiles,
    ) -> Result<(Proof, Vec<Lost>), EvaluateError> {
        let LanguageChange { toolchain, before, now, .. } = known;
        let is_new = |it: &&TestFunction| {
            let is_old = functions.was.iter().any(|old| old.key() == it.key());
            it.is_test() && (!is_old || functions.edited.contains(&it.key()))
        };
        let written: Vec<&TestFunction> = functions.is.iter().filter(is_new).collect();
        let mut around = functions.outlines.clone();
        around.extend(functions.is.iter().map(|it| it.outline().clone()));
        let vacuous = if written.is_empty() {
            BTreeMap::new()
        } else {
            vacuous(*toolchain, &written, &around)
        };
        let without = if work.is_empty() {
            // Without the work nothing is different.
            now.clone()
        } else {
            self.without_the_change(known, functions).await?
        };
        if without.verdict == Verdict::CannotTell && without.results.is_empty() {
            let why = without.because.first().cloned().unwrap_or_default();
            return Err(EvaluateError::Untried { why });
        }
        let names = work.files.iter().flat_map(|(before, now)| brought(before, now));
        let proof = prove(&Trial {
            before,
            now,
            without: &without,
            functions: &functions.is,
            edited: &functions.edited,
            vacuous: &vacuous,
            brought: &names.collect(),
        });
        let weakened = if work.is_empty() || functions.edited.is_empty() {
            Vec::new()
        } else {
            self.weakened(known, functions, &without).await?
        };
        Ok((proof, weakened))
    }

    /// The tests of now on the work of before.
    async fn without_the_change(
        &self,
        known: &LanguageChange<'_>,
        functions: &Functions,
    ) -> Result<Suite, EvaluateError> {
        let LanguageChange { sides, toolchain, check, before, .. } = known;
        let tests: Vec<String> = functions.is.iter().map(|it| it.path().to_owned()).collect();
        let is_judging = |it: &Listed| sides.judges(&it.path);
        if tests.is_empty() && !sides.changed.iter().any(is_judging) {
            return Ok(before.clone());
        }
        let changed = test_files(*toolchain, &tests);
        // What tests are made of may decide how any of them ends.
        let helps = |it: &&Listed| sides.judges(&it.path) && !changed.contains(&it.path);
        let which = if changed.is_empty() || sides.changed.iter().any(|it| helps(&it)) {
            Which::All
        } else {
            Which::Only(&changed)
        };
        let tree = sides.without_the_change().await?;
        self.tried(sides, &tree, (check, *toolchain), which).await
    }

    /// Edited tests that pass with the change and without it, while what they were does not pass with it.
    async fn weakened(
        &self,
        known: &LanguageChange<'_>,
        functions: &Functions,
        without: &Suite,
    ) -> Result<Vec<Lost>, EvaluateError> {
        let LanguageChange { sides, toolchain, check, now, .. } = known;
        let is_loose = |it: &&TestFunction| {
            let mut own = now.results.values().filter(|result| it.is_meant(result)).peekable();
            functions.edited.contains(&it.key())
                && own.peek().is_some()
                && own.all(|result| now.has_passed(&result.id) && without.has_passed(&result.id))
        };
        let loose: Vec<&TestFunction> = functions.is.iter().filter(is_loose).collect();
        // Inner tests cannot be put back without what stands before them.
        let is_file = |it: &&&TestFunction| part(&[*toolchain], it.path()) == Some(Part::Test);
        let files: BTreeSet<String> =
            loose.iter().filter(is_file).map(|it| it.path().to_owned()).collect();
        let files: Vec<String> = files.into_iter().collect();
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let tree = sides.with_old(&files).await?;
        let changed = test_files(*toolchain, &files);
        let which = if changed.is_empty() { Which::All } else { Which::Only(&changed) };
        let old = self.tried(sides, &tree, (check, *toolchain), which).await?;
        let fails = |it: &&&TestFunction| old.failed().any(|result| it.is_meant(result));
        let lost = loose.iter().filter(fails);
        Ok(lost.map(|it| Lost { test: it.key(), how: How::Weakened }).collect())
    }

    async fn tried(
        &self,
        sides: &Sides,
        tree: &Tree,
        (check, toolchain): (&Check, Toolchain),
        which: Which<'_>,
    ) -> Result<Suite, EvaluateError> {
        let candidate = sides.candidate(tree, self.config, check).await?;
        let run = Suite::run(self.gates, &candidate, (check, toolchain), which, &self.cancel);
        let suite = run.await?;
        self.in_time()?;
        Ok(suite)
    }

    async fn honesty(
        &self,
        known: &LanguageChange<'_>,
        work: &ChangedFiles,
        account: &mut Account,
        weighing: &mut Weighing,
    ) -> Result<(), EvaluateError> {
        let items = work.files.iter().flat_map(|(before, now)| definitions(before, now)).collect();
        let wanted = Wanted { said: &known.change.message, items: &items, is_held_out: &|_| false };
        let judgement =
            self.gates.honesty(&known.is, &[known.toolchain], &wanted, &self.cancel).await?;
        self.in_time()?;
        if judgement.verdict == Verdict::CannotTell {
            weighing.unclear(judgement.because.first().cloned().unwrap_or_default());
        }
        for (_, what) in &judgement.cheats {
            weighing.against(what.clone());
        }
        account.cheats.extend(judgement.cheats);
        account.findings.extend(judgement.findings);
        Ok(())
    }

    async fn strength(
        &self,
        known: &LanguageChange<'_>,
        account: &mut Account,
        weighing: &mut Weighing,
    ) -> Result<(), EvaluateError> {
        let most = match self.mutants {
            Mutants::None => {
                weighing.mutants(None, None);
                return Ok(());
            }
            Mutants::AtMost(most) => most,
        };
        let LanguageChange { is, toolchain, check, change, .. } = known;
        let sample = Sample { most, seed: Digest::of(change.commit.as_bytes()) };
        let trace = Trace::default();
        let failing: Vec<TestId> = known.now.failed().map(|result| result.id.clone()).collect();
        let trying = Trying {
            sample: &sample,
            tests_s: check.setting.timeout_s,
            trace: &trace,
            known_failing: &failing,
        };
        let measured = self.gates.strength(is, *toolchain, &trying, &self.cancel).await?;
        // Where no function changed, there is nothing that a test could notice.
        let verdict = measured.as_ref().map_or(Verdict::Pass, |it| it.judgement.verdict);
        // A machine without what lists mutants can still tell everything else.
        let because = measured.as_ref().and_then(|it| it.judgement.because.first());
        weighing.mutants(Some(verdict), because);
        if let Some(measured) = measured {
            let (judgement, score) = (measured.judgement, measured.score);
            account.strength.push(Strength { toolchain: *toolchain, judgement, score });
        }
        self.in_time()
    }

    /// One of the project's other checks, and where it fails, whether it did before.
    async fn check(
        &self,
        sides: &Sides,
        check: &Check,
        declare: &[ToDeclare],
    ) -> Result<Checked, EvaluateError> {
        let declared = Declared {
            changes: declare.iter().map(|it| it.path.clone()).collect(),
            ..Declared::default()
        };
        let perform = async |tree: &Tree, declared: Declared| {
            let candidate = sides.candidate(tree, self.config, check).await?;
            let gate = check.gate(candidate.frozen.tests.clone(), Expected::default(), declared);
            let performed = self.gates.perform(&*gate, &candidate, &self.cancel).await?;
            self.in_time()?;
            Ok::<_, EvaluateError>(performed.judgement)
        };
        let judgement = perform(&sides.now, declared).await?;
        let before = match judgement.verdict {
            Verdict::Pass => None,
            Verdict::Fail | Verdict::CannotTell => {
                Some(perform(&sides.before, Declared::default()).await?.verdict)
            }
        };
        Ok(Checked {
            name: check.name.clone(),
            kind: check.kind.key,
            verdict: judgement.verdict,
            before,
            because: judgement.because,
        })
    }

    /// Nothing that was seen after the time was over is believed.
    fn in_time(&self) -> Result<(), EvaluateError> {
        if self.cancel.is_cancelled() { Err(EvaluateError::OutOfTime) } else { Ok(()) }
    }
}

/// Whether there was anything to judge.
enum Seen {
    Judged,
    Nothing { why: String },
}

/// Why no gate runs on a change of these files.
fn untouched(changed: &[Listed]) -> String {
    let Some(first) = changed.first() else {
        return "its files are those of the commit before it".to_owned();
    };
    let files = match changed.len() - 1 {
        0 => first.path.clone(),
        more => format!("{} and {more} more", first.path),
    };
    if changed.iter().all(|it| is_document(&it.path)) {
        format!("only documents changed: {files}")
    } else {
        format!("no test and no check of this project is about what changed: {files}")
    }
}

/// What would have had to be declared. Tests are told of one by one, elsewhere.
fn to_declare(sides: &Sides) -> Vec<ToDeclare> {
    let is_told_elsewhere = |path: &str, guard: Guard| {
        let is_inner =
            |it: &Toolchain| it.language().inner_tests().is_some_and(|it| (it.is_file)(path));
        let is_test = |it: &Toolchain| is_test_file(*it, path) || is_inner(it);
        guard == Guard::TestHelper && sides.toolchains.iter().any(is_test)
    };
    let tripped = sides.tripped().into_iter();
    let tripped = tripped.filter(|change| !is_told_elsewhere(&change.path, change.guard));
    tripped
        .map(|change| ToDeclare {
            path: change.path,
            guard: Declarable::Guarded(change.guard),
            what: change.what,
        })
        .collect()
}

/// Whether a change touches anything of a language.
fn concerns(toolchain: Toolchain, sides: &Sides) -> bool {
    let is_guarded = |it: &Listed| toolchain.language().guard(&it.path).is_some();
    !sides.product(toolchain).is_empty()
        || !sides.tests(toolchain).is_empty()
        || sides.has_new_fixtures(toolchain)
        || sides.changed.iter().any(is_guarded)
}
