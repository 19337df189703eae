//! Envelopes: DSSE, the form in which a signed payload travels.
//!
//! What is signed is not the JSON around a payload but its pre-authentication encoding, so no reader has to agree with
//! another about spaces and escapes. An envelope of ours has one form all the same, down to the last byte: what is
//! kept in a repository is either that or has been changed.

use data_encoding::BASE64;
use sealwright_kernel::canonical_json;
use serde::{Deserialize, Serialize};

use super::{BadSignature, KeyId, PrivateKey, PublicKey, Signature};

/// The type of a payload that is an in-toto statement.
pub const IN_TOTO: &str = "application/vnd.in-toto+json";

/// A payload under one signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    pub payload_type: String,
    pub payload: Vec<u8>,
    pub key: KeyId,
    pub signature: Signature,
}

/// Why an envelope is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    /// It cannot be read as one.
    #[error("not a DSSE envelope: {why}")]
    NotAnEnvelope { why: String },
    /// It says the same in other bytes than it was written in.
    #[error("not in canonical form")]
    OtherForm,
    /// The payload is something else.
    #[error("unexpected payload type `{found}`")]
    OtherType { found: String },
    /// The signature does not hold.
    #[error(transparent)]
    Signature(#[from] BadSignature),
}

/// What is signed: the type and the payload, each behind its length.
pub fn pae(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let mut bytes = format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len());
    bytes.reserve(payload.len());
    let mut bytes = bytes.into_bytes();
    bytes.extend(payload);
    bytes
}

impl Envelope {
    pub fn sign(payload_type: &str, payload: Vec<u8>, key: &PrivateKey) -> Self {
        let signature = key.sign(&pae(payload_type, &payload));
        Self { payload_type: payload_type.to_owned(), payload, key: key.id(), signature }
    }

    /// Whether its signature is one of `key` over its payload, and the payload of that type.
    pub fn check(&self, payload_type: &str, key: &PublicKey) -> Result<(), EnvelopeError> {
        if self.payload_type != payload_type {
            return Err(EnvelopeError::OtherType { found: self.payload_type.clone() });
        }
        Ok(key.check(&pae(&self.payload_type, &self.payload), &self.signature)?)
    }

    /// The canonical form: canonical JSON and a line feed.
    pub fn to_bytes(&self) -> Vec<u8> {
        let wire = Wire {
            payload: BASE64.encode(&self.payload),
            payload_type: self.payload_type.clone(),
            signatures: vec![WireSignature {
                keyid: self.key.to_string(),
                sig: BASE64.encode(&self.signature.to_bytes()),
            }],
        };
        let mut bytes = canonical_json(&wire).expect("strings in known members are canonical");
        bytes.push(b'\n');
        bytes
    }

    /// Parses the canonical form. The signature is not checked.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, EnvelopeError> {
        let envelope = Self::from_any_form(bytes)?;
        if envelope.to_bytes() != bytes {
            return Err(EnvelopeError::OtherForm);
        }
        Ok(envelope)
    }

    /// Reads an envelope of another program, in any JSON form, with one signature.
    pub fn from_any_form(bytes: &[u8]) -> Result<Self, EnvelopeError> {
        let no = |why: &str| EnvelopeError::NotAnEnvelope { why: why.to_owned() };
        let wire: Wire = serde_json::from_slice(bytes)
            .map_err(|error| EnvelopeError::NotAnEnvelope { why: error.to_string() })?;
        let payload = BASE64.decode(wire.payload.as_bytes()).map_err(|_| no("its payload"))?;
        let [signed] = wire.signatures.as_slice() else {
            return Err(no("it has not exactly one signature"));
        };
        let signature = BASE64.decode(signed.sig.as_bytes()).map_err(|_| no("its signature"))?;
        let signature = signature.try_into().map_err(|_| no("its signature is not 64 bytes"))?;
        let key = signed.keyid.parse().map_err(|_| no("its key has no name of ours"))?;
        let signature = Signature::from_bytes(signature);
        Ok(Self { payload_type: wire.payload_type, payload, key, signature })
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    payload: String,
    #[serde(rename = "payloadType")]
    payload_type: String,
    signatures: Vec<WireSignature>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireSignature {
    keyid: String,
    sig: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> PrivateKey {
        PrivateKey::from_bytes(&[7; 32])
    }

    /// The example of the protocol, and its edges: lengths count bytes.
    #[test]
    fn what_is_signed_is_what_the_protocol_publishes() {
        let hello = "http://example.com/HelloWorld";
        assert_eq!(
            pae(hello, b"hello world"),
            b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
        );
        assert_eq!(pae("", b""), b"DSSEv1 0  0 ");
        assert_eq!(pae(hello, "ಠ".as_bytes()), format!("DSSEv1 29 {hello} 3 ಠ").as_bytes());
    }

    #[test]
    fn an_envelope_reads_back_and_holds() {
        let sealed = Envelope::sign(IN_TOTO, b"{}".to_vec(), &key());
        let read = Envelope::from_bytes(&sealed.to_bytes()).unwrap();
        assert_eq!(read, sealed);
        assert_eq!(read.check(IN_TOTO, &key().public()), Ok(()));
        let other = PrivateKey::from_bytes(&[8; 32]).public();
        assert_eq!(read.check(IN_TOTO, &other), Err(EnvelopeError::Signature(BadSignature)));
        assert!(matches!(
            read.check("text/plain", &key().public()),
            Err(EnvelopeError::OtherType { .. })
        ));
    }

    #[test]
    fn every_changed_bit_of_an_envelope_is_noticed() {
        let bytes = Envelope::sign(IN_TOTO, b"{\"a\":1}".to_vec(), &key()).to_bytes();
        for at in 0..bytes.len() * 8 {
            let mut bent = bytes.clone();
            bent[at / 8] ^= 1 << (at % 8);
            let held = Envelope::from_bytes(&bent).is_ok_and(|envelope| {
                envelope.key == key().id() && envelope.check(IN_TOTO, &key().public()).is_ok()
            });
            assert!(!held, "bit {at} changed and nobody saw it");
        }
    }

    #[test]
    fn the_same_in_other_words_is_another_form() {
        let text =
            String::from_utf8(Envelope::sign("t", b"x".to_vec(), &key()).to_bytes()).unwrap();
        let spaced = text.replace(",\"payloadType\"", ", \"payloadType\"");
        assert_eq!(Envelope::from_bytes(spaced.as_bytes()), Err(EnvelopeError::OtherForm));
        assert!(Envelope::from_any_form(spaced.as_bytes()).is_ok());
        let twice =
            text.replace("\"signatures\":[", "\"signatures\":[{\"keyid\":\"\",\"sig\":\"\"},");
        assert!(Envelope::from_any_form(twice.as_bytes()).is_err());
    }
}
