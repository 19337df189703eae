//! One record: what it holds, how it is sealed into a line, how a line is checked.
//!
//! A line is the canonical JSON of the record. Canonical JSON sorts its members, so every
//! line ends in the same way:
//!
//! ```text
//! {"actor":…,"at":…,"blobs":[…],"cause":…,"events":[…],"hash":"H","prev":"P","seq":N,"stream":"S"}
//! └──────────────────── body ───────────────────────┘└──── 74 ───┘└─────────── tail ───────────┘
//! ```
//!
//! `H` is the SHA-256 of the line without its hash member: body and tail. A reader knows
//! the tail before it reads the line, so checking a record costs one comparison and one
//! hash, and no parsing.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use sealwright_kernel::{Actor, Canonical, Digest, Hasher, Seq, StreamId, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Anchor, Head, JournalError, Why};

/// A record before it is sealed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft<C = Value, E = Value> {
    /// The time of the host's clock.
    pub at: Timestamp,
    pub actor: Actor,
    /// The input that was decided.
    pub cause: C,
    pub events: Vec<E>,
    /// The evidence it rests on.
    pub blobs: Vec<BlobRef>,
}

/// One accepted record, whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub stream: StreamId,
    pub seq: Seq,
    pub at: Timestamp,
    pub actor: Actor,
    pub cause: Value,
    pub events: Vec<Value>,
    pub blobs: Vec<BlobRef>,
    /// The hash of the record before it.
    pub prev: Digest,
    pub hash: Digest,
}

/// Content in the blob store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BlobRef {
    pub sha256: Digest,
    pub size: u64,
}

/// What the journal itself records in a stream. Machines do not see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Note {
    /// A crash had left an unfinished line; it was dropped.
    TornTail { bytes: u64, sha256: Digest },
    /// Another stream ended with this record.
    Anchored(Anchor),
    /// Nothing follows.
    Ended,
}

/// One checked line, still as it was written.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    stream: &'a StreamId,
    head: Head,
    line: &'a [u8],
    /// The line up to its hash.
    body: &'a [u8],
}

impl Draft {
    pub(crate) fn note(at: Timestamp, note: &Note) -> Self {
        let event = serde_json::json!({ "journal": note });
        Self { at, actor: Actor::Machine, cause: Value::Null, events: vec![event], blobs: vec![] }
    }
}

impl<C: Serialize, E: Serialize> Draft<C, E> {
    /// Writes the record that follows on `head` as a line with its line feed.
    pub fn seal(&self, stream: &StreamId, head: &Head) -> Result<(Vec<u8>, Head), JournalError> {
        self.sealed(stream, head).map(|sealed| (sealed.line, sealed.head))
    }

    pub(crate) fn sealed(&self, stream: &StreamId, head: &Head) -> Result<Sealed, JournalError> {
        let mut line = self.body()?;
        let is_end = line.ends_with(ENDED);
        let tail = Tail::after(stream, head);
        let bytes = line.len() + HASH_MEMBER_BYTES + tail.0.len();
        if bytes > RECORD_BYTES_MAX {
            return Err(JournalError::TooLarge { bytes, bytes_max: RECORD_BYTES_MAX });
        }
        let hash = tail.hash(&line);
        line.extend(HASH_OPENS);
        line.extend(hash.hex());
        line.push(b'"');
        line.extend(&tail.0);
        line.push(b'\n');
        Ok(Sealed { line, head: Head { seq: head.seq.next(), hash }, is_end })
    }

    /// The canonical JSON of the draft, up to where the hash belongs.
    fn body(&self) -> Result<Vec<u8>, JournalError> {
        let Self { at, actor, cause, events, blobs } = self;
        let mut body = Vec::with_capacity(LINE_BYTES_USUAL);
        let mut canonical = Canonical::default();
        body.extend(b"{\"actor\":");
        canonical.write(&mut body, actor)?;
        body.extend(b",\"at\":");
        push_decimal(&mut body, at.as_millis());
        body.extend(BLOBS_OPENS);
        for (nth, blob) in blobs.iter().enumerate() {
            body.extend(if nth > 0 { &b","[..] } else { b"" });
            canonical.write(&mut body, blob)?;
        }
        body.extend(b"],\"cause\":");
        let from = body.len();
        canonical.write(&mut body, cause)?;
        let has_cause = body[from..] != *b"null";
        body.extend(EVENTS_OPENS);
        for (nth, event) in events.iter().enumerate() {
            body.extend(if nth > 0 { &b","[..] } else { b"" });
            let from = body.len();
            canonical.write(&mut body, event)?;
            // Only the journal itself writes notes, and it has no cause to name.
            if has_cause && body[from..].starts_with(NOTE_OPENS) {
                return Err(JournalError::Reserved);
            }
        }
        body.push(b']');
        Ok(body)
    }
}

/// A draft as it is written.
pub(crate) struct Sealed {
    /// The line with its line feed.
    pub(crate) line: Vec<u8>,
    /// What its stream ends in then.
    pub(crate) head: Head,
    pub(crate) is_end: bool,
}

impl<'a> Entry<'a> {
    /// Checks that `line`, without its line feed, is the record of `stream` that follows on
    /// `head`.
    pub fn check(stream: &'a StreamId, head: &Head, line: &'a [u8]) -> Result<Self, Why> {
        Self::check_with(stream, head, &mut Tail::default(), line)
    }

    /// The same, with a buffer that is kept between lines.
    pub(crate) fn check_with(
        stream: &'a StreamId,
        head: &Head,
        tail: &mut Tail,
        line: &'a [u8],
    ) -> Result<Self, Why> {
        tail.set_after(stream, head);
        let body = line.strip_suffix(tail.0.as_slice()).ok_or(Why::OutOfPlace)?;
        let (body, hash) = split_hash(body).ok_or(Why::OutOfPlace)?;
        let sealed = tail.hash(body);
        if sealed.hex() != *hash {
            return Err(Why::HashDiffers);
        }
        Ok(Self { stream, head: Head { seq: head.seq.next(), hash: sealed }, line, body })
    }

    /// The head that `line` says it follows on. Nothing is checked but the form.
    pub(crate) fn follows_on(stream: &StreamId, line: &[u8]) -> Option<Head> {
        let line = line.strip_suffix(b"\"}")?.strip_suffix(stream.as_str().as_bytes())?;
        let line = line.strip_suffix(STREAM_OPENS)?;
        let digits = line.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let (line, seq) = line.split_at(line.len() - digits);
        let seq: u64 = std::str::from_utf8(seq).ok()?.parse().ok()?;
        let (_, prev) = line.strip_suffix(SEQ_OPENS)?.split_last_chunk::<64>()?;
        let hash = Digest::from_hex(prev).ok()?;
        Some(Head { seq: Seq::new(seq.checked_sub(1)?), hash })
    }

    pub fn head(&self) -> Head {
        self.head
    }

    /// The line, without its line feed.
    pub fn line(&self) -> &'a [u8] {
        self.line
    }

    pub fn record(&self) -> Result<Record, JournalError> {
        self.parse()
    }

    /// When it was written.
    pub fn at(&self) -> Result<Timestamp, JournalError> {
        #[derive(Deserialize)]
        struct Dated {
            at: Timestamp,
        }
        self.parse().map(|Dated { at }| at)
    }

    /// What became true, as the machine's events; none if the journal itself wrote it.
    pub fn events<E: DeserializeOwned>(&self) -> Result<Vec<E>, JournalError> {
        self.parse_events().or_else(|source| {
            if self.notes().is_empty() { Err(self.unknown(source)) } else { Ok(Vec::new()) }
        })
    }

    pub fn notes(&self) -> Vec<Note> {
        // Almost every record is a machine's; this spares parsing it.
        if NOTES.find(self.body).is_none() {
            return Vec::new();
        }
        let noted: Vec<Noted> = self.parse_events().unwrap_or_default();
        noted.into_iter().map(|noted| noted.journal).collect()
    }

    /// Whether nothing follows on this record.
    pub fn is_end(&self) -> bool {
        self.body.ends_with(ENDED)
    }

    pub fn blobs(&self) -> Result<Vec<BlobRef>, JournalError> {
        // Strings escape their quotes, so the first hit is the member itself.
        let opens = BLOBS.find(self.line);
        if opens.is_some_and(|at| self.line.get(at + BLOBS_OPENS.len()) == Some(&b']')) {
            return Ok(Vec::new());
        }
        self.parse::<Evidence>().map(|evidence| evidence.blobs)
    }

    /// Parses the events and nothing else of the line.
    ///
    /// They are the last member before the hash. Members of the same name may lie before
    /// and inside them, but what stands between one of those and the end is not balanced,
    /// so it is no JSON.
    fn parse_events<E: DeserializeOwned>(&self) -> Result<Vec<E>, serde_json::Error> {
        let mut failed = None;
        for at in EVENTS.find_iter(self.body) {
            match serde_json::from_slice(&self.body[at + EVENTS_OPENS.len() - 1..]) {
                Ok(events) => return Ok(events),
                Err(error) => failed = Some(error),
            }
        }
        Err(failed.unwrap_or_else(|| serde::de::Error::custom("the record has no events")))
    }

    fn parse<T: DeserializeOwned>(&self) -> Result<T, JournalError> {
        serde_json::from_slice(self.line).map_err(|source| self.unknown(source))
    }

    fn unknown(&self, source: serde_json::Error) -> JournalError {
        JournalError::UnknownEvents { stream: self.stream.clone(), seq: self.head.seq, source }
    }
}

/// How the next line must end. Kept between lines so that its buffer is reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tail(Vec<u8>);

impl Tail {
    fn after(stream: &StreamId, head: &Head) -> Self {
        let mut tail = Self::default();
        tail.set_after(stream, head);
        tail
    }

    fn set_after(&mut self, stream: &StreamId, head: &Head) {
        self.0.clear();
        self.0.extend(PREV_OPENS);
        self.0.extend(head.hash.hex());
        self.0.extend(SEQ_OPENS);
        push_decimal(&mut self.0, head.seq.next().get());
        self.0.extend(STREAM_OPENS);
        self.0.extend(stream.as_str().as_bytes());
        self.0.extend(b"\"}");
    }

    fn hash(&self, body: &[u8]) -> Digest {
        let mut hasher = Hasher::default();
        hasher.update(body);
        hasher.update(&self.0);
        hasher.finish()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Noted {
    journal: Note,
}

#[derive(Deserialize)]
struct Evidence {
    blobs: Vec<BlobRef>,
}

fn split_hash(body: &[u8]) -> Option<(&[u8], &[u8; 64])> {
    let body = body.strip_suffix(b"\"")?;
    let (body, hash) = body.split_last_chunk::<64>()?;
    Some((body.strip_suffix(HASH_OPENS)?, hash))
}

fn push_decimal(out: &mut Vec<u8>, mut number: u64) {
    let from = out.len();
    loop {
        out.push(b'0' + (number % 10) as u8);
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out[from..].reverse();
}

static EVENTS: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(EVENTS_OPENS));
static NOTES: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(b",\"events\":[{\"journal\":"));
static BLOBS: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(BLOBS_OPENS));

const HASH_OPENS: &[u8] = b",\"hash\":\"";
const SEQ_OPENS: &[u8] = b"\",\"seq\":";
const STREAM_OPENS: &[u8] = b",\"stream\":\"";
const PREV_OPENS: &[u8] = b",\"prev\":\"";
const BLOBS_OPENS: &[u8] = b",\"blobs\":[";
const EVENTS_OPENS: &[u8] = b",\"events\":[";
const NOTE_OPENS: &[u8] = b"{\"journal\":";
const ENDED: &[u8] = b",\"events\":[{\"journal\":\"ended\"}]";
const HASH_MEMBER_BYTES: usize = HASH_OPENS.len() + 64 + 1;

/// Room for nearly every line.
const LINE_BYTES_USUAL: usize = 4 * 1024;
/// The longest line. Bodies belong into the blob store.
pub(crate) const RECORD_BYTES_MAX: usize = 1024 * 1024;

#[cfg(test)]
mod tests {
    use sealwright_kernel::canonical_json;
    use serde_json::json;

    use super::*;

    fn stream() -> StreamId {
        "INV-000001".parse().unwrap()
    }

    /// The events of [`draft`].
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Event {
        Requested(Value),
    }

    fn draft() -> Draft {
        Draft {
            at: Timestamp::from_millis(1_700_000_000_000),
            actor: Actor::Human("ada \",\"blobs\":[],\"".to_owned()),
            cause: json!({"z": 1, "a": "é\n"}),
            events: vec![json!({"requested": {}})],
            blobs: vec![BlobRef { sha256: Digest::of(b"evidence"), size: 8 }],
        }
    }

    /// The line is the canonical JSON of the record, and its hash that of the record
    /// without the hash: checked with an independent canonicaliser of whole values.
    #[test]
    fn a_line_is_the_canonical_json_of_its_record() {
        let (line, head) = draft().seal(&stream(), &Head::START).unwrap();
        let line = line.strip_suffix(b"\n").unwrap();
        let mut value: Value = serde_json::from_slice(line).unwrap();
        assert_eq!(canonical_json(&value).unwrap(), line);
        let hash = value.as_object_mut().unwrap().remove("hash").unwrap();
        assert_eq!(json!(Digest::of(&canonical_json(&value).unwrap())), hash);
        assert_eq!(json!(head.hash), hash);
        insta::assert_snapshot!(String::from_utf8_lossy(line));
    }

    #[test]
    fn a_checked_line_gives_its_record_back() {
        let (line, head) = draft().seal(&stream(), &Head::START).unwrap();
        let line = line.strip_suffix(b"\n").unwrap();
        let name = stream();
        let entry = Entry::check(&name, &Head::START, line).unwrap();
        assert_eq!(entry.head(), head);
        let record = entry.record().unwrap();
        assert_eq!((record.actor, record.cause), (draft().actor, draft().cause));
        assert_eq!(entry.blobs().unwrap(), draft().blobs);
        assert_eq!(entry.events::<Value>().unwrap(), draft().events);
        assert_eq!(Entry::follows_on(&name, line), Some(Head::START));
    }

    #[test]
    fn every_changed_bit_is_noticed() {
        let (line, _) = draft().seal(&stream(), &Head::START).unwrap();
        let line = line.strip_suffix(b"\n").unwrap();
        for at in 0..line.len() * 8 {
            let mut bent = line.to_vec();
            bent[at / 8] ^= 1 << (at % 8);
            let name = stream();
            let checked = Entry::check(&name, &Head::START, &bent);
            assert!(checked.is_err(), "bit {at} changed and nobody saw it");
        }
    }

    #[test]
    fn a_record_past_the_bound_is_refused_and_one_at_it_is_not() {
        let sized = |bytes: usize| {
            let text = Value::String("x".repeat(bytes));
            Draft { cause: text, ..draft() }.seal(&stream(), &Head::START)
        };
        let spare = RECORD_BYTES_MAX - (sized(0).unwrap().0.len() - 1);
        assert_eq!(sized(spare).unwrap().0.len() - 1, RECORD_BYTES_MAX);
        assert!(matches!(sized(spare + 1), Err(JournalError::TooLarge { .. })));
    }

    #[test]
    fn events_that_speak_of_events_are_read_whole() {
        let events = vec![json!({"a": {"b": 1, "events": [{"journal": "ended"}]}}), json!("x")];
        let cause = json!({"also": 1, "events": [1, 2]});
        let draft = Draft { events: events.clone(), cause, ..draft() };
        let (line, _) = draft.seal(&stream(), &Head::START).unwrap();
        let name = stream();
        let line = line.strip_suffix(b"\n").unwrap();
        let entry = Entry::check(&name, &Head::START, line).unwrap();
        assert_eq!(entry.events::<Value>().unwrap(), events);
        assert_eq!((entry.notes(), entry.is_end()), (vec![], false));
    }

    #[test]
    fn a_machine_cannot_speak_as_the_journal() {
        let events = vec![json!({"happened": 1}), json!({"journal": "ended"})];
        let refused = Draft { events, ..draft() }.seal(&stream(), &Head::START);
        assert!(matches!(refused, Err(JournalError::Reserved)));
    }

    #[test]
    fn the_journals_own_notes_are_no_events_of_a_machine() {
        let note = Note::TornTail { bytes: 7, sha256: Digest::of(b"torn") };
        let (line, _) =
            Draft::note(Timestamp::default(), &note).seal(&stream(), &Head::START).unwrap();
        let name = stream();
        let line = line.strip_suffix(b"\n").unwrap();
        let entry = Entry::check(&name, &Head::START, line).unwrap();
        assert_eq!(entry.notes(), [note]);
        let events = entry.events::<Event>().unwrap();
        assert_eq!(events, []);
    }
}
