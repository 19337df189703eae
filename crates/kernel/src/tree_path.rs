//! Names: what a file of a view may be called. Checked once, so that no path is pieced together from hostile text.

use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::String;
use core::fmt;

use serde::Serialize;

/// A path beneath some folder, such as `src/lib.rs`: relative, plain and not too long.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct TreePath(String);

/// A text that is no name for a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{shown}` {fault}")]
pub struct BadName {
    /// What it was, with everything escaped that steers a terminal, and cut short.
    pub shown: String,
    pub fault: Fault,
}

/// What is wrong with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// There is nothing between two slashes.
    #[error("has an empty part")]
    Empty,
    /// It begins at the root.
    #[error("is absolute")]
    Absolute,
    /// It has a part `.` or `..`.
    #[error("contains `..`")]
    Climbs,
    /// It would steer a terminal, or end a string early.
    #[error("has control characters")]
    Control,
    /// It is not text.
    #[error("is not UTF-8")]
    NotUtf8,
    /// A part has more than 255 bytes, or all of it more than 1024.
    #[error("is too long")]
    TooLong,
    /// It has more than 64 parts.
    #[error("is too deep")]
    TooDeep,
    /// Some file system would take it for a repository.
    #[error("is a repository folder")]
    Repository,
    /// It is where the harness keeps its own things.
    #[error("is reserved for the harness")]
    Harness,
}

impl TreePath {
    pub fn new(text: &str) -> Result<Self, BadName> {
        let bad = |fault| Err(BadName { shown: shown(text), fault });
        if text.starts_with('/') {
            return bad(Fault::Absolute);
        }
        if text.len() > PATH_BYTES_MAX {
            return bad(Fault::TooLong);
        }
        if text.split('/').count() > PARTS_MAX {
            return bad(Fault::TooDeep);
        }
        match text.split('/').find_map(fault_of) {
            Some(fault) => bad(fault),
            None => Ok(Self(text.to_owned())),
        }
    }

    /// The path of `name` in this folder.
    pub fn join(&self, name: &str) -> Result<Self, BadName> {
        Self::new(&format!("{self}/{name}"))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its parts, from the top.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }

    /// Whether it is `folder`, or in it.
    pub fn is_in(&self, folder: &Self) -> bool {
        match self.0.strip_prefix(folder.as_str()) {
            Some(rest) => rest.is_empty() || rest.starts_with('/'),
            None => false,
        }
    }
}

impl fmt::Display for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// How a name looks where case does not count.
pub fn folded(name: &str) -> String {
    // Upper and then lower, so that `ß` and `SS` meet.
    name.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

/// A text as it can be shown to a person: nothing in it steers a terminal.
pub fn shown(text: &str) -> String {
    let mut shown = String::new();
    for character in text.chars().take(SHOWN_MAX) {
        if is_steering(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    if text.chars().nth(SHOWN_MAX).is_some() {
        shown.push('…');
    }
    shown
}

fn fault_of(part: &str) -> Option<Fault> {
    match part {
        "" => Some(Fault::Empty),
        "." | ".." => Some(Fault::Climbs),
        part if part.len() > PART_BYTES_MAX => Some(Fault::TooLong),
        part if part.contains(is_steering) => Some(Fault::Control),
        part => reserved(part),
    }
}

/// Whether a name is a repository's or the harness's on any file system people use.
fn reserved(part: &str) -> Option<Fault> {
    // Some file systems drop these characters, the dots and spaces at the end, or what follows a colon.
    let kept: String = part.chars().filter(|it| !is_dropped(*it)).collect();
    let name = kept.split(':').next().unwrap_or_default();
    let name = folded(name.trim_end_matches(['.', ' ']));
    match name.as_str() {
        ".git" | "git~1" => Some(Fault::Repository),
        ".sealwright" | "sealwr~1" => Some(Fault::Harness),
        _ => None,
    }
}

/// Control characters, and characters that change the direction of text.
fn is_steering(character: char) -> bool {
    let turns_text = matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    character.is_control() || turns_text
}

fn is_dropped(character: char) -> bool {
    matches!(
        character,
        '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
    )
}

const PART_BYTES_MAX: usize = 255;
const PATH_BYTES_MAX: usize = 1024;
const PARTS_MAX: usize = 64;
const SHOWN_MAX: usize = 200;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_path_is_relative_plain_and_bounded() {
        for good in ["a", "src/lib.rs", ".gitignore", "a b/ü.md", "..a/b..", ".github/x", "git"] {
            assert_eq!(TreePath::new(good).unwrap().as_str(), good);
        }
        let long = "x".repeat(256);
        let longer = "x/".repeat(512) + "x";
        let deep = "x/".repeat(64) + "x";
        let bad = [
            ("", Fault::Empty),
            ("a//b", Fault::Empty),
            ("a/", Fault::Empty),
            ("/etc/passwd", Fault::Absolute),
            ("..", Fault::Climbs),
            ("a/../b", Fault::Climbs),
            ("./a", Fault::Climbs),
            ("a\0b", Fault::Control),
            ("a\nb", Fault::Control),
            ("a\u{1b}[31m", Fault::Control),
            ("a\u{202e}b", Fault::Control),
            ("a\u{85}b", Fault::Control),
            (&long, Fault::TooLong),
            (&longer, Fault::TooLong),
            (&deep, Fault::TooDeep),
        ];
        for (text, fault) in bad {
            assert_eq!(TreePath::new(text).map_err(|bad| bad.fault), Err(fault), "{text:?}");
        }
    }

    #[test]
    fn a_repository_is_known_by_any_spelling_a_file_system_takes() {
        let spellings = [
            ".git",
            ".GIT",
            ".gIt",
            "a/.git/config",
            ".git.",
            ".git ",
            ".git. .",
            "git~1",
            "GIT~1",
            ".g\u{200c}it",
            "\u{feff}.git",
            ".git::$INDEX_ALLOCATION",
        ];
        for text in spellings {
            let fault = TreePath::new(text).map_err(|bad| bad.fault);
            assert_eq!(fault, Err(Fault::Repository), "{text:?}");
        }
        for text in [".sealwright", "a/.SealWright/store"] {
            assert_eq!(TreePath::new(text).map_err(|bad| bad.fault), Err(Fault::Harness));
        }
    }

    #[test]
    fn a_folder_holds_its_own_paths_and_not_its_namesakes() {
        let path = |text| TreePath::new(text).unwrap();
        assert!(path("src/a.rs").is_in(&path("src")));
        assert!(path("src").is_in(&path("src")));
        assert!(!path("srcs/a.rs").is_in(&path("src")));
        assert!(!path("src").is_in(&path("src/a.rs")));
    }

    proptest! {
        /// Whatever is offered: what is taken stays beneath its folder, and what is shown is tame.
        #[test]
        fn no_text_climbs_out(text in "[a./\\\\ \u{0}\u{1b}\u{202e}é]{0,12}") {
            if let Ok(path) = TreePath::new(&text) {
                prop_assert!(path.parts().all(|part| !part.is_empty() && part != "." && part != ".."));
                prop_assert!(!path.as_str().contains('\0'));
            }
            prop_assert!(!shown(&text).contains(is_steering));
        }
    }
}
