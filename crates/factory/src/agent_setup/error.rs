//! Why somebody cannot be given an assignment, and what a person can do about it.

use std::io;

use sealwright_agents::PriceError;
use sealwright_agents::adapters::script::ScriptError;

use crate::config::Kind;

/// Why somebody cannot be given an assignment.
#[derive(Debug, thiserror::Error)]
pub enum AgentSetupError {
    /// Nobody goes by that name.
    #[error("no agent is called `{name}`")]
    Unknown {
        /// The name.
        name: String,
        /// Who is configured.
        known: Vec<String>,
    },
    /// The kind alone does not say enough.
    #[error("the kind `{kind}` alone does not say {missing}")]
    Unsaid {
        /// The kind.
        kind: &'static str,
        /// What is not said.
        missing: &'static str,
    },
    /// A person is no program.
    #[error("`{name}` is a person")]
    Person {
        /// Who.
        name: String,
    },
    /// The program cannot be used.
    #[error("{kind} {why}")]
    Unusable {
        /// What it is.
        kind: &'static str,
        /// What is wrong with it.
        why: &'static str,
        /// What was found to be done.
        advice: Vec<String>,
    },
    /// There is no key.
    #[error("there is no key for `{name}`")]
    NoKey {
        /// For whom.
        name: String,
        /// The variables that were looked at.
        variables: Vec<String>,
    },
    /// The environment says where the model is, and it is no place.
    #[error("`{variable}` is not a plain http or https address")]
    Address {
        /// The variable.
        variable: &'static str,
    },
    /// Nobody says which model.
    #[error("nobody says which model `{name}` asks")]
    NoModel {
        /// Who.
        name: String,
    },
    /// It does not speak that.
    #[error("{kind} does not speak `{protocol}`")]
    Tongue {
        /// What it is.
        kind: &'static str,
        /// What it is asked to speak.
        protocol: &'static str,
        /// What it speaks.
        speaks: Vec<&'static str>,
    },
    /// A script's file cannot be read.
    #[error("the steps in `{file}` cannot be read")]
    NoSteps {
        /// Which.
        file: String,
        /// Why.
        source: io::Error,
    },
    /// A script cannot be followed.
    #[error("the steps in `{file}` cannot be followed")]
    Steps {
        /// Which.
        file: String,
        /// Why.
        source: ScriptError,
    },
    /// A price makes no sense.
    #[error(transparent)]
    Price(#[from] PriceError),
}

impl AgentSetupError {
    /// What a person can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Unknown { known, .. } if known.is_empty() => {
                let kinds: Vec<&str> = Kind::ALL.into_iter().map(Kind::name).collect();
                format!("add a table [agents.NAME], or name a kind: {}", kinds.join(", "))
            }
            Self::Unknown { known, .. } => format!("there are {}", known.join(", ")),
            Self::Unsaid { kind: "script", .. } => {
                "add a table like [agents.rehearsed] with `kind = \"script\"` and \
                 `command = [\"steps.toml\"]`"
                    .to_owned()
            }
            Self::Unsaid { kind, .. } => format!(
                "add a table like [agents.judge] with `kind = \"{kind}\"`, a `protocol` and a `model`"
            ),
            Self::Person { .. } => "name an agent that is a program or a model".to_owned(),
            Self::Unusable { advice, .. } if advice.is_empty() => {
                "`sealwright doctor` says what it needs".to_owned()
            }
            Self::Unusable { advice, .. } => advice.join("; "),
            Self::NoKey { variables, .. } => format!(
                "set {}, or name another variable with `key_env`; a login of the program's own is not taken along",
                variables.join(" or ")
            ),
            Self::Address { variable } => format!(
                "set {variable} to an address like \"https://gateway.example\", without a name, a key or a query, or unset it"
            ),
            Self::NoModel { .. } => "add `model = \"…\"` to its table".to_owned(),
            Self::Tongue { speaks, .. } => {
                format!("leave `protocol` out, or set it to {}", speaks.join(" or "))
            }
            Self::NoSteps { .. } => {
                "`command` of a script names one file of steps, from the top of the repository"
                    .to_owned()
            }
            Self::Steps { source, .. } => source.hint(),
            Self::Price(_) => "set it right under [prices] in sealwright.toml".to_owned(),
        }
    }
}
