//! GitHub Copilot CLI, by `copilot --acp`, with a model of the user's own and no login.

use super::super::{Profile, usage};
use super::{environment, words};
use crate::Protocol;
use crate::adapters::NO_KEY;

pub const PROFILE: Profile = Profile {
    key: "copilot",
    programs: &["copilot"],
    protocols: &[Protocol::OpenaiChat, Protocol::Ollama],
    words: |_| {
        words([
            "--acp",
            "--allow-all-tools",
            "--disable-builtin-mcps",
            "--disable-client-telemetry",
            "--no-auto-update",
        ])
    },
    environment: |assignment, ways| {
        environment([
            ("COPILOT_MODEL", &assignment.model),
            ("COPILOT_OFFLINE", "true"),
            ("COPILOT_PROVIDER_API_KEY", NO_KEY),
            ("COPILOT_PROVIDER_BASE_URL", &format!("{}/v1", ways.model)),
        ])
    },
    hides: &[],
    files: |_, _| Vec::new(),
    tool: |_| None,
    usage: usage::told,
};
