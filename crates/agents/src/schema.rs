//! The shape an answer must have: a JSON Schema in the subset that every provider holds to.
//!
//! Some providers enforce schemas only in a strict form, and some of our routes have no enforcement at all. So
//! schemas are written in that form, and every answer is checked here, whatever was promised on the way.

use std::sync::Arc;

use serde_json::Value;

/// A schema that was checked, ready to check answers.
#[derive(Clone, Debug)]
pub struct AnswerSchema {
    text: Arc<Value>,
    validator: Arc<jsonschema::Validator>,
}

/// Why a schema cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// It is no schema.
    #[error("not a JSON Schema: {why}")]
    NoSchema { why: String },
    /// It says something that not every provider holds to.
    #[error("at `{place}` the schema {why}")]
    NotStrict { place: String, why: &'static str },
}

impl SchemaError {
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NoSchema { .. } => None,
            Self::NotStrict { .. } => Some(
                "make every object closed (`additionalProperties: false`), every property required, and leave \
                 `format` out; a property that may be missing has the types of its value and `null`"
                    .to_owned(),
            ),
        }
    }
}

impl AnswerSchema {
    /// Takes a schema that holds to the strict form.
    pub fn new(schema: Value) -> Result<Self, SchemaError> {
        strict(&schema, "", 0)?;
        if schema.get("type") != Some(&Value::from("object")) {
            return Err(SchemaError::NotStrict {
                place: "/".to_owned(),
                why: "is not of an object",
            });
        }
        let validator = jsonschema::validator_for(&relaxed(&schema))
            .map_err(|error| SchemaError::NoSchema { why: error.to_string() })?;
        Ok(Self { text: Arc::new(schema), validator: Arc::new(validator) })
    }

    pub fn value(&self) -> &Value {
        &self.text
    }

    /// Checks an answer; what is wrong with it is told in words a model can act on.
    pub fn check(&self, answer: &Value) -> Result<(), Vec<String>> {
        let problems: Vec<String> = self
            .validator
            .iter_errors(answer)
            .take(PROBLEMS_MAX)
            .map(|error| {
                let place = error.instance_path().to_string();
                let place = if place.is_empty() { "the answer".to_owned() } else { place };
                crate::outcome::shortened(&format!("{place}: {error}"))
            })
            .collect();
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }
}

impl PartialEq for AnswerSchema {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// The same schema, in which a property that may be null may be missing. Providers know no such property, and programs
/// that play a part leave it out.
fn relaxed(schema: &Value) -> Value {
    match schema {
        Value::Array(parts) => parts.iter().map(relaxed).collect(),
        Value::Object(parts) => {
            let mut parts: serde_json::Map<String, Value> =
                parts.iter().map(|(name, part)| (name.clone(), relaxed(part))).collect();
            let may_miss = |name: &Value| {
                let kind =
                    name.as_str().and_then(|name| parts.get("properties")?.get(name)?.get("type"));
                kind.and_then(Value::as_array)
                    .is_some_and(|kinds| kinds.iter().any(|it| it == "null"))
            };
            let required = parts.get("required").and_then(Value::as_array).cloned();
            let required =
                required.map(|names| names.into_iter().filter(|name| !may_miss(name)).collect());
            if let Some(required) = required {
                parts.insert("required".to_owned(), required);
            }
            Value::Object(parts)
        }
        other => other.clone(),
    }
}

/// Whether every object is closed and every property required, at any depth.
fn strict(schema: &Value, place: &str, depth: usize) -> Result<(), SchemaError> {
    let refuse = |why| {
        let place = if place.is_empty() { "/".to_owned() } else { place.to_owned() };
        Err(SchemaError::NotStrict { place, why })
    };
    if depth > DEPTH_MAX {
        return refuse("is too deep");
    }
    let parts = match schema {
        Value::Object(parts) => parts,
        Value::Array(parts) => {
            return parts
                .iter()
                .enumerate()
                .try_for_each(|(nth, part)| strict(part, &format!("{place}/{nth}"), depth + 1));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return Ok(()),
    };
    for banned in ["format", "$ref", "patternProperties", "oneOf", "allOf", "not", "if"] {
        // A property may have any name; a keyword may not.
        if parts.contains_key(banned) && !place.ends_with("/properties") {
            return refuse("uses a keyword that not every provider knows");
        }
    }
    let is_object = parts.get("type").is_some_and(|kind| match kind {
        Value::String(kind) => kind == "object",
        Value::Array(kinds) => kinds.iter().any(|kind| kind == "object"),
        _ => false,
    });
    if is_object && !place.ends_with("/properties") {
        if parts.get("additionalProperties") != Some(&Value::Bool(false)) {
            return refuse("leaves an object open");
        }
        let required: Vec<&str> = parts
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let properties = parts.get("properties").and_then(Value::as_object);
        if !properties.into_iter().flatten().all(|(name, _)| required.contains(&name.as_str())) {
            return refuse("has a property that is not required");
        }
    }
    parts
        .iter()
        // What a value may be is no schema.
        .filter(|(name, _)| {
            place.ends_with("/properties")
                || !matches!(name.as_str(), "enum" | "const" | "required")
        })
        .try_for_each(|(name, part)| strict(part, &format!("{place}/{name}"), depth + 1))
}

const PROBLEMS_MAX: usize = 8;
const DEPTH_MAX: usize = 24;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn verdict() -> Value {
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["verdict", "reasons"],
            "properties": {
                "verdict": {"type": "string", "enum": ["accept", "reject"]},
                "reasons": {"type": "array", "items": {"type": "string", "maxLength": 200}},
            },
        })
    }

    #[test]
    fn an_answer_is_checked_and_told_what_is_wrong() {
        let schema = AnswerSchema::new(verdict()).unwrap();
        assert_eq!(schema.check(&json!({"verdict": "accept", "reasons": []})), Ok(()));
        let problems = schema.check(&json!({"verdict": "maybe", "reasons": [1]})).unwrap_err();
        assert_eq!(problems.len(), 2);
        assert!(
            problems.iter().any(|problem| problem.starts_with("/verdict: \"maybe\"")),
            "{problems:?}"
        );
        let problems = schema.check(&json!({"verdict": "accept"})).unwrap_err();
        assert!(problems[0].starts_with("the answer: "), "{problems:?}");
    }

    #[test]
    fn a_schema_that_some_provider_would_not_hold_to_is_refused() {
        for (place, value) in [
            ("/additionalProperties", json!(true)),
            ("/required", json!(["verdict"])),
            ("/properties/verdict/format", json!("email")),
            ("/type", json!("array")),
        ] {
            let mut schema = verdict();
            let (parent, name) = place.rsplit_once('/').unwrap();
            schema.pointer_mut(parent).unwrap()[name] = value;
            let error = AnswerSchema::new(schema).unwrap_err();
            assert!(error.hint().is_some(), "{place}: {error}");
        }
        assert!(AnswerSchema::new(json!({"type": 7})).is_err());
    }

    #[test]
    fn what_may_be_null_may_be_missing() {
        let schema = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["sure", "draft"],
            "properties": {
                "sure": {"type": "boolean"},
                "draft": {
                    "type": ["object", "null"],
                    "additionalProperties": false,
                    "required": ["text"],
                    "properties": {"text": {"type": "string"}},
                },
            },
        });
        let schema = AnswerSchema::new(schema).unwrap();
        let drafts = [json!({}), json!({"draft": null}), json!({"draft": {"text": "a"}})];
        for mut draft in drafts {
            draft["sure"] = json!(true);
            assert_eq!(schema.check(&draft), Ok(()), "{draft}");
        }
        for wrong in [json!({"draft": null}), json!({"sure": true, "draft": {}})] {
            assert!(schema.check(&wrong).is_err(), "{wrong}");
        }
        let told = &schema.value()["required"];
        assert_eq!(*told, json!(["sure", "draft"]), "providers are told the strict form");
    }

    #[test]
    fn a_property_may_be_called_like_a_keyword() {
        let schema = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["format", "type"],
            "properties": {"format": {"type": "string"}, "type": {"type": "string"}},
        });
        AnswerSchema::new(schema).unwrap();
    }

    #[test]
    fn a_schema_deeper_than_the_bound_is_refused() {
        let mut schema = json!({"type": "string"});
        for _ in 0..100 {
            schema = json!({"type": "array", "items": schema});
        }
        assert!(AnswerSchema::new(schema).is_err());
    }
}
