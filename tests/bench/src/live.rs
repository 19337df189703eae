//! Runs one task with the real host and journal and immediate answers.

use std::sync::Arc;

use anyhow::{Result, bail};
use sealwright_host::{Ended, Host, Limits, Observer, SystemClock};
use sealwright_kernel::task::{Effect, Event, Input};
use sealwright_kernel::{Machine, scripted};
use sealwright_store::Journal;

use crate::script::Script;

/// What observes a running task.
pub(crate) enum ProgressListener<M: Machine> {
    /// Only records are written.
    Nobody,
    /// Views are written after every record.
    Views(Arc<dyn Observer<M>>),
}

/// Runs a task and returns the number of its records.
pub(crate) async fn live<M, J>(
    journal: J,
    script: &Arc<Script>,
    listener: ProgressListener<M>,
) -> Result<u64>
where
    M: Machine<Input = Input, Event = Event, Effect = Effect>,
    J: Journal,
{
    // As in production: folded from the first record, without snapshots.
    let limits = Limits { snapshot_every: None, ..Limits::default() };
    let host = Host::open(journal, script.stream(), script.clone(), SystemClock, limits).await?;
    let mut host = match listener {
        ProgressListener::Nobody => host,
        ProgressListener::Views(observer) => host.watched_by(observer),
    };
    host.tell(scripted::ada(), script.begins(), vec![]).await?;
    match host.run().await? {
        Ended::Over(anchor) => Ok(anchor.head.seq.get()),
        other @ (Ended::Stopped | Ended::Parked { .. } | Ended::Waiting(_) | Ended::Stalled(_)) => {
            bail!("the task did not end: {other:?}")
        }
    }
}

/// The runtime of the command line.
pub(crate) fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_time().build()
}
