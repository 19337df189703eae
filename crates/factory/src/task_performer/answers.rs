//! The answers of roles, parsed strictly. A claim in an answer is never evidence.

use sealwright_kernel::task::{Audience, Feature, Residue, ResidueKind, ReviewQuestion};
use sealwright_kernel::{Cheat, Verdict};
use serde::Deserialize;
use serde_json::{Value, json};

/// A text that is empty if there is nothing to say: providers' schemas have no optional members.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(transparent)]
pub(super) struct OptionalText(String);

impl OptionalText {
    pub(super) fn into_option(self) -> Option<String> {
        Some(self.0).filter(|text| !text.trim().is_empty())
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FrameAnswer {
    pub(super) objective: String,
    pub(super) done_gate: Vec<String>,
    pub(super) not_doing: Vec<String>,
    pub(super) reality: Vec<String>,
    #[serde(default)]
    pub(super) audience: Audience,
    #[serde(default)]
    pub(super) features: Vec<Feature>,
    pub(super) stop: StopAnswer,
}

/// Why the task should not start, and the one question to ask.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StopAnswer {
    kind: StopKind,
    why: String,
    question: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StopKind {
    None,
    AlreadyTrue,
    Impossible,
    Ambiguous,
    TooLarge,
}

impl StopAnswer {
    /// The message to the person, if the task should not start.
    pub(super) fn message(&self) -> Option<String> {
        let reason = match self.kind {
            StopKind::None => return None,
            StopKind::AlreadyTrue => "the request seems to be met already",
            StopKind::Impossible => "the request cannot be met here",
            StopKind::Ambiguous => "the request is ambiguous",
            StopKind::TooLarge => "the request is larger than one change",
        };
        Some(format!("{reason}: {} {}", self.why.trim(), self.question.trim()).trim().to_owned())
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ShapeAnswer {
    pub(super) spec: Drafted,
    pub(super) scenarios: Drafted,
    pub(super) contract: Drafted,
    pub(super) validation: Vec<String>,
    pub(super) slices: Vec<PlannedAnswer>,
    #[serde(default)]
    pub(super) declared: Vec<DeclaredAnswer>,
    #[serde(default)]
    pub(super) items: Vec<String>,
    #[serde(default)]
    pub(super) skips: Vec<String>,
    #[serde(default)]
    pub(super) impossible: OptionalText,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Drafted {
    pub(super) text: String,
    pub(super) confidence: u8,
    #[serde(default)]
    pub(super) flags: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlannedAnswer {
    pub(super) sentence: String,
    pub(super) places: Vec<String>,
    pub(super) criteria: Vec<String>,
    #[serde(default)]
    pub(super) constraints: Vec<String>,
    #[serde(default)]
    pub(super) unknowns: Vec<String>,
}

/// A guarded file that the contract allows to change, and why.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DeclaredAnswer {
    pub(super) path: String,
    pub(super) why: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TestsAnswer {
    pub(super) traces: Vec<TraceAnswer>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TraceAnswer {
    pub(super) test: String,
    pub(super) criterion: usize,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EditAnswer {
    pub(super) ready: bool,
    #[serde(default)]
    #[expect(dead_code, reason = "stored for people; no decision depends on it")]
    pub(super) summary: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChallengeAnswer {
    pub(super) looked_at: Vec<LookAnswer>,
    pub(super) failures: Vec<String>,
    #[serde(default)]
    pub(super) unmet: Vec<ReviewQuestion>,
    #[serde(default)]
    pub(super) residue: Vec<ResidueAnswer>,
    #[serde(default)]
    pub(super) cheats: Vec<CheatAnswer>,
    #[serde(default)]
    pub(super) tradeoff: OptionalText,
}

/// One criterion the challenger tried to disprove, and where.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LookAnswer {
    pub(super) criterion: usize,
    pub(super) place: String,
    pub(super) tried: String,
}

/// A finding that no test can settle.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ResidueAnswer {
    kind: ResidueKind,
    what: String,
}

impl ResidueAnswer {
    pub(super) fn kept(self) -> Residue {
        Residue { kind: self.kind, what: self.what }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CheatAnswer {
    pub(super) cheat: Cheat,
    pub(super) what: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadAnswer {
    pub(super) verdict: Verdict,
    pub(super) findings: Vec<String>,
    #[serde(default)]
    pub(super) cheats: Vec<CheatAnswer>,
    #[serde(default)]
    pub(super) residue: Vec<ResidueAnswer>,
    #[serde(default)]
    pub(super) question: OptionalText,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JudgeAnswer {
    pub(super) decision: Decision,
    pub(super) rationale: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Decision {
    Approve,
    Reject,
}

pub(super) fn frame_schema() -> Value {
    let labels = ["real_working", "real_read_only", "blocked_hidden", "unknown_do_not_show"];
    let feature = object(json!({"name": text(), "label": {"enum": labels}}));
    let kinds = ["none", "already_true", "impossible", "ambiguous", "too_large"];
    let stop = object(json!({"kind": {"enum": kinds}, "why": text(), "question": text()}));
    object(json!({
        "objective": text(), "done_gate": list(), "not_doing": list(), "reality": list(),
        "audience": {"enum": ["code", "people"]},
        "features": {"type": "array", "items": feature},
        "stop": stop,
    }))
}

pub(super) fn shape_schema() -> Value {
    let drafted = object(json!({
        "text": text(), "flags": list(),
        "confidence": {"type": "integer", "minimum": 0, "maximum": 100},
    }));
    let slice = object(json!({
        "sentence": text(), "places": list(), "criteria": list(), "constraints": list(), "unknowns": list(),
    }));
    let declared = object(json!({"path": text(), "why": text()}));
    object(json!({
        "spec": drafted, "scenarios": drafted, "contract": drafted, "validation": list(),
        "slices": {"type": "array", "items": slice},
        "declared": {"type": "array", "items": declared},
        "items": list(),
        "skips": list(),
        "impossible": text(),
    }))
}

pub(super) fn tests_schema() -> Value {
    let trace = object(json!({"test": text(), "criterion": {"type": "integer", "minimum": 1}}));
    object(json!({"traces": {"type": "array", "items": trace}}))
}

pub(super) fn edit_schema() -> Value {
    object(json!({"ready": {"type": "boolean"}, "summary": text()}))
}

pub(super) fn read_schema() -> Value {
    object(json!({
        "verdict": {"enum": ["pass", "fail", "cannot_tell"]},
        "findings": list(),
        "cheats": {"type": "array", "items": cheat()},
        "residue": {"type": "array", "items": residue()},
        "question": text(),
    }))
}

pub(super) fn judge_schema() -> Value {
    object(json!({"decision": {"enum": ["approve", "reject"]}, "rationale": text()}))
}

pub(super) fn challenge_schema() -> Value {
    let look = object(
        json!({"criterion": {"type": "integer", "minimum": 1}, "place": text(), "tried": text()}),
    );
    let questions =
        ["objective", "no_fake_truth", "no_half_working_feature", "consistent", "minimal"];
    object(json!({
        "looked_at": {"type": "array", "items": look},
        "failures": list(),
        "unmet": {"type": "array", "items": {"enum": questions}},
        "residue": {"type": "array", "items": residue()},
        "cheats": {"type": "array", "items": cheat()},
        "tradeoff": text(),
    }))
}

fn residue() -> Value {
    object(json!({"kind": {"enum": ["security", "concurrency", "architecture"]}, "what": text()}))
}

fn cheat() -> Value {
    let cheats = [
        "red_test_changed",
        "frozen_contract_changed",
        "overfit",
        "vacuous_asserts",
        "logic_stubbed",
    ];
    object(json!({"cheat": {"enum": cheats}, "what": text()}))
}

/// An object with exactly these members, all required: providers' schemas have no optional members.
fn object(properties: Value) -> Value {
    let required: Vec<String> =
        properties.as_object().map(|it| it.keys().cloned().collect()).unwrap_or_default();
    json!({
        "type": "object", "additionalProperties": false, "required": required, "properties": properties,
    })
}

fn text() -> Value {
    json!({"type": "string"})
}

fn list() -> Value {
    json!({"type": "array", "items": {"type": "string"}})
}
