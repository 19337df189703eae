//! Trouble: what keeps an assignment from being carried out at all.

use std::io;

use sealwright_sandbox::SandboxError;

use crate::outcome::shortened;
use crate::{CallOutcome, End, Failure};

/// What keeps an assignment from being carried out at all.
pub(crate) enum Trouble {
    /// The walls are not what they must be.
    Isolation(String),
    /// It could not be begun.
    NotStarted(String),
}

impl From<Trouble> for CallOutcome {
    fn from(trouble: Trouble) -> Self {
        let (failure, why) = match trouble {
            Trouble::Isolation(why) => (Failure::Isolation, why),
            Trouble::NotStarted(why) => (Failure::NotStarted, why),
        };
        Self::unspent(End::Failed { failure, why: shortened(&why) })
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::NotStarted(error.to_string())
    }
}

impl From<SandboxError> for Trouble {
    fn from(error: SandboxError) -> Self {
        match error {
            SandboxError::Isolation { step, why } if step == "start the command" => {
                Self::NotStarted(why)
            }
            error => Self::Isolation(error.to_string()),
        }
    }
}
