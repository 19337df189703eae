//! What a run has been shown already, carried from one output to the next.
//!
//! A role can ask for the same check again and again and have a little more slip through each time. A budget is
//! plain data: whoever keeps the run keeps it, and hands it in with the next output.

use sealwright_kernel::Digest;
use serde::{Deserialize, Serialize};

/// What outputs of one run gave away so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// The seal that the lines below belong to.
    seal: Option<Digest>,
    /// Sealed lines that small pieces of were let through. What was shown once may be shown again.
    shown: Rows,
    /// Sealed lines that were recognised and cut.
    cut: Rows,
    /// How many cuts touched a line that was not cut before.
    cuts: usize,
    /// Bytes in words that nobody can read.
    unreadable_bytes: usize,
    /// Lines shown of seals that have since been replaced.
    shown_before: usize,
}

impl Budget {
    /// How many sealed lines small pieces were let through of.
    pub fn lines_shown(&self) -> usize {
        self.shown_before + self.shown.count()
    }

    /// How many cuts were provoked.
    pub fn cuts(&self) -> usize {
        self.cuts
    }

    /// How many bytes nobody can read went through.
    pub fn unreadable_bytes(&self) -> usize {
        self.unreadable_bytes
    }

    /// The same for what is sealed now. Another seal has other lines; what was shown of the old one still counts.
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
        for range in &rows.0 {
            self.shown.add(*range);
        }
    }

    pub(super) fn show_unreadable(&mut self, bytes: usize) {
        self.unreadable_bytes = self.unreadable_bytes.saturating_add(bytes);
    }

    /// Counts a cut, unless all of it was cut before.
    pub(super) fn cut(&mut self, rows: &Rows) {
        let before = self.cut.count();
        for range in &rows.0 {
            self.cut.add(*range);
        }
        self.cuts += usize::from(self.cut.count() > before);
    }
}

/// A set of sealed lines, as ranges in order with gaps between them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Rows(Vec<(u32, u32)>);

impl Rows {
    /// Adds the lines from the first to the last.
    pub(super) fn add(&mut self, (first, last): (u32, u32)) {
        let begin = self.0.partition_point(|(_, end)| end.saturating_add(1) < first);
        let end = self.0.partition_point(|(begin, _)| *begin <= last.saturating_add(1));
        let touched = &self.0[begin..end];
        let first = touched.first().map_or(first, |(begin, _)| first.min(*begin));
        let last = touched.last().map_or(last, |(_, end)| last.max(*end));
        self.0.splice(begin..end, [(first, last)]);
    }

    pub(super) fn count(&self) -> usize {
        self.0.iter().map(|(first, last)| (last - first) as usize + 1).sum()
    }

    pub(super) fn holds(&self, (first, last): (u32, u32)) -> bool {
        let at = self.0.partition_point(|(_, end)| *end < first);
        self.0.get(at).is_some_and(|(begin, end)| *begin <= first && last <= *end)
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
            rows.add((first, last));
            plain.extend(first..=last);
            assert_eq!(rows.count(), plain.len(), "{rows:?}");
            for line in 0..32 {
                assert_eq!(rows.holds((line, line)), plain.contains(&line), "{line} in {rows:?}");
            }
        }
        assert_eq!(rows, Rows(vec![(0, 3), (5, 30)]));
    }

    #[test]
    fn the_same_cut_twice_counts_once() {
        let mut budget = Budget::default();
        let mut rows = Rows::default();
        rows.add((3, 9));
        budget.cut(&rows);
        budget.cut(&rows);
        assert_eq!(budget.cuts(), 1);
        rows.add((10, 10));
        budget.cut(&rows);
        assert_eq!(budget.cuts(), 2);
    }

    #[test]
    fn another_seal_forgets_lines_and_keeps_the_count() {
        let mut budget = Budget::default().under(Digest::of(b"one"));
        let mut rows = Rows::default();
        rows.add((3, 9));
        budget.show(&rows);
        budget.cut(&rows);
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
