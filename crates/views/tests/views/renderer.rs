//! The bytes of views may change only with the number of the renderer.

use std::collections::BTreeSet;

use sealwright_kernel::owner::{Autonomy, Header, Risk};
use sealwright_kernel::task::{
    Budget, Effect, Event, Input, Notice, PersonInput, Report, ResidueKind, Status, Task, Want,
};
use sealwright_kernel::task::{Phase, slice};
use sealwright_kernel::{Cost, Digest, Hasher, Machine as _, scripted};
use sealwright_views::{RENDERER, View};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::scenario::{Scenario, done, failing, halted, honest, learned};
use crate::{hostile, revived};

#[test]
fn the_bytes_of_a_view_change_only_with_the_renderers_number() {
    let numbers: Vec<u32> = RENDERED.iter().map(|(renderer, _)| *renderer).collect();
    assert_eq!(numbers, (1..=RENDERER).collect::<Vec<_>>(), "{TO_DO}");
    let mut rendered = Hasher::default();
    let mut render = |step: &Scenario| {
        for View { name, content } in step.views() {
            rendered.update(name.as_bytes());
            rendered.update(content.as_bytes());
        }
    };
    scenarios().iter().for_each(|scenario| scenario.each_step(&mut render));
    (0..WALKS).for_each(|nth| render(&random_walk(nth)));
    let (_, expected) = RENDERED.last().unwrap();
    assert_eq!(rendered.finish().to_string(), *expected, "{TO_DO}");
}

/// Otherwise the text of an event could change unnoticed.
#[test]
fn every_event_is_in_one_of_the_scenarios() {
    let (mut seen, mut seen_of_slices) = (BTreeSet::new(), BTreeSet::new());
    for scenario in scenarios().into_iter().chain((0..WALKS).map(random_walk)) {
        for event in scenario.records.iter().flat_map(|record| &record.events) {
            seen.insert(kind(event));
            seen_of_slices.extend(event.get("slice").map(|slice| kind(&slice["event"])));
        }
    }
    // Only a task of a project has these events.
    seen.extend(["based", "told"].map(str::to_owned));
    assert_eq!(seen, kinds::<Event>());
    assert_eq!(seen_of_slices, kinds::<slice::Event>());
}

fn scenarios() -> Vec<Scenario> {
    let manual = Header { autonomy: Autonomy::Manual, risk: Risk::Normal };
    let is_halted = |task: &Task| task.status() == Status::Halted;
    let owned = Scenario::under("", manual).until(|task| task.status() == Status::Shipped, honest);
    let by_hostile_people = Scenario::with_suffix(hostile::SUFFIX).until(is_halted, failing);
    vec![
        done(),
        owned,
        halted(),
        revived(),
        edited(),
        paid(),
        learned(&[(ResidueKind::Concurrency, "two callers at once")])
            .until(|task| task.status() == Status::Parked, honest),
        kept(),
        by_hostile_people,
    ]
}

/// A task that gets pseudo-random answers, the same for the same `nth`.
fn random_walk(nth: usize) -> Scenario {
    let autonomy = if nth.is_multiple_of(2) { Autonomy::Auto } else { Autonomy::Manual };
    let mut scenario = Scenario::under("", Header { autonomy, risk: Risk::Normal });
    for step in 0..STEPS_MAX {
        let [first, second, third, ..] = Digest::of(format!("{nth}/{step}").as_bytes()).hex();
        let owed = scenario.task.owed();
        let Some(effect) = owed.get(usize::from(first) % owed.len().max(1)) else { break };
        let mut answers = scripted::answers(effect);
        answers.retain(|answer| scenario.task.decide(answer).is_ok());
        // Mostly the honest answer, or no task would get far.
        let is_honest = !second.is_multiple_of(3);
        let pick = if is_honest { 0 } else { usize::from(third) % answers.len() };
        scenario.hear(answers.swap_remove(pick));
    }
    scenario
}

/// A task in which a person edited every kind of file.
fn edited() -> Scenario {
    let mut scenario = halted();
    let (found, kept) = (Digest::of(b"found"), Digest::of(b"kept"));
    let notices = [
        Notice::SnapshotTampered { snapshot: "iter-0001.md".to_owned(), kept },
        Notice::TextDrifted { found },
        Notice::TextRestored,
    ];
    notices.into_iter().for_each(|notice| scenario.hear(Input::Notice { notice }));
    let charter = scenario.task.data().expect("a created task").charter.clone();
    let (title, criteria) = ("limits per group".to_owned(), charter.criteria);
    let (lane, header) = (charter.lane, charter.header);
    for says in [
        PersonInput::Acknowledge { what: "iter-0001.md".to_owned() },
        PersonInput::Adopt { text: found, title, criteria, lane, header },
    ] {
        scenario.hear(Input::Person { by: scripted::ada(), says });
    }
    scenario
}

/// A task that reaches its budget and gets a larger one.
fn paid() -> Scenario {
    let budget = |micro_dollars| Budget {
        micro_dollars: Some(micro_dollars),
        millis: Some(3_600_000),
        ..Budget::default()
    };
    let raise =
        |budget| Input::Person { by: scripted::ada(), says: PersonInput::RaiseBudget { budget } };
    let mut scenario = Scenario::created();
    scenario.hear(raise(budget(2_500_000)));
    let mut scenario = scenario.until(|task| task.phase() == Some(Phase::Intake), honest);
    let effect = scenario.task.owed().remove(0);
    for (nth, micro_dollars) in [(1, 1_200_000), (2, 1_301_500)] {
        let cost = Cost { millis: 61_000, tokens: 12_500, micro_dollars };
        scenario.hear(scripted::spend(&effect, nth, cost));
    }
    assert_eq!(scenario.task.status(), Status::Parked);
    scenario.hear(raise(budget(9_000_000)));
    scenario.until(|task| task.status() == Status::Parked, honest)
}

/// A task that changes nothing observable.
fn kept() -> Scenario {
    let wants = |is: fn(&Want) -> bool| {
        move |task: &Task| {
            let is_it = |it: &Effect| matches!(it, Effect::Task { want, .. } if is(want));
            task.owed().iter().any(is_it)
        }
    };
    let mut scenario =
        Scenario::created().until(wants(|want| matches!(want, Want::Shape { .. })), honest);
    let mut input = scripted::answers(&scenario.task.owed().remove(0)).remove(0);
    if let Input::Report { report: Report::Shaped { bundle, .. }, .. } = &mut input {
        bundle.keeps_behaviour = true;
    }
    scenario.hear(input);
    let mut scenario = scenario.until(wants(|want| matches!(want, Want::RunRed { .. })), honest);
    let input = scripted::answers(&scenario.task.owed().remove(0)).remove(1);
    scenario.hear(input);
    scenario.until(|task| task.status() == Status::Shipped, honest)
}

/// The name of an event: a word, or the one member of an object.
fn kind(event: &Value) -> String {
    let member = event.as_object().and_then(|members| members.keys().next().cloned());
    member.unwrap_or_else(|| event.as_str().unwrap_or_default().to_owned())
}

/// The names of all events, as serde lists them when it refuses an unknown one.
fn kinds<E: DeserializeOwned>() -> BTreeSet<String> {
    let refused = serde_json::from_value::<E>(json!("unheard of")).err();
    let refused = refused.expect("an unknown name is refused").to_string();
    let (_, expected) = refused.split_once("expected ").expect("serde lists the names");
    expected.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

const WALKS: usize = 100;
const STEPS_MAX: usize = 120;

const TO_DO: &str = "the bytes of a view have changed. Raise `RENDERER` in \
    crates/views/src/lib.rs by one and add a line with the new digest to `RENDERED` in \
    crates/views/tests/views/renderer.rs; never change a released line. If only the scenarios of \
    this test have changed, and no view, put the new digest into the last line";

/// The digest of all views of these scenarios for each renderer, the current one last.
const RENDERED: &[(u32, &str)] = &[
    (1, "94b22f2dca775b6f5f67ac50a8f318459fe4e25478d3bbcb67974323610c5873"),
    (2, "07bd0894da33855c966120572e094dc8e15d1b33eded0777a55495451970f0ea"),
    (3, "ccc5fca07451ed082242d752a565c8869a7623e389547bacc986641ed06785b3"),
    (4, "4e7a2bf10e0bf2918bcc1ac5eb8af76d328fb4936e711d6bcd8daf24eb235d22"),
    (5, "7ca6a22d3bdc22448e313cb48b8d346ee3558c5bdc3d852efc9c878e3b2de677"),
    (6, "2ff3157065cfddf78001c6e1dd5023206887cc3e38be9a4f78bfeb626d2d44d2"),
    (7, "44184de2543ccdedc55ece7b1c053a752ca596efb215147563976952900f62dd"),
    (8, "e759b3f0d2dcbbeb79d1cf04b4443ca3c51cc3861cbee9a680eb781a3e0659be"),
    (9, "132d70ccb55c6c45a2fbecc89c0a22791ed1ba608beaff03136b6ba0cf51f339"),
];
