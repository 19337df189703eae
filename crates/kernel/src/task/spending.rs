//! The spending of a task on calls of roles, and its budget.
//!
//! Every call of a role leaves a receipt in the journal, also a failed one. The task keeps totals and the invocation
//! ids, so that no receipt counts twice.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{Cost, Digest, EffectId, InvocationId, Role};

/// Upper limits on cost. A limit that is not set does not apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Money, in millionths of a dollar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub micro_dollars: Option<u64>,
    /// Tokens, in and out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The time of roles, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub millis: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    Money,
    Tokens,
    Time,
}

/// What one call of a role cost, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The call. A repeated effect makes a new call with a new id.
    pub invocation: InvocationId,
    pub effect: EffectId,
    /// The name of the role call.
    pub part: String,
    pub role: Role,
    /// The agent's name in the configuration.
    pub agent: String,
    /// The model, where known.
    pub model: String,
    /// The cost. Calls without a known price count as zero money.
    pub cost: Cost,
    /// Number of model answers.
    pub turns: u32,
    pub end: CallEnd,
    /// What it asked for outside of its sandbox. A call without a way out asks for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub way_out: Option<WayOut>,
}

/// What a call asked for outside of its sandbox, as the way out saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WayOut {
    /// The log of all its requests.
    pub log: Digest,
    pub let_through: u64,
    pub refused: u64,
}

/// How a call of a role ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallEnd {
    Answered,
    /// The agent ended without an answer.
    GaveUp,
    /// Its own budget was used up.
    OutOfBudget,
    /// The model provider limited the rate.
    RateLimited,
    Failed,
    Cancelled,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spending {
    all: Total,
    roles: BTreeMap<Role, Total>,
    pub(super) receipts: BTreeSet<InvocationId>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Total {
    pub calls: u32,
    /// Calls that took tokens and whose price is zero or not known.
    pub unpriced: u32,
    /// Number of model answers.
    pub turns: u64,
    pub cost: Cost,
}

impl Budget {
    /// The first limit that is used up.
    pub fn reached(&self, spent: Cost) -> Option<Bound> {
        let bounds = self.bounds(spent);
        let mut gone = bounds.iter().filter(|(_, most, spent)| spent >= most);
        gone.next().map(|(bound, _, _)| *bound)
    }

    /// The rest of the budget after `spent`.
    #[must_use]
    pub fn without(&self, spent: Cost) -> Self {
        let left = |most: Option<u64>, spent: u64| most.map(|most| most.saturating_sub(spent));
        Self {
            micro_dollars: left(self.micro_dollars, spent.micro_dollars),
            tokens: left(self.tokens, spent.tokens),
            millis: left(self.millis, spent.millis),
        }
    }

    /// The tighter of both budgets, limit by limit.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let least = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (only, None) | (None, only) => only,
        };
        Self {
            micro_dollars: least(self.micro_dollars, other.micro_dollars),
            tokens: least(self.tokens, other.tokens),
            millis: least(self.millis, other.millis),
        }
    }

    /// What was spent of each limit, such as `$1.20 of $5.00`.
    pub fn describe(&self, spent: Cost) -> String {
        let told = self.bounds(spent).into_iter().map(|(bound, most, spent)| {
            format!("{} of {}", bound.amount(spent), bound.amount(most))
        });
        told.collect::<Vec<_>>().join(", ")
    }

    /// The limits that are set, each with its maximum and the amount spent.
    pub fn bounds(&self, spent: Cost) -> Vec<(Bound, u64, u64)> {
        let all = [
            (Bound::Money, self.micro_dollars, spent.micro_dollars),
            (Bound::Tokens, self.tokens, spent.tokens),
            (Bound::Time, self.millis, spent.millis),
        ];
        all.into_iter().filter_map(|(bound, most, spent)| Some((bound, most?, spent))).collect()
    }

    /// Whether nothing is bound.
    pub fn is_boundless(&self) -> bool {
        *self == Self::default()
    }
}

named! { Bound { Money = "money", Tokens = "tokens", Time = "time" } }

impl Bound {
    /// An amount of it, for people.
    pub fn amount(self, amount: u64) -> String {
        match self {
            Self::Money => match (amount / 1_000_000, amount % 1_000_000) {
                (whole, rest) if rest % 10_000 == 0 => format!("${whole}.{:02}", rest / 10_000),
                (whole, rest) => format!("${whole}.{:04}", rest / 100),
            },
            Self::Tokens => format!("{amount} tokens"),
            Self::Time => match (amount / 60_000, amount / 1_000 % 60) {
                (0, seconds) => format!("{seconds} s"),
                (minutes, 0) => format!("{minutes} min"),
                (minutes, seconds) => format!("{minutes} min {seconds} s"),
            },
        }
    }
}

impl Spending {
    /// The total over all roles, counted separately so that both can be compared.
    pub fn all(&self) -> Total {
        self.all
    }

    /// What each role that was asked has cost.
    pub fn roles(&self) -> impl Iterator<Item = (Role, Total)> + '_ {
        self.roles.iter().map(|(role, total)| (*role, *total))
    }

    /// Whether the receipt of this call is recorded.
    pub fn has(&self, invocation: InvocationId) -> bool {
        self.receipts.contains(&invocation)
    }

    /// Whether no role was called yet.
    pub fn is_nothing(&self) -> bool {
        self.receipts.is_empty()
    }

    pub(super) fn add(&mut self, receipt: &Receipt) {
        if self.receipts.insert(receipt.invocation) {
            self.all.add(receipt);
            self.roles.entry(receipt.role).or_default().add(receipt);
        }
    }
}

impl Total {
    fn add(&mut self, receipt: &Receipt) {
        let is_unpriced = receipt.cost.tokens > 0 && receipt.cost.micro_dollars == 0;
        self.calls = self.calls.saturating_add(1);
        self.unpriced = self.unpriced.saturating_add(u32::from(is_unpriced));
        self.turns = self.turns.saturating_add(receipt.turns.into());
        self.cost = self.cost.plus(receipt.cost);
    }
}

/// How many calls of roles a task may record. The bounded rounds need far fewer; only a host that crashes in a loop
/// reaches it.
pub const RECEIPTS_MAX: usize = 100_000;

#[cfg(test)]
mod tests;
