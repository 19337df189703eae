//! The part of a proof that its quick form tries: another one with every commit, the same one for the same commit.

use std::process::Command;

use anyhow::{Context as _, Result};

use crate::workspace::{output_of, root};

/// Chooses parts by a number that is taken from the commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sample(u64);

impl Sample {
    /// By the commit that is checked out, or by `SEALWRIGHT_SAMPLE`, which repeats an earlier choice.
    pub(crate) fn of_commit() -> Result<Self> {
        if let Ok(named) = std::env::var(VARIABLE) {
            let number = named.parse().with_context(|| format!("{VARIABLE} is not a number"))?;
            return Ok(Self(number));
        }
        let mut git = Command::new("git");
        Self::of_digest(output_of(git.args(["rev-parse", "HEAD"]).current_dir(root()))?.trim())
    }

    fn of_digest(digest: &str) -> Result<Self> {
        let start = digest.get(..8).context("a commit has a longer name")?;
        Ok(Self(u64::from_str_radix(start, 16)?))
    }

    /// The number, which is also where a range of seeds begins.
    pub(crate) fn number(self) -> u64 {
        self.0
    }

    /// So many of `all`, each at most once, in their order.
    pub(crate) fn of<T: Clone>(self, all: &[T], count: usize) -> Vec<T> {
        let mut dice = fastrand::Rng::with_seed(self.0);
        let mut chosen = dice.choose_multiple(0..all.len(), count);
        chosen.sort_unstable();
        chosen.into_iter().map(|nth| all[nth].clone()).collect()
    }

    /// How to repeat it.
    pub(crate) fn told(self) -> String {
        format!("sample {} ({VARIABLE}={0} repeats it)", self.0)
    }
}

const VARIABLE: &str = "SEALWRIGHT_SAMPLE";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_always_chooses_the_same_and_commits_choose_everything() {
        let all: Vec<u32> = (0..30).collect();
        let mut seen = std::collections::BTreeSet::new();
        for nth in 0..1_000_u64 {
            let sample = Sample::of_digest(&format!("{:08x}99", nth * 7_919)).unwrap();
            let chosen = sample.of(&all, 2);
            assert_eq!(chosen.len(), 2);
            assert_eq!(chosen, sample.of(&all, 2));
            seen.extend(chosen);
        }
        assert_eq!(seen.len(), all.len());
    }
}
