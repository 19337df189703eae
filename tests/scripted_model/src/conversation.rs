//! A conversation: the content of a request, the same for every protocol.

use serde_json::Value;

use crate::fault::is_nonsense;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversation {
    /// The requested model, if the body names it.
    pub model: String,
    /// Messages and calls so far, without system instructions.
    pub items: Vec<Item>,
    pub tools: Vec<Offer>,
    pub answer: Answer,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A message of the user.
    User(String),
    /// A message of the model.
    Said(String),
    /// Tool calls of the model in one turn.
    Called(Vec<String>),
    /// A malformed call that a fault caused.
    Fumbled(String),
    Result(String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    pub name: String,
    pub schema: Value,
    pub calling: Calling,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Calling {
    /// With a JSON object.
    Function,
    /// With a JSON object, in a namespace.
    Grouped(String),
    /// With plain text.
    Freeform,
    /// As the protocol's built-in shell.
    LocalShell,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Answer {
    #[default]
    Free,
    /// JSON of this schema; an empty schema allows any.
    Json(Value),
}

impl Conversation {
    /// Adds a message in the user's role.
    ///
    /// Agents put notes in tags there; such a note is not a message.
    pub(crate) fn user(&mut self, text: String) {
        if !is_note(&text) {
            self.items.push(Item::User(text));
        }
    }

    /// Adds a call. Calls without a result between them belong to one turn.
    pub(crate) fn called(&mut self, tool: &str, input: &Value) {
        if is_nonsense(input) {
            self.items.push(Item::Fumbled(tool.to_owned()));
            return;
        }
        match self.items.last_mut() {
            Some(Item::Called(tools)) => tools.push(tool.to_owned()),
            Some(Item::User(_) | Item::Said(_) | Item::Fumbled(_) | Item::Result(_)) | None => {
                self.items.push(Item::Called(vec![tool.to_owned()]));
            }
        }
    }

    /// How often the model had its turn.
    pub(crate) fn turns(&self) -> u64 {
        let is_turn =
            |item: &&Item| matches!(item, Item::Said(_) | Item::Called(_) | Item::Fumbled(_));
        u64::try_from(self.items.iter().filter(is_turn).count()).unwrap_or(u64::MAX)
    }

    pub fn last_result(&self) -> Option<&str> {
        self.items.iter().rev().find_map(|item| match item {
            Item::Result(text) => Some(text.as_str()),
            Item::User(_) | Item::Said(_) | Item::Called(_) | Item::Fumbled(_) => None,
        })
    }
}

/// All text of a content value, in any of the usual wrappings.
pub(crate) fn plain(content: &Value) -> String {
    match content {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let parts: Vec<String> = parts.iter().map(plain).collect();
            parts.join("\n")
        }
        Value::Object(parts) => {
            let wrapped = ["text", "content", "output"].iter().find_map(|name| parts.get(*name));
            wrapped.map_or_else(|| content.to_string(), plain)
        }
        Value::Bool(_) | Value::Number(_) => content.to_string(),
    }
}

/// A text member of a request, or empty.
pub(crate) fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A list member of a request, or empty.
pub(crate) fn list<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

/// Whether a text consists only of tagged elements.
fn is_note(text: &str) -> bool {
    let mut rest = text.trim();
    while !rest.is_empty() {
        let Some((tag, inside)) = rest.strip_prefix('<').and_then(|rest| rest.split_once('>'))
        else {
            return false;
        };
        let name = tag.split_whitespace().next().unwrap_or_default();
        let Some((_, after)) = inside.split_once(&format!("</{name}")) else { return false };
        let Some((_, after)) = after.split_once('>') else { return false };
        rest = after.trim_start();
    }
    true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_note_of_the_agent_is_no_message() {
        let mut conversation = Conversation::default();
        for (text, speaks) in [
            ("<system-reminder>\nbe brief\n</system-reminder>", "no"),
            ("<a>1</a>\n <b x=\"y\">2</b>", "no"),
            ("", "no"),
            ("<a>1</a> and do this", "yes"),
            ("do this", "yes"),
            ("a < b and b > c", "yes"),
            ("<a>never closed", "yes"),
            ("<", "yes"),
        ] {
            conversation.items.clear();
            conversation.user(text.to_owned());
            let spoke = if conversation.items.is_empty() { "no" } else { "yes" };
            assert_eq!(spoke, speaks, "{text}");
        }
    }

    #[test]
    fn calls_are_told_from_fumbles_and_those_of_one_turn_are_together() {
        let mut conversation = Conversation::default();
        conversation.called("read", &json!({}));
        conversation.called("grep", &json!("{}"));
        conversation.items.push(Item::Result("a".to_owned()));
        conversation.called("write", &json!({"not_in_the_schema": true}));
        conversation.called("write", &json!("{\"not_in_the_schema\": true}"));
        conversation.called("write", &json!({"path": "a"}));
        let expected = [
            Item::Called(vec!["read".to_owned(), "grep".to_owned()]),
            Item::Result("a".to_owned()),
            Item::Fumbled("write".to_owned()),
            Item::Fumbled("write".to_owned()),
            Item::Called(vec!["write".to_owned()]),
        ];
        assert_eq!(conversation.items, expected);
        assert_eq!(conversation.last_result(), Some("a"));
    }

    #[test]
    fn text_is_found_however_it_is_wrapped() {
        let wrapped =
            json!(["a", {"type": "text", "text": "b"}, {"content": [{"output": "c"}]}, 7, null]);
        assert_eq!(plain(&wrapped), "a\nb\nc\n7\n");
        assert_eq!(plain(&json!({"other": 1})), r#"{"other":1}"#);
    }
}
