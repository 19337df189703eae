//! What a person decides where growth or a contradiction holds up a run.

use serde::{Deserialize, Serialize};

use crate::pipeline::{Change, State};

/// The answers to a brake, and to documents and code that contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The design gets simpler.
    Simplify,
    /// The scope asks for less.
    Reduce,
    /// A part becomes a scope item, or a project, of its own.
    Split,
    /// It may be as large as it is.
    Authorise,
    /// The scope takes in what the code does.
    Accept,
    /// The code goes back to what the scope says.
    Revert,
}

impl Decision {
    pub const ALL: [Self; 6] =
        [Self::Simplify, Self::Reduce, Self::Split, Self::Authorise, Self::Accept, Self::Revert];

    /// The answers to what a run waits for in a state.
    pub fn of(state: State) -> &'static [Self] {
        if state == State::ComplexityBrakeTriggered {
            &[Self::Simplify, Self::Reduce, Self::Split, Self::Authorise]
        } else if state == State::ReconcileBlocked {
            &[Self::Accept, Self::Revert, Self::Split]
        } else {
            &[]
        }
    }

    /// What changes by it, so that gates which depend on it are examined again.
    pub fn change(self) -> Change {
        match self {
            Self::Simplify => Change::Design,
            Self::Reduce | Self::Split | Self::Accept => Change::Scope,
            Self::Revert => Change::Code,
            Self::Authorise => Change::Nothing,
        }
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Simplify => "simplify",
            Self::Reduce => "reduce",
            Self::Split => "split",
            Self::Authorise => "authorise",
            Self::Accept => "accept",
            Self::Revert => "revert",
        }
    }

    pub fn words(self) -> &'static str {
        match self {
            Self::Simplify => "simplify the design",
            Self::Reduce => "reduce the scope",
            Self::Split => "split a part off into a scope item of its own",
            Self::Authorise => "authorise it",
            Self::Accept => "accept the change of the scope",
            Self::Revert => "revert the code",
        }
    }
}
