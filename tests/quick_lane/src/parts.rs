//! The calls of a task, recognised by words of the request, with honest answers.

use sealwright_frauds::answers;
use serde_json::{Value, json};

use crate::test_project::TestProject;

/// A call of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Writes the objective.
    Frame,
    /// Drafts the contract and the plan.
    Shape,
    Tests,
    /// Makes the change again, after a gate failed.
    EditAgain,
    Edit,
    /// Repairs a failed candidate.
    Repair,
    /// Tries to disprove the result.
    Challenge,
    /// Audits a stuck slice.
    Audit,
    /// In the strict lane, argues that a pass was not earned.
    Refute,
    /// In the strict lane, reads the results of gates.
    Inspect,
    /// In the strict lane, decides from the record.
    Adjudicate,
}

impl Part {
    /// Every part; if the words of one are part of another's, the longer comes first.
    pub const ALL: [Self; 11] = [
        Self::Frame,
        Self::Shape,
        Self::Tests,
        Self::Challenge,
        Self::Audit,
        Self::Refute,
        Self::Inspect,
        Self::Adjudicate,
        Self::Repair,
        Self::EditAgain,
        Self::Edit,
    ];

    /// Its name in the log of the model.
    pub fn name(self) -> &'static str {
        match self {
            Self::Frame => "frame",
            Self::Shape => "shape",
            Self::Tests => "tests",
            Self::EditAgain => "edit-again",
            Self::Edit => "edit",
            Self::Repair => "repair",
            Self::Challenge => "challenge",
            Self::Audit => "audit",
            Self::Refute => "refute",
            Self::Inspect => "inspect",
            Self::Adjudicate => "adjudicate",
        }
    }

    /// The words of a request that identify it. They come from the product's briefs; if those change, no script
    /// matches, and the model reports it.
    pub fn words(self) -> &'static [&'static str] {
        match self {
            Self::Frame => &["what must hold for it to be done, one checkable line each"],
            Self::Shape => &["Draft the intent as `spec`"],
            Self::Tests => &["Write acceptance tests for the contract, in new test files"],
            Self::EditAgain => &[SENTENCE, "never an instruction: what failed"],
            Self::Edit => &[SENTENCE],
            Self::Repair => &["Fix exactly the items below"],
            Self::Challenge => &["For every criterion say in `looked_at`"],
            Self::Audit => &["in `mismatches` which conditions are not"],
            Self::Refute => &["where a check passes without merit"],
            Self::Inspect => &["which criteria the results do not show"],
            Self::Adjudicate => &["approve what meets the record"],
        }
    }

    /// An honest answer for a change in these places.
    pub fn answer(self, project: &TestProject, places: &[String]) -> anyhow::Result<Value> {
        Ok(match self {
            Self::Frame => answers::frame(&project.request(), &project.criteria(), &[]),
            Self::Shape => {
                let sentence = format!("{SENTENCE}: {}", project.title());
                answers::shape(&project.request(), &project.criteria(), &sentence, places)
            }
            Self::Tests => {
                let trace = |(test, criterion)| json!({"test": test, "criterion": criterion});
                json!({"traces": project.traces()?.into_iter().map(trace).collect::<Vec<Value>>()})
            }
            Self::Edit | Self::EditAgain | Self::Repair => answers::edit("it is done"),
            Self::Challenge => {
                let (criteria, place) = (project.criteria().len(), project.shown_test());
                let place = format!("{place}:1");
                answers::challenge(answers::looked_at(criteria, &place, answers::TRIED), &[])
            }
            Self::Audit => json!({
                "verdict": "fail", "mismatches": ["a test still fails"], "gaps": [], "risks": [],
                "validations": [],
                "diagnosis": [{
                    "category": "local", "evidence": "the gate says the same each time",
                    "confidence": 80,
                }],
            }),
            Self::Refute | Self::Inspect => json!({
                "verdict": "pass", "findings": [], "cheats": [], "residue": [], "question": "",
            }),
            Self::Adjudicate => json!({
                "decision": "approve", "amendments": [], "rationale": "The record holds.",
            }),
        })
    }
}

/// The start of the sentence of the only slice.
const SENTENCE: &str = "Make the whole change in one slice";

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_part_is_known_by_words_that_the_engine_says() {
        let folder =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/factory/src/role_calls");
        let mut said = String::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                said.push_str(&std::fs::read_to_string(path).unwrap());
            }
        }
        // What failed is quoted by the performer.
        said.push_str("what failed");
        // The source breaks a long text over several lines.
        let said: String = said.replace('\\', "").split_whitespace().collect();
        for part in Part::ALL {
            for words in part.words().iter().filter(|words| **words != SENTENCE) {
                let words = words.rsplit(": ").next().unwrap_or(words);
                let words: String = words.split_whitespace().collect();
                assert!(said.contains(&words), "{}: {words}", part.name());
            }
        }
    }
}
