//! What `allow` prints.

use serde::Serialize;

use super::Printed;

/// What the repository names that a person has to allow. One value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AllowReport {
    pub items: Vec<AllowedItem>,
    /// Whether `SEALWRIGHT_ALLOW` names a folder that the repository is in.
    pub by_environment: bool,
}

/// A setting or a file, and whether it takes effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AllowedItem {
    /// The setting as the file names it, or the path of a file.
    pub name: String,
    /// The value of a setting, or the SHA-256 of a file.
    pub value: String,
    pub allowed: bool,
}

impl Printed for AllowReport {}
