//! Views: the files that people read about a task, rendered from its journal.
//!
//! A view is a pure function of the records: it reads no file and no clock, and the same records give the same bytes.
//! A view is never state. Text that a person adds to one can become a note ([`edits()`]); any other edit is reverted.
//!
//! ```text
//! records ─┬─ evolve ─▶ Task ──────┐
//!          └─ add ────▶ Chronicle ─┴─▶ render ─▶ STATE.md EVIDENCE.md evidence.html TASKS.md log.md SUMMARY.md context/
//! ```
//!
//! Text from agents and people is hostile: `markdown` and the escaping template keep it from forging a field, a
//! heading, a fence, a footer or markup.

mod amounts;
mod answer_commands;
pub mod built_in_checks;
mod chronicle;
mod context;
mod contract;
pub mod cost_report;
mod edits;
pub mod escalation_file;
mod evidence;
mod footer;
mod hold_out;
mod log;
mod markdown;
mod model_family;
mod page;
pub mod product_spec;
pub mod project_log;
mod pull_request;
mod question;
mod sanitize;
mod state;
pub mod state_machine;
mod summary;
pub mod task_file;
pub mod task_graph;
mod task_row;
mod task_summary;
mod tasks;
mod timestamp;
mod view_source;
pub mod watch;
pub mod wire;
mod wording;

use sealwright_kernel::task::{Task, TaskData};
use sealwright_kernel::{Digest, Timestamp};
use sealwright_store::Head;

pub use amounts::{dollars, grouped};
pub use answer_commands::{AnswerCommand, answer_commands};
pub use chronicle::{Chronicle, Line, Matter, Proof, Validation};
pub use context::render as snapshot;
pub use contract::{ContractSection, contract};
pub use edits::{Edits, LOOKED_AT_BYTES_MAX, NOTE_BYTES_MAX, NOTES_MAX, edits};
pub use evidence::{is_open, is_red, is_rejected, seen_red, verdict};
pub use footer::{Footer, footer_of, is_as_rendered, says_the_same};
pub use model_family::model_family;
pub use pull_request::{PullRequest, pull_request};
pub use sanitize::{sanitize, steers};
pub use summary::{latest as latest_evidence, said};
pub use task_row::{Glance, OpenQuestion, TaskRow};
pub use task_summary::{Outcome, TaskSummary};
pub use timestamp::timestamp;
pub use view_source::{OUTPUT_BYTES_MAX, Outputs, TEXT_BYTES_MAX, VIEW_BYTES_MAX, ViewSource};

/// The input of [`render`].
#[derive(Clone, Copy)]
pub struct ViewInput<'a> {
    pub task: &'a Task,
    /// The history of the same records.
    pub chronicle: &'a Chronicle,
    /// The last record in both.
    pub head: Head,
    /// When that record was written.
    pub at: Timestamp,
    /// Loads stored content as text, if the caller has it.
    pub outputs: &'a dyn Fn(&Digest) -> Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Its path in the task's folder, such as `STATE.md` or `context/iter-0001.md`.
    pub name: String,
    /// The text with its footer.
    pub content: String,
}

/// The next phases of a task, unescaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ahead {
    /// The phases that may follow.
    pub follows: String,
    /// The evidence that they need.
    pub needed: String,
}

/// Every view of the task; none before the task is created.
pub fn render(input: &ViewInput<'_>) -> Vec<View> {
    let Some(data) = input.task.data() else { return vec![] };
    let seq = input.head.seq;
    let view = |name: &str, text: String| View {
        name: name.to_owned(),
        content: footer::sealed(text, seq),
    };
    let mut views = vec![
        view("STATE.md", state::render(input, data)),
        view("EVIDENCE.md", evidence::render(input, data)),
        view("evidence.html", page::render(input, data)),
        view("TASKS.md", tasks::render(input.task, data)),
        view("log.md", log::render(input, data)),
    ];
    views.extend(task_summary::render(input.task).map(|text| view("SUMMARY.md", text)));
    // The footer names the record that wrote the snapshot, so the file never changes again.
    views.extend(input.chronicle.snapshots().iter().map(|(seq, snapshot)| View {
        name: format!("context/{}.md", snapshot.header.iteration),
        content: footer::sealed(context::render(snapshot), *seq),
    }));
    views
}

/// The next step of the task in one unescaped line.
pub fn next_step(task: &Task) -> Option<String> {
    task.data().map(|data| state::next_step(task, data))
}

/// The phases that may follow, and the evidence they need.
pub fn ahead(task: &Task) -> Option<Ahead> {
    task.data().map(|data| state::ahead(task, data))
}

/// The request as a person wrote it; the title in a clone without the text.
fn request(input: &ViewInput<'_>, data: &TaskData) -> String {
    let text = (input.outputs)(&data.charter.text);
    let request = text.and_then(|text| task_file::request(&text));
    request.unwrap_or_else(|| data.charter.title.clone())
}

/// The objective, or the title until intake writes one.
fn objective(data: &TaskData) -> &str {
    let framed = data.frame.as_ref().map(|frame| frame.objective.as_str());
    framed.filter(|text| !text.trim().is_empty()).unwrap_or(&data.charter.title)
}

/// The objective, if it does not repeat the request or the title.
fn reworded<'d>(data: &'d TaskData, request: &str) -> Option<&'d str> {
    let objective = objective(data).trim();
    (objective != request.trim() && objective != data.charter.title.trim()).then_some(objective)
}

/// The link from a task's folder to stored content, if a record names its size.
fn link(chronicle: &Chronicle, content: &Digest) -> Option<String> {
    let size = chronicle.size_of(content)?;
    let path = sealwright_store::Layout::new("../..").blob(content, size);
    path.to_str().map(|path| path.replace('\\', "/"))
}

fn short(digest: &Digest) -> String {
    digest.to_string()[..12].to_owned()
}

/// The version of the renderer, named in every footer.
///
/// Raise it whenever the bytes of any view may change: a template, a word, the order of lines, the escaping. A view is
/// checked for hand edits by rendering it again, which only the same renderer can do. Without a new number every view
/// in users' repositories would look edited.
pub const RENDERER: u32 = 9;

/// The artifact that holds the diff since the commit a task starts from.
pub const CHANGE_FILE: &str = "change.diff";
