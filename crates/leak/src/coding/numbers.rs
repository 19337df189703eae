//! Bytes written as numbers: `[108, 101, 116]`, `154 145 164`, `01101100 01100101`.

use super::super::passage::{Lines, Passage};
use super::super::sieve::Sieve;

/// Every number below 256 is a byte; words between them are skipped.
pub(super) fn decimal(text: &Passage) -> Sieve {
    let mut sieve = Sieve::default();
    each_number(text, |digits, lines| {
        // Longer numbers are addresses and times.
        if digits.len() <= 3 {
            push(&mut sieve, digits, 10, lines);
        }
    });
    sieve
}

/// Every octal number of three digits is a byte.
pub(super) fn octal(text: &Passage) -> Sieve {
    let mut sieve = Sieve::default();
    each_number(text, |digits, lines| {
        if digits.len() == 3 && digits.iter().all(|digit| *digit < b'8') {
            push(&mut sieve, digits, 8, lines);
        }
    });
    sieve
}

/// Numbers of zeros and ones, concatenated; a byte may begin at any digit.
pub(super) fn binary(text: &Passage) -> Vec<Sieve> {
    let mut sieves: Vec<Sieve> = Vec::new();
    sieves.resize_with(8, Sieve::default);
    let mut bits: u8 = 0;
    let mut count = 0_usize;
    each_number(text, |digits, lines| {
        if digits.iter().any(|digit| *digit > b'1') {
            return;
        }
        for digit in digits {
            bits = bits << 1 | (digit - b'0');
            count += 1;
            if count >= 8 {
                sieves[count % 8].push(bits, lines);
            }
        }
    });
    sieves
}

/// A number above 255 ends the piece.
fn push(sieve: &mut Sieve, digits: &[u8], radix: u16, lines: Lines) {
    let value = digits.iter().fold(0, |value, digit| value * radix + u16::from(digit - b'0'));
    match u8::try_from(value) {
        Ok(byte) => sieve.push(byte, lines),
        Err(_) => sieve.gap(),
    }
}

/// Calls `take` with every word that is all digits.
fn each_number(text: &Passage, mut take: impl FnMut(&[u8], Lines)) {
    for (lines, piece) in text.pieces() {
        for word in piece.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_') {
            if !word.is_empty() && word.iter().all(u8::is_ascii_digit) {
                take(word, lines);
            }
        }
    }
}
