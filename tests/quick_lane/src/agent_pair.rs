//! Pairs of agents: the builder and the challenger, as written into `sealwright.toml` or as found by `sealwright init`.

use std::net::SocketAddr;

use serde::Deserialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentPair {
    /// Codex builds, opencode challenges.
    Codex,
    /// opencode builds, Codex challenges.
    Opencode,
    /// Codex does everything. It starts in a tenth of opencode's time, which matters for a hundred starts.
    CodexAlone,
    /// opencode does everything.
    OpencodeAlone,
    /// The agents that `sealwright init` finds on `PATH`. No line is written by hand; environment variables name the
    /// model.
    AsFound,
}

impl AgentPair {
    /// Its name in runs: the builder.
    pub fn name(self) -> &'static str {
        match self {
            Self::Codex => "codex",
            Self::Opencode => "opencode",
            Self::CodexAlone => "codex-alone",
            Self::OpencodeAlone => "opencode-alone",
            Self::AsFound => "as-found",
        }
    }

    /// The lines for `sealwright.toml`, with the model at `address`; `None` if nothing is written by hand.
    pub fn lines(self, address: SocketAddr) -> Option<String> {
        let (builder, challenger) = match self {
            Self::Codex => (CODEX, OPENCODE),
            Self::Opencode => (OPENCODE, CODEX),
            Self::CodexAlone => (CODEX, CODEX),
            Self::OpencodeAlone => (OPENCODE, OPENCODE),
            Self::AsFound => return None,
        };
        let hired = |(name, protocol): (&str, &str)| {
            format!(
                "\n[agents.{name}]\nkind = \"{name}\"\nmodel = \"gpt-5\"\nbase_url = \"http://{address}\"\n\
                 protocol = \"{protocol}\"\nkey_env = \"{KEY}\"\n"
            )
        };
        let mut lines = hired(builder);
        if challenger != builder {
            lines.push_str(&hired(challenger));
        }
        let (builder, challenger) = (builder.0, challenger.0);
        Some(format!("{lines}\n[roles]\ndefault = \"{builder}\"\nchallenger = \"{challenger}\"\n"))
    }
}

const CODEX: (&str, &str) = ("codex", "openai-responses");
const OPENCODE: (&str, &str) = ("opencode", "openai-chat");
/// The variable that holds the key of the model.
pub const KEY: &str = "QUICK_LANE_KEY";
