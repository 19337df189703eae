//! The answers of honest agents, in the form that the engine asks for.

use serde_json::{Value, json};

/// The objective, with criteria that are deferred.
pub fn frame(request: &str, criteria: &[String], deferred: &[String]) -> Value {
    let other = "anything that was not asked for".to_owned();
    json!({
        "objective": request,
        "done_gate": criteria,
        "not_doing": deferred.iter().chain([&other]).collect::<Vec<_>>(),
        "reality": ["what works today keeps working"],
        "audience": "code", "features": [],
        "stop": {"kind": "none", "why": "", "question": ""},
    })
}

/// The contract, and a plan of one slice. A caller fills in what it declares and skips.
pub fn shape(request: &str, criteria: &[String], sentence: &str, places: &[String]) -> Value {
    let contract = criteria.join("\n");
    let drafted = |text: &str| json!({"text": text, "confidence": 90, "flags": []});
    json!({
        "spec": drafted(request),
        "scenarios": drafted(&contract),
        "contract": drafted(&contract),
        "validation": ["the acceptance tests"],
        "slices": [{
            "sentence": sentence, "places": places, "criteria": criteria,
            "constraints": [], "unknowns": [], "look_in": [], "leave_out": [],
        }],
        "declared": [], "items": [], "skips": [], "keeps_behaviour": false, "impossible": "",
    })
}

/// A challenge that looked at one place for each criterion, counted from one.
pub fn looked_at(criteria: usize, place: &str, tried: &str) -> Vec<Value> {
    let looked = |criterion| json!({"criterion": criterion, "place": place, "tried": tried});
    (1..=criteria).map(looked).collect()
}

pub fn challenge(looked_at: Vec<Value>, failures: &[String]) -> Value {
    json!({
        "looked_at": looked_at, "failures": failures, "unmet": [], "residue": [], "cheats": [],
        "tradeoff": "",
    })
}

/// What an honest challenger did.
pub const TRIED: &str = "followed the case through the change by hand";

pub fn edit(summary: &str) -> Value {
    json!({
        "ready": true, "summary": summary, "next": "verify", "residue": [], "lessons": [],
        "need": {"kind": "none", "what": "", "places": []},
    })
}
