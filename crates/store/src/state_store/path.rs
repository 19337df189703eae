//! Paths of the state store: one spelling each, so that no guard can be passed by writing a path differently.

use std::collections::BTreeMap;
use std::fmt;

use sealwright_kernel::{BadName, TreePath, folded, shown};
use unicode_normalization::UnicodeNormalization as _;

/// A path below the root of the state store, such as `modules/MM-limiter/1.0.0/contract.json`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StorePath(TreePath);

/// A text that is not a path of the state store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadStorePath {
    #[error(transparent)]
    Name(#[from] BadName),
    /// Some systems read this character as a separator or a stream.
    #[error("`{shown}` contains a backslash or a colon")]
    Separator { shown: String },
    /// Some file systems store it under another name.
    #[error("`{shown}` is not spelled in its normal form")]
    NotNormal { shown: String },
}

impl StorePath {
    pub fn new(text: &str) -> Result<Self, BadStorePath> {
        let path = TreePath::new(text)?;
        if text.contains(['\\', ':']) {
            return Err(BadStorePath::Separator { shown: shown(text) });
        }
        let drops = |part: &str| part.ends_with(['.', ' ']) || part.starts_with(' ');
        if !text.nfc().eq(text.chars()) || text.contains(is_invisible) || path.parts().any(drops) {
            return Err(BadStorePath::NotNormal { shown: shown(text) });
        }
        Ok(Self(path))
    }

    pub fn join(&self, name: &str) -> Result<Self, BadStorePath> {
        Self::new(&format!("{self}/{name}"))
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    pub fn parts(&self) -> Vec<&str> {
        self.0.parts().collect()
    }

    /// The path without its first `count` parts, unless nothing would be left.
    pub(crate) fn below(&self, count: usize) -> Option<&str> {
        let mut rest = self.as_str();
        for _ in 0..count {
            rest = rest.split_once('/')?.1;
        }
        Some(rest)
    }
}

impl fmt::Display for StorePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// How a name looks where neither case nor Unicode form counts.
pub(crate) fn skeleton(name: &str) -> String {
    let compatible: String = name.nfkc().filter(|it| !is_invisible(*it)).collect();
    // Folding may leave a form that is not normal; the second pass ends it.
    folded(&compatible).nfkc().collect()
}

/// The first two names that some file system would take for one: two spellings, or a file that is also a folder.
pub(crate) fn collision<'p>(paths: impl Iterator<Item = &'p str>) -> Option<(String, String)> {
    let mut seen: BTreeMap<String, (String, bool)> = BTreeMap::new();
    for path in paths {
        let ends = path.match_indices('/').map(|(at, _)| (at, false)).chain([(path.len(), true)]);
        for (end, is_file) in ends {
            let prefix = &path[..end];
            let (other, other_is_file) =
                seen.entry(skeleton(prefix)).or_insert_with(|| (prefix.to_owned(), is_file));
            if other != prefix || *other_is_file != is_file {
                return Some((other.clone(), prefix.to_owned()));
            }
        }
    }
    None
}

/// Characters that no screen shows and some file systems drop.
fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_one_spelling() {
        for good in ["modules", "modules/MM-x/1.0.0/contract.json", "a/ü b/…x", ".a"] {
            assert_eq!(StorePath::new(good).unwrap().as_str(), good);
        }
        let long = "x/".repeat(600);
        let bad = [
            "",
            "/modules",
            "modules/",
            "modules//x",
            "./modules",
            "modules/../x",
            "..",
            "a\0b",
            "modules\\x",
            "a:b",
            "u\u{308}",
            "a.",
            "a ",
            " a",
            "\u{200b}a",
            "a\u{ad}",
            "a\u{202e}b",
            "a\u{fe0f}",
            ".git/x",
            "x/.Sealwright",
            "a\nb",
            &long,
        ];
        for text in bad {
            assert!(StorePath::new(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn names_that_a_file_system_could_confuse_collide() {
        let pairs = [
            ["a", "A"],
            ["stra\u{df}e", "STRASSE"],
            ["\u{fb01}x", "fix"],
            ["\u{ff41}", "a"],
            ["\u{e9}", "e\u{301}"],
            ["K", "\u{212a}"],
            ["a", "a/b"],
            ["a/b", "A/c"],
            ["a/b", "A"],
        ];
        for pair in pairs {
            assert!(collision(pair.into_iter()).is_some(), "{pair:?}");
        }
        for pair in [["a", "b"], ["a/b", "a/c"], ["a/b", "ab"], ["a", "\u{430}"]] {
            assert_eq!(collision(pair.into_iter()), None, "{pair:?}");
        }
    }
}
