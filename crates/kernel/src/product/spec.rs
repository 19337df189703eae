//! The spec: pillars, epics, stories and tasks.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProductSpec {
    pub spec_id: String,
    pub spec_version: String,
    pub title: String,
    pub description: String,
    pub created_at: String,
    pub updated_at: String,
    pub pillars: Vec<Pillar>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pillar {
    pub pillar_id: String,
    pub name: String,
    pub description: String,
    pub rationale: String,
    pub epics: Vec<Epic>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Epic {
    pub epic_id: String,
    pub name: String,
    pub description: String,
    pub success_criteria: Vec<String>,
    pub stories: Vec<Story>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Story {
    pub story_id: String,
    pub name: String,
    pub description: String,
    pub user_facing_behavior: String,
    pub tasks: Vec<Task>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    pub task_id: String,
    pub name: String,
    pub description: String,
    pub subtasks: Vec<String>,
    pub acceptance_criteria: Vec<String>,
    pub io_contract_sketch: Sketch,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
}

/// The five dimensions of a contract, in prose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sketch {
    pub inputs: String,
    pub outputs: String,
    pub error_surfaces: String,
    pub effects: String,
    pub modes: String,
}

impl Sketch {
    /// Each dimension with its name.
    pub fn dimensions(&self) -> [(&'static str, &str); 5] {
        [
            ("inputs", &self.inputs),
            ("outputs", &self.outputs),
            ("error_surfaces", &self.error_surfaces),
            ("effects", &self.effects),
            ("modes", &self.modes),
        ]
    }
}
