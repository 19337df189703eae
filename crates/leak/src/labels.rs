//! Finds where the text of a line begins, after a label: a number, a diff mark, `error: `, a time.
//!
//! If source is printed one line per message, each line has the same label. A prefix that repeats is a label; a prefix
//! that occurs once may be text and stays.

use std::collections::HashMap;
use std::ops::Range;

use super::passage::Passage;

/// The rows without one, two and three labels, as far as they have any.
pub(super) fn unlabelled(text: &Passage, rows: &[Range<usize>]) -> Vec<Vec<Range<usize>>> {
    let bytes = text.bytes();
    let mut stripped: Vec<Vec<Range<usize>>> = Vec::new();
    for _ in 0..LABELS_MAX {
        let outer = stripped.last().map_or(rows, Vec::as_slice);
        let inner = without_label(bytes, outer);
        let says_more = |(outer, inner): (&Range<usize>, &Range<usize>)| {
            bytes[outer.start..inner.start].iter().any(u8::is_ascii_alphanumeric)
        };
        if !outer.iter().zip(&inner).any(says_more) {
            break;
        }
        stripped.push(inner);
    }
    stripped
}

fn without_label(bytes: &[u8], rows: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut seen: HashMap<u64, u32> = HashMap::new();
    let mut labels = Vec::with_capacity(rows.len());
    for row in rows {
        let body = without_numbers(bytes, row.clone());
        let label = label(&bytes[body.clone()]);
        if let Some((_, key)) = label {
            *seen.entry(key).or_default() += 1;
        }
        labels.push((body, label));
    }
    let strip = |(body, label): (Range<usize>, Option<(usize, u64)>)| match label {
        Some((width, key)) if seen[&key] >= REPEATS_MIN => {
            without_numbers(bytes, body.start + width..body.end)
        }
        Some(_) | None => body,
    };
    labels.into_iter().map(strip).collect()
}

/// The last word of each row: encoded data often follows a message.
pub(super) fn last_words(text: &Passage, rows: &[Range<usize>]) -> Vec<Range<usize>> {
    let bytes = text.bytes();
    let last = |row: &Range<usize>| {
        let blank = |byte: &u8| {
            byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b',' | b';')
        };
        let end = bytes[row.clone()]
            .iter()
            .rposition(|byte| !blank(byte))
            .map(|at| row.start + at + 1)?;
        let begin = bytes[row.start..end]
            .iter()
            .rposition(blank)
            .map_or(row.start, |at| row.start + at + 1);
        // The whole-text readings already cover a row of one word.
        (begin > row.start).then_some(begin..end)
    };
    rows.iter().filter_map(last).collect()
}

/// Skips blanks, punctuation and numbers.
fn without_numbers(bytes: &[u8], row: Range<usize>) -> Range<usize> {
    let text = &bytes[row.clone()];
    let mut begin = 0;
    while let Some(byte) = text.get(begin) {
        if byte.is_ascii_digit() {
            let digits = text[begin..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            // `2nd` and `0x3f` are words.
            if text.get(begin + digits).is_some_and(u8::is_ascii_alphabetic) {
                break;
            }
            begin += digits;
        } else if byte.is_ascii_alphanumeric() || *byte >= 0x80 || *byte == b'_' {
            break;
        } else {
            begin += 1;
        }
    }
    row.start + begin..row.end
}

/// The width of the label at the start of a text, and a hash of it that ignores digits.
fn label(text: &[u8]) -> Option<(usize, u64)> {
    let head = &text[..text.len().min(LABEL_BYTES_MAX)];
    let width =
        head.iter().position(|byte| matches!(byte, b':' | b'|' | b'>' | b']' | b')' | b'='))? + 1;
    let mut key: u64 = 0xcbf2_9ce4_8422_2325;
    let mut in_digits = Digits::No;
    for byte in &head[..width] {
        let (byte, digits) =
            if byte.is_ascii_digit() { (b'0', Digits::Yes) } else { (*byte, Digits::No) };
        if digits == Digits::No || in_digits == Digits::No {
            key = (key ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        in_digits = digits;
    }
    Some((width, key))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Digits {
    Yes,
    No,
}

/// The most labels in one row.
const LABELS_MAX: usize = 3;
const LABEL_BYTES_MAX: usize = 80;
/// A prefix must occur this often to count as a label.
const REPEATS_MIN: u32 = 3;

#[cfg(test)]
mod tests {
    use super::super::passage::Lines;
    use super::*;

    fn bodies(lines: &[&str]) -> Vec<String> {
        let mut text = Passage::default();
        for line in lines {
            text.extend(line.as_bytes(), Lines::one(0));
            text.push(b'\n', Lines::one(0));
        }
        let rows = text.rows();
        let bodies = unlabelled(&text, &rows).pop().unwrap_or(rows);
        bodies
            .into_iter()
            .map(|row| String::from_utf8_lossy(&text.bytes()[row]).into_owned())
            .collect()
    }

    #[test]
    fn numbers_and_marks_are_labels() {
        assert_eq!(bodies(&["12 | let x = 1;", "+13: 7) y", "0x3f"]), ["let x = 1;", "y", "0x3f"]);
    }

    #[test]
    fn what_repeats_is_a_label() {
        let lines = ["error: a b", "error: c: d", "error: e"];
        assert_eq!(bodies(&lines), ["a b", "c: d", "e"]);
        assert_eq!(bodies(&lines[..2]), &lines[..2]);
    }

    #[test]
    fn a_time_is_a_label_too() {
        let lines = [
            "[2026-11-15T12:03:04.1 INFO x] a",
            "[2026-11-15T12:03:05.22 INFO x] b",
            "[2026-11-15T12:03:06.333 INFO x] c",
        ];
        assert_eq!(bodies(&lines), ["a", "b", "c"]);
    }

    #[test]
    fn plain_text_has_no_label() {
        let mut text = Passage::default();
        text.extend(b"one\n  - two\n", Lines::one(0));
        assert_eq!(unlabelled(&text, &text.rows()), Vec::<Vec<Range<usize>>>::new());
    }
}
