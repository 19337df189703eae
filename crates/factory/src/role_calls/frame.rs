//! `frame`: puts into words what is wanted, or says why the task should not start.

use sealwright_kernel::Role;
use sealwright_kernel::task::{Audience, Feature, Phase};
use sealwright_sandbox::view::Hand;
use serde::Deserialize;
use serde_json::{Value, json};

use super::schema::{list, object, one_of, or_null, text, texts};
use super::shape::{self, ShapeAnswer, shape_request};
use super::{Key, RoleCall};

macro_rules! frame_request {
    () => {
        "State the `objective`; in `done_gate` what must hold for it to be done, one checkable line each, criteria \
         that were given word for word; in `not_doing` what is not part of it; in `reality` what cannot be changed. Say in \
         `audience` whether people or only other code will see it, and list in `features` what people will see, each with \
         a truthful label. If the request is true already, cannot be done, can mean more than one thing, or is larger \
         than one change, say so in `stop`, with the reason you found in the code and the one question whose answer would \
         let the work begin. Otherwise the kind of `stop` is `none`."
    };
}

pub(crate) const FRAME: RoleCall = RoleCall {
    key: Key::Frame,
    role: Role::Builder,
    phase: Phase::Intake,
    tree: Some(Hand::Tries),
    files: &[],
    brief: "You put into words what a person wants of this repository, before anything is designed. Ask for what the \
        request does not say; do not fill it in.",
    request: frame_request!(),
    allowed: &["write down objective, conditions, exclusions and constraints"],
    forbidden: &["design, code or tests"],
    answer: || object(members()),
};

/// The same with the draft of contract and plan in one call, where the same role gives both.
pub(crate) const FRAME_AND_DRAFT: RoleCall = RoleCall {
    brief: "You put into words what a person wants of this repository and draft a contract without gaps for it, with the \
        smallest plan that meets it. A person reads all of it and approves it before anything is built. Ask for what the \
        request does not say; do not fill it in.",
    request: concat!(
        frame_request!(),
        " With a kind other than `none`, `draft` is null. Else it is the draft. ",
        shape_request!()
    ),
    allowed: &[
        "write objective, conditions, exclusions, constraints, contract and plan, in the answer",
    ],
    forbidden: &["code or tests", "placeholders in the contract"],
    answer: with_draft,
    ..FRAME
};

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FrameAnswer {
    pub(crate) objective: String,
    pub(crate) done_gate: Vec<String>,
    pub(crate) not_doing: Vec<String>,
    pub(crate) reality: Vec<String>,
    #[serde(default)]
    pub(crate) audience: Audience,
    #[serde(default)]
    pub(crate) features: Vec<Feature>,
    pub(crate) stop: StopAnswer,
    #[serde(default)]
    pub(crate) draft: Option<ShapeAnswer>,
}

/// Why the task should not start, and the one question to ask.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StopAnswer {
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
    pub(crate) fn message(&self) -> Option<String> {
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

fn with_draft() -> Value {
    let mut members = members();
    members["draft"] = or_null(shape::schema());
    object(members)
}

fn members() -> Value {
    let labels = ["real_working", "real_read_only", "blocked_hidden", "unknown_do_not_show"];
    let kinds = ["none", "already_true", "impossible", "ambiguous", "too_large"];
    json!({
        "objective": text(), "done_gate": texts(), "not_doing": texts(), "reality": texts(),
        "audience": one_of(["code", "people"]),
        "features": list(object(json!({"name": text(), "label": one_of(labels)}))),
        "stop": object(json!({"kind": one_of(kinds), "why": text(), "question": text()})),
    })
}
