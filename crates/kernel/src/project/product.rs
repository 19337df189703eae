//! The product of a project: the spec that was emitted for it, and what a person decided about it.
//!
//! ```text
//! emitted ─▶ approved: tasks may be planned
//!        └─▶ rejected, amended: another spec is emitted
//! ```

use alloc::string::String;

use serde::{Deserialize, Serialize};

use super::{Event, Project, Rejected};
use crate::task::Choice;
use crate::{Digest, TaskId};

/// A spec without errors, as it was emitted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Emitted {
    /// The digest of its text, in the store.
    pub text: Digest,
    pub spec_id: String,
    pub spec_version: String,
    pub title: String,
    pub tasks: u32,
    /// The warnings that were left, in the store.
    pub warnings: Digest,
    pub warned: u32,
    /// What was looked up for it, in the store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub research: Option<Digest>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Product {
    pub emitted: Option<Emitted>,
    /// The decision about the emitted spec, if there is one.
    pub decided: Option<Choice>,
    /// How often in a row a person asked for a change.
    pub amends: u32,
    /// The version of the run that the spec was emitted for; 0 without phases.
    #[serde(default)]
    pub version: u32,
}

impl Product {
    /// The spec that tasks are planned from.
    pub fn approved(&self) -> Option<&Emitted> {
        self.emitted.as_ref().filter(|_| self.decided == Some(Choice::Approve))
    }

    /// The spec that a person has to decide about.
    pub fn undecided(&self) -> Option<&Emitted> {
        self.emitted.as_ref().filter(|_| self.decided.is_none())
    }

    /// Whether a person should be told to approve or reject: changes were asked for again and again.
    pub fn is_amended_often(&self) -> bool {
        self.amends >= AMENDS_ADVISED
    }

    pub(super) fn emit(&mut self, spec: Emitted, version: u32) {
        (self.emitted, self.decided, self.version) = (Some(spec), None, version);
    }

    /// Another version of the spec that was approved: its decision stands.
    pub(super) fn amend(&mut self, spec: Emitted) {
        self.emitted = Some(spec);
    }

    pub(super) fn decide(&mut self, choice: Choice) {
        self.decided = Some(choice);
        self.amends = match choice {
            Choice::Approve | Choice::Reject => 0,
            Choice::Amend => self.amends.saturating_add(1),
        };
    }
}

impl Project {
    pub(super) fn emitted(&self, spec: &Emitted, by: &str) -> Result<Event, Rejected> {
        // Each version has a spec of its own, until its build begins.
        let is_next = self.product.version < self.run.version && !self.run.has_built();
        if self.product.approved().is_some() && !is_next {
            return Err(Rejected::NotNow { why: "a spec is approved already" });
        }
        short(spec)?;
        Ok(Event::SpecEmitted { spec: spec.clone(), by: by.into() })
    }

    /// The approved spec, as the resolution of a task changed it.
    pub(super) fn spec_amended(
        &self,
        spec: &Emitted,
        task: &TaskId,
        by: &str,
    ) -> Result<Event, Rejected> {
        match self.product.approved() {
            Some(before) if before.spec_id == spec.spec_id && before.text != spec.text => {}
            Some(_) => return Err(Rejected::NotNow { why: "that is no new version of the spec" }),
            None => return Err(Rejected::NotNow { why: "no spec is approved" }),
        }
        short(spec)?;
        Ok(Event::SpecAmended { spec: spec.clone(), task: task.clone(), by: by.into() })
    }

    /// What a person decides about the spec that they were shown.
    pub(super) fn decided(
        &self,
        (shown, choice): (Digest, Choice),
        rationale: &str,
        by: &str,
    ) -> Result<Event, Rejected> {
        match self.product.undecided() {
            Some(spec) if spec.text == shown => {}
            Some(_) => return Err(Rejected::NotNow { why: "another spec was emitted since" }),
            None => return Err(Rejected::NotNow { why: "no spec waits for a decision" }),
        }
        match choice {
            Choice::Reject | Choice::Amend if rationale.trim().is_empty() => {
                return Err(Rejected::NotNow { why: "say why, or what has to change" });
            }
            Choice::Approve | Choice::Reject | Choice::Amend => {}
        }
        if rationale.len() > TEXT_MAX {
            return Err(Rejected::TooMany { what: "bytes of a reason", max: TEXT_MAX });
        }
        let (rationale, by) = (rationale.into(), by.into());
        Ok(Event::SpecDecided { spec: shown, choice, rationale, by })
    }
}

fn short(spec: &Emitted) -> Result<(), Rejected> {
    if [&spec.spec_id, &spec.spec_version, &spec.title].iter().any(|it| it.len() > TEXT_MAX) {
        return Err(Rejected::TooMany { what: "bytes of a title", max: TEXT_MAX });
    }
    Ok(())
}

const AMENDS_ADVISED: u32 = 3;
const TEXT_MAX: usize = 4_096;
