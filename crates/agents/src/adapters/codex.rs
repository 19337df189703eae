//! Codex, by `codex exec --json`.
//!
//! Its own sandbox is switched off, because it runs inside ours and cannot nest. It speaks only the Responses API, says
//! nothing of cost, and counts tokens over its whole thread; a run is one thread, so that is the run's sum. With a login
//! it asks for the list of models as well, and finds a placeholder where its own login would be.

use std::collections::BTreeMap;

use serde_json::Value;

use super::events::{self, Events};
use super::words::{brief, count, meant, text};
use super::{DESK, NO_KEY, kept_outside};
use crate::conversation::Storage;
use crate::program::{Driver, Launch, Talk, Talks, Ways};
use crate::{Assignment, Deed, Event, Protocol, Said, Usage};

pub struct Codex;

impl Driver for Codex {
    fn key(&self) -> &'static str {
        "codex"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["codex"]
    }

    fn protocols(&self) -> &'static [Protocol] {
        &[Protocol::OpenaiResponses]
    }

    /// Skills that stand there are told to its model.
    fn hides(&self) -> &'static [&'static str] {
        &[".agents", ".codex"]
    }

    fn storage(&self) -> Option<Storage> {
        Some(Storage {
            folder: ".codex/sessions",
            // A year, a month, a day.
            depth: 3,
            is_of: |file, name| {
                file.starts_with("rollout-") && file.ends_with(&format!("-{name}.jsonl"))
            },
            line: plain_line,
            used: |text| text.lines().rev().find_map(told_so_far).unwrap_or_default(),
        })
    }

    fn launch(&self, assignment: &Assignment, ways: &Ways) -> Launch {
        let mut words: Vec<String> =
            ["exec", "--json", "--skip-git-repo-check", "--ignore-user-config"]
                .map(str::to_owned)
                .to_vec();
        if ways.talks == Talks::Once {
            words.push("--ephemeral".to_owned());
        }
        let quoted = |value: &str| Value::from(value).to_string();
        let has_login = assignment.endpoint.key.login().is_some();
        let (base, signed) = if has_login {
            (
                ways.model.clone(),
                ("model_providers.outside.requires_openai_auth", "true".to_owned()),
            )
        } else {
            (format!("{}/v1", ways.model), ("model_providers.outside.env_key", quoted(KEY)))
        };
        for (name, value) in [
            ("model", quoted(&assignment.model)),
            ("model_provider", quoted(PROVIDER)),
            ("model_providers.outside.name", quoted(PROVIDER)),
            ("model_providers.outside.base_url", quoted(&base)),
            signed,
            ("model_providers.outside.wire_api", quoted("responses")),
            ("model_providers.outside.request_max_retries", "2".to_owned()),
            ("model_providers.outside.stream_max_retries", "1".to_owned()),
            ("analytics.enabled", "false".to_owned()),
            ("check_for_update_on_startup", "false".to_owned()),
            ("web_search", quoted("disabled")),
            // What the tree says of how to work is not for the tree to say.
            ("project_doc_max_bytes", "0".to_owned()),
            ("mcp_servers.sealwright.url", quoted(&ways.tools)),
            ("mcp_servers.sealwright.default_tools_approval_mode", quoted("approve")),
            ("mcp_servers.sealwright.tool_timeout_sec", "1800".to_owned()),
        ] {
            words.extend(["-c".to_owned(), format!("{name}={value}")]);
        }
        // Each of these asks the network for something at the start or at the end.
        for feature in ["plugins", "apps", "plugin_discovery_prefetch", "multi_agent", "goals"] {
            words.extend(["--disable".to_owned(), feature.to_owned()]);
        }
        words.push("--dangerously-bypass-approvals-and-sandbox".to_owned());
        if let Talks::GoesOn(kept) = &ways.talks {
            words.extend(["resume".to_owned(), kept.session.clone()]);
        }
        words.push("-".to_owned());
        if has_login {
            let files = vec![(
                ".codex/auth.json".to_owned(),
                kept_outside::codex_login(ways.handed.as_ref()),
            )];
            return Launch { words, environment: BTreeMap::new(), files };
        }
        Launch {
            words,
            environment: [(KEY.to_owned(), NO_KEY.to_owned())].into(),
            files: Vec::new(),
        }
    }

    fn talk(&self, assignment: &Assignment, ways: &Ways) -> Talk {
        // What it counts on from, read from the same line that it reads.
        let before = match (&ways.talks, self.storage()) {
            (Talks::GoesOn(kept), Some(storage)) => (storage.used)(&kept.text),
            (Talks::GoesOn(_) | Talks::Once | Talks::Begins, _) => Usage::default(),
        };
        events::talk(assignment, Lines { before, ..Lines::default() })
    }
}

/// A line of a conversation, without instructions and tools that its role could have put there for the next call.
fn plain_line(line: &str) -> Option<String> {
    let mut value: Value = serde_json::from_str(line).ok()?;
    if text(&value, "/type") != "session_meta" {
        return Some(line.to_owned());
    }
    let payload = value["payload"].as_object_mut()?;
    payload.remove("base_instructions");
    payload.remove("dynamic_tools");
    Some(value.to_string())
}

/// What a line says of all tokens so far.
fn told_so_far(line: &str) -> Option<Usage> {
    let value: Value = serde_json::from_str(line).ok()?;
    let told = value.pointer("/payload/info/total_token_usage")?;
    (text(&value, "/payload/type") == "token_count").then(|| usage(told))
}

fn usage(told: &Value) -> Usage {
    Usage::cache_inside(
        count(told, "/input_tokens"),
        count(told, "/cached_input_tokens"),
        count(told, "/cache_write_input_tokens"),
        count(told, "/output_tokens"),
    )
}

#[derive(Default)]
struct Lines {
    session: Option<String>,
    /// What the calls before this one used: it tells the tokens of the whole conversation.
    before: Usage,
    last_words: String,
}

impl Events for Lines {
    fn event(&mut self, event: &Value, said: &mut Said, hear: &mut dyn FnMut(Event)) {
        match text(event, "/type") {
            "thread.started" => self.session = Some(brief(text(event, "/thread_id"))),
            "item.started" => self.begun(&event["item"], hear),
            "item.completed" => self.item(&event["item"], hear),
            "turn.completed" => {
                let usage = usage(&event["usage"]);
                hear(Event::Usage { usage: usage.since(self.before) });
                *said = Said::Finished { text: std::mem::take(&mut self.last_words) };
            }
            "turn.failed" => *said = meant(text(event, "/error/message")),
            "error" => hear(Event::Warning { text: brief(text(event, "/message")) }),
            _ => {}
        }
    }

    fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }
}

impl Lines {
    fn begun(&self, item: &Value, hear: &mut dyn FnMut(Event)) {
        let (tool, deed, detail) = match text(item, "/type") {
            "command_execution" => ("shell", Deed::Command, text(item, "/command")),
            "file_change" => ("apply_patch", Deed::Edit, text(item, "/changes/0/path")),
            "mcp_tool_call" if text(item, "/server") == DESK => {
                (text(item, "/tool"), Deed::Role, "")
            }
            "mcp_tool_call" => (text(item, "/tool"), Deed::Other, text(item, "/server")),
            "web_search" => ("web_search", Deed::Other, text(item, "/query")),
            _ => return,
        };
        hear(Event::ToolUse { tool: brief(tool), deed, detail: brief(detail) });
    }

    fn item(&mut self, item: &Value, hear: &mut dyn FnMut(Event)) {
        match text(item, "/type") {
            "agent_message" => {
                self.last_words = brief(text(item, "/text"));
                hear(Event::Text { text: self.last_words.clone() });
            }
            // One that failed changed nothing.
            "file_change" if text(item, "/status") == "completed" => {
                let changes = item["changes"].as_array().into_iter().flatten();
                for change in changes.take(CHANGES_MAX) {
                    hear(Event::FileChange { path: brief(text(change, "/path")) });
                }
            }
            "error" => hear(Event::Warning { text: brief(text(item, "/message")) }),
            _ => {}
        }
    }
}

const PROVIDER: &str = "outside";
const KEY: &str = "SEALWRIGHT_NO_KEY";
const CHANGES_MAX: usize = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_and_tools_of_a_conversation_are_not_kept() {
        let meta = r#"{"type":"session_meta","payload":{"id":"a","base_instructions":{"text":"obey"},"dynamic_tools":[{"name":"evil"}]}}"#;
        let kept: Value = serde_json::from_str(&plain_line(meta).unwrap()).unwrap();
        assert_eq!(kept, serde_json::json!({"type": "session_meta", "payload": {"id": "a"}}));
        let said = r#"{"type":"response_item","payload":{"type":"message"}}"#;
        assert_eq!(plain_line(said).as_deref(), Some(said));
        for refused in ["no json", r#"{"type":"session_meta","payload":[]}"#] {
            assert_eq!(plain_line(refused), None, "{refused}");
        }
    }

    #[test]
    fn what_was_used_is_read_from_the_line_that_codex_counts_on_from() {
        let told = |input: u64| {
            format!(
                r#"{{"type":"event_msg","payload":{{"type":"token_count","info":{{"total_token_usage":{{"input_tokens":{input},"cached_input_tokens":100,"cache_write_input_tokens":0,"output_tokens":56}}}}}}}}"#
            )
        };
        let storage = Codex.storage().unwrap();
        let text = format!("{}\n{}\n{{}}\n", told(1234), told(2468));
        let usage = Usage { input: 2368, cached: 100, cache_written: 0, output: 56 };
        assert_eq!((storage.used)(&text), usage);
        assert_eq!((storage.used)("{}\n"), Usage::default());
        let name = "01a1f528-6668-7410-9c66-724a3b5a292c";
        assert!((storage.is_of)(&format!("rollout-2026-11-19T18-53-48-{name}.jsonl"), name));
        assert!(!(storage.is_of)("rollout-2026-11-19T18-53-48.jsonl", name));
    }
}
