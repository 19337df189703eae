//! The writer process that `prove journal` kills.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use sealwright_kernel::{Actor, StreamId, Timestamp};
use sealwright_store::{Draft, FileJournal, Head, Writer as _};
use serde_json::{Value, json};

/// What to write.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder of the journal.
    root: PathBuf,
    /// The stream to append to.
    stream: StreamId,
    /// The number of records, unless it is killed first.
    #[arg(long, default_value_t = u64::MAX)]
    records: u64,
}

/// Continues the numbers in the stream, and prints each when it is durable.
pub(crate) fn run(args: &Args) -> Result<()> {
    let journal = FileJournal::create(&args.root)?;
    let mut number = 0;
    let mut writer = journal.open_blocking(&args.stream, Head::START, &mut |entry| {
        number = number_of(&entry.record()?.events).unwrap_or(number);
        Ok(())
    })?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "open")?;
    for _ in 0..args.records {
        number += 1;
        runtime.block_on(writer.append(draft(number)))?;
        // One write, so that a reader sees whole numbers.
        out.write_all(format!("{number}\n").as_bytes())?;
        out.flush()?;
    }
    Ok(())
}

/// A record of ordinary size.
pub(crate) fn draft(number: u64) -> Draft {
    let effect = format!("INV-{number:06}/invoke/try-1");
    let digest = sealwright_kernel::Digest::of(&number.to_be_bytes());
    Draft {
        at: Timestamp::from_millis(1_767_225_600_000 + number),
        actor: Actor::Environment,
        cause: json!({"context_built": {"context": digest, "effect": effect}}),
        events: vec![json!({"counted": {"number": number}})],
        blobs: vec![],
    }
}

/// The number in a record's events; notes of the journal have none.
pub(crate) fn number_of(events: &[Value]) -> Option<u64> {
    events.first()?.get("counted")?.get("number")?.as_u64()
}
