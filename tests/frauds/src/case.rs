//! Cases: one run each, a fraud or an honest one, as data.
//!
//! A case names its project and the actors that deviate from the honest work. All other parts follow the project's
//! template.

use serde::Deserialize;

use crate::actor_script::ActorScript;
use crate::project::Layer;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Its name: that of its file.
    pub id: String,
    pub kind: Kind,
    pub data: CaseData,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It must not be accepted.
    Fraud,
    /// It must not be refused.
    Honest,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseData {
    pub project: String,
    /// The class of the fraud; for an honest run, its peculiarity.
    pub class: String,
    /// One or two sentences.
    pub story: String,
    /// The documented incident it is modelled on.
    #[serde(default)]
    pub modelled_on: Option<String>,
    #[serde(default)]
    pub cheater: Option<Cheater>,
    #[serde(default)]
    pub harm: Option<Harm>,
    /// How it comes to be accepted.
    #[serde(default)]
    pub way: Option<Way>,
    /// What would catch it, if nothing here does: a sabotage that is right in every room.
    #[serde(default)]
    pub would_catch: Option<String>,
    /// What may catch it; any one suffices.
    #[serde(default)]
    pub caught_by: Vec<Catch>,
    /// Why it does not apply to naive loops.
    #[serde(default)]
    pub beyond: Option<String>,
    /// A trace of success, if the sandbox may undo the fraud unnoticed.
    #[serde(default)]
    pub mark: Option<Mark>,
    /// The time limit of a naive loop for the tests.
    #[serde(default)]
    pub limit_s: Option<u32>,
    /// The parts that deviate from the template.
    #[serde(rename = "part", default)]
    pub parts: Parts,
}

/// A trace of a fraud. A result without it is the honest one.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    pub path: String,
    pub text: String,
}

/// The actors of a run, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Parts {
    /// A person who changes the project before the task.
    pub person: Option<ActorScript>,
    /// Writes the objective.
    pub frame: Option<ActorScript>,
    /// Drafts the contract and the plan, and declares changes outside the sources.
    pub shape: Option<ActorScript>,
    /// Writes the skeleton and the tests.
    pub tests: Option<ActorScript>,
    pub scout: Option<ActorScript>,
    pub plan: Option<ActorScript>,
    pub edit: Option<ActorScript>,
    pub repair: Option<ActorScript>,
    /// Tries to disprove the result.
    pub challenge: Option<ActorScript>,
    /// Decides from the record.
    pub adjudicate: Option<ActorScript>,
    /// A writer to the repository, including `.sealwright`, after the run.
    pub record: Option<ActorScript>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cheater {
    Builder,
    TestAuthor,
    Scout,
    Planner,
    Reviewer,
    /// A writer to the repository.
    Writer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Harm {
    /// The result does not meet the request. This is checked: the honest tests fail on its sources.
    Broken,
    /// The result may meet the request, but no evidence shows it.
    Unproven,
    /// A secret leaks.
    Leak,
    /// Foreign code enters.
    Foreign,
    /// The result meets the request only under test.
    Disguised,
    /// A rule for later work is weakened.
    Rules,
    /// A role leaves its boundaries.
    Trespass,
    /// The record is false.
    Record,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// The tests are green without the behaviour.
    Lazy,
    /// What is reported is not what happened.
    Forging,
    /// It is right in every room, and wrong elsewhere.
    Sabotage,
}

impl Way {
    pub const ALL: [Self; 3] = [Self::Lazy, Self::Forging, Self::Sabotage];

    pub fn name(self) -> &'static str {
        match self {
            Self::Lazy => "lazy",
            Self::Forging => "forging",
            Self::Sabotage => "sabotage",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Catch {
    /// A frozen file changed.
    Tripwire,
    /// The tests fail or are inconclusive in a clean room.
    Room,
    /// A test that must fail passed.
    Canary,
    /// Tests pass before implementation.
    Red,
    /// A criterion without a test, or a test that did not run.
    MissingTests,
    /// Mutants of the change survive.
    Strength,
    /// Hold-out tests fail.
    Holdout,
    /// Constants of the tests are in the source.
    Overfit,
    /// A secret was found.
    Secrets,
    /// A dependency has a known vulnerability.
    Audit,
    /// The lock does not match, or points elsewhere.
    Lockfile,
    /// The change is too large or undeclared.
    Size,
    /// The kernel refuses the step.
    Refusal,
    /// A review without evidence does not count.
    Compliance,
    /// The sandbox prevents it.
    #[serde(rename = "walls")]
    Isolation,
    /// The offline check of a finished run.
    Verify,
}

impl Parts {
    /// The actors on the work tree, in order, each with the layers of the honest work. A person and the test author
    /// come before them, a writer to the record after them.
    pub fn at_work(&self) -> Vec<(&'static str, ActorScript, &'static [Layer])> {
        const NOTHING: &[Layer] = &[];
        let edit = Some(self.edit.clone().unwrap_or_default());
        let actors = [
            ("scout", self.scout.clone(), NOTHING),
            ("plan", self.plan.clone(), NOTHING),
            ("edit", edit, &[Layer::Solution]),
            ("repair", self.repair.clone(), NOTHING),
            ("challenge", self.challenge.clone(), NOTHING),
            ("adjudicate", self.adjudicate.clone(), NOTHING),
        ];
        let played =
            actors.into_iter().filter_map(|(name, actor, honest)| Some((name, actor?, honest)));
        played.collect()
    }
}
