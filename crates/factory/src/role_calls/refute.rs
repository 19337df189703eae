//! `refute`: in the strict lane, a reader looks for a green result that was not earned.

use sealwright_kernel::task::Phase;
use sealwright_kernel::{Role, Verdict};
use sealwright_sandbox::view::Hand;
use serde::Deserialize;
use serde_json::{Value, json};

use super::schema::{CheatAnswer, ResidueAnswer, cheats, object, one_of, residue, text, texts};
use super::{CONTRACT, CRITERIA, Key, OptionalText, RoleCall};

pub(crate) const REFUTE: RoleCall = RoleCall {
    key: Key::Refute,
    role: Role::RefuteReader,
    phase: Phase::Verify,
    tree: Some(Hand::Tries),
    files: &[CONTRACT, CRITERIA],
    brief: "All tests pass. Argue that they should not. Look for changed or weakened tests, a changed contract, code that \
        special-cases the tests, assertions that cannot fail, and logic that is missing.",
    request: "Read the source and its tests, as the contract describes them. Report in `cheats` where a check passes without merit, each with its kind and \
        its `path:line`; in `findings` what else is wrong; in `residue` what no test can settle; in `question` what only a \
        person can answer, else leave it empty. Your `verdict` is pass only if you found nothing; do not soften or invent \
        a finding.",
    allowed: &["read the source and its tests, and run them"],
    forbidden: &["proposing fixes", "findings without a place"],
    answer: schema,
};

/// The answer of a reader.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadAnswer {
    pub(crate) verdict: Verdict,
    pub(crate) findings: Vec<String>,
    #[serde(default)]
    pub(crate) cheats: Vec<CheatAnswer>,
    #[serde(default)]
    pub(crate) residue: Vec<ResidueAnswer>,
    #[serde(default)]
    pub(crate) question: OptionalText,
}

pub(super) fn schema() -> Value {
    object(json!({
        "verdict": one_of(["pass", "fail", "cannot_tell"]), "findings": texts(),
        "cheats": cheats(), "residue": residue(), "question": text(),
    }))
}
