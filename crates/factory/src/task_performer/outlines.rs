//! Outlines of files of a candidate.

use sealwright_gates::Toolchain;
use sealwright_gates::toolchain::{Outline, Unread};

use super::agent_caller::AgentCaller;
use super::{EffectContext, PerformError, TaskPerformer};
use crate::gate_runner::Candidate;
use crate::task_store::TaskStore;

impl<C: AgentCaller, S: TaskStore> TaskPerformer<C, S> {
    /// The outlines of these files with the frozen files in place, and for each file without an outline, why.
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
