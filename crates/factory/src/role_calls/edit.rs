//! `edit`: the builder changes the tree, or says what it lacks.

use std::fmt;

use sealwright_kernel::Role;
use sealwright_kernel::pack::InputKind;
use sealwright_kernel::task::Phase;
use sealwright_sandbox::view::Hand;
use serde::Deserialize;
use serde_json::{Value, json};

use super::schema::{ResidueAnswer, next, object, one_of, residue, text, texts, yes_or_no};
use super::{CONTRACT, CRITERIA, GivenFile, Key, OptionalText, RoleCall};

pub(crate) const EDIT: RoleCall = RoleCall {
    key: Key::Edit,
    role: Role::Builder,
    phase: Phase::Implement,
    tree: Some(Hand::Builds),
    files: &[CONTRACT, CRITERIA, GivenFile { name: "snapshot.md", input: InputKind::Snapshot }],
    brief: "You write the change: the smallest coherent one that meets the plan. `snapshot.md` holds all that is known so \
        far, and what failed. What you need and cannot find there or in the tree is an open question, not an assumption. \
        Your claims prove nothing; only the tree you leave is checked.",
    request: "Make the change below. Say in `ready` whether the slice is complete, in one line of `summary` what you \
        changed, and in `next` the phase that should follow. If you cannot go on, say in `need` what you lack: a fact about \
        the code, places where it may be looked up, or a clause of the contract; otherwise its kind is `none`. Findings that \
        no test can settle go into `residue`, what later tasks should know into `lessons`.",
    allowed: &["change code, documents and scripts below `/work`, within the locked plan"],
    forbidden: &["touching frozen tests or the contract", "work that no plan item asks for"],
    answer: schema,
};

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EditAnswer {
    pub(crate) ready: bool,
    #[serde(default)]
    #[expect(dead_code, reason = "stored for people; no decision depends on it")]
    pub(crate) summary: String,
    #[serde(default)]
    pub(crate) next: OptionalText,
    #[serde(default)]
    need: NeedAnswer,
    #[serde(default)]
    pub(crate) residue: Vec<ResidueAnswer>,
    #[serde(default)]
    pub(crate) lessons: Vec<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct NeedAnswer {
    kind: NeedKind,
    what: String,
    places: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum NeedKind {
    #[default]
    None,
    Fact,
    Places,
    Contract,
}

/// What a builder lacks to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    Fact {
        unknown: String,
    },
    /// Scouts have to look in more places.
    Places {
        because: String,
        places: Vec<String>,
    },
    /// The contract has a gap.
    Contract {
        what: String,
    },
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fact { unknown } => write!(f, "a fact is missing: {unknown}"),
            Self::Places { because, .. } => {
                write!(f, "the answer is outside of what may be read: {because}")
            }
            Self::Contract { what } => write!(f, "the contract has a gap: {what}"),
        }
    }
}

impl EditAnswer {
    pub(crate) fn need(&self) -> Option<Need> {
        let what = self.need.what.clone();
        match self.need.kind {
            NeedKind::None => None,
            NeedKind::Fact => Some(Need::Fact { unknown: what }),
            NeedKind::Places => {
                Some(Need::Places { because: what, places: self.need.places.clone() })
            }
            NeedKind::Contract => Some(Need::Contract { what }),
        }
    }
}

pub(super) fn schema() -> Value {
    let kinds = one_of(["none", "fact", "places", "contract"]);
    object(json!({
        "ready": yes_or_no(), "summary": text(),
        "next": next(Phase::Implement),
        "need": object(json!({"kind": kinds, "what": text(), "places": texts()})),
        "residue": residue(), "lessons": texts(),
    }))
}
