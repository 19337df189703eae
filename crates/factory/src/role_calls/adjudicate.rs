//! `adjudicate`: the arbiter decides from the record whether the change ships, perhaps with amendments.

use std::fmt;

use sealwright_kernel::Role;
use sealwright_kernel::pack::InputKind;
use sealwright_kernel::task::slice::is_inside_the_tree;
use sealwright_kernel::task::{Adjudication, Phase};
use serde::Deserialize;
use serde_json::{Value, json};

use super::schema::{list, object, one_of, text};
use super::{CONTRACT, CRITERIA, GivenFile, Key, RoleCall};

pub(crate) const ADJUDICATE: RoleCall = RoleCall {
    key: Key::Adjudicate,
    role: Role::Arbiter,
    phase: Phase::Review,
    tree: None,
    files: &[
        GivenFile { name: "change.diff", input: InputKind::Proposal },
        CONTRACT,
        CRITERIA,
        GivenFile { name: "challenge.json", input: InputKind::Challenge },
    ],
    brief: "You decide from the record alone whether a change may ship: from the contract, the criteria, the change and the \
        challenge. Weigh evidence, not confidence.",
    request: "Give your `decision`: approve what meets the record, approve_with_amendments only with `amendments`, reject the \
        rest. An amendment modifies, adds or removes one file; its target is `file:PATH`, and its detail is so exact, with \
        the names or values it is about, that another agent can apply it without asking. Other decisions have none. Give a \
        `rationale` that is complete without further explanation.",
    allowed: &["decide from the record"],
    forbidden: &[
        "new demands that are not in the record",
        "vague amendments",
        "amendments of frozen tests",
    ],
    answer: schema,
};

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AdjudicateAnswer {
    decision: Decision,
    #[serde(default)]
    amendments: Vec<Amendment>,
    pub(crate) rationale: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Decision {
    Approve,
    ApproveWithAmendments,
    Reject,
}

/// A change that the arbiter asks for, of one file. As text: `MODIFY file:PATH: DETAIL`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Amendment {
    pub(crate) action: Action,
    target: String,
    detail: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum Action {
    Modify,
    Add,
    Remove,
}

impl AdjudicateAnswer {
    /// The decision, or why the answer contradicts itself or is too vague to be applied.
    pub(crate) fn decided(self, is_there: impl Fn(&str) -> bool) -> Result<Adjudication, String> {
        match (self.decision, self.amendments.is_empty()) {
            (Decision::Approve, true) => Ok(Adjudication::Approve),
            (Decision::Reject, true) => Ok(Adjudication::Reject { rationale: self.rationale }),
            (Decision::ApproveWithAmendments, false) => {
                self.amendments.iter().try_for_each(|it| it.check(&is_there))?;
                let amendments = self.amendments.iter().map(ToString::to_string).collect();
                Ok(Adjudication::ApproveWithAmendments { amendments })
            }
            (Decision::ApproveWithAmendments, true) => {
                Err("approve_with_amendments without an amendment".to_owned())
            }
            (Decision::Approve | Decision::Reject, false) => {
                Err("only approve_with_amendments may have amendments".to_owned())
            }
        }
    }
}

impl Amendment {
    /// The amendment that a text of this form describes.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (action, rest) = text.split_once(' ')?;
        let action = Action::ALL.into_iter().find(|it| it.name() == action)?;
        let (path, detail) = rest.strip_prefix(FILE)?.split_once(": ")?;
        Some(Self { action, target: format!("{FILE}{path}"), detail: detail.to_owned() })
    }

    pub(crate) fn path(&self) -> &str {
        self.target.strip_prefix(FILE).unwrap_or_default()
    }

    /// Whether it is applied to a file that was and is as given.
    pub(crate) fn is_applied(&self, before: Option<&[u8]>, now: Option<&[u8]>) -> bool {
        match self.action {
            Action::Modify => before.is_some() && now.is_some() && before != now,
            Action::Add => before.is_none() && now.is_some(),
            Action::Remove => now.is_none(),
        }
    }

    fn check(&self, is_there: impl Fn(&str) -> bool) -> Result<(), String> {
        let Self { action, target, detail } = self;
        let path = self.path();
        if !is_inside_the_tree(path) || path.contains(": ") {
            return Err(format!("the target `{target}` is not `file:PATH`"));
        }
        match (action, is_there(path)) {
            (Action::Modify | Action::Remove, false) => {
                return Err(format!("there is no `{path}` to {}", action.name().to_lowercase()));
            }
            (Action::Add, true) => return Err(format!("`{path}` to be added exists already")),
            (Action::Modify | Action::Remove, true) | (Action::Add, false) => {}
        }
        if detail.chars().count() < DETAIL_CHARS_MIN || !names_something(detail) {
            return Err(format!(
                "the amendment of `{path}` is too vague: name what it is about in at least {DETAIL_CHARS_MIN} characters"
            ));
        }
        Ok(())
    }
}

impl fmt::Display for Amendment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.action.name(), self.target, self.detail)
    }
}

impl Action {
    const ALL: [Self; 3] = [Self::Modify, Self::Add, Self::Remove];

    fn name(self) -> &'static str {
        match self {
            Self::Modify => "MODIFY",
            Self::Add => "ADD",
            Self::Remove => "REMOVE",
        }
    }
}

/// Whether a text has a number, a quoted literal or an identifier in it.
fn names_something(text: &str) -> bool {
    let is_identifier = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
        word.contains('_') || word.contains("::") || word.contains('.') || word.contains('(')
    };
    text.contains(['`', '"', '\''])
        || text.chars().any(|c| c.is_ascii_digit())
        || text.split_whitespace().any(is_identifier)
}

fn schema() -> Value {
    let amendment = object(json!({
        "action": one_of(["MODIFY", "ADD", "REMOVE"]), "target": text(), "detail": text(),
    }));
    object(json!({
        "decision": one_of(["approve", "approve_with_amendments", "reject"]),
        "amendments": list(amendment), "rationale": text(),
    }))
}

const FILE: &str = "file:";
const DETAIL_CHARS_MIN: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(answer: Value) -> Result<Adjudication, String> {
        let answer: AdjudicateAnswer = serde_json::from_value(answer).unwrap();
        answer.decided(|path| path == "fees.py")
    }

    fn amended(action: &str, target: &str, detail: &str) -> Result<Adjudication, String> {
        decided(json!({
            "decision": "approve_with_amendments", "rationale": "it holds",
            "amendments": [{"action": action, "target": target, "detail": detail}],
        }))
    }

    #[test]
    fn amendments_are_exact_or_refused() {
        let exact = "say in the docstring of `day_fee` that minutes count from 0";
        let text = format!("MODIFY file:fees.py: {exact}");
        assert_eq!(
            amended("MODIFY", "file:fees.py", exact),
            Ok(Adjudication::ApproveWithAmendments { amendments: vec![text.clone()] })
        );
        let parsed = Amendment::parse(&text).unwrap();
        assert_eq!((parsed.path(), parsed.to_string()), ("fees.py", text));
        for (action, target, detail, why) in [
            (
                "MODIFY",
                "file:fees.py",
                "improve the error handling of the whole module",
                "too vague",
            ),
            ("MODIFY", "file:fees.py", "`x`", "too vague"),
            ("MODIFY", "file:no.py", exact, "there is no `no.py`"),
            ("REMOVE", "file:no.py", exact, "there is no `no.py`"),
            ("ADD", "file:fees.py", exact, "exists already"),
            ("MODIFY", "fees.py", exact, "is not `file:PATH`"),
        ] {
            let refused = amended(action, target, detail).unwrap_err();
            assert!(refused.contains(why), "{refused}");
        }
    }

    #[test]
    fn a_decision_and_its_amendments_agree() {
        let one = json!([{"action": "ADD", "target": "file:a", "detail": "x"}]);
        for (decision, amendments) in
            [("approve", one.clone()), ("reject", one), ("approve_with_amendments", json!([]))]
        {
            let answer = json!({"decision": decision, "amendments": amendments, "rationale": "r"});
            assert!(decided(answer).is_err(), "{decision}");
        }
        let approve = json!({"decision": "approve", "amendments": [], "rationale": "r"});
        assert_eq!(decided(approve), Ok(Adjudication::Approve));
    }

    #[test]
    fn an_amendment_is_applied_if_its_file_shows_it() {
        let (old, new): (Option<&[u8]>, Option<&[u8]>) = (Some(b"a"), Some(b"b"));
        for (action, before, now, is_applied) in [
            (Action::Modify, old, new, true),
            (Action::Modify, old, old, false),
            (Action::Modify, old, None, false),
            (Action::Add, None, new, true),
            (Action::Add, None, None, false),
            (Action::Remove, old, None, true),
            (Action::Remove, old, old, false),
        ] {
            let amendment = Amendment { action, target: String::new(), detail: String::new() };
            assert_eq!(amendment.is_applied(before, now), is_applied, "{action:?}");
        }
    }
}
