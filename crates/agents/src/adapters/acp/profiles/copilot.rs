//! GitHub Copilot CLI, by `copilot --acp`: with a model of the user's own, or with a login.

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
            // What the tree says of how to work is not for the tree to say.
            "--no-custom-instructions",
        ])
    },
    environment: |assignment, ways| {
        if assignment.endpoint.key.login().is_none() {
            return environment([
                ("COPILOT_MODEL", &assignment.model),
                ("COPILOT_OFFLINE", "true"),
                ("COPILOT_PROVIDER_API_KEY", NO_KEY),
                ("COPILOT_PROVIDER_BASE_URL", &format!("{}/v1", ways.model)),
            ]);
        }
        // It takes no token that does not begin like one.
        let placeholder = format!("github_pat_{NO_KEY}");
        let token = ways.handed.as_ref().map_or(placeholder.as_str(), |it| it.word.as_str());
        // What it asks about the account it asks at the root, whatever path is named.
        let root = ways.model.trim_end_matches(|it| it != '/').trim_end_matches('/');
        environment([
            ("COPILOT_MODEL", &assignment.model),
            ("COPILOT_API_URL", &ways.model),
            ("COPILOT_DEBUG_GITHUB_API_URL", root),
            ("COPILOT_GITHUB_TOKEN", token),
        ])
    },
    hides: &[
        ".agents",
        ".claude",
        ".github/copilot-instructions.md",
        ".github/agents",
        ".github/hooks",
        ".github/instructions",
        ".github/prompts",
        ".github/skills",
        "AGENTS.md",
        "CLAUDE.md",
        "GEMINI.md",
    ],
    files: |_, _| Vec::new(),
    tool: |_| None,
    usage: usage::told,
};
