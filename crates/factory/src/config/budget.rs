//! `[budget]` and `[limits]`: what work may cost, and what is done when a model's owner asks for patience.

use std::time::Duration;

use sealwright_kernel::task;
use serde::Deserialize;
use toml::Spanned;

use super::{Wrong, micro_dollars, whole};

/// What work may cost. What is not set does not bind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Money, in millionths of a dollar.
    pub micro_dollars: Option<u64>,
    /// Time, in minutes.
    pub minutes: Option<u64>,
    /// Tokens, in and out.
    pub tokens: Option<u64>,
}

/// What is done when something outside is used up for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// What a rate limit or a usage window leads to.
    pub rate_limited: RateLimited,
    /// The longest that is waited for one answer, in minutes.
    pub wait_minutes_max: u64,
}

/// What a rate limit or a usage window leads to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RateLimited {
    /// The run waits as long as it is asked to, if that is not too long.
    #[default]
    Wait,
    /// The run ends in good order and says when it can go on.
    Park,
}

impl Budget {
    /// The same as the kernel keeps it.
    pub fn bounds(&self) -> task::Budget {
        task::Budget {
            micro_dollars: self.micro_dollars,
            tokens: self.tokens,
            millis: self.minutes.map(|minutes| minutes.saturating_mul(MILLIS_PER_MINUTE)),
        }
    }

    /// What a new task is given, if anything is bound.
    pub fn of_task(&self) -> Option<task::Budget> {
        let bounds = self.bounds();
        (!bounds.is_boundless()).then_some(bounds)
    }
}

impl Patience {
    /// How long a host waits for one effect, for [`sealwright_host::Limits::wait_max`].
    pub fn wait_max(&self) -> Duration {
        match self.rate_limited {
            RateLimited::Wait => Duration::from_secs(self.wait_minutes_max.saturating_mul(60)),
            RateLimited::Park => Duration::ZERO,
        }
    }
}

impl Default for Patience {
    fn default() -> Self {
        // Longer than a rate limit of any maker, shorter than a usage window of most.
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

/// What a task, a call and the whole project may cost.
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
        let minutes = self.minutes.map(|minutes| whole("minutes", minutes, MINUTES_MAX));
        let tokens = self.tokens.map(|tokens| whole("tokens", tokens, TOKENS_MAX));
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
        let most = written.map(|minutes| whole("wait_minutes_max", minutes, WAIT_MINUTES_MAX));
        let wait_minutes_max = most.transpose()?.unwrap_or(Patience::default().wait_minutes_max);
        Ok(Patience { rate_limited: self.rate_limited, wait_minutes_max })
    }
}

/// One year.
pub const MINUTES_MAX: u64 = 525_600;
/// More than anybody pays for.
pub const TOKENS_MAX: u64 = 1_000_000_000_000;
/// One week.
const WAIT_MINUTES_MAX: u64 = 10_080;
const MILLIS_PER_MINUTE: u64 = 60_000;
