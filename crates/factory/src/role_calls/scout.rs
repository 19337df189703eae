//! `scout`: answers open questions about the code, inside the scope cap.

use sealwright_kernel::Role;
use sealwright_kernel::task::Phase;
use sealwright_kernel::task::slice::NewFinding;
use sealwright_sandbox::view::Hand;
use serde::Deserialize;
use serde_json::{Value, json};

use super::schema::{count, list, object, one_of, text};
use super::{Key, RoleCall};

pub(crate) const SCOUT: RoleCall = RoleCall {
    key: Key::Scout,
    role: Role::Scout,
    phase: Phase::Implement,
    tree: Some(Hand::Reads),
    files: &[],
    brief: "You find facts for the builder: paths, symbols, conventions, commands, entry points, tests. You see only the \
        part of the repository in which the answers are to be found. Make no proposals.",
    request: "Answer the questions below. Each entry of `findings` names the number of its question, as source the place \
        where it can be checked (`path:line`), the shortest snippet that shows it, a factual note, and whether it was \
        seen or is uncertain. For what you cannot find, give an uncertain finding that says where you looked.",
    allowed: &["read and search within the scope"],
    forbidden: &["proposals, designs or fixes", "facts without a source"],
    answer: schema,
};

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScoutAnswer {
    pub(crate) findings: Vec<NewFinding>,
}

fn schema() -> Value {
    let finding = object(json!({
        "unknown": count(0), "source": text(), "snippet": text(), "note": text(),
        "certainty": one_of(["seen", "uncertain"]),
    }));
    object(json!({"findings": list(finding)}))
}
