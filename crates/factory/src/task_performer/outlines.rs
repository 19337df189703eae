//! Outlines: what stands in files of a task's candidate.

use sealwright_gates::Toolchain;
use sealwright_gates::toolchain::{Outline, Unread};

use super::agent_caller::AgentCaller;
use super::{EffectContext, PerformError, TaskPerformer};
use crate::gate_runner::Candidate;
use crate::task_store::TaskStore;

impl<C: AgentCaller, S: TaskStore> TaskPerformer<C, S> {
    /// The outlines of these files of a candidate, as everything frozen lies over it, and of those that have none, why.
    pub(super) async fn outlines(
        &self,
        context: &EffectContext,
        candidate: &Candidate,
        toolchain: Toolchain,
        paths: &[String],
    ) -> Result<(Vec<Outline>, Vec<Unread>), PerformError> {
        Ok(self.gates.outlines(candidate, toolchain, paths, &context.cancel).await?)
    }
}
