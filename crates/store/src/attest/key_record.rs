//! Key records: who vouches for a public key, and until when. Each is one signed line of canonical JSON.
//!
//! An own key vouches for itself; the person who adds a colleague's key vouches for it. A retirement names the last
//! record of every stream that the key signed for. Earlier signatures stay valid; a stolen copy cannot sign later
//! records, whatever its clock says.

use std::collections::BTreeMap;

use sealwright_kernel::{StreamId, Timestamp, canonical_json};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{BadSignature, KeyId, PrivateKey, PublicKey, Signature, pae};
use crate::Head;

/// A public key, and who vouches for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyRecord {
    /// When it was added. No rule depends on it.
    pub at: Timestamp,
    pub by: String,
    pub ed25519: PublicKey,
    pub key: KeyId,
    /// Whose installation signs with it.
    pub owner: String,
    /// The signature of `voucher` over all the rest.
    pub signature: Signature,
    /// The key that vouches for it: itself, or that of who took it in.
    pub voucher: KeyId,
}

/// The end of a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Retirement {
    /// When it was retired. No rule depends on it.
    pub at: Timestamp,
    pub by: String,
    /// The last record of each stream about which its signatures count.
    pub heads: BTreeMap<StreamId, Head>,
    pub key: KeyId,
    /// The signature of `voucher` over all the rest.
    pub signature: Signature,
    /// The key that says so: the key itself, or one that outlives it.
    pub voucher: KeyId,
}

/// Why a key record or a retirement is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyRecordError {
    /// It cannot be read.
    #[error("not a key record: {why}")]
    Unreadable { why: String },
    /// It says the same in other bytes than it was written in.
    #[error("not in canonical form")]
    OtherForm,
    /// The name is another key's.
    #[error("the file is named after another key")]
    OtherName,
    /// A name of a person is empty, too long or steers terminals.
    #[error("the name of the person is missing or invalid")]
    Nobody,
    /// The signature does not hold.
    #[error(transparent)]
    Signature(#[from] BadSignature),
}

impl KeyRecord {
    /// `by` takes the key of `owner` in and vouches for it with `voucher`.
    pub fn write(
        ed25519: PublicKey,
        owner: &str,
        by: &str,
        at: Timestamp,
        voucher: &PrivateKey,
    ) -> Result<Self, KeyRecordError> {
        let mut written = Self {
            at,
            by: by.to_owned(),
            ed25519,
            key: ed25519.id(),
            owner: owner.to_owned(),
            signature: Signature::from_bytes([0; 64]),
            voucher: voucher.id(),
        };
        written.are_named()?;
        written.signature = voucher.sign(&signed_part(KEY, &written)?);
        Ok(written)
    }

    /// Parses the canonical form. The signature is not checked.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, KeyRecordError> {
        let read: Self = read(bytes)?;
        read.are_named()?;
        if read.key != read.ed25519.id() {
            return Err(KeyRecordError::OtherName);
        }
        Ok(read)
    }

    /// Whether `voucher`, the key it names, signed it.
    pub fn check(&self, voucher: &PublicKey) -> Result<(), KeyRecordError> {
        if voucher.id() != self.voucher {
            return Err(KeyRecordError::OtherName);
        }
        Ok(voucher.check(&signed_part(KEY, self)?, &self.signature)?)
    }

    /// The canonical form.
    pub fn to_bytes(&self) -> Result<Vec<u8>, KeyRecordError> {
        written(self)
    }

    fn are_named(&self) -> Result<(), KeyRecordError> {
        is_named(&self.owner)?;
        is_named(&self.by)
    }
}

impl Retirement {
    /// `by` retires a key; `voucher` says so.
    pub fn write(
        key: KeyId,
        heads: BTreeMap<StreamId, Head>,
        by: &str,
        at: Timestamp,
        voucher: &PrivateKey,
    ) -> Result<Self, KeyRecordError> {
        is_named(by)?;
        let signature = Signature::from_bytes([0; 64]);
        let mut written =
            Self { at, by: by.to_owned(), heads, key, signature, voucher: voucher.id() };
        written.signature = voucher.sign(&signed_part(RETIREMENT, &written)?);
        Ok(written)
    }

    /// Parses the canonical form. The signature is not checked.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, KeyRecordError> {
        let read: Self = read(bytes)?;
        is_named(&read.by)?;
        Ok(read)
    }

    /// Whether `voucher`, the key it names, signed it.
    pub fn check(&self, voucher: &PublicKey) -> Result<(), KeyRecordError> {
        if voucher.id() != self.voucher {
            return Err(KeyRecordError::OtherName);
        }
        Ok(voucher.check(&signed_part(RETIREMENT, self)?, &self.signature)?)
    }

    /// The canonical form.
    pub fn to_bytes(&self) -> Result<Vec<u8>, KeyRecordError> {
        written(self)
    }
}

/// What is signed: everything but the signature, and what kind of thing it is.
fn signed_part(kind: &str, said: &impl Serialize) -> Result<Vec<u8>, KeyRecordError> {
    let mut value = serde_json::to_value(said).map_err(unreadable)?;
    if let Value::Object(members) = &mut value {
        members.remove("signature");
    }
    Ok(pae(kind, &canonical_json(&value).map_err(unreadable)?))
}

fn read<T: DeserializeOwned + Serialize>(bytes: &[u8]) -> Result<T, KeyRecordError> {
    let read: T = serde_json::from_slice(bytes).map_err(unreadable)?;
    if written(&read)? == bytes { Ok(read) } else { Err(KeyRecordError::OtherForm) }
}

fn written(said: &impl Serialize) -> Result<Vec<u8>, KeyRecordError> {
    let mut bytes = canonical_json(said).map_err(unreadable)?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn is_named(name: &str) -> Result<(), KeyRecordError> {
    let is_usable = !name.trim().is_empty()
        && name.len() <= NAME_BYTES_MAX
        && !name.chars().any(char::is_control);
    if is_usable { Ok(()) } else { Err(KeyRecordError::Nobody) }
}

fn unreadable(error: impl std::fmt::Display) -> KeyRecordError {
    KeyRecordError::Unreadable { why: error.to_string() }
}

const KEY: &str = "application/vnd.sealwright.key+json";
const RETIREMENT: &str = "application/vnd.sealwright.key-retirement+json";
const NAME_BYTES_MAX: usize = 200;

#[cfg(test)]
mod tests {
    use sealwright_kernel::{Digest, Seq};

    use super::*;

    fn key(seed: u8) -> PrivateKey {
        PrivateKey::from_bytes(&[seed; 32])
    }

    #[test]
    fn every_changed_bit_of_a_voucher_is_noticed() {
        let (mine, at) = (key(7), Timestamp::from_millis(1_700_000_000_000));
        let voucher = KeyRecord::write(key(8).public(), "Bob", "Ada", at, &mine).unwrap();
        let bytes = voucher.to_bytes().unwrap();
        assert_eq!(KeyRecord::from_bytes(&bytes).unwrap(), voucher);
        for at in 0..bytes.len() * 8 {
            let mut bent = bytes.clone();
            bent[at / 8] ^= 1 << (at % 8);
            let held = KeyRecord::from_bytes(&bent)
                .is_ok_and(|voucher| voucher.check(&mine.public()).is_ok());
            assert!(!held, "bit {at} changed and nobody saw it");
        }
    }

    #[test]
    fn every_changed_bit_of_a_retirement_is_noticed() {
        let mine = key(7);
        let head = Head { seq: Seq::new(17), hash: Digest::of(b"x") };
        let heads = [("T-a-001".parse().unwrap(), head)].into();
        let at = Timestamp::from_millis(1);
        let bytes = Retirement::write(mine.id(), heads, "Ada", at, &mine).unwrap().to_bytes();
        let bytes = bytes.unwrap();
        for at in 0..bytes.len() * 8 {
            let mut bent = bytes.clone();
            bent[at / 8] ^= 1 << (at % 8);
            let held = Retirement::from_bytes(&bent)
                .is_ok_and(|retirement| retirement.check(&mine.public()).is_ok());
            assert!(!held, "bit {at} changed and nobody saw it");
        }
    }

    #[test]
    fn a_key_can_stand_behind_no_other_name() {
        let (mine, at) = (key(7), Timestamp::from_millis(1));
        let mut voucher = KeyRecord::write(mine.public(), "Ada", "Ada", at, &mine).unwrap();
        voucher.key = key(8).id();
        let read = KeyRecord::from_bytes(&voucher.to_bytes().unwrap());
        assert_eq!(read, Err(KeyRecordError::OtherName));
        assert_eq!(voucher.check(&key(8).public()), Err(KeyRecordError::OtherName));
        let nobody = KeyRecord::write(mine.public(), " ", "Ada", at, &mine);
        assert_eq!(nobody, Err(KeyRecordError::Nobody));
    }
}
