//! Signatures: every expected statement exists, matches the journal, and is signed by a trusted key.

use std::collections::BTreeMap;

use sealwright_kernel::{Seq, StreamId, TaskId};
use sealwright_store::Head;
use sealwright_store::attest::{AttestationDir, Envelope, Kept, Keyring, Trust};

use super::{AuditContext, Found};
use sealwright_store::attest::task_statements::{Attestable, Attesting, file_of};

#[derive(Debug, Default)]
pub(super) struct StatementsCheck {
    /// Statements that are valid.
    pub(super) statements: u64,
    pub(super) findings: Vec<Found>,
    /// The last record covered by a valid signature.
    pub(super) vouched: Option<Seq>,
    /// Whether the task is finished and has no statement.
    pub(super) is_unsigned: bool,
}

/// Compares the statements of `task` with those its records give.
pub(super) fn check(
    context: &AuditContext<'_>,
    task: &TaskId,
    attesting: &Attesting,
    is_finished: bool,
) -> StatementsCheck {
    let mut result = StatementsCheck::default();
    result.findings.extend(misplaced_retirements(context, task));
    let kept = match context.attestation_dir.statements(task) {
        Ok(kept) => kept,
        Err(error) => {
            result.findings.push(Found::unusable("statement", &error));
            return result;
        }
    };
    let due: BTreeMap<String, &Attestable> =
        attesting.made().iter().map(|due| (file_of(&due.name), due)).collect();
    let mut signed_gate = None;
    for file in &kept {
        match due.get(&file.name) {
            None => result.findings.push(about(
                task,
                &file.name,
                None,
                "the journal contains no such statement",
            )),
            Some(due) => match statement(context, task, file, due) {
                Ok(()) => {
                    result.statements += 1;
                    result.vouched = result.vouched.max(Some(due.seq));
                }
                Err(what) => result.findings.push(about(task, &file.name, Some(due.seq), &what)),
            },
        }
        if file.name.starts_with("gate-") {
            signed_gate = signed_gate.max(due.get(&file.name).map(|due| due.seq));
        }
    }
    result.is_unsigned = is_finished && kept.is_empty();
    // If anything is signed, everything up to the last signed gate must be. If keys are pinned, or a finished task has
    // any statement, everything must be.
    let until = match (is_finished, context.audit.trust) {
        (true, Trust::Pinned { .. }) => Some(Seq::new(u64::MAX)),
        (true, Trust::Clone) if !kept.is_empty() => Some(Seq::new(u64::MAX)),
        (true | false, Trust::Clone | Trust::Pinned { .. }) => signed_gate,
    };
    let is_there = |due: &str| kept.iter().any(|kept| kept.name == due);
    for (file, due) in due.iter().filter(|(file, _)| !is_there(file)) {
        if until.is_some_and(|until| due.seq <= until) {
            result.findings.push(about(task, file, Some(due.seq), "missing"));
        }
    }
    result
}

/// Statements about tasks that have no stream.
pub(super) fn of_unknown_tasks(
    attestation_dir: &AttestationDir,
    streams: &[StreamId],
) -> Vec<Found> {
    let names = match attestation_dir.tasks() {
        Ok(names) => names,
        Err(error) => return vec![Found::unusable("statement", &error)],
    };
    let is_there =
        |name: &String| streams.binary_search_by(|stream| stream.as_str().cmp(name)).is_ok();
    let unknown = names.into_iter().filter(|name| !is_there(name));
    unknown
        .map(|name| Found {
            object: format!("statement {name}"),
            stream: None,
            seq: None,
            finding: format!("statements about {name}, which has no stream"),
            hint: format!("restore `.sealwright/journal/{name}` from git or a backup"),
        })
        .collect()
}

/// Key retirements that name missing streams.
pub(super) fn of_missing_streams(ring: &Keyring, streams: &[StreamId]) -> Vec<Found> {
    let mut lost = Vec::new();
    for retirement in ring.retirements() {
        for stream in
            retirement.heads.keys().filter(|stream| streams.binary_search(stream).is_err())
        {
            let what = format!("names {stream}, which does not exist");
            lost.push(about_retirement(&retirement.key.to_string(), &what));
        }
    }
    lost
}

fn statement(
    context: &AuditContext<'_>,
    task: &TaskId,
    file: &Kept,
    due: &Attestable,
) -> Result<(), String> {
    let envelope = Envelope::from_bytes(&file.bytes).map_err(|error| error.to_string())?;
    let admitted = context.ring.admit(&envelope, task.stream(), due.seq);
    admitted.map_err(|error| error.to_string())?;
    let expected = due.statement.to_bytes().map_err(|error| error.to_string())?;
    if envelope.payload == expected {
        Ok(())
    } else {
        Err("the statement differs from the journal".to_owned())
    }
}

/// Key retirements that name a record which is not on the chain of this task.
fn misplaced_retirements(context: &AuditContext<'_>, task: &TaskId) -> Vec<Found> {
    let all = context.ring.retirements().iter();
    let mine = all.filter_map(|it| Some((it.key, *it.heads.get(task.stream())?)));
    mine.filter(|(_, head)| !is_on_chain(context, task, *head))
        .map(|(key, head)| {
            let what = format!("names record {} of {task} with another hash", head.seq);
            about_retirement(&key.to_string(), &what)
        })
        .collect()
}

fn is_on_chain(context: &AuditContext<'_>, task: &TaskId, head: Head) -> bool {
    let mut is_there = head == Head::START;
    let read = context.audit.journal.read_blocking(task.stream(), Head::START, &mut |entry| {
        is_there |= entry.head() == head;
        Ok(())
    });
    read.is_ok() && is_there
}

fn about(task: &TaskId, file: &str, seq: Option<Seq>, what: &str) -> Found {
    let name = file.strip_suffix(".json").unwrap_or(file);
    Found {
        object: format!("statement {task}/{name}"),
        stream: Some(task.stream().clone()),
        seq,
        finding: format!("{task}, statement {name}: {what}"),
        hint: format!(
            "restore `.sealwright/store/attestations/{task}/{file}`, or sign it with `sealwright keys sign`"
        ),
    }
}

fn about_retirement(key: &str, what: &str) -> Found {
    Found {
        object: format!("key {key}.retired"),
        stream: None,
        seq: None,
        finding: format!("retirement of {key}: {what}"),
        hint: "restore the stream, or the retirement, from git or a backup".to_owned(),
    }
}
