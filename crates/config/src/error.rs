//! The errors of a `sealwright.toml`, with their location and a hint.

use std::fmt;
use std::io;

use sealwright_gates::kinds;
use sealwright_kernel::Role;

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file has a flaw.
    #[error("{file}:{place}: {flaw}")]
    Refused { file: String, place: Location, flaw: Flaw },
    /// The file is too long and was not read.
    #[error("{file} is longer than {bytes_max} bytes")]
    TooLong { file: String, bytes_max: usize },
    /// The file does not exist.
    #[error("{file} does not exist")]
    Missing { file: String },
    /// The path is not a regular file.
    #[error("{file} is not a regular file; links are not followed")]
    NotAFile { file: String },
    /// The file cannot be read.
    #[error("cannot read {file}")]
    Unreadable { file: String, source: io::Error },
}

/// A position in a file; lines and characters count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    pub line: usize,
    pub column: usize,
}

/// A flaw in the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// The file exceeds the size limit.
    #[error("the file is longer than {bytes_max} bytes")]
    TooLong { bytes_max: usize },
    /// The file is not UTF-8.
    #[error("not UTF-8")]
    NotText,
    /// The file is not valid TOML.
    #[error("{}", short(message))]
    Syntax { message: String },
    /// The table does not exist.
    #[error("unknown table `{}`", short(name))]
    UnknownTable { name: String },
    /// A value stands where a table is required.
    #[error("`{}` is not a table", short(name))]
    NotATable { name: String },
    /// A key is unknown or missing, or its value has the wrong type.
    #[error("{}", short(message))]
    Shape { message: String },
    /// The name of a check is invalid.
    #[error("`{}` is not a valid name for a check", short(name))]
    CheckName { name: String },
    /// There are more checks than a task can name.
    #[error("more than {checks_max} checks")]
    TooManyChecks { checks_max: usize },
    /// The kind of check does not exist.
    #[error("unknown kind of check `{}`", short(name))]
    UnknownCheckKind { name: String },
    /// A required key of a check is missing.
    #[error("a check of kind `{kind}` needs `{key}`")]
    CheckUnsaid { kind: &'static str, key: &'static str },
    /// The kind of check does not have this key.
    #[error("a check of kind `{kind}` has no key `{key}`")]
    NotTaken { kind: &'static str, key: &'static str, takes: Vec<&'static str> },
    /// The check would never run.
    #[error("`sets` is empty, so the check would never run")]
    NoSets,
    /// The tool does not exist, or the kind of check cannot read its reports.
    #[error("unknown tool `{}` for this kind of check", short(name))]
    UnknownTool { name: String, known: Vec<&'static str> },
    /// The command does not identify the tool.
    #[error("cannot tell the tool from the command")]
    ToolUnsaid { known: Vec<&'static str> },
    /// The report is not a plain file name.
    #[error("`report` is not a file name")]
    ReportName,
    /// A path is not within the repository.
    #[error("`{key}` contains a path outside the repository")]
    NotAPath { key: &'static str },
    /// A list is too long.
    #[error("`{key}` has more than {most} entries")]
    TooManyEntries { key: &'static str, most: usize },
    /// A command is empty.
    #[error("the command is empty")]
    NoWords,
    /// An argument of a command is blank or contains a zero byte.
    #[error("an argument of the command is blank or contains a zero byte")]
    BlankWord,
    /// A text is blank, too long, or not on one line.
    #[error("`{key}` is blank, longer than {bytes_max} bytes or contains a control character")]
    Line { key: &'static str, bytes_max: usize },
    /// The role does not exist.
    #[error("unknown role `{}`", short(name))]
    UnknownRole { name: String },
    /// The name of an agent is invalid.
    #[error("`{}` is not a valid name for an agent", short(name))]
    AgentName { name: String },
    /// There are too many agents.
    #[error("more than {agents_max} agents")]
    TooManyAgents { agents_max: usize },
    /// A role names an agent that is not configured.
    #[error("unknown agent `{}`", short(name))]
    UnknownAgent { name: String, known: Vec<String> },
    /// A role has no agents or too many.
    #[error("a role needs one to {most} agents")]
    HowMany { most: usize },
    /// A script has no command.
    #[error("an agent of kind `script` needs `command`")]
    NoProgram,
    /// Only scripts have a command.
    #[error("`command` is only for agents of kind `script`")]
    ProgramOfItsOwn,
    /// A model API needs a model and a protocol.
    #[error("an agent of kind `api` needs `model` and `protocol`")]
    ApiUnsaid,
    /// The value may be a key, so the message does not repeat it.
    #[error("`key_env` is not the name of an environment variable")]
    LiteralKey,
    /// The address is invalid or contains a key.
    #[error("`base_url` is not a plain http or https address")]
    Address,
    /// A price is out of range.
    #[error("a price is not an amount of dollars from 0 to {most}")]
    Price { most: u64 },
    /// There are too many prices.
    #[error("more than {prices_max} prices")]
    TooManyPrices { prices_max: usize },
    /// A number is out of range.
    #[error("`{key}` is not a whole number from 1 to {most}")]
    OutOfRange { key: &'static str, most: u64 },
    /// The amount of money is invalid.
    #[error("`dollars` is not an amount from 0.01 to {most} in whole cents")]
    Dollars { most: u64 },
}

impl ConfigError {
    /// What to do next, in one sentence.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Refused { flaw, .. } => Some(flaw.hint()),
            Self::TooLong { bytes_max, .. } => Some(Flaw::TooLong { bytes_max: *bytes_max }.hint()),
            Self::Missing { .. } => Some("create it with `sealwright init`".to_owned()),
            Self::NotAFile { .. } => Some("replace it by the file itself".to_owned()),
            Self::Unreadable { .. } => Some("check its permissions".to_owned()),
        }
    }
}

impl Flaw {
    fn hint(&self) -> String {
        match self {
            Self::TooLong { .. } => "move everything that is not configuration elsewhere".to_owned(),
            Self::NotText => "save the file as UTF-8".to_owned(),
            Self::Syntax { .. } => "see https://toml.io for the syntax of TOML".to_owned(),
            Self::NotATable { .. } => {
                "start a table with its name in brackets, like [checks.tests]".to_owned()
            }
            Self::UnknownTable { .. } => {
                "the tables are [project], [checks.NAME], [agents.NAME], [roles], [prices.\"MODEL\"], [sandbox], \
                 [budget] and [limits]; phases cannot be configured"
                    .to_owned()
            }
            Self::Shape { .. } => "see docs/configuration.md for every key".to_owned(),
            Self::CheckName { .. } => "use letters, digits, - and _, at most 64 of them".to_owned(),
            Self::TooManyChecks { .. } => "run several of them with one command".to_owned(),
            Self::UnknownCheckKind { .. } => {
                let kinds: Vec<&str> = kinds::ALL.iter().map(|kind| kind.key).collect();
                format!("the kinds are {}", kinds.join(", "))
            }
            Self::CheckUnsaid { key: "report", .. } => {
                "name the file that the command writes to /reports, like \"junit.xml\"".to_owned()
            }
            Self::CheckUnsaid { .. } => {
                "write the program and its arguments, like [\"cargo\", \"test\"]".to_owned()
            }
            Self::NotTaken { takes, .. } if takes.is_empty() => "remove it".to_owned(),
            Self::NotTaken { takes, .. } => format!("remove it; the keys of this kind are {}", takes.join(", ")),
            Self::NoSets => "use \"iteration\", \"exit\" or both".to_owned(),
            Self::UnknownTool { known, .. } => format!("the tools are {}", known.join(", ")),
            Self::ToolUnsaid { known } => {
                format!("set `tool = \"{}\"`; the tools are {}", known.first().unwrap_or(&""), known.join(", "))
            }
            Self::ReportName => "write a file name without a folder, like \"junit.xml\"".to_owned(),
            Self::NotAPath { .. } => "write the path from the top of the repository, like \"src\"".to_owned(),
            Self::TooManyEntries { .. } => "name a folder to include everything in it".to_owned(),
            Self::NoWords | Self::BlankWord => {
                "write the program and its arguments, like [\"cargo\", \"test\"]".to_owned()
            }
            Self::Line { .. } => "write a few words on one line".to_owned(),
            Self::UnknownRole { .. } => {
                let names: Vec<&str> = Role::ALL.into_iter().map(Role::name).collect();
                format!("the roles are {}, and `default` for all others", names.join(", "))
            }
            Self::AgentName { .. } => "use letters, digits, - and _, at most 64 of them".to_owned(),
            Self::TooManyAgents { .. } => "keep only those with a role".to_owned(),
            Self::UnknownAgent { known, .. } if known.is_empty() => {
                "add a table [agents.NAME]".to_owned()
            }
            Self::UnknownAgent { known, .. } => format!("the agents are {}", known.join(", ")),
            Self::HowMany { .. } => {
                "write one name, or several in order of preference".to_owned()
            }
            Self::NoProgram => "write the program and its arguments, like [\"bin/agent\"]".to_owned(),
            Self::ProgramOfItsOwn => "remove it, or change the kind to `script`".to_owned(),
            Self::ApiUnsaid => {
                "write both, like `model = \"gpt-5\"` and `protocol = \"openai-responses\"`".to_owned()
            }
            Self::LiteralKey => "put the key into an environment variable and write the variable's name here, like \
                                 OPENAI_API_KEY; this file is committed, so revoke any key that was in it"
                .to_owned(),
            Self::Address => {
                "write it like \"https://gateway.example\", without user, key or query".to_owned()
            }
            Self::Price { .. } => {
                "write dollars for a million tokens, like `input = 1.25`".to_owned()
            }
            Self::TooManyPrices { .. } => "use a prefix to cover several models".to_owned(),
            Self::OutOfRange { .. } => "write a number in that range".to_owned(),
            Self::Dollars { .. } => "write it like 5 or 2.50".to_owned(),
        }
    }
}

impl Location {
    /// The location of the byte `at`.
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

/// A message does not repeat a name that fills a screen.
fn short(text: &str) -> String {
    match text.char_indices().nth(QUOTED_CHARACTERS_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

const QUOTED_CHARACTERS_MAX: usize = 240;
