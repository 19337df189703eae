//! Readings: the ways in which a text can be read without decoding it.
//!
//! All of it; all of it without digits; without labels; only the lines that are lines of sealed source, so that noise
//! between them does not matter; the first and the last letters of its lines, one below the other. Each from the
//! first line to the last and from the last to the first.

use std::ops::Range;

use super::labels::unlabelled;
use super::letters::{Keep, each_letter, letters};
use super::passage::{Lines, Passage};
use super::sealed::Sealed;

/// A text's letters, read in one way.
pub(super) struct Reading {
    pub(super) keep: Keep,
    pub(super) letters: Passage,
}

/// A line that is, as a whole, a line of sealed source.
pub(super) struct WholeLine {
    pub(super) lines: Lines,
    pub(super) row: u32,
    /// Its letters in the corpus without digits.
    pub(super) part: Range<usize>,
}

/// Every reading of `text`, and the lines that are sealed lines.
pub(super) fn readings(text: &Passage, sealed: &Sealed) -> (Vec<Reading>, Vec<WholeLine>) {
    let rows = text.rows();
    let bodies = unlabelled(text, &rows);
    let (known, whole) = known_rows(text, &rows, bodies.as_deref(), sealed);
    let mut all = Vec::new();
    let mut both_ways = |parts: &[Range<usize>], keep: Keep| {
        all.push(Reading { keep, letters: read(text, parts.iter().cloned(), keep) });
        all.push(Reading { keep, letters: read(text, parts.iter().rev().cloned(), keep) });
    };
    both_ways(&rows, Keep::Digits);
    both_ways(&rows, Keep::Letters);
    if let Some(bodies) = &bodies {
        both_ways(bodies, Keep::Letters);
    }
    both_ways(&known, Keep::Letters);
    if rows.len() >= COLUMN_ROWS_MIN {
        both_ways(&column(text, &rows, End::First), Keep::Letters);
        both_ways(&column(text, &rows, End::Last), Keep::Letters);
    }
    (all, whole)
}

/// The letters of some parts, in the given order.
fn read(text: &Passage, parts: impl Iterator<Item = Range<usize>>, keep: Keep) -> Passage {
    let mut read = Passage::default();
    for part in parts {
        for (lines, piece) in text.pieces_of(part) {
            read.begin_from(lines);
            each_letter(piece, keep, |_, letter| read.add(letter));
        }
    }
    read
}

/// The rows that are lines of sealed source, with or without what stands before them.
fn known_rows(
    text: &Passage,
    rows: &[Range<usize>],
    bodies: Option<&[Range<usize>]>,
    sealed: &Sealed,
) -> (Vec<Range<usize>>, Vec<WholeLine>) {
    let mut known = Vec::new();
    let mut whole = Vec::new();
    for (nth, row) in rows.iter().enumerate() {
        let body = bodies.and_then(|bodies| bodies.get(nth)).filter(|body| *body != row);
        let behind = behind_colon(text.bytes(), row.clone());
        let quoted = quoted(text.bytes(), row.clone());
        let candidates = [Some(row.clone()), body.cloned(), behind, quoted];
        let found = candidates.into_iter().flatten().find_map(|part| {
            let letters = letters(text.bytes().get(part.clone())?, Keep::Letters);
            let (sealed_row, place) = sealed.whole_row(&letters)?;
            Some((part, sealed_row, place))
        });
        let Some((part, row, place)) = found else { continue };
        whole.extend(text.origin(part.clone()).into_iter().map(|lines| WholeLine {
            lines,
            row,
            part: place.clone(),
        }));
        known.push(part);
    }
    (known, whole)
}

fn behind_colon(bytes: &[u8], row: Range<usize>) -> Option<Range<usize>> {
    let colon = bytes[row.clone()].windows(2).position(|two| two == b": ")?;
    Some(row.start + colon + 2..row.end)
}

fn quoted(bytes: &[u8], row: Range<usize>) -> Option<Range<usize>> {
    let quote = |byte: &u8| matches!(byte, b'"' | b'\'' | b'`');
    let first = bytes[row.clone()].iter().position(quote)?;
    let last = bytes[row.clone()].iter().rposition(quote)?;
    (first < last).then(|| row.start + first + 1..row.start + last)
}

/// Which end of a line is read.
#[derive(Clone, Copy)]
enum End {
    First,
    Last,
}

/// One letter of each row.
fn column(text: &Passage, rows: &[Range<usize>], end: End) -> Vec<Range<usize>> {
    let letter = |row: &Range<usize>| {
        let bytes = &text.bytes()[row.clone()];
        let at = match end {
            End::First => bytes.iter().position(u8::is_ascii_alphabetic)?,
            End::Last => bytes.iter().rposition(u8::is_ascii_alphabetic)?,
        };
        Some(row.start + at..row.start + at + 1)
    };
    rows.iter().filter_map(letter).collect()
}

/// Fewer letters than this cannot be found anyway.
const COLUMN_ROWS_MIN: usize = super::corpus::GRAM;
