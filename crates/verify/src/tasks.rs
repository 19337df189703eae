//! One task, record by record: decided again, its decisions, its evidence, its statements.

use sealwright_kernel::task::{Event, Input, Status, Task};
use sealwright_kernel::{Machine as _, TaskId};
use sealwright_store::attest::Trust;
use sealwright_store::{Head, JournalError, Record};

use super::content::Named;
use super::decisions::Before;
use super::redo::Redo;
use super::signatures::Held;
use super::{Found, Looked, Room, decisions, evidence, pages, signatures};
use sealwright_store::attest::task_statements::Attesting;
use sealwright_views::task_file::TaskFile;

/// Looks at everything one task says.
pub(super) fn look(room: &Room<'_>, task: &TaskId) -> Result<Looked, JournalError> {
    let mut pass = Pass::default();
    room.audit.journal.read_blocking(task.stream(), Head::START, &mut |entry| {
        pass.tell(&entry.record()?, &entry.events::<Event>()?);
        Ok(())
    })?;
    let Pass { task: state, attesting, redo, named, mut looked } = pass;
    looked.findings.extend(named.missing(room.content, task));
    looked.findings.extend(header(room, task, &state));
    looked.findings.extend(pages(room, task, &state));
    let held = signatures::hold(room, task, &attesting, state.status());
    let Held { statements, findings, vouched, is_unsigned } = held;
    looked.statements = statements;
    looked.findings.extend(findings);
    looked.unsigned = is_unsigned.then(|| task.clone());
    // Whoever can commit can anchor; where keys are pinned, only they speak for a task.
    let vouched = match room.audit.trust {
        Trust::Clone => vouched.max(room.anchored(task.stream())),
        Trust::Pinned { .. } => vouched,
    };
    looked.sort_out(task.stream(), redo.odd(), vouched);
    Ok(looked)
}

#[derive(Default)]
struct Pass {
    task: Task,
    attesting: Attesting,
    redo: Redo<Task>,
    named: Named,
    looked: Looked,
}

impl Pass {
    fn tell(&mut self, record: &Record, events: &[Event]) {
        let wrong = |what: &str| Found::about_record(&record.stream, record.seq, what);
        self.redo.tell(record, events);
        self.attesting.tell(record, events);
        self.named.tell(record);
        let is_note = record.cause.is_null() && events.is_empty();
        let cause: Option<Input> = serde_json::from_value(record.cause.clone()).ok();
        if !is_note && let Err(what) = decisions::signer(record, cause.as_ref()) {
            self.looked.findings.push(wrong(&what));
        }
        for event in events {
            let known = self.task.data();
            let created = known.map(|known| (known.created_by.as_str(), &known.charter));
            if let Some(decision) = decisions::check(record, event, Before { created }) {
                self.looked.decisions += 1;
                self.looked.findings.extend(decision.err().map(|what| wrong(&what)));
            }
            let unproven = known.map(|known| evidence::check(event, known)).unwrap_or_default();
            self.looked.findings.extend(unproven.iter().map(|what| wrong(what)));
            let seen = known.map_or(0, |known| known.evidence.len());
            self.task.evolve(event);
            let Some(known) = self.task.data() else { continue };
            evidence::names(event, known, record.seq, &mut self.named);
            for seen in known.evidence.get(seen..).unwrap_or_default() {
                self.looked.evidence += 1;
                self.looked.findings.extend(evidence::carries(seen).map(|what| wrong(&what)));
                let output = format!("the output of {}", seen.id);
                self.named.want(seen.evidence.output, record.seq, &output);
                for artifact in &seen.evidence.artifacts {
                    let what = format!("an artifact of {}", seen.id);
                    self.named.want(artifact.content, record.seq, &what);
                }
            }
        }
    }
}

/// What people read of a finished task has to be what its records say.
fn pages(room: &Room<'_>, task: &TaskId, state: &Task) -> Vec<Found> {
    if state.status() != Status::Shipped {
        return Vec::new();
    }
    let edited = match pages::edited(room.audit.journal, task, state) {
        Ok(edited) => {
            let what = "it is not what the journal says".to_owned();
            edited.into_iter().map(|name| (name, what.clone())).collect::<Vec<_>>()
        }
        Err(error) => vec![("its folder".to_owned(), format!("it cannot be read: {error}"))],
    };
    let found = |(name, what): (String, String)| Found {
        object: format!("view {task}/{name}"),
        stream: Some(task.stream().clone()),
        seq: None,
        finding: format!("{task}, {name}: {what}"),
        hint: format!(
            "`sealwright check {task}` keeps what was written aside and renders it again"
        ),
    };
    edited.into_iter().map(found).collect()
}

/// Whether what is written at the top of a finished task is what its gate was opened under.
fn header(room: &Room<'_>, task: &TaskId, state: &Task) -> Option<Found> {
    let known = state.data()?;
    let record = known.record.as_ref().filter(|_| state.status() == Status::Shipped)?;
    // A text that is gone says nothing; the one that was accepted is in the store.
    let text = String::from_utf8(pages::text(room.audit.journal, task).ok()??).ok();
    let file =
        text.and_then(|text| TaskFile::parse(&text, known.charter.lane, known.charter.header).ok());
    if file.is_some_and(|file| file.header == record.header) {
        return None;
    }
    let what =
        "unguarded_high_risk_auto: the header in TASK.md is not the one its gate was opened under";
    Some(Found {
        object: format!("text {task}"),
        stream: Some(task.stream().clone()),
        seq: None,
        finding: format!("{task}: {what}"),
        hint: format!("restore `.sealwright/tasks/{task}/TASK.md`; a finished task is not edited"),
    })
}
