//! The model over a real socket, in every protocol.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

mod client;
mod conversations;
mod faults;
mod hostile;

use sealwright_scripted_model::Protocol;
use serde_json::{Value, json};

const ALL: [Protocol; 4] =
    [Protocol::OpenaiChat, Protocol::OpenaiResponses, Protocol::Anthropic, Protocol::Gemini];

/// The requested delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Whole,
    Streamed,
}

/// The path of a turn.
fn path(protocol: Protocol, wanted: Wanted) -> &'static str {
    match (protocol, wanted) {
        (Protocol::OpenaiChat, _) => "/v1/chat/completions",
        (Protocol::OpenaiResponses, _) => "/v1/responses",
        (Protocol::Anthropic, _) => "/v1/messages",
        (Protocol::Gemini, Wanted::Whole) => "/v1beta/models/m:generateContent",
        (Protocol::Gemini, Wanted::Streamed) => "/v1beta/models/m:streamGenerateContent?alt=sse",
    }
}

/// A first request with a shell.
fn request(protocol: Protocol, wanted: Wanted) -> Value {
    let schema = json!({"type": "object", "properties": {"command": {"type": "string"}}});
    let is_streamed = wanted == Wanted::Streamed;
    match protocol {
        Protocol::OpenaiChat => json!({
            "model": "m",
            "stream": is_streamed,
            "messages": [{"role": "user", "content": "go"}],
            "tools": [{"type": "function", "function": {"name": "shell", "parameters": schema}}],
        }),
        Protocol::OpenaiResponses => json!({
            "model": "m",
            "stream": is_streamed,
            "input": [{"role": "user", "content": "go"}],
            "tools": [{"type": "function", "name": "shell", "parameters": schema}],
        }),
        Protocol::Anthropic => json!({
            "model": "m",
            "stream": is_streamed,
            "messages": [{"role": "user", "content": "go"}],
            "tools": [{"name": "shell", "input_schema": schema}],
        }),
        Protocol::Gemini => json!({
            "contents": [{"role": "user", "parts": [{"text": "go"}]}],
            "tools": [{"functionDeclarations": [{"name": "shell", "parametersJsonSchema": schema}]}],
        }),
    }
}
