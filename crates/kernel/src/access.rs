//! Whether a role may change its work tree.

use serde::{Deserialize, Serialize};

/// What a role may do to the work tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    ReadOnly,
    /// Change the tree it holds the lease of.
    Write,
}
