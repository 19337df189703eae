//! `repair`: the builder fixes what failed, or applies what was amended, and nothing else.

use sealwright_kernel::Role;
use sealwright_kernel::task::Phase;
use sealwright_sandbox::view::Hand;
use serde::Deserialize;
use serde_json::{Value, json};

use super::schema::{ResidueAnswer, next, object, residue, text, texts};
use super::{CONTRACT, CRITERIA, Key, OptionalText, RoleCall};

pub(crate) const REPAIR: RoleCall = RoleCall {
    key: Key::Repair,
    role: Role::Builder,
    phase: Phase::Repair,
    tree: Some(Hand::Builds),
    files: &[CONTRACT, CRITERIA],
    brief: "You fix the named items, each with the smallest change, and nothing else. Afterwards the task goes back to \
        verify, and nowhere else. Your claims prove nothing; only the tree you leave is checked.",
    request: "Fix exactly the items below. Say in one line of `summary` what you changed and in `next` the phase that \
        should follow. Findings that no test can settle go into `residue`, what later tasks should know into `lessons`.",
    allowed: &["change what the named items need"],
    forbidden: &[
        "open-ended implementation: features, refactoring or clean-up beside the items",
        "touching frozen tests or the contract",
        "any next step but verify, unless the task is blocked or a person has to decide",
    ],
    answer: schema,
};

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RepairAnswer {
    #[serde(default)]
    #[expect(dead_code, reason = "stored for people; no decision depends on it")]
    pub(crate) summary: String,
    #[serde(default)]
    pub(crate) next: OptionalText,
    #[serde(default)]
    pub(crate) residue: Vec<ResidueAnswer>,
    #[serde(default)]
    pub(crate) lessons: Vec<String>,
    /// Written by earlier releases; it decides nothing.
    #[serde(default)]
    #[expect(dead_code, reason = "accepted from scripts of earlier releases")]
    ready: bool,
}

fn schema() -> Value {
    object(json!({
        "summary": text(), "next": next(Phase::Repair),
        "residue": residue(), "lessons": texts(),
    }))
}
