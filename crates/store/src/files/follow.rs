//! Reading along while a writer appends.

use std::sync::Arc;

use sealwright_kernel::StreamId;

use crate::disk::Disk;
use crate::files::{Begin, Home, Mark, scan};
use crate::{Each, Head, JournalError};

/// A reader that remembers how far it has read.
#[derive(Debug)]
pub struct Follower<D> {
    home: Arc<Home<D>>,
    stream: StreamId,
    head: Head,
}

impl<D: Disk> Follower<D> {
    pub(crate) fn new(home: Arc<Home<D>>, stream: StreamId, head: Head) -> Self {
        Self { home, stream, head }
    }

    pub fn head(&self) -> Head {
        self.head
    }

    /// Shows what is new. It keeps to what the writer knows to be durable, so nothing it
    /// shows is ever taken back.
    pub fn catch_up(&mut self, each: Each<'_>) -> Result<Head, JournalError> {
        let mark = Mark::of(&self.home, &self.stream);
        let durable = mark.as_ref().map(|mark| mark.head.seq);
        let is_durable = |head: Head| durable.is_none_or(|seq| head.seq <= seq);
        let mut last = self.head;
        let scanned = scan(&self.home, &self.stream, Begin::After(self.head), &mut |entry| {
            if is_durable(entry.head()) {
                each(entry)?;
                last = entry.head();
            }
            Ok(())
        });
        self.head = last;
        match (scanned, mark) {
            // Behind the mark the writer may be writing this very moment.
            (Err(JournalError::Damaged(damage)), Some(mark)) if damage.seq > mark.head.seq => {
                Ok(last)
            }
            (scanned, _) => scanned.map(|_| last),
        }
    }
}
