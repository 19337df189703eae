//! What the journals of real runs say: which effect got which report, in which test.
//!
//! The harnesses of the tests leave the streams of every run in which all effects went to the real performer, one
//! folder for each test.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context as _, Result};
use sealwright_kernel::task::{Effect, Event, Input, PersonInput, QuestionSubject, Task, Want};
use sealwright_kernel::{Effect as _, Input as _, Machine as _, TaskId};
use sealwright_store::Record;

use super::cells::{Cell, cells};

/// The variable that names the folder to the harnesses.
pub(super) const VARIABLE: &str = "SEALWRIGHT_TEST_JOURNALS";

/// The cells that each test ended in, by program and name of the test.
pub(super) type Traces = BTreeMap<(String, String), BTreeSet<Cell>>;

/// Reads `folder/<program>/<test>/<nth run>/<stream>/*.jsonl`.
pub(super) fn read(folder: &Path) -> Result<Traces> {
    let mut traces = Traces::new();
    for (program, folder) in entries(folder)? {
        for (test, folder) in entries(&folder)? {
            let seen = traces.entry((program.clone(), test)).or_default();
            for (_, run) in entries(&folder)? {
                // A project has a stream of its own, which owes other effects.
                let streams = entries(&run)?.into_iter();
                for (stream, folder) in streams.filter(|(name, _)| TaskId::new(name).is_ok()) {
                    let cells = stream_cells(&folder);
                    seen.extend(cells.with_context(|| format!("stream {stream} of {program}"))?);
                }
            }
        }
    }
    Ok(traces)
}

fn entries(folder: &Path) -> Result<Vec<(String, std::path::PathBuf)>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        entries.push((entry.file_name().to_string_lossy().into_owned(), entry.path()));
    }
    entries.sort();
    Ok(entries)
}

/// The cells of one stream. The state before a record says which effect its input answers.
fn stream_cells(folder: &Path) -> Result<BTreeSet<Cell>> {
    let (mut task, mut seen) = (Task::default(), BTreeSet::new());
    for (_, segment) in entries(folder)? {
        for line in std::fs::read_to_string(segment)?.lines() {
            let record: Record = serde_json::from_str(line)?;
            if record.cause.is_null() {
                continue;
            }
            let input: Input = serde_json::from_value(record.cause)?;
            if let Some(effect) = answered(&task, &input) {
                seen.extend(cells(&task, &effect, &input));
            }
            for event in record.events {
                task.evolve(&serde_json::from_value::<Event>(event)?);
            }
        }
    }
    Ok(seen)
}

/// The effect that `input` answers.
fn answered(task: &Task, input: &Input) -> Option<Effect> {
    let mut all = task.owed().into_iter().chain(task.withheld());
    if let Some(id) = input.answers() {
        return all.find(|effect| effect.id() == *id);
    }
    let Input::Person { says, .. } = input else { return None };
    all.find(|effect| match effect {
        Effect::Task { want: Want::Ask { question }, .. } => match (says, &question.about) {
            (PersonInput::Decide { question, .. }, _) => effect.id() == *question,
            (PersonInput::Resolve { .. }, about) => matches!(about, QuestionSubject::Halt { .. }),
            (PersonInput::RaiseBudget { .. }, about) => {
                matches!(about, QuestionSubject::Budget { .. })
            }
            (_, _) => false,
        },
        Effect::Task { .. } | Effect::Slice { .. } => false,
    })
}
