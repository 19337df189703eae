//! A conversation: what a request says, the same for every protocol.

use serde_json::Value;

use crate::fault::is_nonsense;

/// What a request says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversation {
    /// The model that is asked for, where the request itself says it.
    pub model: String,
    /// What was said and done so far, without instructions to the model.
    pub items: Vec<Item>,
    /// The tools on offer.
    pub tools: Vec<Offer>,
    /// What the answer must look like.
    pub answer: Answer,
}

/// One thing that was said or done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// The user spoke.
    User(String),
    /// The model spoke.
    Said(String),
    /// The model called tools, in one turn.
    Called(Vec<String>),
    /// The model called a tool with nonsense, because a fault had it so.
    Fumbled(String),
    /// A tool came back with something.
    Result(String),
}

/// A tool on offer.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// What the agent calls it.
    pub name: String,
    /// The shape of its input.
    pub schema: Value,
    /// How it is called.
    pub calling: Calling,
}

/// How a tool is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Calling {
    /// With a JSON object.
    Function,
    /// With a JSON object, under the name of a group.
    Grouped(String),
    /// With plain text.
    Freeform,
    /// With the protocol's own word for a shell.
    LocalShell,
}

/// What an answer must look like.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Answer {
    /// Nothing was asked for.
    #[default]
    Free,
    /// JSON of this schema; an empty one leaves the shape open.
    Json(Value),
}

impl Conversation {
    /// Takes in what stands in the place of the user.
    ///
    /// Agents put notes of their own there, wrapped in tags. Such a note is nobody speaking.
    pub(crate) fn user(&mut self, text: String) {
        if !is_note(&text) {
            self.items.push(Item::User(text));
        }
    }

    /// Takes in a call. Calls that no result stands between were made in one turn.
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

    /// What a tool said last.
    pub fn last_result(&self) -> Option<&str> {
        self.items.iter().rev().find_map(|item| match item {
            Item::Result(text) => Some(text.as_str()),
            Item::User(_) | Item::Said(_) | Item::Called(_) | Item::Fumbled(_) => None,
        })
    }
}

/// All text in a piece of content, whichever of the usual ways it is wrapped.
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

/// A text in a request; what is missing or something else is empty.
pub(crate) fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A list in a request; what is missing or something else is empty.
pub(crate) fn list<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

/// Whether a text consists of tagged elements and nothing else.
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
    fn an_agents_own_note_is_nobody_speaking() {
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
