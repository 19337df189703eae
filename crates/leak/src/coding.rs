//! Encodings that hide a text, and how to undo them.
//!
//! Each submodule undoes one family. None of them decides anything: the search reads the result like any other text.

mod base32;
mod base64;
mod escapes;
mod hex;
mod likely;
mod numbers;

use std::fmt;

use serde::{Deserialize, Serialize};

use super::labels::{last_words, unlabelled};
use super::passage::{Lines, Passage};
use super::search::{SearchBudget, TooTangled};
use super::sieve::Sieve;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Coding {
    Reversed,
    Rot13,
    /// Printable ASCII characters rotated by 47.
    Rot47,
    /// Base64, both alphabets, wrapped or not.
    Base64,
    /// Base32 of RFC 4648.
    Base32,
    /// Two hex digits per byte, with any separators.
    Hex,
    Decimal,
    /// Bytes as octal numbers of three digits.
    Octal,
    Binary,
    /// Escapes of JSON, C, Rust, URLs, HTML and quoted-printable.
    Escapes,
    /// Compressed with gzip or zlib.
    Deflate,
}

/// A text with one encoding undone, or two if it was also compressed.
pub(super) struct Decoded {
    pub(super) codings: Vec<Coding>,
    pub(super) text: Passage,
}

/// The last step that was undone: a reversal or rotation is not applied twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turned {
    Yes,
    NotYet,
}

/// Every text that `text` may encode.
pub(super) fn decoded(
    text: &Passage,
    turned: Turned,
    work: &mut SearchBudget,
) -> Result<Vec<Decoded>, TooTangled> {
    let mut all = Vec::new();
    if turned == Turned::NotYet {
        all.push(one(Coding::Reversed, text.reversed()));
        all.push(one(Coding::Rot13, text.replaced(rot13)));
        all.push(one(Coding::Rot47, text.replaced(rot47)));
    }
    if let Some(plain) = escapes::undone(text) {
        all.push(one(Coding::Escapes, plain));
    }
    let rows = text.rows();
    let mut dresses = vec![last_words(text, &rows)];
    dresses.extend(unlabelled(text, &rows).pop());
    dresses.push(rows);
    for rows in dresses {
        let likely = likely::likely(text, &rows);
        sifted(Coding::Base64, base64::undone(&likely.base64), work, &mut all)?;
        sifted(Coding::Base32, base32::undone(&likely.base32), work, &mut all)?;
        sifted(Coding::Hex, hex::undone(&likely.hex), work, &mut all)?;
        sifted(Coding::Decimal, [numbers::decimal(&likely.numbers)], work, &mut all)?;
        sifted(Coding::Octal, [numbers::octal(&likely.numbers)], work, &mut all)?;
        sifted(Coding::Binary, numbers::binary(&likely.numbers), work, &mut all)?;
    }
    Ok(all)
}

fn one(coding: Coding, text: Passage) -> Decoded {
    Decoded { codings: vec![coding], text }
}

fn sifted(
    coding: Coding,
    sieves: impl IntoIterator<Item = Sieve>,
    work: &mut SearchBudget,
    all: &mut Vec<Decoded>,
) -> Result<(), TooTangled> {
    for sieve in sieves {
        let sifted = sieve.finish(work)?;
        // A row without a label gives the same text each time.
        let is_known = |known: &Decoded| known.text.bytes() == sifted.text.bytes();
        if sifted.text.len() > 0 && !all.iter().any(is_known) {
            all.push(one(coding, sifted.text));
        }
        let unpacked = sifted.unpacked.into_iter();
        all.extend(unpacked.map(|text| Decoded { codings: vec![coding, Coding::Deflate], text }));
    }
    Ok(())
}

/// Reads each row as a separate text, in symbols that carry `bits` bits each.
fn row_by_row(text: &Passage, bits: u32, value: impl Fn(u8) -> Option<u8>) -> Sieve {
    let mut sieve = Sieve::default();
    for row in text.rows() {
        let Some(lines) = text.origin(row.clone()).into_iter().reduce(Lines::with) else {
            continue;
        };
        let (mut piece, mut group, mut held) = (Vec::new(), 0_u64, 0);
        for value in text.bytes()[row].iter().filter_map(|byte| value(*byte)) {
            group = group << bits | u64::from(value);
            held += bits;
            if held >= 8 {
                held -= 8;
                piece.push((group >> held) as u8);
            }
        }
        if !piece.is_empty() {
            sieve.push_whole(&piece, lines);
        }
    }
    sieve
}

fn rot13(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => (byte - b'a' + 13) % 26 + b'a',
        b'A'..=b'Z' => (byte - b'A' + 13) % 26 + b'A',
        _ => byte,
    }
}

fn rot47(byte: u8) -> u8 {
    match byte {
        b'!'..=b'~' => (byte - b'!' + 47) % 94 + b'!',
        _ => byte,
    }
}

impl Coding {
    /// Whether this encoding permutes characters and leaves a text.
    pub(super) fn turns(self) -> Turned {
        match self {
            Self::Reversed | Self::Rot13 | Self::Rot47 => Turned::Yes,
            Self::Base64
            | Self::Base32
            | Self::Hex
            | Self::Decimal
            | Self::Octal
            | Self::Binary
            | Self::Escapes
            | Self::Deflate => Turned::NotYet,
        }
    }
}

impl fmt::Display for Coding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reversed => "reversed",
            Self::Rot13 => "rot13",
            Self::Rot47 => "rot47",
            Self::Base64 => "base64",
            Self::Base32 => "base32",
            Self::Hex => "hex",
            Self::Decimal => "decimal",
            Self::Octal => "octal",
            Self::Binary => "binary",
            Self::Escapes => "escapes",
            Self::Deflate => "deflate",
        })
    }
}
