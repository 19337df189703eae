//! Signatures of people: a person's own SSH key stands for the records that are theirs, as `ssh-keygen -Y sign` makes it.
//!
//! ```text
//! record of a person ──▶ text (stream, number, hash) ──▶ SSH signature ──▶ .sealwright/store/decisions/<stream>/<number>.sig
//! ```
//!
//! The hash of a record binds what was decided: the item, its contract, and everything before it. Without a signature
//! the record has only the name that its person's machine gave it.

use std::collections::BTreeMap;
use std::fmt;

use memchr::memmem;
use sealwright_kernel::{Actor, Seq, StreamId};
use ssh_key::{HashAlg, PublicKey, SshSig};

use super::{AttestationDir, AttestationDirError};
use crate::{FileJournal, Head, JournalError};

/// What `ssh-keygen -Y sign -n` is told, so that a signature of something else is none of a decision.
pub const NAMESPACE: &str = "sealwright-decision";

/// The text that a person signs.
pub fn signed_text(stream: &StreamId, head: Head) -> String {
    format!("sealwright decision 1\nstream {stream}\nrecord {}\nhash {}\n", head.seq, head.hash)
}

/// A record of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    pub head: Head,
    /// The name that the person's machine gave it.
    pub by: String,
}

/// A record of a person, and whether the signature that is kept of it holds, whoever signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionSignature {
    pub decision: Decision,
    /// `None` if no signature is kept.
    pub signature: Option<Result<PersonSignature, BadPersonSignature>>,
}

/// The records of people in a stream, in their order.
pub fn decisions(journal: &FileJournal, stream: &StreamId) -> Result<Vec<Decision>, JournalError> {
    let mut decisions = Vec::new();
    journal.read_blocking(stream, Head::START, &mut |entry| {
        if may_be_of_a_person(entry.line())
            && let Actor::Human(by) = entry.record()?.actor
        {
            decisions.push(Decision { head: entry.head(), by });
        }
        Ok(())
    })?;
    Ok(decisions)
}

/// The same with their signatures.
pub fn signatures(
    journal: &FileJournal,
    stream: &StreamId,
) -> Result<Vec<DecisionSignature>, UnsignedError> {
    let kept = AttestationDir::of(journal.layout()).decisions(stream)?;
    let kept: BTreeMap<Seq, Vec<u8>> =
        kept.into_iter().filter_map(|file| Some((file.decided()?, file.bytes))).collect();
    let with_signature = |decision: Decision| {
        let bytes = kept.get(&decision.head.seq);
        let signature = bytes.map(|it| Signers::default().check(it, stream, decision.head));
        DecisionSignature { decision, signature }
    };
    Ok(decisions(journal, stream)?.into_iter().map(with_signature).collect())
}

/// Those that no signature of a person stands for, whoever that is.
pub fn unsigned(journal: &FileJournal, stream: &StreamId) -> Result<Vec<Decision>, UnsignedError> {
    let all = signatures(journal, stream)?.into_iter();
    Ok(all.filter(|it| !it.holds()).map(|it| it.decision).collect())
}

impl DecisionSignature {
    /// Whether a signature stands for the record.
    pub fn holds(&self) -> bool {
        matches!(self.signature, Some(Ok(_)))
    }
}

/// Whether a line may be the record of a person. Most are not, and need not be read.
///
/// The journal writes no letter as `\u…`. Whoever forges a line may, and the record is the same.
fn may_be_of_a_person(line: &[u8]) -> bool {
    let holds = |part: &[u8]| memmem::find(line, part).is_some();
    holds(b"\"human\"") || holds(b"\\u")
}

/// The fingerprint of a public key, as ssh-keygen prints it. `None` if the text is no public key.
pub fn fingerprint(public: &str) -> Option<String> {
    let key = PublicKey::from_openssh(public.trim()).ok()?;
    Some(key.fingerprint(HashAlg::Sha256).to_string())
}

/// Why it cannot be said what is signed.
#[derive(Debug, thiserror::Error)]
pub enum UnsignedError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Files(#[from] AttestationDirError),
}

impl UnsignedError {
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Journal(error) => error.hint(),
            Self::Files(error) => error.hint(),
        }
    }
}

/// Whose keys count, as `allowed_signers` of ssh-keygen and git has it: the names of a person, and a key.
#[derive(Clone, Debug, Default)]
pub struct Signers {
    signers: Vec<(String, PublicKey)>,
}

/// A signature that holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonSignature {
    /// The fingerprint of the key, as ssh-keygen prints it.
    pub key: String,
    /// Whose key it is, if it is among the signers.
    pub signer: Option<String>,
}

/// Why a file with signers cannot be used. A line that is not understood is never passed over.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct SignersError {
    pub line: usize,
    pub what: &'static str,
}

/// Why a signature does not count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPersonSignature {
    #[error("it is no SSH signature")]
    Form,
    #[error("its key is of a kind ({kind}) that cannot be checked here")]
    Kind { kind: String },
    #[error("it is not a signature of this record")]
    Other,
}

impl Signers {
    pub fn parse(text: &str) -> Result<Self, SignersError> {
        let mut signers = Vec::new();
        for (nth, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = |what| SignersError { line: nth + 1, what };
            if signers.len() == SIGNERS_MAX {
                return Err(wrong("too many signers"));
            }
            signers.push(signer(line).map_err(wrong)?);
        }
        Ok(Self { signers })
    }

    pub fn is_empty(&self) -> bool {
        self.signers.is_empty()
    }

    /// Checks a signature of the record that ends at `head`.
    pub fn check(
        &self,
        armored: &[u8],
        stream: &StreamId,
        head: Head,
    ) -> Result<PersonSignature, BadPersonSignature> {
        let signature = SshSig::from_pem(armored).map_err(|_| BadPersonSignature::Form)?;
        let key = PublicKey::new(signature.public_key().clone(), "");
        let text = signed_text(stream, head);
        key.verify(NAMESPACE, text.as_bytes(), &signature).map_err(|error| match error {
            ssh_key::Error::AlgorithmUnknown | ssh_key::Error::AlgorithmUnsupported { .. } => {
                BadPersonSignature::Kind { kind: key.algorithm().to_string() }
            }
            _ => BadPersonSignature::Other,
        })?;
        let signer = self.signers.iter().find(|(_, known)| known.key_data() == key.key_data());
        Ok(PersonSignature {
            key: key.fingerprint(HashAlg::Sha256).to_string(),
            signer: signer.map(|(name, _)| name.clone()),
        })
    }
}

impl fmt::Display for PersonSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.signer {
            Some(signer) => write!(f, "{signer}, {}", self.key),
            None => f.write_str(&self.key),
        }
    }
}

/// One line: names, options, key.
fn signer(line: &str) -> Result<(String, PublicKey), &'static str> {
    let (names, rest) = match line.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"').ok_or("a quotation mark without its second")?,
        None => line.split_once(char::is_whitespace).ok_or("a name without a key")?,
    };
    if names.split(',').any(|name| name.trim().is_empty() || name.starts_with('!')) {
        return Err("an empty name, or one that begins with `!`");
    }
    let mut rest = rest.trim_start();
    if let Some(options) = rest.strip_prefix("namespaces=\"") {
        let (allowed, key) =
            options.split_once('"').ok_or("a quotation mark without its second")?;
        if allowed.split(',').any(|namespace| namespace.starts_with('!')) {
            return Err("a namespace that begins with `!`");
        }
        if !allowed.split(',').any(|namespace| namespace == NAMESPACE) {
            return Err("its namespaces are without `sealwright-decision`");
        }
        rest = key.trim_start();
    }
    let key = PublicKey::from_openssh(rest).map_err(
        |_| "no key, or an option other than `namespaces`, which is not understood here",
    )?;
    Ok((names.to_owned(), key))
}

const SIGNERS_MAX: usize = 10_000;

#[cfg(test)]
mod tests {
    use sealwright_kernel::{Digest, Seq};

    use super::*;

    /// Made by ssh-keygen, of a throw-away key, over the text of [`head`] in the stream `T-a-001`.
    const KEY: &str = include_str!("person/key.pub");
    const SIGNATURE: &str = include_str!("person/decision.sig");
    const FOR_GIT: &str = include_str!("person/git.sig");

    fn head() -> Head {
        Head { seq: Seq::new(7), hash: Digest::of(b"a record") }
    }

    fn stream() -> StreamId {
        StreamId::new("T-a-001").unwrap()
    }

    fn check(signers: &str, armored: &str) -> Result<PersonSignature, BadPersonSignature> {
        Signers::parse(signers).unwrap().check(armored.as_bytes(), &stream(), head())
    }

    #[test]
    fn a_signature_of_ssh_keygen_is_the_persons() {
        let known = check(&format!("# people\n\nada@example.com {KEY}"), SIGNATURE).unwrap();
        assert_eq!(known.signer.as_deref(), Some("ada@example.com"));
        assert!(known.key.starts_with("SHA256:"), "{known}");
        let quoted =
            format!("\"ada@example.com,ada\" namespaces=\"git,sealwright-decision\" {KEY}");
        assert_eq!(
            check(&quoted, SIGNATURE).unwrap().signer.as_deref(),
            Some("ada@example.com,ada")
        );
        assert_eq!(check("", SIGNATURE).unwrap(), PersonSignature { signer: None, ..known });
    }

    #[test]
    fn a_signature_of_anything_else_is_not() {
        let signers = Signers::parse(&format!("ada {KEY}")).unwrap();
        let other = Head { seq: Seq::new(8), ..head() };
        let of = |stream: &StreamId, head| signers.check(SIGNATURE.as_bytes(), stream, head);
        assert_eq!(of(&stream(), other), Err(BadPersonSignature::Other));
        let other = Head { hash: Digest::of(b"another"), ..head() };
        assert_eq!(of(&stream(), other), Err(BadPersonSignature::Other));
        let other = StreamId::new("T-b-001").unwrap();
        assert_eq!(of(&other, head()), Err(BadPersonSignature::Other));
        assert_eq!(check("", FOR_GIT), Err(BadPersonSignature::Other), "another namespace");
        assert_eq!(check("", "nothing"), Err(BadPersonSignature::Form));
        for at in (0..SIGNATURE.len()).step_by(7) {
            let mut bytes = SIGNATURE.as_bytes().to_vec();
            bytes[at] ^= 1;
            assert!(signers.check(&bytes, &stream(), head()).is_err(), "byte {at}");
        }
    }

    #[test]
    fn a_line_that_is_not_understood_is_not_passed_over() {
        for line in [
            "ada".to_owned(),
            "\"ada ssh-ed25519 x".to_owned(),
            "ada ssh-ed25519 x".to_owned(),
            format!("ada cert-authority {KEY}"),
            format!("ada valid-before=\"20200101\" {KEY}"),
            format!("ada namespaces=\"git\" {KEY}"),
            format!("ada namespaces=\"!git,sealwright-decision\" {KEY}"),
            format!("!ada {KEY}"),
            format!("ada,!eve {KEY}"),
            format!("\"!ada\" {KEY}"),
            format!("\"\" {KEY}"),
            format!("ada,,bob {KEY}"),
        ] {
            let refused = Signers::parse(&format!("\n{line}")).unwrap_err();
            assert_eq!(refused.line, 2, "{line}");
        }
    }

    #[test]
    fn a_record_of_a_person_is_read_however_it_is_spelled() {
        assert!(may_be_of_a_person(br#"{"actor":{"human":"Ada"},"at":1}"#));
        assert!(may_be_of_a_person(br#"{"actor":{"\u0068uman":"Ada"},"at":1}"#));
        assert!(!may_be_of_a_person(br#"{"actor":"machine","at":1}"#));
        let actor = |text: &str| serde_json::from_str::<Actor>(text).unwrap();
        assert_eq!(actor(r#"{"\u0068uman":"Ada"}"#), actor(r#"{"human":"Ada"}"#));
    }

    #[test]
    fn a_key_has_the_fingerprint_of_its_signatures() {
        assert_eq!(fingerprint(KEY).unwrap(), check("", SIGNATURE).unwrap().key);
        assert_eq!(fingerprint("no key"), None);
    }
}
