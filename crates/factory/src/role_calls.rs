//! The calls of roles: what a role is told, sees, may use and must answer is one value, in one file per call.
//!
//! ```text
//! RoleCall ─┬─▶ brief:  purpose, request, allowed, forbidden
//!           ├─▶ view:   the work tree, if any, and the files
//!           ├─▶ tools:  what it may do with the tree
//!           └─▶ answer: its schema
//! ```
//!
//! The tests of this module keep the four in agreement: a brief names every member of the answer and no other, and a
//! file is given only to a role that may see it. `snapshots` has one file per call with all four, as a role gets them.

mod adjudicate;
mod audit;
mod challenge;
mod edit;
mod frame;
mod inspect;
mod prescriptions;
mod refute;
mod repair;
mod schema;
mod scout;
mod shape;
mod write_tests;

use sealwright_agents::{BriefInput, Duties};
use sealwright_kernel::pack::InputKind;
use sealwright_kernel::task::Phase;
use sealwright_kernel::{Access, Lane, Role};
use sealwright_sandbox::view::{Brief, Hand};
use serde::Deserialize;
use serde_json::Value;

pub(crate) use adjudicate::{ADJUDICATE, AdjudicateAnswer, Amendment};
pub(crate) use audit::{APPROACH, AUDIT};
pub(crate) use challenge::{CHALLENGE, ChallengeAnswer};
pub(crate) use edit::{EDIT, EditAnswer, Need};
pub(crate) use frame::{FRAME, FRAME_AND_DRAFT, FrameAnswer};
pub(crate) use inspect::INSPECT;
pub(crate) use prescriptions::prescribes_nothing;
pub(crate) use refute::{REFUTE, ReadAnswer};
pub(crate) use repair::REPAIR;
pub(crate) use schema::ResidueAnswer;
pub(crate) use scout::{SCOUT, ScoutAnswer};
pub(crate) use shape::{Drafted, PlannedAnswer, ShapeAnswer, shape};
pub(crate) use write_tests::{TestsAnswer, TraceAnswer, WRITE_TESTS};

/// One kind of call.
#[derive(Clone, Copy, Debug)]
pub struct RoleCall {
    pub key: Key,
    pub role: Role,
    pub phase: Phase,
    /// What the role does with the work tree; without it, there is none.
    pub tree: Option<Hand>,
    /// The files the role is given beside the tree.
    pub files: &'static [GivenFile],
    /// Who the role is and how it works: a template, which a person can replace.
    pub brief: &'static str,
    /// What is asked of it now. Calls that ask for something else each time add it.
    pub request: &'static str,
    pub allowed: &'static [&'static str],
    pub forbidden: &'static [&'static str],
    /// The schema of the answer.
    pub answer: fn() -> Value,
}

/// A file that a role is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenFile {
    pub name: &'static str,
    pub input: InputKind,
}

/// The kinds of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// States what is wanted.
    Frame,
    /// Drafts the contract and the plan.
    Shape,
    /// Writes the tests, before there is an implementation.
    Tests,
    /// Answers open questions about the code.
    Scout,
    Edit,
    /// Says why a slice is stuck.
    Audit,
    /// Fixes what failed.
    Repair,
    Challenge,
    Adjudicate,
    /// Reads the change for a green result that was not earned.
    Refute,
    /// Reads the results of gates for what they do not show.
    Inspect,
}

impl Key {
    pub const ALL: [Self; 11] = [
        Self::Frame,
        Self::Shape,
        Self::Tests,
        Self::Scout,
        Self::Edit,
        Self::Audit,
        Self::Repair,
        Self::Challenge,
        Self::Adjudicate,
        Self::Refute,
        Self::Inspect,
    ];

    /// The name in files and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Frame => "frame",
            Self::Shape => "shape",
            Self::Tests => "tests",
            Self::Scout => "scout",
            Self::Edit => "edit",
            Self::Audit => "audit",
            Self::Repair => "repair",
            Self::Challenge => "challenge",
            Self::Adjudicate => "adjudicate",
            Self::Refute => "refute",
            Self::Inspect => "inspect",
        }
    }

    /// The call in a lane, which decides who drafts.
    pub fn call(self, lane: Lane) -> RoleCall {
        match self {
            Self::Frame if lane.duties().drafter == FRAME.role => FRAME_AND_DRAFT,
            Self::Frame => FRAME,
            Self::Shape => shape(lane.duties().drafter),
            Self::Tests => WRITE_TESTS,
            Self::Scout => SCOUT,
            Self::Edit => EDIT,
            Self::Audit => AUDIT,
            Self::Repair => REPAIR,
            Self::Challenge => CHALLENGE,
            Self::Adjudicate => ADJUDICATE,
            Self::Refute => REFUTE,
            Self::Inspect => INSPECT,
        }
    }
}

/// The roles that some lane calls.
pub fn roles() -> Vec<Role> {
    let calls = |role: &Role| {
        Key::ALL
            .into_iter()
            .any(|key| Lane::ALL.into_iter().any(|lane| key.call(lane).role == *role))
    };
    Role::ALL.into_iter().filter(calls).collect()
}

impl RoleCall {
    /// The brief of the call, without anything of a task.
    pub fn brief_input(&self) -> BriefInput {
        BriefInput::new(self.key.name(), self.brief, self.role, self.phase, (self.answer)())
            .with_duties(self.duties())
            .asking(self.request)
    }

    pub fn access(&self) -> Access {
        match self.tree {
            Some(Hand::Builds) => Access::Write,
            Some(Hand::Tries | Hand::Reads) | None => Access::ReadOnly,
        }
    }

    /// One of the files of the call, with its content.
    pub(crate) fn file(&self, name: &str, text: impl Into<Vec<u8>>) -> Brief {
        let given = self.files.iter().find(|file| file.name == name);
        // A call that hands over what it does not list is a bug; the view refuses records to every role.
        let input = given.map_or(InputKind::Records, |file| file.input);
        Brief { input, name: name.to_owned(), bytes: text.into() }
    }

    fn duties(&self) -> Duties {
        let lines = |texts: &[&str]| -> Vec<String> {
            texts.iter().map(|text| (*text).to_owned()).collect()
        };
        let mut duties = Duties {
            allowed: lines(self.allowed),
            forbidden: lines(self.forbidden),
            outputs: lines(&["nothing but the answer"]),
            next: Vec::new(),
        };
        match self.tree {
            Some(Hand::Builds) => {
                duties.allowed.push("read all that is listed above, and run commands in `/work`".to_owned());
                duties.outputs = lines(&["the change in `/work`, and the answer"]);
            }
            Some(Hand::Tries) => duties
                .allowed
                .push("read all that is listed above, and run commands in `/work`; what they change is discarded".to_owned()),
            Some(Hand::Reads) => duties.allowed.push("read and search in `/work`".to_owned()),
            None => {}
        }
        if (self.answer)()["properties"]["next"].is_object() {
            duties.next = self.phase.next().to_vec();
        }
        if self.access() == Access::ReadOnly {
            duties.forbidden.push("changing anything: you only read and answer".to_owned());
        }
        duties
    }
}

/// A text that is empty if there is nothing to say: providers' schemas have no optional members.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(transparent)]
pub(crate) struct OptionalText(String);

impl OptionalText {
    pub(crate) fn into_option(self) -> Option<String> {
        let says_nothing = |text: &str| {
            let text = text.trim().trim_end_matches('.');
            text.is_empty()
                || ["none", "n/a", "-", "no", "null"].contains(&text.to_lowercase().as_str())
        };
        Some(self.0).filter(|text| !says_nothing(text))
    }
}

/// The contract, for a role that may see it.
const CONTRACT: GivenFile = GivenFile { name: "contract.md", input: InputKind::ModuleContract };
const CRITERIA: GivenFile = GivenFile { name: "criteria.md", input: InputKind::AcceptanceCriteria };

#[cfg(test)]
mod tests;
