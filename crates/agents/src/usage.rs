//! Usage: how many tokens one run took, counted the same way for every agent.
//!
//! Agents differ: some count what a cache held as part of the input and some beside it, some report each step and
//! some the sum of a whole thread. Readers turn all of it into this: disjoint counts, of this run alone.

use serde::{Deserialize, Serialize};

/// Tokens of one run. No token is counted in two fields, but for reasoning, which is part of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Read, and in no cache.
    pub input: u64,
    /// Read from a cache.
    pub cached: u64,
    /// Read, and put into a cache.
    pub cache_written: u64,
    /// Written, thoughts included.
    pub output: u64,
}

impl Usage {
    /// Counts of an agent whose input includes what came from the cache and what went into it.
    pub fn cache_inside(input: u64, cached: u64, cache_written: u64, output: u64) -> Self {
        let input = input.saturating_sub(cached).saturating_sub(cache_written);
        Self { input, cached, cache_written, output }
    }

    pub fn total(&self) -> u64 {
        [self.input, self.cached, self.cache_written, self.output]
            .into_iter()
            .fold(0, u64::saturating_add)
    }

    /// What was used since `before`, of a sum that includes it. A smaller sum includes nothing of it.
    pub fn since(self, before: Self) -> Self {
        if self.total() < before.total() {
            return self;
        }
        Self {
            input: self.input.saturating_sub(before.input),
            cached: self.cached.saturating_sub(before.cached),
            cache_written: self.cache_written.saturating_sub(before.cache_written),
            output: self.output.saturating_sub(before.output),
        }
    }

    /// This and another step of the same run.
    pub fn and(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            cached: self.cached.saturating_add(other.cached),
            cache_written: self.cache_written.saturating_add(other.cache_written),
            output: self.output.saturating_add(other.output),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_is_not_counted_twice() {
        let usage = Usage::cache_inside(1000, 300, 50, 20);
        assert_eq!(usage, Usage { input: 650, cached: 300, cache_written: 50, output: 20 });
        assert_eq!(usage.total(), 1020);
    }

    #[test]
    fn what_was_used_before_is_not_counted_again() {
        let before = Usage { input: 3402, cached: 300, cache_written: 0, output: 168 };
        assert_eq!(before.and(before).since(before), before);
        assert_eq!(before.since(Usage::default()), before);
        assert_eq!(before.since(before.and(before)), before, "it counts anew");
    }

    #[test]
    fn a_sum_does_not_wrap_around() {
        let most = Usage { input: u64::MAX, cached: u64::MAX, cache_written: 0, output: 1 };
        assert_eq!(most.and(most).total(), u64::MAX);
    }
}
