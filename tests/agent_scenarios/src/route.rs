//! Routes: each is an agent or a model API with a protocol.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use sealwright_agents::adapters::DRIVERS;
use sealwright_agents::adapters::api::Api;
use sealwright_agents::login::LoginKind;
use sealwright_agents::program::Program;
use sealwright_agents::{Agent, Prices, Protocol};

#[derive(Clone, Debug)]
pub struct Route {
    pub key: &'static str,
    pub protocol: Protocol,
    pub kind: Kind,
    agents: PathBuf,
}

/// What a route can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It edits files and runs commands.
    Agent,
    /// It does, with the login of its person in place of a key.
    Login,
    /// It only answers.
    Model,
}

impl Route {
    pub fn all(agents: &Path) -> Vec<Self> {
        let of = |&(key, protocol, kind): &(&'static str, Protocol, Kind)| Self {
            key,
            protocol,
            kind,
            agents: agents.to_owned(),
        };
        ROUTES.iter().map(of).collect()
    }

    pub fn agent(&self) -> Result<Box<dyn Agent>> {
        let prices = Arc::new(Prices::built_in());
        if self.kind == Kind::Model {
            return Ok(Box::new(Api::new(self.key, "scripted", prices)));
        }
        let driver = DRIVERS.iter().find(|driver| driver.key() == self.program());
        let driver = driver.with_context(|| format!("no driver for {}", self.key))?;
        Ok(Box::new(Program::new(self.key, "scripted", *driver, &self.agents, prices)))
    }

    /// The login that signs its requests, if one does.
    pub fn login(&self) -> Option<LoginKind> {
        LoginKind::of_agent(self.program()).filter(|_| self.kind == Kind::Login)
    }

    fn program(&self) -> &'static str {
        self.key.strip_suffix(LOGIN).unwrap_or(self.key)
    }

    /// A model name that the agent accepts without a warning.
    pub fn model(&self) -> &'static str {
        match self.protocol {
            Protocol::Gemini => "gemini-2.5-pro",
            Protocol::Anthropic => "claude-sonnet-4-5",
            Protocol::OpenaiChat | Protocol::OpenaiResponses | Protocol::Ollama => "gpt-5",
        }
    }
}

/// How the key of a route ends that uses a login.
const LOGIN: &str = "-login";
const ROUTES: &[(&str, Protocol, Kind)] = &[
    ("codex", Protocol::OpenaiResponses, Kind::Agent),
    ("claude-code", Protocol::Anthropic, Kind::Agent),
    ("codex-login", Protocol::OpenaiResponses, Kind::Login),
    ("claude-code-login", Protocol::Anthropic, Kind::Login),
    ("copilot", Protocol::OpenaiChat, Kind::Agent),
    ("copilot-login", Protocol::OpenaiChat, Kind::Login),
    ("gemini", Protocol::Gemini, Kind::Agent),
    ("opencode", Protocol::OpenaiChat, Kind::Agent),
    ("goose", Protocol::OpenaiChat, Kind::Agent),
    ("api", Protocol::OpenaiChat, Kind::Model),
    ("api-responses", Protocol::OpenaiResponses, Kind::Model),
    ("api-anthropic", Protocol::Anthropic, Kind::Model),
    ("api-gemini", Protocol::Gemini, Kind::Model),
];
