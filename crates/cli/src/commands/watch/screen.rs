//! The screen, drawn for the size of the terminal.
//!
//! ```text
//! wide (110 columns)            80 × 24            small (below 60 × 16)
//! ┌───────────────────┐         ┌──────────┐       ┌────────┐
//! │ tasks             │         │ tasks    │       │ the    │
//! ├─────────┬─────────┤         ├──────────┤       │ pane   │
//! │ facts   │ tran-   │         │ facts    │       │ alone  │
//! │         │ script  │         ├──────────┤       └────────┘
//! └─────────┴─────────┘         │ transcr. │
//!                               └──────────┘
//! ```
//!
//! Drawing is a pure function. Text is sanitized before it comes here and truncated to the size.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use sealwright_kernel::Timestamp;
use sealwright_kernel::task::{Phase, Status};

use sealwright_views::watch::{
    Row, RowState, Screenful, TaskDetail, TaskLine, Tone, age, clock, facts, name, sign, status,
    windows,
};
use sealwright_views::wire::TranscriptKind as How;

use super::keys::{Depth, Extent, Hand, Help, Pane};
use crate::output::{counted, sanitize};

#[derive(Clone, Copy)]
pub(crate) struct Picture<'a> {
    pub(crate) sight: &'a Screenful,
    pub(crate) hand: &'a Hand,
    pub(crate) now: Timestamp,
    pub(crate) palette: Palette,
}

/// Whether to use colours. The text has the same meaning without them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Palette {
    Colours,
    None,
}

impl Picture<'_> {
    /// Draws the screen and returns how far each pane scrolls.
    pub(crate) fn draw(&self, area: Rect, buffer: &mut Buffer) -> Extent {
        if area.is_empty() {
            return Extent::default();
        }
        let (header, footer) = (u16::from(area.height >= 5), u16::from(area.height >= 8));
        let rows = [Constraint::Length(header), Constraint::Min(0), Constraint::Length(footer)];
        let [top, body, bottom] = Layout::vertical(rows).areas(area);
        self.header(top, buffer);
        self.footer(bottom, buffer);
        if self.hand.help == Help::Open {
            return self.help(body, buffer);
        }
        if self.sight.tasks.is_empty() {
            return self.nothing(body, buffer);
        }
        let is_small = area.width < 60 || area.height < 16;
        match (is_small, self.hand.depth) {
            (true, _) => self.alone(body, buffer),
            (false, Depth::Task) => self.task(body, buffer),
            (false, Depth::List) => {
                let wanted = u16::try_from(self.sight.tasks.len()).unwrap_or(u16::MAX);
                let list = wanted.saturating_add(1).clamp(2, body.height / 3);
                let parts = [Constraint::Length(list), Constraint::Min(0)];
                let [above, below] = Layout::vertical(parts).areas(body);
                self.tasks(above, buffer);
                let mut extent = self.task(below, buffer);
                if self.hand.pane == Pane::Tasks {
                    extent.page = usize::from(above.height.saturating_sub(1));
                }
                extent
            }
        }
    }

    fn header(&self, area: Rect, buffer: &mut Buffer) {
        let tasks = counted(self.sight.tasks.len() as u64, "task");
        let needs = |seen: &&TaskLine| match &seen.told {
            RowState::Row(row) => matches!(row.status, Status::Parked | Status::Halted),
            RowState::Damaged => true,
            RowState::Unread | RowState::Nothing => false,
        };
        let waiting = self.sight.tasks.iter().filter(needs).count();
        let unread = self.sight.tasks.iter().filter(|it| it.told == RowState::Unread).count();
        let mut said = match area.width {
            0..60 => tasks,
            60.. => format!("sealwright watch  {tasks}"),
        };
        match waiting {
            0 => {}
            1 => said.push_str(", 1 waits for a person"),
            _ => said.push_str(&format!(", {waiting} wait for a person")),
        }
        if unread > 0 {
            said.push_str(&format!(", {unread} not read yet"));
        }
        if area.width >= 100 && !self.sight.windows.is_empty() {
            said.push_str(&format!("  {}", sanitize(&windows(&self.sight.windows))));
        }
        let style = self.style(Tone::Plain).add_modifier(Modifier::BOLD);
        self.put(buffer, area, 0, 0, &said, style);
        let clock = format!("{}Z", clock(self.now));
        let at = area.width.saturating_sub(clock.len() as u16);
        if usize::from(at) > said.chars().count() {
            self.put(buffer, area, at, 0, &clock, self.style(Tone::Dim));
        }
    }

    fn footer(&self, area: Rect, buffer: &mut Buffer) {
        let whole = "j/k move  enter details  tab pane  ? help  q quit";
        let keys = if usize::from(area.width) < whole.len() { "? help  q quit" } else { whole };
        self.put(buffer, area, 0, 0, keys, self.style(Tone::Dim));
        if let Some(trouble) = &self.sight.trouble {
            let blank = " ".repeat(usize::from(area.width));
            self.put(buffer, area, 0, 0, &blank, Style::default());
            self.put(
                buffer,
                area,
                0,
                0,
                &format!("! {}", sanitize(trouble)),
                self.style(Tone::Bad),
            );
        }
    }

    fn nothing(&self, area: Rect, buffer: &mut Buffer) -> Extent {
        let said = match &self.sight.trouble {
            Some(trouble) => sanitize(trouble),
            None => "no tasks; `sealwright new \"…\"` creates one".to_owned(),
        };
        let lines = wrapped(&said, area.width, "");
        for (row, line) in (0..area.height).zip(&lines) {
            self.put(buffer, area, 0, row, line, self.style(Tone::Plain));
        }
        Extent::default()
    }

    fn help(&self, area: Rect, buffer: &mut Buffer) -> Extent {
        for (row, (key, what)) in (0..area.height).zip(KEYS) {
            self.put(buffer, area, 0, row, key, self.style(Tone::Good));
            self.put(buffer, area, 14, row, what, self.style(Tone::Plain));
        }
        Extent::default()
    }

    /// The active pane alone.
    fn alone(&self, area: Rect, buffer: &mut Buffer) -> Extent {
        match (self.hand.pane, &self.sight.shown) {
            (Pane::Tasks, _) => {
                self.tasks(area, buffer);
                Extent { page: usize::from(area.height.saturating_sub(1)), ..Extent::default() }
            }
            (Pane::Facts, Some(shown)) => {
                let facts_max = self.facts(&self.fact_lines(shown, area.width), area, buffer);
                Extent { facts_max, page: usize::from(area.height), ..Extent::default() }
            }
            (Pane::Transcript, Some(shown)) => {
                let transcript_max = self.transcript(shown, area, buffer);
                Extent { transcript_max, page: usize::from(area.height), ..Extent::default() }
            }
            (Pane::Facts | Pane::Transcript, None) => self.unseen(area, buffer),
        }
    }

    fn task(&self, area: Rect, buffer: &mut Buffer) -> Extent {
        let Some(shown) = &self.sight.shown else { return self.unseen(area, buffer) };
        let (left, right) = if area.width >= 110 {
            let halves = [Constraint::Percentage(52), Constraint::Length(2), Constraint::Min(0)];
            let [left, _, right] = Layout::horizontal(halves).areas(area);
            (left, right)
        } else {
            // Details take what they need and leave some rows for the transcript.
            let needed = self.fact_lines(shown, area.width).len() + 1;
            let least = if shown.last.is_some() { 5.min(area.height / 2) } else { 0 };
            let most = area.height.saturating_sub(least);
            let rows = u16::try_from(needed).unwrap_or(u16::MAX).min(most);
            let parts = [Constraint::Length(rows), Constraint::Min(0)];
            let [above, below] = Layout::vertical(parts).areas(area);
            (above, below)
        };
        let facts_max = self.facts(&self.fact_lines(shown, left.width), left, buffer);
        let transcript_max = if shown.last.is_some() || area.width >= 110 {
            self.transcript(shown, right, buffer)
        } else {
            0
        };
        let page = match self.hand.pane {
            Pane::Transcript => right.height,
            Pane::Tasks | Pane::Facts => left.height,
        };
        let page = usize::from(page.saturating_sub(1));
        Extent { facts_max, transcript_max, page }
    }

    fn unseen(&self, area: Rect, buffer: &mut Buffer) -> Extent {
        let selected = self.hand.selected.as_ref();
        let seen = self.sight.tasks.iter().find(|seen| Some(&seen.task) == selected);
        let (said, tone) = match seen.map(|seen| &seen.told) {
            Some(RowState::Damaged) => {
                ("cannot read the stream of this task; see `sealwright verify`", Tone::Bad)
            }
            Some(RowState::Unread | RowState::Nothing | RowState::Row(_)) | None => {
                ("not read yet", Tone::Dim)
            }
        };
        for (row, line) in (0..area.height).zip(wrapped(said, area.width, "")) {
            self.put(buffer, area, 0, row, &line, self.style(tone));
        }
        Extent::default()
    }

    fn tasks(&self, area: Rect, buffer: &mut Buffer) {
        let title = self.title("tasks", Pane::Tasks);
        self.rule(area, buffer, &title, Pane::Tasks);
        let rows = usize::from(area.height.saturating_sub(1));
        let tasks = &self.sight.tasks;
        let selected = self.hand.selected.as_ref();
        let at = tasks.iter().position(|seen| Some(&seen.task) == selected).unwrap_or(0);
        // Keep the selected task in the middle, except at the ends of the list.
        let from = at.saturating_sub(rows / 2).min(tasks.len().saturating_sub(rows));
        for (row, (nth, seen)) in (1..area.height).zip(tasks.iter().enumerate().skip(from)) {
            let (text, tone) = self.row(seen, area.width);
            let (mark, mut style) = (if nth == at { "> " } else { "  " }, self.style(tone));
            if nth == at {
                style = style.add_modifier(Modifier::REVERSED);
            }
            self.put(buffer, area, 0, row, &format!("{mark}{text}"), style);
        }
    }

    fn row(&self, seen: &TaskLine, width: u16) -> (String, Tone) {
        let name = seen.task.as_str();
        match &seen.told {
            RowState::Unread => (format!("… {name}"), Tone::Dim),
            RowState::Nothing => (format!("· {name} is being created"), Tone::Dim),
            RowState::Damaged => {
                (format!("✗ {name} is damaged; see `sealwright verify`"), Tone::Bad)
            }
            RowState::Row(row) => {
                let (sign, tone) = sign(row.status);
                let (state, phase) = (status::name(row.status), phase(row));
                let (since, title) = (age(row.since, self.now), sanitize(&row.title));
                let text = match width {
                    0..40 => format!("{sign} {title}"),
                    40..60 => format!("{sign} {state:<12}{since:>7}  {title}"),
                    60.. => format!("{sign} {state:<12}{phase:<10}{since:>7}  {title}"),
                };
                (text, tone)
            }
        }
    }

    fn fact_lines(&self, shown: &TaskDetail, width: u16) -> Vec<FactLine> {
        let indent = if width < 40 { 0 } else { NAME_COLUMNS };
        let mut lines = Vec::new();
        for fact in facts(shown, self.now) {
            let mut name = fact.name;
            for (tone, text) in fact.lines {
                let text =
                    if indent == 0 && !name.is_empty() { format!("{name}: {text}") } else { text };
                // Continuation lines are indented behind a sign.
                let hang = if has_sign(&text) { "  " } else { "" };
                for part in wrapped(&text, width.saturating_sub(indent), hang) {
                    lines.push(FactLine { name: std::mem::take(&mut name), tone, text: part });
                }
            }
        }
        lines
    }

    /// Draws the details and returns how far they scroll.
    fn facts(&self, lines: &[FactLine], area: Rect, buffer: &mut Buffer) -> usize {
        let rows = usize::from(area.height.saturating_sub(1));
        let max = lines.len().saturating_sub(rows);
        let from = self.hand.facts_down.min(max);
        let more = lines.len().saturating_sub(from + rows);
        let title = match more {
            0 => self.title("task", Pane::Facts),
            more => format!("{} {more} more below", self.title("task", Pane::Facts)),
        };
        self.rule(area, buffer, &title, Pane::Facts);
        let indent = if area.width < 40 { 0 } else { NAME_COLUMNS };
        for (row, line) in (1..area.height).zip(&lines[from..]) {
            if indent > 0 {
                self.put(buffer, area, 0, row, line.name, self.style(Tone::Dim));
            }
            self.put(buffer, area, indent, row, &line.text, self.style(line.tone));
        }
        max
    }

    /// Draws the end of the transcript and returns how far it scrolls.
    fn transcript(&self, shown: &TaskDetail, area: Rect, buffer: &mut Buffer) -> usize {
        let mut title = self.title("transcript", Pane::Transcript);
        let Some(call) = &shown.last else {
            self.rule(area, buffer, &title, Pane::Transcript);
            self.put(buffer, area, 0, 1, "no agent calls yet", self.style(Tone::Dim));
            return 0;
        };
        title.push_str(&format!(" {}", name(call)));
        let indent = if area.width < 50 { 0 } else { 9 };
        let mut lines: Vec<(String, Tone, String)> = Vec::new();
        for said in &call.tail {
            let tone = match said.how {
                How::Warns => Tone::Warn,
                How::Says => Tone::Plain,
                How::Ended => Tone::Dim,
                How::Runs | How::Edits | How::Reads | How::Asks | How::Uses | How::Changed => {
                    Tone::Good
                }
            };
            let text = format!("{:<8}{}", said.how.word(), sanitize(&said.text));
            let mut at = clock(said.at);
            for part in wrapped(&text, area.width.saturating_sub(indent), "        ") {
                lines.push((std::mem::take(&mut at), tone, part));
            }
        }
        let rows = usize::from(area.height.saturating_sub(1));
        let max = lines.len().saturating_sub(rows);
        let back = self.hand.transcript_back.min(max);
        if back > 0 {
            title.push_str(&format!(", {back} more below"));
        }
        self.rule(area, buffer, &title, Pane::Transcript);
        let from = max - back;
        for (row, (at, tone, text)) in (1..area.height).zip(&lines[from..]) {
            if indent > 0 {
                self.put(buffer, area, 0, row, at, self.style(Tone::Dim));
            }
            self.put(buffer, area, indent, row, text, self.style(*tone));
        }
        max
    }

    /// The name of a pane; the active one is in brackets.
    fn title(&self, name: &str, pane: Pane) -> String {
        if self.hand.pane == pane { format!("[{name}]") } else { name.to_owned() }
    }

    /// A line with a title in it.
    fn rule(&self, area: Rect, buffer: &mut Buffer, title: &str, pane: Pane) {
        let mut style = self.style(Tone::Dim);
        let line = "─".repeat(usize::from(area.width));
        self.put(buffer, area, 0, 0, &line, style);
        if self.hand.pane == pane {
            style = Style::default().add_modifier(Modifier::BOLD);
        }
        let room = area.width.saturating_sub(4);
        let shown = format!(" {title} ");
        if room > 0 && area.height > 0 {
            buffer.set_stringn(area.x + 2, area.y, shown, usize::from(room), style);
        }
    }

    /// Puts text into a row of an area, truncated.
    fn put(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        column: u16,
        row: u16,
        text: &str,
        style: Style,
    ) {
        if row < area.height && column < area.width {
            let room = usize::from(area.width - column);
            buffer.set_stringn(area.x + column, area.y + row, text, room, style);
        }
    }

    fn style(&self, tone: Tone) -> Style {
        let style = Style::default();
        match (self.palette, tone) {
            (_, Tone::Plain) => style,
            (Palette::Colours, Tone::Good) => style.fg(Color::Green),
            (Palette::Colours, Tone::Warn) => style.fg(Color::Yellow),
            (Palette::Colours, Tone::Bad) => style.fg(Color::Red).add_modifier(Modifier::BOLD),
            (Palette::None, Tone::Good | Tone::Warn) => style,
            (Palette::None, Tone::Bad) => style.add_modifier(Modifier::BOLD),
            (_, Tone::Dim) => style.add_modifier(Modifier::DIM),
        }
    }
}

struct FactLine {
    /// Set on the first line of a fact.
    name: &'static str,
    tone: Tone,
    text: String,
}

fn phase(row: &Row) -> &'static str {
    match row.phase {
        // The status has the same meaning.
        Some(Phase::Done | Phase::NeedsUserDecision | Phase::Blocked) | None => "",
        Some(phase) => phase.name(),
    }
}

fn has_sign(text: &str) -> bool {
    let mut chars = text.chars();
    matches!(
        (chars.next(), chars.next()),
        (Some('!' | '?' | '✓' | '✗' | '▶' | '·' | '$'), Some(' '))
    )
}

/// Wraps text; lines after the first are indented by `hang`.
fn wrapped(text: &str, width: u16, hang: &str) -> Vec<String> {
    let width = usize::from(width.max(1));
    let hang = if width > 3 * hang.len() { hang } else { "" };
    let options = textwrap::Options::new(width).subsequent_indent(hang);
    textwrap::wrap(text, options).into_iter().map(|line| line.into_owned()).collect()
}

const NAME_COLUMNS: u16 = 8;

const KEYS: [(&str, &str); 10] = [
    ("j, k", "down and up, or arrow keys"),
    ("page up/down", "scroll a page"),
    ("g, G", "first, last"),
    ("tab", "next pane; the active one is in brackets"),
    ("enter", "show one task alone, and back"),
    ("esc", "back to the list"),
    ("?", "this help"),
    ("q, ctrl-c", "quit"),
    ("", ""),
    ("signs", "! halted  ? parked  ▶ in progress  · pending  ✓ done  ✗ abandoned"),
];

#[cfg(test)]
mod tests;
