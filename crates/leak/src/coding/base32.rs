//! Base32 of RFC 4648, with any characters between its symbols and any start.
//!
//! Upper and lower case are read separately, so words in the other case are skipped.

use super::super::passage::Passage;
use super::super::sieve::Sieve;
use super::row_by_row;

/// Eight offsets for upper case, eight for lower case, and each row by itself.
pub(super) fn undone(text: &Passage) -> Vec<Sieve> {
    let mut sieves = whole(text, b'A');
    sieves.extend(whole(text, b'a'));
    sieves.push(row_by_row(text, 5, |byte| value(byte.to_ascii_uppercase(), b'A')));
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

fn value(symbol: u8, first: u8) -> Option<u8> {
    match symbol {
        b'2'..=b'7' => Some(symbol - b'2' + 26),
        _ if symbol.wrapping_sub(first) < 26 => Some(symbol - first),
        _ => None,
    }
}
