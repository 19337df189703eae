//! Why Rust tests fail: what the compiler misses, and how a test panicked.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::toolchain::missing::{Missing, TestRun, UnderTest};
use crate::toolchain::outline::Outline;

/// What the compiler misses. If it reports any other error, nothing counts as missing.
pub(super) fn missing(run: &TestRun<'_>) -> Missing {
    let mut missing = Missing::default();
    for message in run.build.lines().filter_map(error) {
        let mut spans = message.spans.iter().filter(|span| span.is_primary).peekable();
        // The last message only counts the errors before it.
        if spans.peek().is_none() && !message.message.starts_with("aborting due to") {
            missing.break_at("the skeleton", &message.message);
        }
        for span in spans {
            let path = span.file_name.strip_prefix("/work/").unwrap_or(&span.file_name);
            let is_frozen = run.frozen.iter().any(|frozen| frozen == path);
            let outline = run.outlines.iter().find(|outline| outline.path == path);
            match outline.and_then(|outline| names(&message, outline, run.under_test)) {
                Some(names) if is_frozen => {
                    missing.items.push((path.to_owned(), span.line_start, names));
                }
                Some(_) | None => {
                    missing.break_at(&format!("{path}:{}", span.line_start), &message.message);
                }
            }
        }
    }
    if !missing.broken.is_empty() {
        missing.items.clear();
    }
    missing
}

/// The errors of a compiler, without the line that counts them.
pub(super) fn build_errors(stdout: &str) -> Vec<String> {
    let line = |message: Message| {
        let span = message.spans.iter().find(|span| span.is_primary)?;
        let path = span.file_name.strip_prefix("/work/").unwrap_or(&span.file_name);
        Some(format!("{path}:{}: {}", span.line_start, message.message))
    };
    stdout.lines().filter_map(error).filter_map(line).collect()
}

/// Why a test that ran failed because of itself, if it did.
pub(super) fn broken(why: &str) -> Option<String> {
    // An error of the system means a fixture, not what is under test; unless a program ended before it read its input.
    let is_fixture = !why.contains("kind: BrokenPipe");
    let is_system = why.contains("Os { code:") || why.contains("Custom { kind: NotFound");
    let is_asserted = why.contains("assertion ");
    (is_system && is_fixture && !is_asserted).then(|| why.to_owned())
}

/// The names that stand in a file for what an error says is missing. None if it says anything else.
fn names(message: &Message, outline: &Outline, under_test: &UnderTest) -> Option<BTreeSet<String>> {
    // Cargo defines it for every program of the package, so the program is missing.
    if message.message.contains("environment variable `CARGO_BIN_EXE_") {
        return Some(BTreeSet::new());
    }
    let code = message.code.as_ref()?.code.as_str();
    let quoted: Vec<&str> = message.message.split('`').skip(1).step_by(2).collect();
    let first = *quoted.first()?;
    let is_missing = match code {
        "E0432" => quoted.iter().all(|path| {
            under_test.has_module(path) && (!path.contains("::") || under_test.has_item(path))
        }),
        "E0433" => under_test.has_item(first) || under_test.modules.contains(first),
        "E0425" | "E0412" | "E0405" | "E0422" | "E0531" | "E0574" => {
            let within = quoted.get(1).is_none_or(|within| under_test.has_module(within));
            under_test.has_item(first) && within
        }
        "E0599" => under_test.has_item(first),
        // A trait that a type of the contract does not implement yet.
        "E0277" => quoted.iter().any(|bound| bound.split(": ").any(|it| under_test.has_item(it))),
        "E0560" | "E0609" | "E0026" | "E0559" => {
            quoted.iter().any(|name| under_test.has_item(name))
        }
        _ => false,
    };
    if !is_missing {
        return None;
    }
    // A file that imports a missing path uses only the last name of it.
    let imported = outline.imports.iter().filter(|import| {
        code == "E0432" && quoted.iter().any(|path| is_within(&import.module, path))
    });
    let last = |path: &&str| path.rsplit("::").next().unwrap_or_default().to_owned();
    let named = quoted.iter().map(last).filter(|name| under_test.items.contains(name));
    Some(named.chain(imported.map(|import| import.name.clone())).collect())
}

fn is_within(path: &str, outer: &str) -> bool {
    path.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

fn error(line: &str) -> Option<Message> {
    let envelope: Envelope = serde_json::from_str(line).ok()?;
    let message = envelope.message.filter(|_| envelope.reason == "compiler-message")?;
    (message.level == "error" || message.level.starts_with("error:")).then_some(message)
}

#[derive(Deserialize)]
struct Envelope {
    reason: String,
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    level: String,
    message: String,
    code: Option<Code>,
    #[serde(default)]
    spans: Vec<Span>,
}

#[derive(Deserialize)]
struct Code {
    code: String,
}

#[derive(Deserialize)]
struct Span {
    file_name: String,
    line_start: u32,
    is_primary: bool,
}
