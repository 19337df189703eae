//! Escapes: `\n`, `\x6c`, `\u006c`, `\u{6c}`, `\154`, `%6C`, `&#108;`, `&lt;`, `=6C`.
//!
//! All of them are undone in one pass, so mixed escapes are read too.

use super::super::passage::Passage;

/// The text without escapes, or `None` if it has none.
pub(super) fn undone(text: &Passage) -> Option<Passage> {
    let begins = |byte: &u8| matches!(byte, b'\\' | b'%' | b'&' | b'=');
    if !text.bytes().iter().any(begins) {
        return None;
    }
    let mut plain = Passage::default();
    let mut found = 0_usize;
    for (lines, piece) in text.pieces() {
        plain.begin_from(lines);
        let mut at = 0;
        while let Some(byte) = piece.get(at) {
            let escape = if begins(byte) { escape(&piece[at..]) } else { None };
            let Some((code, width)) = escape else {
                plain.add(*byte);
                at += 1;
                continue;
            };
            found += 1;
            at += width;
            let mut bytes = [0; 4];
            match char::from_u32(code) {
                // One byte of a multi-byte character, as in URLs.
                Some('\u{80}'..='\u{ff}') => plain.add(code as u8),
                Some(character) => {
                    for byte in character.encode_utf8(&mut bytes).bytes() {
                        plain.add(byte);
                    }
                }
                None => {}
            }
        }
    }
    (found > 0).then_some(plain)
}

/// The character that the escape at the start of `text` encodes, and its length.
fn escape(text: &[u8]) -> Option<(u32, usize)> {
    match text[0] {
        b'\\' => backslash(text),
        b'%' => Some((number(text.get(1..3)?, 16)?, 3)),
        b'=' => match text.get(1)? {
            // A continued line.
            b'\n' => Some((u32::from(b' '), 2)),
            _ if text.get(1..3)?.iter().any(u8::is_ascii_lowercase) => None,
            _ => Some((number(text.get(1..3)?, 16)?, 3)),
        },
        b'&' => entity(text),
        _ => None,
    }
}

fn backslash(text: &[u8]) -> Option<(u32, usize)> {
    match text.get(1)? {
        b'n' => Some((u32::from(b'\n'), 2)),
        b't' | b'r' | b'f' | b'b' | b'v' | b'a' => Some((u32::from(b' '), 2)),
        byte @ (b'"' | b'\'' | b'\\' | b'/' | b'`') => Some((u32::from(*byte), 2)),
        b'x' => match text.get(2)? {
            b'{' => braced(text, 3),
            _ => Some((number(text.get(2..4)?, 16)?, 4)),
        },
        b'u' => match text.get(2)? {
            b'{' => braced(text, 3),
            _ => Some((number(text.get(2..6)?, 16)?, 6)),
        },
        b'U' => Some((number(text.get(2..10)?, 16)?, 10)),
        b'0'..=b'3' => match text.get(1..4).and_then(|digits| number(digits, 8)) {
            Some(code) => Some((code, 4)),
            None => Some((0, 2)),
        },
        _ => None,
    }
}

fn braced(text: &[u8], open: usize) -> Option<(u32, usize)> {
    let digits = text.get(open..)?.iter().take(7).position(|byte| *byte == b'}')?;
    Some((number(text.get(open..open + digits)?, 16)?, open + digits + 1))
}

fn entity(text: &[u8]) -> Option<(u32, usize)> {
    let end = text.iter().take(ENTITY_BYTES_MAX).position(|byte| *byte == b';')?;
    let code = match &text[1..end] {
        [b'#', b'x' | b'X', digits @ ..] => number(digits, 16)?,
        [b'#', digits @ ..] => number(digits, 10)?,
        b"lt" => u32::from(b'<'),
        b"gt" => u32::from(b'>'),
        b"amp" => u32::from(b'&'),
        b"quot" => u32::from(b'"'),
        b"apos" => u32::from(b'\''),
        b"nbsp" => u32::from(b' '),
        _ => return None,
    };
    Some((code, end + 1))
}

fn number(digits: &[u8], radix: u32) -> Option<u32> {
    if digits.is_empty() {
        return None;
    }
    let digits = core::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
    u32::from_str_radix(digits, radix).ok()
}

const ENTITY_BYTES_MAX: usize = 12;

#[cfg(test)]
mod tests {
    use super::super::super::passage::Lines;
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut passage = Passage::default();
        passage.extend(text.as_bytes(), Lines::one(0));
        let plain =
            undone(&passage).map(|plain| String::from_utf8_lossy(plain.bytes()).into_owned());
        assert_eq!(plain.as_deref(), Some(expected), "{text}");
    }

    #[test]
    fn every_dress_comes_off() {
        check(r"l\x65t\n\tx", "let\n x");
        check(r"\u006c\u{65}\U00000074\154", "letl");
        check("%6C%65t%20x%C3%A9", "let xé");
        check("&#108;&#x65;t &lt;x&gt; &amp;&quot;", "let <x> &\"");
        check("=6Cet=\nx=3D1", "let x=1");
    }

    #[test]
    fn what_is_no_escape_stays() {
        check(r"100% & a=b \q \u{110000} %zz \n", "100% & a=b \\q  %zz \n");
    }

    #[test]
    fn a_text_without_escapes_is_not_read_twice() {
        let mut passage = Passage::default();
        passage.extend(b"100% of a & b \\", Lines::one(0));
        assert_eq!(undone(&passage), None);
    }

    #[test]
    fn an_escape_at_the_end_is_no_trouble() {
        for text in ["\\n\\", "\\n%", "\\n&", "\\n=", "\\n\\x", "\\n\\u{", "\\n&#", "\\n%é"] {
            let mut passage = Passage::default();
            passage.extend(text.as_bytes(), Lines::one(0));
            assert!(undone(&passage).is_some(), "{text}");
        }
    }
}
