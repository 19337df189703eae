//! A minimal value for a schema, for members that a script does not set.

use serde_json::{Map, Value, json};

use crate::conversation::list;

/// The minimal value for a schema. Contradictory schemas get some value.
pub(crate) fn instance(schema: &Value) -> Value {
    Filling { whole: schema }.value(schema, "value", 0)
}

/// A value for one property of a schema.
pub(crate) fn property(schema: &Value, name: &str) -> Value {
    let part = schema.pointer("/properties").and_then(|parts| parts.get(name));
    Filling { whole: schema }.value(part.unwrap_or(&Value::Null), name, 0)
}

struct Filling<'s> {
    whole: &'s Value,
}

impl Filling<'_> {
    fn value(&self, schema: &Value, name: &str, depth: usize) -> Value {
        // A schema may refer to itself.
        if depth > DEPTH_MAX {
            return Value::Null;
        }
        if let Some(place) = schema.get("$ref").and_then(Value::as_str) {
            let place = place.strip_prefix('#').unwrap_or(place);
            let meant = self.whole.pointer(place).unwrap_or(&Value::Null);
            return self.value(meant, name, depth + 1);
        }
        if let Some(only) = schema.get("const") {
            return only.clone();
        }
        let first = |word: &str| schema.get(word).and_then(|list| list.get(0));
        if let Some(one) = first("enum") {
            return one.clone();
        }
        if let Some(one) = ["anyOf", "oneOf", "allOf"].into_iter().find_map(first) {
            return self.value(one, name, depth + 1);
        }
        match kind(schema).as_str() {
            "object" => self.object(schema, depth),
            "array" => match schema.get("minItems").and_then(Value::as_u64) {
                Some(1..) => {
                    let one = schema.get("items").unwrap_or(&Value::Null);
                    json!([self.value(one, name, depth + 1)])
                }
                Some(0) | None => json!([]),
            },
            "integer" | "number" => schema.get("minimum").cloned().unwrap_or(json!(1)),
            "boolean" => json!(true),
            "null" => Value::Null,
            _ => json!(format!("some {name}")),
        }
    }

    fn object(&self, schema: &Value, depth: usize) -> Value {
        let required: Vec<&str> = list(schema, "required").filter_map(Value::as_str).collect();
        let parts = schema.get("properties").and_then(Value::as_object);
        let filled: Map<String, Value> = parts
            .into_iter()
            .flatten()
            .filter(|(name, _)| required.contains(&name.as_str()))
            .map(|(name, part)| (name.clone(), self.value(part, name, depth + 1)))
            .collect();
        Value::Object(filled)
    }
}

/// The type of a schema in lower case; some providers write upper case.
fn kind(schema: &Value) -> String {
    let said = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str),
        Some(kind) => kind.as_str(),
        None => None,
    };
    match said {
        Some(kind) => kind.to_lowercase(),
        None if schema.get("properties").is_some() => "object".to_owned(),
        None => "string".to_owned(),
    }
}

const DEPTH_MAX: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_what_is_required_and_nothing_else() {
        let schema = json!({
            "type": "OBJECT",
            "required": ["verdict", "lines", "score", "who", "is_sure", "notes"],
            "properties": {
                "verdict": {"enum": ["accept", "reject"]},
                "lines": {"type": "array", "minItems": 1, "items": {"type": "integer", "minimum": 3}},
                "score": {"anyOf": [{"type": "number"}, {"type": "null"}]},
                "who": {"$ref": "#/$defs/who"},
                "is_sure": {"type": ["boolean", "null"]},
                "notes": {"type": "array", "items": {"type": "string"}},
                "more": {"type": "string"},
            },
            "$defs": {"who": {"type": "string"}},
        });
        let expected = json!({
            "verdict": "accept", "lines": [3], "score": 1, "who": "some who", "is_sure": true, "notes": [],
        });
        assert_eq!(instance(&schema), expected);
    }

    #[test]
    fn a_schema_that_refers_to_itself_comes_to_an_end() {
        let schema = json!({"required": ["next"], "properties": {"next": {"$ref": "#"}}});
        assert!(instance(&schema).is_object());
        assert_eq!(instance(&json!({"$ref": "#"})), Value::Null);
    }

    #[test]
    fn no_schema_at_all_still_gets_something() {
        assert_eq!(instance(&json!({})), json!("some value"));
        assert_eq!(instance(&json!(7)), json!("some value"));
        assert_eq!(property(&json!({}), "description"), json!("some description"));
    }
}
