//! Views: what people read of a task, rendered from its journal.
//!
//! A view is a pure function of the records: no file is read, no clock is asked, and the same
//! records give the same bytes. A view is never state. What a person writes into one can become
//! a note ([`edits()`]) and nothing else; everything else they change is put back.
//!
//! ```text
//! records ─┬─ fold ─▶ Task ──────┐
//!          └─ tell ─▶ Chronicle ─┴─▶ render ─▶ STATE.md EVIDENCE.md evidence.html TASKS.md log.md context/
//! ```
//!
//! All text in it comes from agents and people and is hostile: `markdown` and the escaping
//! template keep it from forging a field, a heading, a fence, a footer or markup.

mod amounts;
pub mod built_in_checks;
mod chronicle;
mod context;
pub mod cost_report;
mod edits;
mod evidence;
mod footer;
mod log;
mod markdown;
mod page;
mod pull_request;
mod question;
mod sanitize;
mod state;
mod summary;
pub mod task_file;
mod task_row;
mod tasks;
mod timestamp;
mod view_source;
pub mod wire;
mod wording;

use sealwright_kernel::task::{Task, TaskData};
use sealwright_kernel::{Digest, Timestamp};
use sealwright_store::Head;

pub use amounts::{dollars, grouped};
pub use chronicle::{Chronicle, Line, Matter, Proof, Validation};
pub use edits::{Edits, LOOKED_AT_BYTES_MAX, NOTE_BYTES_MAX, NOTES_MAX, edits};
pub use evidence::{is_red, verdict};
pub use footer::{Footer, footer_of, is_as_rendered, says_the_same};
pub use pull_request::{PullRequest, pull_request};
pub use sanitize::{sanitize, steers};
pub use task_row::{Glance, OpenQuestion, TaskRow};
pub use timestamp::timestamp;
pub use view_source::{Outputs, ViewSource};

/// What a task's views are rendered from.
#[derive(Clone, Copy)]
pub struct Telling<'a> {
    /// The task as it stands.
    pub task: &'a Task,
    /// What happened to it.
    pub chronicle: &'a Chronicle,
    /// The last record that both know of.
    pub head: Head,
    /// When that record was written.
    pub at: Timestamp,
    /// What stands in the store, as text, for as much of it as is at hand.
    pub outputs: &'a dyn Fn(&Digest) -> Option<String>,
}

/// One file for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Its path in the task's folder, such as `STATE.md` or `context/iter-0001.md`.
    pub name: String,
    /// All of it, with its footer.
    pub content: String,
}

/// What lies ahead of a task, as it was written; whoever shows it escapes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ahead {
    /// The phases that may follow, or what happens instead.
    pub follows: String,
    /// What has to be there before one of them does.
    pub needed: String,
}

/// Every view of the task. One that was not created has none.
pub fn render(telling: &Telling<'_>) -> Vec<View> {
    let Some(known) = telling.task.data() else { return vec![] };
    let seq = telling.head.seq;
    let view = |name: &str, text: String| View {
        name: name.to_owned(),
        content: footer::sealed(text, seq),
    };
    let mut views = vec![
        view("STATE.md", state::render(telling, known)),
        view("EVIDENCE.md", evidence::render(telling, known)),
        view("evidence.html", page::render(telling, known)),
        view("TASKS.md", tasks::render(known)),
        view("log.md", log::render(telling, known)),
    ];
    // A snapshot is sealed with the record that wrote it, so it never changes again.
    views.extend(telling.chronicle.snapshots().iter().map(|(seq, snapshot)| View {
        name: format!("context/{}.md", snapshot.header.iteration),
        content: footer::sealed(context::render(snapshot), *seq),
    }));
    views
}

/// What happens to the task next, in one line as it was written; whoever shows it escapes it.
pub fn next_step(task: &Task) -> Option<String> {
    task.data().map(|known| state::next_step(task, known))
}

/// What may follow for the task, and what it takes. One that was not created has nothing ahead.
pub fn ahead(task: &Task) -> Option<Ahead> {
    task.data().map(|known| state::ahead(task, known))
}

/// What the task is after: the objective once there is one, its title before.
fn objective(known: &TaskData) -> &str {
    let framed = known.frame.as_ref().map(|frame| frame.objective.as_str());
    framed.filter(|text| !text.trim().is_empty()).unwrap_or(&known.charter.title)
}

/// The link from a task's folder to content in the store, if its size is known.
fn link(chronicle: &Chronicle, content: &Digest) -> Option<String> {
    let size = chronicle.size_of(content)?;
    let path = sealwright_store::Layout::new("../..").blob(content, size);
    path.to_str().map(|path| path.replace('\\', "/"))
}

/// The first digits of a digest, for the eye.
fn short(digest: &Digest) -> String {
    digest.to_string()[..12].to_owned()
}

/// Which renderer this is. Every footer names it.
///
/// Raise it whenever the bytes of any view may change: a template, a word in one, the order of
/// its lines, the escaping. Whether somebody wrote into a view is found out by rendering it
/// again, and what another renderer made cannot be; without a new number every view in people's
/// repositories would look as if it had been edited by hand.
pub const RENDERER: u32 = 3;
