//! The interface of a system that judges a run.

use std::fmt;

use anyhow::Result;

use crate::case::Case;

/// Runs a case and decides whether the result is accepted.
pub trait System: Sync {
    fn name(&self) -> &str;

    /// Runs and judges a case. An error means that the case could not be run.
    fn judge(&self, case: &Case) -> Result<Verdict>;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The result is accepted. For a fraud, this is an escape.
    Accepted,
    Refused {
        by: String,
        why: String,
    },
    /// The case does not apply to this system.
    NoSuchThing,
}

impl Verdict {
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
