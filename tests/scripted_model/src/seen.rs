//! Observations of each request, for tests of agents.

use std::collections::BTreeMap;

use hyper::HeaderMap;
use serde::Serialize;
use serde_json::Value;

use crate::{Answer, Conversation, Fault, Protocol, Served};

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Seen {
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The protocol, if the path determines it.
    pub protocol: Option<Protocol>,
    /// Relevant headers by lower-case name: keys and versions.
    pub headers: BTreeMap<String, String>,
    pub tools: Vec<String>,
    pub last_result: Option<String>,
    /// The required schema of the answer.
    pub answer_schema: Option<Value>,
    /// The name of the matching script; a single script has none.
    pub piece: Option<String>,
    pub called: Option<String>,
    pub served: Option<Served>,
    /// The fault that struck.
    pub fault: Option<Fault>,
    pub status: u16,
    /// The body; null if it was not read or is no longer kept.
    pub body: Value,
}

impl Seen {
    /// The part known before the body is read.
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

    /// Adds the content of the conversation.
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
    "chatgpt-account-id",
    "content-encoding",
    "user-agent",
];
