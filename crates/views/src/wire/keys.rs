//! What `keys` prints.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Digest, Head, NonEmptyText, Printed, Signature, TaskId, Timestamp};

/// Keys, the result of `sign`, or the lines of `export`. One value per line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum KeysLine {
    Key(KeyRow),
    Signed(SignReport),
    Exported(ExportedKey),
    ExportedRetirement(ExportedRetirement),
}

/// A key of the repository, as `list`, `new`, `trust` and `retire` print it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KeyRow {
    /// The key id: the SHA-256 of the 32 public bytes.
    pub key: Digest,
    /// The owner of the installation that signs with it.
    pub owner: NonEmptyText,
    /// The person who added it.
    pub by: NonEmptyText,
    /// When it was added.
    pub at: Timestamp,
    /// The key that vouches for it.
    pub voucher: Digest,
    /// Its retirement, if it is retired.
    pub retired: Option<RetiredKey>,
    pub home: KeyHome,
}

/// When a key was retired, and by whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RetiredKey {
    pub at: Timestamp,
    pub by: NonEmptyText,
}

/// Whether this installation signs with the key, did so earlier, or another installation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum KeyHome {
    Here,
    HereOnce,
    Elsewhere,
}

/// The result of `sign`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignReport {
    pub task: TaskId,
    /// The key that signed.
    pub key: Digest,
    /// The number of new signed statements.
    pub written: u64,
    /// The number of statements that were signed already.
    pub kept: u64,
}

/// A key with its voucher, as `export` prints it. The line is the file that the store keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExportedKey {
    /// When it was added.
    pub at: Timestamp,
    /// The person who added it.
    pub by: NonEmptyText,
    /// The 32 public bytes, in hex.
    pub ed25519: Digest,
    /// The key id.
    pub key: Digest,
    /// The owner of the installation that signs with it.
    pub owner: NonEmptyText,
    pub signature: Signature,
    /// The key that signed this line.
    pub voucher: Digest,
}

/// The retirement of a key, as `export` prints it. The line is the file that the store keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExportedRetirement {
    /// When it was retired.
    pub at: Timestamp,
    /// The person who retired it.
    pub by: NonEmptyText,
    /// For each stream, the last record up to which signatures of the key count.
    #[cfg_attr(
        feature = "schema",
        schemars(extend("propertyNames" = serde_json::json!({
            "pattern": "^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9])?$",
        })))
    )]
    pub heads: BTreeMap<String, Head>,
    /// The key id.
    pub key: Digest,
    pub signature: Signature,
    /// The key that signed this line.
    pub voucher: Digest,
}

impl Printed for KeysLine {}
