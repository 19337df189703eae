//! Pieces of answer schemas, and pieces of answers that several calls share.

use sealwright_kernel::Cheat;
use sealwright_kernel::task::{Phase, Residue, ResidueKind};
use serde::Deserialize;
use serde_json::{Value, json};

/// A finding no test can settle.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResidueAnswer {
    kind: ResidueKind,
    what: String,
}

impl From<ResidueAnswer> for Residue {
    fn from(answer: ResidueAnswer) -> Self {
        Self { kind: answer.kind, what: answer.what }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheatAnswer {
    cheat: Cheat,
    what: String,
}

impl From<CheatAnswer> for (Cheat, String) {
    fn from(answer: CheatAnswer) -> Self {
        (answer.cheat, answer.what)
    }
}

/// An object with exactly these members, all required: providers' schemas have no optional members.
pub(super) fn object(properties: Value) -> Value {
    let required: Vec<String> =
        properties.as_object().map(|it| it.keys().cloned().collect()).unwrap_or_default();
    json!({
        "type": "object", "additionalProperties": false, "required": required, "properties": properties,
    })
}

/// A value that may be missing.
pub(super) fn or_null(mut schema: Value) -> Value {
    schema["type"] = json!([schema["type"], "null"]);
    schema
}

pub(super) fn text() -> Value {
    json!({"type": "string"})
}

pub(super) fn texts() -> Value {
    list(text())
}

pub(super) fn list(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

pub(super) fn one_of<const N: usize>(names: [&str; N]) -> Value {
    let names: &[&str] = &names;
    json!({"type": "string", "enum": names})
}

/// The phases that a role in `phase` may propose.
pub(super) fn next(phase: Phase) -> Value {
    let names: Vec<&str> = phase.next().iter().map(|phase| phase.name()).collect();
    json!({"type": "string", "enum": names})
}

pub(super) fn yes_or_no() -> Value {
    json!({"type": "boolean"})
}

pub(super) fn count(minimum: u32) -> Value {
    json!({"type": "integer", "minimum": minimum})
}

pub(super) fn percent() -> Value {
    json!({"type": "integer", "minimum": 0, "maximum": 100})
}

pub(super) fn residue() -> Value {
    list(object(
        json!({"kind": one_of(["security", "concurrency", "architecture"]), "what": text()}),
    ))
}

pub(super) fn cheats() -> Value {
    let names = Cheat::ALL.map(Cheat::name);
    list(object(json!({"cheat": one_of(names), "what": text()})))
}
