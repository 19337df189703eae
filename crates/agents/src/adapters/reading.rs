//! Reading an answer out of a text, and saying what is wrong with it in words its author can act on.

use serde_json::Value;

use crate::AnswerSchema;

/// Why a text is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unreadable {
    /// It is no JSON.
    NotJson { why: String },
    /// It is JSON of another shape.
    WrongShape { problems: Vec<String> },
}

/// The answer that a text is, bare or inside one fence.
pub(super) fn read(text: &str, schema: &AnswerSchema) -> Result<Value, Unreadable> {
    let answer = serde_json::from_str(unfenced(text))
        .map_err(|error| Unreadable::NotJson { why: error.to_string() })?;
    schema.check(&answer).map_err(|problems| Unreadable::WrongShape { problems })?;
    Ok(answer)
}

impl Unreadable {
    pub(super) fn told(&self) -> String {
        match self {
            Self::NotJson { why } => format!("the answer is not one JSON value: {why}"),
            Self::WrongShape { problems } => format!(
                "the answer does not have the shape that was asked for:\n- {}",
                problems.join("\n- ")
            ),
        }
    }
}

/// What stands inside a fence that is around everything; models put one there out of habit.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inside = text
        .strip_prefix("```")
        .and_then(|rest| rest.strip_suffix("```"))
        .and_then(|rest| rest.split_once('\n'));
    match inside {
        Some((word, inside)) if matches!(word.trim(), "" | "json" | "JSON") => inside,
        Some(_) | None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_counts_bare_or_in_one_fence_and_in_no_other_dress() {
        let schema = AnswerSchema::new(json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["done"],
            "properties": {"done": {"type": "boolean"}},
        }))
        .unwrap();
        for text in [
            r#"{"done":true}"#,
            " \n{\"done\":true}\n",
            "```json\n{\"done\":true}\n```",
            "```\n{\"done\":true}\n```\n",
        ] {
            assert_eq!(read(text, &schema), Ok(json!({"done": true})), "{text}");
        }
        for text in [
            "",
            "```",
            "``````",
            "```json```",
            "Here it is: {\"done\":true}",
            "{\"done\":true} {\"done\":true}",
            "```python\n{\"done\":true}\n```",
        ] {
            assert!(matches!(read(text, &schema), Err(Unreadable::NotJson { .. })), "{text}");
        }
        let wrong = read(r#"{"done":"yes"}"#, &schema).unwrap_err();
        assert_eq!(
            wrong.told(),
            "the answer does not have the shape that was asked for:\n- /done: \"yes\" is not of type \"boolean\""
        );
    }
}
