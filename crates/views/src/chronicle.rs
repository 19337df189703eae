//! What happened to a task, one line per record.

use std::collections::{BTreeMap, BTreeSet};

use sealwright_kernel::task::slice::{self, Snapshot};
use sealwright_kernel::task::{Event, Input};
use sealwright_kernel::{Actor, Cheat, Digest, Iteration, Seq, Timestamp};
use sealwright_store::{Note, Record};
use serde::Deserialize;
use serde_json::Value;

use super::wording::{self, Words};

/// What happened to a task: a fold over its records, beside the fold that is its state.
#[derive(Clone, Debug, Default)]
pub struct Chronicle {
    lines: Vec<Line>,
    snapshots: Vec<(Seq, Snapshot)>,
    seen: BTreeSet<Iteration>,
    sizes: BTreeMap<Digest, u64>,
    validation: Validation,
    cheats: Vec<(Cheat, String)>,
}

/// One record in words. The text is as it was written; whoever shows it escapes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its place in the stream.
    pub seq: Seq,
    /// When it was written.
    pub at: Timestamp,
    /// Who stands behind it.
    pub actor: Actor,
    /// What became true, in the order of the events; never empty.
    pub said: Vec<String>,
    /// Why it belongs into the log, if it does.
    pub matter: Option<Matter>,
    /// What else is to be known of it, each under a name.
    pub details: Vec<(&'static str, String)>,
}

/// Why a record belongs into the log. Where it holds several, the later in this list counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Matter {
    /// A gate, a check or a judge said something.
    Gate,
    /// A person decided or said something.
    Decision,
    /// A file was edited by hand.
    HandEdit,
    /// An attempt ended and taught something.
    PostMortem,
    /// The work stopped.
    Halt,
}

/// How the candidate of this attempt was validated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Validation {
    /// The first time.
    pub first: Proof,
    /// Whether something was mended since.
    pub is_repaired: bool,
    /// After the last repair.
    pub again: Proof,
}

/// How a validation ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Proof {
    /// It has not ended.
    #[default]
    Pending,
    /// It held.
    Pass,
    /// It did not.
    Fail,
}

impl Chronicle {
    /// Takes the next record. Whatever it holds, there is something to be said about it.
    pub fn tell(&mut self, record: &Record) {
        self.sizes.extend(record.blobs.iter().map(|blob| (blob.sha256, blob.size)));
        let mut told: Vec<Words> = Vec::new();
        for event in &record.events {
            told.push(match Event::deserialize(event) {
                Ok(event) => {
                    self.learn(record.seq, &event);
                    wording::of_event(&event)
                }
                Err(_) => Words::of(of_stranger(event)),
            });
        }
        if told.is_empty() {
            told.push(Words::of("a record without events"));
        }
        let mut details: Vec<(&'static str, String)> = Vec::new();
        if let Ok(Input::Person { says, .. }) = Input::deserialize(&record.cause) {
            details.extend(wording::of_says(&says));
        }
        let matter = told.iter().filter_map(|words| words.matter).max();
        let said: Vec<String> = told.iter().map(|words| words.what.clone()).collect();
        details.extend(told.into_iter().flat_map(|words| words.details));
        self.lines.push(Line {
            seq: record.seq,
            at: record.at,
            actor: record.actor.clone(),
            said,
            matter,
            details,
        });
    }

    /// Every record, in order.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Every snapshot with the record that wrote it, in order, each number once.
    pub fn snapshots(&self) -> &[(Seq, Snapshot)] {
        &self.snapshots
    }

    /// How the candidate of this attempt was validated.
    pub fn validation(&self) -> Validation {
        self.validation
    }

    /// Every cheat that was confirmed, in order, and what it was.
    pub fn cheats(&self) -> &[(Cheat, String)] {
        &self.cheats
    }

    /// How large `content` is, if a record rests on it.
    pub fn size_of(&self, content: &Digest) -> Option<u64> {
        self.sizes.get(content).copied()
    }

    fn learn(&mut self, seq: Seq, event: &Event) {
        self.validation.learn(event);
        if let Event::CheatConfirmed { cheat, what } = event {
            self.cheats.push((*cheat, what.clone()));
        }
        let Event::Slice { event, .. } = event else { return };
        let Some(snapshot) = snapshot_of(event) else { return };
        // What was written once stays as it was.
        if self.seen.insert(snapshot.header.iteration) {
            self.snapshots.push((seq, snapshot.clone()));
        }
    }
}

impl Validation {
    fn learn(&mut self, event: &Event) {
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
            // A new attempt has a new candidate, unless a person mends the old one.
            Event::Reopened { at, .. } if *at != sealwright_kernel::task::Phase::Verify => {
                *self = Self::default();
                return;
            }
            _ => return,
        };
        match self.is_repaired {
            true => self.again = ended,
            false => self.first = ended,
        }
    }
}

impl Proof {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Pass => "pass",
            Self::Fail => "fail",
        }
    }
}

impl Matter {
    /// Its heading in the log.
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

/// The snapshot that an event wrote.
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

/// What is not a task's event: a note of the journal, or something this version cannot read.
fn of_stranger(event: &Value) -> String {
    let note = event.get("journal").and_then(|note| Note::deserialize(note).ok());
    match note {
        Some(Note::TornTail { bytes, .. }) => {
            format!("the journal dropped an unfinished line of {bytes} bytes")
        }
        Some(Note::Anchored(_)) => "the journal recorded where another stream ends".to_owned(),
        Some(Note::Ended) => "the journal of this task ends".to_owned(),
        None => {
            let name = event.as_object().and_then(|members| members.keys().next());
            let name = name.map(String::as_str).or(event.as_str()).unwrap_or("nothing by name");
            let name: String = name.chars().take(NAME_CHARS_MAX).collect();
            format!("something this version does not know: {name}")
        }
    }
}

const NAME_CHARS_MAX: usize = 80;
