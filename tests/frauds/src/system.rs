//! The border: anything that judges a run.

use std::fmt;

use anyhow::Result;

use crate::case::Case;

/// Something that carries a case out and says whether the work is accepted.
pub trait System: Sync {
    /// What it is called in tables.
    fn name(&self) -> &str;

    /// Carries out a case and judges it. An error is none of its verdicts: the case could not be carried out.
    fn judge(&self, case: &Case) -> Result<Verdict>;
}

/// What a system says to a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The work is accepted as done. For a fraud, this is an escape.
    Accepted,
    /// It is not.
    Refused {
        /// What refused it.
        by: String,
        /// Why.
        why: String,
    },
    /// The system has nothing that this could be done to, so the case says nothing about it.
    NoSuchThing,
}

impl Verdict {
    /// A refusal.
    pub fn refused(by: &str, why: impl Into<String>) -> Self {
        Self::Refused { by: by.to_owned(), why: why.into() }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Accepted => f.write_str("accepted"),
            Self::Refused { by, .. } => write!(f, "refused: {by}"),
            Self::NoSuchThing => f.write_str("-"),
        }
    }
}
