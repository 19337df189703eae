//! A passage: bytes, and the output lines that each came from.
//!
//! Output is transformed in many ways before it is compared. A match must still be traced to the lines to cut.

use std::ops::Range;

/// Output lines, counted from zero, inclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lines {
    pub(super) first: u32,
    pub(super) last: u32,
}

impl Lines {
    pub(super) fn one(line: u32) -> Self {
        Self { first: line, last: line }
    }

    /// The smallest range that holds both.
    pub(super) fn with(self, other: Self) -> Self {
        Self { first: self.first.min(other.first), last: self.last.max(other.last) }
    }
}

/// Bytes with their origin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Passage {
    bytes: Vec<u8>,
    /// Positions where the origin changes; the first entry, if any, is at zero.
    origins: Vec<Origin>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Origin {
    at: usize,
    lines: Lines,
}

impl Passage {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The following bytes come from `lines`.
    pub(super) fn begin_from(&mut self, lines: Lines) {
        let at = self.bytes.len();
        match self.origins.last_mut() {
            Some(last) if last.lines == lines => {}
            Some(last) if last.at == at => last.lines = lines,
            Some(_) | None => self.origins.push(Origin { at, lines }),
        }
    }

    /// Lets `write` add bytes from `lines`.
    pub(super) fn write_from(&mut self, lines: Lines, write: impl FnOnce(&mut Vec<u8>)) {
        self.begin_from(lines);
        write(&mut self.bytes);
    }

    /// Adds a byte with the current origin.
    pub(super) fn add(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    pub(super) fn push(&mut self, byte: u8, lines: Lines) {
        self.begin_from(lines);
        self.add(byte);
    }

    pub(super) fn extend(&mut self, bytes: &[u8], lines: Lines) {
        self.begin_from(lines);
        self.bytes.extend_from_slice(bytes);
    }

    /// The pieces, each with one origin, in order.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (Lines, &[u8])> {
        self.pieces_of(0..self.bytes.len())
    }

    pub(super) fn pieces_of(&self, part: Range<usize>) -> impl Iterator<Item = (Lines, &[u8])> {
        let begin =
            self.origins.partition_point(|origin| origin.at <= part.start).saturating_sub(1);
        let origins = self.origins.get(begin..).unwrap_or_default();
        origins.iter().enumerate().map_while(move |(nth, origin)| {
            let end = origins.get(nth + 1).map_or(self.bytes.len(), |next| next.at);
            let (from, to) = (origin.at.max(part.start), end.min(part.end));
            (origin.at < part.end && from <= to).then(|| (origin.lines, &self.bytes[from..to]))
        })
    }

    /// The output lines of a part.
    pub(super) fn origin(&self, part: Range<usize>) -> Vec<Lines> {
        let mut found: Vec<Lines> = Vec::new();
        for (lines, piece) in self.pieces_of(part) {
            if !piece.is_empty() && found.last() != Some(&lines) {
                found.push(lines);
            }
        }
        found
    }

    /// The ranges of the passage's own lines, without line ends.
    pub(super) fn rows(&self) -> Vec<Range<usize>> {
        let mut rows = Vec::new();
        let mut begin = 0;
        for (at, byte) in self.bytes.iter().enumerate() {
            if *byte == b'\n' {
                rows.push(begin..at);
                begin = at + 1;
            }
        }
        if begin < self.bytes.len() {
            rows.push(begin..self.bytes.len());
        }
        rows
    }

    /// These parts only, each as one row.
    pub(super) fn only(&self, parts: &[Range<usize>]) -> Self {
        let mut kept = Self::default();
        for part in parts {
            let mut last = None;
            for (lines, piece) in self.pieces_of(part.clone()) {
                kept.extend(piece, lines);
                last = Some(lines);
            }
            if let Some(lines) = last {
                kept.push(b'\n', lines);
            }
        }
        kept
    }

    /// The bytes in reverse order.
    pub(super) fn reversed(&self) -> Self {
        let mut turned = Self::default();
        turned.bytes.reserve(self.bytes.len());
        let pieces: Vec<_> = self.pieces().collect();
        for (lines, piece) in pieces.into_iter().rev() {
            turned.begin_from(lines);
            turned.bytes.extend(piece.iter().rev());
        }
        turned
    }

    /// The passage with every byte mapped.
    pub(super) fn replaced(&self, by: impl Fn(u8) -> u8) -> Self {
        Self {
            bytes: self.bytes.iter().map(|byte| by(*byte)).collect(),
            origins: self.origins.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(lines: &[&str]) -> Passage {
        let mut passage = Passage::default();
        for (nth, line) in (0..).zip(lines) {
            passage.extend(line.as_bytes(), Lines::one(nth));
            passage.push(b'\n', Lines::one(nth));
        }
        passage
    }

    #[test]
    fn a_part_knows_its_lines() {
        let passage = passage(&["ab", "", "cd"]);
        assert_eq!(passage.origin(0..2), [Lines::one(0)]);
        assert_eq!(passage.origin(1..6), [Lines::one(0), Lines::one(1), Lines::one(2)]);
        assert_eq!(passage.origin(4..6), [Lines::one(2)]);
        assert_eq!(passage.origin(3..3), []);
    }

    #[test]
    fn what_is_turned_over_still_knows_its_lines() {
        let turned = passage(&["ab", "cd"]).reversed();
        assert_eq!(turned.bytes(), b"\ndc\nba");
        assert_eq!(turned.origin(1..3), [Lines::one(1)]);
        assert_eq!(turned.origin(4..6), [Lines::one(0)]);
    }

    #[test]
    fn rows_and_parts_go_together() {
        let passage = passage(&["ab", "", "cd"]);
        assert_eq!(passage.rows(), [0..2, 3..3, 4..6]);
        let only = passage.only(&[4..6, 0..1]);
        assert_eq!(only.bytes(), b"cd\na\n");
        assert_eq!(only.origin(0..2), [Lines::one(2)]);
    }
}
