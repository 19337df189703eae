//! Signatures: every statement that should be there is, says what the journal says, and is signed by a key that counts.

use std::collections::BTreeMap;

use sealwright_kernel::task::Status;
use sealwright_kernel::{Seq, StreamId, TaskId};
use sealwright_store::Head;
use sealwright_store::attest::{AttestationDir, Envelope, Kept, Keyring, Trust};

use super::{Found, Room};
use sealwright_store::attest::task_statements::{Attestable, Attesting, file_of};

/// What came of the statements of one task.
#[derive(Debug, Default)]
pub(super) struct Held {
    /// How many hold.
    pub(super) statements: u64,
    /// What is wrong with the others.
    pub(super) findings: Vec<Found>,
    /// The last record that a signature which counts stands behind.
    pub(super) vouched: Option<Seq>,
    /// Whether it is finished and nothing of it is signed.
    pub(super) is_unsigned: bool,
}

/// Holds what is kept of `task` against what its records give.
pub(super) fn hold(room: &Room<'_>, task: &TaskId, attesting: &Attesting, status: Status) -> Held {
    let mut held = Held::default();
    held.findings.extend(ends(room, task));
    let kept = match room.attestation_dir.statements(task) {
        Ok(kept) => kept,
        Err(error) => {
            held.findings.push(Found::unusable("statement", &error));
            return held;
        }
    };
    let due: BTreeMap<String, &Attestable> =
        attesting.made().iter().map(|due| (file_of(&due.name), due)).collect();
    let mut signed_gate = None;
    for file in &kept {
        match due.get(&file.name) {
            None => {
                held.findings.push(about(task, &file.name, None, "nothing in the journal gives it"))
            }
            Some(due) => match statement(room, task, file, due) {
                Ok(()) => {
                    held.statements += 1;
                    held.vouched = held.vouched.max(Some(due.seq));
                }
                Err(what) => held.findings.push(about(task, &file.name, Some(due.seq), &what)),
            },
        }
        if file.name.starts_with("gate-") {
            signed_gate = signed_gate.max(due.get(&file.name).map(|due| due.seq));
        }
    }
    let is_finished = status == Status::Shipped;
    held.is_unsigned = is_finished && kept.is_empty();
    // Where anything is signed, all of it is, up to the last gate; where keys are pinned, all that is finished is.
    let until = match (is_finished, room.audit.trust) {
        (true, Trust::Pinned { .. }) => Some(Seq::new(u64::MAX)),
        (true, Trust::Clone) if !kept.is_empty() => Some(Seq::new(u64::MAX)),
        (true | false, Trust::Clone | Trust::Pinned { .. }) => signed_gate,
    };
    let is_there = |due: &str| kept.iter().any(|kept| kept.name == due);
    for (file, due) in due.iter().filter(|(file, _)| !is_there(file)) {
        if until.is_some_and(|until| due.seq <= until) {
            held.findings.push(about(task, file, Some(due.seq), "it is missing"));
        }
    }
    held
}

/// Statements about tasks that are not there.
pub(super) fn strangers(attestation_dir: &AttestationDir, streams: &[StreamId]) -> Vec<Found> {
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
            finding: format!("statements are kept of {name}, of which there is no stream"),
            hint: format!("restore `.sealwright/journal/{name}` from git or a backup"),
        })
        .collect()
}

/// Retirements that name streams which are gone.
pub(super) fn lost_ends(ring: &Keyring, streams: &[StreamId]) -> Vec<Found> {
    let mut lost = Vec::new();
    for retirement in ring.retirements() {
        for stream in
            retirement.heads.keys().filter(|stream| streams.binary_search(stream).is_err())
        {
            let what = format!("it names {stream}, which is not there");
            lost.push(about_end(&retirement.key.to_string(), &what));
        }
    }
    lost
}

fn statement(room: &Room<'_>, task: &TaskId, file: &Kept, due: &Attestable) -> Result<(), String> {
    let envelope = Envelope::from_bytes(&file.bytes).map_err(|error| error.to_string())?;
    let admitted = room.ring.admit(&envelope, task.stream(), due.seq);
    admitted.map_err(|error| error.to_string())?;
    let expected = due.statement.to_bytes().map_err(|error| error.to_string())?;
    match envelope.payload == expected {
        true => Ok(()),
        false => Err("it does not say what the journal says".to_owned()),
    }
}

/// Whether the records at which keys were retired are on the chain of this task.
fn ends(room: &Room<'_>, task: &TaskId) -> Vec<Found> {
    let all = room.ring.retirements().iter();
    let mine = all.filter_map(|it| Some((it.key, *it.heads.get(task.stream())?)));
    mine.filter(|(_, head)| !is_on_chain(room, task, *head))
        .map(|(key, head)| {
            let what = format!("it names record {} of {task} with another hash", head.seq);
            about_end(&key.to_string(), &what)
        })
        .collect()
}

fn is_on_chain(room: &Room<'_>, task: &TaskId, head: Head) -> bool {
    let mut is_there = head == Head::START;
    let read = room.audit.journal.read_blocking(task.stream(), Head::START, &mut |entry| {
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

fn about_end(key: &str, what: &str) -> Found {
    Found {
        object: format!("key {key}.retired"),
        stream: None,
        seq: None,
        finding: format!("the retirement of {key}: {what}"),
        hint: "restore the stream, or the retirement, from git or a backup".to_owned(),
    }
}
