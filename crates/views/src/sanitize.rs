//! Text from agents and people, made safe for a terminal.

/// Whether a character controls a terminal, ends a line, or reverses the direction of text and so hides what it says.
pub fn steers(c: char) -> bool {
    c.is_control() || ends_a_line(c) || is_bidi(c)
}

/// The text on one line, with U+FFFD for each character that [`steers`].
pub fn sanitize(text: &str) -> String {
    text.chars().map(|c| if steers(c) { '\u{fffd}' } else { c }).collect()
}

/// Line ends that are not control characters.
fn ends_a_line(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}')
}

fn is_bidi(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(
            sanitize("ada\u{1b}[2J\u{202e}\r\nbob é\u{2028}"),
            "ada\u{fffd}[2J\u{fffd}\u{fffd}\u{fffd}bob é\u{fffd}"
        );
    }
}
