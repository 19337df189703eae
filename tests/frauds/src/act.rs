//! Acts: what one actor of a case writes, runs, says and answers.
//!
//! The steps are those of a scripted agent, `write` and `run`, and a few that become such: they spare a case from
//! repeating what its project holds already.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

use crate::project::{Layer, Project};

/// What one actor does in its part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Act {
    /// What it does, in order. Without any, an actor with work to do does the honest work.
    pub step: Vec<Step>,
    /// What it says about it.
    pub says: String,
    /// What it claims to have come to.
    pub claims: Claim,
    /// What its program ends with once everything is done.
    pub exit: u8,
    /// Where its answer differs from the honest one.
    pub answer: Answer,
}

/// One step, as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// Write a file.
    Write {
        /// Where.
        path: String,
        /// What.
        text: String,
    },
    /// Write at the end of a file.
    Append {
        /// Where.
        path: String,
        /// What.
        text: String,
    },
    /// Put one text in the place of another. It fails where the other is not there.
    Replace {
        /// Where.
        path: String,
        /// What is there.
        old: String,
        /// What is there afterwards.
        new: String,
    },
    /// Remove a file or a folder.
    Delete {
        /// Where.
        path: String,
    },
    /// Run a command in a shell.
    Run {
        /// The command.
        command: String,
    },
    /// Write what a layer of the project holds.
    Take {
        /// Which layer.
        from: Layer,
        /// One file of it; all of them, if none is named.
        path: Option<String>,
    },
    /// Do all the honest actor would have done in this part.
    Honest,
}

/// What an actor claims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// It is done.
    #[default]
    Done,
    /// It could not be done.
    Failed,
}

/// Where an answer differs from the honest one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Answer {
    /// Criteria it moves to what is not being done.
    pub defers: Vec<String>,
    /// Criteria it does not mention any more.
    pub drops: Vec<String>,
    /// Criteria in other words.
    pub rewords: BTreeMap<String, String>,
    /// Which test it says stands for which criterion, where that differs.
    pub trace: BTreeMap<String, String>,
    /// Files beside the sources that the change needs, each with the reason: manifest, lock, helper of tests.
    pub declares: BTreeMap<String, String>,
    /// Tests that may be skipped, each with the reason.
    pub skips: BTreeMap<String, String>,
    /// What a judge found wrong.
    pub failures: Vec<String>,
    /// What a judge or a scout says it looked at.
    pub evidence: Vec<String>,
    /// What a scout says is so.
    pub facts: Vec<String>,
    /// The phase it says comes next.
    pub next: Option<String>,
}

/// A step as an agent takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Write a file.
    Write {
        /// Where.
        path: String,
        /// What.
        text: String,
    },
    /// Run a command in a shell.
    Run {
        /// The command.
        command: String,
    },
}

impl Act {
    /// The deeds of an actor whose honest work would be `honest`.
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

/// Everything as one script for a shell, which ends with `exit`.
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
        ensure!(!line.contains('\0'), "a shell cannot be told of a zero byte");
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

/// A word that a shell takes as it is.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A text that is not there is a mistake of the case, not something to pass over.
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
        let deeds = Act::default().deeds(&project, &[Layer::Solution]).unwrap();
        assert!(
            matches!(&deeds[..], [Deed::Write { path, text }] if path == "src/lib.rs" && text.contains("wait_ms"))
        );
        let taken = Act {
            step: vec![Step::Take { from: Layer::Solution, path: Some("src/nothing.rs".into()) }],
            ..Act::default()
        };
        assert!(taken.deeds(&project, &[]).is_err());
    }
}
