//! Attestations: what the journal says, signed, so that it can be checked from a clone alone.
//!
//! ```text
//! record ──▶ statement (in-toto) ──▶ envelope (DSSE, ed25519) ──▶ .sealwright/store/attestations/<task>/
//!                                          ▲                ▲
//!                            private key in the private_keys    public key in .sealwright/keys, or pinned from outside
//! ```
//!
//! What a statement says is a pure function of the journal, so a missing or altered one is noticed by making it again.
//! A person signs with a key of their own; see [`person`]. Keys are bytes here; only [`PrivateKeys`] and [`AttestationDir`] touch a disk.

mod attestation_dir;
mod envelope;
mod key;
mod key_record;
mod keyring;
pub mod keys;
pub mod person;
mod private_keys;
mod statement;
pub mod task_statements;

pub use attestation_dir::{AttestationDir, AttestationDirError, Kept, Put};
pub use envelope::{Envelope, EnvelopeError, IN_TOTO, pae};
pub use key::{BadSignature, KeyId, NotAKey, PrivateKey, PublicKey, Signature};
pub use key_record::{KeyRecord, KeyRecordError, Retirement};
pub use keyring::{Flaw, Keyring, Refusal, Trust};
pub use private_keys::{PrivateKeys, PrivateKeysError};
pub use statement::{Digests, Frozen, RecordRef, Statement, Subject};
