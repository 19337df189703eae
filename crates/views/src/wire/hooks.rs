//! What `hooks` prints.

use serde::Serialize;

use super::{NonEmptyText, Printed};

/// The pre-push hook after the command. One value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HookReport {
    /// The path of the hook.
    pub hook: NonEmptyText,
    pub state: HookState,
}

/// Whether the hook was installed, was removed, or was not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum HookState {
    Installed,
    Removed,
    Absent,
}

impl Printed for HookReport {}
