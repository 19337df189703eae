//! The budget of one call of a role, and its receipt.
//!
//! A call may spend the least of three amounts: the budget of a call, the rest of the task's, the rest of the
//! project's. Its receipt is durable before its answer is used. A process killed during a call leaves no receipt; only
//! the provider knows what that call cost.

use std::time::Duration;

use sealwright_agents::{CallOutcome, End};
use sealwright_kernel::task::{Budget, CallEnd, Input, Receipt, Rejected, Task, WayOut};
use sealwright_kernel::{Actor, Cost, Digest, InvocationId};
use sealwright_sandbox::egress::Log;
use sealwright_sandbox::egress::log::RequestOutcome;
use sealwright_store::BlobRef;

use super::agent_caller::{AgentCaller, CallResult};
use super::call::CallSpec;
use super::{EffectContext, PerformError, PerformResult, TaskPerformer};
use crate::task_store::TaskStore;
use sealwright_host::{Answer, ReportError, replay};

impl<C: AgentCaller, S: TaskStore> TaskPerformer<C, S> {
    /// The budget of the next call, or the budget that forbids it.
    pub(super) async fn allowance(
        &self,
        context: &EffectContext,
    ) -> PerformResult<sealwright_agents::Budget> {
        let folded = replay::<Task, _>(self.store.journal(), context.task.stream(), None).await?;
        let data = folded.machine.data().ok_or(PerformError::NoTask)?;
        let spent = data.spending.all().cost;
        if data.out_of_budget().is_some() {
            let spent = data.charter.budget.unwrap_or_default().describe(spent);
            return Err(PerformError::TaskBudget { spent });
        }
        let task = data.charter.budget.unwrap_or_default().without(spent);
        let project = self.left_of_project().await?;
        Ok(of_call(self.config.invocation_budget.bounds(), task.and(project)))
    }

    /// The rest of the project's budget. Without a budget nothing is read.
    async fn left_of_project(&self) -> PerformResult<Budget> {
        let budget = self.config.project_budget.bounds();
        if budget.is_boundless() {
            return Ok(budget);
        }
        let store = self.store.clone();
        let spent = tokio::task::spawn_blocking(move || store.project_spent());
        left_of(budget, spent.await.map_err(|_| PerformError::Died)?.map_err(Box::new)?)
    }

    /// Adds the task's cost to the project's running total, if the project has a budget.
    async fn count(&self, context: &EffectContext) {
        if self.config.project_budget.bounds().is_boundless() {
            return;
        }
        let folded = replay::<Task, _>(self.store.journal(), context.task.stream(), None).await;
        if let Some(data) = folded.ok().as_ref().and_then(|folded| folded.machine.data()) {
            self.store.spent(&context.task, data.spending.all().cost);
        }
    }

    /// Records the receipt of a call and returns the call's id.
    pub(super) async fn record(
        &self,
        context: &EffectContext,
        spec: &CallSpec,
        again: u32,
        answered: &CallResult,
    ) -> PerformResult<InvocationId> {
        let mut wait = RECORD_WAIT;
        for _ in 0..RECORDS_MAX {
            let Ok((way_out, blobs)) = self.keep_way_out(&answered.outcome.way_out).await else {
                tokio::time::sleep(wait).await;
                wait = wait.saturating_mul(2).min(RECORD_WAIT_MAX);
                continue;
            };
            let receipt = Receipt { way_out, ..spec.receipt(again, answered)? };
            let invocation = receipt.invocation;
            let input = Input::Spend { receipt };
            let answer = Answer { input, actor: Actor::Machine, blobs };
            match context.reports.report(answer).await {
                Ok(()) => {
                    self.count(context).await;
                    return Ok(invocation);
                }
                // The random id was taken already; try another.
                Err(ReportError::Rejected(Rejected::SpentBefore { .. })) => {}
                // The task is over; its answer is not used.
                Err(ReportError::Rejected(Rejected::Over)) => return Ok(invocation),
                Err(ReportError::NotDurable { .. }) => {
                    tokio::time::sleep(wait).await;
                    wait = wait.saturating_mul(2).min(RECORD_WAIT_MAX);
                }
                Err(error @ (ReportError::Rejected(_) | ReportError::Forged)) => {
                    return Err(PerformError::Unrecorded { why: error.to_string() });
                }
                Err(ReportError::Stopped) => return Err(PerformError::Cancelled),
            }
        }
        Err(PerformError::Unrecorded { why: "cannot write the journal".to_owned() })
    }

    /// Keeps the log of what a call asked for outside of its sandbox.
    async fn keep_way_out(&self, log: &Log) -> PerformResult<(Option<WayOut>, Vec<BlobRef>)> {
        if *log == Log::default() {
            return Ok((None, Vec::new()));
        }
        let blob = self.keep(log.canonical().map_err(std::io::Error::other)?).await?;
        let mut way_out =
            WayOut { log: blob.sha256, let_through: 0, refused: log.refusals_dropped };
        for entry in &log.entries {
            match entry.outcome {
                RequestOutcome::Refused { .. } => {
                    way_out.refused = way_out.refused.saturating_add(1);
                }
                _ => way_out.let_through = way_out.let_through.saturating_add(1),
            }
        }
        Ok((Some(way_out), vec![blob]))
    }
}

impl CallSpec {
    fn receipt(&self, again: u32, answered: &CallResult) -> PerformResult<Receipt> {
        // The random word makes the id unique: another real call, even of the same try, costs again.
        let word = sealwright_agents::random_word::word()?;
        let digest = Digest::of(format!("{}/{again}/{word}", self.effect).as_bytes()).to_string();
        let number = u32::from_str_radix(&digest[..8], 16).unwrap_or_default();
        Ok(Receipt {
            invocation: InvocationId::new(number),
            effect: self.effect.clone(),
            part: self.name().to_owned(),
            role: self.role(),
            agent: shortened(&answered.agent),
            model: shortened(&answered.model),
            cost: cost_of(&answered.outcome),
            turns: answered.outcome.spent.turns,
            end: end_of(&answered.outcome.end),
            way_out: None,
        })
    }
}

pub(super) fn cost_of(outcome: &CallOutcome) -> Cost {
    Cost {
        millis: outcome.spent.wall_ms,
        tokens: outcome.spent.usage.total(),
        micro_dollars: outcome.spent.micro_dollars.unwrap_or_default(),
    }
}

/// How long the provider asks to wait.
pub(super) fn retry_wait(retry_after_s: Option<u64>) -> Duration {
    retry_after_s.map_or(RETRY_AFTER, Duration::from_secs)
}

fn left_of(project: Budget, spent: Cost) -> PerformResult<Budget> {
    match project.reached(spent) {
        Some(_) => Err(PerformError::ProjectBudget { spent: project.describe(spent) }),
        None => Ok(project.without(spent)),
    }
}

fn of_call(call: Budget, left: Budget) -> sealwright_agents::Budget {
    let usual = sealwright_agents::Budget::default();
    let least = Budget { millis: call.millis.or(Some(usual.wall_ms_max)), ..call }.and(left);
    sealwright_agents::Budget {
        micro_dollars_max: least.micro_dollars,
        tokens_max: least.tokens,
        turns_max: usual.turns_max,
        wall_ms_max: least.millis.unwrap_or(usual.wall_ms_max),
    }
}

fn end_of(end: &End) -> CallEnd {
    match end {
        End::Answered { .. } => CallEnd::Answered,
        End::GaveUp { .. } => CallEnd::GaveUp,
        End::OutOfBudget { .. } => CallEnd::OutOfBudget,
        End::RateLimited { .. } => CallEnd::RateLimited,
        End::Cancelled => CallEnd::Cancelled,
        End::Failed { .. } => CallEnd::Failed,
    }
}

fn shortened(name: &str) -> String {
    name.chars().take(NAME_CHARS_MAX).collect()
}

/// Retries of a receipt while the disk refuses it, a few minutes in total.
const RECORDS_MAX: u32 = 12;
const RECORD_WAIT: Duration = Duration::from_millis(200);
const RECORD_WAIT_MAX: Duration = Duration::from_secs(30);
/// At most four bytes per character.
const NAME_CHARS_MAX: usize = 64;
/// The wait if the provider names none.
const RETRY_AFTER: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_may_cost_what_the_least_leaves_it() {
        let budget = |micro_dollars, tokens, millis| Budget { micro_dollars, tokens, millis };
        let call = of_call(budget(Some(5), None, None), budget(Some(3), Some(70), Some(90_000)));
        assert_eq!((call.micro_dollars_max, call.tokens_max), (Some(3), Some(70)));
        assert_eq!((call.turns_max, call.wall_ms_max), (None, 90_000));
        let boundless = of_call(Budget::default(), Budget::default());
        assert_eq!(boundless, sealwright_agents::Budget::default());
        // A configured limit may exceed the default.
        let long = of_call(budget(None, None, Some(7_200_000)), Budget::default());
        assert_eq!(long.wall_ms_max, 7_200_000);
    }

    #[test]
    fn a_project_whose_budget_is_reached_starts_no_call() {
        let project = Budget { micro_dollars: Some(5_000_000), ..Budget::default() };
        let spent = |micro_dollars| Cost { micro_dollars, ..Cost::default() };
        let left = left_of(project, spent(4_000_000)).unwrap();
        assert_eq!(left.micro_dollars, Some(1_000_000));
        let message = left_of(project, spent(5_020_000)).unwrap_err().to_string();
        assert_eq!(
            message,
            "project budget reached: $5.02 of $5.00; raise [budget.project] in sealwright.toml and run again"
        );
    }

    #[test]
    fn the_wait_is_as_long_as_the_provider_asks() {
        assert_eq!(retry_wait(Some(7)), Duration::from_secs(7));
        assert_eq!(retry_wait(None), Duration::from_secs(60));
    }
}
