//! One run: a person asks for a change in a fresh repository, and everything that came of it is looked at.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::Result;
use sealwright_scripted_model::{Model, Seen, Served, Settings};
use serde::Deserialize;

use crate::agent_pair::AgentPair;
use crate::behaviour::Behaviour;
use crate::clean_clone;
use crate::ending::Ending;
use crate::household::Household;
use crate::leftovers::left_running;
use crate::program::last_lines;
use crate::records::at_work;
use crate::repository::Repository;
use crate::test_project::{Kind, TestProject};
use crate::untouched::Kept;

/// An run, and how it must end.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuickRun {
    /// Where.
    pub project: Kind,
    /// How it is gone about.
    pub behaviour: Behaviour,
    /// Who builds.
    #[serde(rename = "agents")]
    pub pair: AgentPair,
    /// How it must end.
    pub ends: Ending,
    /// What people must have been told on the way: what was wrong, by name.
    #[serde(default)]
    pub told: Vec<String>,
}

/// What was seen of an run.
#[derive(Debug)]
pub struct Report {
    /// What is not as it must be, in words.
    pub wrong: Vec<String>,
    /// How it ended.
    pub ending: Option<Ending>,
    /// How long `do` took.
    pub took: Duration,
    /// How long neither an agent nor a gate was at work in it.
    pub own: Duration,
    /// How many requests the model answered.
    pub requests: usize,
}

impl QuickRun {
    /// Every run, as `runs.toml` has them.
    pub fn all() -> Result<Vec<Self>> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            run: Vec<QuickRun>,
        }
        let file: File = toml::from_str(include_str!("../runs.toml"))?;
        Ok(file.run)
    }

    /// What it is called.
    pub fn name(&self) -> String {
        format!("{}-{}-{}", self.project.name(), self.behaviour.name(), self.pair.name())
    }

    /// Runs it in a household, and looks at everything.
    pub fn run(&self, household: &Household) -> Result<Report> {
        let name = self.name();
        let settings =
            Settings { log: Some(household.log(&format!("{name}-model.jsonl"))), port: 0 };
        let model = Model::start_with(self.behaviour.repertoire(self.project)?, &settings)?;
        let repository =
            Repository::make(household, &name, self.project, self.pair, model.address())?;
        let before = Kept::look(repository.folder())?;
        let ran = begin(&repository, self.project)?.start()?.wait(LIMIT)?;
        let mut wrong = Vec::new();
        let mut own = ran.took;
        let ending = match Ending::seen(&repository, &ran) {
            Ok((ending, task)) => {
                own = own.saturating_sub(at_work(&repository, &task)?);
                if ending != self.ends {
                    wrong.push(format!("it must end with {}", self.ends));
                }
                let missing = self.told.iter().filter(|words| !ran.talked.contains(*words));
                wrong.extend(missing.map(|words| format!("nobody is told `{words}`")));
                if !wrong.is_empty() {
                    wrong.push(last_lines(&ran.talked));
                }
                if ending.branches > 0 {
                    wrong.extend(self.kept(&repository, &task).err().map(|it| format!("{it:#}")));
                }
                Some(ending)
            }
            Err(error) => {
                wrong.push(format!("{error:#}"));
                None
            }
        };
        wrong.extend(before.changed(&Kept::look(repository.folder())?));
        wrong.extend(
            left_running(&household.state()).iter().map(|it| format!("left running: {it}")),
        );
        let asked = model.requests();
        wrong.extend(other_calls(&asked));
        Ok(Report { wrong, ending, took: ran.took, own, requests: asked.len() })
    }

    fn kept(&self, repository: &Repository<'_>, task: &str) -> Result<()> {
        clean_clone::holds(repository, self.project, &format!("sealwright/{task}"), task)
    }
}

/// `sealwright do`, as a person types it who approves in advance.
pub fn begin(repository: &Repository<'_>, kind: Kind) -> Result<crate::program::Program> {
    let wanted = TestProject::open(kind)?.request();
    Ok(repository.sealwright("do", &["--format", "json", "do", &wanted, "--yes"]))
}

/// Calls that are neither of the agent's own tools nor hand a result in, and requests nobody wrote a piece for. There
/// must be none: no turn of an agent is spent on the engine.
pub fn other_calls(asked: &[Seen]) -> Vec<String> {
    let own: BTreeSet<&str> = OWN_TOOLS.iter().copied().collect();
    let is_own = |tool: &str| own.contains(tool) || tool.ends_with("submit_result");
    let mut wrong = Vec::new();
    for seen in asked {
        if let Some(tool) = seen.called.as_deref().filter(|tool| !is_own(tool)) {
            wrong.push(format!("the tool `{tool}` was called"));
        }
        if seen.served == Some(Served::Unknown) {
            let said = seen.body.to_string();
            let end = said.char_indices().nth(SHOWN_MAX).map_or(said.len(), |(at, _)| at);
            wrong.push(format!("nobody wrote a piece for {}", &said[..end]));
        }
    }
    wrong
}

/// What Codex and opencode edit files and run commands with.
const OWN_TOOLS: &[&str] = &[
    "apply_patch",
    "shell",
    "shell_command",
    "exec_command",
    "exec",
    "write",
    "bash",
    "read",
    "edit",
];
const LIMIT: Duration = Duration::from_secs(900);
const SHOWN_MAX: usize = 2_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_project_has_every_behaviour_by_both_agent_pairs() {
        let all = QuickRun::all().unwrap();
        for project in [Kind::Rust, Kind::Python, Kind::Mixed] {
            for pair in [AgentPair::Codex, AgentPair::Opencode] {
                let there: Vec<&str> = all
                    .iter()
                    .filter(|run| run.project == project && run.pair == pair)
                    .map(|run| run.behaviour.name())
                    .collect();
                let sloppy = if pair == AgentPair::Codex { "mending" } else { "sloppy" };
                assert_eq!(there, ["honest", sloppy, "stuck", "cheating"], "{project:?} {pair:?}");
            }
        }
        assert_eq!(all.len(), 25, "and one of whom nobody wrote a line by hand");
    }

    #[test]
    fn every_behaviour_can_be_played() {
        for run in QuickRun::all().unwrap() {
            let repertoire = run.behaviour.repertoire(run.project).unwrap();
            assert_eq!(repertoire.pieces().len(), crate::parts::Part::ALL.len(), "{}", run.name());
        }
    }
}
