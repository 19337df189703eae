//! The honesty check: compares what a candidate added with the texts of the task.

use sealwright_kernel::task::PartKind;

use super::agent_caller::AgentCaller;
use super::gate_inputs::GateInputs;
use super::{EffectContext, PerformError, TaskPerformer, run_gates};
use crate::gate_runner::honesty::Wanted;
use crate::gate_runner::{Candidate, Performed};
use crate::task_store::TaskStore;

impl<C: AgentCaller, S: TaskStore> TaskPerformer<C, S> {
    pub(super) async fn honesty(
        &self,
        context: &EffectContext,
        inputs: &GateInputs,
        candidate: &Candidate,
    ) -> Result<Performed, PerformError> {
        let texts = self.task_texts(context, inputs).await?;
        let wanted = Wanted { said: &texts, items: &inputs.contract.items };
        let judgement =
            self.gates.honesty(candidate, &inputs.toolchains, &wanted, &context.cancel).await?;
        Ok(run_gates::without_runs(judgement))
    }

    /// The criteria, the contract, the other frozen parts and the text of the task.
    async fn task_texts(
        &self,
        context: &EffectContext,
        inputs: &GateInputs,
    ) -> Result<String, PerformError> {
        let mut texts = context.criteria_text();
        texts.push_str(&inputs.contract.contract);
        let parts = context.data.bundle.iter().flat_map(|bundle| &bundle.parts);
        for one in parts.filter(|one| one.kind != PartKind::Contract) {
            texts.push_str(&String::from_utf8_lossy(&self.store.blobs().find(&one.content).await?));
        }
        texts.push_str(&String::from_utf8_lossy(
            &self.store.blobs().find(&context.data.charter.text).await?,
        ));
        Ok(texts)
    }
}
