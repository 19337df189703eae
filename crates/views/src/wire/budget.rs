//! What `budget` prints: the cost of a task, role by role.

use sealwright_kernel::task::{Budget, Total};
use serde::Serialize;

use super::{Head, Phase, Printed, Question, RoleName, Status, TaskId};
use crate::cost_report::Bill;

/// The cost of one task; after a raise, with the new budget. One value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BudgetReport {
    pub task: TaskId,
    pub status: Status,
    pub phase: Option<Phase>,
    pub head: Head,
    /// The cost of each role that was called.
    pub roles: Vec<RoleCosts>,
    /// The cost of all roles.
    pub all: CallCosts,
    /// The budget, if there is one.
    pub budget: Option<CostLimits>,
    pub gates: GateCounts,
    /// Model turns that belong to no role.
    pub engine_turns: u64,
    pub question: Option<Question>,
}

/// The cost of a task so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CostReport {
    /// The cost of each role that was called.
    pub roles: Vec<RoleCosts>,
    /// The cost of all roles.
    pub all: CallCosts,
    /// The budget, if there is one.
    pub budget: Option<CostLimits>,
    pub gates: GateCounts,
    /// Model turns that belong to no role.
    pub engine_turns: u64,
}

/// The cost of the calls of one role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RoleCosts {
    pub role: RoleName,
    /// The number of calls.
    pub calls: u32,
    /// The calls whose price is zero or unknown.
    pub unpriced: u32,
    /// Money, in millionths of a dollar, as far as prices are known.
    pub micro_dollars: u64,
    /// Input and output tokens.
    pub tokens: u64,
    /// Time, in milliseconds.
    pub millis: u64,
    /// The number of model turns.
    pub turns: u64,
}

/// The cost of several calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallCosts {
    /// The number of calls.
    pub calls: u32,
    /// The calls whose price is zero or unknown.
    pub unpriced: u32,
    /// Money, in millionths of a dollar, as far as prices are known.
    pub micro_dollars: u64,
    /// Input and output tokens.
    pub tokens: u64,
    /// Time, in milliseconds.
    pub millis: u64,
    /// The number of model turns.
    pub turns: u64,
}

/// The budget of a task. At a limit the engine asks a person; null means no limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CostLimits {
    /// Money, in millionths of a dollar.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub micro_dollars: Option<u64>,
    /// Input and output tokens.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub tokens: Option<u64>,
    /// Time, in milliseconds.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub millis: Option<u64>,
}

/// The results of the engine's own gate runs. A red run counts as passed when the tests fail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GateCounts {
    pub passed: u32,
    pub failed: u32,
    pub could_not_tell: u32,
}

/// A cost: time in milliseconds, input and output tokens, money in millionths of a dollar.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cost {
    pub millis: u64,
    pub tokens: u64,
    pub micro_dollars: u64,
}

impl Printed for BudgetReport {}

impl From<sealwright_kernel::Cost> for Cost {
    fn from(cost: sealwright_kernel::Cost) -> Self {
        let sealwright_kernel::Cost { millis, tokens, micro_dollars } = cost;
        Self { millis, tokens, micro_dollars }
    }
}

impl From<Bill> for CostReport {
    fn from(bill: Bill) -> Self {
        let role = |(role, total): (sealwright_kernel::Role, Total)| {
            let CallCosts { calls, unpriced, micro_dollars, tokens, millis, turns } = total.into();
            let role = role.name().into();
            RoleCosts { role, calls, unpriced, micro_dollars, tokens, millis, turns }
        };
        let Bill { roles, all, budget, gates, engine_turns } = bill;
        Self {
            roles: roles.into_iter().map(role).collect(),
            all: all.into(),
            budget: budget.map(Into::into),
            gates,
            engine_turns,
        }
    }
}

impl From<Total> for CallCosts {
    fn from(total: Total) -> Self {
        let Total { calls, unpriced, turns, cost } = total;
        let sealwright_kernel::Cost { millis, tokens, micro_dollars } = cost;
        Self { calls, unpriced, micro_dollars, tokens, millis, turns }
    }
}

impl From<Budget> for CostLimits {
    fn from(budget: Budget) -> Self {
        let Budget { micro_dollars, tokens, millis } = budget;
        Self { micro_dollars, tokens, millis }
    }
}
