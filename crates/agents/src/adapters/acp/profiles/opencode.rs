//! opencode, by `opencode acp`.
//!
//! Of tokens it tells only those of its last question, so its usage is less than what was used; turns are counted at
//! the way out.

use serde_json::json;

use super::super::{Profile, usage};
use super::{environment, words};
use crate::Protocol;
use crate::adapters::NO_KEY;

pub const PROFILE: Profile = Profile {
    key: "opencode",
    programs: &["opencode"],
    protocols: &[Protocol::OpenaiChat, Protocol::Ollama],
    words: |_| words(["acp"]),
    environment: |_, ways| {
        let at = |path: &str| format!("{}/{path}", ways.home);
        environment([
            ("OPENCODE_CONFIG", &at(SETTINGS)),
            ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
            ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
            ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
            ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
            // What the tree says of permissions and servers is not for the tree to say.
            ("OPENCODE_DISABLE_PROJECT_CONFIG", "1"),
            ("OPENCODE_DISABLE_SHARE", "1"),
            ("XDG_CACHE_HOME", &at(".cache")),
            ("XDG_CONFIG_HOME", &at(".config")),
            ("XDG_DATA_HOME", &at(".local/share")),
            ("XDG_STATE_HOME", &at(".local/state")),
        ])
    },
    hides: &[".agents", ".opencode", ".claude"],
    files: |assignment, ways| {
        let model = format!("{PROVIDER}/{}", assignment.model);
        let settings = json!({
            "autoupdate": false,
            "share": "disabled",
            "model": model,
            "small_model": model,
            "permission": {"*": "allow"},
            "enabled_providers": [PROVIDER],
            // A title would cost a question of its own.
            "agent": {"title": {"disable": true}},
            "provider": {PROVIDER: {
                "npm": "@ai-sdk/openai-compatible",
                "name": PROVIDER,
                "options": {"baseURL": format!("{}/v1", ways.model), "apiKey": NO_KEY},
                "models": {assignment.model.as_str(): {"name": assignment.model}},
            }},
        });
        // It looks for a package of its own here, and would ask the network for it twice.
        let there = json!({"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}});
        [
            (SETTINGS, settings.to_string()),
            (".config/opencode/node_modules/.keep", String::new()),
            (".config/opencode/package-lock.json", there.to_string()),
        ]
        .map(|(path, text)| (path.to_owned(), text))
        .to_vec()
    },
    // The first title of a call is the name of its tool.
    tool: |_| None,
    usage: usage::told,
};

const SETTINGS: &str = ".config/sealwright/opencode.json";
const PROVIDER: &str = "outside";
