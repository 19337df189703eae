//! Logins: what a program keeps of its person's subscription, added to requests outside of the sandbox.
//!
//! ```text
//! the program's own file ──read for each request──▶ signer ──headers──▶ egress proxy ──▶ its maker's host
//!                                                     └──◀── usage windows ◀── answers ◀──┘
//! ```
//!
//! The file is only read: nothing here writes, renews, stores or copies what it holds, and no message quotes it. Whether
//! a person wants a login to be used is not decided here.

mod file;
mod handed;
mod signer;
mod token;
mod windows;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub(crate) use handed::Handed;
pub(crate) use signer::LoginSigner;
use token::Token;
pub use windows::UsageWindow;

use crate::Protocol;

/// A program whose login can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoginKind {
    ClaudeCode,
    Codex,
    Copilot,
}

/// How a program comes to sign its requests with a login.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoginWay {
    /// The program finds a placeholder; the host adds the token to its requests.
    Host,
    /// The program is given the token, without what renews it, and signs its requests itself. They reach its maker only.
    Program,
}

/// A login that a person lets be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Login {
    pub kind: LoginKind,
    pub way: LoginWay,
    /// The file in which the program keeps it.
    pub file: PathBuf,
    /// The address that its requests are sent to.
    pub base: String,
    /// The address of what its program asks about the account, where it has one of its own.
    pub account_base: Option<String>,
    /// The user that the file has to belong to.
    pub user: u32,
}

/// Why a login cannot be used. What its file holds is in no message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoginError {
    /// The program was never signed in, or signed out, or keeps its login elsewhere.
    #[error("no login of {} in `{}`", kind.name(), file.display())]
    Missing { kind: LoginKind, file: PathBuf },
    /// What a link leads to could be another file for the next request.
    #[error("`{}` is a link, or a folder above it is one", file.display())]
    Link { kind: LoginKind, file: PathBuf },
    /// It is another person's login, or another person could put one there.
    #[error("`{}` is no file of yours alone", path.display())]
    Others { kind: LoginKind, path: PathBuf },
    /// Other users of the machine can read the token.
    #[error("other users can read `{}`", file.display())]
    Readable { kind: LoginKind, file: PathBuf },
    #[error("`{}` cannot be read: {why}", file.display())]
    Unreadable { kind: LoginKind, file: PathBuf, why: String },
    /// The file has another form, or is larger than any login.
    #[error("`{}` is not in the form of a login of {}", file.display(), kind.name())]
    Malformed { kind: LoginKind, file: PathBuf },
    /// The program was signed in with a key, which is no login.
    #[error("`{}` holds an API key and no login", file.display())]
    Key { kind: LoginKind, file: PathBuf },
    /// Only the program itself renews it.
    #[error("the login of {} has expired", kind.name())]
    Expired { kind: LoginKind },
}

/// What is known of a program with a login. Data only.
struct Facts {
    name: &'static str,
    maker: &'static str,
    protocol: Protocol,
    base: &'static str,
    folder_variable: &'static str,
    folder: &'static str,
    file: &'static str,
    /// What to do to sign in, as a sentence.
    sign_in: &'static str,
    ends: &'static str,
    default_way: LoginWay,
    key_variable: &'static str,
    headers: &'static [&'static str],
    calls: &'static [(&'static str, &'static str)],
    /// Where it asks about the account, if that is another address, and what.
    account: Option<(&'static str, &'static [(&'static str, &'static str)])>,
}

impl LoginKind {
    pub const ALL: [Self; 3] = [Self::ClaudeCode, Self::Codex, Self::Copilot];

    /// The login of a kind of agent, if there is one.
    pub fn of_agent(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// As the kind of the agent is called.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    pub fn maker(self) -> &'static str {
        self.facts().maker
    }

    pub fn protocol(self) -> Protocol {
        self.facts().protocol
    }

    /// The address of its maker, which a login is meant for.
    pub fn base(self) -> &'static str {
        self.facts().base
    }

    /// What to do to sign in again, as a sentence.
    pub fn sign_in(self) -> &'static str {
        self.facts().sign_in
    }

    /// The way that its maker's terms allow and that shows a role least.
    pub fn default_way(self) -> LoginWay {
        self.facts().default_way
    }

    /// What to do to end a token that others may have read, as a part of a sentence.
    pub(crate) fn ends(self) -> &'static str {
        self.facts().ends
    }

    /// The address that its program asks about the account, if that is another one.
    pub fn account_base(self) -> Option<&'static str> {
        self.facts().account.map(|(base, _)| base)
    }

    /// What its program may ask there.
    pub(crate) fn account_calls(self) -> &'static [(&'static str, &'static str)] {
        self.facts().account.map_or(&[], |(_, calls)| calls)
    }

    /// Where the program keeps its login, for this home and environment.
    pub fn file(
        self,
        home: Option<&Path>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Option<PathBuf> {
        let facts = self.facts();
        let named = variable(facts.folder_variable).map(PathBuf::from);
        let folder = named.or_else(|| Some(home?.join(facts.folder)))?;
        folder.is_absolute().then(|| folder.join(facts.file))
    }

    /// The headers that sign a request.
    pub(crate) fn headers(self) -> &'static [&'static str] {
        self.facts().headers
    }

    /// The methods and paths that the program needs.
    pub(crate) fn calls(self) -> &'static [(&'static str, &'static str)] {
        self.facts().calls
    }

    fn facts(self) -> &'static Facts {
        match self {
            Self::ClaudeCode => &CLAUDE_CODE,
            Self::Codex => &CODEX,
            Self::Copilot => &COPILOT,
        }
    }
}

impl Login {
    /// Whether it can be used now.
    pub fn check(&self) -> Result<(), LoginError> {
        self.token(now_ms()).map(|_| ())
    }

    fn token(&self, now_ms: u64) -> Result<Token, LoginError> {
        let text = file::read(self)?;
        let malformed = || LoginError::Malformed { kind: self.kind, file: self.file.clone() };
        let key = || LoginError::Key { kind: self.kind, file: self.file.clone() };
        let token = match token::parse(self.kind, &text) {
            Ok(token) => token,
            Err(token::Unfit::Malformed) => return Err(malformed()),
            Err(token::Unfit::Key) => return Err(key()),
        };
        match token.expires_ms {
            Some(end) if end <= now_ms => Err(LoginError::Expired { kind: self.kind }),
            Some(_) | None => Ok(token),
        }
    }
}

impl LoginError {
    /// What to type, in one sentence.
    pub fn hint(&self) -> String {
        match self {
            Self::Missing { kind, .. } | Self::Malformed { kind, .. } | Self::Expired { kind } => {
                kind.sign_in().to_owned()
            }
            Self::Link { kind, .. } => format!(
                "put the file itself there, or name its folder with {} before `sealwright login {}`",
                kind.facts().folder_variable,
                kind.name()
            ),
            Self::Others { path, .. } => format!(
                "if it is yours, `chmod go-w {}`; a login is for one person only",
                path.display()
            ),
            Self::Readable { file, .. } => format!("`chmod 600 {}`", file.display()),
            Self::Unreadable { file, .. } => {
                format!("see that you can read `{}`", file.display())
            }
            Self::Key { kind, .. } => {
                format!("set {} to use the key; {}", kind.facts().key_variable, kind.sign_in())
            }
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a token has an end, which only a clock can tell")]
fn now_ms() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.ok().and_then(|now| u64::try_from(now.as_millis()).ok()).unwrap_or(u64::MAX)
}

const CLAUDE_CODE: Facts = Facts {
    name: "claude-code",
    maker: "Anthropic",
    protocol: Protocol::Anthropic,
    base: "https://api.anthropic.com",
    folder_variable: "CLAUDE_CONFIG_DIR",
    folder: ".claude",
    file: ".credentials.json",
    sign_in: "`claude /login` signs in again",
    ends: "sign out of all sessions at claude.ai, or wait until it ends by itself",
    // Its maker's terms speak against others that hold or pass on its tokens, and allow a person's own sign-in to the
    // unmodified program.
    default_way: LoginWay::Program,
    key_variable: "ANTHROPIC_API_KEY",
    headers: &["authorization"],
    calls: &[("POST", "/v1/messages"), ("POST", "/v1/messages/count_tokens")],
    account: None,
};
const CODEX: Facts = Facts {
    name: "codex",
    maker: "OpenAI",
    protocol: Protocol::OpenaiResponses,
    base: "https://chatgpt.com/backend-api/codex",
    folder_variable: "CODEX_HOME",
    folder: ".codex",
    file: "auth.json",
    sign_in: "`codex login` signs in again",
    ends: "sign out of all sessions at chatgpt.com, or wait until it ends by itself",
    default_way: LoginWay::Host,
    key_variable: "OPENAI_API_KEY",
    headers: &["authorization", "chatgpt-account-id"],
    calls: &[("GET", "/models"), ("POST", "/responses")],
    account: None,
};
/// The program keeps its own login in a keychain, so a token that its person made for it is taken from a file.
const COPILOT: Facts = Facts {
    name: "copilot",
    maker: "GitHub",
    protocol: Protocol::OpenaiChat,
    base: "https://api.githubcopilot.com",
    folder_variable: "COPILOT_HOME",
    folder: ".copilot",
    file: "sealwright-token",
    ends: "delete that token at GitHub",
    sign_in: "put a fine-grained token of GitHub with the permission `Copilot Requests` into that file",
    default_way: LoginWay::Host,
    key_variable: "OPENAI_API_KEY",
    headers: &["authorization"],
    calls: &[
        ("GET", "/models"),
        ("POST", "/chat/completions"),
        ("POST", "/responses"),
        ("POST", "/v1/messages"),
    ],
    account: Some((
        "https://api.github.com",
        &[("GET", "/copilot_internal/user"), ("GET", "/copilot_internal/managed_settings")],
    )),
};

#[cfg(test)]
mod tests;
