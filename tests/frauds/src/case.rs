//! Cases: one run each, a fraud or an honest one, as data.
//!
//! A case names its project and says, for each part of a run, what its actor does instead of the honest work. Parts
//! it does not name are played as the project's template has them.

use serde::Deserialize;

use crate::act::Act;
use crate::project::Layer;

/// One run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Its name: that of its file.
    pub id: String,
    /// Which of the two it is.
    pub kind: Kind,
    /// What is in the file.
    pub told: Told,
}

/// A fraud or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It must not be accepted.
    Fraud,
    /// It must not be refused.
    Honest,
}

/// A case as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Told {
    /// The project it happens in.
    pub project: String,
    /// The class of fraud it belongs to; for an honest run, what is awkward about it.
    pub class: String,
    /// It in one or two sentences.
    pub story: String,
    /// The documented incident it is modelled on.
    #[serde(default)]
    pub modelled_on: Option<String>,
    /// Who cheats.
    #[serde(default)]
    pub cheater: Option<Cheater>,
    /// What is wrong with the outcome.
    #[serde(default)]
    pub harm: Option<Harm>,
    /// What is expected to catch it. Any of them will do.
    #[serde(default)]
    pub caught_by: Vec<Catch>,
    /// Why naive loops have nothing that this could be done to.
    #[serde(default)]
    pub beyond: Option<String>,
    /// What shows in the outcome if it came through, where walls may undo it unseen.
    #[serde(default)]
    pub mark: Option<Mark>,
    /// How long a naive loop waits for the tests.
    #[serde(default)]
    pub limit_s: Option<u32>,
    /// The parts that are not played as the template has them.
    #[serde(rename = "part", default)]
    pub parts: Parts,
}

/// A trace of a fraud. An outcome without it is the honest one, whatever was tried.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// The file it is in.
    pub path: String,
    /// What is in there.
    pub text: String,
}

/// Who does what in a run, in the order it happens.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Parts {
    /// A person changes the project before anything begins.
    pub person: Option<Act>,
    /// Puts into words what is wanted.
    pub frame: Option<Act>,
    /// Drafts the contract and the plan, and declares what beside the sources will change.
    pub shape: Option<Act>,
    /// Writes the skeleton and the tests.
    pub tests: Option<Act>,
    /// Finds facts.
    pub scout: Option<Act>,
    /// Plans the change.
    pub plan: Option<Act>,
    /// Makes the change.
    pub edit: Option<Act>,
    /// Mends what failed.
    pub repair: Option<Act>,
    /// Tries to disprove the work.
    pub challenge: Option<Act>,
    /// Decides from the record.
    pub adjudicate: Option<Act>,
    /// Somebody who can write to the repository, `.sealwright` included, once the run has ended.
    pub record: Option<Act>,
}

/// Who cheats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cheater {
    /// Who makes the change.
    Builder,
    /// Who writes the tests.
    TestAuthor,
    /// Who finds facts.
    Scout,
    /// Who plans.
    Planner,
    /// Who judges.
    Reviewer,
    /// Who can write to the repository.
    Writer,
}

/// What is wrong with an outcome that nobody stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Harm {
    /// It does not do what was asked for. This is checked: the honest tests fail on its sources.
    Broken,
    /// It may do what was asked for, but nobody has shown it.
    Unproven,
    /// Something secret is out.
    Leak,
    /// Something foreign is in.
    Foreign,
    /// It does what was asked for only where it is tested.
    Disguised,
    /// A rule for all later work is weaker.
    Rules,
    /// Somebody went where they must not.
    Trespass,
    /// What is written about it is not what happened.
    Record,
}

/// What can catch a fraud.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Catch {
    /// Something frozen was changed.
    Tripwire,
    /// The tests, run in a clean room, fail or cannot be told.
    Room,
    /// A test that must fail did not.
    Canary,
    /// Tests that pass before anything is built.
    Red,
    /// A criterion without a test, or a test that did not run.
    MissingTests,
    /// Mutants of the change survive.
    Strength,
    /// Tests the builder never saw fail.
    Holdout,
    /// Constants of the tests stand in the source.
    Overfit,
    /// A secret was found.
    Secrets,
    /// A dependency with something known against it.
    Audit,
    /// The lock does not match, or points elsewhere.
    Lockfile,
    /// Too much was changed, or something undeclared.
    Size,
    /// The machine refuses the step.
    Refusal,
    /// A review without evidence does not count.
    Compliance,
    /// The walls do not let it.
    Isolation,
    /// The offline check of a finished run.
    Verify,
}

impl Parts {
    /// What the actors do that act on the work tree, in order, each with the layers the honest one would write.
    /// A person and the author of the tests come before these, whoever touches the record after them.
    pub fn at_work(&self) -> Vec<(&'static str, Act, &'static [Layer])> {
        const NOTHING: &[Layer] = &[];
        let edit = Some(self.edit.clone().unwrap_or_default());
        let acts = [
            ("scout", self.scout.clone(), NOTHING),
            ("plan", self.plan.clone(), NOTHING),
            ("edit", edit, &[Layer::Solution]),
            ("repair", self.repair.clone(), NOTHING),
            ("challenge", self.challenge.clone(), NOTHING),
            ("adjudicate", self.adjudicate.clone(), NOTHING),
        ];
        let played = acts.into_iter().filter_map(|(name, act, honest)| Some((name, act?, honest)));
        played.collect()
    }
}
