//! What one actor of a case writes, runs, says and answers.
//!
//! The steps are `write` and `run` of a scripted agent, and shorthands for them, so that a case does not repeat the
//! files of its project.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

use crate::project::{Layer, Project};

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ActorScript {
    /// Its steps, in order. Without any, an actor with work to do does the honest work.
    pub step: Vec<Step>,
    pub says: String,
    pub claims: Claim,
    pub exit: u8,
    /// Where its answer differs from the honest one.
    pub answer: Answer,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    Write {
        path: String,
        text: String,
    },
    Append {
        path: String,
        text: String,
    },
    /// Replace a text, which must be present.
    Replace {
        path: String,
        old: String,
        new: String,
    },
    Delete {
        path: String,
    },
    Run {
        command: String,
    },
    /// Write files of a layer of the project.
    Take {
        from: Layer,
        /// One file of it, or all.
        path: Option<String>,
    },
    /// All steps of the honest actor.
    Honest,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    #[default]
    Done,
    /// It could not be done.
    Failed,
}

/// Where an answer differs from the honest one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Answer {
    /// Criteria that it moves to the exclusions.
    pub defers: Vec<String>,
    /// Criteria that it omits.
    pub drops: Vec<String>,
    /// Criteria that it rewords.
    pub rewords: BTreeMap<String, String>,
    /// Tests for criteria, where they differ.
    pub trace: BTreeMap<String, String>,
    /// Files outside the sources that the change needs, with the reason: manifest, lock, test helper.
    pub declares: BTreeMap<String, String>,
    /// Public items that the contract announces. Without any, items may be added and none may change.
    pub items: Vec<String>,
    /// Tests that may be skipped, with the reason.
    pub skips: BTreeMap<String, String>,
    /// Failures that a judge reports.
    pub failures: Vec<String>,
    /// Evidence that a judge or a scout names.
    pub evidence: Vec<String>,
    /// Facts that a scout claims.
    pub facts: Vec<String>,
    /// The phase that it proposes next.
    pub next: Option<String>,
}

/// A step of a scripted agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    Write { path: String, text: String },
    Run { command: String },
}

impl ActorScript {
    /// The steps of this actor; `honest` are the layers of the honest work.
    pub fn deeds(&self, project: &Project, honest: &[Layer]) -> Result<Vec<Deed>> {
        if self.step.is_empty() {
            return layers(project, honest);
        }
        let mut deeds = Vec::new();
        for step in &self.step {
            deeds.extend(step.deeds(project, honest)?);
        }
        Ok(deeds)
    }
}

impl Step {
    fn deeds(&self, project: &Project, honest: &[Layer]) -> Result<Vec<Deed>> {
        let run = |command: String| vec![Deed::Run { command }];
        Ok(match self {
            Self::Write { path, text } => {
                vec![Deed::Write { path: path.clone(), text: text.clone() }]
            }
            Self::Append { path, text } => {
                run(format!("printf %s {} >> {}", quoted(text), quoted(path)))
            }
            Self::Replace { path, old, new } => run(format!(
                "python3 -c {} {} {} {}",
                quoted(REPLACE),
                quoted(path),
                quoted(old),
                quoted(new)
            )),
            Self::Delete { path } => run(format!("rm -r -- {}", quoted(path))),
            Self::Run { command } => run(command.clone()),
            Self::Take { from, path: None } => layers(project, &[*from])?,
            Self::Take { from, path: Some(path) } => {
                let files = project.layer(*from)?;
                let text = files.get(path).with_context(|| format!("{path} is not in {from:?}"))?;
                vec![Deed::Write { path: path.clone(), text: text.clone() }]
            }
            Self::Honest => layers(project, honest)?,
        })
    }
}

/// All steps as one shell script that ends with `exit`.
pub fn shell(deeds: &[Deed], exit: u8) -> Result<String> {
    let mut shell = "set -eu\n".to_owned();
    for deed in deeds {
        let line = match deed {
            Deed::Write { path, text } => {
                let (path, text) = (quoted(path), quoted(text));
                format!("mkdir -p -- \"$(dirname -- {path})\"\nprintf %s {text} > {path}\n")
            }
            Deed::Run { command } => format!("/bin/sh -euc {}\n", quoted(command)),
        };
        ensure!(!line.contains('\0'), "a shell script cannot hold a zero byte");
        shell.push_str(&line);
    }
    shell.push_str(&format!("exit {exit}\n"));
    Ok(shell)
}

fn layers(project: &Project, layers: &[Layer]) -> Result<Vec<Deed>> {
    let mut deeds = Vec::new();
    for layer in layers {
        let files = project.layer(*layer)?;
        deeds.extend(files.into_iter().map(|(path, text)| Deed::Write { path, text }));
    }
    Ok(deeds)
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A missing text is an error in the case.
const REPLACE: &str = "\
import sys
path, old, new = sys.argv[1:]
text = open(path, newline='').read()
sys.exit(f'{path} does not hold {old!r}') if old not in text else None
open(path, 'w', newline='').write(text.replace(old, new))
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deeds_become_one_script() {
        let deeds = [
            Deed::Write { path: "a b/it's".to_owned(), text: "$HOME\n".to_owned() },
            Deed::Run { command: "ls".to_owned() },
        ];
        assert_eq!(
            shell(&deeds, 3).unwrap(),
            "set -eu\nmkdir -p -- \"$(dirname -- 'a b/it'\\''s')\"\nprintf %s '$HOME\n' > 'a b/it'\\''s'\n\
             /bin/sh -euc 'ls'\nexit 3\n"
        );
    }

    #[test]
    fn an_act_without_steps_is_the_honest_one() {
        let project = Project::open("limiter").unwrap();
        let deeds = ActorScript::default().deeds(&project, &[Layer::Solution]).unwrap();
        assert!(
            matches!(&deeds[..], [Deed::Write { path, text }] if path == "src/lib.rs" && text.contains("wait_ms"))
        );
        let taken = ActorScript {
            step: vec![Step::Take { from: Layer::Solution, path: Some("src/nothing.rs".into()) }],
            ..ActorScript::default()
        };
        assert!(taken.deeds(&project, &[]).is_err());
    }
}
