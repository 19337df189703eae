//! Text of others inside a brief, which it cannot break out of.

/// The text in a fence that is longer than any run of backticks in it.
pub(super) fn fenced(kind: &str, text: &str) -> String {
    let text = cut(&tamed(text), QUOTE_BYTES_MAX);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{kind}\n{}\n{fence}", text.trim_end_matches('\n'))
}

/// The text on one line of bounded length.
pub(super) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    cut(&tamed(&words.join(" ")), LINE_BYTES_MAX)
}

/// The text with a mark before every line, so that no line is a heading or a fence of the brief.
pub(super) fn set_apart(text: &str) -> String {
    let text = cut(&tamed(text), QUOTE_BYTES_MAX);
    let lines: Vec<String> =
        text.trim().lines().map(|line| format!("> {line}").trim_end().to_owned()).collect();
    if lines.is_empty() { "> (nothing)".to_owned() } else { lines.join("\n") }
}

/// The text as inline code on one line.
pub(super) fn name(text: &str) -> String {
    one_line(text).replace('`', "'")
}

/// The text without control characters, direction changes and invisible characters.
fn tamed(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    text.chars().filter(|c| *c == '\n' || *c == '\t' || !is_unseen(*c)).collect()
}

fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// The start of a text, with a note about the rest.
fn cut(text: &str, bytes_max: usize) -> String {
    if text.len() <= bytes_max {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(bytes_max);
    format!("{} […{} bytes left out]", &text[..end], text.len() - end)
}

/// The most bytes of one quoted text. A role that needs more finds it as a file in its view.
pub(super) const QUOTE_BYTES_MAX: usize = 16 << 10;
pub(super) const LINE_BYTES_MAX: usize = 600;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_fence_is_longer_than_any_in_the_text() {
        assert_eq!(fenced("text", "a"), "```text\na\n```");
        assert_eq!(fenced("text", "```\na\n"), "````text\n```\na\n````");
        assert_eq!(fenced("", "`````` b"), "```````\n`````` b\n```````");
    }

    #[test]
    fn what_cannot_be_seen_is_gone() {
        assert_eq!(one_line("a\u{1b}[2J\u{202e}b\u{200b}\n c\u{e0041}"), "a[2Jb c");
        assert_eq!(name("a`b"), "a'b");
    }

    #[test]
    fn a_long_text_says_how_much_is_missing() {
        let line = one_line(&"é".repeat(LINE_BYTES_MAX));
        assert!(line.ends_with(&format!(" […{LINE_BYTES_MAX} bytes left out]")), "{line}");
    }

    proptest! {
        /// For any text the fence opens once and closes once, at the end.
        #[test]
        fn no_text_closes_its_fence(text in "[`~\n a#\u{200b}\r]{0,80}") {
            let block = fenced("text", &text);
            let fence: String = block.chars().take_while(|c| *c == '`').collect();
            let closes = |line: &&str| {
                let line = line.trim_start();
                line.starts_with(&fence) && line.trim_end().chars().all(|c| c == '`')
            };
            let lines: Vec<&str> = block.lines().collect();
            prop_assert_eq!(lines.iter().skip(1).filter(|line| closes(line)).count(), 1);
            prop_assert!(closes(lines.last().unwrap()));
        }

        /// For any text every line begins with the mark.
        #[test]
        fn no_line_gets_out_of_being_set_apart(text in "[`#> \n\r\ta\u{2028}]{0,80}") {
            prop_assert!(set_apart(&text).lines().all(|line| line.starts_with('>')));
        }
    }
}
