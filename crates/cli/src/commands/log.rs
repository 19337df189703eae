//! `sealwright log`: the history of a task in words.

use std::collections::BTreeMap;

use sealwright_kernel::{Actor, Seq};
use sealwright_store::Head;
use sealwright_store::attest::person;
use sealwright_views::Chronicle;
use sealwright_views::wire::{LogDetail, LogEntry};

use crate::args::Format;
use crate::error::CliResult;
use crate::output::{Output, sanitize, timestamp};
use crate::repository::Repository;
use crate::signing::name;

/// Show the history of a task in words.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Task id, or a unique part of it [default: the latest task].
    task: Option<String>,
}

pub(crate) fn run(args: &Args, repository: &Repository, output: &mut Output) -> CliResult {
    let task = repository.task_or_latest(args.task.as_deref())?;
    let mut keys: BTreeMap<Seq, String> = BTreeMap::new();
    for found in person::signatures(&repository.journal, task.stream())? {
        if let Some(Ok(signature)) = found.signature {
            keys.insert(found.decision.head.seq, signature.key);
        }
    }
    let mut chronicle = Chronicle::default();
    repository.journal.read_blocking(task.stream(), Head::START, &mut |entry| {
        chronicle.add(&entry.record()?);
        Ok(())
    })?;
    for line in chronicle.lines() {
        if output.format == Format::Json {
            let detail = |(name, text): &(&str, String)| LogDetail {
                name: (*name).into(),
                text: text.clone(),
            };
            output.json(&LogEntry {
                seq: line.seq.into(),
                at: line.at.into(),
                actor: (&line.actor).into(),
                signed: line.actor.person().map(|_| keys.contains_key(&line.seq)),
                said: line.said.iter().map(Into::into).collect(),
                details: line.details.iter().map(detail).collect(),
            })?;
            continue;
        }
        let by = match &line.actor {
            Actor::Human(by) => match keys.get(&line.seq) {
                Some(key) => format!(" ({}, signed with {})", name(by), sanitize(key)),
                None => format!(" ({}, unsigned)", name(by)),
            },
            Actor::Role(role, _) => format!(" ({})", role.name()),
            Actor::Machine | Actor::Environment => String::new(),
        };
        output.line(&format!("{:>4}  {}{by}", line.seq, timestamp(line.at)))?;
        for said in &line.said {
            output.line(&format!("      {}", sanitize(said)))?;
        }
        for (name, text) in &line.details {
            output.line(&format!("      {}: {}", name.to_lowercase(), sanitize(text)))?;
        }
    }
    Ok(())
}
