//! What was seen of each request: what a test can hold an agent to.

use std::collections::BTreeMap;

use hyper::HeaderMap;
use serde::Serialize;
use serde_json::Value;

use crate::{Answer, Conversation, Fault, Protocol, Served};

/// A request, and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Seen {
    /// GET, POST and so on.
    pub method: String,
    /// The path, with whatever follows a question mark.
    pub path: String,
    /// What was spoken; nothing where the path says nothing of it.
    pub protocol: Option<Protocol>,
    /// Headers that matter, by their names in lower case: who asks, and in which version.
    pub headers: BTreeMap<String, String>,
    /// The tools on offer.
    pub tools: Vec<String>,
    /// What a tool said last.
    pub last_result: Option<String>,
    /// The shape that was asked for.
    pub answer_schema: Option<Value>,
    /// The piece of the repertoire that was meant, if one was; a script that is played alone has no name.
    pub piece: Option<String>,
    /// What the reply did: the tool it called, if it called one.
    pub called: Option<String>,
    /// Where the reply came from, if there was one.
    pub served: Option<Served>,
    /// What went wrong with it on purpose.
    pub fault: Option<Fault>,
    /// The status of the reply.
    pub status: u16,
    /// The request itself; null where it was not read, or no longer kept.
    pub body: Value,
}

impl Seen {
    /// What can be seen before a body is read.
    pub(crate) fn head(method: &str, path: &str, headers: &HeaderMap) -> Self {
        let headers = HEADERS.iter().filter_map(|name| {
            let value = headers.get(*name)?;
            Some(((*name).to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        });
        Self {
            method: method.to_owned(),
            path: path.to_owned(),
            protocol: None,
            headers: headers.collect(),
            tools: Vec::new(),
            last_result: None,
            answer_schema: None,
            piece: None,
            called: None,
            served: None,
            fault: None,
            status: 200,
            body: Value::Null,
        }
    }

    /// What a conversation adds.
    pub(crate) fn with(mut self, conversation: &Conversation) -> Self {
        self.tools = conversation.tools.iter().map(|offer| offer.name.clone()).collect();
        self.last_result = conversation.last_result().map(str::to_owned);
        self.answer_schema = match &conversation.answer {
            Answer::Free => None,
            Answer::Json(schema) => Some(schema.clone()),
        };
        self
    }
}

const HEADERS: &[&str] = &[
    "authorization",
    "x-api-key",
    "x-goog-api-key",
    "anthropic-version",
    "anthropic-beta",
    "content-encoding",
    "user-agent",
];
