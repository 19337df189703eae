//! Codex, by `codex exec --json`.
//!
//! Its own sandbox is switched off, because it runs inside ours and cannot nest. It speaks only the Responses API, says
//! nothing of cost, and counts tokens over its whole thread; a run is one thread, so that is the run's sum.

use serde_json::Value;

use super::events::{self, Events};
use super::words::{brief, count, meant, text};
use super::{DESK, NO_KEY};
use crate::program::{Driver, Launch, Talk, Ways};
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

    fn launch(&self, assignment: &Assignment, ways: &Ways) -> Launch {
        let mut words: Vec<String> =
            ["exec", "--json", "--skip-git-repo-check", "--ignore-user-config", "--ephemeral"]
                .map(str::to_owned)
                .to_vec();
        let quoted = |value: &str| Value::from(value).to_string();
        for (name, value) in [
            ("model", quoted(&assignment.model)),
            ("model_provider", quoted(PROVIDER)),
            ("model_providers.outside.name", quoted(PROVIDER)),
            ("model_providers.outside.base_url", quoted(&format!("{}/v1", ways.model))),
            ("model_providers.outside.env_key", quoted(KEY)),
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
        words.extend(["--dangerously-bypass-approvals-and-sandbox".to_owned(), "-".to_owned()]);
        Launch {
            words,
            environment: [(KEY.to_owned(), NO_KEY.to_owned())].into(),
            files: Vec::new(),
        }
    }

    fn talk(&self, assignment: &Assignment, _: &Ways) -> Talk {
        events::talk::<Lines>(assignment)
    }
}

#[derive(Default)]
struct Lines {
    last_words: String,
}

impl Events for Lines {
    fn event(&mut self, event: &Value, said: &mut Said, hear: &mut dyn FnMut(Event)) {
        match text(event, "/type") {
            "item.started" => self.begun(&event["item"], hear),
            "item.completed" => self.item(&event["item"], hear),
            "turn.completed" => {
                let usage = Usage::cache_inside(
                    count(event, "/usage/input_tokens"),
                    count(event, "/usage/cached_input_tokens"),
                    count(event, "/usage/cache_write_input_tokens"),
                    count(event, "/usage/output_tokens"),
                );
                hear(Event::Usage { usage });
                *said = Said::Finished { text: std::mem::take(&mut self.last_words) };
            }
            "turn.failed" => *said = meant(text(event, "/error/message")),
            "error" => hear(Event::Warning { text: brief(text(event, "/message")) }),
            _ => {}
        }
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
