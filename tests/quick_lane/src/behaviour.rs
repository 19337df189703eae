//! Behaviours of the agents, as scripts for the model.

use anyhow::{Context as _, Result};
use sealwright_frauds::actor_script::{ActorScript, Deed};
use sealwright_frauds::project::{Layer, Project};
use sealwright_frauds::{case::Case, corpus};
use sealwright_scripted_model::{Piece, Script, ScriptSet, Step};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::parts::Part;
use crate::run::Lane;
use crate::test_project::{Kind, Slip, TestProject};

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Behaviour {
    /// Every agent does what the brief asks.
    Honest,
    /// The builder stops too early, and fixes what a gate reports.
    Mending,
    /// The builder stops too early, and ignores what a gate reports.
    Sloppy,
    /// The builder tries another change each time, and none works.
    Stuck,
    /// The builder commits a fraud of the corpus, and repeats it.
    Cheating(String),
    /// In the strict lane: the arbiter approves with an amendment, and the builder applies it.
    Amended,
    /// In the strict lane: a reader reports a cheat, whatever the builder changes.
    FoundOut,
}

impl Behaviour {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Honest => "honest",
            Self::Mending => "mending",
            Self::Sloppy => "sloppy",
            Self::Stuck => "stuck",
            Self::Cheating(_) => "cheating",
            Self::Amended => "amended",
            Self::FoundOut => "found-out",
        }
    }

    /// Whether every agent does what the brief asks at the first try.
    pub fn is_honest(&self) -> bool {
        *self == Self::Honest
    }

    pub fn scripts(&self, kind: Kind, lane: Lane) -> Result<ScriptSet> {
        let project = TestProject::open(kind)?;
        let places = match self {
            Self::Honest
            | Self::Mending
            | Self::Sloppy
            | Self::Stuck
            | Self::Amended
            | Self::FoundOut => project.places(),
            // A cheating agent plans for its fraud; the plan must not be what stops it.
            Self::Cheating(_) => project.everywhere()?,
        };
        let piece = |part: Part| {
            let mut steps = self.deeds(part, kind, &project)?;
            let mut answer = match self.other_answer(part, kind) {
                Some(answer) => answer,
                None => part.answer(&project, &places)?,
            };
            // One call gives both, where one role has both to give.
            if (part, lane) == (Part::Frame, Lane::Quick) {
                answer["draft"] = Part::Shape.answer(&project, &places)?;
            }
            steps.push(Step::tool("submit_result", answer));
            steps.push(Step::text("It is handed in."));
            Ok(Piece {
                name: part.name().to_owned(),
                words: part.words().iter().map(|words| (*words).to_owned()).collect(),
                script: Script::new(steps),
            })
        };
        Ok(ScriptSet::new(Part::ALL.into_iter().map(piece).collect::<Result<Vec<_>>>()?))
    }

    /// What a role of the strict lane answers, where it is not the honest answer.
    fn other_answer(&self, part: Part, kind: Kind) -> Option<Value> {
        let Slip { path, remark, .. } = kind.slip();
        match (self, part) {
            (Self::Amended, Part::Adjudicate) => Some(json!({
                "decision": "approve_with_amendments",
                "amendments": [{
                    "action": "MODIFY", "target": format!("file:{path}"),
                    "detail": format!("append the line `{remark}` to the end of the file"),
                }],
                "rationale": "The record holds, and one remark is missing.",
            })),
            (Self::FoundOut, Part::Refute) => Some(json!({
                "verdict": "fail", "findings": [], "residue": [], "question": "",
                "cheats": [{ "cheat": "overfit", "what": format!("{path}:1 knows its tests") }],
            })),
            _ => None,
        }
    }

    fn deeds(&self, part: Part, kind: Kind, project: &TestProject) -> Result<Vec<Step>> {
        match part {
            Part::Frame
            | Part::Shape
            | Part::Challenge
            | Part::Audit
            | Part::Refute
            | Part::Inspect
            | Part::Adjudicate => Ok(Vec::new()),
            Part::Tests => written(project, &[Layer::Skeleton, Layer::Acceptance, Layer::Holdout]),
            Part::Edit => match self {
                Self::Honest | Self::Amended | Self::FoundOut => {
                    written(project, &[Layer::Solution])
                }
                Self::Mending | Self::Sloppy | Self::Stuck => slipped(kind, project),
                Self::Cheating(fraud) => cheated(fraud, kind, project),
            },
            Part::EditAgain | Part::Repair => match self {
                Self::Honest | Self::Mending => written(project, &[Layer::Solution]),
                Self::Sloppy => Ok(Vec::new()),
                Self::Stuck | Self::Amended | Self::FoundOut => {
                    let Slip { path, remark, .. } = kind.slip();
                    Ok(vec![Step::run(format!("printf '%s\\n' '{remark}' >> {path}"))])
                }
                Self::Cheating(fraud) => cheated(fraud, kind, project),
            },
        }
    }
}

pub(crate) fn written(project: &TestProject, layers: &[Layer]) -> Result<Vec<Step>> {
    let mut steps = Vec::new();
    for layer in layers {
        let files = project.files(*layer)?;
        steps.extend(files.into_iter().map(|(path, text)| Step::write(path, text)));
    }
    Ok(steps)
}

fn slipped(kind: Kind, project: &TestProject) -> Result<Vec<Step>> {
    let Slip { path, right, wrong, .. } = kind.slip();
    let mut files = project.files(Layer::Solution)?;
    let text = files.get_mut(path).with_context(|| format!("{path} is not in the solution"))?;
    *text = text.replace(right, wrong);
    Ok(files.into_iter().map(|(path, text)| Step::write(path, text)).collect())
}

/// The steps of a fraud's builder. In a repository of several projects the other work is honest.
fn cheated(fraud: &str, kind: Kind, project: &TestProject) -> Result<Vec<Step>> {
    let case: Case = corpus::all()?
        .into_iter()
        .find(|case| case.id == fraud)
        .with_context(|| format!("no fraud is called `{fraud}`"))?;
    let cheated = Project::open(&case.data.project)?;
    let is_mixed = kind == Kind::Mixed;
    let mut steps = if is_mixed { written(project, &[Layer::Solution])? } else { Vec::new() };
    let actor: ActorScript = case.data.parts.edit.unwrap_or_default();
    steps.extend(actor.deeds(&cheated, &[Layer::Solution])?.into_iter().map(|deed| match deed {
        Deed::Write { path, text } => Step::write(path, text),
        // A repeated step may find its work done.
        Deed::Run { command } => Step::run(format!("{command} || true")),
    }));
    Ok(steps)
}
