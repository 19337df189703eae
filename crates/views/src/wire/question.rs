//! A question that only a person can answer.

use serde::Serialize;

use super::{Digest, NonEmptyText, QuestionId};

/// A question that only a person can answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Question {
    pub id: QuestionId,
    /// What is to be decided. An answer names the item, so a stale answer is refused.
    pub item: Digest,
    pub text: NonEmptyText,
    /// The possible answers: a command, after a halt an action of `resolve`, and at the budget limit a command that
    /// raises the budget, with what the raise allows.
    #[cfg_attr(feature = "schema", schemars(length(min = 1), extend("uniqueItems" = true)))]
    pub options: Vec<AnswerOption>,
    /// The recommended answer. It has no effect by itself.
    pub recommendation: NonEmptyText,
    /// The confidence of the work in itself, in percent.
    #[cfg_attr(feature = "schema", schemars(range(max = 100)))]
    pub confidence: u8,
}

/// One possible answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("anyOf" = serde_json::json!([
    {"enum": [
        "approve", "decline", "decline --amend", "AMEND_SPEC", "REVISE_PLAN", "PROVIDE_FIX", "APPROVE_OVERRIDE",
        "SPLIT_TASK", "ABANDON_TASK", "resolve abandon-task"
    ]},
    {"pattern": r"^budget( --(dollars [0-9]+\.[0-9]{2}|minutes [0-9]+|tokens [0-9]+)){1,3} \(raise to .+\)$"},
]))))]
pub struct AnswerOption(String);

impl From<String> for AnswerOption {
    fn from(text: String) -> Self {
        Self(text)
    }
}
