//! Crews: who builds and who challenges, as a person would write it into `sealwright.toml`.

use std::net::SocketAddr;

use serde::Deserialize;

/// Who builds; somebody else challenges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Crew {
    /// Codex builds, opencode challenges.
    Codex,
    /// opencode builds, Codex challenges.
    Opencode,
}

impl Crew {
    /// Its name in errands: who builds.
    pub fn name(self) -> &'static str {
        match self {
            Self::Codex => "codex",
            Self::Opencode => "opencode",
        }
    }

    /// Its lines in `sealwright.toml`, with the model at `address`.
    pub fn lines(self, address: SocketAddr) -> String {
        let challenger = match self {
            Self::Codex => Self::Opencode,
            Self::Opencode => Self::Codex,
        };
        format!(
            "\n[agents.codex]\nkind = \"codex\"\nmodel = \"gpt-5\"\nbase_url = \"http://{address}\"\n\
             protocol = \"openai-responses\"\nkey_env = \"{KEY}\"\n\n\
             [agents.opencode]\nkind = \"opencode\"\nmodel = \"gpt-5\"\nbase_url = \"http://{address}\"\n\
             protocol = \"openai-chat\"\nkey_env = \"{KEY}\"\n\n\
             [roles]\ndefault = \"{}\"\nchallenger = \"{}\"\n",
            self.name(),
            challenger.name(),
        )
    }
}

/// The variable that holds the key of the model.
pub const KEY: &str = "ERRANDS_KEY";
