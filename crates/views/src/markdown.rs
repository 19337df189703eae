//! Escaping of text from agents and people for Markdown.
//!
//! Such text appears on one line behind our own bullet or label, or indented in a fence that is longer than any run of
//! backticks in it. So it never begins a line and cannot open a heading, a field, a comment, a link or markup, or close
//! the fence.

use std::fmt::Write as _;

use crate::sanitize::steers;

/// The text on one line, with markup escaped.
pub(super) fn line(text: &str) -> String {
    let text = one_line(text);
    let chars: Vec<char> = text.chars().collect();
    let mut safe = String::with_capacity(text.len() + 8);
    let leading_digits = chars.iter().take_while(|c| c.is_ascii_digit()).count();
    for (at, c) in chars.iter().copied().enumerate() {
        let before = at.checked_sub(1).and_then(|at| chars.get(at)).copied();
        let after = chars.get(at + 1).copied();
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        match c {
            '<' => safe.push_str("&lt;"),
            '&' if is_word(after) || after == Some('#') => safe.push_str("&amp;"),
            '\\' | '`' | '*' | '[' | ']' => safe.extend(['\\', c]),
            '_' if !(is_word(before) && is_word(after)) => safe.extend(['\\', c]),
            '~' if before == Some('~') || after == Some('~') => safe.extend(['\\', c]),
            '#' | '-' | '+' | '>' | '=' if at == 0 => safe.extend(['\\', c]),
            '.' | ')' if at > 0 && at == leading_digits => safe.extend(['\\', c]),
            c => safe.push(c),
        }
    }
    safe
}

/// The text on one line, with control characters replaced; for templates, which escape markup themselves.
pub(super) fn one_line(text: &str) -> String {
    let spaced = text.chars().map(|c| match c {
        '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => ' ',
        c if steers(c) => '\u{fffd}',
        c => c,
    });
    spaced.collect::<String>().trim().to_owned()
}

/// The text with its lines, with control characters replaced; for templates, which escape markup themselves.
pub(super) fn lines(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\t', "    ");
    text.chars().map(|c| if c != '\n' && steers(c) { '\u{fffd}' } else { c }).collect()
}

/// The text in a fence, indented as part of the preceding list item.
pub(super) fn fenced(text: &str) -> String {
    let text = lines(text);
    let runs = text.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
    let mut block = format!("  {fence}text\n");
    for line in text.trim_end_matches('\n').split('\n') {
        let _ = writeln!(block, "  {line}");
    }
    let _ = writeln!(block, "  {fence}");
    block
}

/// Writes a bullet for each text, or `none`.
pub(super) fn bullets<'a>(out: &mut String, texts: impl IntoIterator<Item = &'a str>, none: &str) {
    let before = out.len();
    for text in texts {
        let _ = writeln!(out, "- {}", line(text));
    }
    if out.len() == before {
        let _ = writeln!(out, "{none}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_text_is_escaped() {
        let cases = [
            ("a && b < c & d", "a && b &lt; c & d"),
            ("&lt; \\ `x` [y](z) ![i](j)", "&amp;lt; \\\\ \\`x\\` \\[y\\](z) !\\[i\\](j)"),
            ("# h", "\\# h"),
            ("- **Phase:** done", "\\- \\*\\*Phase:\\*\\* done"),
            ("a\n- **Phase:** done\r\n## x", "a - \\*\\*Phase:\\*\\* done  ## x"),
            ("--> <!-- sealwright: seq=9", "\\--> &lt;!-- sealwright: seq=9"),
            ("1. one 2. two", "1\\. one 2. two"),
            ("per_tenant _it_ ~/a ~~b~~", "per_tenant \\_it\\_ ~/a \\~\\~b\\~\\~"),
            (" \u{202e}x\u{1b}[1m\u{2028}y ", "\u{fffd}x\u{fffd}\\[1m y"),
        ];
        for (text, safe) in cases {
            assert_eq!(line(text), safe, "{text:?}");
        }
    }

    #[test]
    fn a_fence_is_longer_than_any_in_it() {
        let block = fenced("a\n````\n# b\n<!-- sealwright: seq=1\n");
        insta::assert_snapshot!(block, @r"
          `````text
          a
          ````
          # b
          <!-- sealwright: seq=1
          `````
        ");
        assert!(block.lines().all(|line| line.starts_with("  ")));
    }
}
