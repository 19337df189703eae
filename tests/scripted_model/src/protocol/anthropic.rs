//! Anthropic's messages: `POST …/messages`, and `…/messages/count_tokens`.
//!
//! Usage counts cached tokens separately.

use serde_json::{Value, json};

use super::event;
use crate::conversation::{list, plain, text};
use crate::reply::halves;
use crate::usage::{CACHE_WRITTEN_TOKENS, CACHED_TOKENS, FRESH_TOKENS, OUTPUT_TOKENS};
use crate::{Answer, Calling, Content, Conversation, Item, Offer, Reply, Stamp};

pub fn read(request: &Value) -> Conversation {
    let mut conversation =
        Conversation { model: text(request, "model").to_owned(), ..Conversation::default() };
    for message in list(request, "messages") {
        let content = &message["content"];
        let parts = |kind: &'static str| {
            list(message, "content").filter(move |part| text(part, "type") == kind)
        };
        match text(message, "role") {
            "user" => {
                let results =
                    parts("tool_result").map(|part| Item::Result(plain(&part["content"])));
                let before = conversation.items.len();
                conversation.items.extend(results);
                // Text beside a result is a note of the agent.
                if conversation.items.len() == before {
                    conversation.user(plain(content));
                }
            }
            "assistant" => {
                let mut calls = parts("tool_use").peekable();
                if calls.peek().is_none() {
                    conversation.items.push(Item::Said(plain(content)));
                }
                for call in calls {
                    conversation.called(text(call, "name"), &call["input"]);
                }
            }
            _ => {}
        }
    }
    conversation.tools = list(request, "tools")
        .map(|tool| Offer {
            name: text(tool, "name").to_owned(),
            schema: tool["input_schema"].clone(),
            calling: Calling::Function,
        })
        .collect();
    let format = request["output_config"].get("format").unwrap_or(&request["output_format"]);
    conversation.answer = match text(format, "type") {
        "json_schema" => Answer::Json(format["schema"].clone()),
        _ => Answer::Free,
    };
    conversation
}

pub fn error(status: u16, words: &str) -> Value {
    let kind = match status {
        401 => "authentication_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        400..=499 => "invalid_request_error",
        529 => "overloaded_error",
        _ => "api_error",
    };
    json!({"type": "error", "error": {"type": kind, "message": words}})
}

pub(super) fn whole(reply: &Reply, stamp: &Stamp) -> Value {
    json!({
        "id": format!("msg_{}", stamp.number),
        "type": "message",
        "role": "assistant",
        "model": stamp.model,
        "content": [block(reply, stamp)],
        "stop_reason": stop_reason(reply),
        "stop_sequence": null,
        "usage": usage(OUTPUT_TOKENS),
    })
}

pub(super) fn streamed(reply: &Reply, stamp: &Stamp) -> Vec<String> {
    let mut message = whole(reply, stamp);
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    message["usage"] = usage(1);
    let mut opened = block(reply, stamp);
    let (words, kind, field) = match reply {
        Reply::Whole(Content::Text(text)) | Reply::CutShort(text) | Reply::Refused(text) => {
            opened["text"] = json!("");
            (text.clone(), "text_delta", "text")
        }
        Reply::Whole(Content::Call(call)) => {
            opened["input"] = json!({});
            (call.input.to_text(), "input_json_delta", "partial_json")
        }
    };
    let mut events = vec![
        json!({"type": "message_start", "message": message}),
        json!({"type": "content_block_start", "index": 0, "content_block": opened}),
    ];
    events.extend(halves(&words).map(|half| {
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": kind, field: half}})
    }));
    events.extend([
        json!({"type": "content_block_stop", "index": 0}),
        json!({
            "type": "message_delta",
            "delta": {"stop_reason": stop_reason(reply), "stop_sequence": null},
            "usage": usage(OUTPUT_TOKENS),
        }),
        json!({"type": "message_stop"}),
    ]);
    events.iter().map(event).collect()
}

/// The only content block.
fn block(reply: &Reply, stamp: &Stamp) -> Value {
    match reply {
        Reply::Whole(Content::Text(text)) | Reply::CutShort(text) | Reply::Refused(text) => {
            json!({"type": "text", "text": text})
        }
        Reply::Whole(Content::Call(call)) => json!({
            "type": "tool_use",
            "id": format!("toolu_{}", stamp.number),
            "name": call.tool,
            "input": call.input.to_value(),
        }),
    }
}

fn stop_reason(reply: &Reply) -> &'static str {
    match reply {
        Reply::Whole(Content::Text(_)) => "end_turn",
        Reply::Whole(Content::Call(_)) => "tool_use",
        Reply::CutShort(_) => "max_tokens",
        Reply::Refused(_) => "refusal",
    }
}

fn usage(output: u64) -> Value {
    json!({
        "input_tokens": FRESH_TOKENS,
        "cache_creation_input_tokens": CACHE_WRITTEN_TOKENS,
        "cache_read_input_tokens": CACHED_TOKENS,
        "output_tokens": output,
        "service_tier": "standard",
    })
}
