//! The conversation with an agent that speaks the protocol, well or badly.

use serde_json::{Value, json};

use super::dialogue::Client;
use super::profiles::{gemini, opencode};
use crate::adapters::recorded;
use crate::program::{Course, Dialogue as _, Ways};
use crate::{Deed, Event, Failure, Limit, Said};

#[test]
fn leave_is_given_for_good_where_that_is_offered() {
    let ask = |kinds: &[&str]| {
        let options: Vec<Value> = kinds
            .iter()
            .map(|kind| json!({"optionId": format!("the-{kind}"), "name": kind, "kind": kind}))
            .collect();
        let params = json!({"sessionId": "s", "toolCall": {"toolCallId": "c"}, "options": options});
        asked(&json!({"id": 7, "method": "session/request_permission", "params": params}))
    };
    let selected = |id: &str| json!({"outcome": {"outcome": "selected", "optionId": id}});
    assert_eq!(
        ask(&["reject_once", "allow_once", "allow_always"])["result"],
        selected("the-allow_always")
    );
    assert_eq!(ask(&["reject_once", "allow_once"])["result"], selected("the-allow_once"));
    let cancelled = json!({"outcome": {"outcome": "cancelled"}});
    assert_eq!(ask(&["reject_once"])["result"], cancelled);
    assert_eq!(ask(&[])["result"], cancelled);
}

#[test]
fn nothing_of_ours_is_lent() {
    for method in ["fs/read_text_file", "fs/write_text_file", "terminal/create", "whatever"] {
        let answer =
            asked(&json!({"id": "q", "method": method, "params": {"path": "/etc/passwd"}}));
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("q"), &json!(-32601)));
    }
    let opening = Client::new(&gemini::PROFILE, "", &Ways::inside("/work")).opening();
    let opening: Value = serde_json::from_str(&opening).unwrap();
    let lent = &opening["params"]["clientCapabilities"];
    assert!(!lent["fs"]["readTextFile"].as_bool().unwrap_or(false), "{lent}");
    assert!(!lent["fs"]["writeTextFile"].as_bool().unwrap_or(false), "{lent}");
    assert!(!lent["terminal"].as_bool().unwrap_or(false), "{lent}");
}

#[test]
fn the_reason_of_a_turns_end_is_what_the_agent_said() {
    let end = |reason: &str| ended(&[json!({"id": 2, "result": {"stopReason": reason}})]);
    assert_eq!(end("end_turn"), Said::Finished { text: String::new() });
    assert_eq!(end("max_turn_requests"), Said::OutOfBudget { limit: Limit::Turns });
    for (reason, expected) in [
        ("max_tokens", Failure::Truncated),
        ("refusal", Failure::Refused),
        ("cancelled", Failure::Died),
        ("boredom", Failure::BadStream),
    ] {
        let Said::Failed { failure, .. } = end(reason) else { panic!("{reason}") };
        assert_eq!(failure, expected, "{reason}");
    }
}

#[test]
fn an_error_is_what_its_words_mean() {
    let error = json!({"code": -32603, "message": "Internal error", "data": {"details": "401 Unauthorized"}});
    let Said::Failed { failure, why } = ended(&[json!({"id": 2, "error": error})]) else {
        panic!("it failed")
    };
    assert_eq!(failure, Failure::Unauthorised);
    assert!(why.contains("401"), "{why}");
    let error = json!({"code": 429, "message": "Too many requests"});
    let limited = Said::RateLimited { retry_after_s: None };
    assert_eq!(ended(&[json!({"id": 2, "error": error})]), limited);
}

#[test]
fn an_agent_we_cannot_work_with_is_let_go_at_once() {
    for (greeting, expected) in [
        (json!({"protocolVersion": 9}), "speaks version 9"),
        (json!({"protocolVersion": 1}), "tools over HTTP"),
        (json!({}), "makes no sense"),
    ] {
        let mut client = Client::new(&gemini::PROFILE, "", &Ways::inside("/work"));
        client.opening();
        let line = json!({"id": 0, "result": greeting}).to_string();
        assert_eq!(client.line(&line, &mut |_| {}), Course::Over);
        let Said::Failed { why, .. } = client.said("", &mut |_| {}) else { panic!("{greeting}") };
        assert!(why.contains(expected), "{why}");
    }
}

#[test]
fn an_agent_that_ends_before_its_work_was_not_started() {
    let mut client = Client::new(&gemini::PROFILE, "", &Ways::inside("/work"));
    assert!(matches!(
        client.said("no such option: --acp\n", &mut |_| {}),
        Said::Failed { failure: Failure::NotStarted, why } if why == "no such option: --acp"
    ));
    assert_eq!(ended(&[]), Said::Nothing);
}

#[test]
fn a_program_that_only_chatters_is_not_listened_to_for_ever() {
    let mut client = Client::new(&gemini::PROFILE, "", &Ways::inside("/work"));
    let over = (0..1000).find(|_| client.line("Welcome!", &mut |_| {}) == Course::Over);
    assert!(over.is_some());
    let said = client.said("", &mut |_| {});
    assert!(matches!(said, Said::Failed { failure: Failure::BadStream, .. }), "{said:?}");
}

#[test]
fn words_in_pieces_are_put_together_by_message() {
    let piece = |id: Value, text: &str| {
        update(json!({
            "sessionUpdate": "agent_message_chunk", "messageId": id,
            "content": {"type": "text", "text": text},
        }))
    };
    let events = heard(&[
        piece(json!("a"), "Hel"),
        piece(json!("a"), "lo."),
        piece(json!("b"), "And "),
        piece(json!("b"), "on."),
        update(
            json!({"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": "hm"}}),
        ),
        json!({"id": 2, "result": {"stopReason": "end_turn"}}),
    ]);
    let text = |text: &str| Event::Text { text: text.to_owned() };
    assert_eq!(events, [text("Hello."), text("And on.")]);
}

#[test]
fn what_failed_changed_nothing() {
    let call = |status: &str| {
        update(json!({
            "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": status,
            "kind": "edit", "title": "write", "locations": [{"path": "/work/a"}],
        }))
    };
    let used =
        Event::ToolUse { tool: "write".to_owned(), deed: Deed::Edit, detail: "/work/a".to_owned() };
    let changed = Event::FileChange { path: "/work/a".to_owned() };
    let [failed, completed] = [["in_progress", "failed"], ["pending", "completed"]]
        .map(|[first, last]| heard(&[call(first), call(last)]));
    assert_eq!(completed, [used.clone(), changed]);
    assert_eq!(failed, [used]);
}

#[test]
fn a_flood_is_told_in_full_and_kept_in_part() {
    let calls: Vec<Value> = (0..2000)
        .map(|number| {
            let id = format!("c{number}");
            update(json!({"sessionUpdate": "tool_call", "toolCallId": id, "title": "think"}))
        })
        .collect();
    let told = heard(&calls);
    assert_eq!(told.len(), 2000 - 256, "the oldest are told to make room");
    let piece = json!({
        "sessionUpdate": "agent_message_chunk",
        "content": {"type": "text", "text": "x".repeat(100_000)},
    });
    let mut words = vec![update(piece); 50];
    words.push(json!({"id": 2, "result": {"stopReason": "end_turn"}}));
    let events = heard(&words);
    let [Event::Text { text }] = events.as_slice() else { panic!("{}", events.len()) };
    assert_eq!(text.chars().count(), 4001);
}

fn update(update: Value) -> Value {
    json!({"method": "session/update", "params": {"sessionId": "s", "update": update}})
}

/// What is answered to this question.
fn asked(question: &Value) -> Value {
    let Course::Say(answer) = working().line(&question.to_string(), &mut |_| {}) else {
        panic!("a question is answered")
    };
    assert!(answer.ends_with('\n') && answer.lines().count() == 1, "{answer}");
    serde_json::from_str(&answer).unwrap()
}

/// What is heard of these lines.
fn heard(lines: &[Value]) -> Vec<Event> {
    let (mut client, mut events) = (working(), Vec::new());
    for line in lines {
        client.line(&line.to_string(), &mut |event| events.push(event));
    }
    events
}

/// What the agent says of its end after these lines.
fn ended(lines: &[Value]) -> Said {
    let mut client = working();
    for line in lines {
        client.line(&line.to_string(), &mut |_| {});
    }
    client.said("", &mut |_| {})
}

/// A conversation in which the brief was given.
fn working() -> Client {
    let mut client = Client::new(&opencode::PROFILE, "Do it.", &Ways::inside("/work"));
    client.opening();
    let (_, stream) = recorded::ALL.iter().find(|(key, _)| *key == "opencode").unwrap();
    for line in stream.lines().take(2) {
        assert!(matches!(client.line(line, &mut |_| {}), Course::Say(_)), "{line}");
    }
    client
}
