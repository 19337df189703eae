//! What can be wrong with a `sealwright.toml`, where, and what to do about it.

use std::fmt;
use std::io;

use sealwright_kernel::Role;

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Something in it is wrong.
    #[error("{file}:{place}: {flaw}")]
    Refused {
        /// The file.
        file: String,
        /// Where in it.
        place: Place,
        /// What is wrong.
        flaw: Flaw,
    },
    /// It is longer than anything people write; it was not read.
    #[error("{file} is longer than {bytes_max} bytes")]
    TooLong {
        /// The file.
        file: String,
        /// The most it may be.
        bytes_max: usize,
    },
    /// There is none.
    #[error("there is no {file}")]
    Missing {
        /// The file.
        file: String,
    },
    /// Something else stands in its place.
    #[error("{file} is not a plain file, and links are not followed")]
    NotAFile {
        /// The file.
        file: String,
    },
    /// The system does not give it out.
    #[error("{file} cannot be read")]
    Unreadable {
        /// The file.
        file: String,
        /// What the system said.
        source: io::Error,
    },
}

/// A place in a file, counted from 1 in lines and characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The character in it.
    pub column: usize,
}

/// What is wrong at a place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// The file goes on past its bound.
    #[error("the file is longer than {bytes_max} bytes")]
    TooLong {
        /// The most it may be.
        bytes_max: usize,
    },
    /// It is no text.
    #[error("this is not UTF-8")]
    NotText,
    /// It is not TOML.
    #[error("{}", short(said))]
    Syntax {
        /// What the reader said.
        said: String,
    },
    /// There is no such table.
    #[error("there is no table `{}`", short(name))]
    UnknownTable {
        /// How it is called.
        name: String,
    },
    /// Something else stands where a table belongs.
    #[error("`{}` is not a table", short(name))]
    NotATable {
        /// How it is called.
        name: String,
    },
    /// A key is unknown or missing, or its value is of another kind.
    #[error("{}", short(said))]
    Shape {
        /// What the reader said.
        said: String,
    },
    /// No check can be called that.
    #[error("`{}` cannot be the name of a check", short(name))]
    CheckName {
        /// How it is called.
        name: String,
    },
    /// More than a task can name.
    #[error("there are more than {checks_max} checks")]
    TooManyChecks {
        /// The most there may be.
        checks_max: usize,
    },
    /// A command without a program.
    #[error("the command is empty")]
    NoWords,
    /// A word that says nothing or cannot be handed to a program.
    #[error("a word of the command is blank or holds a zero byte")]
    BlankWord,
    /// A text that is not short, not on one line, or blank.
    #[error("`{key}` is blank, longer than {bytes_max} bytes or holds a control character")]
    Line {
        /// Its key.
        key: &'static str,
        /// The most bytes it may have.
        bytes_max: usize,
    },
    /// Nobody plays such a role.
    #[error("there is no role `{}`", short(name))]
    UnknownRole {
        /// How it is called.
        name: String,
    },
    /// An agent that cannot be reached.
    #[error("the agent has neither `adapter` nor `command`")]
    NotReached,
    /// An agent with two ways to it.
    #[error("the agent has both `adapter` and `command`")]
    ReachedTwice,
    /// A number that is too small or too large.
    #[error("`{key}` is not a whole number from 1 to {most}")]
    OutOfRange {
        /// Its key.
        key: &'static str,
        /// The most it may be.
        most: u64,
    },
    /// Not an amount of money.
    #[error("`dollars` is not an amount from 0.01 to {most} in whole cents")]
    Dollars {
        /// The most it may be.
        most: u64,
    },
}

impl ConfigError {
    /// What a person can do about it, in one sentence.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Refused { flaw, .. } => Some(flaw.hint()),
            Self::TooLong { bytes_max, .. } => Some(Flaw::TooLong { bytes_max: *bytes_max }.hint()),
            Self::Missing { .. } => Some("`sealwright init` writes one".to_owned()),
            Self::NotAFile { .. } => Some("put the file itself in this place".to_owned()),
            Self::Unreadable { .. } => Some("see that you may read it".to_owned()),
        }
    }
}

impl Flaw {
    fn hint(&self) -> String {
        match self {
            Self::TooLong { .. } => "keep what is not configuration elsewhere".to_owned(),
            Self::NotText => "save the file as UTF-8".to_owned(),
            Self::Syntax { .. } => "https://toml.io shows how TOML is written".to_owned(),
            Self::NotATable { .. } => {
                "a table begins with its name in brackets, like [checks.tests]".to_owned()
            }
            Self::UnknownTable { .. } => "the tables are [project], [checks.NAME], [agents.ROLE], \
                                          [sandbox] and [budget]; phases cannot be configured"
                .to_owned(),
            Self::Shape { .. } => "docs/configuration.md describes every key".to_owned(),
            Self::CheckName { .. } => "use letters, digits, - and _, at most 64 of them".to_owned(),
            Self::TooManyChecks { .. } => "let one command run several of them".to_owned(),
            Self::NoWords | Self::BlankWord => {
                "write the program and its words, like [\"cargo\", \"test\"]".to_owned()
            }
            Self::Line { .. } => "write a few words on one line".to_owned(),
            Self::UnknownRole { .. } => {
                let names: Vec<&str> = Role::ALL.into_iter().map(Role::name).collect();
                format!("the roles are {}, and `default` is all others", names.join(", "))
            }
            Self::NotReached => "write `adapter = \"codex\"`, or `command = [\"…\"]`".to_owned(),
            Self::ReachedTwice => "keep one of the two".to_owned(),
            Self::OutOfRange { .. } => "write a number in that range".to_owned(),
            Self::Dollars { .. } => "write it like 5 or 2.50".to_owned(),
        }
    }
}

impl Place {
    /// The place of the byte `at`.
    pub(super) fn of(text: &[u8], at: usize) -> Self {
        let before = &text[..at.min(text.len())];
        let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let begins_character = |byte: &&u8| (**byte & 0b1100_0000) != 0b1000_0000;
        Self {
            line: before.iter().filter(|byte| **byte == b'\n').count() + 1,
            column: before[line_start..].iter().filter(begins_character).count() + 1,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A file may call things by names that fill a screen; a message does not repeat them.
fn short(text: &str) -> String {
    match text.char_indices().nth(QUOTED_CHARACTERS_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

const QUOTED_CHARACTERS_MAX: usize = 240;
