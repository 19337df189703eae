//! Selects the rows that may be encoded, and with which encoding. Only those are decoded.
//!
//! A row of one word may be anything. A row of many words is judged by its characters: prose is mostly lower-case
//! letters, and encoded text has far fewer. So ordinary output costs almost nothing to decode.

use std::ops::Range;

use super::super::passage::Passage;

pub(super) struct Likely {
    pub(super) base64: Passage,
    pub(super) base32: Passage,
    pub(super) hex: Passage,
    pub(super) numbers: Passage,
}

pub(super) fn likely(text: &Passage, rows: &[Range<usize>]) -> Likely {
    let shapes: Vec<_> = rows.iter().map(|row| shape(&text.bytes()[row.clone()])).collect();
    let only = |is_likely: fn(&Shape) -> bool| {
        let likely = rows.iter().zip(&shapes).filter(|(_, shape)| is_likely(shape));
        text.only(&likely.map(|(row, _)| row.clone()).collect::<Vec<_>>())
    };
    Likely {
        base64: only(|shape| shape.is_word() || (shape.capitals + shape.digits) * 4 >= shape.all()),
        base32: only(|shape| shape.is_word() || (shape.capitals + shape.digits) * 2 >= shape.all()),
        hex: only(|shape| shape.hex * 2 >= shape.all()),
        numbers: only(|shape| shape.digits * 4 >= shape.all()),
    }
}

/// The number of characters of each kind in a row.
#[derive(Default)]
struct Shape {
    small: usize,
    capitals: usize,
    digits: usize,
    /// Digits, letters up to `f`, and the `x` of `0x`.
    hex: usize,
    blanks_inside: usize,
}

impl Shape {
    fn all(&self) -> usize {
        self.small + self.capitals + self.digits
    }

    fn is_word(&self) -> bool {
        self.blanks_inside == 0
    }
}

fn shape(row: &[u8]) -> Shape {
    let mut shape = Shape::default();
    for byte in row.trim_ascii() {
        match byte {
            b'a'..=b'z' => shape.small += 1,
            b'A'..=b'Z' => shape.capitals += 1,
            b'0'..=b'9' => shape.digits += 1,
            b' ' | b'\t' => shape.blanks_inside += 1,
            _ => {}
        }
        if matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F' | b'x') {
            shape.hex += 1;
        }
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::super::super::passage::Lines;
    use super::*;

    fn kinds(row: &str) -> Vec<&'static str> {
        let mut text = Passage::default();
        text.extend(row.as_bytes(), Lines::one(0));
        let likely = likely(&text, &text.rows());
        let found = [
            ("base64", likely.base64),
            ("base32", likely.base32),
            ("hex", likely.hex),
            ("numbers", likely.numbers),
        ];
        found.into_iter().filter(|(_, text)| text.len() > 0).map(|(name, _)| name).collect()
    }

    #[test]
    fn prose_is_not_likely_to_be_coded() {
        for row in [
            "the quick brown fox jumps over the lazy dog",
            "test ledger::tests::a_hold_that_was_settled ... ok",
            "  File \"/view/app/main.py\", line 42, in <module>",
        ] {
            assert_eq!(kinds(row), Vec::<&str>::new(), "{row}");
        }
    }

    #[test]
    fn encoded_rows_are_sorted_by_encoding() {
        assert_eq!(kinds("bGV0 IHgg PSBz ZWxm"), ["base64", "base32"]);
        assert_eq!(kinds("0x6c, 0x65, 0x74, 0x20"), ["base64", "base32", "hex", "numbers"]);
        assert_eq!(kinds("6c 65 74 20 7f 78"), ["base64", "base32", "hex", "numbers"]);
        assert_eq!(kinds("let there be light, said 108"), Vec::<&str>::new());
        assert_eq!(kinds("pointing 108"), ["base64", "numbers"]);
    }
}
