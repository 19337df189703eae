//! Checks that amendments of an arbiter were applied, by comparing files: nobody is asked again.

use sealwright_gates::Judgement;
use sealwright_kernel::Digest;
use sealwright_kernel::task::Report;

use super::agent_caller::AgentCaller;
use super::run_gates::without_runs;
use super::{EffectContext, EffectResult, PerformError, PerformResult, TaskPerformer};
use crate::role_calls::Amendment;
use crate::task_store::TaskStore;

impl<C: AgentCaller, S: TaskStore> TaskPerformer<C, S> {
    pub(super) async fn check_amendments(
        &self,
        context: &EffectContext,
        amendments: &[String],
        digest: Digest,
    ) -> PerformResult {
        let records = context.data.evidence.iter().rev();
        let adjudicated = records.into_iter().find(|record| record.subject == ADJUDICATION);
        let Some(adjudicated) = adjudicated else { return Err(PerformError::NoTask) };
        let before = self.tree(context, adjudicated.evidence.tree).await?;
        let now = self.tree(context, digest).await?;
        let mut missing = Vec::new();
        for text in amendments {
            let is_applied = match Amendment::parse(text) {
                Some(amendment) => {
                    let path = amendment.path();
                    let before = self.trees.read(&context.base, &before, path).await?;
                    let now = self.trees.read(&context.base, &now, path).await?;
                    amendment.is_applied(before.as_deref(), now.as_deref())
                }
                None => false,
            };
            if !is_applied {
                missing.push(text.clone());
            }
        }
        let judgement = if missing.is_empty() {
            Judgement::pass()
        } else {
            Judgement::fail(missing.iter().map(|it| format!("not applied: {it}")).collect())
        };
        let performed = without_runs(judgement);
        let stored = self.store(&performed, "amendments", digest).await?;
        let report = Report::AmendmentsChecked {
            evidence: stored.evidence,
            verdict: performed.judgement.verdict,
            missing,
        };
        Ok(EffectResult::machine(context, report).resting_on(stored.blobs))
    }
}

/// The subject of an adjudication in the evidence.
const ADJUDICATION: &str = "adjudication";
