//! The answers of roles: their shapes, read strictly. What an answer claims about the work is never evidence.

use sealwright_kernel::task::{Audience, Feature, ResidueKind, ReviewQuestion};
use sealwright_kernel::{Cheat, Verdict};
use serde::Deserialize;
use serde_json::{Value, json};

/// A text that is empty unless there is something to say: not everybody who answers knows of nothing.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(transparent)]
pub(super) struct Unless(String);

impl Unless {
    pub(super) fn said(self) -> Option<String> {
        Some(self.0).filter(|text| !text.trim().is_empty())
    }
}

/// What is wanted, in words.
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

/// Why nothing should be begun, and the one question to ask.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StopAnswer {
    kind: StopKind,
    why: String,
    question: String,
}

/// What can be the matter with a request.
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
    /// What a person is told and asked, if the request should not be begun.
    pub(super) fn said(&self) -> Option<String> {
        let matter = match self.kind {
            StopKind::None => return None,
            StopKind::AlreadyTrue => "it seems to be true already",
            StopKind::Impossible => "it cannot be done here",
            StopKind::Ambiguous => "it can mean more than one thing",
            StopKind::TooLarge => "it is larger than one change",
        };
        Some(format!("{matter}: {} {}", self.why.trim(), self.question.trim()).trim().to_owned())
    }
}

/// The contract and the plan.
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
    pub(super) impossible: Unless,
}

/// One part of a bundle.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Drafted {
    pub(super) text: String,
    pub(super) confidence: u8,
    #[serde(default)]
    pub(super) flags: Vec<String>,
}

/// One slice of a plan.
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

/// A file of a guarded kind that will legitimately change, and why.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DeclaredAnswer {
    pub(super) path: String,
    pub(super) why: String,
}

/// The tests that were written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TestsAnswer {
    pub(super) traces: Vec<TraceAnswer>,
}

/// Which test shows which criterion.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TraceAnswer {
    pub(super) test: String,
    pub(super) criterion: usize,
}

/// What a builder says after a change.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EditAnswer {
    pub(super) ready: bool,
    #[serde(default)]
    #[expect(dead_code, reason = "it is kept in the store for people and decides nothing")]
    pub(super) summary: String,
}

/// What a challenger says.
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
    pub(super) tradeoff: Unless,
}

/// One criterion a challenger tried to disprove, and where.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LookAnswer {
    pub(super) criterion: usize,
    pub(super) place: String,
    pub(super) tried: String,
}

/// A finding no test can settle.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ResidueAnswer {
    pub(super) kind: ResidueKind,
    pub(super) what: String,
}

/// A cheat somebody points at.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CheatAnswer {
    pub(super) cheat: Cheat,
    pub(super) what: String,
}

/// What somebody says who reads to show that green was not earned.
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
    pub(super) question: Unless,
}

/// What somebody says who decides from the record.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JudgeAnswer {
    pub(super) decision: Decision,
    pub(super) rationale: String,
}

/// Whether it may ship.
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

/// All of these and nothing else: what providers hold models to knows no optional members.
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
