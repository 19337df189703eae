//! The actor of a record.

use serde::Serialize;

use super::{InvocationId, Role};

/// The actor of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Actor {
    /// A person, by name.
    Human(String),
    /// A role, in one agent call.
    Role(Role, InvocationId),
    /// The engine itself.
    Machine,
    /// The environment: a deadline that passed, a process that died.
    Environment,
}

impl From<&sealwright_kernel::Actor> for Actor {
    fn from(actor: &sealwright_kernel::Actor) -> Self {
        match actor {
            sealwright_kernel::Actor::Human(name) => Self::Human(name.clone()),
            sealwright_kernel::Actor::Role(role, invocation) => {
                Self::Role((*role).into(), (*invocation).into())
            }
            sealwright_kernel::Actor::Machine => Self::Machine,
            sealwright_kernel::Actor::Environment => Self::Environment,
        }
    }
}
