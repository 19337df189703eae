//! Transcripts of agent calls, as the process of `do` writes them.
//!
//! ```text
//! .sealwright/work/T-…/0007-edit.jsonl    {"at":…,"begun":{…}}
//!                                         {"at":…,"event":{…}}     as they happen
//!                                         {"at":…,"ended":{…}}     missing: it runs, or its process died
//! ```
//!
//! The content is untrusted. Only the beginning and the end of a file are read; incomplete lines wait for the next read,
//! invalid ones are skipped.

use sealwright_agents::{Deed, Event};
use sealwright_kernel::Timestamp;
use sealwright_views::watch::{Begun, Call, Ended, Said, cut};
use sealwright_views::wire::TranscriptKind as How;
use serde::Deserialize;

/// Parses a file name such as `0007-edit.jsonl`.
pub(crate) fn named(file: &str) -> Option<(u32, &str)> {
    let (number, part) = file.strip_suffix(".jsonl")?.split_once('-')?;
    let are_digits = number.len() >= 4 && number.bytes().all(|it| it.is_ascii_digit());
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let is_part = !part.is_empty() && part.len() <= PART_BYTES_MAX && part.chars().all(is_plain);
    Some((number.parse().ok().filter(|_| are_digits && is_part)?, part))
}

/// Parses the beginning and the end of a file.
pub(crate) fn read(number: u32, part: &str, beginning: &[u8], end: End<'_>) -> Call {
    let mut call = Call {
        number,
        part: part.to_owned(),
        begun: None,
        news: Timestamp::default(),
        ended: None,
        tokens: 0,
        tail: vec![],
    };
    // Of the beginning only the first line counts: the end may overlap with it.
    if let Some(first) = whole_lines(beginning).next().and_then(understood) {
        hear(&mut call, Line { event: None, ended: None, ..first });
    }
    let lines = match end {
        End::Whole(bytes) => bytes,
        // A part starts in the middle of a line.
        End::Part(bytes) => {
            bytes.iter().position(|it| *it == b'\n').map_or(&[][..], |at| &bytes[at + 1..])
        }
    };
    for line in whole_lines(lines).filter_map(understood) {
        hear(&mut call, line);
    }
    let surplus = call.tail.len().saturating_sub(TAIL_LINES_MAX);
    call.tail.drain(..surplus);
    call
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum End<'a> {
    Whole(&'a [u8]),
    Part(&'a [u8]),
}

fn hear(call: &mut Call, line: Line) {
    let at = Timestamp::from_millis(line.at);
    call.news = call.news.max(at);
    if let Some(Who { role, agent, model, effect }) = line.begun {
        call.begun = Some(Begun { at, role, agent, model, effect });
    }
    let mut say = |how, text: &str| {
        let lines = text.lines().filter(|line| !line.trim().is_empty()).take(EVENT_LINES_MAX);
        let said = lines.map(|line| Said { at, how, text: cut(line.trim_end(), LINE_CHARS_MAX) });
        call.tail.extend(said);
    };
    // An event of a later version is skipped.
    match line.event.and_then(|event| Event::deserialize(event).ok()) {
        Some(Event::Text { text }) => say(How::Says, &text),
        Some(Event::ToolUse { tool, deed, detail }) => match how(deed) {
            how @ (How::Uses | How::Asks) => say(how, &format!("{tool} {detail}")),
            how => say(how, &detail),
        },
        Some(Event::FileChange { path }) => say(How::Changed, &path),
        Some(Event::Usage { usage }) => call.tokens = call.tokens.max(usage.total()),
        Some(Event::Warning { text }) => say(How::Warns, &text),
        Some(Event::GoesOn { .. }) => say(How::Says, "goes on with its conversation"),
        None => {}
    }
    if let Some(WrittenEnd { end, micro_dollars, tokens }) = line.ended {
        call.tokens = call.tokens.max(tokens);
        say(How::Ended, &end);
        call.ended = Some(Ended { end, micro_dollars, tokens });
    }
}

fn how(deed: Deed) -> How {
    match deed {
        Deed::Command => How::Runs,
        Deed::Edit => How::Edits,
        Deed::Read => How::Reads,
        Deed::Role => How::Asks,
        Deed::Other => How::Uses,
    }
}

#[derive(Deserialize)]
struct Line {
    at: u64,
    begun: Option<Who>,
    event: Option<serde_json::Value>,
    ended: Option<WrittenEnd>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Who {
    role: String,
    agent: String,
    model: String,
    effect: String,
}

#[derive(Deserialize)]
#[serde(default)]
struct WrittenEnd {
    end: String,
    micro_dollars: u64,
    tokens: u64,
}

impl Default for WrittenEnd {
    fn default() -> Self {
        Self { end: "in no way that was said".to_owned(), micro_dollars: 0, tokens: 0 }
    }
}

fn understood(line: &[u8]) -> Option<Line> {
    serde_json::from_slice(line).ok()
}

/// The complete lines; the last one may still be written.
fn whole_lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let end = bytes.iter().rposition(|it| *it == b'\n').unwrap_or(0);
    bytes[..end].split(|it| *it == b'\n').filter(|line| !line.is_empty())
}

pub(crate) const BEGINNING_BYTES_MAX: usize = 8 * 1024;
pub(crate) const END_BYTES_MAX: usize = 64 * 1024;
const TAIL_LINES_MAX: usize = 200;
const EVENT_LINES_MAX: usize = 40;
const LINE_CHARS_MAX: usize = 500;
const PART_BYTES_MAX: usize = 80;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_numbered_file_is_a_transcript() {
        assert_eq!(named("0007-edit.jsonl"), Some((7, "edit")));
        assert_eq!(named("12345-check-amendments.jsonl"), Some((12_345, "check-amendments")));
        let others = ["7-edit.jsonl", "0007-.jsonl", "0007-e\u{1b}[2J.jsonl", "0007-edit.json"];
        let more = ["+007-edit.jsonl", "0007edit.jsonl", "99999999999-edit.jsonl", "notes.jsonl"];
        for file in others.iter().chain(&more) {
            assert_eq!(named(file), None, "{file}");
        }
    }

    #[test]
    fn a_call_is_told_by_its_beginning_and_its_end() {
        let begun = r#"{"at":1000,"begun":{"part":"edit","role":"builder","agent":"codex","model":"gpt-5","effect":"T-a/SL/edit/try-1"}}"#;
        let run = r#"{"at":2000,"event":{"kind":"tool_use","tool":"shell","deed":"command","detail":"cargo test"}}"#;
        let used = r#"{"at":2500,"event":{"kind":"usage","usage":{"input":5,"cached":0,"cache_written":0,"output":7}}}"#;
        let whole = format!("{begun}\n{run}\n{used}\n");
        let call = read(7, "edit", whole.as_bytes(), End::Whole(whole.as_bytes()));
        let who = call.begun.clone().unwrap();
        assert_eq!(
            (who.agent.as_str(), who.model.as_str(), who.role.as_str()),
            ("codex", "gpt-5", "builder")
        );
        assert_eq!(
            (call.news, call.tokens, &call.ended),
            (Timestamp::from_millis(2500), 12, &None)
        );
        assert_eq!(
            call.tail,
            [Said { at: Timestamp::from_millis(2000), how: How::Runs, text: "cargo test".into() }]
        );
        let ended = r#"{"at":3000,"ended":{"end":"answered","micro_dollars":123,"tokens":456,"turns":3,"wall_ms":789}}"#;
        // The end starts in the middle of a line.
        let end = format!("ail\":\"x\"}}}}\n{ended}\n");
        let call = read(7, "edit", whole.as_bytes(), End::Part(end.as_bytes()));
        let took = call.ended.unwrap();
        assert_eq!((took.end.as_str(), took.micro_dollars, call.tokens), ("answered", 123, 456));
    }

    #[test]
    fn what_is_half_written_or_nonsense_is_passed_over() {
        let lines = "{\"at\":1,\"event\":{\"kind\":\"text\",\"text\":\"one\\ntwo\"}}\n\
                     {\"at\":\"x\"}\nnull\n[]\n\u{0}\u{1b}[2J\n{\"at\":2,\"event\":{\"kind\":\"new\"}}\n\
                     {\"at\":3,\"event\":{\"kind\":\"text\",\"te";
        let call = read(1, "edit", lines.as_bytes(), End::Whole(lines.as_bytes()));
        // The first line is in the beginning and in the end, and counts once.
        let said: Vec<&str> = call.tail.iter().map(|said| said.text.as_str()).collect();
        assert_eq!(said, ["one", "two"]);
        assert_eq!((call.news, call.begun, call.ended), (Timestamp::from_millis(2), None, None));
        for bytes in [&b""[..], b"\n", b"\n\n\n", b"no end", &[0xff, 0xfe, b'\n']] {
            assert!(read(1, "edit", bytes, End::Whole(bytes)).tail.is_empty());
            assert!(read(1, "edit", bytes, End::Part(bytes)).tail.is_empty());
        }
    }

    #[test]
    fn however_much_is_said_only_the_end_of_it_is_kept() {
        let text = "x".repeat(10_000) + &"\\ny".repeat(100);
        let line = format!("{{\"at\":1,\"event\":{{\"kind\":\"text\",\"text\":\"{text}\"}}}}\n");
        let lines = line.repeat(20);
        let call = read(1, "edit", b"", End::Whole(lines.as_bytes()));
        assert_eq!(call.tail.len(), TAIL_LINES_MAX);
        assert!(call.tail.iter().all(|said| said.text.chars().count() <= LINE_CHARS_MAX + 1));
    }
}
