//! The protocols of model providers. One file each with the same few pure functions.

pub mod anthropic;
pub mod gemini;
pub mod openai_chat;
pub mod openai_responses;

use serde::Serialize;
use serde_json::{Value, json};

use crate::{Conversation, Delivery, Reply, Stamp, Written};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// OpenAI's chat completions, which most others also support.
    OpenaiChat,
    OpenaiResponses,
    Anthropic,
    /// Google's generateContent.
    Gemini,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// A turn of the model.
    Turn(Protocol),
    Count(Protocol),
    Models,
    /// What a subscription of Copilot holds.
    Account,
}

impl Route {
    /// The kind of a request by its path, with any prefix and without the query.
    pub fn of(method: &str, path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default();
        let (_, last) = path.rsplit_once('/')?;
        let verb = last.rsplit_once(':').map(|(_, verb)| verb);
        match (method, last, verb) {
            ("GET" | "HEAD", "models", _) => Some(Self::Models),
            ("GET", "user", _) if path.ends_with("/copilot_internal/user") => Some(Self::Account),
            ("POST", "completions", _) if path.ends_with("/chat/completions") => {
                Some(Self::Turn(Protocol::OpenaiChat))
            }
            ("POST", "responses", _) => Some(Self::Turn(Protocol::OpenaiResponses)),
            ("POST", "messages", _) => Some(Self::Turn(Protocol::Anthropic)),
            ("POST", "count_tokens", _) if path.ends_with("/messages/count_tokens") => {
                Some(Self::Count(Protocol::Anthropic))
            }
            ("POST", _, Some("generateContent" | "streamGenerateContent")) => {
                Some(Self::Turn(Protocol::Gemini))
            }
            ("POST", _, Some("countTokens")) => Some(Self::Count(Protocol::Gemini)),
            _ => None,
        }
    }

    /// The protocol; `None` for the list of models, which is the same for all.
    pub fn protocol(self) -> Option<Protocol> {
        match self {
            Self::Turn(protocol) | Self::Count(protocol) => Some(protocol),
            Self::Models | Self::Account => None,
        }
    }
}

impl Protocol {
    pub fn read(self, request: &Value) -> Conversation {
        match self {
            Self::OpenaiChat => openai_chat::read(request),
            Self::OpenaiResponses => openai_responses::read(request),
            Self::Anthropic => anthropic::read(request),
            Self::Gemini => gemini::read(request),
        }
    }

    /// How a request wants its answer.
    pub fn delivery(self, path: &str, request: &Value) -> Delivery {
        let is_streamed = match self {
            Self::OpenaiChat | Self::OpenaiResponses | Self::Anthropic => {
                request.get("stream").and_then(Value::as_bool).unwrap_or_default()
            }
            Self::Gemini => path.contains(":streamGenerateContent"),
        };
        if is_streamed { Delivery::Streamed } else { Delivery::Whole }
    }

    pub fn write(self, reply: &Reply, stamp: &Stamp, delivery: Delivery) -> Written {
        type Format<T> = fn(&Reply, &Stamp) -> T;
        let (whole, streamed): (Format<Value>, Format<Vec<String>>) = match self {
            Self::OpenaiChat => (openai_chat::whole, openai_chat::streamed),
            Self::OpenaiResponses => (openai_responses::done, openai_responses::streamed),
            Self::Anthropic => (anthropic::whole, anthropic::streamed),
            Self::Gemini => (gemini::whole, gemini::streamed),
        };
        match delivery {
            Delivery::Whole => Written::Body(whole(reply, stamp)),
            Delivery::Streamed => Written::Events(streamed(reply, stamp)),
        }
    }

    pub fn error(self, status: u16, words: &str) -> Value {
        match self {
            Self::OpenaiChat | Self::OpenaiResponses => openai_chat::error(status, words),
            Self::Anthropic => anthropic::error(status, words),
            Self::Gemini => gemini::error(status, words),
        }
    }

    /// A constant token count.
    pub fn count(self) -> Value {
        match self {
            Self::OpenaiChat | Self::OpenaiResponses | Self::Anthropic => {
                json!({"input_tokens": crate::usage::INPUT_TOKENS})
            }
            Self::Gemini => json!({"totalTokens": crate::usage::INPUT_TOKENS}),
        }
    }
}

/// A subscription, as Copilot asks about it.
pub fn account() -> Value {
    json!({
        "login": "ann",
        "copilot_plan": "individual",
        "access_type_sku": "monthly_subscriber",
        "chat_enabled": true,
        // Without it, the program connects to no server of tools.
        "is_mcp_enabled": true,
        "can_signup_for_limited": false,
        "analytics_tracking_id": "none",
        "assigned_date": "2026-01-01",
        "organization_list": [],
        "organization_login_list": [],
        // Another address than the one it was told: it must not count.
        "endpoints": {"api": "http://127.0.0.1:9", "telemetry": "http://127.0.0.1:9"},
    })
}

/// The one model, in a form that clients of every protocol accept.
pub fn models() -> Value {
    json!({
        "object": "list",
        "data": [{
            "id": MODEL,
            "object": "model",
            "type": "model",
            "display_name": "Scripted",
            "created": crate::reply::CREATED_S,
            "created_at": "2026-01-01T00:00:00Z",
            "owned_by": "sealwright",
        }, {
            "id": SUBSCRIBED,
            "name": SUBSCRIBED,
            "object": "model",
            "vendor": "OpenAI",
            "version": "1",
            "model_picker_enabled": true,
            "preview": false,
            "policy": {"state": "enabled", "terms": ""},
            "capabilities": {
                "family": SUBSCRIBED,
                "type": "chat",
                "tokenizer": "o200k_base",
                "object": "model_capabilities",
                "limits": {
                    "max_context_window_tokens": 128_000,
                    "max_prompt_tokens": 128_000,
                    "max_output_tokens": 16_000,
                },
                "supports": {"streaming": true, "tool_calls": true, "parallel_tool_calls": true},
            },
            "billing": {"is_premium": false, "multiplier": 0},
            "supported_endpoints": ["/chat/completions"],
        }],
        "models": [{
            "name": format!("models/{MODEL}"),
            "displayName": "Scripted",
            "supportedGenerationMethods": ["generateContent", "countTokens"],
        }],
        "first_id": MODEL,
        "last_id": MODEL,
        "has_more": false,
    })
}

/// A server-sent event without a name.
fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

/// A server-sent event named by its `type`.
fn event(value: &Value) -> String {
    let name = value.get("type").and_then(Value::as_str).unwrap_or_default();
    format!("event: {name}\ndata: {value}\n\n")
}

/// The model of a subscription.
const SUBSCRIBED: &str = "gpt-5";
const MODEL: &str = "scripted";

#[cfg(test)]
mod tests;
