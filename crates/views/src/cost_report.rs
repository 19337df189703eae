//! The bill: what a task has cost so far, role by role, and what it would cost to go on.
//!
//! Everything in it is read off the fold. Only calls of roles cost tokens and money, and every one of them leaves a
//! receipt; a receipt is of a role, and the engine is none. So agent turns that were spent on driving the engine would
//! be turns that no role took: what is counted over all receipts, less what is counted role by role.

use sealwright_kernel::task::{Bound, Budget, Task, TaskData, Total};
use sealwright_kernel::{Cost, EvidenceRecord, Role, Source, Verdict};
use serde::Serialize;

use crate::amounts::{dollars, grouped, time};
use crate::evidence::is_red;

/// What a task has cost so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Bill {
    /// What each role that was asked has cost.
    pub roles: Vec<RoleBill>,
    /// Everything together.
    pub all: Sum,
    /// What it may cost before a person is asked.
    pub budget: Option<Bounds>,
    /// What the machine's own checks said.
    pub gates: Gates,
    /// Answers of models that no role stands for.
    pub engine_turns: u64,
}

/// What one role has cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RoleBill {
    /// Which.
    pub role: &'static str,
    /// What its calls cost.
    #[serde(flatten)]
    pub sum: Sum,
}

/// What several calls cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sum {
    /// How many.
    pub calls: u32,
    /// Those of them whose price is zero or not known.
    pub unpriced: u32,
    /// Money, in millionths of a dollar, as far as prices are known.
    pub micro_dollars: u64,
    /// Tokens, in and out.
    pub tokens: u64,
    /// Time, in milliseconds.
    pub millis: u64,
    /// How often models answered.
    pub turns: u64,
}

/// What may be spent. What is not set does not bind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Bounds {
    /// Money, in millionths of a dollar.
    pub micro_dollars: Option<u64>,
    /// Tokens, in and out.
    pub tokens: Option<u64>,
    /// Time, in milliseconds.
    pub millis: Option<u64>,
}

/// How often the machine's own checks said what. A red run holds when it fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Gates {
    /// They held.
    pub passed: u32,
    /// They did not.
    pub failed: u32,
    /// They could not tell.
    pub could_not_tell: u32,
}

/// A larger budget that a person could choose, and how far it would go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The budget.
    pub budget: Budget,
    /// What it would be raised from; only what differs is said.
    from: Budget,
    /// About how many more calls it allows, at the mean price so far, if there is one.
    pub calls: Option<u64>,
}

/// What `task` has cost so far. One that was not created cost nothing.
pub fn bill(task: &Task) -> Bill {
    task.data().map_or_else(Bill::default, Bill::of)
}

/// Larger budgets than one that is reached, the smallest first: in every bound that is reached, half as much and as much
/// again as was spent.
pub fn offers(budget: Budget, spent: Cost, calls: u32) -> Vec<Offer> {
    let larger = [(1, 2), (1, 1)].map(|(part, of)| {
        let raised = |bound: Bound, most: Option<u64>, spent: u64| match most {
            Some(most) if spent >= most => {
                let more = spent.saturating_add((spent / of).saturating_mul(part).max(1));
                Some(rounded_up(bound, more))
            }
            kept => kept,
        };
        Budget {
            micro_dollars: raised(Bound::Money, budget.micro_dollars, spent.micro_dollars),
            tokens: raised(Bound::Tokens, budget.tokens, spent.tokens),
            millis: raised(Bound::Time, budget.millis, spent.millis),
        }
    });
    let mut offers: Vec<Offer> = larger
        .into_iter()
        .map(|larger| Offer {
            budget: larger,
            from: budget,
            calls: more_calls(larger, spent, calls),
        })
        .collect();
    offers.dedup_by_key(|offer| offer.budget);
    offers
}

impl Bill {
    fn of(known: &TaskData) -> Self {
        let all = known.spending.all();
        let roles: Vec<RoleBill> = known.spending.roles().map(RoleBill::of).collect();
        let turns: u64 = roles.iter().map(|it| it.sum.turns).fold(0, u64::saturating_add);
        Self {
            roles,
            all: Sum::of(all),
            budget: known.charter.budget.map(Bounds::of),
            gates: Gates::of(&known.evidence),
            engine_turns: all.turns.saturating_sub(turns),
        }
    }

    /// The bill for people, a line each.
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> =
            self.roles.iter().map(|it| format!("{}: {}", it.role, it.sum.told())).collect();
        if self.roles.len() != 1 {
            lines.push(format!("all roles: {}", self.all.told()));
        }
        if self.all.unpriced > 0 {
            lines.push(format!(
                "the price of {} is zero or not known",
                counted(self.all.unpriced, "call")
            ));
        }
        if let Some(bounds) = &self.budget {
            lines.push(format!("budget: {}", bounds.told(&self.all)));
        }
        let Gates { passed, failed, could_not_tell } = self.gates;
        let untold = match could_not_tell {
            0 => String::new(),
            count => format!(", {count} could not tell"),
        };
        lines.push(format!("gates: {passed} passed, {failed} failed{untold}"));
        lines.push(format!(
            "agent turns spent on the engine: {} (every turn is on the receipt of a role, and a role is served \
             submit_result and its own tools, nothing of the engine's)",
            self.engine_turns
        ));
        lines
    }
}

impl RoleBill {
    fn of((role, total): (Role, Total)) -> Self {
        Self { role: role.name(), sum: Sum::of(total) }
    }
}

impl Sum {
    fn of(total: Total) -> Self {
        let Total { calls, unpriced, turns, cost } = total;
        let Cost { millis, tokens, micro_dollars } = cost;
        Self { calls, unpriced, micro_dollars, tokens, millis, turns }
    }

    fn told(&self) -> String {
        format!(
            "{}, {}, {} tokens, {}, {}",
            counted(self.calls, "call"),
            dollars(self.micro_dollars),
            grouped(self.tokens),
            time(self.millis),
            counted(self.turns, "turn"),
        )
    }
}

impl Bounds {
    fn of(budget: Budget) -> Self {
        let Budget { micro_dollars, tokens, millis } = budget;
        Self { micro_dollars, tokens, millis }
    }

    fn told(&self, all: &Sum) -> String {
        let Self { micro_dollars, tokens, millis } = *self;
        let spent =
            Cost { millis: all.millis, tokens: all.tokens, micro_dollars: all.micro_dollars };
        Budget { micro_dollars, tokens, millis }.describe(spent)
    }
}

impl Gates {
    fn of(records: &[EvidenceRecord]) -> Self {
        let mut gates = Self::default();
        for record in records {
            if let Source::Role { .. } = record.evidence.source {
                continue;
            }
            // A red run has to fail before anything is built; one that passes is what goes wrong.
            let is_of_red = record.subject == RED;
            match record.verdict {
                Verdict::CannotTell => gates.could_not_tell += 1,
                Verdict::Pass if is_of_red => gates.failed += 1,
                Verdict::Fail if is_red(record) => gates.passed += 1,
                Verdict::Pass => gates.passed += 1,
                Verdict::Fail => gates.failed += 1,
            }
        }
        gates
    }
}

impl Offer {
    /// What is typed to take it, and what it buys.
    pub fn line(&self) -> String {
        let (flags, meaning) = self.words();
        format!("{flags} ({meaning})")
    }

    /// The flags that are typed to take it.
    pub fn flags(&self) -> String {
        let flags = self.changed().into_iter().map(|(bound, most)| flag(bound, most));
        flags.collect::<Vec<_>>().join(" ")
    }

    /// What is typed to take it, apart from what it buys.
    pub fn words(&self) -> (String, String) {
        let changed = self.changed();
        let amounts: Vec<String> =
            changed.iter().map(|(bound, most)| bound.amount(*most)).collect();
        let buys = match self.calls {
            Some(1) => "about 1 more call at the mean price so far".to_owned(),
            Some(calls) => format!("about {calls} more calls at the mean price so far"),
            None => "nobody knows for how many more calls".to_owned(),
        };
        (format!("budget {}", self.flags()), format!("raise to {}: {buys}", amounts.join(", ")))
    }

    fn changed(&self) -> Vec<(Bound, u64)> {
        let (from, to) = (self.from.bounds(Cost::default()), self.budget.bounds(Cost::default()));
        let is_new = |(bound, most, _): &(Bound, u64, u64)| !from.contains(&(*bound, *most, 0));
        to.into_iter().filter(is_new).map(|(bound, most, _)| (bound, most)).collect()
    }
}

/// How a bound is typed.
fn flag(bound: Bound, most: u64) -> String {
    match bound {
        Bound::Money => {
            format!("--dollars {}.{:02}", most / 1_000_000, most / MICRO_DOLLARS_PER_CENT % 100)
        }
        Bound::Tokens => format!("--tokens {most}"),
        Bound::Time => format!("--minutes {}", most / MILLIS_PER_MINUTE),
    }
}

/// The next amount that can be typed.
fn rounded_up(bound: Bound, amount: u64) -> u64 {
    let step = match bound {
        Bound::Money => MICRO_DOLLARS_PER_CENT,
        Bound::Tokens => TOKENS_STEP,
        Bound::Time => MILLIS_PER_MINUTE,
    };
    amount.div_ceil(step).saturating_mul(step)
}

/// How many more calls `larger` would pay for, if they cost what calls have cost so far.
fn more_calls(larger: Budget, spent: Cost, calls: u32) -> Option<u64> {
    let left = larger.bounds(spent).into_iter().filter_map(|(_, most, spent)| {
        let mean = spent.checked_div(calls.into()).filter(|mean| *mean > 0)?;
        Some(most.saturating_sub(spent) / mean)
    });
    left.min()
}

fn counted(count: impl Into<u64>, noun: &str) -> String {
    match count.into() {
        1 => format!("1 {noun}"),
        count => format!("{} {noun}s", grouped(count)),
    }
}

/// What else a person may do about a budget that is reached, as it is typed.
pub const GIVE_UP: &str = "resolve abandon-task";
/// What is advised. It binds nobody.
pub const ADVICE: &str = "look at what it cost so far, then raise it or give the task up";
const RED: &str = "red run";
const MICRO_DOLLARS_PER_CENT: u64 = 10_000;
const MILLIS_PER_MINUTE: u64 = 60_000;
const TOKENS_STEP: u64 = 1_000;

#[cfg(test)]
mod tests;
