//! What commands print for programs, held against the schemas published for it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use sealwright_agents::find;
use sealwright_gates::kinds;
use sealwright_kernel::task::Phase;
use sealwright_kernel::task::escalation::ResolutionKind;
use sealwright_kernel::task::{Notice, Status};
use sealwright_kernel::{Actor, Lane, Role};
use sealwright_store::Condition;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::published::{Published, commands, documents};
use crate::situations::{Heard, hear_all};

/// What is printed is as described; and whatever is bent in a real output, and however little, its schema refuses it.
#[test]
fn every_command_prints_what_its_schema_says() {
    let published = Published::read();
    let heard = hear_all();
    nothing_bent_passes(&published, &heard);
    for Heard { situation, command, value } in &heard {
        let refusal = published.refusal(command, value);
        assert_eq!(refusal, None, "{command} of {situation} printed {value}");
    }
    let spoken: BTreeSet<String> = heard.iter().map(|it| it.command.clone()).collect();
    assert_eq!(spoken, commands(), "every command has to be heard");
    // The situations are many enough to see everything a schema tells apart.
    assert_eq!(seen(&heard, "status"), names::<Status>());
    assert_eq!(seen(&heard, "condition"), names::<Condition>());
    let (evidence, others): (Vec<_>, Vec<_>) =
        heard.into_iter().partition(|it| it.command == "evidence");
    assert_eq!(seen(&others, "verdict"), set(&["proven", "not_proven"]));
    assert_eq!(seen(&evidence, "verdict"), set(&["pass", "fail"]));
    let heard = others;
    assert_eq!(seen(&heard, "notices"), names::<Notice>());
    assert_eq!(seen(&heard, "actor"), names::<Actor>());
}

#[test]
fn every_command_has_a_schema_and_every_schema_a_command() {
    let published = Published::read();
    assert_eq!(published.commands(), commands());
    let text = fs::read_to_string(documents().join("json.md")).unwrap();
    for (command, schema) in published.texts() {
        assert!(text.contains(&format!("(schemas/{command}.json)")), "{command} is not linked");
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        let id = schema["$id"].as_str().unwrap();
        assert!(id.ends_with(&format!("/docs/schemas/{command}.json")), "{command}: {id}");
        let valid = jsonschema::draft202012::meta::validate(schema);
        assert!(valid.is_ok(), "{command}: {valid:?}");
    }
}

fn nothing_bent_passes(published: &Published, heard: &[Heard]) {
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    let mut bent: BTreeSet<(String, String)> = BTreeSet::new();
    for Heard { command, value, .. } in heard {
        for (what, tampered) in tamperings(command, value) {
            // The same place of the same command is bent once.
            if !bent.insert((command.clone(), what.clone())) {
                continue;
            }
            let refusal = published.refusal(command, &tampered);
            assert!(refusal.is_some(), "{command}: {what}, and {tampered} passes");
            *refused.entry(command.clone()).or_default() += 1;
        }
    }
    assert_eq!(refused.keys().cloned().collect::<BTreeSet<_>>(), commands());
    assert!(refused.values().all(|count| *count >= 8), "{refused:?}");
}

/// Nothing may be printed that is not described, and nothing described may be missing.
#[test]
fn every_object_in_a_schema_is_closed_and_whole() {
    for (command, schema) in Published::read().texts() {
        assert!(objects(schema) > 0, "{command} describes nothing");
    }
}

/// Each schema can be used alone, so what they share stands in each of them.
#[test]
fn a_definition_says_the_same_in_every_schema() {
    let published = Published::read();
    let mut known: BTreeMap<&str, (&str, &Value)> = BTreeMap::new();
    for (command, schema) in published.texts() {
        let text = schema.to_string();
        for (name, definition) in schema["$defs"].as_object().into_iter().flatten() {
            let (first, same) = *known.entry(name).or_insert((command, definition));
            assert_eq!(definition, same, "`{name}` differs in {command} and {first}");
            let used = format!("\"#/$defs/{name}\"");
            assert!(text.contains(&used), "`{name}` is not used in {command}");
        }
    }
}

/// A new status, phase or role does not come without its word in the schemas.
#[test]
fn every_closed_set_is_the_kernels() {
    let published = Published::read();
    let definition = |name: &str| {
        let mut found = published.texts().filter_map(|(_, schema)| schema["$defs"].get(name));
        found.next().unwrap().clone()
    };
    let words = |list: &Value| -> BTreeSet<String> {
        list.as_array().unwrap().iter().map(|it| it.as_str().unwrap().to_owned()).collect()
    };
    // Each way of a choice is a word alone or the one member of an object.
    let ways = |name: &str| -> BTreeSet<String> {
        let chosen = definition(name)["oneOf"].as_array().unwrap().clone();
        let way = |it: &Value| match it.get("const") {
            Some(word) => word.as_str().unwrap().to_owned(),
            None => it["required"][0].as_str().unwrap().to_owned(),
        };
        chosen.iter().map(way).collect()
    };
    assert_eq!(words(&definition("Status")["enum"]), names::<Status>());
    assert_eq!(words(&definition("Phase")["enum"]), names::<Phase>());
    assert_eq!(words(&definition("Lane")["enum"]), names::<Lane>());
    assert_eq!(words(&definition("Role")["enum"]), names::<Role>());
    assert_eq!(words(&definition("Condition")["enum"]), names::<Condition>());
    assert_eq!(words(&definition("RoleName")["enum"]), set(&Role::ALL.map(Role::name)));
    let kinds: Vec<&str> = kinds::ALL.iter().map(|kind| kind.key).collect();
    assert_eq!(words(&definition("CheckKind")["enum"]), set(&kinds));
    let programs: Vec<&str> = find::ALL.iter().map(|known| known.kind).collect();
    assert_eq!(words(&definition("AgentProgramKind")["enum"]), set(&programs));
    assert_eq!(ways("Notice"), names::<Notice>());
    assert_eq!(ways("Actor"), names::<Actor>());
    let options = words(&definition("AnswerOption")["anyOf"][0]["enum"]);
    let choices = set(&["approve", "decline", "decline --amend", "resolve abandon-task"]);
    assert_eq!(options, names::<ResolutionKind>().union(&choices).cloned().collect());
}

/// The names a type goes by in JSON, as it lists them to whoever offers another.
fn names<T: DeserializeOwned>() -> BTreeSet<String> {
    let refused = serde_json::from_value::<T>(json!("unheard of")).err().unwrap().to_string();
    let (_, expected) = refused.split_once("expected ").unwrap();
    expected.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn set(words: &[&str]) -> BTreeSet<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// The words that were heard under a name: a word, or the one member of an object.
fn seen(heard: &[Heard], name: &str) -> BTreeSet<String> {
    let values = heard.iter().filter_map(|it| it.value.get(name));
    let values = values.flat_map(|value| match value {
        Value::Array(values) => values.clone(),
        value => vec![value.clone()],
    });
    let word = |value: Value| match value {
        Value::Object(members) => members.keys().next().unwrap().clone(),
        value => value.as_str().unwrap().to_owned(),
    };
    values.map(word).collect()
}

/// Every way to bend a value in one place, with what was done.
fn tamperings(command: &str, value: &Value) -> Vec<(String, Value)> {
    let mut tampered = Vec::new();
    let mut places = vec![String::new()];
    while let Some(place) = places.pop() {
        if is_open(command, &place) {
            continue;
        }
        let mut bend = |what: String, change: &dyn Fn(&mut Value)| {
            if is_open(command, &what) {
                return;
            }
            let mut bent = value.clone();
            change(bent.pointer_mut(&place).unwrap());
            if bent != *value {
                tampered.push((what, bent));
            }
        };
        // No number in any output is negative or broken.
        bend(format!("{place} is a number"), &|it| *it = json!(-1.5));
        bend(format!("{place} is a list of nothing"), &|it| *it = json!([null]));
        match value.pointer(&place).unwrap() {
            Value::Object(members) => {
                bend(format!("{place}/surplus was added"), &|it| it["surplus"] = json!("x"));
                for name in members.keys() {
                    bend(format!("{place}/{name} was removed"), &|it| {
                        it.as_object_mut().unwrap().remove(name);
                    });
                    places.push(format!("{place}/{name}"));
                }
            }
            Value::Array(items) => {
                // One item of a list is like another.
                places.extend(items.first().map(|_| format!("{place}/0")));
            }
            Value::String(text)
                if text.len() == 64 && text.bytes().all(|it| it.is_ascii_hexdigit()) =>
            {
                bend(format!("{place} is no digest"), &|it| *it = json!(text.to_uppercase()));
            }
            Value::String(verdict) if place == "/verdict" => {
                let other = if verdict == "proven" { "not_proven" } else { "proven" };
                bend(format!("{place} is {other} against its findings"), &|it| *it = json!(other));
                bend(format!("{place} is another word"), &|it| *it = json!("unheard_of"));
            }
            Value::String(_) if WORDS.iter().any(|word| place.ends_with(word)) => {
                bend(format!("{place} is another word"), &|it| *it = json!("unheard_of"));
            }
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    tampered
}

/// Whether a schema leaves a place open, because it is the machines' own.
fn is_open(command: &str, what: &str) -> bool {
    let begins = |place: &str| what.starts_with(&format!("{place}/"));
    match command {
        "show" => begins("/state") || begins("/escalation"),
        "replay" => begins("/state"),
        "journal" => begins("/events") || begins("/cause") || what.starts_with("/cause is"),
        // Which streams a key had signed for depends on the key.
        "keys" => begins("/heads") && what.ends_with("was removed"),
        // It is printed where somebody signs.
        "verify" => what == "/people was removed",
        // A detail is words, whatever they look like.
        "log" => what == "/details/0/text is no digest",
        // Which checks there are depends on what was found.
        "init" => {
            let is_found = begins("/detected/checks") || begins("/detected/kinds");
            is_found && what.ends_with("was removed")
        }
        _ => false,
    }
}

/// How many objects a schema describes. Each says all of its members and admits no other.
fn objects(schema: &Value) -> usize {
    match schema {
        Value::Object(members) => {
            let whole = members.get("properties").and_then(Value::as_object);
            if let Some(properties) = whole {
                assert_eq!(schema["additionalProperties"], json!(false), "{schema}");
                let required = schema["required"].as_array().unwrap().iter();
                let required: BTreeSet<&str> = required.filter_map(Value::as_str).collect();
                let named = properties.keys().map(String::as_str);
                let named: BTreeSet<&str> = named.filter(|it| !OPTIONAL.contains(it)).collect();
                assert_eq!(required, named, "{schema}");
            }
            // A condition only speaks of members that are described elsewhere.
            let inner = members.iter().filter(|(name, _)| !CONDITIONS.contains(&name.as_str()));
            usize::from(whole.is_some()) + inner.map(|(_, it)| objects(it)).sum::<usize>()
        }
        Value::Array(items) => items.iter().map(objects).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// Where a word of a closed set stands.
const WORDS: [&str; 13] = [
    "/status",
    "/phase",
    "/lane",
    "/condition",
    "/history",
    "/actor",
    "/languages/0",
    "/agents/0",
    "/options/0",
    "/role/0",
    "/task",
    "/kind",
    "/sets/0",
];
/// What is not always printed.
const OPTIONAL: [&str; 1] = ["people"];
const CONDITIONS: [&str; 3] = ["if", "then", "else"];
