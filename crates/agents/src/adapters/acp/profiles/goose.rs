//! goose, by `goose acp`.
//!
//! It says nothing of the kind of a call, but names the tool in an extension of its own. Of tokens it tells only those
//! of its last question, so its usage is less than what was used; turns are counted at the way out.

use super::super::{Profile, usage};
use super::{environment, words};
use crate::Protocol;
use crate::adapters::NO_KEY;

pub const PROFILE: Profile = Profile {
    key: "goose",
    // The second is its name where it came as a package of npm.
    programs: &["goose", "goose-binary-linux-x64"],
    protocols: &[Protocol::OpenaiChat, Protocol::Ollama],
    words: |_| words(["acp", "--with-builtin", "developer"]),
    environment: |assignment, ways| {
        // It wants the host and the path apart.
        let scheme = ways.model.find("://").map_or(0, |at| at + "://".len());
        let (host, path) = match ways.model[scheme..].find('/') {
            Some(at) => ways.model.split_at(scheme + at),
            None => (ways.model.as_str(), ""),
        };
        let path = format!("{path}/v1/chat/completions");
        environment([
            // What the tree says of how to work is not for the tree to say.
            ("CONTEXT_FILE_NAMES", "[]"),
            ("GOOSE_PROVIDER", "openai"),
            ("GOOSE_MODEL", &assignment.model),
            ("GOOSE_MODE", "auto"),
            ("GOOSE_DISABLE_KEYRING", "1"),
            // A name for the session would cost a question of its own.
            ("GOOSE_DISABLE_SESSION_NAMING", "true"),
            ("GOOSE_PATH_ROOT", &format!("{}/goose", ways.home)),
            ("GOOSE_TELEMETRY_ENABLED", "false"),
            ("GOOSE_TELEMETRY_OFF", "1"),
            ("OPENAI_API_KEY", NO_KEY),
            ("OPENAI_HOST", host),
            ("OPENAI_BASE_PATH", path.trim_start_matches('/')),
        ])
    },
    hides: &[".agents", ".goose", ".claude"],
    files: |_, _| Vec::new(),
    tool: |call| {
        let name = call.meta?.get("goose")?.pointer("/toolCall/toolName")?.as_str()?;
        Some(name.to_owned())
    },
    usage: usage::told,
};
