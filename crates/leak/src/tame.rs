//! Output as harmless text: valid UTF-8, no terminal control, no invisible characters.
//!
//! Characters removed here carry nothing further, so they need no filter.

/// The text of `output`, without control characters except tab and line feed.
pub(super) fn tame(output: &[u8]) -> String {
    let mut text = String::with_capacity(output.len());
    let mut state = State::Text;
    let mut before_feed = Carriage::Still;
    for chunk in output.utf8_chunks() {
        let mut rest = chunk.valid();
        while !rest.is_empty() {
            let plain = if state == State::Text && before_feed == Carriage::Still {
                plain_head(rest)
            } else {
                ""
            };
            text.push_str(plain);
            rest = &rest[plain.len()..];
            if let Some(character) = rest.chars().next() {
                state = step(state, character, &mut before_feed, &mut text);
                rest = &rest[character.len_utf8()..];
            }
        }
        if !chunk.invalid().is_empty() {
            state = step(state, char::REPLACEMENT_CHARACTER, &mut before_feed, &mut text);
        }
    }
    if before_feed == Carriage::Returned {
        text.push('\n');
    }
    text
}

/// The leading part that needs no change; usually all of it.
fn plain_head(text: &str) -> &str {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    &text[..text.bytes().position(|byte| !is_plain(byte)).unwrap_or(text.len())]
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Text,
    /// After the escape character.
    Escape,
    /// Inside a control sequence, up to its final letter.
    Sequence,
    /// Inside a title, a link or another string for the terminal.
    ControlString,
    /// The same, after an escape character that may end it.
    ControlStringEscape,
}

/// Whether a carriage return waits for its line feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Carriage {
    Still,
    Returned,
}

fn step(state: State, character: char, carriage: &mut Carriage, text: &mut String) -> State {
    match (state, character) {
        (State::Text, _) => write(character, carriage, text),
        (State::Escape, '[') => State::Sequence,
        (State::Escape, ']' | 'P' | 'X' | '^' | '_') => State::ControlString,
        // Two or three characters, for example to choose a character set.
        (State::Escape, ' '..='/') => State::Escape,
        (State::Escape, '0'..='~') => State::Text,
        (State::Escape, _) => write(character, carriage, text),
        (State::Sequence, ' '..='?') => State::Sequence,
        (State::Sequence, '@'..='~') => State::Text,
        (State::Sequence, _) => write(character, carriage, text),
        (State::ControlString, '\u{7}' | '\u{9c}') => State::Text,
        (State::ControlString, '\u{1b}') => State::ControlStringEscape,
        // An unterminated string ends with its line.
        (State::ControlString | State::ControlStringEscape, '\n' | '\r') => {
            write(character, carriage, text)
        }
        (State::ControlString, _) => State::ControlString,
        (State::ControlStringEscape, '\\') => State::Text,
        (State::ControlStringEscape, _) => State::ControlString,
    }
}

fn write(character: char, carriage: &mut Carriage, text: &mut String) -> State {
    // A lone carriage return overwrites a line; the old text was visible, so it stays as a line of its own.
    if *carriage == Carriage::Returned && character != '\n' {
        text.push('\n');
    }
    *carriage = Carriage::Still;
    match character {
        '\n' | '\t' => text.push(character),
        '\r' => *carriage = Carriage::Returned,
        '\u{2028}' | '\u{2029}' => text.push('\n'),
        '\u{8}' => {
            // Backspace removes a character.
            if text.chars().next_back().is_some_and(|last| last != '\n') {
                text.pop();
            }
        }
        '\u{1b}' => return State::Escape,
        '\u{9b}' => return State::Sequence,
        '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => return State::ControlString,
        '\u{fe0e}' | '\u{fe0f}' => {
            // A variation selector is valid once, after a symbol; anywhere else it can carry hidden data.
            let last = text.chars().next_back();
            if last.is_some_and(|last| !last.is_ascii() && !matches!(last, '\u{fe0e}' | '\u{fe0f}'))
            {
                text.push(character);
            }
        }
        _ if character.is_control() || is_unseen(character) => {}
        _ => text.push(character),
    }
    State::Text
}

/// Characters without a glyph: joiners, directions, tags, fillers.
fn is_unseen(character: char) -> bool {
    matches!(
        u32::from(character),
        0xad | 0x34f | 0x61c | 0x115f | 0x1160 | 0x17b4 | 0x17b5
            | 0x180b..=0x180f
            | 0x200b..=0x200f
            | 0x202a..=0x202e
            | 0x2060..=0x206f
            | 0x3164
            | 0xfe00..=0xfe0d
            | 0xfeff
            | 0xffa0
            | 0xfff0..=0xfffb
            | 0x1bca0..=0x1bca3
            | 0x1d173..=0x1d17a
            | 0xe0000..=0xe0fff
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(output: &[u8], expected: &str) {
        assert_eq!(tame(output), expected, "{}", output.escape_ascii());
    }

    #[test]
    fn colours_titles_and_links_are_gone() {
        check(
            b"\x1b[1;31merror\x1b[0m: x\x1b]0;title\x07!\x1b]8;;http://x\x1b\\y\x1b]8;;\x1b\\",
            "error: x!y",
        );
        check(b"\x1b(B\x1b7a\x1b8\xc2\x9b2Jb", "ab");
    }

    #[test]
    fn a_string_that_does_not_end_takes_only_its_line() {
        check(b"a\x1b]0;never\nb\n", "a\nb\n");
    }

    #[test]
    fn ends_of_lines_are_line_feeds() {
        check(b"a\r\nb\rc\r", "a\nb\nc\n");
        check(b"a\r\r\nb", "a\n\nb");
    }

    #[test]
    fn what_was_struck_over_is_gone() {
        check(b"l\x08le\x08et\n\x08x", "let\nx");
    }

    #[test]
    fn controls_and_the_unseen_are_gone() {
        check("a\0b\u{200b}c\u{202e}d\u{e0061}e\u{7f}f\tg".as_bytes(), "abcdef\tg");
        check("✔\u{fe0f}\u{fe0f} a\u{fe0f}".as_bytes(), "✔\u{fe0f} a");
    }

    #[test]
    fn broken_bytes_become_the_replacement_character() {
        check(b"a\xffb\xe2\x82", "a\u{fffd}b\u{fffd}");
    }

    #[test]
    fn two_byte_text_is_read_without_its_zeros() {
        check(b"l\0e\0t\0", "let");
    }
}
