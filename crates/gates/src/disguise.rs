//! Disguise: code that people read otherwise than a machine does. Signs that turn the direction of writing, and
//! invisible signs, have no place in source; where one is meant, it can be written as an escape.

use std::collections::BTreeSet;

/// The lines of a file that a candidate added and that hold such signs, each with its place.
pub fn disguised(path: &str, before: Option<&str>, now: &str) -> Vec<String> {
    let was: BTreeSet<&str> = before.unwrap_or_default().lines().collect();
    let lines = now.lines().enumerate().filter(|(_, line)| !was.contains(line));
    let found = lines.filter_map(|(nth, line)| {
        let sign = line.chars().find(|c| hides(*c))?;
        let number = nth + 1;
        Some(format!(
            "{path}:{number}: U+{:04X} makes the line read otherwise than it is run; write it as an escape",
            u32::from(sign)
        ))
    });
    found.take(LINES_MAX).collect()
}

/// Whether a sign turns the direction of writing or cannot be seen. What joins emoji and scripts is let be.
fn hides(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}' | '\u{2060}')
}

const LINES_MAX: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_reads_otherwise_than_it_is_run_is_named() {
        let now = "def tax(net):\n    if net > 9: return 0  # \u{202e}\u{2066} exact \u{2069}\n    return net\n";
        let found = disguised("shop/tax.py", Some("def tax(net):\n    return net\n"), now);
        assert_eq!(
            found,
            [
                "shop/tax.py:2: U+202E makes the line read otherwise than it is run; write it as an escape"
            ]
        );
    }

    #[test]
    fn what_was_there_before_is_held_against_nobody() {
        let text = "NAME = '\u{200b}'\n";
        assert_eq!(disguised("a.py", Some(text), &format!("{text}X = 1\n")), [""; 0]);
    }

    #[test]
    fn other_scripts_and_joined_emoji_are_let_be() {
        let text = "WORDS = ['שלום', 'مرحبا', '👩\u{200d}🔬', 'क्\u{200d}ष']\n";
        assert_eq!(disguised("a.py", None, text), [""; 0]);
    }
}
