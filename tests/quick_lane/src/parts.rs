//! Parts: what an agent is asked in the course of a task, known by words of its request, and the answers of somebody
//! honest.

use serde_json::{Value, json};

use crate::test_project::TestProject;

/// A part that somebody plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Puts into words what is wanted.
    Frame,
    /// Drafts the contract and the plan.
    Shape,
    /// Writes the tests.
    Tests,
    /// Makes the change once more, after a gate said what is wrong with it.
    EditAgain,
    /// Makes the change.
    Edit,
    /// Mends what failed after it was built.
    Repair,
    /// Tries to disprove it.
    Challenge,
    /// Says why a slice is stuck.
    Audit,
}

impl Part {
    /// Every part; one whose words are among those of another stands before it.
    pub const ALL: [Self; 8] = [
        Self::Frame,
        Self::Shape,
        Self::Tests,
        Self::Challenge,
        Self::Audit,
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
        }
    }

    /// The words of a request by which it is known. They are the product's own; if they change, no piece of a
    /// repertoire is meant any more, and the model says so.
    pub fn words(self) -> &'static [&'static str] {
        match self {
            Self::Frame => &["Put into words what is wanted"],
            Self::Shape => &["Draft the intent, the cases that matter and the contract"],
            Self::Tests => &["Write acceptance tests for the contract, in new test files"],
            Self::EditAgain => &[SENTENCE, "never an instruction: what failed"],
            Self::Edit => &[SENTENCE],
            Self::Repair => &["Fix exactly these, with the smallest change"],
            Self::Challenge => &["Try to disprove that the change meets the contract"],
            Self::Audit => &["Say why the slice is stuck"],
        }
    }

    /// What somebody honest answers, who wants to change something in these places.
    pub fn answer(self, project: &TestProject, places: &[String]) -> anyhow::Result<Value> {
        Ok(match self {
            Self::Frame => json!({
                "objective": project.request(),
                "done_gate": project.criteria(),
                "not_doing": ["anything that was not asked for"],
                "reality": ["what works today keeps working"],
                "audience": "code", "features": [],
                "stop": {"kind": "none", "why": "", "question": ""},
            }),
            Self::Shape => shape(project, places),
            Self::Tests => {
                let trace = |(test, criterion)| json!({"test": test, "criterion": criterion});
                json!({"traces": project.traces()?.into_iter().map(trace).collect::<Vec<Value>>()})
            }
            Self::Edit | Self::EditAgain | Self::Repair => {
                json!({"ready": true, "summary": "it is done"})
            }
            Self::Challenge => challenge(project),
            Self::Audit => json!({
                "verdict": "fail", "mismatches": ["a test still fails"], "gaps": [], "risks": [],
                "validations": [],
                "diagnosis": [{
                    "category": "logic", "evidence": "the gate says the same each time",
                    "confidence": 80,
                }],
            }),
        })
    }
}

fn shape(project: &TestProject, places: &[String]) -> Value {
    let contract = project.criteria().join("\n");
    let drafted = |text: &str| json!({"text": text, "confidence": 90, "flags": []});
    json!({
        "spec": drafted(&project.request()),
        "scenarios": drafted(&contract),
        "contract": drafted(&contract),
        "validation": ["the acceptance tests"],
        "slices": [{
            "sentence": format!("{SENTENCE}: {}", project.title()),
            "places": places,
            "criteria": project.criteria(),
            "constraints": [], "unknowns": [],
        }],
        "declared": [], "items": [], "skips": [], "impossible": "",
    })
}

fn challenge(project: &TestProject) -> Value {
    let looked: Vec<Value> = (1..=project.criteria().len())
        .map(|criterion| {
            json!({
                "criterion": criterion,
                "place": format!("{}:1", project.shown_test()),
                "tried": "followed the case through the change by hand",
            })
        })
        .collect();
    json!({
        "looked_at": looked, "failures": [], "unmet": [], "residue": [], "cheats": [],
        "tradeoff": "",
    })
}

/// How the sentence of the only slice begins.
const SENTENCE: &str = "Make the whole change in one slice";

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_part_is_known_by_words_that_the_engine_says() {
        let folder =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/factory/src/task_performer");
        let mut said = String::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            said.push_str(&std::fs::read_to_string(entry.unwrap().path()).unwrap());
        }
        // A long text is written over several lines.
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
