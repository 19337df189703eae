//! The tests that any [`Journal`] must pass.
//!
//! A backend calls [`all`] with a way to make an empty journal.

#![expect(clippy::unwrap_used, reason = "these are tests, kept where every backend finds them")]

use sealwright_kernel::{Actor, Digest, Seq, StreamId, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{Draft, Head, Journal, JournalError, Note, Record, Snapshot, Writer};

/// Holds a backend against the contract. `empty` makes a journal without streams.
///
/// # Panics
/// Panics where the backend breaks the contract.
pub async fn all<J: Journal>(empty: impl Fn() -> J) {
    a_stream_that_is_not_there_is_empty(empty()).await;
    records_come_back_in_order_and_chained(empty()).await;
    every_backend_seals_the_same_bytes(empty()).await;
    a_writer_goes_on_where_the_last_one_stopped(empty()).await;
    a_stream_has_one_writer_at_a_time(empty()).await;
    writers_of_other_streams_and_readers_go_on(empty()).await;
    nothing_follows_on_the_end(empty()).await;
    a_refused_record_changes_nothing(empty()).await;
    reading_begins_where_it_is_told(empty()).await;
    opening_shows_what_follows_and_nothing_of_another_chain(empty()).await;
    an_error_of_the_reader_ends_the_reading(empty()).await;
    notes_are_on_the_chain(empty()).await;
    a_machine_cannot_write_notes(empty()).await;
    a_snapshot_comes_back_and_the_latest_counts(empty()).await;
}

async fn a_stream_that_is_not_there_is_empty<J: Journal>(journal: J) {
    assert_eq!(read(&journal, "T-none", Head::START).await.unwrap(), []);
    assert_eq!(journal.streams().await.unwrap(), []);
    assert_eq!(journal.snapshot(&stream("T-none")).await.unwrap(), None);
    let writer = open(&journal, "T-none").await.unwrap();
    assert_eq!((writer.head(), writer.has_ended()), (Head::START, false));
}

async fn records_come_back_in_order_and_chained<J: Journal>(journal: J) {
    let mut writer = open(&journal, "T-1").await.unwrap();
    let mut heads = vec![Head::START];
    for number in 1..=20 {
        heads.push(writer.append(draft(number)).await.unwrap());
    }
    assert_eq!(writer.head(), heads[20]);
    let records = read(&journal, "T-1", Head::START).await.unwrap();
    for (nth, record) in records.iter().enumerate() {
        assert_eq!(record.seq, Seq::new(nth as u64 + 1));
        assert_eq!((record.prev, record.hash), (heads[nth].hash, heads[nth + 1].hash));
        let number = nth as u64 + 1;
        let Draft { at, actor, cause, events, blobs } = draft(number);
        assert_eq!((record.at, &record.actor, &record.cause), (at, &actor, &cause));
        assert_eq!((&record.events, &record.blobs), (&events, &blobs));
    }
    assert_eq!(records.len(), 20);
    assert_eq!(journal.streams().await.unwrap(), [stream("T-1")]);
}

async fn every_backend_seals_the_same_bytes<J: Journal>(journal: J) {
    let mut writer = open(&journal, "T-golden").await.unwrap();
    let head = writer.append(draft(1)).await.unwrap();
    assert_eq!(head.hash.to_string(), GOLDEN_HASH);
}

async fn a_writer_goes_on_where_the_last_one_stopped<J: Journal>(journal: J) {
    let mut writer = open(&journal, "T-1").await.unwrap();
    let first = writer.append(draft(1)).await.unwrap();
    drop(writer);
    let mut shown = Vec::new();
    let mut writer = journal
        .open(&stream("T-1"), Head::START, &mut |entry| {
            shown.push(entry.head());
            Ok(())
        })
        .await
        .unwrap();
    assert_eq!((writer.head(), shown), (first, vec![first]));
    let second = writer.append(draft(2)).await.unwrap();
    let records = read(&journal, "T-1", Head::START).await.unwrap();
    assert_eq!((records[1].prev, records[1].hash), (first.hash, second.hash));
}

async fn a_stream_has_one_writer_at_a_time<J: Journal>(journal: J) {
    let first = open(&journal, "T-1").await.unwrap();
    let refused = open(&journal, "T-1").await.unwrap_err();
    assert!(matches!(refused, JournalError::Held { .. }), "{refused:?}");
    assert!(refused.hint().is_some());
    // A clone is the same journal.
    let refused = open(&journal.clone(), "T-1").await.unwrap_err();
    assert!(matches!(refused, JournalError::Held { .. }), "{refused:?}");
    drop(first);
    open(&journal, "T-1").await.unwrap();
}

async fn writers_of_other_streams_and_readers_go_on<J: Journal>(journal: J) {
    // The later name first: streams are listed by name.
    let mut two = open(&journal, "T-2").await.unwrap();
    two.append(draft(0)).await.unwrap();
    let mut one = open(&journal, "T-1").await.unwrap();
    for number in 1..=5 {
        one.append(draft(number)).await.unwrap();
        two.append(draft(number)).await.unwrap();
        assert_eq!(read(&journal, "T-1", Head::START).await.unwrap().len() as u64, number);
    }
    assert_eq!(journal.streams().await.unwrap(), [stream("T-1"), stream("T-2")]);
}

async fn nothing_follows_on_the_end<J: Journal>(journal: J) {
    let mut writer = open(&journal, "T-1").await.unwrap();
    writer.append(draft(1)).await.unwrap();
    let anchor = writer.end(Timestamp::from_millis(9)).await.unwrap();
    assert_eq!((anchor.stream.clone(), anchor.head), (stream("T-1"), writer.head()));
    assert_eq!(writer.end(Timestamp::from_millis(10)).await.unwrap(), anchor);
    let refused = writer.append(draft(2)).await.unwrap_err();
    assert!(matches!(refused, JournalError::Ended { .. }), "{refused:?}");
    drop(writer);
    let mut writer = open(&journal, "T-1").await.unwrap();
    assert!(writer.has_ended());
    assert!(matches!(writer.append(draft(2)).await, Err(JournalError::Ended { .. })));
    assert_eq!(read(&journal, "T-1", Head::START).await.unwrap().len(), 2);
}

async fn a_refused_record_changes_nothing<J: Journal>(journal: J) {
    let mut writer = open(&journal, "T-1").await.unwrap();
    let head = writer.append(draft(1)).await.unwrap();
    let long = Draft { cause: Value::String("x".repeat(2 << 20)), ..draft(2) };
    assert!(matches!(writer.append(long).await, Err(JournalError::TooLarge { .. })));
    let inexact = Draft { cause: json!(u64::MAX), ..draft(2) };
    assert!(matches!(writer.append(inexact).await, Err(JournalError::NotCanonical(_))));
    assert_eq!(writer.head(), head);
    writer.append(draft(2)).await.unwrap();
    assert_eq!(read(&journal, "T-1", Head::START).await.unwrap().len(), 2);
}

async fn reading_begins_where_it_is_told<J: Journal>(journal: J) {
    let mut writer = open(&journal, "T-1").await.unwrap();
    let mut heads = vec![Head::START];
    for number in 1..=50 {
        heads.push(writer.append(draft(number)).await.unwrap());
    }
    for (nth, since) in heads.iter().enumerate() {
        let records = read(&journal, "T-1", *since).await.unwrap();
        assert_eq!(records.len(), 50 - nth);
        assert!(records.first().is_none_or(|record| record.prev == since.hash));
    }
    let elsewhere = Head { seq: Seq::new(25), hash: Digest::of(b"elsewhere") };
    let beyond = Head { seq: Seq::new(51), hash: Digest::of(b"beyond") };
    for since in [elsewhere, beyond] {
        let refused = read(&journal, "T-1", since).await.unwrap_err();
        assert!(matches!(refused, JournalError::NotOnChain { .. }), "{refused:?}");
    }
}

async fn opening_shows_what_follows_and_nothing_of_another_chain<J: Journal>(journal: J) {
    let mut writer = open(&journal, "T-1").await.unwrap();
    let mut heads = Vec::new();
    for number in 1..=30 {
        heads.push(writer.append(draft(number)).await.unwrap());
    }
    drop(writer);
    for nth in [0, 13, 29] {
        let mut shown = Vec::new();
        let writer = journal
            .open(&stream("T-1"), heads[nth], &mut |entry| {
                shown.push(entry.head());
                Ok(())
            })
            .await
            .unwrap();
        assert_eq!((shown.as_slice(), writer.head()), (&heads[nth + 1..], heads[29]));
        drop(writer);
        let foreign = Head { hash: Digest::of(b"foreign"), ..heads[nth] };
        let mut shown = 0;
        let mut each = |_: &crate::Entry<'_>| {
            shown += 1;
            Ok(())
        };
        let refused = journal.open(&stream("T-1"), foreign, &mut each).await.unwrap_err();
        assert!(matches!(refused, JournalError::NotOnChain { .. }), "{refused:?}");
        let refused = journal.read(&stream("T-1"), foreign, &mut each).await.unwrap_err();
        assert!(matches!(refused, JournalError::NotOnChain { .. }), "{refused:?}");
        assert_eq!(shown, 0, "records of another chain were shown");
    }
    open(&journal, "T-1").await.unwrap();
}

async fn an_error_of_the_reader_ends_the_reading<J: Journal>(journal: J) {
    let mut writer = open(&journal, "T-1").await.unwrap();
    for number in 1..=5 {
        writer.append(draft(number)).await.unwrap();
    }
    drop(writer);
    let mut shown = 0;
    let mut each = |entry: &crate::Entry<'_>| {
        shown += 1;
        match entry.head().seq.get() {
            3 => Err(JournalError::Reserved),
            _ => Ok(()),
        }
    };
    let refused = journal.read(&stream("T-1"), Head::START, &mut each).await;
    assert!(matches!(refused, Err(JournalError::Reserved)), "{refused:?}");
    let refused = journal.open(&stream("T-1"), Head::START, &mut each).await;
    assert!(matches!(refused, Err(JournalError::Reserved)), "{refused:?}");
    assert_eq!(shown, 6);
}

async fn a_machine_cannot_write_notes<J: Journal>(journal: J) {
    let mut writer = open(&journal, "T-1").await.unwrap();
    let forged = Draft { events: vec![json!({"journal": "ended"})], ..draft(1) };
    assert!(matches!(writer.append(forged).await, Err(JournalError::Reserved)));
    assert!(!writer.has_ended());
    writer.append(draft(1)).await.unwrap();
}

async fn notes_are_on_the_chain<J: Journal>(journal: J) {
    let mut task = open(&journal, "T-1").await.unwrap();
    let anchor = task.end(Timestamp::from_millis(1)).await.unwrap();
    let mut project = open(&journal, "project").await.unwrap();
    project.note(Timestamp::from_millis(2), Note::Anchored(anchor.clone())).await.unwrap();
    let mut notes = Vec::new();
    let mut events: Vec<Event> = Vec::new();
    let head = journal
        .read(&stream("project"), Head::START, &mut |entry| {
            notes.extend(entry.notes());
            events.extend(entry.events::<Event>()?);
            Ok(())
        })
        .await
        .unwrap();
    assert_eq!(head, project.head());
    assert_eq!((notes, events), (vec![Note::Anchored(anchor)], vec![]));
}

async fn a_snapshot_comes_back_and_the_latest_counts<J: Journal>(journal: J) {
    let mut writer = open(&journal, "T-1").await.unwrap();
    for number in 1..=3 {
        let head = writer.append(draft(number)).await.unwrap();
        let state = json!({"number": number});
        let snapshot = Snapshot { stream: stream("T-1"), head, state };
        journal.keep_snapshot(&snapshot).await.unwrap();
        assert_eq!(journal.snapshot(&stream("T-1")).await.unwrap(), Some(snapshot));
    }
    assert_eq!(journal.snapshot(&stream("T-2")).await.unwrap(), None);
}

fn stream(name: &str) -> StreamId {
    name.parse().expect("a stream's name")
}

/// The events of [`draft`].
#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Event {
    Happened(Value),
}

fn draft(number: u64) -> Draft {
    Draft {
        at: Timestamp::from_millis(1_700_000_000_000 + number),
        actor: Actor::Machine,
        cause: json!({"asked": number}),
        events: vec![json!({"happened": {"number": number, "text": "é\n\"quoted\""}})],
        blobs: vec![crate::BlobRef { sha256: Digest::of(&number.to_be_bytes()), size: 8 }],
    }
}

async fn open<J: Journal>(journal: &J, name: &str) -> Result<J::Writer, JournalError> {
    journal.open(&stream(name), Head::START, &mut |_| Ok(())).await
}

async fn read<J: Journal>(
    journal: &J,
    name: &str,
    since: Head,
) -> Result<Vec<Record>, JournalError> {
    let mut records = Vec::new();
    journal
        .read(&stream(name), since, &mut |entry| {
            records.push(entry.record()?);
            Ok(())
        })
        .await?;
    Ok(records)
}

/// The hash of the first golden record: it may never change.
const GOLDEN_HASH: &str = "7b236809293074b599dff90a0ea45cd76cc347e8866f4d2461943242648f2f4b";
