//! Hex digits with any separators: in one word, in pairs, as `\x6c`, as `0x6c,`, as a dump with addresses.

use super::super::passage::{Lines, Passage};
use super::super::sieve::Sieve;

/// Two offsets for the whole text, each row by itself, and each row as a line of a dump.
pub(super) fn undone(text: &Passage) -> Vec<Sieve> {
    let mut sieves = whole(text);
    let mut rows = Sieve::default();
    let mut dump = Sieve::default();
    for row in text.rows() {
        let Some(lines) = text.origin(row.clone()).into_iter().reduce(Lines::with) else {
            continue;
        };
        let row = &text.bytes()[row];
        if let Some(piece) = pairs(row) {
            rows.push_whole(&piece, lines);
        }
        for byte in dumped(row) {
            dump.push(byte, lines);
        }
    }
    sieves.extend([rows, dump]);
    sieves
}

/// All digits in sequence; any other letter ends a piece.
fn whole(text: &Passage) -> Vec<Sieve> {
    let mut sieves: Vec<Sieve> = Vec::new();
    sieves.resize_with(2, Sieve::default);
    let mut pair: u8 = 0;
    let mut count = 0_usize;
    let mut last = 0;
    for (lines, piece) in text.pieces() {
        for byte in piece {
            match digit(*byte) {
                Some(digit) => {
                    pair = pair << 4 | digit;
                    count += 1;
                    if count >= 2 {
                        sieves[count % 2].push(pair, lines);
                    }
                }
                // The zero belongs to a `0x` prefix.
                None if matches!(byte, b'x' | b'X') && last == b'0' && count > 0 => {
                    count -= 1;
                    pair >>= 4;
                }
                None if matches!(byte, b'x' | b'X') => {}
                None if byte.is_ascii_alphanumeric() => count = 0,
                None => {}
            }
            last = *byte;
        }
    }
    sieves
}

/// The bytes of a row that has only hex digits and separators.
fn pairs(row: &[u8]) -> Option<Vec<u8>> {
    let mut digits = Vec::new();
    for byte in row {
        match digit(*byte) {
            Some(digit) => digits.push(digit),
            None if matches!(byte, b'x' | b'X')
                && digits.last() == Some(&0)
                && digits.len() % 2 == 1 =>
            {
                digits.pop();
            }
            None if matches!(byte, b'x' | b'X') => {}
            None if byte.is_ascii_alphanumeric() => return None,
            None => {}
        }
    }
    let bytes: Vec<u8> = digits.as_chunks().0.iter().map(|[high, low]| high << 4 | low).collect();
    (!bytes.is_empty()).then_some(bytes)
}

/// The bytes of a dump line: an address, then pairs, then perhaps the same as text.
fn dumped(row: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let words = row.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
    for (nth, word) in words.enumerate() {
        let word = word.strip_suffix(b":").unwrap_or(word);
        let is_hex = word.len() % 2 == 0 && word.iter().all(|byte| digit(*byte).is_some());
        if nth == 0 && is_hex && word.len() >= 6 {
            continue;
        }
        if !is_hex || word.len() > 8 || bytes.len() >= DUMP_BYTES_MAX {
            break;
        }
        let pair = |[high, low]: &[u8; 2]| Some(digit(*high)? << 4 | digit(*low)?);
        bytes.extend(word.as_chunks().0.iter().filter_map(pair));
    }
    bytes
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

/// The text column of a dump line follows after this many bytes.
const DUMP_BYTES_MAX: usize = 16;
