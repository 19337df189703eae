//! `sealwright replay`: the state of a stream.

use sealwright_host::replay_stream;
use sealwright_kernel::Seq;
use sealwright_views::wire::{ReplayedState, ReplayedStream};

use crate::args::Format;
use crate::commands::wait;
use crate::error::{CliError, CliResult};
use crate::output::Output;
use crate::repository::Repository;

/// Replay a stream from its first record, without snapshots, and print the state.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Stream id [default: the only stream].
    stream: Option<String>,

    /// Stop after this record.
    #[arg(long, value_name = "SEQ", value_parser = clap::value_parser!(u64).range(1..))]
    at: Option<u64>,
}

pub(crate) fn run(args: &Args, repository: &Repository, output: &mut Output) -> CliResult {
    let stream = repository.stream(args.stream.as_deref())?;
    let until = args.at.map(Seq::new);
    let folded = wait(replay_stream(&repository.journal, &stream, until))??;
    let (aggregate, head, state) = (folded.aggregate, folded.head, folded.state);
    if let Some(at) = until.filter(|at| head.seq < *at) {
        return Err(CliError::NoRecord { stream: stream.to_string(), at, end: head.seq });
    }
    match output.format {
        Format::Human => {
            output.line(&format!("# {} {stream} after record {}", aggregate, head.seq))?;
            output.pretty(state)
        }
        Format::Json => output.json(&ReplayedStream {
            stream: (&stream).into(),
            aggregate: aggregate.to_owned(),
            head: head.into(),
            state: ReplayedState(state),
        }),
    }
}
