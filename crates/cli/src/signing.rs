//! Signs the records of the person at the terminal with their own SSH key, as git signs their commits.

use std::ops::RangeBounds;
use std::path::{Path, PathBuf};

use sealwright_kernel::{Actor, Seq, StreamId};
use sealwright_repo::signing;
use sealwright_store::FileJournal;
use sealwright_store::attest::AttestationDir;
use sealwright_store::attest::person::{
    self, Decision, DecisionSignature, NAMESPACE, Signers, UnsignedError, signed_text,
};

use crate::error::{CliError, CliResult};
use crate::output::{sanitize, say};

/// A key for `ssh-keygen`: a file, or a public key whose other half an agent has.
pub(crate) struct SigningKey {
    file: PathBuf,
    /// Of its public key, where that is known.
    fingerprint: Option<String>,
    _folder: Option<tempfile::TempDir>,
}

/// What happens to signatures of the person's records that do not hold, or are by another key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replaces {
    Yes,
    No,
}

/// What was signed in a stream.
#[derive(Debug, Default)]
pub(crate) struct SignedRecords {
    pub(crate) records: Vec<Seq>,
    /// The fingerprint of the key, if something was signed.
    pub(crate) key: Option<String>,
    /// Records of the person with a signature that does not hold, or is by another key. It was left as it is.
    pub(crate) replaceable: u64,
    /// Records of other people that no signature stands for.
    pub(crate) of_others: u64,
}

impl SigningKey {
    /// The key that is named, or the one that the person's own git settings name.
    pub(crate) fn find(named: Option<&Path>) -> CliResult<Self> {
        if let Some(file) = named {
            return Ok(Self::in_file(file.to_owned()));
        }
        let found = signing::signing_key().map_err(CliError::SigningSettings)?;
        let found = found.ok_or(CliError::NoSigningKey)?;
        let public = found.strip_prefix("key::").or_else(|| {
            ["ssh-", "ecdsa-", "sk-"].iter().any(|it| found.starts_with(it)).then_some(&*found)
        });
        if let Some(public) = public {
            let folder = tempfile::tempdir()?;
            let file = folder.path().join("key.pub");
            std::fs::write(&file, format!("{public}\n"))?;
            let fingerprint = person::fingerprint(public);
            return Ok(Self { file, fingerprint, _folder: Some(folder) });
        }
        let home = found.strip_prefix("~/").zip(std::env::var_os("HOME"));
        let file =
            home.map_or_else(|| PathBuf::from(&found), |(rest, home)| Path::new(&home).join(rest));
        // It would be a file of whatever repository this runs in.
        if !file.is_absolute() {
            return Err(CliError::RelativeSigningKey { file: found });
        }
        Ok(Self::in_file(file))
    }

    fn in_file(file: PathBuf) -> Self {
        let public = if file.extension().is_some_and(|it| it == "pub") {
            file.clone()
        } else {
            let mut name = file.clone().into_os_string();
            name.push(".pub");
            name.into()
        };
        let public = std::fs::read_to_string(public).ok();
        let fingerprint = public.and_then(|it| person::fingerprint(&it));
        Self { file, fingerprint, _folder: None }
    }
}

/// Signs what the person recorded in a stream and has not signed.
pub(crate) fn sign(
    journal: &FileJournal,
    stream: &StreamId,
    by: &Actor,
    key: &SigningKey,
    replaces: Replaces,
) -> CliResult<SignedRecords> {
    let mut signed = SignedRecords::default();
    for found in person::signatures(journal, stream)? {
        if !is_by(&found, by) {
            signed.of_others += u64::from(!found.holds());
            continue;
        }
        match &found.signature {
            Some(Ok(kept)) if key.fingerprint.as_ref().is_none_or(|own| *own == kept.key) => {
                continue;
            }
            Some(_) if replaces == Replaces::No => {
                signed.replaceable += 1;
                continue;
            }
            Some(_) | None => {}
        }
        signed.key = Some(sign_record(journal, stream, &found.decision, key)?);
        signed.records.push(found.decision.head.seq);
    }
    Ok(signed)
}

/// Where the project asks for it, signs what a command has just recorded in the name of the person, before anything is
/// built on it. What has the same name and was recorded by something else is not touched.
pub(crate) fn sign_if_asked(
    is_asked: bool,
    journal: &FileJournal,
    stream: &StreamId,
    by: &Actor,
    recorded: impl RangeBounds<Seq>,
) -> CliResult {
    if !is_asked {
        return Ok(());
    }
    let mut own = person::signatures(journal, stream)?;
    own.retain(|it| is_by(it, by) && recorded.contains(&it.decision.head.seq) && !it.holds());
    if own.is_empty() {
        return Ok(());
    }
    let key = SigningKey::find(None)?;
    for DecisionSignature { decision, .. } in &own {
        let shown = sign_record(journal, stream, decision, &key)?;
        say(&format!("• signed with {shown}: {stream}, record {}", decision.head.seq));
    }
    Ok(())
}

/// Signs one record and gives the fingerprint of the key. The signature is checked before it is kept.
fn sign_record(
    journal: &FileJournal,
    stream: &StreamId,
    decision: &Decision,
    key: &SigningKey,
) -> CliResult<String> {
    let text = signed_text(stream, decision.head);
    let signature = signing::sign(&key.file, NAMESPACE, &text)?;
    let checked = Signers::default().check(&signature, stream, decision.head)?;
    let kept = AttestationDir::of(journal.layout());
    let put = kept.put_decision(stream, decision.head.seq, &signature);
    put.map_err(UnsignedError::from)?;
    Ok(checked.key)
}

fn is_by(found: &DecisionSignature, by: &Actor) -> bool {
    by.person() == Some(found.decision.by.as_str())
}

/// The name in a record, for a line that says whether it is signed. One that could be read as a part of the line is in
/// quotation marks.
pub(crate) fn name(by: &str) -> String {
    let by = sanitize(by);
    if by.contains(['(', ')', ',', ':', '"']) { format!("{by:?}") } else { by }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_look_like_a_signature() {
        assert_eq!(name("Ada of Byron"), "Ada of Byron");
        for (by, shown) in [
            ("Ada, signed with SHA256:x", r#""Ada, signed with SHA256:x""#),
            ("Ada)", r#""Ada)""#),
            (r#"Ada", signed with "x"#, r#""Ada\", signed with \"x""#),
        ] {
            assert_eq!(name(by), shown);
        }
    }
}
