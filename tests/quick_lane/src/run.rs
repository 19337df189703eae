//! One run: a request in a fresh repository, and checks of everything it left.

use std::time::Duration;

use anyhow::{Result, ensure};
use sealwright_scripted_model::{Model, Seen, Served, Settings};
use serde::Deserialize;

use crate::agent_pair::AgentPair;
use crate::behaviour::Behaviour;
use crate::clean_clone;
use crate::ending::Ending;
use crate::environment::Environment;
use crate::kills::go_on;
use crate::leftovers::left_running;
use crate::program::{Program, Ran, last_lines};
use crate::records::at_work;
use crate::repository::Repository;
use crate::test_project::{Kind, TestProject};
use crate::untouched::Kept;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuickRun {
    pub project: Kind,
    pub behaviour: Behaviour,
    #[serde(default)]
    pub lane: Lane,
    #[serde(rename = "agents")]
    pub pair: AgentPair,
    pub ends: Ending,
    /// Words that the output must contain.
    #[serde(default)]
    pub told: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lane {
    #[default]
    Quick,
    /// Readers read, an arbiter decides, and a person opens the last gate.
    Strict,
}

#[derive(Debug)]
pub struct Report {
    pub wrong: Vec<String>,
    pub ending: Option<Ending>,
    /// The duration of `do`.
    pub took: Duration,
    /// The time in which neither an agent nor a gate worked.
    pub own: Duration,
    pub requests: usize,
}

impl QuickRun {
    /// Every run of `runs.toml`.
    pub fn all() -> Result<Vec<Self>> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            run: Vec<QuickRun>,
        }
        let file: File = toml::from_str(include_str!("../runs.toml"))?;
        Ok(file.run)
    }

    pub fn name(&self) -> String {
        let name =
            format!("{}-{}-{}", self.project.name(), self.behaviour.name(), self.pair.name());
        match self.lane {
            Lane::Quick => name,
            Lane::Strict => format!("{name}-strict"),
        }
    }

    /// Runs it and checks everything.
    pub fn run(&self, environment: &Environment) -> Result<Report> {
        let name = self.name();
        let settings =
            Settings { log: Some(environment.log(&format!("{name}-model.jsonl"))), port: 0 };
        let model = Model::start_with(self.behaviour.scripts(self.project, self.lane)?, &settings)?;
        let repository =
            Repository::make(environment, &name, self.project, self.pair, model.address())?;
        let before = Kept::look(repository.folder())?;
        let ran = begin(&repository, self.project, self.lane)?.start()?.wait(LIMIT)?;
        let ran = match self.lane {
            Lane::Quick => ran,
            Lane::Strict => accept(&repository, ran)?,
        };
        let mut wrong = Vec::new();
        let mut own = ran.took;
        let ending = match Ending::seen(&repository, &ran) {
            Ok((ending, task)) => {
                own = own.saturating_sub(at_work(&repository, &task)?);
                if ending != self.ends {
                    wrong.push(format!("it must end with {}", self.ends));
                }
                let missing = self.told.iter().filter(|words| !ran.talked.contains(*words));
                wrong.extend(missing.map(|words| format!("the output lacks `{words}`")));
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
        wrong.extend(left_running(&environment.state()));
        let asked = model.requests();
        wrong.extend(other_calls(&asked));
        Ok(Report { wrong, ending, took: ran.took, own, requests: asked.len() })
    }

    fn kept(&self, repository: &Repository<'_>, task: &str) -> Result<()> {
        clean_clone::holds(repository, self.project, &format!("sealwright/{task}"), task)
    }
}

/// `sealwright do`; in the quick lane with approval of the contract in advance.
pub fn begin(repository: &Repository<'_>, kind: Kind, lane: Lane) -> Result<Program> {
    let wanted = TestProject::open(kind)?.request();
    let lane: &[&str] = match lane {
        Lane::Quick => &["--yes"],
        Lane::Strict => &["--lane", "strict"],
    };
    let words = [&["--format", "json", "do", wanted.as_str()][..], lane].concat();
    Ok(repository.sealwright("do", &words))
}

/// A person approves the contract and opens the last gate, and the run goes on each time. Nothing may be kept before.
pub fn accept(repository: &Repository<'_>, mut ran: Ran) -> Result<Ran> {
    let mut approvals = 0;
    loop {
        let (ending, task) = Ending::seen(repository, &ran)?;
        if ending.exit != WAITS || ending.ended == "halted" {
            ensure!(approvals == 2 || ending.ended == "halted", "{approvals} approvals: {ending}");
            return Ok(ran);
        }
        ensure!(ending.branches == 0 && approvals < 2, "something was kept: {ending}");
        approve(repository, &task)?;
        approvals += 1;
        let went_on = go_on(repository).start()?.wait(LIMIT)?;
        let talked = format!("{}{}", ran.talked, went_on.talked);
        ran = Ran { talked, took: ran.took + went_on.took, ..went_on };
    }
}

pub fn approve(repository: &Repository<'_>, task: &str) -> Result<()> {
    let words = ["approve", task, "--because", "I read it"];
    repository.sealwright("approve", &words).said().map(|_| ())
}

/// The exit code of a run that waits for a person.
pub const WAITS: i32 = 11;

/// Tool calls other than the agent's own tools and the submission, and requests without a script. There must be none:
/// no turn of an agent is spent on the engine.
pub fn other_calls(asked: &[Seen]) -> Vec<String> {
    let is_own = |tool: &str| OWN_TOOLS.contains(&tool) || tool.ends_with("submit_result");
    let mut wrong = Vec::new();
    for seen in asked {
        if let Some(tool) = seen.called.as_deref().filter(|tool| !is_own(tool)) {
            wrong.push(format!("the tool `{tool}` was called"));
        }
        if seen.served == Some(Served::Unknown) {
            let said = seen.body.to_string();
            let shown: String = said.chars().take(SHOWN_MAX).collect();
            wrong.push(format!("no script for {shown}"));
        }
    }
    wrong
}

/// The tools with which Codex and opencode edit files and run commands.
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
                    .filter(|run| run.lane == Lane::Quick)
                    .map(|run| run.behaviour.name())
                    .collect();
                let sloppy = if pair == AgentPair::Codex { "mending" } else { "sloppy" };
                assert_eq!(there, ["honest", sloppy, "stuck", "cheating"], "{project:?} {pair:?}");
            }
        }
        let strict: Vec<String> = all
            .iter()
            .filter(|run| run.lane == Lane::Strict)
            .map(|run| format!("{} by {}", run.behaviour.name(), run.pair.name()))
            .collect();
        assert_eq!(strict, ["honest by codex", "amended by opencode", "found-out by codex"]);
        assert_eq!(all.len(), 25 + strict.len(), "one run uses the agents as found");
    }

    #[test]
    fn every_behaviour_can_be_played() {
        for run in QuickRun::all().unwrap() {
            let scripts = run.behaviour.scripts(run.project, run.lane).unwrap();
            assert_eq!(scripts.pieces().len(), crate::parts::Part::ALL.len(), "{}", run.name());
        }
    }
}
