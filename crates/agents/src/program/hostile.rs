//! Hostile streams: whatever an agent says, it is heard without a panic, within bounds, and comes to an end with a
//! reason. Streams are what real agents said, spoiled, and noise.
//!
//! `SEALWRIGHT_FUZZ_CASES` says how many there are for each agent.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use sealwright_sandbox::Cancel;
use serde_json::Value;

use super::watch::{Ear, Guard};
use super::{Mouth, Ways};
use crate::adapters::{DRIVERS, recorded};
use crate::{End, Event, Prices, conclude};

#[test]
fn whatever_an_agent_says_is_survived() {
    for driver in DRIVERS {
        // An agent that was never recorded is spoken to in the words of another.
        let own = recorded::ALL.iter().find(|(key, _)| *key == driver.key());
        let (_, stream) = own.unwrap_or(&recorded::ALL[4]);
        let lines: Vec<String> = stream.lines().map(str::to_owned).collect();
        let mut runner = TestRunner::new(Config { cases: cases(), ..Config::default() });
        let streams = (vec(line(lines), 0..20), 1_usize..5000, ".{0,20}");
        let tried = runner.run(&streams, |(lines, piece, complaints)| {
            let end = survive(driver.key(), &lines.concat(), piece, &complaints);
            prop_assert!(!matches!(end, End::Answered { .. } | End::Cancelled), "{end:?}");
            if let End::Failed { why, .. } = end {
                prop_assert!(!why.is_empty(), "it failed without a reason");
            }
            Ok(())
        });
        assert!(tried.is_ok(), "{}: {tried:?}", driver.key());
    }
}

#[test]
fn noise_is_a_failure_with_a_reason() {
    for driver in DRIVERS {
        let mut runner = TestRunner::new(Config { cases: cases(), ..Config::default() });
        let tried = runner.run(&vec(any::<u8>(), 0..4000), |noise| {
            let end = survive(driver.key(), &noise, 512, "");
            let is_reasoned = matches!(&end, End::Failed { why, .. } if !why.is_empty());
            prop_assert!(is_reasoned, "{end:?}");
            Ok(())
        });
        assert!(tried.is_ok(), "{}: {tried:?}", driver.key());
    }
}

/// An agent that asks and asks, and reads nothing.
#[test]
fn an_agent_that_does_not_read_its_answers_is_sent_home() {
    let question = r#"{"id":1,"method":"session/request_permission","params":{}}"#;
    let stream = format!("{question}\n").repeat(5000);
    let End::Failed { why, .. } = survive("opencode", stream.as_bytes(), 4096, "") else {
        panic!("it failed")
    };
    assert_eq!(why, "it asks for more than it reads the answers to");
}

/// The end of a run in which the agent said this, in pieces of this size.
fn survive(key: &str, stream: &[u8], piece: usize, complaints: &str) -> End {
    let assignment = recorded::assignment();
    let talk = recorded::driver(key).talk(&assignment, &Ways::inside("/work"));
    let (cancel, prices) = (Cancel::new().unwrap(), Prices::built_in());
    let guard = Guard::new(assignment.budget, &cancel);
    // Nobody reads from the pipe.
    let (pipe, mouth) = Mouth::open().unwrap();
    let mut hear = |event: Event| {
        let text = serde_json::to_string(&event).unwrap();
        assert!(text.len() <= EVENT_BYTES_MAX, "an event of {} bytes", text.len());
    };
    let mut ear = Ear::new(&guard, &assignment, &prices, talk, mouth, &mut hear);
    for piece in stream.chunks(piece) {
        ear.take(piece);
    }
    let said = ear.said(complaints);
    drop((ear, pipe));
    conclude(guard.end().cut, None, said)
}

/// A line of a recording, left alone or spoiled in one way, or something else altogether.
fn line(lines: Vec<String>) -> impl Strategy<Value = Vec<u8>> {
    let one = prop::sample::select(lines);
    prop_oneof![
        4 => one.clone().prop_map(|line| line.into_bytes()),
        2 => (one.clone(), any::<prop::sample::Index>(), any::<u8>()).prop_map(|(line, at, byte)| {
            let mut line = line.into_bytes();
            let at = at.index(line.len());
            line[at] = byte;
            line
        }),
        1 => (one.clone(), any::<prop::sample::Index>()).prop_map(|(line, at)| {
            let mut line = line.into_bytes();
            line.truncate(at.index(line.len()));
            line
        }),
        4 => (one, any::<prop::sample::Index>(), json()).prop_map(|(line, at, other)| {
            let mut value: Value = serde_json::from_str(&line).unwrap();
            let count = places(&mut value).len();
            if let Some(place) = places(&mut value).into_iter().nth(at.index(count.max(1))) {
                *place = other;
            }
            value.to_string().into_bytes()
        }),
        1 => json().prop_map(|value| value.to_string().into_bytes()),
        1 => (any::<i8>(), json()).prop_map(|(id, result)| {
            serde_json::json!({"id": id, "result": result}).to_string().into_bytes()
        }),
        1 => vec(any::<u8>(), 0..200),
        // Deeper than anything has to be.
        1 => (1_usize..5000).prop_map(|depth| "[".repeat(depth).into_bytes()),
    ]
    .prop_map(|mut line| {
        line.push(b'\n');
        line
    })
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,30}".prop_map(Value::from),
        // Longer than anything that is kept.
        (1_usize..20_000).prop_map(|length| Value::from("é".repeat(length))),
    ];
    leaf.prop_recursive(3, 20, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::hash_map("[a-z_]{1,12}", inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Every place in a value that something else can be put into.
fn places(value: &mut Value) -> Vec<&mut Value> {
    match value {
        Value::Array(list) => list.iter_mut().flat_map(places).collect(),
        Value::Object(map) => map.values_mut().flat_map(places).collect(),
        leaf => vec![leaf],
    }
}

fn cases() -> u32 {
    let asked = std::env::var("SEALWRIGHT_FUZZ_CASES").ok();
    asked.and_then(|cases| cases.parse().ok()).unwrap_or(200)
}

/// The largest event: texts of a few thousand characters, some of which take six bytes when they are written down.
const EVENT_BYTES_MAX: usize = 64 << 10;
