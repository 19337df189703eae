//! Printing: data to standard output, messages to standard error.

use std::borrow::Cow;
use std::error::Error as _;
use std::io::{self, Write as _};

use anstyle::{AnsiColor, Style};
use comfy_table::{ColumnConstraint, ContentArrangement, Table, presets};
use sealwright_views::steers;
use sealwright_views::wire::{Printed, in_order};
pub(crate) use sealwright_views::{sanitize, timestamp};
use serde_json::Value;
use textwrap::WordSeparator;
use textwrap::core::{Word, display_width};
use textwrap::wrap_algorithms::wrap_first_fit;

use crate::args::Format;
use crate::error::{CliError, CliResult};
use crate::task_names::TaskNames;

/// Standard output. A closed pipe is not an error.
pub(crate) struct Output {
    pub(crate) format: Format,
    out: anstream::AutoStream<io::Stdout>,
    is_closed: bool,
}

impl Output {
    pub(crate) fn new(format: Format) -> Self {
        Self { format, out: anstream::stdout(), is_closed: false }
    }

    /// Prints a line for people, folded at the width of the terminal.
    pub(crate) fn line(&mut self, text: &str) -> CliResult {
        self.exactly(&folded(text, Table::new().width()))
    }

    /// Prints a text below a line, indented and folded.
    pub(crate) fn part(&mut self, text: &str) -> CliResult {
        let width = Table::new().width().map(|width| width.saturating_sub(INDENT));
        let text = folded(text, width);
        text.lines().try_for_each(|line| self.exactly(&format!("  {}", line.trim_start())))
    }

    /// Prints a text as it is, however wide: a command to be copied, or something that programs read.
    pub(crate) fn whole(&mut self, text: &str) -> CliResult {
        self.exactly(text)
    }

    fn exactly(&mut self, text: &str) -> CliResult {
        self.write(format!("{text}\n").as_bytes())
    }

    /// Prints a JSON document of another standard.
    pub(crate) fn document(&mut self, json: &str) -> CliResult {
        self.exactly(&escaped(json.trim_end()))
    }

    /// Prints an XML document. Control characters become character references.
    pub(crate) fn xml(&mut self, xml: &str) -> CliResult {
        let is_plain = |c: char| !steers(c) || matches!(c, '\n' | '\t');
        let told =
            |c: char| if is_plain(c) { c.to_string() } else { format!("&#x{:x};", u32::from(c)) };
        self.exactly(&xml.trim_end().chars().map(told).collect::<String>())
    }

    /// Prints a wire type as JSON on one line. Every `--format json` goes through here.
    pub(crate) fn json(&mut self, value: &impl Printed) -> CliResult {
        let value = serde_json::to_value(value).map_err(io::Error::other)?;
        self.exactly(&json_text(&in_order(value)))
    }

    /// Prints a JSON value for people, indented.
    pub(crate) fn pretty(&mut self, value: Value) -> CliResult {
        self.exactly(&escaped(&format!("{:#}", in_order(value))))
    }

    /// Whether the reader closed the pipe.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }

    fn write(&mut self, bytes: &[u8]) -> CliResult {
        if self.is_closed {
            return Ok(());
        }
        match self.out.write_all(bytes).and_then(|()| self.out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(())
            }
            written => Ok(written?),
        }
    }
}

/// Prints a message for people, folded at the width of the terminal.
pub(crate) fn say(text: &str) {
    let width = Table::new().use_stderr().width();
    // If standard error is closed, there is nowhere to report it.
    let _ = writeln!(anstream::stderr().lock(), "{}", folded(text, width));
}

/// Prints a command to be copied, as it is.
pub(crate) fn say_whole(command: &str) {
    // If standard error is closed, there is nowhere to report it.
    let _ = writeln!(anstream::stderr().lock(), "{command}");
}

/// A text without lines that are wider than the terminal, if it is one. The lines of a folded one are indented by two
/// more than it is.
fn folded(text: &str, width: Option<u16>) -> Cow<'_, str> {
    let Some(width) = width.map(usize::from).filter(|width| *width >= WIDTH_MIN) else {
        return Cow::Borrowed(text);
    };
    let is_wide = |line: &str| display_width(line) > width;
    if !text.lines().any(is_wide) {
        return Cow::Borrowed(text);
    }
    let fold = |line: &str| if is_wide(line) { fold(line, width) } else { line.to_owned() };
    Cow::Owned(text.lines().map(fold).collect::<Vec<String>>().join("\n"))
}

/// Breaks a line at spaces only, so that ids and paths can be copied.
fn fold(line: &str, width: usize) -> String {
    let text = line.trim_start_matches(' ');
    let indent = (line.len() - text.len()).min(width / 2);
    let room = width - indent;
    let rest = room - usize::from(INDENT);
    let lines = wrap_first_fit(&words(text, rest), &[room as f64, rest as f64])
        .into_iter()
        .enumerate()
        .map(|(nth, words)| {
            let mut line = " ".repeat(if nth == 0 { indent } else { width - rest });
            for (nth, word) in words.iter().enumerate() {
                line.push_str(word.word);
                line.push_str(if nth + 1 < words.len() { word.whitespace } else { "" });
            }
            line
        })
        .collect::<Vec<String>>();
    lines.join("\n")
}

/// The words of a line. What stands in backquotes is one word if it fits on a line of its own, a command always.
fn words(text: &str, width: usize) -> Vec<Word<'_>> {
    let ticks: Vec<usize> = text.match_indices('`').map(|(at, _)| at).collect();
    let quoted = ticks.chunks_exact(2).map(|pair| pair[0]..pair[1]).filter(|span| {
        let said = &text[span.start + 1..span.end];
        COMMANDS.iter().any(|name| said.starts_with(name)) || display_width(said) + 2 <= width
    });
    let quoted: Vec<_> = quoted.collect();
    let mut words = Vec::new();
    let (mut from, mut to) = (0, 0);
    for word in WordSeparator::AsciiSpace.find_words(text) {
        to += word.word.len() + word.whitespace.len();
        if !quoted.iter().any(|span| span.start < to && to <= span.end) {
            words.push(Word::from(&text[from..to]));
            from = to;
        }
    }
    words
}

/// Programs whose commands people copy from a text.
const COMMANDS: [&str; 2] = ["sealwright ", "git "];
/// Narrower terminals do not say how wide they are.
const WIDTH_MIN: usize = 20;
/// Of the texts below a line.
const INDENT: u16 = 2;

/// Prints an error, its causes and its hint to standard error.
pub(crate) fn explain(error: &CliError, names: &TaskNames) {
    let (bad, good) = (AnsiColor::Red.on_default().bold(), AnsiColor::Cyan.on_default());
    let mut out = anstream::stderr().lock();
    // If standard error is closed, there is nowhere to report it.
    let width = Table::new().use_stderr().width();
    let error_line = format!("{bad}error:{bad:#} {}", sanitize(&error.to_string()));
    let _ = writeln!(out, "{}", folded(&error_line, width));
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_line = format!("  caused by: {}", sanitize(&cause.to_string()));
        let _ = writeln!(out, "{}", folded(&cause_line, width));
        source = cause.source();
    }
    if let Some(hint) = error.hint() {
        let hint = format!("{good}hint:{good:#} {}", sanitize(&names.in_commands(&hint)));
        let _ = writeln!(out, "{}", folded(&hint, width));
    }
}

/// A table as wide as the terminal. Only the columns in `broken` wrap.
pub(crate) fn table(header: &[&str], broken: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(header);
    for (nth, _) in header.iter().enumerate().filter(|(_, name)| !broken.contains(name)) {
        if let Some(column) = table.column_mut(nth) {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    table
}

pub(crate) fn table_text(table: &Table) -> String {
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n")
}

/// A value on one line, with control characters escaped.
pub(crate) fn json_text(value: &Value) -> String {
    escaped(&value.to_string())
}

/// Escapes control characters. In JSON they occur only in strings; line feeds between members stay.
fn escaped(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        if steers(c) && c != '\n' {
            safe.push_str(&format!("\\u{:04x}", u32::from(c)))
        } else {
            safe.push(c)
        }
    }
    safe
}

/// The first digits of a hash.
pub(crate) fn short(hash: &impl ToString) -> String {
    hash.to_string().chars().take(12).collect()
}

/// The first `count` of `rows` in `order`. Only those are sorted.
pub(crate) fn first<T>(
    mut rows: Vec<T>,
    count: usize,
    mut order: impl FnMut(&T, &T) -> std::cmp::Ordering,
) -> Vec<T> {
    if rows.len() > count && count > 0 {
        rows.select_nth_unstable_by(count - 1, &mut order);
    }
    rows.truncate(count);
    rows.sort_by(order);
    rows
}

/// A number with its noun.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

pub(crate) fn good(text: &str) -> String {
    styled(AnsiColor::Green.on_default(), text)
}

pub(crate) fn warn(text: &str) -> String {
    styled(AnsiColor::Yellow.on_default(), text)
}

pub(crate) fn bad(text: &str) -> String {
    styled(AnsiColor::Red.on_default().bold(), text)
}

fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_for_people_fit_the_terminal_and_break_at_spaces_only() {
        let long =
            "✗ verify: not proven: blob 1b13a156 of the task has been changed since it was written";
        let inner = format!("    {long}");
        let text = folded(&format!("{long}\n{inner}"), Some(40)).into_owned();
        assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
        assert!(text.lines().nth(1).unwrap().starts_with("  the task"), "{text}");
        let (first, second) = text.split_once("\n    ✗").unwrap();
        assert!(second.lines().skip(1).all(|line| line.starts_with("      ")), "{text}");
        let joined = |lines: &str| lines.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(joined(first), long);
        assert_eq!(joined(&format!("✗{second}")), long);
        assert_eq!(folded(long, None), long);
        let coloured = good("short");
        assert_eq!(folded(&coloured, Some(20)), coloured, "colours take no room");
        let path = format!("evidence: /srv/node_modules/@anthropic-ai/{}", "deep-".repeat(9));
        assert_eq!(folded(&path, Some(40)), path.replacen(' ', "\n  ", 1));
    }

    #[test]
    fn what_is_to_be_typed_stays_on_one_line() {
        let hint = "hint: fix the cause of it, then `sealwright do --continue T-a-day-of-parking-85a461`, or see \
                    `sealwright show T-a-day-of-parking-85a461 --plan`; `a b c d e f g h i j k l m n o p q r s t u v \
                    w x y z` is no command";
        let text = folded(hint, Some(44)).into_owned();
        insta::assert_snapshot!(text, @"
        hint: fix the cause of it, then
          `sealwright do --continue T-a-day-of-parking-85a461`,
          or see
          `sealwright show T-a-day-of-parking-85a461 --plan`;
          `a b c d e f g h i j k l m n o p q r s t u
          v w x y z` is no command
        ");
        assert_eq!(words("one `two three", 80).len(), 3, "an open quote holds nothing together");
    }

    #[test]
    fn json_says_the_same_without_steering() {
        let hostile = serde_json::json!({"a": "\u{9b}2J\u{7f}\u{202e}\n\u{1b}é"});
        let safe = escaped(&serde_json::to_string_pretty(&hostile).unwrap());
        assert!(safe.chars().all(|c| c == '\n' || !steers(c)), "{safe}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).unwrap(), hostile);
    }
}
