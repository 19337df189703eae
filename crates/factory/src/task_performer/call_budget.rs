//! The purse: what one call of a role may cost, and the receipt it leaves.
//!
//! A call may cost what the least of three leaves it: the budget of a call, what is left of the task's, what is left of
//! the project's. Its receipt is durable before its answer is used, so that nothing is earned that was not paid for. A
//! process that is killed in the middle of a call leaves no receipt: what such a call cost, only its maker knows.

use std::time::Duration;

use sealwright_agents::{CallOutcome, End};
use sealwright_kernel::task::{Budget, CallEnd, Input, Receipt, Rejected, Task};
use sealwright_kernel::{Actor, Cost, Digest, InvocationId};

use super::agent_caller::{AgentCaller, CallResult};
use super::call::CallSpec;
use super::{EffectContext, PerformError, TaskPerformer};
use crate::task_store::TaskStore;
use sealwright_host::{Answer, ReportError, replay};

impl<C: AgentCaller, S: TaskStore> TaskPerformer<C, S> {
    /// What the next call may cost, or what forbids it.
    pub(super) async fn allowance(
        &self,
        context: &EffectContext,
    ) -> Result<sealwright_agents::Budget, PerformError> {
        let folded = replay::<Task, _>(self.store.journal(), context.task.stream(), None).await?;
        let known = folded.machine.data().ok_or(PerformError::NoTask)?;
        let spent = known.spending.all().cost;
        if known.out_of_budget().is_some() {
            let told = known.charter.budget.unwrap_or_default().describe(spent);
            return Err(PerformError::TaskBudget { told });
        }
        let task = known.charter.budget.unwrap_or_default().without(spent);
        let project = self.left_of_project().await?;
        Ok(of_call(self.config.invocation_budget.bounds(), task.and(project)))
    }

    /// What is left of the project's budget. Without one nothing is looked up.
    async fn left_of_project(&self) -> Result<Budget, PerformError> {
        let budget = self.config.project_budget.bounds();
        if budget.is_boundless() {
            return Ok(budget);
        }
        let store = self.store.clone();
        let spent = tokio::task::spawn_blocking(move || store.project_spent());
        left_of(budget, spent.await.map_err(|_| PerformError::Died)?.map_err(Box::new)?)
    }

    /// Adds what the task has cost to the project's running total, if the project has a budget.
    async fn count(&self, context: &EffectContext) {
        if self.config.project_budget.bounds().is_boundless() {
            return;
        }
        let folded = replay::<Task, _>(self.store.journal(), context.task.stream(), None).await;
        if let Some(data) = folded.ok().as_ref().and_then(|folded| folded.machine.data()) {
            self.store.spent(&context.task, data.spending.all().cost);
        }
    }

    /// Makes the receipt of a call durable, and gives the name of the call.
    pub(super) async fn record(
        &self,
        context: &EffectContext,
        spec: &CallSpec,
        again: u32,
        answered: &CallResult,
    ) -> Result<InvocationId, PerformError> {
        let mut wait = RECORD_WAIT;
        for _ in 0..RECORDS_MAX {
            let receipt = spec.receipt(again, answered)?;
            let invocation = receipt.invocation;
            let input = Input::Spend { receipt };
            let answer = Answer { input, actor: Actor::Machine, blobs: Vec::new() };
            match context.reports.report(answer).await {
                Ok(()) => {
                    self.count(context).await;
                    return Ok(invocation);
                }
                // Two words that nobody guesses were alike in the part that names a call.
                Err(ReportError::Rejected(Rejected::SpentBefore { .. })) => {}
                // Nobody is left who could be told, and nobody uses the answer.
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
        Err(PerformError::Unrecorded { why: "the journal cannot be written".to_owned() })
    }
}

impl CallSpec {
    fn receipt(&self, again: u32, answered: &CallResult) -> Result<Receipt, PerformError> {
        // Another real call, even of the same try, costs again and is called otherwise.
        let word = sealwright_agents::random_word::word()?;
        let digest = Digest::of(format!("{}/{again}/{word}", self.effect).as_bytes()).to_string();
        let number = u32::from_str_radix(&digest[..8], 16).unwrap_or_default();
        Ok(Receipt {
            invocation: InvocationId::new(number),
            effect: self.effect.clone(),
            part: self.key.name().to_owned(),
            role: self.role,
            agent: shortened(&answered.agent),
            model: shortened(&answered.model),
            cost: cost_of(&answered.outcome),
            turns: answered.outcome.spent.turns,
            end: end_of(&answered.outcome.end),
        })
    }
}

/// What a call cost, as the task keeps it.
pub(super) fn cost_of(outcome: &CallOutcome) -> Cost {
    Cost {
        millis: outcome.spent.wall_ms,
        tokens: outcome.spent.usage.total(),
        micro_dollars: outcome.spent.micro_dollars.unwrap_or_default(),
    }
}

/// How long a model's owner asks to be left alone.
pub(super) fn patience(retry_after_s: Option<u64>) -> Duration {
    retry_after_s.map_or(RETRY_AFTER, Duration::from_secs)
}

fn left_of(project: Budget, spent: Cost) -> Result<Budget, PerformError> {
    match project.reached(spent) {
        Some(_) => Err(PerformError::ProjectBudget { told: project.describe(spent) }),
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

/// How often a receipt is offered while the disk does not take it, some minutes in all.
const RECORDS_MAX: u32 = 12;
const RECORD_WAIT: Duration = Duration::from_millis(200);
const RECORD_WAIT_MAX: Duration = Duration::from_secs(30);
/// A character has four bytes at most.
const NAME_CHARS_MAX: usize = 64;
/// What is waited where nobody says how long.
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
        // What people set for a call goes beyond what is usual, if they say so.
        let long = of_call(budget(None, None, Some(7_200_000)), Budget::default());
        assert_eq!(long.wall_ms_max, 7_200_000);
    }

    #[test]
    fn a_project_without_money_begins_nothing_and_says_so() {
        let project = Budget { micro_dollars: Some(5_000_000), ..Budget::default() };
        let spent = |micro_dollars| Cost { micro_dollars, ..Cost::default() };
        let left = left_of(project, spent(4_000_000)).unwrap();
        assert_eq!(left.micro_dollars, Some(1_000_000));
        let told = left_of(project, spent(5_020_000)).unwrap_err().to_string();
        assert_eq!(
            told,
            "the budget of the project is reached: $5.02 of $5.00; raise [budget.project] in \
             sealwright.toml, and run it again"
        );
    }

    #[test]
    fn patience_is_as_long_as_it_was_asked_for() {
        assert_eq!(patience(Some(7)), Duration::from_secs(7));
        assert_eq!(patience(None), Duration::from_secs(60));
    }
}
