//! Events: what an agent does, as it does it, in one vocabulary for all of them.

use serde::{Deserialize, Serialize};

use crate::Usage;

/// Something an agent did or said. Text is the agent's own and hostile; the reader of the stream bounds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Event {
    /// It said something.
    Text { text: String },
    /// It used a tool.
    ToolUse {
        /// The name the agent has for it.
        tool: String,
        deed: Deed,
        /// The command, the path, or whatever tells most of it.
        detail: String,
    },
    /// It says that it changed a file. What really changed is read from the view.
    FileChange { path: String },
    /// Tokens of this run so far.
    Usage { usage: Usage },
    /// It goes on with its conversation, which is so long and has this content.
    GoesOn { bytes: u64, digest: String },
    /// Something that a person should know and that ends nothing.
    Warning { text: String },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deed {
    Command,
    Edit,
    Read,
    /// One of ours, served to the role.
    Role,
    /// Anything else.
    Other,
}
