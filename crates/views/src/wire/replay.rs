//! What `replay` prints.

use serde::Serialize;
use serde_json::Value;

use super::{Head, Printed, StreamId};

/// The state of a stream. One value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReplayedStream {
    pub stream: StreamId,
    /// The kind of the machine that owns the stream.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[a-z][a-z_-]*$")))]
    pub aggregate: String,
    pub head: Head,
    pub state: ReplayedState,
}

/// The folded machine. Its shape follows the rules of this version and is not stable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("type" = ["object", "string"])))]
pub struct ReplayedState(pub Value);

impl Printed for ReplayedStream {}
