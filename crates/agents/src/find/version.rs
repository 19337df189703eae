//! Versions of programs: three numbers, found in whatever a program says of itself.

use std::fmt;

use serde::{Serialize, Serializer};

/// Three numbers. What stands behind them, such as `-beta`, is not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
    pub patch: u32,
}

impl Version {
    /// The first version in a text: a word of two or three numbers, with or without a `v` before it.
    pub fn in_text(text: &str) -> Option<Self> {
        text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '/'))
            .take(WORDS_MAX)
            .find_map(Self::of_word)
    }

    fn of_word(word: &str) -> Option<Self> {
        let word = word.strip_prefix('v').unwrap_or(word);
        let end = word.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(word.len());
        let mut numbers = word[..end].split('.').map(|number| number.parse().ok());
        let major = numbers.next()??;
        let minor = numbers.next()??;
        let patch = match numbers.next() {
            Some(patch) => patch?,
            None => 0,
        };
        Some(Self { major, minor, patch })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Words of a text that are looked at. A version stands at the beginning.
const WORDS_MAX: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_in_what_programs_say() {
        let version = |text: &str| Version::in_text(text).map(|it| it.to_string());
        for (said, expected) in [
            ("codex-cli 0.166.0\n", Some("0.166.0")),
            ("2.1.325 (Claude Code)\n", Some("2.1.325")),
            ("0.61.0", Some("0.61.0")),
            (" 1.52.0\n", Some("1.52.0")),
            ("v20.20.2", Some("20.20.2")),
            ("1.0.102-beta.3", Some("1.0.102")),
            ("GitHub Copilot CLI 1.0", Some("1.0.0")),
            ("warning: 3 things\nname/1.2.3", Some("1.2.3")),
            ("", None),
            ("goose: no versions here", None),
            ("99999999999.1.1", None),
            ("1..2", None),
        ] {
            assert_eq!(version(said).as_deref(), expected, "{said:?}");
        }
    }

    #[test]
    fn versions_are_compared_by_number() {
        let version = |text| Version::in_text(text).unwrap();
        assert!(version("0.9.0") < version("0.160.0"));
        assert!(version("2.1.300") >= version("2.1.300"));
        assert!(version("10.0.0") > version("9.9.9"));
    }
}
