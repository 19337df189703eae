//! Keys and signatures: ed25519, checked as strictly as the library can.

use std::fmt;
use std::str::FromStr;

use data_encoding::HEXLOWER;
use ed25519_dalek::{Signer as _, SigningKey, VerifyingKey};
use sealwright_kernel::Digest;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The id of a key: the SHA-256 of its 32 public bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KeyId(Digest);

/// The public half of a key pair.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

/// The private half of a key pair. `Debug` prints only its id, and its bytes are wiped when it is dropped.
#[derive(Clone)]
pub struct PrivateKey(SigningKey);

/// An ed25519 signature.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Signature([u8; 64]);

/// Bytes that are no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an ed25519 key")]
pub struct NotAKey;

/// A signature that was not made with this key over these bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the signature does not match the payload")]
pub struct BadSignature;

impl KeyId {
    pub fn digest(&self) -> Digest {
        self.0
    }
}

impl PublicKey {
    /// Parses a key; a weak key is rejected.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, NotAKey> {
        let key = VerifyingKey::from_bytes(bytes).map_err(|_| NotAKey)?;
        if key.is_weak() { Err(NotAKey) } else { Ok(Self(key)) }
    }

    pub fn to_bytes(&self) -> [u8; 32] {
        self.0.to_bytes()
    }

    pub fn id(&self) -> KeyId {
        KeyId(Digest::of(self.0.as_bytes()))
    }

    /// Whether `signature` was made over `message` with the other half. There is one signature for one message and
    /// key: a bent one that some libraries would let through is refused.
    pub fn check(&self, message: &[u8], signature: &Signature) -> Result<(), BadSignature> {
        let signature = ed25519_dalek::Signature::from_bytes(&signature.0);
        self.0.verify_strict(message, &signature).map_err(|_| BadSignature)
    }
}

impl PrivateKey {
    /// A new key, from the randomness of the operating system.
    pub fn make() -> Result<Self, std::io::Error> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(std::io::Error::other)?;
        Ok(Self::from_bytes(&seed))
    }

    pub fn from_bytes(seed: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(seed))
    }

    /// The seed, to store it.
    pub(crate) fn to_bytes(&self) -> [u8; 32] {
        self.0.to_bytes()
    }

    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    pub fn id(&self) -> KeyId {
        self.public().id()
    }

    /// Signs `message`. The same message gives the same signature.
    pub fn sign(&self, message: &[u8]) -> Signature {
        Signature(self.0.sign(message).to_bytes())
    }
}

impl Signature {
    /// The signature of these bytes, unchecked.
    pub fn from_bytes(bytes: [u8; 64]) -> Self {
        Self(bytes)
    }

    pub fn to_bytes(&self) -> [u8; 64] {
        self.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for KeyId {
    type Err = NotAKey;

    fn from_str(text: &str) -> Result<Self, NotAKey> {
        text.parse().map(Self).map_err(|_| NotAKey)
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PrivateKey({})", self.id())
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({})", HEXLOWER.encode(&self.to_bytes()))
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signature({})", HEXLOWER.encode(&self.0))
    }
}

impl Serialize for PublicKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&HEXLOWER.encode(&self.to_bytes()))
    }
}

impl<'de> Deserialize<'de> for PublicKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = bytes_in_hex(&String::deserialize(deserializer)?).map_err(D::Error::custom)?;
        Self::from_bytes(&bytes).map_err(D::Error::custom)
    }
}

impl Serialize for Signature {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&HEXLOWER.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Signature {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = bytes_in_hex(&String::deserialize(deserializer)?).map_err(D::Error::custom)?;
        Ok(Self(bytes))
    }
}

/// Decodes exactly `N` bytes of lower-case hex.
pub(crate) fn bytes_in_hex<const N: usize>(text: &str) -> Result<[u8; N], NotAKey> {
    let bytes = HEXLOWER.decode(text.as_bytes()).map_err(|_| NotAKey)?;
    bytes.try_into().map_err(|_| NotAKey)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8032, section 7.1, tests 1 and 2.
    #[test]
    fn the_published_vectors_hold() {
        let vectors = [
            (
                "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
                "",
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
            ),
            (
                "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
                "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
                "72",
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
            ),
        ];
        for (seed, public, message, signature) in vectors {
            let key = PrivateKey::from_bytes(&bytes_in_hex(seed).unwrap());
            assert_eq!(key.public().to_bytes(), bytes_in_hex(public).unwrap());
            let message = HEXLOWER.decode(message.as_bytes()).unwrap();
            let signed = key.sign(&message);
            assert_eq!(signed.to_bytes(), bytes_in_hex(signature).unwrap());
            assert_eq!(key.public().check(&message, &signed), Ok(()));
            assert_eq!(key.public().check(b"another", &signed), Err(BadSignature));
        }
    }

    #[test]
    fn every_changed_bit_of_a_signature_is_noticed() {
        let key = PrivateKey::from_bytes(&[7; 32]);
        let signed = key.sign(b"message");
        for at in 0..64 * 8 {
            let mut bent = signed.to_bytes();
            bent[at / 8] ^= 1 << (at % 8);
            let checked = key.public().check(b"message", &Signature::from_bytes(bent));
            assert_eq!(checked, Err(BadSignature), "bit {at}");
        }
    }

    #[test]
    fn a_key_that_signs_anything_is_no_key() {
        // The neutral point and the other points of small order.
        let weak = [
            "0100000000000000000000000000000000000000000000000000000000000000",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "0000000000000000000000000000000000000000000000000000000000000000",
        ];
        for key in weak {
            assert_eq!(PublicKey::from_bytes(&bytes_in_hex(key).unwrap()), Err(NotAKey));
        }
    }

    #[test]
    fn a_private_key_prints_as_its_name() {
        let key = PrivateKey::from_bytes(&[7; 32]);
        assert_eq!(format!("{key:?}"), format!("PrivateKey({})", key.id()));
        assert_ne!(PrivateKey::make().unwrap().id(), PrivateKey::make().unwrap().id());
    }
}
