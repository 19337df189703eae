//! OpenAI's Responses: `POST …/responses`.
//!
//! Codex uses only this protocol. It offers tools in groups (`namespace`), tools with plain text input (`custom`), a
//! built-in shell (`local_shell`), and for some models all of them in an item of the conversation
//! (`additional_tools`). Usage includes cached tokens in the input.

use serde_json::{Value, json};

use super::event;
use crate::conversation::{list, plain, text};
use crate::reply::{CREATED_S, halves};
use crate::usage::{CACHED_TOKENS, INPUT_TOKENS, OUTPUT_TOKENS};
use crate::{Answer, Call, Calling, Content, Conversation, Item, Offer, Reply, Stamp};

pub fn read(request: &Value) -> Conversation {
    let mut conversation =
        Conversation { model: text(request, "model").to_owned(), ..Conversation::default() };
    conversation.tools = list(request, "tools").flat_map(offers).collect();
    if let Some(words) = request["input"].as_str() {
        conversation.user(words.to_owned());
    }
    for item in list(request, "input") {
        match item.get("type").and_then(Value::as_str).unwrap_or("message") {
            "message" => match text(item, "role") {
                "user" => conversation.user(plain(&item["content"])),
                "assistant" => conversation.items.push(Item::Said(plain(&item["content"]))),
                _ => {}
            },
            "function_call" => conversation.called(text(item, "name"), &item["arguments"]),
            "custom_tool_call" => conversation.called(text(item, "name"), &item["input"]),
            "local_shell_call" => conversation.called("local_shell", &item["action"]),
            "additional_tools" => {
                conversation.tools.extend(list(item, "tools").flat_map(offers));
            }
            kind if kind.ends_with("_output") => {
                conversation.items.push(Item::Result(plain(&item["output"])));
            }
            _ => {}
        }
    }
    let format = &request["text"]["format"];
    conversation.answer = match text(format, "type") {
        "json_schema" => Answer::Json(format["schema"].clone()),
        "json_object" => Answer::Json(json!({})),
        _ => Answer::Free,
    };
    conversation
}

/// The offers of one entry in a list of tools.
fn offers(tool: &Value) -> Vec<Offer> {
    let offer = |tool: &Value, calling: Calling| Offer {
        name: tool.get("name").or(tool.get("type")).map(plain).unwrap_or_default(),
        schema: tool["parameters"].clone(),
        calling,
    };
    match text(tool, "type") {
        "namespace" => list(tool, "tools")
            .map(|inner| match text(inner, "type") {
                "custom" => offer(inner, Calling::Freeform),
                _ => offer(inner, Calling::Grouped(text(tool, "name").to_owned())),
            })
            .collect(),
        "custom" => vec![offer(tool, Calling::Freeform)],
        "local_shell" => vec![offer(tool, Calling::LocalShell)],
        _ => vec![offer(tool, Calling::Function)],
    }
}

fn begun(stamp: &Stamp) -> Value {
    json!({
        "id": format!("resp_{}", stamp.number),
        "object": "response",
        "created_at": CREATED_S,
        "status": "in_progress",
        "error": null,
        "incomplete_details": null,
        "instructions": null,
        "metadata": {},
        "model": stamp.model,
        "output": [],
        "parallel_tool_calls": false,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": null,
    })
}

pub(super) fn done(reply: &Reply, stamp: &Stamp) -> Value {
    let mut response = begun(stamp);
    response["output"] = json!([item(reply, stamp)]);
    response["usage"] = json!({
        "input_tokens": INPUT_TOKENS,
        "input_tokens_details": {"cached_tokens": CACHED_TOKENS},
        "output_tokens": OUTPUT_TOKENS,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
    });
    response["status"] = json!(status(reply));
    if let Reply::CutShort(_) = reply {
        response["incomplete_details"] = json!({"reason": "max_output_tokens"});
    }
    response
}

/// The only output item.
fn item(reply: &Reply, stamp: &Stamp) -> Value {
    match reply {
        Reply::Whole(Content::Text(_)) | Reply::CutShort(_) | Reply::Refused(_) => json!({
            "id": format!("msg_{}", stamp.number),
            "type": "message",
            "status": status(reply),
            "role": "assistant",
            "content": [part(reply)],
        }),
        Reply::Whole(Content::Call(call)) => call_item(call, stamp),
    }
}

fn call_item(Call { tool, calling, input }: &Call, stamp: &Stamp) -> Value {
    let call_id = format!("call_{}", stamp.number);
    let id = format!("item_{}", stamp.number);
    let function = || {
        json!({
            "id": id,
            "type": "function_call",
            "status": "completed",
            "call_id": call_id,
            "name": tool,
            "arguments": input.to_text(),
        })
    };
    match calling {
        Calling::Function => function(),
        Calling::Grouped(group) => {
            let mut item = function();
            item["namespace"] = json!(group);
            item
        }
        Calling::Freeform => json!({
            "id": id,
            "type": "custom_tool_call",
            "status": "completed",
            "call_id": call_id,
            "name": tool,
            "input": input.to_text(),
        }),
        Calling::LocalShell => json!({
            "id": id,
            "type": "local_shell_call",
            "status": "completed",
            "call_id": call_id,
            "action": {
                "type": "exec",
                "command": input.to_value().get("command").cloned().unwrap_or_default(),
                "env": {},
            },
        }),
    }
}

/// The only part of a message.
fn part(reply: &Reply) -> Value {
    match reply {
        Reply::Whole(Content::Text(text)) | Reply::CutShort(text) => {
            json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []})
        }
        Reply::Refused(words) => json!({"type": "refusal", "refusal": words}),
        Reply::Whole(Content::Call(_)) => Value::Null,
    }
}

fn status(reply: &Reply) -> &'static str {
    match reply {
        Reply::Whole(_) | Reply::Refused(_) => "completed",
        Reply::CutShort(_) => "incomplete",
    }
}

pub(super) fn streamed(reply: &Reply, stamp: &Stamp) -> Vec<String> {
    let item = item(reply, stamp);
    let mut events = vec![
        json!({"type": "response.created", "response": begun(stamp)}),
        json!({"type": "response.in_progress", "response": begun(stamp)}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": opened(&item)}),
    ];
    events.extend(match reply {
        Reply::Whole(Content::Text(_)) | Reply::CutShort(_) | Reply::Refused(_) => {
            message_events(reply)
        }
        Reply::Whole(Content::Call(call)) => call_events(call),
    });
    for event in events.iter_mut().skip(3) {
        event["item_id"] = item["id"].clone();
        event["output_index"] = json!(0);
    }
    events.push(json!({"type": "response.output_item.done", "output_index": 0, "item": item}));
    events.push(json!({
        "type": format!("response.{}", status(reply)),
        "response": done(reply, stamp),
    }));
    let numbered = events.into_iter().zip(0_u64..).map(|(mut event, number)| {
        event["sequence_number"] = json!(number);
        event
    });
    numbered.map(|it| event(&it)).collect()
}

/// An item without content yet.
fn opened(item: &Value) -> Value {
    let mut opened = item.clone();
    opened["status"] = json!("in_progress");
    for (name, nothing) in [("content", json!([])), ("arguments", json!("")), ("input", json!(""))]
    {
        if opened.get(name).is_some() {
            opened[name] = nothing;
        }
    }
    opened
}

fn message_events(reply: &Reply) -> Vec<Value> {
    let (kind, field, words) = match reply {
        Reply::Whole(Content::Text(text)) | Reply::CutShort(text) => ("output_text", "text", text),
        Reply::Refused(words) => ("refusal", "refusal", words),
        Reply::Whole(Content::Call(_)) => return Vec::new(),
    };
    let part = part(reply);
    let mut empty = part.clone();
    empty[field] = json!("");
    let mut events =
        vec![json!({"type": "response.content_part.added", "content_index": 0, "part": empty})];
    events.extend(halves(words).map(
        |half| json!({"type": format!("response.{kind}.delta"), "content_index": 0, "delta": half}),
    ));
    events.extend([
        json!({"type": format!("response.{kind}.done"), "content_index": 0, field: words}),
        json!({"type": "response.content_part.done", "content_index": 0, "part": part}),
    ]);
    events
}

fn call_events(Call { tool, calling, input }: &Call) -> Vec<Value> {
    let (kind, field) = match calling {
        Calling::Function | Calling::Grouped(_) => ("function_call_arguments", "arguments"),
        Calling::Freeform => ("custom_tool_call_input", "input"),
        Calling::LocalShell => return Vec::new(),
    };
    let words = input.to_text();
    let deltas =
        halves(&words).map(|half| json!({"type": format!("response.{kind}.delta"), "delta": half}));
    let end = json!({"type": format!("response.{kind}.done"), "name": tool, field: words});
    deltas.into_iter().chain([end]).collect()
}
