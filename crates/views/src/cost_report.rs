//! The cost report: the cost of a task per role, and larger budgets to choose from.
//!
//! It is computed from the folded state. Only role calls cost tokens and money, and each call leaves a receipt that
//! names its role. Engine turns are the turns of all receipts minus the turns of the roles.

use sealwright_kernel::task::{Bound, Budget, Task, TaskData, Total};
use sealwright_kernel::{Cost, EvidenceRecord, Role, Source, Verdict};

use crate::amounts::{dollars, grouped, time};
use crate::evidence::{RED, is_red};
use crate::wire::GateCounts;

/// The cost of a task so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bill {
    /// One entry per role that was called.
    pub roles: Vec<(Role, Total)>,
    pub all: Total,
    /// The limits at which the task asks a person.
    pub budget: Option<Budget>,
    pub gates: GateCounts,
    /// Model turns that belong to no role.
    pub engine_turns: u64,
}

/// A larger budget that a person can choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The larger budget.
    pub budget: Budget,
    /// The current budget; the text names only bounds that differ from it.
    from: Budget,
    /// About how many more calls it pays for, if calls have a mean price so far.
    pub calls: Option<u64>,
}

/// The cost of `task` so far.
pub fn bill(task: &Task) -> Bill {
    task.data().map_or_else(Bill::default, Bill::of)
}

/// Larger budgets, the smallest first: each reached bound is raised to 1.5 times and to twice the amount spent.
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
    fn of(data: &TaskData) -> Self {
        let all = data.spending.all();
        let roles: Vec<(Role, Total)> = data.spending.roles().collect();
        let turns = roles.iter().map(|(_, total)| total.turns).fold(0, u64::saturating_add);
        Self {
            roles,
            all,
            budget: data.charter.budget,
            gates: gate_counts(&data.evidence),
            engine_turns: all.turns.saturating_sub(turns),
        }
    }

    /// What the roles did and used, without amounts that are zero everywhere; nothing without a call.
    pub fn summary(&self) -> Vec<String> {
        let calls = |(role, total): &(Role, Total)| {
            format!("{}: {}", role.name(), counted(total.calls, "call"))
        };
        if self.all.calls == 0 {
            return Vec::new();
        }
        if self.all.cost.tokens == 0 && self.all.cost.micro_dollars == 0 {
            let roles: Vec<String> = self.roles.iter().map(calls).collect();
            return vec![format!("{}; no tokens", roles.join(", "))];
        }
        self.spent()
    }

    /// The whole report for people, as lines.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = self.spent();
        let GateCounts { passed, failed, could_not_tell } = self.gates;
        let inconclusive = match could_not_tell {
            0 => String::new(),
            count => format!(", {count} inconclusive"),
        };
        lines.push(format!("gates: {passed} passed, {failed} failed{inconclusive}"));
        lines.push(format!(
            "agent turns spent on the engine: {} (each turn belongs to the receipt of a role)",
            self.engine_turns
        ));
        lines
    }

    fn spent(&self) -> Vec<String> {
        let mut lines: Vec<String> = self
            .roles
            .iter()
            .map(|(role, total)| format!("{}: {}", role.name(), text(total)))
            .collect();
        if self.roles.len() != 1 {
            lines.push(format!("all roles: {}", text(&self.all)));
        }
        if self.all.unpriced > 0 {
            lines
                .push(format!("{} with zero or unknown price", counted(self.all.unpriced, "call")));
        }
        if let Some(budget) = &self.budget {
            lines.push(format!("budget: {}", budget.describe(self.all.cost)));
        }
        lines
    }
}

fn text(total: &Total) -> String {
    format!(
        "{}, {}, {} tokens, {}, {}",
        counted(total.calls, "call"),
        dollars(total.cost.micro_dollars),
        grouped(total.cost.tokens),
        time(total.cost.millis),
        counted(total.turns, "turn"),
    )
}

fn gate_counts(records: &[EvidenceRecord]) -> GateCounts {
    let mut gates = GateCounts::default();
    for record in records {
        if let Source::Role { .. } = record.evidence.source {
            continue;
        }
        // A red run must fail before implementation, so its pass is a failure.
        let is_red_run = record.subject == RED;
        match record.verdict {
            Verdict::CannotTell => gates.could_not_tell += 1,
            Verdict::Pass if is_red_run => gates.failed += 1,
            Verdict::Fail if is_red(record) => gates.passed += 1,
            Verdict::Pass => gates.passed += 1,
            Verdict::Fail => gates.failed += 1,
        }
    }
    gates
}

impl Offer {
    /// The command and its meaning in one line.
    pub fn line(&self) -> String {
        let (flags, meaning) = self.words();
        format!("{flags} ({meaning})")
    }

    /// The flags of the command.
    pub fn flags(&self) -> String {
        let flags = self.changed().into_iter().map(|(bound, most)| flag(bound, most));
        flags.collect::<Vec<_>>().join(" ")
    }

    /// The command, and its meaning.
    pub fn words(&self) -> (String, String) {
        let changed = self.changed();
        let amounts: Vec<String> =
            changed.iter().map(|(bound, most)| bound.amount(*most)).collect();
        let buys = match self.calls {
            Some(1) => "about 1 more call at the mean price so far".to_owned(),
            Some(calls) => format!("about {calls} more calls at the mean price so far"),
            None => "the number of further calls is unknown".to_owned(),
        };
        (format!("budget {}", self.flags()), format!("raise to {}: {buys}", amounts.join(", ")))
    }

    fn changed(&self) -> Vec<(Bound, u64)> {
        let (from, to) = (self.from.bounds(Cost::default()), self.budget.bounds(Cost::default()));
        let is_new = |(bound, most, _): &(Bound, u64, u64)| !from.contains(&(*bound, *most, 0));
        to.into_iter().filter(is_new).map(|(bound, most, _)| (bound, most)).collect()
    }
}

fn flag(bound: Bound, most: u64) -> String {
    match bound {
        Bound::Money => {
            format!("--dollars {}.{:02}", most / 1_000_000, most / MICRO_DOLLARS_PER_CENT % 100)
        }
        Bound::Tokens => format!("--tokens {most}"),
        Bound::Time => format!("--minutes {}", most / MILLIS_PER_MINUTE),
    }
}

/// The next amount that a flag can express.
fn rounded_up(bound: Bound, amount: u64) -> u64 {
    let step = match bound {
        Bound::Money => MICRO_DOLLARS_PER_CENT,
        Bound::Tokens => TOKENS_STEP,
        Bound::Time => MILLIS_PER_MINUTE,
    };
    amount.div_ceil(step).saturating_mul(step)
}

/// How many more calls `larger` pays for at the mean price so far.
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

/// The command that abandons the task instead of raising its budget.
pub const GIVE_UP: &str = "resolve abandon-task";
/// The recommendation at a reached budget.
pub const ADVICE: &str = "check the costs, then raise the budget or abandon the task";
const MICRO_DOLLARS_PER_CENT: u64 = 10_000;
const MILLIS_PER_MINUTE: u64 = 60_000;
const TOKENS_STEP: u64 = 1_000;

#[cfg(test)]
mod tests;
