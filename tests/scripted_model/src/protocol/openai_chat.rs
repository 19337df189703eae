//! OpenAI's chat completions: `POST …/chat/completions`.
//!
//! Usage includes cached tokens in the input and comes in a separate chunk before the end.

use serde_json::{Value, json};

use super::data;
use crate::conversation::{list, plain, text};
use crate::reply::{CREATED_S, halves};
use crate::usage::{CACHED_TOKENS, INPUT_TOKENS, OUTPUT_TOKENS};
use crate::{Answer, Call, Calling, Content, Conversation, Item, Offer, Reply, Stamp};

pub fn read(request: &Value) -> Conversation {
    let mut conversation =
        Conversation { model: text(request, "model").to_owned(), ..Conversation::default() };
    for message in list(request, "messages") {
        let content = plain(&message["content"]);
        match text(message, "role") {
            "user" => conversation.user(content),
            "tool" => conversation.items.push(Item::Result(content)),
            "assistant" => {
                let mut calls = list(message, "tool_calls").peekable();
                if calls.peek().is_none() {
                    conversation.items.push(Item::Said(content));
                }
                for call in calls {
                    let function = &call["function"];
                    conversation.called(text(function, "name"), &function["arguments"]);
                }
            }
            _ => {}
        }
    }
    conversation.tools = list(request, "tools")
        .map(|tool| tool.get("function").unwrap_or(tool))
        .map(|function| Offer {
            name: text(function, "name").to_owned(),
            schema: function["parameters"].clone(),
            calling: Calling::Function,
        })
        .collect();
    let format = &request["response_format"];
    conversation.answer = match text(format, "type") {
        "json_schema" => Answer::Json(format["json_schema"]["schema"].clone()),
        "json_object" => Answer::Json(json!({})),
        _ => Answer::Free,
    };
    conversation
}

pub fn error(status: u16, words: &str) -> Value {
    let (kind, code) = match status {
        401 => ("invalid_request_error", "invalid_api_key"),
        429 => ("rate_limit_error", "rate_limit_exceeded"),
        400..=499 => ("invalid_request_error", "invalid_request"),
        _ => ("server_error", "server_error"),
    };
    json!({"error": {"message": words, "type": kind, "param": null, "code": code}})
}

pub(super) fn whole(reply: &Reply, stamp: &Stamp) -> Value {
    let message = match reply {
        Reply::Whole(Content::Text(text)) | Reply::CutShort(text) => {
            json!({"role": "assistant", "content": text, "refusal": null})
        }
        Reply::Refused(words) => json!({"role": "assistant", "content": null, "refusal": words}),
        Reply::Whole(Content::Call(call)) => json!({
            "role": "assistant",
            "content": null,
            "refusal": null,
            "tool_calls": [{
                "id": call_id(stamp),
                "type": "function",
                "function": {"name": call.tool, "arguments": call.input.to_text()},
            }],
        }),
    };
    json!({
        "id": id(stamp),
        "object": "chat.completion",
        "created": CREATED_S,
        "model": stamp.model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish(reply)}],
        "usage": usage(),
    })
}

pub(super) fn streamed(reply: &Reply, stamp: &Stamp) -> Vec<String> {
    let chunk = |choices: Value, usage: Value| {
        data(&json!({
            "id": id(stamp),
            "object": "chat.completion.chunk",
            "created": CREATED_S,
            "model": stamp.model,
            "choices": choices,
            "usage": usage,
        }))
    };
    let part = |delta: Value, finish: Value| {
        chunk(json!([{"index": 0, "delta": delta, "finish_reason": finish}]), Value::Null)
    };
    let mut chunks = vec![part(json!({"role": "assistant", "content": ""}), Value::Null)];
    chunks.extend(deltas(reply, stamp).into_iter().map(|delta| part(delta, Value::Null)));
    chunks.push(part(json!({}), json!(finish(reply))));
    chunks.push(chunk(json!([]), usage()));
    chunks.push("data: [DONE]\n\n".to_owned());
    chunks
}

/// The deltas of a reply, in order.
fn deltas(reply: &Reply, stamp: &Stamp) -> Vec<Value> {
    match reply {
        Reply::Whole(Content::Text(text)) | Reply::CutShort(text) => {
            halves(text).map(|half| json!({"content": half})).to_vec()
        }
        Reply::Refused(words) => halves(words).map(|half| json!({"refusal": half})).to_vec(),
        Reply::Whole(Content::Call(Call { tool, input, .. })) => {
            let begin = json!({"tool_calls": [{
                "index": 0,
                "id": call_id(stamp),
                "type": "function",
                "function": {"name": tool, "arguments": ""},
            }]});
            let input = input.to_text();
            let rest = halves(&input)
                .map(|half| json!({"tool_calls": [{"index": 0, "function": {"arguments": half}}]}));
            std::iter::once(begin).chain(rest).collect()
        }
    }
}

fn finish(reply: &Reply) -> &'static str {
    match reply {
        Reply::Whole(Content::Text(_)) => "stop",
        Reply::Whole(Content::Call(_)) => "tool_calls",
        Reply::CutShort(_) => "length",
        Reply::Refused(_) => "content_filter",
    }
}

fn usage() -> Value {
    json!({
        "prompt_tokens": INPUT_TOKENS,
        "completion_tokens": OUTPUT_TOKENS,
        "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
        "prompt_tokens_details": {"cached_tokens": CACHED_TOKENS},
        "completion_tokens_details": {"reasoning_tokens": 0},
    })
}

fn id(stamp: &Stamp) -> String {
    format!("chatcmpl-{}", stamp.number)
}

fn call_id(stamp: &Stamp) -> String {
    format!("call_{}", stamp.number)
}
