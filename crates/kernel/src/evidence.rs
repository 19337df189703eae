//! Evidence: what the machine observed, bound to a tree.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{Confinement, Digest, EvidenceId, InvocationId, Role};

/// How a check ended. Cannot tell is never a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Pass,
    Fail,
    /// The check could not reach a verdict.
    CannotTell,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The tree that was checked.
    pub tree: Digest,
    pub source: Source,
    /// The whole output, in the store.
    pub output: Digest,
    /// The first lines of it, for people.
    pub excerpt: String,
    /// Other files, in the store.
    pub artifacts: Vec<Artifact>,
    pub cost: Cost,
}

/// A file that belongs to evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    pub name: String,
    /// Its content, in the store.
    pub content: Digest,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A command the machine ran.
    Command {
        argv: Vec<String>,
        exit: i32,
        /// How strongly it was confined, where a sandbox ran it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        confinement: Option<Confinement>,
    },
    /// A role's structured answer, captured and checked.
    Role { role: Role, invocation: InvocationId },
}

/// What something cost, as agents report it. No verdict rests on it; a budget does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// Time, in milliseconds.
    pub millis: u64,
    /// Tokens, in and out.
    pub tokens: u64,
    /// Money, in millionths of a dollar.
    pub micro_dollars: u64,
}

/// Evidence that was taken into a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvidenceRecord {
    /// Its name, minted when it was taken.
    pub id: EvidenceId,
    /// What it is about: a check, a gate of a slice, a judge.
    pub subject: String,
    pub verdict: Verdict,
    pub evidence: Evidence,
}

/// Why evidence does not support its verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsupported {
    /// The command line is empty.
    #[error("the evidence names no command")]
    NoCommand,
    /// The command ended otherwise than the verdict says.
    #[error("exit code {exit} contradicts the verdict")]
    Contradicted { exit: i32 },
    /// A role's answer is not the result of a command.
    #[error("the evidence comes from a role, not from a command")]
    NotACommand,
    /// The tree is another one.
    #[error("the evidence is about another tree")]
    OtherTree,
    /// The answer comes from another role than was asked.
    #[error("the answer comes from another role")]
    OtherRole,
}

impl Evidence {
    /// Whether it can carry `verdict` about `tree`, for a check that a command makes.
    pub fn supports(&self, verdict: Verdict, tree: Digest) -> Result<(), Unsupported> {
        let Source::Command { argv, exit, .. } = &self.source else {
            return Err(Unsupported::NotACommand);
        };
        if argv.iter().all(|word| word.trim().is_empty()) {
            return Err(Unsupported::NoCommand);
        }
        if verdict == Verdict::Pass && *exit != 0 {
            return Err(Unsupported::Contradicted { exit: *exit });
        }
        self.is_about(tree)
    }

    /// Whether it shows that tests failed on `tree`, as they have to before anything is built.
    pub fn shows_red(&self, tree: Digest) -> Result<(), Unsupported> {
        self.supports(Verdict::Fail, tree)?;
        match &self.source {
            Source::Command { exit: 0, .. } => Err(Unsupported::Contradicted { exit: 0 }),
            Source::Command { .. } | Source::Role { .. } => Ok(()),
        }
    }

    /// Whether it is the word of `role` about `tree`.
    pub fn is_word_of(&self, asked: Role, tree: Digest) -> Result<(), Unsupported> {
        match &self.source {
            Source::Role { role, .. } if *role == asked => self.is_about(tree),
            Source::Role { .. } | Source::Command { .. } => Err(Unsupported::OtherRole),
        }
    }

    fn is_about(&self, tree: Digest) -> Result<(), Unsupported> {
        if self.tree == tree { Ok(()) } else { Err(Unsupported::OtherTree) }
    }
}

impl Cost {
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            millis: self.millis.saturating_add(other.millis),
            tokens: self.tokens.saturating_add(other.tokens),
            micro_dollars: self.micro_dollars.saturating_add(other.micro_dollars),
        }
    }
}

named! { Verdict { Pass = "pass", Fail = "fail", CannotTell = "cannot tell" } }
