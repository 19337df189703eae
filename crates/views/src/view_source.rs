//! The state that views are rendered from, folded record by record, and the check of a file for hand edits.

use sealwright_kernel::task::{Event, Task};
use sealwright_kernel::{Digest, Machine as _, Seq, Timestamp};
use sealwright_store::{Entry, Head, JournalError};

use crate::escalation_file::Halts;
use crate::{Chronicle, RENDERER, View, ViewInput, footer_of, is_as_rendered, render};

/// The state and history of a task up to one record.
#[derive(Debug)]
pub struct ViewSource {
    /// The folded state.
    pub task: Task,
    chronicle: Chronicle,
    halts: Halts,
    head: Head,
    at: Timestamp,
}

/// Loads stored content as text.
pub type Outputs<'a> = &'a dyn Fn(&Digest) -> Option<String>;

impl Default for ViewSource {
    fn default() -> Self {
        let (task, chronicle, halts) = (Task::default(), Chronicle::default(), Halts::default());
        Self { task, chronicle, halts, head: Head::START, at: Timestamp::from_millis(0) }
    }
}

impl ViewSource {
    /// Adds the next record.
    pub fn add(&mut self, entry: &Entry<'_>) -> Result<(), JournalError> {
        let record = entry.record()?;
        for event in entry.events::<Event>()? {
            self.task.evolve(&event);
            self.halts.add(&event, record.at);
        }
        self.chronicle.add(&record);
        (self.head, self.at) = (entry.head(), record.at);
        Ok(())
    }

    /// Where the task halted, and what was decided.
    pub fn halts(&self) -> &Halts {
        &self.halts
    }

    pub fn head(&self) -> Head {
        self.head
    }

    pub fn render(&self, outputs: Outputs<'_>) -> Vec<View> {
        let Self { task, chronicle, head, at, .. } = self;
        render(&ViewInput { task, chronicle, head: *head, at: *at, outputs })
    }

    /// Whether `found` is an earlier, unedited version of the view called `name`. `at` folds the stream up to a record.
    ///
    /// A view of another renderer cannot be rendered again, so its own digest decides. A forgery does no harm: the true
    /// view replaces it, and nothing is read from a view that counts as unedited.
    pub fn is_unedited<E>(
        &self,
        name: &str,
        found: &[u8],
        at: impl FnOnce(Seq) -> Result<Self, E>,
        outputs: Outputs<'_>,
    ) -> Result<bool, E> {
        let Ok(found) = std::str::from_utf8(found) else { return Ok(false) };
        let Some(footer) = footer_of(found).filter(|_| is_as_rendered(found)) else {
            return Ok(false);
        };
        if footer.renderer != RENDERER {
            return Ok(true);
        }
        if footer.seq >= self.head.seq {
            return Ok(false);
        }
        let was = at(footer.seq)?.render(outputs);
        Ok(was.into_iter().any(|view| view.name == name && view.content == found))
    }
}

/// The longest view that is read back.
pub const VIEW_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// The longest output that is shown in a view.
pub const OUTPUT_BYTES_MAX: u64 = 1024 * 1024;
/// The longest `TASK.md` that is read.
pub const TEXT_BYTES_MAX: u64 = 1024 * 1024;
