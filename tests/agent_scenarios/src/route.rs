//! Routes: every way to an answer that is rehearsed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use sealwright_agents::adapters::DRIVERS;
use sealwright_agents::adapters::api::Api;
use sealwright_agents::program::Program;
use sealwright_agents::{Agent, Prices, Protocol};

/// One way to an answer.
#[derive(Clone, Debug)]
pub struct Route {
    /// Its name.
    pub key: &'static str,
    /// What is spoken to the model.
    pub protocol: Protocol,
    /// Whether there is an agent with hands, or only a model that judges.
    pub hands: Hands,
    agents: PathBuf,
}

/// What can be asked of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hands {
    /// It edits files and runs commands.
    Both,
    /// It answers.
    None,
}

impl Route {
    /// Every route, with its programs in this folder.
    pub fn all(agents: &Path) -> Vec<Self> {
        let of = |&(key, protocol, hands): &(&'static str, Protocol, Hands)| Self {
            key,
            protocol,
            hands,
            agents: agents.to_owned(),
        };
        ROUTES.iter().map(of).collect()
    }

    /// Whoever carries assignments out on it.
    pub fn agent(&self) -> Result<Box<dyn Agent>> {
        let prices = Arc::new(Prices::built_in());
        if self.hands == Hands::None {
            return Ok(Box::new(Api::new(self.key, "scripted", prices)));
        }
        let driver = DRIVERS.iter().find(|driver| driver.key() == self.key);
        let driver = driver.with_context(|| format!("there is no driver for {}", self.key))?;
        Ok(Box::new(Program::new(self.key, "scripted", *driver, &self.agents, prices)))
    }

    /// The name of a model that the agent takes without a question.
    pub fn model(&self) -> &'static str {
        match self.protocol {
            Protocol::Gemini => "gemini-2.5-pro",
            Protocol::Anthropic => "claude-sonnet-4-5",
            Protocol::OpenaiChat | Protocol::OpenaiResponses | Protocol::Ollama => "gpt-5",
        }
    }
}

const ROUTES: &[(&str, Protocol, Hands)] = &[
    ("codex", Protocol::OpenaiResponses, Hands::Both),
    ("claude-code", Protocol::Anthropic, Hands::Both),
    ("gemini", Protocol::Gemini, Hands::Both),
    ("opencode", Protocol::OpenaiChat, Hands::Both),
    ("goose", Protocol::OpenaiChat, Hands::Both),
    ("api", Protocol::OpenaiChat, Hands::None),
    ("api-responses", Protocol::OpenaiResponses, Hands::None),
    ("api-anthropic", Protocol::Anthropic, Hands::None),
    ("api-gemini", Protocol::Gemini, Hands::None),
];
