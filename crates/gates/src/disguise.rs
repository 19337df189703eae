//! Disguise: code that people read otherwise than a machine does. Signs that turn the direction of writing, and
//! invisible signs, have no place in source; where one is meant, it can be written as an escape.

use std::collections::BTreeSet;

/// The lines of a file that a candidate added and that hold such signs, each with its place.
pub fn disguised(path: &str, before: Option<&str>, now: &str) -> Vec<String> {
    let was: BTreeSet<&str> = before.unwrap_or_default().lines().collect();
    let lines = now.lines().enumerate().filter(|(_, line)| !was.contains(line));
    let found = lines.filter_map(|(nth, line)| {
        let number = nth + 1;
        if let Some(encoding) = encoding(path, nth, line) {
            return Some(format!(
                "{path}:{number}: in the encoding {encoding} the file reads otherwise than it is run; use UTF-8"
            ));
        }
        let sign = line.chars().find(|c| hides(*c))?;
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

/// What a line of Python declares as encoding, if that is more than a set of letters.
fn encoding<'l>(path: &str, nth: usize, line: &'l str) -> Option<&'l str> {
    if !path.ends_with(".py") || nth > 1 || !line.trim_start().starts_with('#') {
        return None;
    }
    let (_, rest) = line.split_once("coding")?;
    let rest = rest.strip_prefix([':', '='])?.trim_start_matches([' ', '\t']);
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let name = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
    let plain = name.to_lowercase().replace('_', "-");
    (!name.is_empty() && !LETTERS.iter().any(|it| plain == *it || is_numbered(&plain, it)))
        .then_some(name)
}

/// Whether it is one of several sets of a name, as `iso-8859-15`.
fn is_numbered(name: &str, family: &str) -> bool {
    let rest = family.strip_suffix('*').and_then(|family| name.strip_prefix(family));
    rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'))
}

/// Encodings that give every byte or two a letter. Others (escapes, `utf-7`) can hide code in a comment.
const LETTERS: [&str; 12] = [
    "utf-8*",
    "utf8",
    "utf-8-sig",
    "ascii",
    "us-ascii",
    "latin-*",
    "latin1",
    "iso-8859-*",
    "iso8859-*",
    "cp*",
    "windows-*",
    "koi8-r",
];
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
    fn an_encoding_in_which_comments_are_code_is_named() {
        for (line, is_named) in [
            ("# -*- coding: raw_unicode_escape -*-", true),
            ("# vim: set fileencoding=utf-7 :", true),
            ("# coding:rot13", true),
            ("# -*- coding: utf-8 -*-", false),
            ("# coding=ISO-8859-15", false),
            ("# coding: latin_1", false),
            ("# decoding is hard", false),
            ("x = 'coding: utf-7'", false),
        ] {
            for text in [format!("{line}\n"), format!("#!/usr/bin/python3\n{line}\nx = 1\n")] {
                assert_eq!(!disguised("a.py", None, &text).is_empty(), is_named, "{text}");
            }
            assert_eq!(disguised("a.py", None, &format!("\n\n{line}\n")), [""; 0], "{line}");
        }
    }

    #[test]
    fn other_scripts_and_joined_emoji_are_let_be() {
        let text = "WORDS = ['שלום', 'مرحبا', '👩\u{200d}🔬', 'क्\u{200d}ष']\n";
        assert_eq!(disguised("a.py", None, text), [""; 0]);
    }
}
