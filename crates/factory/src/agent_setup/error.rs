//! Why an agent cannot be set up, and what to do about it.

use std::io;

use sealwright_agents::PriceError;
use sealwright_agents::adapters::script::ScriptError;
use sealwright_agents::login::LoginError;

use crate::logins::LoginsError;
use sealwright_config::Kind;

/// Why an agent cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum AgentSetupError {
    /// No agent and no kind has this name.
    #[error("no agent named `{name}`")]
    Unknown { name: String, known: Vec<String> },
    /// The kind needs a table in the configuration.
    #[error("kind `{kind}` needs {missing}")]
    Incomplete { kind: &'static str, missing: &'static str },
    /// A person cannot be called as an agent.
    #[error("`{name}` is a person, not a program or a model")]
    Person { name: String },
    /// The program is not usable.
    #[error("{kind} {why}")]
    Unusable { kind: &'static str, why: &'static str, advice: Vec<String> },
    /// No key is set for the agent.
    #[error("no API key for `{name}`")]
    NoKey {
        name: String,
        variables: Vec<String>,
        /// The program whose login could be used instead.
        login: Option<&'static str>,
    },
    /// The person lets the login be used, and it cannot be.
    #[error("the login for `{name}` cannot be used: {source}")]
    Login { name: String, source: LoginError },
    #[error(transparent)]
    Logins(#[from] LoginsError),
    /// The address in the environment is invalid.
    #[error("`{variable}` is not a plain http or https address")]
    Address { variable: &'static str },
    /// No model is configured.
    #[error("no model configured for `{name}`")]
    NoModel { name: String },
    /// The agent does not support the protocol.
    #[error("{kind} does not support the protocol `{protocol}`")]
    UnsupportedProtocol { kind: &'static str, protocol: &'static str, speaks: Vec<&'static str> },
    /// The script file cannot be read.
    #[error("cannot read the script `{file}`")]
    NoScript { file: String, source: io::Error },
    #[error("invalid script `{file}`")]
    Script { file: String, source: ScriptError },
    #[error(transparent)]
    Price(#[from] PriceError),
}

impl AgentSetupError {
    /// What to do next, in one sentence.
    pub fn hint(&self) -> String {
        match self {
            Self::Unknown { known, .. } if known.is_empty() => {
                let kinds: Vec<&str> = Kind::ALL.into_iter().map(Kind::name).collect();
                format!("add a table [agents.NAME], or name a kind: {}", kinds.join(", "))
            }
            Self::Unknown { known, .. } => {
                format!("the configured agents are {}", known.join(", "))
            }
            Self::Incomplete { kind: "script", .. } => {
                "add a table like [agents.rehearsed] with `kind = \"script\"` and \
                 `command = [\"steps.toml\"]`"
                    .to_owned()
            }
            Self::Incomplete { kind, .. } => format!(
                "add a table like [agents.judge] with `kind = \"{kind}\"`, a `protocol` and a `model`"
            ),
            Self::Person { .. } => "name an agent of another kind".to_owned(),
            Self::Unusable { advice, .. } if advice.is_empty() => {
                "`sealwright doctor` shows what it needs".to_owned()
            }
            Self::Unusable { advice, .. } => advice.join("; "),
            Self::NoKey { variables, login: Some(login), .. } => format!(
                "set {}, name another variable with `key_env`, or sign in and let the login be used: `sealwright login {login}`",
                variables.join(" or ")
            ),
            Self::Login { source, .. } => source.hint(),
            Self::Logins(error) => error.hint(),
            Self::NoKey { variables, login: None, .. } => format!(
                "set {}, or name another variable with `key_env`; the program's own login is not used",
                variables.join(" or ")
            ),
            Self::Address { variable } => format!(
                "set {variable} to an address like \"https://gateway.example\", without a name, a key or a query, or unset it"
            ),
            Self::NoModel { .. } => {
                "add `model = \"…\"` to its table in sealwright.toml".to_owned()
            }
            Self::UnsupportedProtocol { speaks, .. } => {
                format!("leave `protocol` out, or set it to {}", speaks.join(" or "))
            }
            Self::NoScript { .. } => {
                "set `command` to one script file, with its path from the top of the repository"
                    .to_owned()
            }
            Self::Script { source, .. } => source.hint(),
            Self::Price(_) => "correct it under [prices] in sealwright.toml".to_owned(),
        }
    }
}
