//! What a run has been shown already, carried from one output to the next.
//!
//! A role can repeat a check to collect a fragment each time. The budget is plain data: the caller stores it with the
//! run and passes it in with the next output.

use sealwright_kernel::Digest;
use serde::{Deserialize, Serialize};

/// What the outputs of one run have shown so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// The seal that `shown` and `cut` refer to.
    seal: Option<Digest>,
    /// Sealed lines with fragments that passed. They may pass again.
    shown: Rows,
    /// Sealed lines that were cut.
    cut: Rows,
    /// Cuts that touched a line not cut before.
    cuts: usize,
    /// Bytes in unreadable words.
    unreadable_bytes: usize,
    /// Lines shown under earlier seals.
    shown_before: usize,
}

impl Budget {
    /// The number of sealed lines with fragments that passed.
    pub fn lines_shown(&self) -> usize {
        self.shown_before + self.shown.count()
    }

    pub fn cuts(&self) -> usize {
        self.cuts
    }

    /// The number of unreadable bytes that passed.
    pub fn unreadable_bytes(&self) -> usize {
        self.unreadable_bytes
    }

    /// The budget for `seal`. Another seal has other lines; lines shown under the old one still count.
    pub(super) fn under(&self, seal: Digest) -> Self {
        if self.seal == Some(seal) {
            return self.clone();
        }
        Self {
            seal: Some(seal),
            shown: Rows::default(),
            cut: Rows::default(),
            cuts: self.cuts,
            unreadable_bytes: self.unreadable_bytes,
            shown_before: self.lines_shown(),
        }
    }

    pub(super) fn shown(&self) -> &Rows {
        &self.shown
    }

    pub(super) fn show(&mut self, rows: &Rows) {
        self.shown = self.shown.with(rows);
    }

    pub(super) fn show_unreadable(&mut self, bytes: usize) {
        self.unreadable_bytes = self.unreadable_bytes.saturating_add(bytes);
    }

    /// Counts a cut, unless all its rows were cut before.
    pub(super) fn cut(&mut self, rows: &Rows) {
        if !self.cut.hold(rows) {
            self.cut = self.cut.with(rows);
            self.cuts += 1;
        }
    }
}

/// A set of sealed lines, as sorted inclusive ranges with gaps between them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Rows(Vec<(u32, u32)>);

impl Rows {
    pub(super) fn of(ranges: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut ranges: Vec<_> = ranges.into_iter().collect();
        ranges.sort_unstable();
        ranges.dedup_by(|next, kept| {
            let goes_on = next.0 <= kept.1.saturating_add(1);
            if goes_on {
                kept.1 = kept.1.max(next.1);
            }
            goes_on
        });
        Self(ranges)
    }

    pub(super) fn with(&self, other: &Self) -> Self {
        Self::of(self.ranges().chain(other.ranges()))
    }

    pub(super) fn ranges(&self) -> impl Iterator<Item = (u32, u32)> {
        self.0.iter().copied()
    }

    pub(super) fn count(&self) -> usize {
        self.0.iter().map(|(first, last)| (last - first) as usize + 1).sum()
    }

    pub(super) fn hold(&self, other: &Self) -> bool {
        other.ranges().all(|(first, last)| {
            let at = self.0.partition_point(|(_, end)| *end < first);
            self.0.get(at).is_some_and(|(begin, end)| *begin <= first && last <= *end)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_a_set_of_lines() {
        let mut rows = Rows::default();
        let mut plain = std::collections::BTreeSet::new();
        for (first, last) in [(5, 7), (9, 9), (8, 8), (0, 0), (20, 30), (6, 21), (2, 3), (1, 1)] {
            rows = rows.with(&Rows::of([(first, last)]));
            plain.extend(first..=last);
            assert_eq!(rows.count(), plain.len(), "{rows:?}");
            for line in 0..32 {
                assert_eq!(
                    rows.hold(&Rows::of([(line, line)])),
                    plain.contains(&line),
                    "{line} in {rows:?}"
                );
            }
        }
        assert_eq!(rows, Rows(vec![(0, 3), (5, 30)]));
    }

    #[test]
    fn the_same_cut_twice_counts_once() {
        let mut budget = Budget::default();
        budget.cut(&Rows::of([(3, 9)]));
        budget.cut(&Rows::of([(4, 5), (7, 9)]));
        assert_eq!(budget.cuts(), 1);
        budget.cut(&Rows::of([(9, 10)]));
        assert_eq!(budget.cuts(), 2);
    }

    #[test]
    fn another_seal_forgets_lines_and_keeps_the_count() {
        let mut budget = Budget::default().under(Digest::of(b"one"));
        budget.show(&Rows::of([(3, 9)]));
        budget.cut(&Rows::of([(3, 9)]));
        let budget = budget.under(Digest::of(b"two"));
        assert_eq!((budget.lines_shown(), budget.cuts(), budget.shown().count()), (7, 1, 0));
        assert_eq!(budget.under(Digest::of(b"two")), budget);
    }

    #[test]
    fn a_budget_is_plain_data() {
        let mut budget = Budget::default().under(Digest::of(b"one"));
        budget.show_unreadable(12);
        let stored = serde_json::to_string(&budget).unwrap();
        assert_eq!(serde_json::from_str::<Budget>(&stored).unwrap(), budget);
    }
}
