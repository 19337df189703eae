//! Base32 of RFC 4648, with any characters between its symbols and any start.
//!
//! Upper and lower case are read separately, so words in the other case are skipped.

use super::super::passage::{Lines, Passage};
use super::super::sieve::Sieve;

/// Eight offsets for upper case, eight for lower case, and each row by itself.
pub(super) fn undone(text: &Passage) -> Vec<Sieve> {
    let mut sieves = whole(text, b'A');
    sieves.extend(whole(text, b'a'));
    sieves.push(one_by_one(text));
    sieves
}

fn whole(text: &Passage, first: u8) -> Vec<Sieve> {
    let mut sieves: Vec<Sieve> = Vec::new();
    sieves.resize_with(8, Sieve::default);
    let mut group: u64 = 0;
    let mut count = 0_usize;
    for (lines, piece) in text.pieces() {
        for byte in piece {
            if *byte == b'=' {
                count = 0;
                continue;
            }
            let Some(value) = value(*byte, first) else { continue };
            group = group << 5 | u64::from(value);
            count += 1;
            if count >= 8 {
                let sieve = &mut sieves[count % 8];
                for shift in [32, 24, 16, 8, 0] {
                    sieve.push((group >> shift) as u8, lines);
                }
            }
        }
    }
    sieves
}

/// Reads each row as a separate text.
fn one_by_one(text: &Passage) -> Sieve {
    let mut sieve = Sieve::default();
    for row in text.rows() {
        let Some(lines) = text.origin(row.clone()).into_iter().reduce(Lines::with) else {
            continue;
        };
        let mut piece = Vec::new();
        let mut group: u64 = 0;
        let mut bits = 0;
        for byte in &text.bytes()[row] {
            let Some(value) = value(byte.to_ascii_uppercase(), b'A') else { continue };
            group = group << 5 | u64::from(value);
            bits += 5;
            if bits >= 8 {
                bits -= 8;
                piece.push((group >> bits) as u8);
            }
        }
        if !piece.is_empty() {
            sieve.push_whole(&piece, lines);
        }
    }
    sieve
}

fn value(symbol: u8, first: u8) -> Option<u8> {
    match symbol {
        b'2'..=b'7' => Some(symbol - b'2' + 26),
        _ if symbol.wrapping_sub(first) < 26 => Some(symbol - first),
        _ => None,
    }
}
