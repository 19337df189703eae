use std::collections::BTreeSet;
use std::fmt::Write as _;

use sealwright_agents::{AnswerSchema, Briefs, Visible};
use sealwright_kernel::Permission;
use sealwright_kernel::pack::{Writes, sight, writes};
use serde_json::{Map, json};

use super::*;

/// Every call as a role gets it: what it sees, what it may use, what it is told and what it must answer.
#[test]
fn each_call_is_one_value() {
    for (name, call) in calls() {
        let mut text = format!("role: {}\nphase: {}\n", call.role.name(), call.phase);
        let tree = match call.tree {
            Some(Hand::Builds) => "changes it",
            Some(Hand::Tries) => "runs it; changes are discarded",
            Some(Hand::Reads) => "reads it",
            None => "none",
        };
        let files: Vec<&str> = call.files.iter().map(|file| file.name).collect();
        let files = if files.is_empty() { "none".to_owned() } else { files.join(", ") };
        let _ = write!(text, "work tree: {tree}\nfiles: {files}\n\n{}", written(&call));
        insta::assert_snapshot!(format!("call_{name}"), text);
    }
}

/// A brief that asks for something the answer cannot carry, or an answer with a member that no brief explains, fails.
#[test]
fn a_brief_and_its_answer_agree() {
    for (name, call) in calls() {
        let schema = (call.answer)();
        let members: BTreeSet<String> =
            schema["properties"].as_object().unwrap().keys().cloned().collect();
        let text = format!("{} {}", call.brief, call.request);
        let named: BTreeSet<String> =
            text.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        for member in &members {
            assert!(named.contains(member), "{name}: the brief does not explain `{member}`");
        }
        let words = words_of(&schema);
        let files: BTreeSet<&str> = call.files.iter().map(|file| file.name).collect();
        for word in named.difference(&members) {
            let is_form = ["path:line", "path::name", "file:PATH"].contains(&word.as_str());
            assert!(
                words.contains(word) || files.contains(word.as_str()) || is_form,
                "{name}: the brief names `{word}`, which is neither in the answer nor in the view"
            );
        }
    }
}

/// What a call hands over, its role may see; what a call lets a role do, its role may do.
#[test]
fn a_call_gives_a_role_what_it_may_have() {
    for (name, call) in calls() {
        for file in call.files {
            let most = sight(call.role, file.input).most();
            assert_eq!(most, Some(Permission::Full), "{name}: {}", file.name);
        }
        if call.tree.is_some() {
            assert!(sight(call.role, InputKind::Workspace).most().is_some(), "{name}");
        }
        let may_write = writes(call.role) != Writes::Nothing;
        assert!(may_write || call.tree != Some(Hand::Builds), "{name}");
    }
}

/// The schema of an answer and the type that reads it agree: the smallest answer of the schema can be read.
#[test]
fn each_answer_can_be_read() {
    for (name, call) in calls() {
        let smallest = smallest(&(call.answer)());
        AnswerSchema::new((call.answer)()).unwrap().check(&smallest).unwrap();
        let read = match call.key {
            Key::Frame => reads::<FrameAnswer>(&smallest),
            Key::Shape => reads::<ShapeAnswer>(&smallest),
            Key::Tests => reads::<TestsAnswer>(&smallest),
            Key::Scout => reads::<ScoutAnswer>(&smallest),
            Key::Edit | Key::Repair => reads::<EditAnswer>(&smallest),
            Key::Audit => reads::<sealwright_kernel::task::slice::AuditReport>(&smallest),
            Key::Challenge => reads::<ChallengeAnswer>(&smallest),
            Key::Adjudicate => reads::<AdjudicateAnswer>(&smallest),
            Key::Refute | Key::Inspect => reads::<ReadAnswer>(&smallest),
        };
        assert_eq!(read, Ok(()), "{name}: {smallest}");
    }
}

/// Proves: P-044, P-050
#[test]
fn only_legal_next_steps_are_named_and_only_to_who_may_propose_one() {
    for (name, call) in calls() {
        let text = written(&call);
        let title = text.lines().next().unwrap();
        assert!(title.ends_with(&format!(", phase {}", call.phase)), "{name}: {title}");
        let line = text.lines().find(|line| line.starts_with("- Legal next steps"));
        let proposes = (call.answer)()["properties"]["next"].is_object();
        assert_eq!(line.is_some(), proposes, "{name}");
        for phase in Phase::ALL {
            let is_named =
                line.is_some_and(|it| it.split([' ', ',', ';']).any(|word| word == phase.name()));
            assert_eq!(is_named, proposes && call.phase.next().contains(&phase), "{name}: {phase}");
        }
    }
    let repair = written(&REPAIR);
    assert!(repair.contains("open-ended implementation"), "{repair}");
    assert!(repair.contains("goes back to verify, and nowhere else"), "{repair}");
}

#[test]
fn briefs_are_short_and_name_no_later_step() {
    for (name, call) in calls() {
        let text = written(&call);
        assert_eq!(text.matches("submit_result").count(), 1, "{name}");
        for word in ["sealwright", "journal", "harness", "mcp__", "engine", "orchestrat"] {
            assert!(!text.to_lowercase().contains(word), "{name}: {word}");
        }
        let without_schema = text.len() - (call.answer)().to_string().len();
        assert!(without_schema / 4 < TOKENS_MAX, "{name}: {} tokens", without_schema / 4);
    }
}

fn calls() -> Vec<(String, RoleCall)> {
    let mut calls = Vec::new();
    for key in Key::ALL {
        calls.push((key.name().to_owned(), key.call(Lane::Quick)));
        let strict = key.call(Lane::Strict);
        let quick = key.call(Lane::Quick);
        if strict.role != quick.role {
            calls.push((format!("{}_of_the_{}", key.name(), strict.role.name()), strict));
        } else if strict.request != quick.request {
            calls.push((format!("{}_alone", key.name()), strict));
        }
    }
    calls
}

fn written(call: &RoleCall) -> String {
    let visible = |path: String, what: &str| Visible {
        path,
        what: what.to_owned(),
        permission: Permission::Full,
        reason: String::new(),
    };
    let mut input = call.brief_input();
    input.visible.extend(call.tree.map(|_| visible("/work".to_owned(), "the repository")));
    input
        .visible
        .extend(call.files.iter().map(|it| visible(format!("/brief/{}", it.name), it.name)));
    Briefs::default().write(&input).unwrap()
}

fn reads<A: serde::de::DeserializeOwned>(answer: &Value) -> Result<(), String> {
    A::deserialize(answer).map(drop).map_err(|error| error.to_string())
}

/// Every name of a member and every word of a choice in a schema.
fn words_of(schema: &Value) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    if let Some(members) = schema["properties"].as_object() {
        for (name, member) in members {
            words.insert(name.clone());
            words.extend(words_of(member));
        }
    }
    if let Some(choices) = schema["enum"].as_array() {
        words.extend(choices.iter().filter_map(|it| it.as_str().map(str::to_owned)));
    }
    if schema["items"].is_object() {
        words.extend(words_of(&schema["items"]));
    }
    words
}

fn smallest(schema: &Value) -> Value {
    if let Some(choices) = schema["enum"].as_array() {
        return choices[0].clone();
    }
    let kind = &schema["type"];
    match kind.as_str().or_else(|| kind[0].as_str()).unwrap() {
        "object" => {
            let members = schema["properties"].as_object().unwrap().iter();
            Value::Object(
                members.map(|(name, it)| (name.clone(), smallest(it))).collect::<Map<_, _>>(),
            )
        }
        "array" => json!([smallest(&schema["items"])]),
        "integer" => schema["minimum"].clone(),
        "boolean" => json!(false),
        _ => json!("text"),
    }
}

/// Without the schema of the answer.
const TOKENS_MAX: usize = 700;
