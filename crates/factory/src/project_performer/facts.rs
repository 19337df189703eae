//! What the gates behind the documents are decided on: measured where the engine can measure, said by people where not.
//!
//! People say what they found in `.sealwright/pipeline/facts/PHASE.json`. What the engine measures takes its place.

use std::collections::{BTreeMap, BTreeSet};

use sealwright_documents::gates::{
    BuildFacts, DeployFacts, Evaluation, Evidence, RedTest, TestRun, VerifyFacts,
    reconcile_structure,
};
use sealwright_documents::{Finding, design, placeholders, readiness, scope};
use sealwright_gates::{Status as TestStatus, TestResult, toolchain};
use sealwright_kernel::pipeline::Phase;
use sealwright_kernel::project::Project;
use sealwright_kernel::project::run::Document;
use sealwright_kernel::task::Status;
use sealwright_kernel::{Hasher, Verdict};
use sealwright_repo::git::join;
use sealwright_repo::git::objects::{self, Contents, Entry};
use serde::de::DeserializeOwned;

use super::ProjectPerformer;
use super::phases::{Examined, facts_of, is_product};
use crate::gate_runner::gate_preview;
use crate::project::{ProjectError, ProjectStream};
use crate::steering::{Steering, SteeringTexts};
use crate::tasks::Tasks;

/// What people said of a phase, and which parts of it. Or why it cannot be read.
pub(super) struct Said<T> {
    pub(super) facts: T,
    pub(super) parts: BTreeSet<String>,
    pub(super) unreadable: Option<Finding>,
}

/// Facts for a gate, with what of them nobody measured.
pub(super) struct Facts<T> {
    pub(super) facts: T,
    pub(super) said: BTreeSet<String>,
    pub(super) unreadable: Option<Finding>,
    /// Every file with its lines, for the brake.
    pub(super) lines: Vec<(String, u64)>,
}

impl<T> Facts<T> {
    /// What people said, but for the parts that were measured.
    pub(super) fn said(said: Said<T>, measured: &[&str]) -> Self
    where
        T: Clone,
    {
        let facts = said.facts.clone();
        Self::measured(said, facts, measured, Vec::new())
    }

    /// The same with what a gate makes of it.
    pub(super) fn judged<U>(self, gate: impl FnOnce(&T) -> U) -> Facts<U> {
        let Self { facts, said, unreadable, lines } = self;
        Facts { facts: gate(&facts), said, unreadable, lines }
    }

    /// What was measured takes the place of what was said.
    fn measured(said: Said<T>, facts: T, measured: &[&str], lines: Vec<(String, u64)>) -> Self {
        let Said { parts, unreadable, .. } = said;
        let said = parts.into_iter().filter(|it| !measured.contains(&it.as_str())).collect();
        Self { facts, said, unreadable, lines }
    }
}

/// What the checks of the project said of a commit.
#[derive(Default)]
struct Checked {
    tests: Option<TestRun>,
    /// Tests that passed, by name.
    passed: Vec<String>,
    /// Where a secret was found, if a check looks for them.
    secrets: Option<Vec<String>>,
    /// Whether the audit of dependencies passed, if a check makes one.
    audited: Option<bool>,
    /// What the runs of tests printed, each by its digest.
    printed: Vec<String>,
    /// Commands that were run, by the name of their check.
    commands: Vec<Ran>,
}

/// A command that the engine ran on the commit.
struct Ran {
    check: String,
    command: String,
    output: String,
    holds: bool,
}

impl ProjectPerformer {
    /// What people said of a phase.
    pub(super) fn said<T: DeserializeOwned + Default>(&self, phase: Phase) -> Said<T> {
        let file = facts_of(phase);
        let nothing = |unreadable| Said { facts: T::default(), parts: BTreeSet::new(), unreadable };
        let Some(text) = Steering::of(&self.root).text(&file) else { return nothing(None) };
        let parts: Result<BTreeMap<String, serde_json::Value>, _> = serde_json::from_str(&text);
        match (serde_json::from_str(&text), parts) {
            (Ok(facts), Ok(parts)) => {
                Said { facts, parts: parts.into_keys().collect(), unreadable: None }
            }
            (Err(error), _) | (_, Err(error)) => nothing(Some(Finding {
                condition: "facts.unreadable".into(),
                file: file.into(),
                line: u32::try_from(error.line()).unwrap_or(1).max(1),
                what: error.to_string(),
                fix: "docs/examples/parking/facts has a file for each phase".to_owned(),
            })),
        }
    }

    pub(super) async fn build_facts(
        &self,
        project: &Project,
        tip: &str,
        texts: &SteeringTexts,
    ) -> Result<Facts<BuildFacts>, ProjectError> {
        let said = self.said::<BuildFacts>(Phase::Build);
        let mut facts = said.facts.clone();
        let mut measured = MEASURED_IN_BUILD.to_vec();
        let (scope, _) = scope::read(texts.scope.as_deref(), None);
        let (designed, _) = design::read(texts.design.as_deref(), scope.tier);
        facts.criteria = scope.criterion_ids();
        (facts.designed_files, facts.designed_directories) = (designed.files, designed.directories);
        let entries = objects::entries(&self.root, tip)?;
        facts.lockfile = Some(entries.iter().any(|it| toolchain::is_lock(&it.path)));
        // What stood there before, as it stands now, is neither growth nor in a wrong place.
        let before = self.before(tip)?;
        let is_new = |it: &&Entry| is_new(&before, it);
        facts.files = Some(own_files(&entries, &before, &facts.designed_files));
        let lines = self.lines(entries.iter().filter(is_new))?;
        let missing = self.placeholders(entries.iter().filter(is_new))?;
        if !missing.is_empty() {
            // What was found counts beside what people found; that nothing was found does not say that nothing is there.
            facts.placeholders.get_or_insert_default().extend(missing);
        }
        if let Some(count) = self.dependencies(tip)? {
            facts.dependencies = Some(count);
            measured.push("dependencies");
        }
        let checked = self.checked(tip).await?;
        facts.tests = checked.tests;
        facts.compiles = checked.tests.map(|it| it.passed > 0);
        if checked.secrets.is_some() {
            facts.secrets = checked.secrets;
            measured.push("secrets");
        }
        if let Some(is_clean) = checked.audited {
            measured.push("audit");
            let high = u32::from(!is_clean);
            facts.audit = Some(sealwright_documents::gates::Audit { critical: 0, high });
        }
        let of_criterion = |id: &String| (id.clone(), named_after(id, &checked.passed));
        let passed: BTreeMap<String, Vec<String>> =
            facts.criteria.iter().map(of_criterion).collect();
        facts.passed_tests = checked.tests.map(|_| passed);
        let proven = self.proven(project, &facts.criteria).await?;
        // What people say of a red run is none.
        facts.red = self.seen_red(project, &facts.criteria).await?;
        facts.proofs = Some(proven);
        Ok(Facts::measured(said, facts, &measured, lines))
    }

    /// How the tree of a commit differs from the design as it is now.
    pub(super) fn structure(
        &self,
        tip: &str,
        texts: &SteeringTexts,
    ) -> Result<Evaluation, ProjectError> {
        let (scope, _) = scope::read(texts.scope.as_deref(), None);
        let (designed, _) = design::read(texts.design.as_deref(), scope.tier);
        let entries = objects::entries(&self.root, tip)?;
        let files = own_files(&entries, &self.before(tip)?, &designed.files);
        Ok(reconcile_structure(&designed.files, &designed.directories, &files))
    }

    pub(super) async fn verify_facts(
        &self,
        tip: &str,
        texts: &SteeringTexts,
    ) -> Result<Facts<VerifyFacts>, ProjectError> {
        let said = self.said::<VerifyFacts>(Phase::Verify);
        let mut facts = said.facts.clone();
        let (scope, _) = scope::read(texts.scope.as_deref(), None);
        let ids = scope.criterion_ids();
        let (readiness, _) = readiness::read(texts.readiness.as_deref(), &ids);
        (facts.criteria, facts.truths) = (scope.criteria, readiness.truths);
        let checked = self.checked(tip).await?;
        facts.tests = checked.tests;
        // A criterion is shown by what the engine ran: tests and commands that are named after it. Truths of the readiness
        // are what people looked at.
        facts.evidence.retain(|it| facts.truths.contains(&it.subject));
        for id in &ids {
            facts.evidence.extend(evidence(id, &checked));
        }
        facts.runs_locally = match checked.commands.is_empty() {
            true => None,
            false => Some(checked.commands.iter().all(|it| it.holds)),
        };
        Ok(Facts::measured(said, facts, &MEASURED_IN_VERIFY, Vec::new()))
    }

    pub(super) fn deploy(
        &self,
        project: &Project,
        tip: &str,
        texts: &SteeringTexts,
    ) -> Result<Examined, ProjectError> {
        let said = self.said::<DeployFacts>(Phase::Deploy);
        let mut facts = said.facts.clone();
        let (scope, _) = scope::read(texts.scope.as_deref(), None);
        (facts.tier, facts.criteria) = (scope.tier, scope.criterion_ids());
        let verified = project.run().gated.get(&Document::Code);
        facts.verified_tree = verified.map(ToString::to_string);
        let now = Steering::of(&self.root).seen(Some(tip))?;
        let is_there = facts.deployed == Some(true);
        let deployed = now.get(&Document::Code).filter(|_| is_there);
        facts.deployed_tree = deployed.map(ToString::to_string);
        facts.rollback.clone_from(&project.run().rollback);
        [facts.rollback_recorded_at, facts.started_at] =
            ProjectStream::of(&self.journal).deployed_at()?;
        let file = |path: &str| -> Result<Option<String>, ProjectError> {
            let entries = objects::entries(&self.root, tip)?;
            let Some(entry) = entries.iter().find(|it| it.path == path) else { return Ok(None) };
            let bytes = Contents::open(&self.root)?.read(entry, FILE_MAX)?;
            Ok(String::from_utf8(bytes).ok())
        };
        let (readme, delivery) = (file("README.md")?, file("DELIVERY.md")?);
        let is_known = facts.deployed_tree.is_some();
        let mut facts = Facts::measured(said, facts, &MEASURED_IN_DEPLOY, Vec::new());
        if is_known {
            // Which tree is live rests on the word that the deployment ended well; the engine did not look at the target.
            facts.said.insert("deployed_tree".to_owned());
        }
        let gate = |facts: &DeployFacts| {
            sealwright_documents::gates::deploy(facts, readme.as_deref(), delivery.as_deref())
        };
        Ok(Examined::from(facts.judged(gate)))
    }

    /// Runs every check of the project on a commit.
    async fn checked(&self, tip: &str) -> Result<Checked, ProjectError> {
        let mut checked = Checked::default();
        for check in self.config.checks() {
            let place = (self.root.as_path(), tip);
            let tried = gate_preview::attempt(&self.gates, &self.config, check, place, &self.state);
            let performed = tried.await.map_err(Box::new)?.performed;
            let (judgement, runs) = (performed.judgement, performed.runs);
            let verdict = judgement.verdict;
            match check.kind.key {
                "secrets" => {
                    let places = judgement.findings.iter().map(|it| it.place.clone()).collect();
                    checked.secrets = (verdict != Verdict::CannotTell).then_some(places);
                }
                "audit" if verdict != Verdict::CannotTell => {
                    checked.audited = Some(verdict == Verdict::Pass);
                }
                "command" => checked.commands.push(Ran {
                    check: check.name.clone(),
                    command: check.setting.command.join(" "),
                    output: printed(&runs),
                    holds: verdict == Verdict::Pass,
                }),
                _ if judgement.tests.is_empty() => {}
                _ => {
                    let (passed, failed) = counted(&judgement.tests);
                    checked.printed.push(printed(&runs));
                    let run = checked.tests.get_or_insert_default();
                    run.passed += passed;
                    // A run that could not be judged is no pass, whatever single tests said.
                    run.failed += failed.max(u32::from(verdict != Verdict::Pass));
                    let names = judgement.tests.iter().filter(|it| it.status == TestStatus::Passed);
                    checked
                        .passed
                        .extend(names.map(|it| format!("{} {}", it.id.suite, it.id.name)));
                }
            }
        }
        Ok(checked)
    }

    /// The criteria whose tests a shipped task saw fail before anything was built. A refactoring saw none.
    async fn seen_red(
        &self,
        project: &Project,
        criteria: &[String],
    ) -> Result<BTreeMap<String, RedTest>, ProjectError> {
        let mut red = BTreeMap::new();
        for (task, _) in project.tasks().filter(|(_, it)| it.status == Status::Shipped) {
            let looked = Tasks::of(&self.journal).look(task).await?.machine;
            let Some(data) = looked.data() else { continue };
            let keeps = data.bundle.as_ref().is_none_or(|it| it.keeps_behaviour);
            if data.guarded.is_none() || keeps {
                continue;
            }
            for id in
                criteria.iter().filter(|id| data.charter.criteria.iter().any(|it| cites(it, id)))
            {
                let seen = RedTest { failed: Some(true), before_source: Some(true) };
                red.insert(id.clone(), seen);
            }
        }
        Ok(red)
    }

    /// The criteria that shipped tasks cite, with the trees that were proven for them.
    async fn proven(
        &self,
        project: &Project,
        criteria: &[String],
    ) -> Result<BTreeMap<String, Vec<String>>, ProjectError> {
        let mut proven: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (task, entry) in project.tasks() {
            if entry.status != Status::Shipped {
                continue;
            }
            let looked = Tasks::of(&self.journal).look(task).await?.machine;
            let Some(data) = looked.data() else { continue };
            let Some(record) = &data.record else { continue };
            for id in criteria {
                if data.charter.criteria.iter().any(|it| cites(it, id)) {
                    let proof = format!("{task} {}", record.tree);
                    proven.entry(id.clone()).or_default().push(proof);
                }
            }
        }
        Ok(proven)
    }

    /// How many packages the manifests ask for, if all of them say so without being run.
    fn dependencies(&self, tip: &str) -> Result<Option<u32>, ProjectError> {
        let mut contents = Contents::open(&self.root)?;
        let mut count = 0;
        for entry in objects::entries(&self.root, tip)? {
            let Some(manifest) = toolchain::manifest(&entry.path) else { continue };
            let text = String::from_utf8(contents.read(&entry, FILE_MAX)?).ok();
            let asked = manifest.requests.zip(text).and_then(|(read, text)| read(&text).ok());
            let Some(asked) = asked else { return Ok(None) };
            count += asked.len() as u32;
        }
        Ok(Some(count))
    }

    /// Where source of the product stands in for what it should do.
    fn placeholders<'e>(
        &self,
        entries: impl Iterator<Item = &'e Entry>,
    ) -> Result<Vec<String>, ProjectError> {
        let mut contents = Contents::open(&self.root)?;
        let mut found = Vec::new();
        let is_source = |it: &&Entry| is_product(&it.path) && !it.path.ends_with(".md");
        let is_test = |it: &&Entry| it.path.split('/').any(|it| it == "tests" || it == "test");
        for entry in entries.filter(is_source).filter(|it| !is_test(it)) {
            let Ok(bytes) = contents.read(entry, FILE_MAX) else { continue };
            let lines = placeholders::placeholders(&String::from_utf8_lossy(&bytes));
            found.extend(lines.into_iter().map(|line| format!("{}:{line}", entry.path)));
        }
        Ok(found)
    }

    /// Files with their lines.
    fn lines<'e>(
        &self,
        entries: impl Iterator<Item = &'e Entry>,
    ) -> Result<Vec<(String, u64)>, ProjectError> {
        let mut contents = Contents::open(&self.root)?;
        let mut lines = Vec::new();
        for entry in entries {
            // A file that is too large to be read has more lines than any.
            let count = contents
                .read(entry, FILE_MAX)
                .map_or(u64::MAX, |it| it.split(|byte| *byte == b'\n').count() as u64);
            lines.push((entry.path.clone(), count));
        }
        Ok(lines)
    }

    /// The files where the branch of the project left the person's own, each with its content.
    fn before(&self, tip: &str) -> Result<BTreeMap<String, String>, ProjectError> {
        let head = objects::commit(&self.root, "HEAD")?;
        let Some(fork) = join::fork(&self.root, &head, tip)? else { return Ok(BTreeMap::new()) };
        let entries = objects::entries(&self.root, &fork)?;
        Ok(entries.into_iter().map(|it| (it.path.clone(), it.object().to_owned())).collect())
    }
}

/// Whether a file is other than before, or was not there.
fn is_new(before: &BTreeMap<String, String>, entry: &Entry) -> bool {
    before.get(&entry.path).is_none_or(|object| object != entry.object())
}

/// The files that count against the design: what is new, and what is designed.
fn own_files(
    entries: &[Entry],
    before: &BTreeMap<String, String>,
    designed: &[String],
) -> Vec<String> {
    let is_own = |it: &&Entry| is_new(before, it) || designed.contains(&it.path);
    entries.iter().filter(is_own).map(|it| it.path.clone()).collect()
}

/// What was run for a criterion: tests in one run, and each command.
fn evidence(id: &str, checked: &Checked) -> Vec<Evidence> {
    let tests = named_after(id, &checked.passed);
    let by_tests = (!tests.is_empty()).then(|| Evidence {
        subject: id.to_owned(),
        command: Some(format!("tests: {}", tests.join(", "))),
        output: Some(checked.printed.join(" ")),
        holds: Some(true),
        ..Evidence::default()
    });
    let ran = checked.commands.iter().filter(|it| cites(&it.check, id));
    let by_running = ran.map(|it| Evidence {
        subject: id.to_owned(),
        command: Some(it.command.clone()),
        output: Some(it.output.clone()),
        holds: Some(it.holds),
        by_running: Some(true),
        under_load: Some(words(&it.check).iter().any(|word| word == "load")),
    });
    by_tests.into_iter().chain(by_running).collect()
}

/// The digest of everything that commands printed.
fn printed(runs: &[crate::gate_runner::Command]) -> String {
    let mut hasher = Hasher::default();
    for run in runs {
        hasher.update(&run.ran.stdout.bytes);
        hasher.update(&run.ran.stderr.bytes);
    }
    hasher.finish().to_string()
}

fn counted(tests: &[TestResult]) -> (u32, u32) {
    let of = |wanted: fn(&TestStatus) -> bool| {
        tests.iter().filter(|it| wanted(&it.status)).count() as u32
    };
    let failed =
        |it: &TestStatus| matches!(it, TestStatus::Failed { .. } | TestStatus::Broken { .. });
    (of(|it| *it == TestStatus::Passed), of(failed))
}

/// The tests that are named after a criterion: `AC-1` is shown by `test_ac_1_…`.
fn named_after(id: &str, tests: &[String]) -> Vec<String> {
    let wanted = words(id);
    let is_named = |test: &&String| words(test).windows(wanted.len()).any(|it| it == wanted);
    tests.iter().filter(is_named).cloned().collect()
}

/// Whether a text names a criterion, and not only one whose id begins like it.
fn cites(text: &str, id: &str) -> bool {
    let (text, id) = (words(text), words(id));
    !id.is_empty() && text.windows(id.len()).any(|it| it == id)
}

/// Letters and digits apart, in lower case.
fn words(text: &str) -> Vec<String> {
    let parts = text.split(|it: char| !it.is_ascii_alphanumeric());
    parts.filter(|it| !it.is_empty()).map(str::to_ascii_lowercase).collect()
}

const MEASURED_IN_BUILD: [&str; 10] = [
    "criteria",
    "red",
    "compiles",
    "tests",
    "passed_tests",
    "proofs",
    "lockfile",
    "designed_files",
    "designed_directories",
    "files",
];
const MEASURED_IN_VERIFY: [&str; 4] = ["criteria", "truths", "tests", "runs_locally"];
const MEASURED_IN_DEPLOY: [&str; 7] = [
    "tier",
    "criteria",
    "verified_tree",
    "deployed_tree",
    "rollback",
    "rollback_recorded_at",
    "started_at",
];
const FILE_MAX: u64 = 16 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_shows_the_criterion_that_it_is_named_after_and_no_longer_one() {
        let tests = ["tests test_ac_1_fees", "tests test_ac_12", "lib ac_1"].map(str::to_owned);
        assert_eq!(named_after("AC-1", &tests), ["tests test_ac_1_fees", "lib ac_1"]);
        assert!(cites("AC-1: the fee is 2", "AC-1") && !cites("AC-12: the fee", "AC-1"));
        assert!(!cites("", ""));
    }
}
