//! The undisturbed run that all others are compared with. They start from the same commit with the same model at the
//! same address, so they must end with the same tree.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use sealwright_scripted_model::{Model, Settings};

use crate::agent_pair::AgentPair;
use crate::behaviour::Behaviour;
use crate::clean_clone;
use crate::ending::Ending;
use crate::environment::Environment;
use crate::leftovers::left_running;
use crate::program::Ran;
use crate::records::reported_twice;
use crate::repository::Repository;
use crate::run::{Lane, accept, begin};
use crate::test_project::Kind;
use crate::untouched::Kept;

pub struct Undisturbed<'h> {
    environment: &'h Environment,
    lane: Lane,
    made: Repository<'h>,
    model: Option<Model>,
    address: SocketAddr,
    kept: Kept,
    tree: String,
    took: Duration,
}

impl<'h> Undisturbed<'h> {
    pub fn run(environment: &'h Environment, lane: Lane) -> Result<Self> {
        let model = model(environment, lane, 0)?;
        let address = model.address();
        let made = Repository::make(environment, "made", PROJECT, AGENTS, address)?;
        let kept = Kept::look(made.folder())?;
        let first = made.copy("undisturbed")?;
        let ran = begin(&first, PROJECT, lane)?.start()?.wait(LIMIT)?;
        let ran = match lane {
            Lane::Quick => ran,
            Lane::Strict => accept(&first, ran)?,
        };
        let (ending, task) = Ending::seen(&first, &ran)?;
        ensure!(ending.ended == "kept", "undisturbed it ends with {ending}: {}", ran.talked);
        let tree = first.tree(&format!("sealwright/{task}"))?;
        let (model, took) = (Some(model), ran.took);
        Ok(Self { environment, lane, made, model, address, kept, tree, took })
    }

    pub fn took(&self) -> Duration {
        self.took
    }

    /// The tree of its result.
    pub fn tree(&self) -> &str {
        &self.tree
    }

    /// A copy of the repository before the run.
    pub fn anew(&self, name: &str) -> Result<Repository<'h>> {
        self.made.copy(name)
    }

    pub fn model(&self) -> Result<&Model> {
        self.model.as_ref().context("the model is not there")
    }

    pub fn stop_model(&mut self) {
        self.model = None;
    }

    /// Starts the model again at the same address.
    pub fn start_model(&mut self) -> Result<()> {
        self.model = None;
        self.model = Some(model(self.environment, self.lane, self.address.port())?);
        Ok(())
    }

    /// The violations in a repository after a run: another tree, duplicate reports, failed verification, processes
    /// left, changed files.
    pub fn compare(&self, repository: &Repository<'_>, ran: &Ran) -> Result<Vec<String>> {
        let mut wrong = Vec::new();
        match Ending::seen(repository, ran) {
            Ok((ending, task)) if ending.ended == "kept" => {
                wrong.extend(self.compare_task(repository, &task)?);
            }
            Ok((ending, _)) => wrong.push(format!("it ends with {ending}: {}", ran.talked)),
            Err(error) => wrong.push(format!("{error:#}")),
        }
        wrong.extend(self.kept.changed(&Kept::look(repository.folder())?));
        wrong.extend(left_running(&self.environment.state()));
        Ok(wrong)
    }

    fn compare_task(&self, repository: &Repository<'_>, task: &str) -> Result<Vec<String>> {
        let branch = format!("sealwright/{task}");
        let tree = repository.tree(&branch)?;
        let mut wrong = reported_twice(repository, task)?;
        if tree != self.tree {
            wrong.push(format!("it came to the tree {tree}, not to {}", self.tree));
        }
        let holds = clean_clone::holds(repository, PROJECT, &branch, task);
        wrong.extend(holds.err().map(|it| format!("{it:#}")));
        Ok(wrong)
    }
}

fn model(environment: &Environment, lane: Lane, port: u16) -> Result<Model> {
    let settings = Settings { log: Some(environment.log("undisturbed-model.jsonl")), port };
    Ok(Model::start_with(Behaviour::Honest.scripts(PROJECT, lane)?, &settings)?)
}

/// The fastest project.
pub const PROJECT: Kind = Kind::Python;
const AGENTS: AgentPair = AgentPair::CodexAlone;
const LIMIT: Duration = Duration::from_secs(900);
