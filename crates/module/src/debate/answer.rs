//! Reading a role's answer: the defects that are sent back to it, and the rules for text that all answers share.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A fault of an answer, precise enough to mend it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Defect {
    /// The field, such as `rubric_assessments[2].evidence`.
    pub path: String,
    pub wrong: String,
    pub mend: String,
}

impl Defect {
    pub fn new(path: impl Into<String>, wrong: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { path: path.into(), wrong: wrong.into(), mend: mend.into() }
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.path, self.wrong, self.mend)
    }
}

/// Reads an answer by its schema.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> Result<T, Defect> {
    if text.len() > ANSWER_BYTES_MAX {
        let wrong = format!("the answer has {} bytes", text.len());
        return Err(Defect::new("$", wrong, format!("answer in at most {ANSWER_BYTES_MAX} bytes")));
    }
    serde_json::from_str(text).map_err(|error| {
        // The message quotes the answer; it goes back to its author only, cut short.
        let wrong: String = error.to_string().chars().take(WRONG_CHARS_MAX).collect();
        Defect::new("$", wrong, "answer with one JSON object of the schema, without other fields")
    })
}

/// Checks a text that has to say something.
pub(super) fn prose(path: &str, text: &str, chars_min: usize, defects: &mut Vec<Defect>) {
    let length = shown_chars(text);
    if length == 0 {
        defects.push(Defect::new(path, "it is blank", "say it in words"));
    } else if length < chars_min {
        let wrong = format!("it has {length} characters");
        defects.push(Defect::new(path, wrong, format!("use at least {chars_min}")));
    }
    bounded_text(path, text, defects);
}

pub(super) fn bounded_text(path: &str, text: &str, defects: &mut Vec<Defect>) {
    if text.len() > TEXT_BYTES_MAX {
        let wrong = format!("it has {} bytes", text.len());
        defects.push(Defect::new(path, wrong, format!("use at most {TEXT_BYTES_MAX}")));
    }
}

/// Checks the length of a list. Nothing else of a list that is too long is looked at.
pub(super) fn bounded_list(path: &str, count: usize, most: usize) -> Result<(), Defect> {
    if count <= most {
        return Ok(());
    }
    Err(Defect::new(path, format!("it has {count} entries"), format!("use at most {most}")))
}

/// The characters of a text that a reader sees, without the spaces around it.
pub(super) fn shown_chars(text: &str) -> usize {
    let shown: String = text.chars().filter(|it| !is_invisible(*it)).collect();
    shown.trim().chars().count()
}

/// The words of a text in lower case: invisible characters are dropped, punctuation separates.
pub(super) fn words(text: &str) -> Vec<String> {
    let shown: String = text.chars().filter(|it| !is_invisible(*it)).collect();
    let lower = shown.to_lowercase();
    let split = lower.split(|it: char| !it.is_alphanumeric());
    split.filter(|word| !word.is_empty()).map(Into::into).collect()
}

/// The first of `phrases` that the text contains as whole words.
pub(super) fn phrase_in(text: &str, phrases: &[&'static str]) -> Option<&'static str> {
    let said = format!(" {} ", words(text).join(" "));
    phrases.iter().copied().find(|phrase| said.contains(&format!(" {phrase} ")))
}

/// Whether the text names something concrete: a quoted literal, an identifier or a number.
pub(super) fn is_concrete(text: &str) -> bool {
    let is_quoted = |quote: char| {
        let mut parts = text.split(quote);
        parts.nth(1).is_some_and(|inside| shown_chars(inside) > 0) && parts.next().is_some()
    };
    let is_identifier = |word: &str| {
        let word = word.trim_matches(|it: char| !it.is_alphanumeric() && it != '_' && it != ')');
        let is_camel = word.chars().zip(word.chars().skip(1));
        word.trim_matches('_').contains('_')
            || word.contains("::")
            || word.ends_with("()")
            || is_camel.into_iter().any(|(one, next)| one.is_lowercase() && next.is_uppercase())
    };
    text.bytes().any(|it| it.is_ascii_digit())
        || is_quoted('`')
        || is_quoted('"')
        || text.split_whitespace().any(is_identifier)
}

fn is_invisible(character: char) -> bool {
    let is_format = matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}');
    is_format || (character.is_control() && !character.is_whitespace())
}

pub const ANSWER_BYTES_MAX: usize = 256 << 10;
/// One text of an answer.
pub const TEXT_BYTES_MAX: usize = 8 << 10;
const WRONG_CHARS_MAX: usize = 200;

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn an_answer_past_its_bound_is_not_read() {
        let fits = format!("\"{}\"", "x".repeat(ANSWER_BYTES_MAX - 2));
        assert!(read::<String>(&fits).is_ok());
        assert_eq!(read::<String>(&format!("{fits} ")).unwrap_err().path, "$");
        let deep = "[".repeat(100_000);
        assert!(read::<serde_json::Value>(&deep).is_err());
    }

    #[test]
    fn a_text_is_bounded_at_both_ends() {
        let of = |text: &str| {
            let mut defects = vec![];
            prose("claim", text, 3, &mut defects);
            defects.into_iter().map(|it| it.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(of("abc"), Vec::<String>::new());
        assert_eq!(of("ab"), ["claim: it has 2 characters; use at least 3"]);
        assert_eq!(of(" \u{200b}\n"), ["claim: it is blank; say it in words"]);
        assert!(of(&"x".repeat(TEXT_BYTES_MAX)).is_empty());
        assert_eq!(of(&"x".repeat(TEXT_BYTES_MAX + 1)).len(), 1);
    }

    #[test]
    fn a_phrase_is_found_behind_punctuation_case_and_invisible_characters() {
        let phrases = ["looks good"];
        for said in ["Looks good!", "it LOOKS, good", "lo\u{200b}oks good", "**looks** _good_"] {
            assert_eq!(phrase_in(said, &phrases), Some("looks good"), "{said}");
        }
        assert_eq!(phrase_in("outlooks goodness", &phrases), None);
    }

    #[test]
    fn a_concrete_text_names_a_literal_an_identifier_or_a_number() {
        for said in [
            "return `Err`",
            "say \"too long\"",
            "call parse_line",
            "see Limiter::new",
            "up to 3",
            "rateLimit",
        ] {
            assert!(is_concrete(said), "{said}");
        }
        for said in ["do it well", "`", "``", "a ` b", "don't guess", "_"] {
            assert!(!is_concrete(said), "{said}");
        }
    }
}
