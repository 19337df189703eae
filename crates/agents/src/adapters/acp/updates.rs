//! What an agent tells of its turn, in our own vocabulary.
//!
//! Words come in pieces and are put together. A call is told once, as soon as it is known what it is about: some agents
//! announce a call before its input is there. What a call changed is told when it is done.

use std::collections::VecDeque;

use agent_client_protocol_schema::v1::{
    ContentBlock, ContentChunk, Meta, SessionUpdate, ToolCallContent, ToolCallLocation,
    ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};

use super::CallNames;
use crate::adapters::DESK;
use crate::adapters::words::{brief, text};
use crate::{Deed, Event};

pub(super) struct Updates {
    tool: fn(&CallNames<'_>) -> Option<String>,
    words: String,
    message: Option<String>,
    last_words: String,
    /// Calls that are not done, the oldest first.
    calls: VecDeque<Call>,
}

/// A call of a tool that is not done.
struct Call {
    id: String,
    tool: String,
    deed: Deed,
    detail: String,
    /// What people are shown, for want of anything better.
    title: String,
    paths: Vec<String>,
    is_told: bool,
}

impl Updates {
    pub(super) fn new(tool: fn(&CallNames<'_>) -> Option<String>) -> Self {
        Self {
            tool,
            words: String::new(),
            message: None,
            last_words: String::new(),
            calls: VecDeque::new(),
        }
    }

    pub(super) fn take(&mut self, update: SessionUpdate, hear: &mut dyn FnMut(Event)) {
        match update {
            SessionUpdate::AgentMessageChunk(chunk) => self.chunk(chunk, hear),
            SessionUpdate::ToolCall(call) => {
                let fields = ToolCallUpdateFields::new()
                    .kind(call.kind)
                    .status(call.status)
                    .title(call.title)
                    .name(call.name)
                    .content(call.content)
                    .locations(call.locations)
                    .raw_input(call.raw_input);
                self.call(ToolCallUpdate::new(call.tool_call_id, fields).meta(call.meta), hear);
            }
            SessionUpdate::ToolCallUpdate(update) => self.call(update, hear),
            // Thoughts, plans, and what only an interactive user needs.
            _ => {}
        }
    }

    /// Tells what is still held back.
    pub(super) fn finish(&mut self, hear: &mut dyn FnMut(Event)) {
        self.speak(hear);
        for mut call in std::mem::take(&mut self.calls) {
            call.tell(hear);
        }
    }

    pub(super) fn last_words(&self) -> String {
        self.last_words.clone()
    }

    fn chunk(&mut self, chunk: ContentChunk, hear: &mut dyn FnMut(Event)) {
        let message = chunk.message_id.map(|id| brief(&id.0));
        if message != self.message {
            self.speak(hear);
            self.message = message;
        }
        let ContentBlock::Text(piece) = chunk.content else { return };
        if self.words.len() < WORDS_BYTES_KEPT {
            self.words.push_str(&brief(&piece.text));
        }
    }

    fn speak(&mut self, hear: &mut dyn FnMut(Event)) {
        let words = std::mem::take(&mut self.words);
        if !words.trim().is_empty() {
            self.last_words = brief(&words);
            hear(Event::Text { text: self.last_words.clone() });
        }
    }

    fn call(&mut self, update: ToolCallUpdate, hear: &mut dyn FnMut(Event)) {
        self.speak(hear);
        let id = brief(&update.tool_call_id.0);
        let (fields, meta) = (update.fields, update.meta);
        let mut call = match self.calls.iter().position(|call| call.id == id) {
            Some(at) => self.calls.remove(at).unwrap_or_else(|| self.begun(&id, &fields, &meta)),
            None => self.begun(&id, &fields, &meta),
        };
        let is_known = call.learn(&fields);
        let status = fields.status.unwrap_or_default();
        if is_known || status != ToolCallStatus::Pending {
            call.tell(hear);
        }
        match status {
            ToolCallStatus::Completed => call.tell_changes(hear),
            ToolCallStatus::Failed => {}
            _ => {
                if self.calls.len() >= CALLS_MAX
                    && let Some(mut oldest) = self.calls.pop_front()
                {
                    oldest.tell(hear);
                }
                self.calls.push_back(call);
            }
        }
    }

    fn begun(&self, id: &str, fields: &ToolCallUpdateFields, meta: &Option<Meta>) -> Call {
        let title = fields.title.as_deref().unwrap_or("");
        let named = (self.tool)(&CallNames { id, title, meta: meta.as_ref() });
        let tool = named.or(fields.name.clone()).unwrap_or_else(|| title.to_owned());
        let ours = ours(title).or(ours(&tool));
        let deed = match (ours, fields.kind.unwrap_or_default()) {
            (Some(_), _) => Deed::Role,
            (None, ToolKind::Execute) => Deed::Command,
            (None, ToolKind::Edit | ToolKind::Delete | ToolKind::Move) => Deed::Edit,
            (None, ToolKind::Read | ToolKind::Search) => Deed::Read,
            (None, _) => by_name(&tool),
        };
        Call {
            id: id.to_owned(),
            tool: brief(ours.unwrap_or(&tool)),
            deed,
            detail: String::new(),
            title: brief(title),
            paths: Vec::new(),
            is_told: false,
        }
    }
}

impl Call {
    /// Takes in what an update adds, and says whether it is now known what the call is about.
    fn learn(&mut self, fields: &ToolCallUpdateFields) -> bool {
        let input = fields.raw_input.as_ref();
        let diffs = fields.content.iter().flatten().filter_map(|content| match content {
            ToolCallContent::Diff(diff) => Some(diff.path.display().to_string()),
            _ => None,
        });
        let touched = |location: &ToolCallLocation| location.path.display().to_string();
        let touched = fields.locations.iter().flatten().map(touched);
        let paths: Vec<String> = match self.deed {
            Deed::Edit => diffs.chain(touched).collect(),
            Deed::Command | Deed::Read | Deed::Role | Deed::Other => diffs.collect(),
        };
        for path in paths.iter().map(|path| brief(path)) {
            if self.paths.len() < PATHS_MAX && !self.paths.contains(&path) {
                self.paths.push(path);
            }
        }
        if self.detail.is_empty() {
            let named = |names: &[&str]| {
                let input = input?;
                names.iter().map(|name| text(input, name)).find(|found| !found.is_empty())
            };
            let detail = match self.deed {
                Deed::Command => named(&["/command", "/cmd"]).map(brief),
                Deed::Edit => self.paths.first().cloned().or(named(PATHS).map(brief)),
                Deed::Read => named(PATHS).map(brief).or_else(|| {
                    Some(fields.locations.as_ref()?.first()?.path.display().to_string())
                }),
                Deed::Role | Deed::Other => None,
            };
            self.detail = detail.unwrap_or_default();
        }
        let has_input = input.and_then(|input| input.as_object()).is_some_and(|it| !it.is_empty());
        match self.deed {
            Deed::Command | Deed::Edit | Deed::Read => !self.detail.is_empty(),
            Deed::Role | Deed::Other => has_input,
        }
    }

    fn tell(&mut self, hear: &mut dyn FnMut(Event)) {
        if self.is_told {
            return;
        }
        self.is_told = true;
        let detail = match self.deed {
            Deed::Role => "",
            _ if !self.detail.is_empty() => &self.detail,
            _ if self.title != self.tool => &self.title,
            _ => "",
        };
        hear(Event::ToolUse {
            tool: self.tool.clone(),
            deed: self.deed,
            detail: detail.to_owned(),
        });
    }

    fn tell_changes(&mut self, hear: &mut dyn FnMut(Event)) {
        let paths = std::mem::take(&mut self.paths);
        let paths = match (self.deed, paths.is_empty()) {
            // It says that it changed something, and what, only in its input.
            (Deed::Edit, true) if !self.detail.is_empty() => vec![self.detail.clone()],
            _ => paths,
        };
        for path in paths {
            hear(Event::FileChange { path });
        }
    }
}

/// The name that a tool of our tool_server has here, whatever the agent puts around it.
fn ours(name: &str) -> Option<&str> {
    let name = name.strip_prefix("mcp").map_or(name, |name| name.trim_start_matches('_'));
    match name.strip_prefix(DESK) {
        Some(tool) => Some(tool.trim_start_matches(['_', '-', '.', ':', '/'])),
        None => name.strip_suffix(" MCP Server)")?.strip_suffix(DESK)?.strip_suffix(" ("),
    }
    .filter(|tool| !tool.is_empty() && !tool.contains(' '))
}

/// What a tool does, for agents that do not say it.
fn by_name(tool: &str) -> Deed {
    match tool {
        "shell" | "bash" | "run_shell_command" => Deed::Command,
        "write" | "edit" | "write_file" | "edit_file" | "text_editor" => Deed::Edit,
        "read" | "read_file" | "tree" | "list" | "glob" | "grep" | "search" => Deed::Read,
        _ => Deed::Other,
    }
}

/// Where a path stands in the input of a call.
const PATHS: &[&str] = &["/path", "/file_path", "/filePath", "/absolute_path"];
/// Bytes of one message that are put together; an event has room for less.
const WORDS_BYTES_KEPT: usize = 16 << 10;
/// Calls at one time. The oldest is given up for a new one.
const CALLS_MAX: usize = 256;
const PATHS_MAX: usize = 100;
