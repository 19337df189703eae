//! Printing: data to standard output, messages to standard error.

use std::error::Error as _;
use std::io::{self, Write as _};

use anstyle::{AnsiColor, Style};
use comfy_table::{ColumnConstraint, ContentArrangement, Table, presets};
use sealwright_views::steers;
use sealwright_views::wire::{Printed, in_order};
pub(crate) use sealwright_views::{sanitize, timestamp};
use serde_json::Value;

use crate::args::Format;
use crate::error::{CliError, CliResult};

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

    pub(crate) fn line(&mut self, text: &str) -> CliResult {
        self.write(format!("{text}\n").as_bytes())
    }

    /// Prints a JSON document of another standard.
    pub(crate) fn document(&mut self, json: &str) -> CliResult {
        self.line(&escaped(json.trim_end()))
    }

    /// Prints an XML document. Control characters become character references.
    pub(crate) fn xml(&mut self, xml: &str) -> CliResult {
        let is_plain = |c: char| !steers(c) || matches!(c, '\n' | '\t');
        let told =
            |c: char| if is_plain(c) { c.to_string() } else { format!("&#x{:x};", u32::from(c)) };
        self.line(&xml.trim_end().chars().map(told).collect::<String>())
    }

    /// Prints a wire type as JSON on one line. Every `--format json` goes through here.
    pub(crate) fn json(&mut self, value: &impl Printed) -> CliResult {
        let value = serde_json::to_value(value).map_err(io::Error::other)?;
        self.line(&json_text(&in_order(value)))
    }

    /// Prints a JSON value for people, indented.
    pub(crate) fn pretty(&mut self, value: Value) -> CliResult {
        self.line(&escaped(&format!("{:#}", in_order(value))))
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

pub(crate) fn say(text: &str) {
    // If standard error is closed, there is nowhere to report it.
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Prints an error, its causes and its hint to standard error.
pub(crate) fn explain(error: &CliError) {
    let (bad, good) = (AnsiColor::Red.on_default().bold(), AnsiColor::Cyan.on_default());
    let mut out = anstream::stderr().lock();
    // If standard error is closed, there is nowhere to report it.
    let _ = writeln!(out, "{bad}error:{bad:#} {}", sanitize(&error.to_string()));
    let mut source = error.source();
    while let Some(cause) = source {
        let _ = writeln!(out, "  caused by: {}", sanitize(&cause.to_string()));
        source = cause.source();
    }
    if let Some(hint) = error.hint() {
        let _ = writeln!(out, "{good}hint:{good:#} {}", sanitize(&hint));
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
    fn json_says_the_same_without_steering() {
        let hostile = serde_json::json!({"a": "\u{9b}2J\u{7f}\u{202e}\n\u{1b}é"});
        let safe = escaped(&serde_json::to_string_pretty(&hostile).unwrap());
        assert!(safe.chars().all(|c| c == '\n' || !steers(c)), "{safe}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).unwrap(), hostile);
    }
}
