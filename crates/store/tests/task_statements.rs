//! Which statements a task gives, and that they are the same every time.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

use sealwright_kernel::owner::Header;
use sealwright_kernel::task::{Event, Task};
use sealwright_kernel::{Actor, Digest, Lane, Machine as _, Seq, Timestamp, scripted};
use sealwright_store::Record;
use sealwright_store::attest::task_statements::Attesting;
use serde_json::Value;

/// A task that is led honestly to its end, and the statements its records give.
fn led(lane: Lane) -> Attesting {
    let mut task = Task::default();
    let mut attesting = Attesting::default();
    let charter = scripted::charter("T-limits-0a1b2c", lane, Header::default());
    let mut input = Some(scripted::create(charter));
    let mut seq = 0;
    while let Some(told) = input {
        let events = task.decide(&told).unwrap();
        events.iter().for_each(|event| task.evolve(event));
        seq += 1;
        attesting.tell(&record(seq, &events), &events);
        input = task.owed().first().and_then(scripted::honest);
    }
    assert!(task.is_over());
    attesting
}

/// A record as far as statements look at it.
fn record(seq: u64, events: &[Event]) -> Record {
    Record {
        stream: "T-limits-0a1b2c".parse().unwrap(),
        seq: Seq::new(seq),
        at: Timestamp::from_millis(1_700_000_000_000 + seq),
        actor: Actor::Environment,
        cause: Value::Null,
        events: events.iter().map(|event| serde_json::to_value(event).unwrap()).collect(),
        blobs: vec![],
        prev: Digest::ZERO,
        hash: Digest::of(&seq.to_be_bytes()),
    }
}

#[test]
fn every_verdict_every_freeze_and_the_gate_give_a_statement() {
    for lane in [Lane::Quick, Lane::Factory, Lane::Strict] {
        let led = led(lane);
        let names: Vec<&str> = led.made().iter().map(|made| made.name.as_str()).collect();
        let evidence = &led.task().data().unwrap().evidence;
        let verdicts: Vec<String> = evidence.iter().map(|record| record.id.to_string()).collect();
        let freezes = names.iter().filter(|name| name.starts_with("freeze-")).count();
        let gates = names.iter().filter(|name| name.starts_with("gate-")).count();
        assert!(verdicts.iter().all(|id| names.contains(&id.as_str())), "{lane:?}: {names:?}");
        assert_eq!((freezes, gates), (1, 1), "{lane:?}: {names:?}");
        assert_eq!(names.len(), verdicts.len() + 2, "{lane:?}: {names:?}");
        assert!(led.made().is_sorted_by_key(|made| made.seq));
    }
}

/// These bytes are signed. Whoever changes them makes every signature of a released version void.
#[test]
fn statements_never_change_their_bytes() {
    let led = led(Lane::Quick);
    let told: Vec<String> = led
        .made()
        .iter()
        .filter(|made| !made.name.starts_with("EV-") || made.name == "EV-000001")
        .map(|made| {
            format!(
                "{}\n{}",
                made.name,
                String::from_utf8(made.statement.to_bytes().unwrap()).unwrap()
            )
        })
        .collect();
    insta::assert_snapshot!(told.join("\n\n"));
}
