//! What can be wrong with a `sealwright.toml`, where, and what to do about it.

use std::fmt;
use std::io;

use sealwright_gates::kinds;
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
        place: Location,
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
pub struct Location {
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
    /// Nothing is checked like that.
    #[error("there is no kind of check `{}`", short(name))]
    UnknownCheckKind {
        /// How it is called.
        name: String,
    },
    /// A check that is not told what it needs.
    #[error("a check of the kind `{kind}` has no `{key}`")]
    CheckUnsaid {
        /// Its kind.
        kind: &'static str,
        /// What is missing.
        key: &'static str,
    },
    /// A check that is told what it does not take.
    #[error("a check of the kind `{kind}` takes no `{key}`")]
    NotTaken {
        /// Its kind.
        kind: &'static str,
        /// What it is told.
        key: &'static str,
        /// What it takes.
        takes: Vec<&'static str>,
    },
    /// A check that is never made.
    #[error("`sets` is empty, so the check would never be made")]
    NoSets,
    /// A tool whose words nobody here understands, or not for this.
    #[error("there is no tool `{}` for that", short(name))]
    UnknownTool {
        /// How it is called.
        name: String,
        /// What there is.
        known: Vec<&'static str>,
    },
    /// A command that does not say which tool it is.
    #[error("the command does not say which tool it starts")]
    ToolUnsaid {
        /// What there is.
        known: Vec<&'static str>,
    },
    /// Something that is not the plain name of a file.
    #[error("`report` is not the name of a file")]
    ReportName,
    /// Something that is not a path within the repository.
    #[error("`{key}` holds what is not a path within the repository")]
    NotAPath {
        /// Its key.
        key: &'static str,
    },
    /// More than anybody writes.
    #[error("`{key}` has more than {most} entries")]
    TooManyEntries {
        /// Its key.
        key: &'static str,
        /// The most it may have.
        most: usize,
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
    /// No agent can be called that.
    #[error("`{}` cannot be the name of an agent", short(name))]
    AgentName {
        /// How it is called.
        name: String,
    },
    /// More agents than anybody has.
    #[error("there are more than {agents_max} agents")]
    TooManyAgents {
        /// The most there may be.
        agents_max: usize,
    },
    /// A role is to be played by somebody who is not in the file.
    #[error("there is no agent `{}`", short(name))]
    UnknownAgent {
        /// How it is called.
        name: String,
        /// Who there is.
        known: Vec<String>,
    },
    /// A role for nobody, or for a crowd.
    #[error("a role is for one to {most} agents")]
    HowMany {
        /// The most there may be.
        most: usize,
    },
    /// A script that is not said.
    #[error("an agent of the kind `script` has no `command`")]
    NoProgram,
    /// A command for an agent that has its own.
    #[error("`command` is for agents of the kind `script`")]
    ProgramOfItsOwn,
    /// A model that is asked directly, and not said which or how.
    #[error("an agent of the kind `api` has no `model` or no `protocol`")]
    ApiUnsaid,
    /// Something that may be a key. It is not repeated.
    #[error("`key_env` is not the name of an environment variable")]
    LiteralKey,
    /// Not an address, or one with a key in it.
    #[error("`base_url` is not a plain http or https address")]
    Address,
    /// A price that makes no sense.
    #[error("a price is not an amount of dollars from 0 to {most}")]
    Price {
        /// The most it may be.
        most: u64,
    },
    /// More prices than there are models.
    #[error("there are more than {prices_max} prices")]
    TooManyPrices {
        /// The most there may be.
        prices_max: usize,
    },
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
            Self::UnknownTable { .. } => {
                "the tables are [project], [checks.NAME], [agents.NAME], [roles], [prices.\"MODEL\"], [sandbox], \
                 [budget] and [limits]; phases cannot be configured"
                    .to_owned()
            }
            Self::Shape { .. } => "docs/configuration.md describes every key".to_owned(),
            Self::CheckName { .. } => "use letters, digits, - and _, at most 64 of them".to_owned(),
            Self::TooManyChecks { .. } => "let one command run several of them".to_owned(),
            Self::UnknownCheckKind { .. } => {
                let kinds: Vec<&str> = kinds::ALL.iter().map(|kind| kind.key).collect();
                format!("the kinds are {}", kinds.join(", "))
            }
            Self::CheckUnsaid { key: "report", .. } => {
                "write the name of the file that the command leaves in /reports, like \"junit.xml\"".to_owned()
            }
            Self::CheckUnsaid { .. } => {
                "write the program and its words, like [\"cargo\", \"test\"]".to_owned()
            }
            Self::NotTaken { takes, .. } if takes.is_empty() => "take it away".to_owned(),
            Self::NotTaken { takes, .. } => format!("take it away; what it takes is {}", takes.join(", ")),
            Self::NoSets => "write `[\"iteration\", \"exit\"]`, or one of them".to_owned(),
            Self::UnknownTool { known, .. } => format!("the tools are {}", known.join(", ")),
            Self::ToolUnsaid { known } => {
                format!("write it like `tool = \"{}\"`; the tools are {}", known.first().unwrap_or(&""), known.join(", "))
            }
            Self::ReportName => "write a name without a folder, like \"junit.xml\"".to_owned(),
            Self::NotAPath { .. } => "write it from the top of the repository, like \"src\"".to_owned(),
            Self::TooManyEntries { .. } => "a folder stands for everything in it".to_owned(),
            Self::NoWords | Self::BlankWord => {
                "write the program and its words, like [\"cargo\", \"test\"]".to_owned()
            }
            Self::Line { .. } => "write a few words on one line".to_owned(),
            Self::UnknownRole { .. } => {
                let names: Vec<&str> = Role::ALL.into_iter().map(Role::name).collect();
                format!("the roles are {}, and `default` is all others", names.join(", "))
            }
            Self::AgentName { .. } => "use letters, digits, - and _, at most 64 of them".to_owned(),
            Self::TooManyAgents { .. } => "keep those that play a role".to_owned(),
            Self::UnknownAgent { known, .. } if known.is_empty() => {
                "there are no [agents.NAME] tables".to_owned()
            }
            Self::UnknownAgent { known, .. } => format!("the agents are {}", known.join(", ")),
            Self::HowMany { .. } => {
                "write a name, or a few in the order they are asked".to_owned()
            }
            Self::NoProgram => "write the program and its words, like [\"bin/agent\"]".to_owned(),
            Self::ProgramOfItsOwn => "take it away, or make the agent a `script`".to_owned(),
            Self::ApiUnsaid => {
                "write both, like `model = \"gpt-5\"` and `protocol = \"openai-responses\"`".to_owned()
            }
            Self::LiteralKey => "put the key into an environment variable and write its name here, like \
                                 OPENAI_API_KEY; this file is committed, so a key that stood in it is no secret \
                                 any more"
                .to_owned(),
            Self::Address => {
                "write it like \"https://gateway.example\", without a name, a key or a query".to_owned()
            }
            Self::Price { .. } => {
                "write dollars for a million tokens, like `input = 1.25`".to_owned()
            }
            Self::TooManyPrices { .. } => "the beginning of a name stands for all models with it".to_owned(),
            Self::OutOfRange { .. } => "write a number in that range".to_owned(),
            Self::Dollars { .. } => "write it like 5 or 2.50".to_owned(),
        }
    }
}

impl Location {
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

impl fmt::Display for Location {
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
