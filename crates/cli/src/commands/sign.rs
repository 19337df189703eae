//! `sealwright sign`: a person's own SSH key under what they decided.

use std::path::PathBuf;

use sealwright_kernel::{Seq, StreamId, TaskId};
use sealwright_store::{Head, Record};
use sealwright_views::Chronicle;
use sealwright_views::wire::DecisionsSigned;
use serde_json::Value;

use crate::args::Format;
use crate::error::CliResult;
use crate::output::{Output, counted, good, sanitize, say, warn};
use crate::person::person;
use crate::repository::Repository;
use crate::signing::{self, Replaces, SigningKey};

/// Sign your decisions with your own SSH key.
///
/// Takes the key that git signs your commits with (`gpg.format = ssh` and `user.signingkey` in your own settings; a file,
/// an agent or a hardware key) and signs each record that has your name and no signature, also one that somebody else
/// recorded under your name: look at them with `sealwright log` first. A name without a signature is only what a machine
/// said; `verify --signers FILE` accepts no decision without one. `signed_decisions = true` in `[project]` signs decisions
/// about tasks at once, and goes on with nothing that is not signed.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Stream, such as `project`, or task id, or a unique part of it [default: everything in this repository].
    #[arg(value_name = "TASK|STREAM")]
    named: Option<String>,
    /// Key file, private or public.
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Sign also what has a signature of yours that does not hold, or one with another key.
    #[arg(long)]
    replace: bool,
}

pub(crate) fn run(args: &Args, repository: &Repository, output: &mut Output) -> CliResult {
    let by = person(&repository.root)?;
    let streams = streams(args.named.as_deref(), repository)?;
    let key = SigningKey::find(args.key.as_deref())?;
    let replaces = if args.replace { Replaces::Yes } else { Replaces::No };
    let (mut written, mut replaceable, mut of_others, mut shown) = (0, 0, 0, None);
    for stream in &streams {
        let signed = signing::sign(&repository.journal, stream, &by, &key, replaces)?;
        written += signed.records.len() as u64;
        replaceable += signed.replaceable;
        of_others += signed.of_others;
        shown = signed.key.or(shown);
        if output.format == Format::Human {
            list(repository, stream, &signed.records, output)?;
        }
    }
    if replaceable > 0 {
        say(&format!(
            "{} {} of yours with a signature that does not hold, or by another key; `--replace` signs anew",
            warn("•"),
            counted(replaceable, "decision")
        ));
    }
    if output.format == Format::Json {
        return output.json(&DecisionsSigned {
            written,
            key: shown.map(Into::into),
            unsigned_of_others: of_others,
        });
    }
    let what = counted(written, "decision");
    match &shown {
        Some(key) => {
            output.line(&format!("{} {what} signed with {}", good("✓"), sanitize(key)))?;
        }
        None => output.line("• no decision of yours was without a signature")?,
    }
    if of_others > 0 {
        let count = counted(of_others, "decision");
        output.line(&format!("{} {count} of other people without a signature", warn("•")))?;
    }
    Ok(())
}

/// The stream that is named, the stream of a task, or all of them.
fn streams(named: Option<&str>, repository: &Repository) -> CliResult<Vec<StreamId>> {
    let mut streams = repository.journal.streams_blocking()?;
    if let Some(named) = named {
        if streams.iter().any(|stream| stream.as_str() == named) {
            streams.retain(|stream| stream.as_str() == named);
        } else {
            streams = vec![repository.task(named)?.stream().clone()];
        }
    }
    Ok(streams)
}

/// Prints what was signed.
fn list(
    repository: &Repository,
    stream: &StreamId,
    signed: &[Seq],
    output: &mut Output,
) -> CliResult {
    if signed.is_empty() {
        return Ok(());
    }
    let mut lines = Vec::new();
    repository.journal.read_blocking(stream, Head::START, &mut |entry| {
        let seq = entry.head().seq;
        if signed.contains(&seq) {
            let said = sanitize(&said(&entry.record()?));
            lines.push(format!("  {stream}, record {seq}: {said}"));
        }
        Ok(())
    })?;
    lines.iter().try_for_each(|line| output.line(line))
}

/// What a record of a task says in its log; the name of the input in any other stream.
fn said(record: &Record) -> String {
    if TaskId::new(record.stream.as_str()).is_err() {
        return input(&record.cause).to_owned();
    }
    let mut chronicle = Chronicle::default();
    chronicle.add(record);
    let said: Vec<&str> =
        chronicle.lines().iter().flat_map(|line| &line.said).map(String::as_str).collect();
    said.join("; ")
}

/// The only member of an input is its name, and what is said to the phases of a project is one deeper.
fn input(cause: &Value) -> &str {
    let named = cause.as_object().and_then(|members| members.iter().next());
    match named {
        Some((name, inner)) if name == "run" => input(inner),
        Some((name, _)) => name,
        None => cause.as_str().unwrap_or("a record without a cause"),
    }
}
