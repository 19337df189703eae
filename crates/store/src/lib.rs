//! The journal and the write-once artifacts.
//!
//! The journal is the only truth: append-only, hash-chained streams, one per aggregate.
//! Everything else on disk is a view or a cache of it. Nothing here deletes or overwrites
//! what was accepted; what a crash left unfinished is dropped and the dropping recorded.
//!
//! [`Journal`] is the border. [`FileJournal`] keeps streams as plain files in the
//! repository; a fleet brings its own and passes the same [`contract`].

mod anchor;
pub mod attest;
mod blobs;
mod catalog;
#[cfg(feature = "testing")]
pub mod contract;
pub mod disk;
mod error;
mod files;
mod journal;
mod layout;
mod proof_file;
mod record;
mod snapshot;
pub mod state_store;
mod tree;
mod verify;

pub use anchor::{Anchor, Head};
pub use blobs::{BlobError, Blobs, read_blob, read_blob_text};
pub use catalog::{Catalog, Condition, Details, Rows, StreamSummary};
pub use error::{Damage, JournalError, Why};
pub use files::{FileJournal, FileWriter, Follower};
pub use journal::{Each, Journal, Writer};
pub use layout::{COMMITTED_BYTES_MAX, Layout};
pub use proof_file::{ProofError, ProofFile};
pub use record::{BlobRef, Draft, Entry, Note, Record};
pub use snapshot::Snapshot;
pub use tree::{Leaf, LeafKind, Leaves, Tree, digest_of_leaves};
pub use verify::{Finding, Verified, in_parallel, verify};
