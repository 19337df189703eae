//! The file in which a program keeps the login of its person, in the form of each maker.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sealwright_agents::login::{Login, LoginKind, LoginWay};
use serde_json::{Value, json};

use crate::runner::KEY;

/// What a program wrote when its person signed in.
#[derive(Clone, Debug)]
pub struct Session {
    /// How its token ends.
    pub word: &'static str,
    /// When it ends, in seconds since 1970.
    pub expires_s: u64,
    pub mode: u32,
}

pub struct MakerFile {
    _folder: tempfile::TempDir,
    pub login: Login,
}

impl Default for Session {
    fn default() -> Self {
        Self { word: KEY, expires_s: NEVER_S, mode: 0o600 }
    }
}

impl MakerFile {
    /// A login whose maker answers at this address.
    pub fn new(kind: LoginKind, way: LoginWay, address: String, session: &Session) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let home = folder.path().canonicalize()?;
        let file = kind.file(Some(&home), &|_| None).context("a home has a place for a login")?;
        let user = home.metadata()?.uid();
        fs::create_dir(file.parent().unwrap_or(&home))?;
        let account_base = kind.account_base().map(|_| address.clone());
        let base = match kind {
            LoginKind::Codex => address + "/backend-api/codex",
            LoginKind::ClaudeCode | LoginKind::Copilot => address,
        };
        let login = Login { kind, way, file, base, account_base, user };
        let made = Self { _folder: folder, login };
        made.sign_in(session)?;
        Ok(made)
    }

    /// Puts a session in the place of the one before, at once.
    pub fn sign_in(&self, session: &Session) -> Result<()> {
        let file = &self.login.file;
        // It does not say when it ends; its person takes it away.
        if self.login.kind == LoginKind::Copilot && session.expires_s < NEVER_S {
            return Ok(fs::remove_file(file)?);
        }
        let draft = file.with_extension("draft");
        fs::write(&draft, self.text(session))?;
        fs::set_permissions(&draft, fs::Permissions::from_mode(session.mode))?;
        Ok(fs::rename(&draft, file)?)
    }

    fn text(&self, session: &Session) -> String {
        let Session { word, expires_s, .. } = session;
        let stored = match self.login.kind {
            LoginKind::Copilot => return format!("github_pat_{word}\n"),
            LoginKind::ClaudeCode => json!({"claudeAiOauth": {
                "accessToken": word, "refreshToken": RENEWS, "expiresAt": expires_s * 1000,
                "scopes": ["user:inference"], "subscriptionType": "max",
            }}),
            LoginKind::Codex => {
                let part = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
                let token =
                    |claims| format!("{}.{}.{word}", part(json!({"alg": "RS256"})), part(claims));
                json!({
                    "auth_mode": "chatgpt", "OPENAI_API_KEY": null,
                    "last_refresh": "2026-11-18T00:00:00Z",
                    "tokens": {
                        "id_token": token(json!({"email": "ann@example.com"})),
                        "access_token": token(json!({"exp": expires_s})),
                        "refresh_token": RENEWS,
                        "account_id": ACCOUNT,
                    },
                })
            }
        };
        stored.to_string()
    }
}

/// Whether this file is in the tree.
pub(crate) fn is_there(work: &Path, name: &str) -> bool {
    work.join(name).exists()
}

/// What renews a session. It is sent to nobody.
pub const RENEWS: &str = "renews-outside-only-5a3c";
pub const ACCOUNT: &str = "account-outside-only-2b9d";
const NEVER_S: u64 = 4_000_000_000;
