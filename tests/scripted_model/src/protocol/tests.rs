use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::Map;

use super::*;
use crate::{Call, Calling, Content, Input, Script, Step, plan};

const ALL: [Protocol; 4] =
    [Protocol::OpenaiChat, Protocol::OpenaiResponses, Protocol::Anthropic, Protocol::Gemini];

fn stamp() -> Stamp {
    Stamp { number: 7, model: "some-model".to_owned() }
}

fn call(calling: Calling, input: Input) -> Reply {
    Reply::Whole(Content::Call(Call { tool: "write".to_owned(), calling, input }))
}

/// Every kind of reply, whole and streamed.
fn written(protocol: Protocol, more: Vec<(&str, Reply)>) -> String {
    let mut story = String::new();
    let replies = [
        ("text", Reply::text("Done, é.")),
        ("call", call(Calling::Function, Input::Json(json!({"path": "a", "text": "b\n"})))),
        ("cut short", Reply::CutShort("I was abo".to_owned())),
        ("refused", Reply::Refused("No.".to_owned())),
    ];
    for (name, reply) in replies.into_iter().chain(more) {
        for (delivery, how) in [(Delivery::Whole, "whole"), (Delivery::Streamed, "streamed")] {
            writeln!(story, "== {name}, {how}").unwrap();
            match protocol.write(&reply, &stamp(), delivery) {
                Written::Body(body) => {
                    writeln!(story, "{}", serde_json::to_string_pretty(&body).unwrap()).unwrap();
                }
                Written::Events(events) => {
                    events.iter().for_each(|event| story += &event.replace("\n\n", "\n"));
                }
            }
        }
    }
    story
}

#[test]
fn chat_completions_are_read() {
    let request = json!({
        "model": "some-model",
        "stream": true,
        "messages": [
            {"role": "system", "content": "be good"},
            {"role": "developer", "content": "be brief"},
            {"role": "user", "content": [{"type": "text", "text": "first"}]},
            {"role": "assistant", "content": "I will."},
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": "{}"}},
                {"id": "call_2", "type": "function", "function": {"name": "grep", "arguments": "{}"}},
            ]},
            {"role": "tool", "tool_call_id": "call_1", "content": "one"},
            {"role": "tool", "tool_call_id": "call_2", "content": [{"type": "text", "text": "two"}]},
        ],
        "tools": [{"type": "function", "function": {"name": "read", "parameters": {"type": "object"}}}],
        "response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}}},
    });
    insta::assert_debug_snapshot!(Protocol::OpenaiChat.read(&request));
    assert_eq!(Protocol::OpenaiChat.delivery("/v1/chat/completions", &request), Delivery::Streamed);
}

#[test]
fn chat_completions_are_written() {
    insta::assert_snapshot!(written(Protocol::OpenaiChat, Vec::new()));
}

#[test]
fn responses_are_read_with_tools_of_every_kind() {
    let request = json!({
        "model": "some-model",
        "instructions": "be good",
        "input": [
            {"type": "additional_tools", "tools": [{"type": "custom", "name": "exec", "description": "runs"}]},
            {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "be brief"}]},
            {"type": "message", "role": "user", "content": [
                {"type": "input_text", "text": "<environment_context>\n<cwd>/x</cwd>\n</environment_context>"},
            ]},
            {"role": "user", "content": "go"},
            {"type": "reasoning", "summary": []},
            {"type": "function_call", "call_id": "1", "name": "read", "namespace": "mcp__x", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "1", "output": "one"},
            {"type": "custom_tool_call", "call_id": "2", "name": "apply_patch", "input": "*** Begin Patch"},
            {"type": "custom_tool_call_output", "call_id": "2", "output": [{"type": "input_text", "text": "two"}]},
            {"type": "local_shell_call", "call_id": "3", "action": {"type": "exec", "command": ["ls"]}},
            {"type": "local_shell_call_output", "call_id": "3", "output": {"content": "three", "success": true}},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "So."}]},
        ],
        "tools": [
            {"type": "function", "name": "exec_command", "parameters": {"type": "object"}},
            {"type": "custom", "name": "apply_patch", "format": {"type": "grammar"}},
            {"type": "local_shell"},
            {"type": "namespace", "name": "mcp__x", "tools": [
                {"type": "function", "name": "submit_result", "parameters": {"type": "object"}},
                {"type": "custom", "name": "note"},
            ]},
            {"type": "web_search"},
        ],
        "text": {"format": {"type": "json_schema", "name": "a", "schema": {"type": "object"}}},
    });
    insta::assert_debug_snapshot!(Protocol::OpenaiResponses.read(&request));
    let brief = json!({"input": "go"});
    assert_eq!(Protocol::OpenaiResponses.read(&brief).items, [crate::Item::User("go".to_owned())],);
    assert_eq!(Protocol::OpenaiResponses.delivery("/v1/responses", &brief), Delivery::Whole);
}

#[test]
fn responses_are_written_with_calls_of_every_kind() {
    let shell = Input::Json(json!({"command": ["bash", "-lc", "ls"]}));
    let more = vec![
        ("grouped call", call(Calling::Grouped("mcp__x".to_owned()), Input::Json(json!({"a": 1})))),
        ("freeform call", call(Calling::Freeform, Input::Text("*** Begin Patch".to_owned()))),
        ("shell call", call(Calling::LocalShell, shell)),
    ];
    insta::assert_snapshot!(written(Protocol::OpenaiResponses, more));
}

#[test]
fn messages_are_read() {
    let request = json!({
        "model": "some-model",
        "system": [{"type": "text", "text": "be good"}],
        "messages": [
            {"role": "user", "content": [
                {"type": "text", "text": "<system-reminder>be brief</system-reminder>"},
                {"type": "text", "text": "go"},
            ]},
            {"role": "assistant", "content": [
                {"type": "text", "text": "I will."},
                {"type": "tool_use", "id": "1", "name": "Read", "input": {}},
                {"type": "tool_use", "id": "2", "name": "Bash", "input": {}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "1", "content": "one"},
                {"type": "tool_result", "tool_use_id": "2", "content": [{"type": "text", "text": "two"}]},
                {"type": "text", "text": "remember your list"},
            ]},
            {"role": "user", "content": "<system-reminder>once more</system-reminder>"},
            {"role": "assistant", "content": "Done."},
        ],
        "tools": [{"name": "Read", "description": "reads", "input_schema": {"type": "object"}}],
        "output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}},
    });
    insta::assert_debug_snapshot!(Protocol::Anthropic.read(&request));
    assert_eq!(Protocol::Anthropic.delivery("/v1/messages", &request), Delivery::Whole);
}

#[test]
fn messages_are_written() {
    insta::assert_snapshot!(written(Protocol::Anthropic, Vec::new()));
}

#[test]
fn generate_content_is_read() {
    let request = json!({
        "systemInstruction": {"parts": [{"text": "be good"}]},
        "contents": [
            {"role": "user", "parts": [{"text": "go"}, {"text": "now"}]},
            {"role": "model", "parts": [{"text": "I will."}, {"functionCall": {"name": "read_file", "args": {}}}]},
            {"role": "user", "parts": [
                {"functionResponse": {"name": "read_file", "response": {"output": "one"}}},
                {"functionResponse": {"name": "glob", "response": {"files": 2}}},
                {"text": "remember your list"},
            ]},
            {"role": "model", "parts": [{"text": "Done."}]},
        ],
        "tools": [
            {"functionDeclarations": [
                {"name": "read_file", "parametersJsonSchema": {"type": "object"}},
                {"name": "glob", "parameters": {"type": "OBJECT"}},
            ]},
            {"googleSearch": {}},
        ],
        "generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": {"type": "object"}},
    });
    insta::assert_debug_snapshot!(Protocol::Gemini.read(&request));
    let path = "/v1beta/models/some-model:streamGenerateContent?alt=sse";
    assert_eq!(Protocol::Gemini.delivery(path, &request), Delivery::Streamed);
}

#[test]
fn generate_content_is_written() {
    insta::assert_snapshot!(written(Protocol::Gemini, Vec::new()));
}

#[test]
fn paths_are_told_apart_wherever_they_begin() {
    let turn = |protocol| Some(Route::Turn(protocol));
    for (method, path, expected) in [
        ("POST", "/v1/chat/completions", turn(Protocol::OpenaiChat)),
        ("POST", "/some/where/chat/completions?x=y", turn(Protocol::OpenaiChat)),
        ("POST", "/v1/responses", turn(Protocol::OpenaiResponses)),
        ("POST", "/v1/messages?beta=true", turn(Protocol::Anthropic)),
        ("POST", "/v1/messages/count_tokens?beta=true", Some(Route::Count(Protocol::Anthropic))),
        ("POST", "/v1beta/models/a:generateContent", turn(Protocol::Gemini)),
        ("POST", "/v1beta/models/a:streamGenerateContent?alt=sse", turn(Protocol::Gemini)),
        ("POST", "/v1beta/models/a:countTokens", Some(Route::Count(Protocol::Gemini))),
        ("GET", "/v1/models", Some(Route::Models)),
        ("HEAD", "/v1beta/models?pageSize=1", Some(Route::Models)),
        ("POST", "/v1/completions", None),
        ("POST", "/v1/models", None),
        ("GET", "/v1/responses", None),
        ("GET", "/", None),
        ("POST", "*", None),
    ] {
        assert_eq!(Route::of(method, path), expected, "{method} {path}");
    }
}

/// The usage of a body in Sealwright's terms: uncached input, cached input, output.
fn counted(protocol: Protocol, body: &Value) -> [u64; 3] {
    let number = |place: &str| body.pointer(place).and_then(Value::as_u64).unwrap();
    match protocol {
        Protocol::OpenaiChat => {
            let cached = number("/usage/prompt_tokens_details/cached_tokens");
            [number("/usage/prompt_tokens") - cached, cached, number("/usage/completion_tokens")]
        }
        Protocol::OpenaiResponses => {
            let cached = number("/usage/input_tokens_details/cached_tokens");
            [number("/usage/input_tokens") - cached, cached, number("/usage/output_tokens")]
        }
        Protocol::Anthropic => {
            assert_eq!(number("/usage/cache_creation_input_tokens"), 0);
            [
                number("/usage/input_tokens"),
                number("/usage/cache_read_input_tokens"),
                number("/usage/output_tokens"),
            ]
        }
        Protocol::Gemini => {
            let cached = number("/usageMetadata/cachedContentTokenCount");
            [
                number("/usageMetadata/promptTokenCount") - cached,
                cached,
                number("/usageMetadata/candidatesTokenCount"),
            ]
        }
    }
}

#[test]
fn every_protocol_tells_of_the_same_usage() {
    for protocol in ALL {
        let Written::Body(body) = protocol.write(&Reply::text("a"), &stamp(), Delivery::Whole)
        else {
            panic!("{protocol:?} streams what was asked for in one body")
        };
        assert_eq!(counted(protocol, &body), [1134, 100, 56], "{protocol:?}");
    }
}

/// Words of requests, so that random requests parse.
const WORDS: [&str; 44] = [
    "messages",
    "role",
    "content",
    "user",
    "assistant",
    "tool",
    "tool_calls",
    "function",
    "name",
    "parameters",
    "tools",
    "type",
    "text",
    "input",
    "output",
    "message",
    "function_call",
    "function_call_output",
    "namespace",
    "custom",
    "additional_tools",
    "local_shell",
    "tool_use",
    "tool_result",
    "input_schema",
    "output_config",
    "format",
    "json_schema",
    "schema",
    "contents",
    "parts",
    "functionCall",
    "functionResponse",
    "response",
    "functionDeclarations",
    "generationConfig",
    "responseSchema",
    "model",
    "properties",
    "required",
    "$ref",
    "#",
    "exec",
    "Bash",
];

fn any_json() -> impl Strategy<Value = Value> {
    let word = prop_oneof![4 => prop::sample::select(&WORDS[..]).prop_map(str::to_owned), 1 => any::<String>()];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 6, move |inner| {
        let fields = prop::collection::vec((word.clone(), inner.clone()), 0..6);
        prop_oneof![
            prop::collection::vec(inner, 0..6).prop_map(Value::from),
            fields.prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

proptest! {
    /// Any request in any protocol is parsed, planned and answered without a panic.
    #[test]
    fn nothing_that_is_asked_causes_a_panic(request in any_json()) {
        let steps = [
            Step::write("a", "b\n"),
            Step::read("a"),
            Step::run("ls"),
            Step::tool("e", json!({})),
            Step::answer(json!({})),
        ];
        for protocol in ALL {
            let conversation = protocol.read(&request);
            for step in &steps {
                let planned = plan(&Script::new([step.clone()]), &conversation);
                for delivery in [Delivery::Whole, Delivery::Streamed] {
                    protocol.write(&planned.reply, &stamp(), delivery);
                }
            }
        }
    }
}
