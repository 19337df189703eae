//! The keyring: which keys are trusted, and up to which record.
//!
//! A clone contains its own keys. They detect changes by an attacker without one of them, but not by an attacker who can
//! also add a key. Keys named on the command line are pinned; then only these are trusted.

use std::collections::{BTreeMap, BTreeSet};

use sealwright_kernel::{Seq, StreamId};

use super::{
    Envelope, EnvelopeError, IN_TOTO, Kept, KeyId, KeyRecord, KeyRecordError, PublicKey, Retirement,
};

/// Where keys are taken from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// From the clone itself.
    #[default]
    Clone,
    /// From outside; only these count.
    Pinned {
        /// By name.
        keys: BTreeSet<KeyId>,
        /// Those that came whole.
        key_records: Vec<KeyRecord>,
        /// Ends that are known from outside.
        retirements: Vec<Retirement>,
    },
}

/// Trusted keys, each with its retirement.
#[derive(Clone, Debug, Default)]
pub struct Keyring {
    keys: BTreeMap<KeyId, PublicKey>,
    key_records: Vec<KeyRecord>,
    retirements: Vec<Retirement>,
    pinned: Option<BTreeSet<KeyId>>,
}

/// An invalid file among the keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    pub file: String,
    pub what: String,
}

/// Why a signature does not count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The envelope does not hold.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
    /// The keyring does not contain the key.
    #[error("signed with the unknown key {key}")]
    Unknown { key: KeyId },
    /// The key was not pinned.
    #[error("signed with {key}, which is not a pinned key")]
    NotPinned { key: KeyId },
    /// The key was retired before.
    #[error("signed with {key}, which was retired before that record")]
    Retired { key: KeyId },
}

impl Trust {
    /// What stands in a file of pins: key_records and retirements, one a line.
    pub fn pin(&mut self, file: &[u8]) -> Result<(), KeyRecordError> {
        for line in file.split_inclusive(|byte| *byte == b'\n') {
            let line = [line.strip_suffix(b"\n").unwrap_or(line), b"\n"].concat();
            match (KeyRecord::from_bytes(&line), Retirement::from_bytes(&line)) {
                (Ok(voucher), _) => self.add(voucher.key, Some(voucher), None),
                (_, Ok(retirement)) => self.add(retirement.key, None, Some(retirement)),
                (Err(error), Err(_)) => return Err(error),
            }
        }
        Ok(())
    }

    /// Pins one key by its name, which is enough to know it.
    pub fn pin_key(&mut self, key: KeyId) {
        self.add(key, None, None);
    }

    fn add(&mut self, key: KeyId, voucher: Option<KeyRecord>, retirement: Option<Retirement>) {
        if let Self::Clone = self {
            let (keys, key_records, retirements) = (BTreeSet::new(), vec![], vec![]);
            *self = Self::Pinned { keys, key_records, retirements };
        }
        if let Self::Pinned { keys, key_records, retirements } = self {
            keys.insert(key);
            key_records.extend(voucher);
            retirements.extend(retirement);
        }
    }
}

impl Keyring {
    /// The keys in the files of a clone, under `trust`, and what is wrong with those files.
    pub fn gather(files: &[Kept], trust: &Trust) -> (Self, Vec<Flaw>) {
        let mut ring = Self::default();
        let mut flaws = Vec::new();
        let (mut key_records, mut retirements) = (Vec::new(), Vec::new());
        for Kept { name, bytes } in files {
            let flaw = |what: String| Flaw { file: name.clone(), what };
            let read = match name.rsplit_once('.') {
                Some((key, "pub")) => KeyRecord::from_bytes(bytes).and_then(|voucher| {
                    is_called(key, voucher.key)?;
                    key_records.push((name.clone(), voucher));
                    Ok(())
                }),
                Some((key, "retired")) => Retirement::from_bytes(bytes).and_then(|retirement| {
                    is_called(key, retirement.key)?;
                    retirements.push((name.clone(), retirement));
                    Ok(())
                }),
                Some(_) | None => {
                    flaws.push(flaw("it does not belong among the keys".to_owned()));
                    Ok(())
                }
            };
            flaws.extend(read.err().map(|error| flaw(error.to_string())));
        }
        if let Trust::Pinned { keys, key_records, retirements } = trust {
            ring.pinned = Some(keys.clone());
            ring.keys.extend(key_records.iter().map(|voucher| (voucher.key, voucher.ed25519)));
            ring.retirements.extend(retirements.iter().cloned());
        }
        ring.keys.extend(key_records.iter().map(|(_, voucher)| (voucher.key, voucher.ed25519)));
        let known = ring.keys.clone();
        for (file, voucher) in key_records {
            match vouched(&known, voucher.voucher, |key| voucher.check(key)) {
                Ok(()) => ring.key_records.push(voucher),
                Err(what) => {
                    // What is pinned is known from outside; what stands in the clone adds nothing to it.
                    if !ring.is_pinned(&voucher.key) {
                        ring.keys.remove(&voucher.key);
                    }
                    flaws.push(Flaw { file, what });
                }
            }
        }
        for (file, retirement) in retirements {
            match vouched(&known, retirement.voucher, |key| retirement.check(key)) {
                Ok(()) => ring.retirements.push(retirement),
                Err(what) => flaws.push(Flaw { file, what }),
            }
        }
        (ring, flaws)
    }

    /// Whether the signature of `envelope` counts for record `seq` of `stream`.
    pub fn admit(
        &self,
        envelope: &Envelope,
        stream: &StreamId,
        seq: Seq,
    ) -> Result<KeyId, Refusal> {
        let key = envelope.key;
        if self.pinned.is_some() && !self.is_pinned(&key) {
            return Err(Refusal::NotPinned { key });
        }
        let public = self.keys.get(&key).ok_or(Refusal::Unknown { key })?;
        envelope.check(IN_TOTO, public)?;
        let ends = self.retirements.iter().filter(|retirement| retirement.key == key);
        let is_over = |retirement: &Retirement| {
            retirement.heads.get(stream).is_none_or(|head| seq > head.seq)
        };
        if ends.into_iter().any(is_over) { Err(Refusal::Retired { key }) } else { Ok(key) }
    }

    /// The keys that were taken in, with who vouches for them.
    pub fn key_records(&self) -> &[KeyRecord] {
        &self.key_records
    }

    pub fn retirements(&self) -> &[Retirement] {
        &self.retirements
    }

    pub fn is_retired(&self, key: &KeyId) -> bool {
        self.retirements.iter().any(|retirement| retirement.key == *key)
    }

    pub fn len(&self) -> usize {
        let counts = |key: &&KeyId| self.pinned.is_none() || self.is_pinned(key);
        self.keys.keys().filter(counts).count()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn is_pinned(&self, key: &KeyId) -> bool {
        self.pinned.as_ref().is_some_and(|pinned| pinned.contains(key))
    }
}

fn is_called(name: &str, key: KeyId) -> Result<(), KeyRecordError> {
    if name == key.to_string() { Ok(()) } else { Err(KeyRecordError::OtherName) }
}

fn vouched(
    known: &BTreeMap<KeyId, PublicKey>,
    voucher: KeyId,
    check: impl FnOnce(&PublicKey) -> Result<(), KeyRecordError>,
) -> Result<(), String> {
    let Some(key) = known.get(&voucher) else {
        return Err(format!("{voucher} stands behind it, which is not among the keys"));
    };
    check(key).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use sealwright_kernel::{Digest, Timestamp};

    use super::*;
    use crate::Head;
    use crate::attest::PrivateKey;

    fn key(seed: u8) -> PrivateKey {
        PrivateKey::from_bytes(&[seed; 32])
    }

    fn voucher(owner: &PrivateKey, by: &PrivateKey) -> Kept {
        let at = Timestamp::from_millis(1);
        let voucher = KeyRecord::write(owner.public(), "Ada", "Ada", at, by).unwrap();
        Kept { name: format!("{}.pub", owner.id()), bytes: voucher.to_bytes().unwrap() }
    }

    fn retirement(of: &PrivateKey, by: &PrivateKey, until: u64) -> Kept {
        let head = Head { seq: Seq::new(until), hash: Digest::of(b"x") };
        let heads = [(stream(), head)].into();
        let at = Timestamp::from_millis(1);
        let retirement = Retirement::write(of.id(), heads, "Ada", at, by).unwrap();
        Kept { name: format!("{}.retired", of.id()), bytes: retirement.to_bytes().unwrap() }
    }

    fn stream() -> StreamId {
        "T-a-001".parse().unwrap()
    }

    fn signed(by: &PrivateKey) -> Envelope {
        Envelope::sign(IN_TOTO, b"{}".to_vec(), by)
    }

    #[test]
    fn a_retired_key_counts_for_what_it_signed_before_and_for_nothing_after() {
        let (old, new) = (key(1), key(2));
        let files = [voucher(&old, &old), voucher(&new, &old), retirement(&old, &new, 17)];
        let (ring, flaws) = Keyring::gather(&files, &Trust::Clone);
        assert_eq!(flaws, []);
        let admitted = |by: &PrivateKey, stream: &StreamId, seq| {
            ring.admit(&signed(by), stream, Seq::new(seq)).is_ok()
        };
        assert!(admitted(&old, &stream(), 17));
        assert!(!admitted(&old, &stream(), 18));
        assert!(!admitted(&old, &"T-b-001".parse().unwrap(), 1));
        assert!(admitted(&new, &"T-b-001".parse().unwrap(), 1));
    }

    #[test]
    fn only_what_is_pinned_counts_where_anything_is() {
        let (mine, forger) = (key(1), key(2));
        let files = [voucher(&mine, &mine), voucher(&forger, &forger)];
        let mut trust = Trust::default();
        trust.pin_key(mine.id());
        let (ring, _) = Keyring::gather(&files, &trust);
        let admit = |by: &PrivateKey| ring.admit(&signed(by), &stream(), Seq::new(1));
        assert_eq!(admit(&mine), Ok(mine.id()));
        assert_eq!(admit(&forger), Err(Refusal::NotPinned { key: forger.id() }));
        assert_eq!(ring.len(), 1);
        // A clone from which the key was taken away is not helped by it.
        let (ring, _) = Keyring::gather(&files[1..], &trust);
        let admitted = ring.admit(&signed(&mine), &stream(), Seq::new(1));
        assert_eq!(admitted, Err(Refusal::Unknown { key: mine.id() }));
        trust.pin(&voucher(&mine, &mine).bytes).unwrap();
        let (ring, _) = Keyring::gather(&[], &trust);
        assert_eq!(ring.admit(&signed(&mine), &stream(), Seq::new(1)), Ok(mine.id()));
    }

    #[test]
    fn a_retirement_known_from_outside_counts_though_the_clone_lacks_it() {
        let mine = key(1);
        let mut trust = Trust::default();
        trust.pin(&voucher(&mine, &mine).bytes).unwrap();
        trust.pin(&retirement(&mine, &mine, 3).bytes).unwrap();
        let (ring, _) = Keyring::gather(&[voucher(&mine, &mine)], &trust);
        let refused = ring.admit(&signed(&mine), &stream(), Seq::new(4));
        assert_eq!(refused, Err(Refusal::Retired { key: mine.id() }));
    }

    #[test]
    fn a_key_nobody_here_vouches_for_is_a_flaw_and_does_not_count() {
        let (mine, stranger) = (key(1), key(2));
        let mut wrong_name = voucher(&mine, &mine);
        wrong_name.name = format!("{}.pub", stranger.id());
        let stray = Kept { name: "README".to_owned(), bytes: vec![] };
        for file in [voucher(&mine, &stranger), wrong_name, stray] {
            let (ring, flaws) = Keyring::gather(std::slice::from_ref(&file), &Trust::Clone);
            assert_eq!((ring.len(), flaws.len()), (0, 1), "{file:?}");
            assert_eq!(flaws[0].file, file.name);
        }
    }
}
