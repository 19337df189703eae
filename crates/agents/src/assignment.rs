//! An assignment: what one agent is asked to do once, as plain data.

use sealwright_kernel::Role;
use sealwright_kernel::invocation::Access;
use sealwright_sandbox::egress::Secret;

use crate::{AnswerSchema, Budget};

/// What one agent is asked to do once.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The part to be played.
    pub role: Role,
    /// The whole text it is given.
    pub brief: String,
    /// Whether it may change the tree. The view says the same; agents are told so that they do not try in vain.
    pub access: Access,
    /// The shape of the answer.
    pub schema: AnswerSchema,
    /// What it may use up.
    pub budget: Budget,
    /// The model, as its owner calls it.
    pub model: String,
    /// Where the model is.
    pub endpoint: Endpoint,
}

/// Where a model is, and how to ask it.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// The address that paths are put behind: `https://api.example.com`, without the version.
    pub base: String,
    /// What is spoken there.
    pub protocol: Protocol,
    /// How requests are signed. The key never enters the sandbox.
    pub key: Key,
}

/// What is spoken at an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// OpenAI's Responses.
    OpenaiResponses,
    /// OpenAI's chat completions, which most others speak as well.
    OpenaiChat,
    /// Anthropic's messages.
    Anthropic,
    /// Google's generateContent.
    Gemini,
    /// Ollama, by its OpenAI face.
    Ollama,
}

/// How requests are signed.
#[derive(Clone, Debug)]
pub enum Key {
    /// Not at all.
    None,
    /// With this one.
    Secret(Secret),
}
