//! What each provider's stream looks like.

use sealwright_agents::Protocol;
use serde_json::{Value, json};

pub(crate) const PROTOCOLS: [Protocol; 5] = [
    Protocol::OpenaiChat,
    Protocol::OpenaiResponses,
    Protocol::Anthropic,
    Protocol::Gemini,
    Protocol::Ollama,
];

/// Why a stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Done,
    Length,
    Filter,
}

/// A whole stream: 100 tokens in, 30 of them cached, and 20 out.
pub(crate) fn stream(protocol: Protocol, text: &str, stop: Stop) -> String {
    let middle = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
    let (first, second) = text.split_at(middle);
    match protocol {
        Protocol::OpenaiChat | Protocol::Ollama => chat(first, second, stop),
        Protocol::OpenaiResponses => responses(first, second, stop),
        Protocol::Anthropic => anthropic(first, second, stop),
        Protocol::Gemini => gemini(first, second, stop),
    }
}

/// A stream in which the model says no in words of its own.
pub(crate) fn refusal(protocol: Protocol, words: &str) -> String {
    match protocol {
        Protocol::OpenaiChat | Protocol::Ollama => [
            frame(&json!({"choices": [{"index": 0, "delta": {"refusal": words}}]})),
            frame(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})),
            "data: [DONE]\n\n".to_owned(),
        ]
        .concat(),
        Protocol::OpenaiResponses => [
            frame(&json!({"type": "response.refusal.delta", "delta": words})),
            frame(&json!({"type": "response.completed", "response":
                {"id": "r", "status": "completed", "model": "m", "output": []}})),
        ]
        .concat(),
        Protocol::Anthropic => anthropic(words, "", Stop::Filter),
        Protocol::Gemini => frame(&json!({"promptFeedback": {"blockReason": words}})),
    }
}

pub(crate) fn frame(data: &Value) -> String {
    format!("data: {data}\n\n")
}

fn chat(first: &str, second: &str, stop: Stop) -> String {
    let reason = match stop {
        Stop::Done => "stop",
        Stop::Length => "length",
        Stop::Filter => "content_filter",
    };
    let piece = |text: &str| json!({"choices": [{"index": 0, "delta": {"content": text}}]});
    [
        frame(&piece(first)),
        frame(&piece(second)),
        frame(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})),
        frame(&json!({"choices": [], "usage": {
            "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120,
            "prompt_tokens_details": {"cached_tokens": 30},
        }})),
        "data: [DONE]\n\n".to_owned(),
    ]
    .concat()
}

fn responses(first: &str, second: &str, stop: Stop) -> String {
    let piece = |text: &str| {
        frame(&json!({"type": "response.output_text.delta", "output_index": 0, "delta": text}))
    };
    let (kind, status, why) = match stop {
        Stop::Done => ("response.completed", "completed", Value::Null),
        Stop::Length => {
            ("response.incomplete", "incomplete", json!({"reason": "max_output_tokens"}))
        }
        Stop::Filter => ("response.incomplete", "incomplete", json!({"reason": "content_filter"})),
    };
    [
        frame(&json!({"type": "response.created", "response": {"id": "r"}})),
        piece(first),
        piece(second),
        frame(&json!({"type": kind, "response": {
            "id": "r", "status": status, "model": "m", "output": [], "incomplete_details": why,
            "usage": {
                "input_tokens": 100, "input_tokens_details": {"cached_tokens": 30},
                "output_tokens": 20, "total_tokens": 120,
            },
        }})),
    ]
    .concat()
}

fn anthropic(first: &str, second: &str, stop: Stop) -> String {
    let reason = match stop {
        Stop::Done => "end_turn",
        Stop::Length => "max_tokens",
        Stop::Filter => "refusal",
    };
    let piece = |text: &str| json!({"index": 0, "delta": {"type": "text_delta", "text": text}});
    [
        (
            "message_start",
            json!({"message": {"usage":
            {"input_tokens": 70, "cache_read_input_tokens": 30, "output_tokens": 1}}}),
        ),
        ("content_block_start", json!({"content_block": {"type": "text", "text": ""}})),
        ("ping", json!({"type": "ping"})),
        ("content_block_delta", piece(first)),
        ("content_block_delta", piece(second)),
        ("content_block_stop", json!({"index": 0})),
        (
            "message_delta",
            json!({"delta": {"stop_reason": reason}, "usage": {"output_tokens": 20}}),
        ),
        ("message_stop", json!({"type": "message_stop"})),
    ]
    .map(|(event, data)| format!("event: {event}\n{}", frame(&data)))
    .concat()
}

fn gemini(first: &str, second: &str, stop: Stop) -> String {
    let reason = match stop {
        Stop::Done => "STOP",
        Stop::Length => "MAX_TOKENS",
        Stop::Filter => "SAFETY",
    };
    [
        frame(&json!({"candidates": [{"content": {"parts": [{"text": first}]}}]})),
        frame(&json!({
            "candidates": [{"content": {"parts": [{"text": second}]}, "finishReason": reason}],
            "usageMetadata": {
                "promptTokenCount": 100, "cachedContentTokenCount": 30,
                "candidatesTokenCount": 15, "thoughtsTokenCount": 5, "totalTokenCount": 120,
            },
        })),
    ]
    .concat()
}
