//! The budget of one assignment, and what was spent of it.

use serde::{Deserialize, Serialize};

use crate::Usage;

/// What one assignment may use up. Time is always bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Millionths of a dollar.
    pub micro_dollars_max: Option<u64>,
    /// Tokens of every kind together.
    pub tokens_max: Option<u64>,
    /// Answers of the model.
    pub turns_max: Option<u32>,
    pub wall_ms_max: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Millionths of a dollar, where the price is known.
    pub micro_dollars: Option<u64>,
    pub usage: Usage,
    pub turns: u32,
    pub wall_ms: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    Dollars,
    Tokens,
    Turns,
    Minutes,
}

impl Limit {
    pub fn name(self) -> &'static str {
        match self {
            Self::Dollars => "dollars",
            Self::Tokens => "tokens",
            Self::Turns => "turns",
            Self::Minutes => "minutes",
        }
    }
}

impl Budget {
    /// The first thing there is none left of. A bound is what may be reached, not what may be passed.
    pub fn exceeded(&self, spent: &Spent) -> Option<Limit> {
        let over = |most: Option<u64>, spent: Option<u64>| {
            most.zip(spent).is_some_and(|(most, spent)| spent > most)
        };
        [
            (over(self.micro_dollars_max, spent.micro_dollars), Limit::Dollars),
            (over(self.tokens_max, Some(spent.usage.total())), Limit::Tokens),
            (over(self.turns_max.map(u64::from), Some(spent.turns.into())), Limit::Turns),
            (spent.wall_ms > self.wall_ms_max, Limit::Minutes),
        ]
        .into_iter()
        .find_map(|(is_over, limit)| is_over.then_some(limit))
    }
}

impl Default for Budget {
    /// Half an hour, and nothing else is held to a bound.
    fn default() -> Self {
        Self {
            micro_dollars_max: None,
            tokens_max: None,
            turns_max: None,
            wall_ms_max: 30 * 60_000,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_may_be_reached_and_not_passed() {
        let budget = Budget {
            micro_dollars_max: Some(10),
            tokens_max: Some(10),
            turns_max: Some(10),
            wall_ms_max: 10,
        };
        let spent = |dollars, tokens, turns, wall_ms| Spent {
            micro_dollars: dollars,
            usage: Usage { output: tokens, ..Usage::default() },
            turns,
            wall_ms,
        };
        assert_eq!(budget.exceeded(&spent(Some(10), 10, 10, 10)), None);
        assert_eq!(budget.exceeded(&spent(Some(11), 10, 10, 10)), Some(Limit::Dollars));
        assert_eq!(budget.exceeded(&spent(None, 11, 10, 10)), Some(Limit::Tokens));
        assert_eq!(budget.exceeded(&spent(None, 10, 11, 10)), Some(Limit::Turns));
        assert_eq!(budget.exceeded(&spent(None, 10, 10, 11)), Some(Limit::Minutes));
    }
}
