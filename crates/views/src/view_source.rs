//! What the views of a task are rendered from, kept up to date record by record, and how a file found in the place of a
//! view compares with it.

use sealwright_kernel::task::{Event, Task};
use sealwright_kernel::{Digest, Machine as _, Seq, Timestamp};
use sealwright_store::{Entry, Head, JournalError};

use crate::{Chronicle, RENDERER, Telling, View, footer_of, is_as_rendered, render};

/// A task and what happened to it, up to a record.
#[derive(Debug)]
pub struct ViewSource {
    /// The task as it stands.
    pub task: Task,
    chronicle: Chronicle,
    head: Head,
    at: Timestamp,
}

/// Looks up content in the store, as text.
pub type Outputs<'a> = &'a dyn Fn(&Digest) -> Option<String>;

impl Default for ViewSource {
    fn default() -> Self {
        let (task, chronicle) = (Task::default(), Chronicle::default());
        Self { task, chronicle, head: Head::START, at: Timestamp::from_millis(0) }
    }
}

impl ViewSource {
    /// Adds the next record.
    pub fn tell(&mut self, entry: &Entry<'_>) -> Result<(), JournalError> {
        let record = entry.record()?;
        entry.events::<Event>()?.iter().for_each(|event| self.task.evolve(event));
        self.chronicle.tell(&record);
        (self.head, self.at) = (entry.head(), record.at);
        Ok(())
    }

    /// The last record added.
    pub fn head(&self) -> Head {
        self.head
    }

    /// Every view.
    pub fn render(&self, outputs: Outputs<'_>) -> Vec<View> {
        let Self { task, chronicle, head, at } = self;
        render(&Telling { task, chronicle, head: *head, at: *at, outputs })
    }

    /// Whether `found` is an earlier view called `name` that was not edited. `at` folds the stream up to a record.
    ///
    /// A view of another renderer cannot be rendered again; there, its own digest decides. A forged one is replaced
    /// by the true view, and nothing is read from a view that counts as unedited.
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
