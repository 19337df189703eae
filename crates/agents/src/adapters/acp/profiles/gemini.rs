//! Gemini CLI, by `gemini --acp`.
//!
//! It counts tokens in an extension of its own, for the whole turn and without telling what a cache held. Where the
//! client lends no files it uses its own, which is what we want.

use serde_json::json;

use super::super::{Profile, usage};
use super::{environment, words};
use crate::Protocol;
use crate::adapters::{DESK, NO_KEY};

pub const PROFILE: Profile = Profile {
    key: "gemini",
    programs: &["gemini"],
    protocols: &[Protocol::Gemini],
    words: |assignment| words(["--acp", "--approval-mode", "yolo", "-m", &assignment.model]),
    environment: |_, ways| {
        environment([
            // What stands there beats what the tree says.
            ("GEMINI_CLI_SYSTEM_SETTINGS_PATH", &format!("{}/{SETTINGS}", ways.home)),
            ("GEMINI_API_KEY", NO_KEY),
            ("GOOGLE_GEMINI_BASE_URL", &ways.model),
            // It refuses to work in a folder that is not marked as trusted; the walls make up for that.
            ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
        ])
    },
    hides: &[".gemini", ".agents", "GEMINI.md"],
    files: |_, _| {
        let settings = json!({
            "admin": {"extensions": {"enabled": false}, "skills": {"enabled": false}},
            "advanced": {"ignoreLocalEnv": true},
            "context": {"discoveryMaxDirs": 0, "fileName": NO_FILE.repeat(300)},
            "experimental": {"enableAgents": false},
            "hooksConfig": {"enabled": false},
            "mcp": {"allowed": [DESK], "serverCommand": ""},
            "skills": {"enabled": false},
            "tools": {"discoveryCommand": "", "callCommand": ""},
            "general": {
                "enableAutoUpdate": false,
                "enableAutoUpdateNotification": false,
                // Left to itself it asks ten times and waits for minutes; the caller decides about retries.
                "maxAttempts": 3,
            },
            "privacy": {"usageStatisticsEnabled": false},
            "telemetry": {"enabled": false},
            "security": {"auth": {"selectedType": "gemini-api-key"}},
        });
        vec![(SETTINGS.to_owned(), settings.to_string())]
    },
    // Its titles are for people; the name stands at the beginning of the id.
    tool: |call| call.id.rsplit_once("__").map(|(name, _)| name.to_owned()),
    usage: usage::of_gemini,
};

const SETTINGS: &str = ".config/sealwright/gemini.json";
/// Repeated, it is longer than the name of a file can be.
const NO_FILE: &str = "x";
