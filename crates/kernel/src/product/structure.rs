//! The structure of a draft: every field that is missing, empty, unknown or of the wrong kind, by its path.

use alloc::format;
use alloc::string::{String, ToString as _};

use serde_json::{Map, Value};

use super::Report;

/// A kind of element: its fields, and what its lists hold.
struct Element {
    fields: &'static [(&'static str, Field)],
}

enum Field {
    Text,
    Texts,
    /// A list of texts that may be left out.
    Optional,
    Part(&'static Element),
    List(&'static Element),
}

pub(super) fn check(value: &Value, report: &mut Report) {
    element(&SPEC, value, "", report);
    // A field that nobody knows is needed by nobody.
    for wrong in report.errors.iter_mut().filter(|it| it.message != UNKNOWN) {
        if let Some((id, name)) = task_at(value, &wrong.path) {
            wrong.message.push_str(&format!("; needed by {id} \"{name}\""));
        }
    }
}

/// The task at a path of the spec, or the first one below it: a task file needs every field above its task.
fn task_at(value: &Value, path: &str) -> Option<(String, String)> {
    let mut at = value;
    let mut is_task = false;
    for part in path.split('.').filter(|it| !it.is_empty()) {
        let (list, nth) = part.strip_suffix(']')?.split_once('[')?;
        at = at.get(list)?.get(nth.parse::<usize>().ok()?)?;
        is_task = list == "tasks";
        if is_task {
            break;
        }
    }
    for list in ["pillars", "epics", "stories", "tasks"] {
        if let Some(first) = at.get(list).and_then(|it| it.get(0)).filter(|_| !is_task) {
            at = first;
            is_task = list == "tasks";
        }
    }
    let text = |name: &str| -> Option<String> {
        Some(at.get(name)?.as_str()?.chars().take(NAME_MAX).collect())
    };
    Some((text("task_id")?, text("name").unwrap_or_default())).filter(|_| is_task)
}

fn element(kind: &Element, value: &Value, path: &str, report: &mut Report) {
    let Value::Object(map) = value else {
        report.error(path, "", format!("an object is needed here, not {}", kind_of(value)));
        return;
    };
    for (name, field) in kind.fields {
        match map.get(*name) {
            Some(value) => one(field, value, (path, name), report),
            None if matches!(field, Field::Optional) => {}
            None => report.error(path, name, format!("`{name}` is missing")),
        }
    }
    unknown(kind, map, path, report);
}

fn one(field: &Field, value: &Value, (path, name): (&str, &str), report: &mut Report) {
    match (field, value) {
        (Field::Text, Value::String(text)) => filled(text, (path, name), report),
        (Field::Texts | Field::Optional, Value::Array(items)) => {
            for (nth, item) in items.iter().enumerate() {
                let name = format!("{name}[{nth}]");
                one(&Field::Text, item, (path, &name), report);
            }
        }
        (Field::Part(kind), value) => element(kind, value, &joined(path, name), report),
        (Field::List(kind), Value::Array(items)) => {
            for (nth, item) in items.iter().enumerate() {
                element(kind, item, &joined(path, &format!("{name}[{nth}]")), report);
            }
        }
        (Field::Text, other) => {
            report.error(path, name, format!("a text is needed here, not {}", kind_of(other)));
        }
        (Field::Texts | Field::Optional | Field::List(_), other) => {
            report.error(path, name, format!("a list is needed here, not {}", kind_of(other)));
        }
    }
}

fn filled(text: &str, (path, name): (&str, &str), report: &mut Report) {
    if text.trim().is_empty() {
        report.error(path, name, format!("`{name}` is empty"));
    }
}

fn unknown(kind: &Element, map: &Map<String, Value>, path: &str, report: &mut Report) {
    let is_known = |name: &&String| kind.fields.iter().any(|(known, _)| known == name);
    for name in map.keys().filter(|name| !is_known(name)).take(UNKNOWN_MAX) {
        let shown: String = name.chars().take(NAME_MAX).collect();
        report.error(path, &shown, UNKNOWN.to_string());
    }
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_string() } else { format!("{path}.{name}") }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

static SPEC: Element = Element {
    fields: &[
        ("spec_id", Field::Text),
        ("spec_version", Field::Text),
        ("title", Field::Text),
        ("description", Field::Text),
        ("created_at", Field::Text),
        ("updated_at", Field::Text),
        ("pillars", Field::List(&PILLAR)),
    ],
};
static PILLAR: Element = Element {
    fields: &[
        ("pillar_id", Field::Text),
        ("name", Field::Text),
        ("description", Field::Text),
        ("rationale", Field::Text),
        ("epics", Field::List(&EPIC)),
    ],
};
static EPIC: Element = Element {
    fields: &[
        ("epic_id", Field::Text),
        ("name", Field::Text),
        ("description", Field::Text),
        ("success_criteria", Field::Texts),
        ("stories", Field::List(&STORY)),
    ],
};
static STORY: Element = Element {
    fields: &[
        ("story_id", Field::Text),
        ("name", Field::Text),
        ("description", Field::Text),
        ("user_facing_behavior", Field::Text),
        ("tasks", Field::List(&TASK)),
    ],
};
static TASK: Element = Element {
    fields: &[
        ("task_id", Field::Text),
        ("name", Field::Text),
        ("description", Field::Text),
        ("subtasks", Field::Texts),
        ("acceptance_criteria", Field::Texts),
        ("io_contract_sketch", Field::Part(&SKETCH)),
        ("depends_on", Field::Optional),
    ],
};
static SKETCH: Element = Element {
    fields: &[
        ("inputs", Field::Text),
        ("outputs", Field::Text),
        ("error_surfaces", Field::Text),
        ("effects", Field::Text),
        ("modes", Field::Text),
    ],
};

const UNKNOWN: &str = "no such field";
const UNKNOWN_MAX: usize = 20;
const NAME_MAX: usize = 60;
