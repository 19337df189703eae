//! Claude Code, by `claude -p --output-format stream-json`.
//!
//! It asks nobody, because it runs inside our walls. It is started bare: nothing of the tree or of its home tells it
//! what to do, its own words take little room, and files are made by `Bash` and changed by `Edit`. It counts what the
//! cache held beside the input, tells usage with every message, and the sum of the run at the end. With a login it cannot
//! be bare: it then sees none of its settings, and its own words stay as its maker wrote them.

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::events::{self, Events};
use super::words::{brief, count, meant, text};
use super::{DESK, NO_KEY};
use crate::conversation::Storage;
use crate::program::{Driver, Launch, Talk, Talks, Ways};
use crate::{Assignment, Deed, Event, Failure, Limit, Protocol, Said, Usage};

pub struct ClaudeCode;

impl Driver for ClaudeCode {
    fn key(&self) -> &'static str {
        "claude-code"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["claude"]
    }

    fn protocols(&self) -> &'static [Protocol] {
        &[Protocol::Anthropic]
    }

    fn storage(&self) -> Option<Storage> {
        Some(Storage {
            folder: ".claude/projects",
            // A folder for each work tree.
            depth: 1,
            is_of: |file, name| file == format!("{name}.jsonl"),
            line: |line| Some(line.to_owned()),
            used: |_| Usage::default(),
        })
    }

    fn launch(&self, assignment: &Assignment, ways: &Ways) -> Launch {
        let servers = json!({"mcpServers": {DESK: {"type": "http", "url": ways.tools}}});
        let has_login = assignment.endpoint.key.login().is_some();
        let mut words: Vec<String> = [
            "-p",
            "--output-format",
            "stream-json",
            "--verbose",
            if has_login { "--disable-slash-commands" } else { "--bare" },
            // Bare or not, a variable that the tree's settings name would beat the one that leads to its model.
            "--setting-sources",
            "",
            "--strict-mcp-config",
            "--dangerously-skip-permissions",
            "--tools",
            "Read,Edit,Bash",
            "--model",
        ]
        .map(str::to_owned)
        .to_vec();
        words.extend([assignment.model.clone(), "--mcp-config".to_owned(), servers.to_string()]);
        match &ways.talks {
            Talks::Once => words.push("--no-session-persistence".to_owned()),
            Talks::Begins => {}
            Talks::GoesOn(kept) => words.extend(["--resume".to_owned(), kept.session.clone()]),
        }
        let token = ways.handed.as_ref().map_or(NO_KEY, |handed| handed.word.as_str());
        let environment = [
            ("ANTHROPIC_BASE_URL", ways.model.as_str()),
            (if has_login { "CLAUDE_CODE_OAUTH_TOKEN" } else { "ANTHROPIC_API_KEY" }, token),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("CLAUDE_CODE_MAX_RETRIES", "2"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("ENABLE_TOOL_SEARCH", "false"),
            // Root is let in only where a sandbox is promised, and there is one.
            ("IS_SANDBOX", "1"),
            ("MCP_TOOL_TIMEOUT", "1800000"),
        ];
        Launch {
            words,
            environment: environment
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
            files: Vec::new(),
        }
    }

    fn talk(&self, assignment: &Assignment, _: &Ways) -> Talk {
        events::talk(assignment, Lines::default())
    }
}

#[derive(Default)]
struct Lines {
    session: Option<String>,
    /// What the messages before this one used.
    before: Usage,
    /// What this one uses, by its id; it comes in several events, and each tells all of it.
    message: (String, Usage),
    /// Edits that are not done, the oldest first: the id of the call, and the file.
    edits: VecDeque<(String, String)>,
}

impl Events for Lines {
    fn event(&mut self, event: &Value, said: &mut Said, hear: &mut dyn FnMut(Event)) {
        match text(event, "/type") {
            "assistant" => self.message(&event["message"], hear),
            "system" if text(event, "/subtype") == "init" => {
                self.session = Some(brief(text(event, "/session_id")));
            }
            "user" => self.results(&event["message"], hear),
            "system" if text(event, "/subtype") == "api_retry" => {
                let text = format!("the model did not answer: {}", text(event, "/error"));
                hear(Event::Warning { text: brief(&text) });
            }
            "system" if text(event, "/subtype") == "permission_denied" => {
                hear(Event::Warning {
                    text: format!("refused to itself: {}", brief(text(event, "/tool_name"))),
                });
            }
            "result" => *said = result(event, hear),
            _ => {}
        }
    }

    fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }
}

impl Lines {
    fn message(&mut self, message: &Value, hear: &mut dyn FnMut(Event)) {
        for part in message["content"].as_array().into_iter().flatten().take(PARTS_MAX) {
            match text(part, "/type") {
                "text" => hear(Event::Text { text: brief(text(part, "/text")) }),
                "tool_use" => {
                    let event = tool_use(part);
                    if let Event::ToolUse { deed: Deed::Edit, detail, .. } = &event {
                        if self.edits.len() >= EDITS_MAX {
                            self.edits.pop_front();
                        }
                        self.edits.push_back((brief(text(part, "/id")), detail.clone()));
                    }
                    hear(event);
                }
                _ => {}
            }
        }
        if message["usage"].is_object() {
            let id = brief(text(message, "/id"));
            if id != self.message.0 {
                self.before = self.before.and(self.message.1);
            }
            self.message = (id, usage(&message["usage"]));
            hear(Event::Usage { usage: self.before.and(self.message.1) });
        }
    }

    fn results(&mut self, message: &Value, hear: &mut dyn FnMut(Event)) {
        for part in message["content"].as_array().into_iter().flatten().take(PARTS_MAX) {
            let id = brief(text(part, "/tool_use_id"));
            let edit = self.edits.iter().position(|(edit, _)| *edit == id);
            let edit = edit.and_then(|at| self.edits.remove(at));
            let is_error = part["is_error"].as_bool().unwrap_or(false);
            if let (Some((_, path)), false) = (edit, is_error) {
                hear(Event::FileChange { path });
            }
        }
    }
}

fn result(event: &Value, hear: &mut dyn FnMut(Event)) -> Said {
    if event["usage"].is_object() {
        hear(Event::Usage { usage: usage(&event["usage"]) });
    }
    let is_error = event["is_error"].as_bool().unwrap_or(true);
    match (text(event, "/subtype"), is_error) {
        ("error_max_turns", _) => Said::OutOfBudget { limit: Limit::Turns },
        ("error_max_budget_usd", _) => Said::OutOfBudget { limit: Limit::Dollars },
        ("success", false) if text(event, "/stop_reason") == "refusal" => {
            Said::Failed { failure: Failure::Refused, why: text(event, "/result").to_owned() }
        }
        ("success", false) => Said::Finished { text: text(event, "/result").to_owned() },
        (subtype, _) => {
            let words = text(event, "/result");
            meant(if words.is_empty() { subtype } else { words })
        }
    }
}

fn tool_use(part: &Value) -> Event {
    let name = text(part, "/name");
    let prefix = format!("mcp__{DESK}__");
    let input = &part["input"];
    let (tool, deed, detail) = match name {
        "Bash" => (name, Deed::Command, text(input, "/command")),
        "Write" | "Edit" | "MultiEdit" | "NotebookEdit" => {
            (name, Deed::Edit, text(input, "/file_path"))
        }
        "Read" | "Grep" | "Glob" | "LS" => (name, Deed::Read, text(input, "/file_path")),
        name => match name.strip_prefix(&prefix) {
            Some(tool) => (tool, Deed::Role, ""),
            None => (name, Deed::Other, ""),
        },
    };
    Event::ToolUse { tool: brief(tool), deed, detail: brief(detail) }
}

fn usage(usage: &Value) -> Usage {
    Usage {
        input: count(usage, "/input_tokens"),
        cached: count(usage, "/cache_read_input_tokens"),
        cache_written: count(usage, "/cache_creation_input_tokens"),
        output: count(usage, "/output_tokens"),
    }
}

/// Edits at one time. The oldest is given up for a new one.
const EDITS_MAX: usize = 256;
const PARTS_MAX: usize = 1000;
