//! Base64, with any characters between its symbols and any start.
//!
//! Other characters are skipped, so wrapping, quoting and spacing have no effect. The start of a group of four is
//! unknown, so all four offsets are tried. Each row is also read by itself, for lines that were encoded separately.

use super::super::passage::Passage;
use super::super::sieve::Sieve;
use super::row_by_row;

/// Four offsets for the whole text, and each row by itself.
pub(super) fn undone(text: &Passage) -> [Sieve; 5] {
    let mut sieves: [Sieve; 5] = Default::default();
    let mut group: u32 = 0;
    let mut count = 0_usize;
    for (lines, piece) in text.pieces() {
        for byte in piece {
            let value = SYMBOLS[usize::from(*byte)];
            if value == PAD {
                // The end of a piece; a new group follows.
                let left = group.wrapping_shl(6 * (4 - (count % 4) as u32));
                for nth in 1..count % 4 {
                    sieves[0].push((left >> (24 - 8 * nth)) as u8, lines);
                }
                count = 0;
                continue;
            }
            if value == NONE {
                continue;
            }
            group = group << 6 | u32::from(value);
            count += 1;
            if count >= 4 {
                let sieve = &mut sieves[count % 4];
                for shift in [16, 8, 0] {
                    sieve.push((group >> shift) as u8, lines);
                }
            }
        }
    }
    let symbol = |byte| Some(SYMBOLS[usize::from(byte)]).filter(|value| *value < 64);
    sieves[4] = row_by_row(text, 6, symbol);
    sieves
}

const NONE: u8 = 255;
const PAD: u8 = 254;

const SYMBOLS: [u8; 256] = {
    let mut table = [NONE; 256];
    let mut nth = 0;
    while nth < 26 {
        table[b'A' as usize + nth] = nth as u8;
        table[b'a' as usize + nth] = nth as u8 + 26;
        nth += 1;
    }
    nth = 0;
    while nth < 10 {
        table[b'0' as usize + nth] = nth as u8 + 52;
        nth += 1;
    }
    table[b'+' as usize] = 62;
    table[b'-' as usize] = 62;
    table[b'/' as usize] = 63;
    table[b'_' as usize] = 63;
    table[b'=' as usize] = PAD;
    table
};
