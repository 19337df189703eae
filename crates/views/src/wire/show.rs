//! What `show` prints.

use serde::Serialize;
use serde_json::Value;

use super::{Head, Phase, Printed, Question, Status, TaskId};

/// One task. One value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaskView {
    pub task: TaskId,
    pub status: Status,
    pub phase: Option<Phase>,
    pub head: Head,
    pub question: Option<Question>,
    /// The halt that waits for a resolution, with everything that is needed to decide: the content of its file in
    /// `.sealwright/escalations`. Null while nothing is halted.
    pub escalation: Option<MachineState>,
    pub state: MachineState,
}

/// The folded machine. Its shape follows the rules of this version and is not stable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("type" = "object")))]
pub struct MachineState(pub Value);

impl Printed for TaskView {}
