//! Google's generateContent: `POST …/models/NAME:generateContent`, `:streamGenerateContent` and `:countTokens`.
//!
//! The path names the model. Streams are server-sent events, as with `alt=sse`; no agent uses the other form. Usage
//! includes cached tokens in the input.

use serde_json::{Value, json};

use super::data;
use crate::conversation::{list, text};
use crate::reply::halves;
use crate::usage::{CACHED_TOKENS, INPUT_TOKENS, OUTPUT_TOKENS};
use crate::{Answer, Calling, Content, Conversation, Item, Offer, Reply, Stamp};

pub fn read(request: &Value) -> Conversation {
    let mut conversation = Conversation::default();
    for content in list(request, "contents") {
        let named = |name: &'static str| list(content, "parts").filter_map(move |it| it.get(name));
        let words: Vec<&str> = named("text").filter_map(Value::as_str).collect();
        let words = words.join("\n");
        match content.get("role").and_then(Value::as_str) {
            Some("user") | None => {
                let results = named("functionResponse").map(|it| Item::Result(result(it)));
                let before = conversation.items.len();
                conversation.items.extend(results);
                // Text beside a result is a note of the agent.
                if conversation.items.len() == before {
                    conversation.user(words);
                }
            }
            Some("model") => {
                let mut calls = named("functionCall").peekable();
                if calls.peek().is_none() {
                    conversation.items.push(Item::Said(words));
                }
                for call in calls {
                    conversation.called(text(call, "name"), &call["args"]);
                }
            }
            Some("function") => {
                let results = named("functionResponse").map(|it| Item::Result(result(it)));
                conversation.items.extend(results);
            }
            Some(_) => {}
        }
    }
    conversation.tools = list(request, "tools")
        .flat_map(|group| {
            list(group, "functionDeclarations").chain(list(group, "function_declarations"))
        })
        .map(|function| Offer {
            name: text(function, "name").to_owned(),
            schema: function
                .get("parametersJsonSchema")
                .or(function.get("parameters"))
                .cloned()
                .unwrap_or_default(),
            calling: Calling::Function,
        })
        .collect();
    conversation.answer = answer(&request["generationConfig"]);
    conversation
}

pub(super) fn whole(reply: &Reply, stamp: &Stamp) -> Value {
    piece(reply, stamp, parts(reply, stamp), Place::Last)
}

pub(super) fn streamed(reply: &Reply, stamp: &Stamp) -> Vec<String> {
    let parts = streamed_parts(reply, stamp);
    let last = parts.len().saturating_sub(1);
    let pieces = parts.into_iter().enumerate().map(|(nth, parts)| {
        let place = if nth == last { Place::Last } else { Place::Before };
        data(&piece(reply, stamp, parts, place))
    });
    pieces.collect()
}

pub fn error(status: u16, words: &str) -> Value {
    let name = match status {
        401 => "UNAUTHENTICATED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        400..=499 => "INVALID_ARGUMENT",
        _ => "INTERNAL",
    };
    json!({"error": {"code": status, "message": words, "status": name}})
}

/// A tool result without the wrapping of agents.
fn result(response: &Value) -> String {
    let response = &response["response"];
    let wrapped = ["output", "result", "error"].iter().find_map(|name| response.get(*name));
    match wrapped {
        Some(Value::String(text)) => text.clone(),
        Some(_) | None => response.to_string(),
    }
}

fn answer(settings: &Value) -> Answer {
    let schema = ["responseJsonSchema", "responseSchema"]
        .iter()
        .find_map(|name| settings.get(*name).filter(|schema| !schema.is_null()));
    match (schema, text(settings, "responseMimeType")) {
        (Some(schema), _) => Answer::Json(schema.clone()),
        (None, "application/json") => Answer::Json(json!({})),
        (None, _) => Answer::Free,
    }
}

/// The position of a piece in a stream.
enum Place {
    Before,
    /// The last or only one.
    Last,
}

fn piece(reply: &Reply, stamp: &Stamp, parts: Vec<Value>, place: Place) -> Value {
    let mut candidate = json!({"index": 0});
    // A blocked reply has no content.
    if !parts.is_empty() {
        candidate["content"] = json!({"role": "model", "parts": parts});
    }
    let mut piece = json!({});
    if let Place::Last = place {
        candidate["finishReason"] = json!(finish_reason(reply));
        if let Reply::Refused(words) = reply {
            candidate["finishMessage"] = json!(words);
            candidate["safetyRatings"] = json!([
                {"category": "HARM_CATEGORY_DANGEROUS_CONTENT", "probability": "HIGH", "blocked": true},
            ]);
        }
        piece["usageMetadata"] = json!({
            "promptTokenCount": INPUT_TOKENS,
            "cachedContentTokenCount": CACHED_TOKENS,
            "candidatesTokenCount": OUTPUT_TOKENS,
            "thoughtsTokenCount": 0,
            "totalTokenCount": INPUT_TOKENS + OUTPUT_TOKENS,
        });
    }
    piece["candidates"] = json!([candidate]);
    piece["modelVersion"] = json!(super::MODEL);
    piece["responseId"] = json!(format!("response-{}", stamp.number));
    piece
}

fn parts(reply: &Reply, stamp: &Stamp) -> Vec<Value> {
    match reply {
        Reply::Whole(Content::Text(text)) | Reply::CutShort(text) => vec![json!({"text": text})],
        Reply::Refused(_) => Vec::new(),
        Reply::Whole(Content::Call(call)) => vec![json!({"functionCall": {
            "id": format!("call_{}", stamp.number),
            "name": call.tool,
            "args": call.input.to_value(),
        }})],
    }
}

/// The parts of each piece: text in halves, calls at once.
fn streamed_parts(reply: &Reply, stamp: &Stamp) -> Vec<Vec<Value>> {
    match reply {
        Reply::Whole(Content::Text(text)) | Reply::CutShort(text) => {
            halves(text).map(|half| vec![json!({"text": half})]).to_vec()
        }
        Reply::Refused(_) | Reply::Whole(Content::Call(_)) => vec![parts(reply, stamp)],
    }
}

fn finish_reason(reply: &Reply) -> &'static str {
    match reply {
        Reply::Whole(_) => "STOP",
        Reply::CutShort(_) => "MAX_TOKENS",
        Reply::Refused(_) => "SAFETY",
    }
}
