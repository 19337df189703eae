//! JSON-RPC, one message a line: what comes in is told apart, what goes out is put together.

use agent_client_protocol_schema::v1::RequestId;
use serde::Serialize;
use serde_json::{Value, json};

use crate::adapters::words::text;

#[derive(Debug, PartialEq)]
pub(super) enum Heard {
    /// It wants to know something.
    Question { id: RequestId, method: String, params: Value },
    /// It tells something.
    Notice { method: String, params: Value },
    /// It answers one of our questions.
    Answer {
        id: i64,
        /// With what, or why not.
        result: Result<Value, String>,
    },
    /// It is no message of the protocol.
    Noise,
}

pub(super) fn heard(line: &str) -> Heard {
    let Ok(Value::Object(mut message)) = serde_json::from_str::<Value>(line) else {
        return Heard::Noise;
    };
    let id = message.remove("id").map(serde_json::from_value::<RequestId>);
    let method = message.remove("method");
    let mut part = |name: &str| message.remove(name).unwrap_or(Value::Null);
    match (id, method) {
        (Some(Ok(id)), Some(Value::String(method))) if is_short(&id) => {
            Heard::Question { id, method, params: part("params") }
        }
        (None, Some(Value::String(method))) => Heard::Notice { method, params: part("params") },
        (Some(Ok(RequestId::Number(id))), None) => match part("error") {
            Value::Null => Heard::Answer { id, result: Ok(part("result")) },
            error => Heard::Answer { id, result: Err(complaint(&error)) },
        },
        (Some(Ok(_) | Err(_)), None | Some(_)) | (None, None | Some(_)) => Heard::Noise,
    }
}

pub(super) fn question(id: i64, method: &str, params: &impl Serialize) -> String {
    line(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": value(params)}))
}

pub(super) fn answer(id: &RequestId, result: &impl Serialize) -> String {
    line(json!({"jsonrpc": "2.0", "id": id, "result": value(result)}))
}

/// Says that we do not do that.
pub(super) fn refusal(id: &RequestId, method: &str) -> String {
    let method: String = method.chars().take(METHOD_MAX).collect();
    let message = format!("this client does not offer `{method}`; do it yourself");
    let error = json!({"code": METHOD_NOT_FOUND, "message": message});
    line(json!({"jsonrpc": "2.0", "id": id, "error": error}))
}

/// An error in words, with what is said beside it.
fn complaint(error: &Value) -> String {
    let (message, data) = (text(error, "/message"), &error["data"]);
    let code = error["code"].as_i64().map(|code| format!(" ({code})")).unwrap_or_default();
    match data {
        Value::Null => format!("{message}{code}"),
        Value::String(data) => format!("{message}{code}: {data}"),
        data => format!("{message}{code}: {data}"),
    }
}

fn value(of: &impl Serialize) -> Value {
    serde_json::to_value(of).expect("messages of the protocol hold only text, numbers and lists")
}

fn line(message: Value) -> String {
    format!("{message}\n")
}

/// An id is said back, so there is an end to its length.
fn is_short(id: &RequestId) -> bool {
    match id {
        RequestId::Null | RequestId::Number(_) => true,
        RequestId::Str(id) => id.len() <= ID_BYTES_MAX,
    }
}

const METHOD_NOT_FOUND: i32 = -32601;
const ID_BYTES_MAX: usize = 256;
const METHOD_MAX: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        let question = heard(r#"{"jsonrpc":"2.0","id":"a","method":"fs/x","params":{"p":1}}"#);
        let id = RequestId::Str("a".to_owned());
        assert_eq!(
            question,
            Heard::Question { id, method: "fs/x".to_owned(), params: json!({"p": 1}) }
        );
        let notice = heard(r#"{"method":"session/update"}"#);
        assert_eq!(
            notice,
            Heard::Notice { method: "session/update".to_owned(), params: Value::Null }
        );
        assert_eq!(
            heard(r#"{"id":2,"result":{"a":1}}"#),
            Heard::Answer { id: 2, result: Ok(json!({"a": 1})) }
        );
        assert_eq!(
            heard(r#"{"id":2,"error":{"code":-32000,"message":"no","data":{"details":"401"}}}"#),
            Heard::Answer { id: 2, result: Err(r#"no (-32000): {"details":"401"}"#.to_owned()) }
        );
        let long = format!(r#"{{"id":"{}","method":"m"}}"#, "x".repeat(ID_BYTES_MAX + 1));
        for noise in ["", "Loading…", "[]", "{}", r#"{"id":1.5,"method":"m"}"#, &long] {
            assert_eq!(heard(noise), Heard::Noise, "{noise}");
        }
    }
}
