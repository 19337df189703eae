//! Which machine keeps which stream.
//!
//! To make a machine known, add one line to [`ALL`].

use std::future::Future;
use std::pin::Pin;

use sealwright_kernel::invocation::Invocation;
use sealwright_kernel::project::Project;
use sealwright_kernel::task::Task;
use sealwright_kernel::{Machine, Seq, StreamId};
use sealwright_store::{FileJournal, Head, JournalError};
use serde_json::Value;

use crate::audit::{Odd, redo};
use crate::{EngineError, replay, state_of};

/// A kind of stream, by what its name begins with.
#[derive(Clone, Copy, Debug)]
pub struct Aggregate {
    /// What people call it.
    pub name: &'static str,
    prefix: &'static str,
    replay: Replay,
    redo: Redo,
}

type Replay = for<'a> fn(&'a FileJournal, &'a StreamId, Option<Seq>) -> Folding<'a>;
type Redo = fn(&FileJournal, &StreamId) -> Result<Vec<Odd>, JournalError>;
type Folding<'a> = Pin<Box<dyn Future<Output = Result<(Head, Value), EngineError>> + 'a>>;

/// Every kind of stream this version can fold.
#[rustfmt::skip] // One line each, so that adding one is adding a line.
const ALL: &[Aggregate] = &[
    Aggregate { name: "invocation", prefix: "INV-", replay: fold::<Invocation>, redo: redo::<Invocation> },
    Aggregate { name: "project", prefix: "project", replay: fold::<Project>, redo: redo::<Project> },
    Aggregate { name: "task", prefix: "T-", replay: fold::<Task>, redo: redo::<Task> },
];

/// The kind of `stream`.
pub fn aggregate_of(stream: &StreamId) -> Result<&'static Aggregate, EngineError> {
    let unknown = || EngineError::UnknownAggregate { stream: stream.to_string() };
    ALL.iter().find(|kind| stream.as_str().starts_with(kind.prefix)).ok_or_else(unknown)
}

impl Aggregate {
    /// The state of `stream`, up to and with record `until` if one is given.
    pub async fn replay(
        &self,
        journal: &FileJournal,
        stream: &StreamId,
        until: Option<Seq>,
    ) -> Result<(Head, Value), EngineError> {
        (self.replay)(journal, stream, until).await
    }

    /// The records of `stream` that this version would not have written.
    pub(crate) fn redo(
        &self,
        journal: &FileJournal,
        stream: &StreamId,
    ) -> Result<Vec<Odd>, JournalError> {
        (self.redo)(journal, stream)
    }
}

fn fold<'a, M: Machine>(
    journal: &'a FileJournal,
    stream: &'a StreamId,
    until: Option<Seq>,
) -> Folding<'a> {
    Box::pin(async move {
        let replayed = replay::<M, _>(journal, stream, until).await?;
        Ok((replayed.head, state_of(&replayed.machine)?))
    })
}
