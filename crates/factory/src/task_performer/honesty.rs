//! Honesty: what a candidate added, held against everything that was said about the task.

use sealwright_kernel::task::PartKind;

use super::agent_caller::AgentCaller;
use super::gate_inputs::GateInputs;
use super::{EffectContext, PerformError, TaskPerformer, run_gates};
use crate::gate_runner::honesty::Wanted;
use crate::gate_runner::{Candidate, Performed};
use crate::task_store::TaskStore;

impl<C: AgentCaller, S: TaskStore> TaskPerformer<C, S> {
    /// Looks at what a candidate added.
    pub(super) async fn honesty(
        &self,
        context: &EffectContext,
        inputs: &GateInputs,
        candidate: &Candidate,
    ) -> Result<Performed, PerformError> {
        let said = self.said(context, inputs).await?;
        let wanted = Wanted { said: &said, items: &inputs.contract.items };
        let judgement =
            self.gates.honesty(candidate, &inputs.toolchains, &wanted, &context.cancel).await?;
        Ok(run_gates::said(judgement))
    }

    /// Everything that was said about what is wanted.
    async fn said(
        &self,
        context: &EffectContext,
        inputs: &GateInputs,
    ) -> Result<String, PerformError> {
        let mut said = context.criteria_text();
        said.push_str(&inputs.contract.contract);
        let parts = context.known.bundle.iter().flat_map(|bundle| &bundle.parts);
        for one in parts.filter(|one| one.kind != PartKind::Contract) {
            said.push_str(&String::from_utf8_lossy(&self.store.blobs().find(&one.content).await?));
        }
        said.push_str(&String::from_utf8_lossy(
            &self.store.blobs().find(&context.known.charter.text).await?,
        ));
        Ok(said)
    }
}
