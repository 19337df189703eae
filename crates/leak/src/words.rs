//! Weights of source words: which are rare, and which are in string literals.
//!
//! `return None` and `#[derive(Clone, Debug)]` occur in every module, so they reveal nothing. A rare word is an
//! identifier or a word of prose that is not common. A one-line string is `SPOKEN`: the program prints it in normal
//! operation, so it has a bound of its own.

use std::sync::LazyLock;

/// A word begins here.
pub(super) const WORD: u8 = 1;
/// A rare word begins here.
pub(super) const RARE: u8 = 2;
/// This is inside a one-line string.
pub(super) const SPOKEN: u8 = 4;

/// This is in an import line, which reveals no more than a manifest.
pub(super) const IMPORT: u8 = 8;

/// The marks of each byte.
pub(super) fn marks(source: &[u8]) -> Vec<u8> {
    let mut marks = vec![0; source.len()];
    mark_words(source, &mut marks);
    mark_spoken(source, &mut marks);
    mark_imports(source, &mut marks);
    marks
}

fn mark_words(source: &[u8], marks: &mut [u8]) {
    let mut at = 0;
    while at < source.len() {
        let length = source[at..].iter().take_while(|byte| is_word(**byte)).count();
        if length == 0 {
            at += 1;
            continue;
        }
        marks[at] |= WORD;
        if is_rare(&source[at..at + length]) {
            marks[at] |= RARE;
        }
        at += length;
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn is_rare(word: &[u8]) -> bool {
    let letters = word.iter().filter(|byte| !byte.is_ascii_digit() && **byte != b'_').count();
    if letters < 3 {
        return false;
    }
    let word = word.to_ascii_lowercase();
    COMMON.binary_search_by(|common| common.as_bytes().cmp(&word)).is_err()
}

/// Marks the text between two quotes of one line.
///
/// This parses no language. Where it errs, a line is cut slightly sooner or later.
fn mark_spoken(source: &[u8], marks: &mut [u8]) {
    let mut at = 0;
    while at < source.len() {
        let quote = source[at];
        if quote != b'"' && quote != b'\'' {
            at += 1;
            continue;
        }
        if source[at..].starts_with(&[quote; 3]) {
            // A multi-line string is ordinary source.
            at += 3;
            continue;
        }
        match closing(source, at) {
            Some(end) => {
                for mark in &mut marks[at + 1..end] {
                    *mark |= SPOKEN;
                }
                at = end + 1;
            }
            None => at += 1,
        }
    }
}

/// The end of the string that opens at `open`, if it ends in its line.
fn closing(source: &[u8], open: usize) -> Option<usize> {
    let quote = source[open];
    let stands_alone = |byte: Option<&u8>| byte.is_none_or(|byte| !is_word(*byte));
    // An apostrophe in a word and a lifetime of Rust open no string.
    if quote == b'\'' && !stands_alone(open.checked_sub(1).and_then(|before| source.get(before))) {
        return None;
    }
    let mut at = open + 1;
    while let Some(&byte) = source.get(at) {
        match byte {
            b'\n' => return None,
            b'\\' => at += 1,
            _ if byte == quote => {
                let ends = quote == b'"' || stands_alone(source.get(at + 1));
                return ends.then_some(at);
            }
            _ => {}
        }
        at += 1;
    }
    None
}

fn mark_imports(source: &[u8], marks: &mut [u8]) {
    let mut begin = 0;
    for line in source.split_inclusive(|byte| *byte == b'\n') {
        let end = begin + line.len();
        if is_import(line.trim_ascii()) {
            marks[begin..end].iter_mut().for_each(|mark| *mark |= IMPORT);
        }
        begin = end;
    }
}

/// An import in the usual languages. A longer line is more than an import.
fn is_import(line: &[u8]) -> bool {
    let begins = |head: &[u8]| line.starts_with(head);
    let has = |part: &[u8]| line.windows(part.len()).any(|window| window == part);
    let brings_in = begins(b"use ")
        || begins(b"pub use ")
        || begins(b"import ")
        || begins(b"from ") && has(b" import ")
        || begins(b"#include ")
        || begins(b"extern crate ")
        || begins(b"const ") && has(b"= require(");
    brings_in && line.len() <= IMPORT_BYTES_MAX
}

const IMPORT_BYTES_MAX: usize = 120;

/// Common words of programs, standard libraries and tests. Sorted.
static COMMON: LazyLock<Vec<&str>> =
    LazyLock::new(|| include_str!("common_words.txt").lines().collect());

#[cfg(test)]
mod tests {
    use super::*;

    /// The source with a line of marks below it: `r` rare, `w` word, `.` spoken.
    fn shown(source: &str) -> String {
        let mark = |mark: &u8| match *mark {
            mark if mark & SPOKEN != 0 => '.',
            mark if mark & RARE != 0 => 'r',
            mark if mark & WORD != 0 => 'w',
            _ => ' ',
        };
        marks(source.as_bytes()).iter().map(mark).collect()
    }

    #[test]
    fn the_common_words_are_sorted() {
        assert!(COMMON.is_sorted());
    }

    #[test]
    fn identifiers_are_rare_and_keywords_are_not() {
        assert_eq!(
            shown("let balance = self.accounts.len();"),
            "w   r         w    r        w     "
        );
    }

    #[test]
    fn a_string_of_one_line_is_spoken() {
        assert_eq!(shown("fail(\"no \\\" way\") x"), "r     .........   w");
        assert_eq!(shown("say 'it is so' now"), "r    ........  r  ");
    }

    #[test]
    fn an_import_is_marked_to_its_end() {
        let source = b"use std::fmt;\n  from a import b\nuse_it(now)\n";
        let imports: String = marks(source)
            .iter()
            .zip(source)
            .filter(|(mark, _)| **mark & IMPORT != 0)
            .map(|(_, byte)| char::from(*byte))
            .collect();
        assert_eq!(imports, "use std::fmt;\n  from a import b\n");
    }

    #[test]
    fn a_lifetime_is_not_spoken() {
        assert_eq!(shown("fn f<'a>(x: &'a T)"), "w  w  w  w    w w ");
    }

    #[test]
    fn a_text_of_many_lines_is_not_spoken() {
        assert_eq!(shown("\"\"\"Ledger\"\"\""), "   r        ");
    }
}
