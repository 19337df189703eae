//! The rules of the code index, as a machine: keys are used once, status moves one way, notes only grow.
//!
//! ```text
//!  Append ──▶ SHIPPED ──Deprecate──▶ DEPRECATED
//!                 └─────Supersede──▶ SUPERSEDED         both are terminal; Note adds a line anywhere
//! ```
//!
//! Nothing is ever removed: no input says so. The machine keeps of every entry what it decides by; whole entries are
//! [`folded`] from the same events.

use std::collections::BTreeMap;

use sealwright_kernel::pack::{RefKind, timestamp};
use sealwright_kernel::{Digest, Effect, EffectId, Input, Machine, Ref, Timestamp};
use serde::{Deserialize, Serialize};

use crate::entry::{self, CodeIndexEntry, InvalidEntry, NOTES_BYTES_MAX, Status};

/// What the index knows of all entries, to decide by.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CodeIndexRules {
    standings: BTreeMap<Ref, Standing>,
}

/// How one entry stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// Its place in the order of appending, from 0.
    pub row: u32,
    /// Of the entry as it was appended.
    pub digest: Digest,
    pub status: Status,
    notes_bytes: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Registers a module version that shipped.
    Append { entry: Box<CodeIndexEntry> },
    /// A shipped successor takes its place.
    Supersede { module: Ref, by: Ref, reason: String, at: Timestamp },
    /// New work should not use it. Without a replacement, its note says that there is none.
    Deprecate { module: Ref, replacement: Option<Ref>, reason: String, at: Timestamp },
    /// Adds a line to its notes.
    Note { module: Ref, note: String, at: Timestamp },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    Appended {
        entry: Box<CodeIndexEntry>,
    },
    StatusChanged {
        module: Ref,
        status: Status,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        superseded_by: Option<Ref>,
        note: String,
    },
    Noted {
        module: Ref,
        note: String,
    },
}

/// The index owes the world nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoEffect {}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("the entry is invalid: {0}")]
    Invalid(#[from] InvalidEntry),
    #[error("{module} is appended as {status}; a new entry is SHIPPED", status = status.name())]
    NotShipped { module: Ref, status: Status },
    #[error("{module} is in the index with other content")]
    KeyUsed { module: Ref },
    #[error("{module} is not in the index")]
    Unknown { module: Ref },
    #[error("{module} is {}, which it stays", status.name())]
    Terminal { module: Ref, status: Status },
    #[error("{replacement} cannot replace {module}: it is not SHIPPED in the index")]
    NoReplacement { module: Ref, replacement: Ref },
    #[error("no reason is given for {module}")]
    NoReason { module: Ref },
    #[error("the notes of {module} are full: at most {NOTES_BYTES_MAX} bytes")]
    NotesFull { module: Ref },
    #[error("the index is full: at most {ENTRIES_MAX} entries")]
    Full,
}

impl CodeIndexRules {
    pub fn standing(&self, module: &Ref) -> Option<&Standing> {
        self.standings.get(module)
    }

    pub fn len(&self) -> usize {
        self.standings.len()
    }

    pub fn is_empty(&self) -> bool {
        self.standings.is_empty()
    }

    /// Every module version in the index, by name.
    pub fn modules(&self) -> impl Iterator<Item = (&Ref, &Standing)> {
        self.standings.iter()
    }

    fn append(&self, entry: &CodeIndexEntry) -> Result<Vec<Event>, Refused> {
        let module = entry.check()?;
        if entry.status != Status::Shipped {
            return Err(Refused::NotShipped { module, status: entry.status });
        }
        match self.standings.get(&module) {
            Some(known) if known.digest == entry.digest() => Ok(Vec::new()),
            Some(_) => Err(Refused::KeyUsed { module }),
            None if self.standings.len() >= ENTRIES_MAX => Err(Refused::Full),
            None => Ok(vec![Event::Appended { entry: Box::new(entry.clone()) }]),
        }
    }

    fn change(
        &self,
        module: &Ref,
        status: Status,
        superseded_by: Option<&Ref>,
        (reason, at): (&str, Timestamp),
    ) -> Result<Vec<Event>, Refused> {
        let known = self.known(module)?;
        if !known.status.may_become(status) {
            return Err(Refused::Terminal { module: module.clone(), status: known.status });
        }
        if let Some(replacement) = superseded_by {
            let is_shipped =
                self.standing(replacement).is_some_and(|it| it.status == Status::Shipped);
            if !is_shipped || replacement == module {
                let replacement = replacement.clone();
                return Err(Refused::NoReplacement { module: module.clone(), replacement });
            }
        }
        let suffix = match superseded_by {
            Some(replacement) => format!("; replaced by {replacement}"),
            None => "; no replacement exists".into(),
        };
        let note = self.note(module, &format!("{}: ", status.name()), (reason, at), &suffix)?;
        let superseded_by = superseded_by.cloned();
        Ok(vec![Event::StatusChanged { module: module.clone(), status, superseded_by, note }])
    }

    /// One dated line, if the notes have room for it.
    fn note(
        &self,
        module: &Ref,
        prefix: &str,
        (reason, at): (&str, Timestamp),
        suffix: &str,
    ) -> Result<String, Refused> {
        let known = self.known(module)?;
        if reason.trim().is_empty() {
            return Err(Refused::NoReason { module: module.clone() });
        }
        entry::line("note", reason, NOTE_BYTES_MAX)?;
        let note = format!("{} {prefix}{reason}{suffix}", DateTime(at).shown());
        if known.notes_bytes as usize + note.len() + 1 > NOTES_BYTES_MAX {
            return Err(Refused::NotesFull { module: module.clone() });
        }
        Ok(note)
    }

    fn known(&self, module: &Ref) -> Result<&Standing, Refused> {
        self.standings.get(module).ok_or_else(|| Refused::Unknown { module: module.clone() })
    }

    fn noted(&mut self, module: &Ref, note: &str, status: Option<Status>) {
        if let Some(known) = self.standings.get_mut(module) {
            known.status = status.unwrap_or(known.status);
            known.notes_bytes = known.notes_bytes.saturating_add(bytes_of(note)).saturating_add(1);
        }
    }

    /// Whether these rules could have decided on `event`: what a reader asks of a file it did not write.
    pub(crate) fn would_accept(&self, event: &Event) -> bool {
        let is_line = |note: &str| entry::line("note", note, NOTES_BYTES_MAX).is_ok();
        match event {
            Event::Appended { entry } => {
                let module = entry.check().ok();
                let is_new = module.is_some_and(|it| !self.standings.contains_key(&it));
                is_new && entry.status == Status::Shipped && self.len() < ENTRIES_MAX
            }
            Event::StatusChanged { module, status, superseded_by, note } => {
                let pointer_fits = *status != Status::Superseded || superseded_by.is_some();
                let is_module =
                    superseded_by.as_ref().is_none_or(|it| it.kind() == RefKind::Module);
                let may = self.standing(module).is_some_and(|it| it.status.may_become(*status));
                may && pointer_fits && is_module && is_line(note)
            }
            Event::Noted { module, note } => self.standing(module).is_some() && is_line(note),
        }
    }
}

impl Machine for CodeIndexRules {
    type Input = Command;
    type Event = Event;
    type Effect = NoEffect;
    type Rejected = Refused;

    fn decide(&self, input: &Command) -> Result<Vec<Event>, Refused> {
        match input {
            Command::Append { entry } => self.append(entry),
            Command::Supersede { module, by, reason, at } => {
                self.change(module, Status::Superseded, Some(by), (reason, *at))
            }
            Command::Deprecate { module, replacement, reason, at } => {
                self.change(module, Status::Deprecated, replacement.as_ref(), (reason, *at))
            }
            Command::Note { module, note, at } => {
                let note = self.note(module, "", (note, *at), "")?;
                Ok(vec![Event::Noted { module: module.clone(), note }])
            }
        }
    }

    fn evolve(&mut self, event: &Event) {
        match event {
            Event::Appended { entry } => {
                let Ok(module) = entry.module_ref() else { return };
                let row = u32::try_from(self.standings.len()).unwrap_or(u32::MAX);
                let notes_bytes = bytes_of(&entry.notes);
                let (digest, status) = (entry.digest(), entry.status);
                self.standings.insert(module, Standing { row, digest, status, notes_bytes });
            }
            Event::StatusChanged { module, status, note, .. } => {
                self.noted(module, note, Some(*status));
            }
            Event::Noted { module, note } => self.noted(module, note, None),
        }
    }

    fn owed(&self) -> Vec<NoEffect> {
        Vec::new()
    }

    fn is_over(&self) -> bool {
        false
    }
}

/// One entry after the events about it.
pub fn folded<'a>(
    mut entry: CodeIndexEntry,
    events: impl IntoIterator<Item = &'a Event>,
) -> CodeIndexEntry {
    for event in events {
        let note = match event {
            Event::Appended { .. } => continue,
            Event::StatusChanged { status, superseded_by, note, .. } => {
                entry.status = *status;
                entry.superseded_by.clone_from(superseded_by);
                note
            }
            Event::Noted { note, .. } => note,
        };
        if !entry.notes.is_empty() && !entry.notes.ends_with('\n') {
            entry.notes.push('\n');
        }
        entry.notes.push_str(note);
    }
    entry
}

impl Event {
    /// The module version it is about.
    pub fn module(&self) -> Option<Ref> {
        match self {
            Self::Appended { entry } => entry.module_ref().ok(),
            Self::StatusChanged { module, .. } | Self::Noted { module, .. } => Some(module.clone()),
        }
    }
}

impl Input for Command {
    fn answers(&self) -> Option<&EffectId> {
        None
    }
}

impl Effect for NoEffect {
    fn id(&self) -> EffectId {
        match *self {}
    }
}

#[derive(Serialize)]
struct DateTime(#[serde(with = "timestamp")] Timestamp);

impl DateTime {
    fn shown(&self) -> String {
        let quoted = serde_json::to_string(self).expect("a timestamp is text");
        quoted.trim_matches('"').to_owned()
    }
}

fn bytes_of(text: &str) -> u32 {
    u32::try_from(text.len()).unwrap_or(u32::MAX)
}

/// Entries of one index.
pub const ENTRIES_MAX: usize = 4_000_000;
/// A reason, or a note of a person.
pub const NOTE_BYTES_MAX: usize = 2 * 1024;

#[cfg(test)]
mod tests;
