//! An assignment: what one agent is asked to do once, as plain data.

use sealwright_kernel::{Access, Role};
use sealwright_sandbox::egress::Secret;

use crate::login::Login;
use crate::{AnswerSchema, Budget};

/// What one agent is asked to do once.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The id of the task; empty outside of one.
    pub task: String,
    /// The name of the call.
    pub call: String,
    /// The number of the call among those of its name in its task, from 1.
    pub nth: u32,
    pub role: Role,
    pub brief: String,
    /// Whether it may change the tree. The view says the same; agents are told so that they do not try in vain.
    pub access: Access,
    pub schema: AnswerSchema,
    pub budget: Budget,
    pub model: String,
    pub endpoint: Endpoint,
}

#[derive(Clone, Debug)]
pub struct Endpoint {
    /// The address that paths are put behind: `https://api.example.com`, without the version.
    pub base: String,
    pub protocol: Protocol,
    /// How requests are signed. The key never enters the sandbox.
    pub key: Key,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    OpenaiResponses,
    /// OpenAI's chat completions, which most others speak as well.
    OpenaiChat,
    Anthropic,
    Gemini,
    /// Ollama, by its OpenAI face.
    Ollama,
}

impl Protocol {
    /// As a configuration names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenaiResponses => "openai-responses",
            Self::OpenaiChat => "openai-chat",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }
}

#[derive(Clone, Debug)]
pub enum Key {
    None,
    Secret(Secret),
    /// What a program keeps of its person's subscription, read again for each request.
    Login(Login),
}

impl Key {
    pub(crate) fn login(&self) -> Option<&Login> {
        match self {
            Self::None | Self::Secret(_) => None,
            Self::Login(login) => Some(login),
        }
    }
}
