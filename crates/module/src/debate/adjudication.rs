//! The adjudication: the arbiter's decision, its amendments, and whether they were applied.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use sealwright_kernel::{Digest, TreePath};
use serde::{Deserialize, Serialize};

use super::answer::{Defect, bounded_list, is_concrete, phrase_in, prose, read};
use super::charter::Charter;
use super::dossier::{Dossier, is_name};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Decision {
    Approve,
    ApproveWithAmendments,
    Reject,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ShipDirective {
    Ship,
    NoShip,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AmendmentAction {
    Modify,
    Add,
    Remove,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Amendment {
    pub action: AmendmentAction,
    /// `contract:<json-pointer>`, `test:<name>`, `examples:<heading>` or `file:<path>`.
    pub target: String,
    pub detail: String,
}

/// An arbiter's answer. Ids are minted by the machine, so it names none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdjudicationAnswer {
    pub decision: Decision,
    pub amendments: Vec<Amendment>,
    pub rationale: String,
    pub ship_directive: ShipDirective,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adjudication {
    pub adjudication_id: String,
    pub target_artifact_id: String,
    pub decision: Decision,
    pub amendments: Vec<Amendment>,
    pub rationale: String,
    pub ship_directive: ShipDirective,
}

/// What a builder says of one amendment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApplicationRecord {
    pub amendment_index: u32,
    pub applied: bool,
    pub note: String,
}

/// What the machine saw of an amendment's target, before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observed {
    pub amendment_index: u32,
    /// The digest of the target; absent if it does not exist.
    pub before: Option<Digest>,
    pub after: Option<Digest>,
}

/// What the targets of amendments are resolved against.
#[derive(Clone, Copy, Debug)]
pub struct Targets<'t> {
    pub charter: &'t Charter,
    pub dossier: &'t Dossier,
    /// The files of the deliverable. No role but its builder sees them.
    pub files: &'t [String],
}

impl AdjudicationAnswer {
    /// Reads an answer by its schema and nothing more.
    pub fn read(text: &str) -> Result<Self, Vec<Defect>> {
        read(text).map_err(|defect| vec![defect])
    }

    /// Whether decision, amendments and directive belong together.
    pub fn field_defects(&self) -> Vec<Defect> {
        let mut defects = vec![];
        prose("rationale", &self.rationale, RATIONALE_CHARS_MIN, &mut defects);
        let ships = match self.decision {
            Decision::Approve | Decision::ApproveWithAmendments => ShipDirective::Ship,
            Decision::Reject => ShipDirective::NoShip,
        };
        if self.ship_directive != ships {
            let mend = match ships {
                ShipDirective::Ship => "an approval says SHIP",
                ShipDirective::NoShip => "REJECT says NO_SHIP",
            };
            defects.push(Defect::new("ship_directive", "it contradicts the decision", mend));
        }
        match (self.decision, self.amendments.is_empty()) {
            (Decision::ApproveWithAmendments, true) => {
                let mend = "give at least one amendment, or decide APPROVE";
                defects.push(Defect::new("amendments", "it is empty", mend));
            }
            (Decision::Approve | Decision::Reject, false) => {
                let mend = "only APPROVE_WITH_AMENDMENTS has amendments";
                defects.push(Defect::new("amendments", "the decision has none", mend));
            }
            (Decision::ApproveWithAmendments, false)
            | (Decision::Approve | Decision::Reject, true) => {}
        }
        defects
    }

    /// Whether every amendment is precise and has a target that can be looked up.
    pub fn amendment_defects(&self, targets: Targets<'_>) -> Vec<Defect> {
        let count = self.amendments.len();
        if let Err(defect) = bounded_list("amendments", count, AMENDMENTS_MAX) {
            return vec![defect];
        }
        let mut defects = vec![];
        for (nth, amendment) in self.amendments.iter().enumerate() {
            let path = format!("amendments[{nth}].detail");
            prose(&path, &amendment.detail, DETAIL_CHARS_MIN, &mut defects);
            if let Some(phrase) = phrase_in(&amendment.detail, &VAGUE) {
                let wrong = format!("`{phrase}` can be done in many ways");
                defects.push(Defect::new(&*path, wrong, "say exactly what changes into what"));
            }
            if !is_concrete(&amendment.detail) {
                let wrong = "it names nothing concrete";
                let mend = "name a literal in quotes, an identifier or a number";
                defects.push(Defect::new(path, wrong, mend));
            }
            let path = format!("amendments[{nth}].target");
            let earlier = &self.amendments[..nth];
            if earlier.iter().any(|it| it.target == amendment.target) {
                let mend = "say everything about a target in one amendment";
                defects.push(Defect::new(&*path, "another amendment has the same target", mend));
            }
            if let Err((wrong, mend)) = targets.resolve(amendment) {
                defects.push(Defect::new(path, wrong, mend));
            }
        }
        defects.truncate(super::challenge::DEFECTS_MAX);
        defects
    }
}

impl Adjudication {
    pub fn of(answer: AdjudicationAnswer, id: String, target_artifact_id: String) -> Self {
        let AdjudicationAnswer { decision, amendments, rationale, ship_directive } = answer;
        Self {
            adjudication_id: id,
            target_artifact_id,
            decision,
            amendments,
            rationale,
            ship_directive,
        }
    }

    /// Whether an amendment changes the contract itself.
    pub fn amends_contract(&self) -> bool {
        self.amendments.iter().any(|it| it.target.starts_with("contract:"))
    }
}

impl Targets<'_> {
    fn resolve(&self, amendment: &Amendment) -> Result<(), (String, &'static str)> {
        const FORM: &str =
            "use contract:<json-pointer>, test:<name>, examples:<heading> or file:<path>";
        let Some((kind, name)) = amendment.target.split_once(':') else {
            return Err(("it is no locator".into(), FORM));
        };
        if !is_name(name) {
            return Err(("it is blank, too long or not one line".into(), FORM));
        }
        let exists = match kind {
            "contract" if !name.starts_with('/') => {
                return Err(("it is no JSON pointer".into(), "begin it with `/`"));
            }
            "contract" => self.charter.has_pointer(name),
            "test" => self.dossier.test(name).is_some(),
            "examples" => self.dossier.example_headings.iter().any(|it| it == name),
            "file" => {
                if let Err(bad) = TreePath::new(name) {
                    return Err((format!("{bad}"), "name a path inside the deliverable"));
                }
                self.files.iter().any(|it| it == name)
            }
            _ => return Err(("it is no locator".into(), FORM)),
        };
        match (amendment.action, exists) {
            (AmendmentAction::Add, true) => {
                Err(("it exists already".into(), "use MODIFY, or another target"))
            }
            (AmendmentAction::Modify | AmendmentAction::Remove, false) => {
                Err(("it does not exist".into(), "use ADD, or a target that exists"))
            }
            (AmendmentAction::Add, false)
            | (AmendmentAction::Modify | AmendmentAction::Remove, true) => Ok(()),
        }
    }
}

/// The answer of a builder that applied amendments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AmendmentAnswer {
    pub records: Vec<ApplicationRecord>,
}

impl AmendmentAnswer {
    /// Reads an answer; it has one record for each amendment, in order.
    pub fn read(text: &str, amendments: &[Amendment]) -> Result<Self, Vec<Defect>> {
        let answer: Self = read(text).map_err(|defect| vec![defect])?;
        let mut defects = vec![];
        let count = answer.records.len();
        if count != amendments.len() {
            let wrong = format!("it has {count} entries");
            let mend = format!("give one for each of the {} amendments", amendments.len());
            return Err(vec![Defect::new("records", wrong, mend)]);
        }
        for (nth, record) in answer.records.iter().enumerate() {
            if usize::try_from(record.amendment_index) != Ok(nth) {
                let path = format!("records[{nth}].amendment_index");
                let wrong = format!("it is {}", record.amendment_index);
                defects.push(Defect::new(path, wrong, format!("the amendment here is {nth}")));
            }
            let path = format!("records[{nth}].note");
            let chars_min = if record.applied { 1 } else { NOTE_CHARS_MIN };
            prose(&path, &record.note, chars_min, &mut defects);
        }
        if defects.is_empty() { Ok(answer) } else { Err(defects) }
    }
}

/// The amendments whose targets do not show that they were applied.
pub fn unapplied(amendments: &[Amendment], observed: &[Observed]) -> Vec<u32> {
    let shows = |(nth, amendment): (u32, &Amendment)| {
        let mut seen = observed.iter().filter(|it| it.amendment_index == nth);
        let is_applied = match (seen.next(), seen.next()) {
            (Some(seen), None) => match amendment.action {
                AmendmentAction::Modify => {
                    seen.before.is_some() && seen.after.is_some() && seen.before != seen.after
                }
                AmendmentAction::Add => seen.after.is_some(),
                AmendmentAction::Remove => seen.after.is_none(),
            },
            (None | Some(_), _) => false,
        };
        (!is_applied).then_some(nth)
    };
    (0..).zip(amendments).filter_map(shows).collect()
}

pub const AMENDMENTS_MAX: usize = 32;
pub const DETAIL_CHARS_MIN: usize = 40;
const RATIONALE_CHARS_MIN: usize = 20;
const NOTE_CHARS_MIN: usize = 10;

#[rustfmt::skip]
const VAGUE: [&str; 22] = [
    "improve error handling", "improve the error handling", "better error handling", "handle errors properly",
    "handle all errors", "add more tests", "more tests", "improve test coverage", "improve the tests", "clean up",
    "refactor the code", "make it better", "improve quality", "improve the code", "as appropriate", "as needed",
    "where necessary", "if necessary", "more robust", "and so on", "best practices", "fix the issues",
];

#[cfg(test)]
mod tests;
