//! What stands for one file: the tasks that changed it, what they promised, and the evidence that they keep it.

use sealwright_kernel::task::{Event, Task};
use sealwright_kernel::{Machine as _, TaskId, Verdict};
use sealwright_store::{FileJournal, Head, JournalError, Leaf, LeafKind, Tree, read_blob};
use serde::Deserialize;

use crate::VerifyError;
use crate::code::Proven;
use crate::git::{GitObjects, Oid};

/// One task that changed the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    pub work: Proven,
    /// Whether the file is still as this task left it.
    pub is_as_proven: bool,
    /// Each criterion of the task with the frozen tests that show it.
    pub criteria: Vec<(String, Vec<String>)>,
    /// The evidence that passed on the proven tree: its id and what was checked.
    pub evidence: Vec<(String, String)>,
}

/// The tasks among `works` that changed `path`, in the same order.
pub(crate) fn explain(
    git: &GitObjects,
    target: Oid,
    works: &[Proven],
    journals: &[&FileJournal],
    path: &str,
) -> Result<Vec<Explained>, VerifyError> {
    let now = git.entry(git.commit(target)?.tree, path)?;
    let now = match now {
        Some(file) => Some(git.content(file.id)?),
        None => None,
    };
    let mut explained = Vec::new();
    for work in works {
        let Some((journal, task)) = folded(journals, &work.task)? else { continue };
        let Some((data, gate)) = task.data().and_then(|it| Some((it, it.record.as_ref()?))) else {
            continue;
        };
        let text = read_blob(journal.layout(), &gate.tree, BYTES_MAX);
        let tree: Option<Tree> = text.and_then(|text| serde_json::from_slice(&text).ok());
        let Some(left) = tree.and_then(|tree| tree.changes.get(path).copied()) else { continue };
        let content = |leaf: Leaf| leaf.content;
        let is = now.as_ref().map(|bytes| Leaf::of(bytes, LeafKind::Plain)).map(content);
        let frozen = data.guarded.as_ref().and_then(|guarded| {
            let text = read_blob(journal.layout(), &guarded.tests, BYTES_MAX)?;
            serde_json::from_slice::<FrozenTests>(&text).ok()
        });
        let traces = frozen.unwrap_or_default().traces;
        let shown = |nth: usize| {
            let mine = traces.iter().filter(|trace| trace.criterion == nth);
            mine.map(|trace| format!("{}::{}", trace.file, trace.test)).collect()
        };
        let criteria = match &data.frame {
            Some(frame) => &frame.done_gate,
            None => &data.charter.criteria,
        };
        let passed = data
            .evidence
            .iter()
            .filter(|it| it.verdict == Verdict::Pass && it.evidence.tree == gate.tree);
        explained.push(Explained {
            work: work.clone(),
            is_as_proven: left.map(content) == is,
            criteria: (1..).zip(criteria).map(|(nth, text)| (text.clone(), shown(nth))).collect(),
            evidence: passed.map(|it| (it.id.to_string(), it.subject.clone())).collect(),
        });
        if explained.len() == TASKS_MAX {
            break;
        }
    }
    Ok(explained)
}

/// The part of the frozen tests that says which test shows which criterion.
#[derive(Default, Deserialize)]
struct FrozenTests {
    #[serde(default)]
    traces: Vec<Trace>,
}

#[derive(Deserialize)]
struct Trace {
    file: String,
    test: String,
    /// Counts from 1.
    criterion: usize,
}

/// The first journal that has the task, and the task.
fn folded<'j>(
    journals: &[&'j FileJournal],
    id: &TaskId,
) -> Result<Option<(&'j FileJournal, Task)>, JournalError> {
    for journal in journals {
        let mut task = Task::default();
        journal.read_blocking(id.stream(), Head::START, &mut |entry| {
            entry.events::<Event>()?.iter().for_each(|event| task.evolve(event));
            Ok(())
        })?;
        if task.data().is_some() {
            return Ok(Some((journal, task)));
        }
    }
    Ok(None)
}

const TASKS_MAX: usize = 20;
const BYTES_MAX: u64 = 64 << 20;
