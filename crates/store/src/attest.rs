//! Attestations: what the journal says, signed, so that it can be checked from a clone alone.
//!
//! ```text
//! record ──▶ statement (in-toto) ──▶ envelope (DSSE, ed25519) ──▶ .sealwright/store/attestations/<task>/
//!                                          ▲                ▲
//!                            private key in the chest    public key in .sealwright/keys, or pinned from outside
//! ```
//!
//! What a statement says is a pure function of the journal, so a missing or altered one is noticed by making it again.
//! Keys are bytes here; only [`Chest`] and [`Shelf`] touch a disk.

mod chest;
mod envelope;
mod key;
mod keyring;
mod shelf;
mod statement;
mod voucher;

pub use chest::{Chest, ChestError};
pub use envelope::{Envelope, EnvelopeError, IN_TOTO, pae};
pub use key::{BadSignature, KeyId, NotAKey, PrivateKey, PublicKey, Signature};
pub use keyring::{Flaw, Keyring, Refusal, Trust};
pub use shelf::{Kept, Put, Shelf, ShelfError};
pub use statement::{Digests, Frozen, Place, Statement, Subject};
pub use voucher::{Retirement, Voucher, VoucherError};
