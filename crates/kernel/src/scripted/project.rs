//! A project whose spec is approved, and tasks of a plan.

use alloc::string::String;
use alloc::vec::Vec;

use super::{ada, charter};
use crate::owner::Header;
use crate::project::{Emitted, Input, Planned, Project};
use crate::task::{Charter, Choice, Membership};
use crate::{Digest, Lane, Machine as _, TaskId};

/// What a person says before tasks can be planned: a spec is there, and it is approved.
pub fn approval() -> [Input; 2] {
    let text = Digest::of(b"a spec");
    let spec = Emitted {
        text,
        spec_id: "SPEC-001".into(),
        spec_version: "1.0.0".into(),
        title: "Parking".into(),
        tasks: 1,
        warnings: Digest::of(b"[]"),
        warned: 0,
        research: None,
    };
    let (choice, rationale) = (Choice::Approve, String::new());
    [Input::Emit { by: ada(), spec }, Input::Decide { by: ada(), spec: text, choice, rationale }]
}

/// A project whose spec is approved.
pub fn approved() -> Project {
    let mut project = Project::default();
    for input in approval() {
        let events = project.decide(&input).unwrap_or_default();
        events.iter().for_each(|event| project.evolve(event));
    }
    project
}

/// A task of a plan, in the factory lane.
pub fn planned(name: &str, order: Option<u32>, depends_on: Vec<TaskId>) -> Planned {
    let charter = charter(name, Lane::Factory, Header::default());
    let charter = Charter { belongs: Membership::Project, ..charter };
    Planned { charter, order, depends_on }
}
