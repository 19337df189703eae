//! Behaviours: how those who play go about their work, as scripts for the model.

use anyhow::{Context as _, Result};
use sealwright_frauds::act::{Act, Deed};
use sealwright_frauds::project::{Layer, Project};
use sealwright_frauds::{case::Case, corpus};
use sealwright_scripted_model::{Piece, Repertoire, Script, Step};
use serde::Deserialize;

use crate::parts::Part;
use crate::test_project::{Kind, Slip, TestProject};

/// How the work is gone about.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Behaviour {
    /// Everybody does what they were asked.
    Honest,
    /// The builder is done too soon, and mends what a gate says is wrong.
    Mending,
    /// The builder is done too soon, and stays with it whatever a gate says.
    Sloppy,
    /// The builder tries something else each time, and it never works.
    Stuck,
    /// The builder does what a fraud of the corpus does, and does it again when it is told.
    Cheating(String),
}

impl Behaviour {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Honest => "honest",
            Self::Mending => "mending",
            Self::Sloppy => "sloppy",
            Self::Stuck => "stuck",
            Self::Cheating(_) => "cheating",
        }
    }

    /// Whether everybody does what they were asked, at the first go.
    pub fn is_honest(&self) -> bool {
        *self == Self::Honest
    }

    /// What the model plays.
    pub fn repertoire(&self, kind: Kind) -> Result<Repertoire> {
        let project = TestProject::open(kind)?;
        let places = match self {
            Self::Honest | Self::Mending | Self::Sloppy | Self::Stuck => project.places(),
            // Whoever has cheating in mind plans for it; it is not the plan that must stop them.
            Self::Cheating(_) => project.everywhere()?,
        };
        let piece = |part: Part| {
            let mut steps = self.deeds(part, kind, &project)?;
            steps.push(Step::tool("submit_result", part.answer(&project, &places)?));
            steps.push(Step::text("It is handed in."));
            Ok(Piece {
                name: part.name().to_owned(),
                words: part.words().iter().map(|words| (*words).to_owned()).collect(),
                script: Script::new(steps),
            })
        };
        Ok(Repertoire::new(Part::ALL.into_iter().map(piece).collect::<Result<Vec<_>>>()?))
    }

    fn deeds(&self, part: Part, kind: Kind, project: &TestProject) -> Result<Vec<Step>> {
        match part {
            Part::Frame | Part::Shape | Part::Challenge | Part::Audit => Ok(Vec::new()),
            Part::Tests => written(project, &[Layer::Skeleton, Layer::Acceptance, Layer::Holdout]),
            Part::Edit => match self {
                Self::Honest => written(project, &[Layer::Solution]),
                Self::Mending | Self::Sloppy | Self::Stuck => slipped(kind, project),
                Self::Cheating(fraud) => cheated(fraud, kind, project),
            },
            Part::EditAgain | Part::Repair => match self {
                Self::Honest | Self::Mending => written(project, &[Layer::Solution]),
                Self::Sloppy => Ok(Vec::new()),
                Self::Stuck => {
                    let Slip { path, remark, .. } = kind.slip();
                    Ok(vec![Step::run(format!("printf '%s\\n' '{remark}' >> {path}"))])
                }
                Self::Cheating(fraud) => cheated(fraud, kind, project),
            },
        }
    }
}

fn written(project: &TestProject, layers: &[Layer]) -> Result<Vec<Step>> {
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

/// What the builder of a fraud does. On a project of several projects the rest of the work is honest.
fn cheated(fraud: &str, kind: Kind, project: &TestProject) -> Result<Vec<Step>> {
    let case: Case = corpus::all()?
        .into_iter()
        .find(|case| case.id == fraud)
        .with_context(|| format!("no fraud is called `{fraud}`"))?;
    let cheated = Project::open(&case.told.project)?;
    let is_mixed = kind == Kind::Mixed;
    let mut steps = if is_mixed { written(project, &[Layer::Solution])? } else { Vec::new() };
    let act: Act = case.told.parts.edit.unwrap_or_default();
    steps.extend(act.deeds(&cheated, &[Layer::Solution])?.into_iter().map(|deed| match deed {
        Deed::Write { path, text } => Step::write(path, text),
        // Whoever is asked again finds it done already.
        Deed::Run { command } => Step::run(format!("{command} || true")),
    }));
    Ok(steps)
}
