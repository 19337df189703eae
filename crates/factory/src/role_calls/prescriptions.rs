//! Finds proposals in the words of roles that only report: scouts and auditors.

use serde_json::Value;

/// Refuses an answer in which some text says what to change.
pub(crate) fn prescribes_nothing(answer: &Value) -> Result<(), String> {
    match answer {
        Value::String(text) => match PHRASES.iter().find(|phrase| says(text, phrase)) {
            Some(phrase) => {
                Err(format!("report what is, and propose nothing: `{phrase}` in `{}`", cut(text)))
            }
            None => Ok(()),
        },
        Value::Array(items) => items.iter().try_for_each(prescribes_nothing),
        Value::Object(members) => members.values().try_for_each(prescribes_nothing),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

/// Whether the words of `phrase` stand in `text` one after another.
fn says(text: &str, phrase: &str) -> bool {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let phrase: Vec<&str> = phrase.split(' ').collect();
    words.windows(phrase.len()).any(|window| window.iter().eq(&phrase))
}

fn cut(text: &str) -> String {
    text.chars().take(80).collect()
}

/// Each is a proposal wherever it stands.
const PHRASES: [&str; 18] = [
    "i suggest",
    "i propose",
    "i recommend",
    "i would change",
    "you should",
    "we should",
    "you could",
    "should be changed",
    "should be replaced",
    "should be removed",
    "should be rewritten",
    "needs to be changed",
    "needs to be rewritten",
    "must be changed to",
    "to fix this",
    "to fix it",
    "the fix is",
    "a better design",
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_proposal_is_found_wherever_it_stands() {
        for text in ["I suggest a cache.", "the loop (you should unroll it)", "TO FIX IT, add one"]
        {
            assert!(prescribes_nothing(&json!({"findings": [{"note": text}]})).is_err(), "{text}");
        }
        for text in [
            "fees are computed by the hour",
            "the docs say callers should pass minutes",
            "fixed in 2019",
        ] {
            assert_eq!(
                prescribes_nothing(&json!({"findings": [{"note": text}]})),
                Ok(()),
                "{text}"
            );
        }
    }
}
