//! People: which of their records a signature of their own stands for, and which have only a name.

use std::collections::BTreeMap;

use sealwright_kernel::{Seq, StreamId};
use sealwright_store::attest::person::{self, PersonSignature, Signers, UnsignedError};
use sealwright_store::attest::{AttestationDir, Kept};

use super::{AuditContext, Found};

/// A record of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonRecord {
    pub stream: StreamId,
    pub seq: Seq,
    /// The name in the record. Without a signature it is what the environment of the person said.
    pub by: String,
    pub signature: Option<PersonSignature>,
}

#[derive(Debug, Default)]
pub(super) struct PeopleCheck {
    pub(super) records: Vec<PersonRecord>,
    pub(super) findings: Vec<Found>,
}

impl PeopleCheck {
    /// The last record that somebody who may sign has signed, and with its hash everything before it.
    pub(super) fn vouched(&self) -> Option<Seq> {
        let is_signed = |record: &&PersonRecord| {
            record.signature.as_ref().is_some_and(|signature| signature.signer.is_some())
        };
        self.records.iter().filter(is_signed).map(|record| record.seq).max()
    }
}

/// Holds the signatures of people against the records of a stream. If signers are given, each record of a person needs one
/// of theirs.
pub(super) fn check(context: &AuditContext<'_>, stream: &StreamId) -> PeopleCheck {
    let mut result = PeopleCheck::default();
    if let Err(error) = gather(context, stream, &mut result) {
        let hint = error.hint().unwrap_or_else(|| format!("check `store/decisions/{stream}`"));
        result.findings.push(Found {
            object: format!("decisions {stream}"),
            stream: Some(stream.clone()),
            seq: None,
            finding: format!("cannot say who signed the decisions of {stream}: {error}"),
            hint,
        });
    }
    result
}

fn gather(
    context: &AuditContext<'_>,
    stream: &StreamId,
    result: &mut PeopleCheck,
) -> Result<(), UnsignedError> {
    let none = Signers::default();
    let signers = context.audit.signers.unwrap_or(&none);
    let kept = context.attestation_dir.decisions(stream)?;
    let mut files: BTreeMap<Option<Seq>, Kept> = BTreeMap::new();
    for file in kept {
        files.insert(file.decided(), file);
    }
    for decision in person::decisions(context.audit.journal, stream)? {
        let seq = decision.head.seq;
        let wrong = |what: String, hint: String| Found {
            object: format!("decision {stream}#{seq}"),
            stream: Some(stream.clone()),
            seq: Some(seq),
            finding: format!("{stream}, record {seq}, of {}: {what}", decision.by),
            hint,
        };
        let file = files.remove(&Some(seq));
        let is_there = file.is_some();
        let checked = file.map(|file| signers.check(&file.bytes, stream, decision.head));
        let signature = match checked.transpose() {
            Ok(signature) => signature,
            Err(why) => {
                let hint = format!(
                    "restore `.sealwright/store/decisions/{stream}/{seq}.sig`, or the person signs it anew with \
                     `sealwright sign {stream} --replace`"
                );
                result.findings.push(wrong(format!("the signature does not count: {why}"), hint));
                None
            }
        };
        if context.audit.signers.is_some() {
            let stands = signature.as_ref().map(|it| it.signer.is_some());
            let (what, flag) = match stands {
                Some(false) => (Some("signed with a key of nobody who may sign"), " --replace"),
                None if !is_there => {
                    (Some("not signed, so the name is only what a machine said"), "")
                }
                Some(true) | None => (None, ""),
            };
            let hint = format!("the person signs it with `sealwright sign {stream}{flag}`");
            result.findings.extend(what.map(|what| wrong(what.to_owned(), hint)));
        }
        let (stream, by) = (stream.clone(), decision.by);
        result.records.push(PersonRecord { stream, seq, by, signature });
    }
    for file in files.into_values() {
        result.findings.push(Found {
            object: format!("decision {stream}/{}", file.name),
            stream: Some(stream.clone()),
            seq: file.decided(),
            finding: format!("{stream}, {}: there is no such record of a person", file.name),
            hint: format!("restore `.sealwright/store/decisions/{stream}` from git or a backup"),
        });
    }
    Ok(())
}

/// Signatures about streams that do not exist.
pub(super) fn of_unknown_streams(
    attestation_dir: &AttestationDir,
    streams: &[StreamId],
) -> Vec<Found> {
    let names = match attestation_dir.decided() {
        Ok(names) => names,
        Err(error) => return vec![Found::unusable("decisions", &error)],
    };
    let is_there =
        |name: &String| streams.binary_search_by(|stream| stream.as_str().cmp(name)).is_ok();
    let unknown = names.into_iter().filter(|name| !is_there(name));
    unknown
        .map(|name| Found {
            object: format!("decisions {name}"),
            stream: None,
            seq: None,
            finding: format!("signed decisions of {name}, which has no stream"),
            hint: format!("restore `.sealwright/journal/{name}` from git or a backup"),
        })
        .collect()
}
