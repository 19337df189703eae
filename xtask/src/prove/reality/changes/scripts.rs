//! The scripts of honest agents that make one change: a file for each call.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};

use super::case::{Case, Files};

pub(super) fn write(folder: &Path, case: &Case, files: &Files) -> Result<()> {
    let criterion = format!("it holds: {}", case.about);
    let drafted = json!({"text": case.about, "confidence": 90, "flags": []});
    let declared: Vec<Value> =
        case.declared.iter().map(|(path, why)| json!({"path": path, "why": why})).collect();
    let traces: Vec<Value> =
        case.traces.iter().map(|test| json!({"test": test, "criterion": 1})).collect();
    let place = files.after.keys().next().map_or("", String::as_str);
    let removed: Vec<Value> = files
        .removed
        .iter()
        .map(|path| json!({"do": "run", "command": format!("rm '{path}'")}))
        .collect();
    let calls = [
        (
            "frame",
            vec![],
            json!({
                "objective": case.about, "done_gate": [criterion], "not_doing": ["anything else"],
                "reality": ["what works today keeps working"], "audience": "code", "features": [],
                "stop": {"kind": "none", "why": "", "question": ""},
            }),
        ),
        (
            "shape",
            vec![],
            json!({
                "spec": drafted, "scenarios": drafted, "contract": drafted,
                "validation": ["the acceptance tests"],
                "slices": [{
                    "sentence": case.about, "places": case.places, "criteria": [criterion],
                    "constraints": [], "unknowns": [], "look_in": [], "leave_out": [],
                }],
                "declared": declared, "items": case.items, "skips": [],
                "keeps_behaviour": case.keeps_behaviour, "impossible": "",
            }),
        ),
        ("tests", written(&files.tests), json!({"traces": traces})),
        (
            "edit",
            written(&files.after).into_iter().chain(removed).collect(),
            json!({
                "ready": true, "summary": case.about, "next": "verify", "residue": [], "lessons": [],
                "need": {"kind": "none", "what": "", "places": []},
            }),
        ),
        (
            "challenge",
            vec![],
            json!({
                "looked_at": [{
                    "criterion": 1, "place": format!("{place}:1"),
                    "tried": "followed the change through by hand with the smallest and the largest case",
                }],
                "failures": [], "unmet": [], "residue": [], "cheats": [], "tradeoff": "",
            }),
        ),
    ];
    for (name, mut steps, answer) in calls {
        steps.push(json!({"do": "submit", "answer": answer}));
        let text = format!("step = {}\n", toml(&json!(steps)));
        std::fs::write(folder.join(format!("{name}.toml")), text)?;
    }
    Ok(())
}

fn written(files: &BTreeMap<String, String>) -> Vec<Value> {
    let write =
        |(path, text): (&String, &String)| json!({"do": "write", "path": path, "text": text});
    files.iter().map(write).collect()
}

/// A value on one line. Strings of JSON are strings of TOML.
fn toml(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            format!("[{}]", items.iter().map(toml).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| format!("{name} = {}", toml(value));
            format!("{{ {} }}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}
