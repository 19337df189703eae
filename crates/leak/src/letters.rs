//! Normalisation to letters: a text without case, spaces, punctuation and styling.
//!
//! Sealed source and output are compared letter by letter, so indenting, quoting, wrapping and colouring have no
//! effect. A letter is one byte, never zero: ASCII letters in lower case, digits unchanged, and letters of other
//! scripts folded into the upper half.

/// Which letters are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// Letters and digits.
    Digits,
    /// Letters only, so that line numbers, times and addresses between pieces of source vanish.
    Letters,
}

/// Calls `take` with the position and value of each letter in `text`.
pub(super) fn each_letter(text: &[u8], keep: Keep, mut take: impl FnMut(usize, u8)) {
    let lowest = keep.lowest();
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        if byte < 0x80 {
            let letter = ASCII[usize::from(byte)];
            if letter >= lowest {
                take(at, letter);
            }
            at += 1;
        } else {
            let (character, width) = wide(&text[at..]);
            if let Some(letter) = character.and_then(undressed).filter(|letter| *letter >= lowest) {
                take(at, letter);
            }
            at += width;
        }
    }
}

/// Appends the letters of `text` to `row`.
pub(super) fn add_letters(text: &[u8], keep: Keep, row: &mut Vec<u8>) {
    let begin = row.len();
    if !text.is_ascii() {
        each_letter(text, keep, |_, letter| row.push(letter));
        return;
    }
    // This runs dozens of times per output. Writing every byte and advancing only for letters avoids branch
    // mispredictions.
    let lowest = keep.lowest();
    row.resize(begin + text.len(), 0);
    let room = &mut row[begin..];
    let mut count = 0;
    for byte in text {
        let letter = ASCII[usize::from(*byte)];
        room[count] = letter;
        count += usize::from(letter >= lowest);
    }
    row.truncate(begin + count);
}

impl Keep {
    /// The smallest kept letter.
    fn lowest(self) -> u8 {
        match self {
            Self::Digits => b'0',
            Self::Letters => b'a',
        }
    }
}

/// The character at the start, if it is valid, and its length in bytes.
fn wide(text: &[u8]) -> (Option<char>, usize) {
    let width = match text[0] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return (None, 1),
    };
    let character = text.get(..width).and_then(|bytes| core::str::from_utf8(bytes).ok());
    match character.and_then(|text| text.chars().next()) {
        Some(character) => (Some(character), width),
        None => (None, 1),
    }
}

/// The letter of a character outside ASCII.
///
/// Full-width and mathematical alphabets, and Greek and Cyrillic letters that look like Latin ones, map to the Latin
/// letter, because a reader reads them so.
fn undressed(character: char) -> Option<u8> {
    // Invalid bytes produce many of these, and the letter tables are slow.
    if character == char::REPLACEMENT_CHARACTER {
        return None;
    }
    let code = u32::from(character);
    let plain = match code {
        0xff01..=0xff5e => char::from_u32(code - 0xff01 + 0x21),
        0x1d400..=0x1d6a3 => from_alphabet(code - 0x1d400),
        0x1d7ce..=0x1d7ff => char::from_digit((code - 0x1d7ce) % 10, 10),
        0x24b6..=0x24e9 => char::from_u32(u32::from(b'a') + (code - 0x24b6) % 26),
        0x1f130..=0x1f149 => char::from_u32(code - 0x1f130 + u32::from(b'a')),
        _ => LOOKS_LIKE.iter().find(|(odd, _)| odd.contains(character)).map(|(_, plain)| *plain),
    };
    match plain {
        Some(plain) if plain.is_ascii_alphanumeric() => {
            u8::try_from(plain.to_ascii_lowercase()).ok()
        }
        Some(_) => None,
        None if character.is_alphanumeric() => {
            let lower = character.to_lowercase().next().map_or(code, u32::from);
            // Seven bits are enough: a match needs sixteen letters in a row.
            Some(0x80 | u8::try_from((lower ^ lower >> 7 ^ lower >> 14) & 0x7f).unwrap_or(0))
        }
        None => None,
    }
}

/// The mathematical alphabets follow each other, upper case before lower case.
fn from_alphabet(offset: u32) -> Option<char> {
    char::from_u32(u32::from(b'a') + offset % 26)
}

/// Letters of other scripts that look like a Latin one.
const LOOKS_LIKE: &[(&str, char)] = &[
    ("аАΑ", 'a'),
    ("ВΒ", 'b'),
    ("сС", 'c'),
    ("ԁ", 'd'),
    ("еЕΕ", 'e'),
    ("һНΗ", 'h'),
    ("іІΙı", 'i'),
    ("ј", 'j'),
    ("КкΚ", 'k'),
    ("ӏ", 'l'),
    ("МΜ", 'm'),
    ("Ν", 'n'),
    ("оОΟο", 'o'),
    ("рРΡρ", 'p'),
    ("ԛ", 'q'),
    ("ѕЅſ", 's'),
    ("ТΤ", 't'),
    ("ѵν", 'v'),
    ("ԝ", 'w'),
    ("хХΧ", 'x'),
    ("уУΥ", 'y'),
    ("Ζ", 'z'),
];

/// The letter of each ASCII byte, or zero.
const ASCII: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte: u8 = 0;
    while byte < 0x80 {
        if byte.is_ascii_alphanumeric() {
            table[byte as usize] = byte.to_ascii_lowercase();
        }
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(text: &[u8], keep: Keep) -> Vec<u8> {
        let mut row = Vec::new();
        add_letters(text, keep, &mut row);
        row
    }

    fn shown(text: &str, keep: Keep) -> String {
        String::from_utf8_lossy(&letters(text.as_bytes(), keep)).into_owned()
    }

    #[test]
    fn spaces_case_and_punctuation_are_gone() {
        assert_eq!(
            shown("Let x_1 =\n  Foo::BAR(\"é\");", Keep::Digits).replace('\u{fffd}', "?"),
            "letx1foobar?"
        );
    }

    #[test]
    fn digits_go_when_letters_alone_are_asked_for() {
        assert_eq!(shown("12 | let x1 = 0x3f;", Keep::Letters), "letxxf");
    }

    #[test]
    fn letters_in_disguise_are_what_they_look_like() {
        assert_eq!(shown("ｌｅｔ 𝐥𝖊𝓽 lеt ⓛⓔⓣ ＝", Keep::Digits), "letletletlet");
    }

    #[test]
    fn broken_bytes_are_no_letters() {
        assert_eq!(letters(b"a\xff\xc3b\xe2\x82", Keep::Digits), b"ab");
    }

    #[test]
    fn no_letter_is_zero() {
        for code in 0..0x11_0000 {
            let Some(character) = char::from_u32(code) else { continue };
            let mut bytes = [0; 4];
            let text = character.encode_utf8(&mut bytes);
            assert!(!letters(text.as_bytes(), Keep::Digits).contains(&0), "{code:x}");
        }
    }
}
