//! Transcripts: what an agent did and said during a call, as JSON lines.
//!
//! They are in `.sealwright/work`, which is not committed, and are no evidence. A transcript that cannot be written
//! does not stop the call.

use std::path::PathBuf;

use sealwright_agents::{CallOutcome, End, Event};
use sealwright_store::Layout;
use sealwright_store::disk::{Disk as _, DiskFile as _, RealDisk};
use serde_json::{Value, json};

use crate::progress::Call;
use crate::task_performer::CallRequest;
use sealwright_host::{Clock as _, SystemClock};

pub(super) struct Transcripts {
    disk: RealDisk,
    work: PathBuf,
}

pub(super) struct Transcript {
    file: Option<<RealDisk as sealwright_store::disk::Disk>::File>,
    bytes: u64,
}

impl Transcripts {
    pub(super) fn of(layout: &Layout) -> Self {
        // `RealDisk` does not write through links below the records.
        Self { disk: RealDisk::new(layout.root()), work: layout.work() }
    }

    /// Begins the transcript of a call, and counts the calls of its name in its task, this one included.
    pub(super) fn begin(&self, request: &CallRequest, call: &Call) -> (Transcript, u32) {
        let folder = self.work.join(request.task.as_str());
        let names = self.disk.names(&folder).unwrap_or_default();
        let last = names.iter().filter_map(|name| number(name)).max();
        let number = last.unwrap_or_default().saturating_add(1);
        let own = format!("-{}.jsonl", call.part);
        let before = names.iter().filter(|name| name.ends_with(&own)).count();
        let nth = u32::try_from(before).unwrap_or(u32::MAX).saturating_add(1);
        let path = folder.join(format!("{number:04}-{}.jsonl", call.part));
        let mut transcript = Transcript { file: self.disk.create(&path).ok(), bytes: 0 };
        transcript.line(&json!({"begun": {
            "part": call.part, "role": call.role.name(), "agent": call.agent, "model": call.model,
            "effect": request.effect,
        }}));
        (transcript, nth)
    }
}

impl Transcript {
    pub(super) fn event(&mut self, event: &Event) {
        if self.bytes < BYTES_MAX {
            self.line(&json!({"event": event}));
        }
    }

    pub(super) fn end(&mut self, outcome: &CallOutcome) {
        let spent = &outcome.spent;
        self.line(&json!({"ended": {
            "end": name(&outcome.end), "micro_dollars": spent.micro_dollars,
            "tokens": spent.usage.total(), "turns": spent.turns, "wall_ms": spent.wall_ms,
        }}));
    }

    fn line(&mut self, entry: &Value) {
        let Some(file) = &mut self.file else { return };
        let mut line = entry.clone();
        line["at"] = json!(SystemClock.now().as_millis());
        let text = format!("{line}\n");
        match file.write_at(self.bytes, text.as_bytes()) {
            Ok(()) => self.bytes = self.bytes.saturating_add(text.len() as u64),
            // A full disk is reported by the journal; transcripts need not be durable.
            Err(_) => self.file = None,
        }
    }
}

fn number(name: &str) -> Option<u32> {
    name.split_once('-').and_then(|(number, _)| number.parse().ok())
}

fn name(end: &End) -> &'static str {
    match end {
        End::Answered { .. } => "answered",
        End::GaveUp { .. } => "gave_up",
        End::OutOfBudget { .. } => "out_of_budget",
        End::RateLimited { .. } => "rate_limited",
        End::Cancelled => "cancelled",
        End::Failed { .. } => "failed",
    }
}

/// Events beyond this size are dropped.
const BYTES_MAX: u64 = 16 << 20;
