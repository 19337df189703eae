//! Readings: the ways to read a text without decoding it.
//!
//! The whole text; the text without digits; without labels; only the lines that equal sealed lines, so that noise
//! between them has no effect; the first and the last letters of its lines as columns. Each in both line orders. A
//! decoded candidate is read in fewer ways.

use std::ops::Range;

use super::labels::unlabelled;
use super::letters::{Keep, add_letters};
use super::passage::{Lines, Passage};
use super::sealed::Sealed;

/// In how many ways a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Care {
    /// All of them.
    All,
    /// The most likely ones.
    Some,
}

/// The letters of one reading.
pub(super) struct Reading {
    pub(super) keep: Keep,
    pub(super) letters: Passage,
}

/// A line that equals a sealed line.
pub(super) struct WholeLine {
    pub(super) lines: Lines,
    pub(super) row: u32,
    /// Its letters in the corpus without digits.
    pub(super) part: Range<usize>,
}

/// Calls `take` with every reading of `text`, and returns the lines that equal sealed lines.
///
/// One reading at a time, to bound memory.
pub(super) fn read_in_every_way<Stop>(
    text: &Passage,
    care: Care,
    sealed: &Sealed,
    mut take: impl FnMut(&Reading) -> Result<(), Stop>,
) -> Result<Vec<WholeLine>, Stop> {
    let rows = text.rows();
    let bodies = unlabelled(text, &rows);
    let (known, whole) = known_rows(text, &rows, &bodies, sealed);
    let all = 0..text.len();
    let all = std::slice::from_ref(&all);
    let mut ways: Vec<(&[Range<usize>], Keep, Order)> = vec![
        (all, Keep::Digits, Order::Forward),
        (all, Keep::Letters, Order::Forward),
        (&rows, Keep::Letters, Order::Backward),
        (&known, Keep::Letters, Order::Forward),
        (&known, Keep::Letters, Order::Backward),
    ];
    let columns = match care {
        Care::All if rows.len() >= COLUMN_ROWS_MIN => columns(text, &rows),
        Care::All | Care::Some => Vec::new(),
    };
    match care {
        Care::All => {
            ways.extend(bodies.iter().map(|bodies| (&**bodies, Keep::Letters, Order::Forward)));
            for parts in columns.iter().chain(bodies.last()) {
                ways.push((parts, Keep::Letters, Order::Backward));
            }
            ways.extend(columns.iter().map(|column| (&**column, Keep::Letters, Order::Forward)));
        }
        Care::Some => {
            ways.extend(bodies.last().map(|bodies| (&**bodies, Keep::Letters, Order::Forward)));
        }
    }
    for (parts, keep, order) in ways {
        let letters = match order {
            Order::Forward => read(text, parts.iter().cloned(), keep),
            Order::Backward => read(text, parts.iter().rev().cloned(), keep),
        };
        take(&Reading { keep, letters })?;
    }
    Ok(whole)
}

/// The letters of some parts, in the given order.
fn read(text: &Passage, parts: impl Iterator<Item = Range<usize>>, keep: Keep) -> Passage {
    let mut read = Passage::default();
    for part in parts {
        for (lines, piece) in text.pieces_of(part) {
            read.write_from(lines, |row| add_letters(piece, keep, row));
        }
    }
    read
}

/// The rows that equal sealed lines, with or without a label.
fn known_rows(
    text: &Passage,
    rows: &[Range<usize>],
    bodies: &[Vec<Range<usize>>],
    sealed: &Sealed,
) -> (Vec<Range<usize>>, Vec<WholeLine>) {
    let mut known = Vec::new();
    let mut whole = Vec::new();
    let mut row_letters = Vec::new();
    for (nth, row) in rows.iter().enumerate() {
        let bodies = bodies.iter().filter_map(|bodies| bodies.get(nth)).cloned();
        let behind = behind_colon(text.bytes(), row.clone());
        let quoted = quoted(text.bytes(), row.clone());
        let mut candidates = std::iter::once(row.clone()).chain(bodies).chain(behind).chain(quoted);
        let mut before = 0..0;
        let found = candidates.find_map(|part| {
            if part == before {
                return None;
            }
            before = part.clone();
            row_letters.clear();
            add_letters(text.bytes().get(part.clone())?, Keep::Letters, &mut row_letters);
            let (sealed_row, place) = sealed.whole_row(&row_letters)?;
            Some((part, sealed_row, place))
        });
        let Some((part, row, place)) = found else { continue };
        let lines = text.origin(part.clone()).into_iter();
        whole.extend(lines.map(|lines| WholeLine { lines, row, part: place.clone() }));
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

#[derive(Clone, Copy)]
enum Order {
    Forward,
    Backward,
}

#[derive(Clone, Copy)]
enum End {
    First,
    Last,
}

/// One letter, or other character, of each row, from either end.
fn columns(text: &Passage, rows: &[Range<usize>]) -> Vec<Vec<Range<usize>>> {
    let column = |end: End, is_one: fn(&u8) -> bool| {
        let letter = |row: &Range<usize>| {
            let bytes = &text.bytes()[row.clone()];
            let at = match end {
                End::First => bytes.iter().position(is_one)?,
                End::Last => bytes.iter().rposition(is_one)?,
            };
            Some(row.start + at..row.start + at + 1)
        };
        rows.iter().filter_map(letter).collect()
    };
    vec![
        column(End::First, u8::is_ascii_alphabetic),
        column(End::First, u8::is_ascii_graphic),
        column(End::Last, u8::is_ascii_alphabetic),
        column(End::Last, u8::is_ascii_graphic),
    ]
}

/// Fewer letters cannot match.
const COLUMN_ROWS_MIN: usize = super::corpus::GRAM;
