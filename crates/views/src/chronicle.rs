//! The history of a task, one line per record.

use std::collections::{BTreeMap, BTreeSet};

use sealwright_kernel::task::slice::{self, Snapshot};
use sealwright_kernel::task::{Event, Input};
use sealwright_kernel::{Actor, Cheat, Digest, Iteration, Seq, Timestamp};
use sealwright_store::{Note, Record};
use serde::Deserialize;
use serde_json::Value;

use super::model_family::Callers;
use super::wording::{self, EventText};

/// The history of a task: a fold over its records, beside the fold to its state.
#[derive(Clone, Debug, Default)]
pub struct Chronicle {
    lines: Vec<Line>,
    snapshots: Vec<(Seq, Snapshot)>,
    seen: BTreeSet<Iteration>,
    sizes: BTreeMap<Digest, u64>,
    validation: Validation,
    cheats: Vec<(Cheat, String)>,
    callers: Callers,
}

/// One record as text, unescaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub seq: Seq,
    pub at: Timestamp,
    pub actor: Actor,
    /// One text per event; never empty.
    pub said: Vec<String>,
    /// Why the record belongs into the log, if it does.
    pub matter: Option<Matter>,
    pub details: Vec<(&'static str, String)>,
}

/// Why a record belongs into the log. If several reasons apply, the last in this order counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Matter {
    /// A gate, a check or a judge gave a verdict.
    Gate,
    /// A person decided or noted something.
    Decision,
    /// A person edited a file by hand.
    HandEdit,
    /// An attempt ended with a post-mortem.
    PostMortem,
    /// The task halted.
    Halt,
}

/// The validation of this attempt's candidate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Validation {
    /// The result before any repair.
    pub first: Proof,
    /// Whether the candidate was repaired.
    pub is_repaired: bool,
    /// The result after the last repair.
    pub again: Proof,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Proof {
    #[default]
    Pending,
    Pass,
    Fail,
}

impl Chronicle {
    /// Adds the next record. Every record gives a line, also one that this version cannot read.
    pub fn add(&mut self, record: &Record) {
        self.sizes.extend(record.blobs.iter().map(|blob| (blob.sha256, blob.size)));
        let mut texts: Vec<EventText> = Vec::new();
        for event in &record.events {
            texts.push(match Event::deserialize(event) {
                Ok(event) => {
                    self.apply(record.seq, &event);
                    wording::of_event(&event)
                }
                Err(_) => EventText::of(of_unknown(event)),
            });
        }
        if texts.is_empty() {
            texts.push(EventText::of("a record without events"));
        }
        let mut details: Vec<(&'static str, String)> = Vec::new();
        if let Ok(Input::Person { says, .. }) = Input::deserialize(&record.cause) {
            details.extend(wording::of_says(&says));
        }
        let matter = texts.iter().filter_map(|text| text.matter).max();
        let said: Vec<String> = texts.iter().map(|text| text.what.clone()).collect();
        details.extend(texts.into_iter().flat_map(|text| text.details));
        self.lines.push(Line {
            seq: record.seq,
            at: record.at,
            actor: record.actor.clone(),
            said,
            matter,
            details,
        });
    }

    /// One line per record, in order.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Each snapshot once, in order, with the record that wrote it.
    pub fn snapshots(&self) -> &[(Seq, Snapshot)] {
        &self.snapshots
    }

    pub fn validation(&self) -> Validation {
        self.validation
    }

    /// Every confirmed cheat with its description, in order.
    pub fn cheats(&self) -> &[(Cheat, String)] {
        &self.cheats
    }

    /// The agents that answered for each role.
    pub(super) fn callers(&self) -> &Callers {
        &self.callers
    }

    /// The size of `content`, if a record names it.
    pub fn size_of(&self, content: &Digest) -> Option<u64> {
        self.sizes.get(content).copied()
    }

    fn apply(&mut self, seq: Seq, event: &Event) {
        self.validation.apply(event);
        if let Event::CheatConfirmed { cheat, what } = event {
            self.cheats.push((*cheat, what.clone()));
        }
        if let Event::Spent { receipt } = event {
            self.callers.add(receipt);
        }
        let Event::Slice { event, .. } = event else { return };
        let Some(snapshot) = snapshot_of(event) else { return };
        // A snapshot never changes, so the first one with a number counts.
        if self.seen.insert(snapshot.header.iteration) {
            self.snapshots.push((seq, snapshot.clone()));
        }
    }
}

impl Validation {
    fn apply(&mut self, event: &Event) {
        let ended = match event {
            Event::Verified { .. } => Proof::Pass,
            Event::VerifyFailed { .. } | Event::CheatConfirmed { .. } | Event::SentBack { .. } => {
                Proof::Fail
            }
            Event::Repaired { .. } | Event::FixApplied { .. } => {
                self.is_repaired = true;
                self.again = Proof::Pending;
                return;
            }
            // A new attempt has a new candidate, unless it continues with a person's fix of the old one.
            Event::Reopened { at, .. } if *at != sealwright_kernel::task::Phase::Verify => {
                *self = Self::default();
                return;
            }
            _ => return,
        };
        if self.is_repaired {
            self.again = ended;
        } else {
            self.first = ended;
        }
    }
}

impl Proof {
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Pass => "pass",
            Self::Fail => "fail",
        }
    }
}

impl Matter {
    pub fn name(self) -> &'static str {
        match self {
            Self::Gate => "gate",
            Self::Decision => "decision",
            Self::HandEdit => "hand edit",
            Self::PostMortem => "post-mortem",
            Self::Halt => "halt",
        }
    }
}

fn snapshot_of(event: &slice::Event) -> Option<&Snapshot> {
    match event {
        slice::Event::Begun { snapshot, .. }
        | slice::Event::Consolidated { snapshot }
        | slice::Event::FactMissing { snapshot, .. }
        | slice::Event::CapRevised { snapshot, .. }
        | slice::Event::GateRan { snapshot, .. } => Some(snapshot),
        slice::Event::Captured { .. }
        | slice::Event::LeftCap { .. }
        | slice::Event::Planned { .. }
        | slice::Event::Edited { .. }
        | slice::Event::EditRefused { .. }
        | slice::Event::Audited { .. }
        | slice::Event::RungTaken { .. }
        | slice::Event::Delivered { .. }
        | slice::Event::Escalated { .. } => None,
    }
}

/// Text for a note of the journal, or for an event that this version cannot read.
fn of_unknown(event: &Value) -> String {
    let note = event.get("journal").and_then(|note| Note::deserialize(note).ok());
    match note {
        Some(Note::TornTail { bytes, .. }) => {
            format!("the journal dropped an incomplete line of {bytes} bytes")
        }
        Some(Note::Anchored(_)) => "the journal anchored the head of another stream".to_owned(),
        Some(Note::Ended) => "the journal of this task is closed".to_owned(),
        None => {
            let name = event.as_object().and_then(|members| members.keys().next());
            let name = name.map(String::as_str).or(event.as_str()).unwrap_or("unnamed");
            let name: String = name.chars().take(NAME_CHARS_MAX).collect();
            format!("event unknown to this version: {name}")
        }
    }
}

const NAME_CHARS_MAX: usize = 80;
