//! `audit`: after three failures in a row, says why a slice is stuck. It reads, and its words are no facts.

use sealwright_kernel::Role;
use sealwright_kernel::pack::InputKind;
use sealwright_kernel::task::Phase;
use serde_json::{Value, json};

use super::schema::{list, object, one_of, percent, text, texts};
use super::{GivenFile, Key, RoleCall};

pub(crate) const AUDIT: RoleCall = RoleCall {
    key: Key::Audit,
    role: Role::Auditor,
    phase: Phase::Implement,
    tree: None,
    files: &[GivenFile { name: "snapshot.md", input: InputKind::Snapshot }],
    brief: "A slice is stuck after several failures. You explain why, from its latest snapshot alone. Never say what to \
        change.",
    request: "Say in `verdict` whether its criteria are met; in `mismatches` which conditions are not; in `diagnosis` what \
        explains the pattern: something local, missing facts, a wrong approach or the environment, each with its evidence \
        and how sure you are; in `gaps` which questions are open; in `risks` what may go wrong; in `validations` how each \
        point could be checked.",
    allowed: &["read the snapshot"],
    forbidden: &["saying what to change, in any form"],
    answer: schema,
};

/// The category of a diagnosis that calls for another plan.
pub(crate) const APPROACH: &str = "approach";

fn schema() -> Value {
    let diagnosis = object(json!({
        "category": one_of(["local", "facts", APPROACH, "environment"]),
        "evidence": text(), "confidence": percent(),
    }));
    object(json!({
        "verdict": one_of(["pass", "fail", "cannot_tell"]),
        "mismatches": texts(), "diagnosis": list(diagnosis),
        "gaps": texts(), "risks": texts(), "validations": texts(),
    }))
}
