//! The undisturbed run: an honest one with which everything else is compared. All that are compared with it begin
//! with the same commit, are told the same by the model at the same address, and so must come to the same tree.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use sealwright_scripted_model::{Model, Settings};

use crate::agent_pair::AgentPair;
use crate::behaviour::Behaviour;
use crate::clean_clone;
use crate::ending::Ending;
use crate::household::Household;
use crate::leftovers::left_running;
use crate::program::Ran;
use crate::records::reported_twice;
use crate::repository::Repository;
use crate::run::begin;
use crate::test_project::Kind;
use crate::untouched::Kept;

/// The undisturbed run.
pub struct Undisturbed<'h> {
    household: &'h Household,
    made: Repository<'h>,
    model: Option<Model>,
    address: SocketAddr,
    kept: Kept,
    tree: String,
    took: Duration,
}

impl<'h> Undisturbed<'h> {
    /// Runs it.
    pub fn run(household: &'h Household) -> Result<Self> {
        let model = model(household, 0)?;
        let address = model.address();
        let made = Repository::make(household, "made", GROUND, CREW, address)?;
        let kept = Kept::look(made.folder())?;
        let first = made.copy("undisturbed")?;
        let ran = begin(&first, GROUND)?.start()?.wait(LIMIT)?;
        let (ending, task) = Ending::seen(&first, &ran)?;
        ensure!(ending.ended == "kept", "undisturbed it ends with {ending}: {}", ran.talked);
        let tree = first.tree(&format!("sealwright/{task}"))?;
        Ok(Self { household, made, model: Some(model), address, kept, tree, took: ran.took })
    }

    /// How long it took.
    pub fn took(&self) -> Duration {
        self.took
    }

    /// What it came to.
    pub fn tree(&self) -> &str {
        &self.tree
    }

    /// The same repository, before anything was asked for.
    pub fn anew(&self, name: &str) -> Result<Repository<'h>> {
        self.made.copy(name)
    }

    /// The model.
    pub fn model(&self) -> Result<&Model> {
        self.model.as_ref().context("the model is not there")
    }

    /// Takes the model away.
    pub fn stop_model(&mut self) {
        self.model = None;
    }

    /// Has a model at the same address again.
    pub fn start_model(&mut self) -> Result<()> {
        self.model = None;
        self.model = Some(model(self.household, self.address.port())?);
        Ok(())
    }

    /// What is not as it must be in a repository whose run ended like this: it came to the same, nothing was
    /// reported twice, it can be verified, nobody was left running, and nothing else was touched.
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
        let left = left_running(&self.household.state());
        wrong.extend(left.iter().map(|it| format!("left running: {it}")));
        Ok(wrong)
    }

    fn compare_task(&self, repository: &Repository<'_>, task: &str) -> Result<Vec<String>> {
        let branch = format!("sealwright/{task}");
        let tree = repository.tree(&branch)?;
        let mut wrong = reported_twice(repository, task)?;
        if tree != self.tree {
            wrong.push(format!("it came to the tree {tree}, not to {}", self.tree));
        }
        let holds = clean_clone::holds(repository, GROUND, &branch, task);
        wrong.extend(holds.err().map(|it| format!("{it:#}")));
        Ok(wrong)
    }
}

fn model(household: &Household, port: u16) -> Result<Model> {
    let settings = Settings { log: Some(household.log("undisturbed-model.jsonl")), port };
    Ok(Model::start_with(Behaviour::Honest.repertoire(GROUND)?, &settings)?)
}

/// The quickest project there is.
pub const GROUND: Kind = Kind::Python;
const CREW: AgentPair = AgentPair::CodexAlone;
const LIMIT: Duration = Duration::from_secs(900);
