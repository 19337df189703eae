//! `shape`: drafts the contract and the plan that a person approves.

use sealwright_kernel::Role;
use sealwright_kernel::task::Phase;
use sealwright_sandbox::view::Hand;
use serde::Deserialize;
use serde_json::{Value, json};

use super::schema::{list, object, percent, text, texts, yes_or_no};
use super::{Key, OptionalText, RoleCall};

/// What is asked for a draft. `frame` asks the same where one call gives both.
macro_rules! shape_request {
    () => {
        "Draft the intent as `spec`, the cases that matter as `scenarios`, and as `contract` names, signatures, \
         inputs, outputs and errors; say how sure you are of each and flag what the person should look at first. Say in \
         `validation` how it will be checked. Plan the fewest `slices`; each names the places it may change, where \
         its open questions may be looked up and what to leave out of that. List in `items` every public name that the \
         contract adds, changes or removes. Say in `keeps_behaviour` whether nothing observable changes, as in a \
         refactoring; its tests pass before and after. Manifests, lock files and test helpers that have to change are \
         `declared`, each with the reason; tests that may be skipped on this machine are `skips`. If it cannot be done, \
         say why in `impossible`, else leave that empty."
    };
}
pub(super) use shape_request;

/// The call for the role that drafts in this lane.
pub(crate) const fn shape(drafter: Role) -> RoleCall {
    RoleCall {
        key: Key::Shape,
        role: drafter,
        phase: Phase::Shape,
        tree: Some(Hand::Tries),
        files: &[],
        brief: "You draft a contract without gaps for one change of this repository, and the smallest plan that meets \
            it. A person reads both and approves them before anything is built.",
        request: shape_request!(),
        allowed: &["write the contract and the plan, in the answer"],
        forbidden: &["code or tests", "placeholders in the contract"],
        answer: schema,
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShapeAnswer {
    pub(crate) spec: Drafted,
    pub(crate) scenarios: Drafted,
    pub(crate) contract: Drafted,
    pub(crate) validation: Vec<String>,
    pub(crate) slices: Vec<PlannedAnswer>,
    #[serde(default)]
    pub(crate) declared: Vec<DeclaredAnswer>,
    #[serde(default)]
    pub(crate) items: Vec<String>,
    #[serde(default)]
    pub(crate) skips: Vec<String>,
    #[serde(default)]
    pub(crate) keeps_behaviour: bool,
    #[serde(default)]
    pub(crate) impossible: OptionalText,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Drafted {
    pub(crate) text: String,
    pub(crate) confidence: u8,
    #[serde(default)]
    pub(crate) flags: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlannedAnswer {
    pub(crate) sentence: String,
    /// Where it may change something.
    pub(crate) places: Vec<String>,
    pub(crate) criteria: Vec<String>,
    #[serde(default)]
    pub(crate) constraints: Vec<String>,
    #[serde(default)]
    pub(crate) unknowns: Vec<String>,
    /// Where its scouts may look; the places, if nothing is said.
    #[serde(default)]
    pub(crate) look_in: Vec<String>,
    #[serde(default)]
    pub(crate) leave_out: Vec<String>,
}

/// A guarded file that the contract allows to change, and why.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeclaredAnswer {
    pub(crate) path: String,
    pub(crate) why: String,
}

pub(super) fn schema() -> Value {
    let drafted = object(json!({"text": text(), "flags": texts(), "confidence": percent()}));
    let slice = object(json!({
        "sentence": text(), "places": texts(), "criteria": texts(), "constraints": texts(), "unknowns": texts(),
        "look_in": texts(), "leave_out": texts(),
    }));
    object(json!({
        "spec": drafted, "scenarios": drafted, "contract": drafted, "validation": texts(),
        "slices": list(slice),
        "declared": list(object(json!({"path": text(), "why": text()}))),
        "items": texts(), "skips": texts(), "keeps_behaviour": yes_or_no(), "impossible": text(),
    }))
}
