//! What stands in the place of a login inside of the sandbox: the right form, and nothing in it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::NO_KEY;
use crate::login::Handed;

/// The file of a login of Codex. It never ends, so nobody tries to renew it. With what the program was given, that stands
/// in it, and nothing that could renew it.
pub(super) fn codex_login(handed: Option<&Handed>) -> String {
    let account = json!({"chatgpt_account_id": NO_KEY, "chatgpt_user_id": NO_KEY});
    let claims = json!({"https://api.openai.com/auth": account, "exp": NEVER_S, "iat": 0});
    let token = unsigned(&claims);
    let (word, account) = match handed {
        Some(handed) => (handed.word.as_str(), handed.account.as_deref()),
        None => (token.as_str(), Some(NO_KEY)),
    };
    let tokens = json!({
        "id_token": token, "access_token": word, "refresh_token": NO_KEY, "account_id": account,
    });
    json!({"auth_mode": "chatgpt", "tokens": tokens, "last_refresh": NEVER}).to_string()
}

/// A JSON web token without a signature.
fn unsigned(claims: &Value) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let header = json!({"alg": "none", "typ": "JWT"});
    format!("{}.{}.{}", part(&header), part(claims), URL_SAFE_NO_PAD.encode(NO_KEY))
}

/// The year 2100.
const NEVER_S: u64 = 4_102_444_800;
const NEVER: &str = "2100-01-01T00:00:00Z";
