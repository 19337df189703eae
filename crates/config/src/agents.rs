//! `[agents.NAME]`, `[roles]` and `[prices."MODEL"]`: agents, their roles, and token prices.
//!
//! This file is committed, so it contains no key, only the name of the environment variable that holds one.

use std::collections::BTreeMap;

use sealwright_agents::Protocol;
use sealwright_kernel::Role;
use serde::Deserialize;
use toml::Spanned;

use super::{Flaw, LINE_BYTES_MAX, WrittenCommand, Wrong, line, words, wrong};

/// An agent that can be assigned to roles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// The name in `[roles]` and in evidence.
    pub name: String,
    pub kind: Kind,
    pub model: Option<String>,
    /// The address of the model, if not the provider's.
    pub base_url: Option<String>,
    /// The protocol, if not the agent's preferred one.
    pub protocol: Option<Protocol>,
    /// The environment variable that holds the key.
    pub key_env: Option<String>,
    /// The model family, to tell a second opinion from the same model twice.
    pub family: String,
    /// The program of a script, and its arguments.
    pub command: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    ClaudeCode,
    Codex,
    Gemini,
    Opencode,
    Goose,
    Copilot,
    /// A model, called directly.
    Api,
    Human,
    /// A script of the project.
    Script,
}

/// The price of a million tokens, in millionths of a dollar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    /// Input tokens that are not cached.
    pub input: u64,
    /// Cached input tokens; priced as input if not set.
    pub cached: Option<u64>,
    /// Input tokens written to a cache; priced as input if not set.
    pub cache_written: Option<u64>,
    pub output: u64,
}

impl Agent {
    /// An agent of this kind with default settings, named like the kind.
    pub fn of_kind(kind: Kind) -> Self {
        Self {
            name: kind.name().to_owned(),
            kind,
            model: None,
            base_url: None,
            protocol: None,
            key_env: None,
            family: kind.family().to_owned(),
            command: Vec::new(),
        }
    }
}

impl Kind {
    pub const ALL: [Self; 9] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::Gemini,
        Self::Opencode,
        Self::Goose,
        Self::Copilot,
        Self::Api,
        Self::Human,
        Self::Script,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Goose => "goose",
            Self::Copilot => "copilot",
            Self::Api => "api",
            Self::Human => "human",
            Self::Script => "script",
        }
    }

    /// The model family if nothing else is known.
    fn family(self) -> &'static str {
        match self {
            Self::ClaudeCode => ANTHROPIC,
            Self::Gemini => GOOGLE,
            // The model they use unless another one is named is of this family.
            Self::Codex | Self::Opencode | Self::Goose | Self::Copilot => OPENAI,
            Self::Api | Self::Human | Self::Script => self.name(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenAgent {
    kind: Kind,
    model: Option<Spanned<String>>,
    base_url: Option<Spanned<String>>,
    protocol: Option<Protocol>,
    key_env: Option<Spanned<String>>,
    family: Option<Spanned<String>>,
    command: Option<WrittenCommand>,
}

/// `[roles]` as deserialised: for each role one agent, or several in order of preference.
pub(super) type WrittenRoles = BTreeMap<Spanned<String>, Spanned<WrittenNames>>;

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected the name of an agent, or a list of names")]
pub(super) enum WrittenNames {
    One(String),
    Several(Vec<String>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenPrice {
    input: Spanned<f64>,
    cached: Option<Spanned<f64>>,
    cache_written: Option<Spanned<f64>>,
    output: Spanned<f64>,
}

impl WrittenAgent {
    pub(super) fn checked(self, name: &Spanned<String>) -> Result<Agent, Wrong> {
        if !super::is_check_name(name.get_ref()) {
            return Err(wrong(name.span(), Flaw::AgentName { name: name.get_ref().clone() }));
        }
        let command = match (self.kind, self.command) {
            (Kind::Script, Some(command)) => words(command)?,
            (Kind::Script, None) => return Err(wrong(name.span(), Flaw::NoProgram)),
            (_, Some(command)) => return Err(wrong(command.span(), Flaw::ProgramOfItsOwn)),
            (_, None) => Vec::new(),
        };
        if self.kind == Kind::Api && (self.model.is_none() || self.protocol.is_none()) {
            return Err(wrong(name.span(), Flaw::ApiUnsaid));
        }
        let model = self.model.map(|model| line("model", model)).transpose()?;
        let family = match self.family {
            Some(family) => line("family", family)?.to_lowercase(),
            None => family(self.kind, self.protocol, model.as_deref()).to_owned(),
        };
        Ok(Agent {
            name: name.get_ref().clone(),
            kind: self.kind,
            model,
            base_url: self.base_url.map(address).transpose()?,
            protocol: self.protocol,
            key_env: self.key_env.map(variable).transpose()?,
            family,
            command,
        })
    }
}

impl WrittenPrice {
    pub(super) fn checked(self) -> Result<Price, Wrong> {
        Ok(Price {
            input: price(self.input)?,
            cached: self.cached.map(price).transpose()?,
            cache_written: self.cache_written.map(price).transpose()?,
            output: price(self.output)?,
        })
    }
}

/// Checks that every role and agent exists.
pub(super) fn checked_roles(
    written: WrittenRoles,
    agents: &BTreeMap<String, Agent>,
) -> Result<BTreeMap<&'static str, Vec<String>>, Wrong> {
    let mut roles = BTreeMap::new();
    for (role, names) in written {
        let span = names.span();
        let names = match names.into_inner() {
            WrittenNames::One(name) => vec![name],
            WrittenNames::Several(names) => names,
        };
        if names.is_empty() || names.len() > FALLBACKS_MAX {
            return Err(wrong(span, Flaw::HowMany { most: FALLBACKS_MAX }));
        }
        if let Some(name) = names.iter().find(|name| !agents.contains_key(*name)) {
            let known = agents.keys().cloned().collect();
            return Err(wrong(span, Flaw::UnknownAgent { name: name.clone(), known }));
        }
        roles.insert(role_name(&role)?, names);
    }
    Ok(roles)
}

/// The role's name in the kernel, or the key for all other roles.
fn role_name(name: &Spanned<String>) -> Result<&'static str, Wrong> {
    let mut known = Role::ALL.into_iter().map(Role::name).chain([EVERY_OTHER_ROLE]);
    known.find(|known| known == name.get_ref()).ok_or_else(|| {
        let flaw = Flaw::UnknownRole { name: name.get_ref().clone() };
        wrong(name.span(), flaw)
    })
}

/// The model family: from the model's name, else from the protocol, else from the agent's kind.
fn family(kind: Kind, protocol: Option<Protocol>, model: Option<&str>) -> &'static str {
    let by_name = model.and_then(sealwright_views::model_family);
    let by_protocol = protocol.and_then(|protocol| match protocol {
        Protocol::OpenaiResponses => Some(OPENAI),
        Protocol::Anthropic => Some(ANTHROPIC),
        Protocol::Gemini => Some(GOOGLE),
        // Models of many families are served with these.
        Protocol::OpenaiChat | Protocol::Ollama => None,
    });
    by_name.or(by_protocol).unwrap_or(kind.family())
}

/// The name of an environment variable. Any other text may be a key, so no message repeats it.
fn variable(name: Spanned<String>) -> Result<String, Wrong> {
    let is_name = |text: &str| {
        let fits = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        let begins = text.starts_with(|first: char| first.is_ascii_uppercase() || first == '_');
        begins && text.len() <= VARIABLE_BYTES_MAX && text.bytes().all(fits)
    };
    if is_name(name.get_ref()) {
        Ok(name.into_inner())
    } else {
        Err(wrong(name.span(), Flaw::LiteralKey))
    }
}

fn address(text: Spanned<String>) -> Result<String, Wrong> {
    let span = text.span();
    let text = line("base_url", text)?;
    plain_address(&text).ok_or_else(|| wrong(span, Flaw::Address))
}

/// An http or https address without user, key or query and without a trailing slash. `None` if `text` is not one.
pub fn plain_address(text: &str) -> Option<String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    let host = rest.split('/').next().unwrap_or_default();
    let is_plain = !host.is_empty()
        && !rest.contains(['@', '?', '#', ' '])
        && !rest.contains(char::is_control)
        && text.len() <= LINE_BYTES_MAX;
    is_plain.then(|| text.trim_end_matches('/').to_owned())
}

fn price(dollars: Spanned<f64>) -> Result<u64, Wrong> {
    let amount = *dollars.get_ref();
    if !(0.0..=PRICE_DOLLARS_MAX).contains(&amount) {
        return Err(wrong(dollars.span(), Flaw::Price { most: PRICE_DOLLARS_MAX as u64 }));
    }
    Ok((amount * MICRO).round() as u64)
}

/// The key for every role without a line of its own.
pub(super) const EVERY_OTHER_ROLE: &str = "default";
pub(super) const AGENTS_MAX: usize = 64;
pub(super) const PRICES_MAX: usize = 256;
const FALLBACKS_MAX: usize = 8;
const VARIABLE_BYTES_MAX: usize = 64;
/// The highest accepted price of a million tokens.
const PRICE_DOLLARS_MAX: f64 = 100_000.0;
const MICRO: f64 = 1_000_000.0;
const ANTHROPIC: &str = "anthropic";
const OPENAI: &str = "openai";
const GOOGLE: &str = "google";
