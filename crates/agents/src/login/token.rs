//! What a request is signed with, from the text of a login's file. Pure.
//!
//! Only what is needed is taken: the token of a session, the account it is for, and its end. What renews it stays where
//! it is.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sealwright_sandbox::egress::Secret;
use serde::Deserialize;
use serde_json::Value;

use super::LoginKind;

pub(super) struct Token {
    pub(super) word: String,
    /// The account, where the maker wants to be told.
    pub(super) account: Option<String>,
    /// When it ends, in milliseconds since 1970, if that is known.
    pub(super) expires_ms: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unfit {
    Malformed,
    /// There is a key in the place of a login.
    Key,
}

impl Token {
    pub(super) fn headers(&self) -> Vec<(&'static str, Secret)> {
        let account =
            self.account.as_ref().map(|id| ("chatgpt-account-id", Secret::new(id.as_str())));
        let bearer = ("authorization", Secret::new(format!("Bearer {}", self.word)));
        std::iter::once(bearer).chain(account).collect()
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.word == other.word
    }
}

pub(super) fn parse(kind: LoginKind, text: &[u8]) -> Result<Token, Unfit> {
    let token = match kind {
        LoginKind::ClaudeCode => claude_code(text)?,
        LoginKind::Codex => codex(text)?,
        LoginKind::Copilot => copilot(text)?,
    };
    let words = [Some(&token.word), token.account.as_ref()];
    if words.into_iter().flatten().all(|word| is_word(word)) {
        Ok(token)
    } else {
        Err(Unfit::Malformed)
    }
}

fn claude_code(text: &[u8]) -> Result<Token, Unfit> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct File {
        claude_ai_oauth: Session,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Session {
        access_token: String,
        expires_at: Option<u64>,
    }
    let File { claude_ai_oauth } = serde_json::from_slice(text).map_err(|_| Unfit::Malformed)?;
    let Session { access_token, expires_at } = claude_ai_oauth;
    Ok(Token { word: access_token, account: None, expires_ms: expires_at })
}

fn codex(text: &[u8]) -> Result<Token, Unfit> {
    #[derive(Deserialize)]
    struct File {
        tokens: Option<Tokens>,
        #[serde(rename = "OPENAI_API_KEY")]
        key: Option<Value>,
    }
    #[derive(Deserialize)]
    struct Tokens {
        access_token: String,
        #[serde(default)]
        id_token: String,
        account_id: Option<String>,
    }
    let File { tokens, key } = serde_json::from_slice(text).map_err(|_| Unfit::Malformed)?;
    let Some(Tokens { access_token, id_token, account_id }) = tokens else {
        return Err(if key.is_some_and(|it| it.is_string()) {
            Unfit::Key
        } else {
            Unfit::Malformed
        });
    };
    let of_claims = || {
        let claims = claims(&id_token)?;
        let account = claims.pointer("/https:~1~1api.openai.com~1auth/chatgpt_account_id")?;
        account.as_str().map(str::to_owned)
    };
    let account = account_id.or_else(of_claims);
    let expires_s = claims(&access_token).and_then(|claims| claims.get("exp")?.as_u64());
    let expires_ms = expires_s.map(|seconds| seconds.saturating_mul(1000));
    Ok(Token { word: access_token, account, expires_ms })
}

/// The token alone, with or without a line break behind it.
fn copilot(text: &[u8]) -> Result<Token, Unfit> {
    let text = std::str::from_utf8(text).map_err(|_| Unfit::Malformed)?;
    let word = text.trim_end().to_owned();
    // Other tokens open far more than a model, or are refused by its maker.
    if !word.starts_with("github_pat_") {
        return Err(Unfit::Malformed);
    }
    Ok(Token { word, account: None, expires_ms: None })
}

/// What a JSON web token says of itself. Its signature is for others to look at.
fn claims(token: &str) -> Option<Value> {
    let middle = token.split('.').nth(1)?;
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(middle).ok()?).ok()
}

fn is_word(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= WORD_BYTES_MAX
        && text.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\'))
}

const WORD_BYTES_MAX: usize = 16 << 10;
