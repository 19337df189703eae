//! `[budget]` and `[limits]`: what work may cost, and what to do when a provider asks to wait.

use std::time::Duration;

use sealwright_kernel::task;
use serde::Deserialize;
use toml::Spanned;

use super::{Wrong, micro_dollars, whole_number};

/// A budget. A value that is not set is unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// In millionths of a dollar.
    pub micro_dollars: Option<u64>,
    pub minutes: Option<u64>,
    /// Input and output together.
    pub tokens: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    pub rate_limited: RateLimited,
    /// The longest wait for one answer, in minutes.
    pub wait_minutes_max: u64,
}

/// The reaction to a rate limit or usage window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RateLimited {
    /// Wait as long as the provider asks, up to `wait_minutes_max`.
    #[default]
    Wait,
    /// End the run and say when it can continue.
    Park,
}

impl Budget {
    pub fn bounds(&self) -> task::Budget {
        task::Budget {
            micro_dollars: self.micro_dollars,
            tokens: self.tokens,
            millis: self.minutes.map(|minutes| minutes.saturating_mul(MILLIS_PER_MINUTE)),
        }
    }

    /// The budget of a new task, if any limit is set.
    pub fn of_task(&self) -> Option<task::Budget> {
        let bounds = self.bounds();
        (!bounds.is_boundless()).then_some(bounds)
    }
}

impl Patience {
    /// The total wait for one effect, for `wait_max` of the host.
    pub fn wait_max(&self) -> Duration {
        match self.rate_limited {
            RateLimited::Wait => Duration::from_secs(self.wait_minutes_max.saturating_mul(60)),
            RateLimited::Park => Duration::ZERO,
        }
    }
}

impl Default for Patience {
    fn default() -> Self {
        // Longer than the rate limits of all providers, shorter than most usage windows.
        Self { rate_limited: RateLimited::Wait, wait_minutes_max: 60 }
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenBudgets {
    dollars: Option<Spanned<f64>>,
    minutes: Option<Spanned<i64>>,
    tokens: Option<Spanned<i64>>,
    #[serde(default)]
    invocation: WrittenBudget,
    #[serde(default)]
    project: WrittenBudget,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenBudget {
    dollars: Option<Spanned<f64>>,
    minutes: Option<Spanned<i64>>,
    tokens: Option<Spanned<i64>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenLimits {
    #[serde(default)]
    rate_limited: RateLimited,
    wait_minutes_max: Option<Spanned<i64>>,
}

pub(super) struct Budgets {
    pub(super) task: Budget,
    pub(super) invocation: Budget,
    pub(super) project: Budget,
}

impl WrittenBudgets {
    pub(super) fn checked(self) -> Result<Budgets, Wrong> {
        let Self { dollars, minutes, tokens, invocation, project } = self;
        Ok(Budgets {
            task: WrittenBudget { dollars, minutes, tokens }.checked()?,
            invocation: invocation.checked()?,
            project: project.checked()?,
        })
    }
}

impl WrittenBudget {
    fn checked(self) -> Result<Budget, Wrong> {
        let minutes = self.minutes.map(|minutes| whole_number("minutes", minutes, MINUTES_MAX));
        let tokens = self.tokens.map(|tokens| whole_number("tokens", tokens, TOKENS_MAX));
        Ok(Budget {
            micro_dollars: self.dollars.map(micro_dollars).transpose()?,
            minutes: minutes.transpose()?,
            tokens: tokens.transpose()?,
        })
    }
}

impl WrittenLimits {
    pub(super) fn checked(self) -> Result<Patience, Wrong> {
        let written = self.wait_minutes_max;
        let most =
            written.map(|minutes| whole_number("wait_minutes_max", minutes, WAIT_MINUTES_MAX));
        let wait_minutes_max = most.transpose()?.unwrap_or(Patience::default().wait_minutes_max);
        Ok(Patience { rate_limited: self.rate_limited, wait_minutes_max })
    }
}

/// One year.
pub const MINUTES_MAX: u64 = 525_600;
pub const TOKENS_MAX: u64 = 1_000_000_000_000;
/// One week.
const WAIT_MINUTES_MAX: u64 = 10_080;
const MILLIS_PER_MINUTE: u64 = 60_000;
