//! A person is told what to do, corrected, and waited for no longer than there is time.

use std::fs;
use std::time::Duration;

use sealwright_agents::adapters::human::Human;
use sealwright_agents::{End, Event, Limit};
use sealwright_sandbox::Mechanism;
use serde_json::json;

use crate::world::{World, assignment};

#[test]
fn a_person_is_told_corrected_and_heard() {
    let world = World::new();
    let folder = world.path("inbox");
    fs::create_dir(&folder).unwrap();
    // What is left of another assignment does not answer this one.
    fs::write(folder.join("result.json"), r#"{"done":false}"#).unwrap();
    let human = Human::new("ada", &folder);
    let mut events = Vec::new();
    let outcome = world.carry_out(&human, &assignment(60_000), Mechanism::Nothing, &mut |event| {
        // The person answers whenever something is said to them.
        let text = match &event {
            Event::Text { .. } => {
                assert_eq!(fs::read_to_string(folder.join("brief.md")).unwrap(), "Build it.");
                assert!(fs::read_to_string(folder.join("schema.json")).unwrap().contains("done"));
                assert!(!folder.join("result.json").exists());
                r#"{"done":"#
            }
            Event::Warning { text } if text.contains("not one JSON value") => {
                let problems = fs::read_to_string(folder.join("problems.txt")).unwrap();
                assert_eq!(problems, format!("{text}\n"));
                r#"{"done":"yes"}"#
            }
            Event::Warning { .. } => r#"{"done":true}"#,
            event => panic!("{event:?}"),
        };
        fs::write(folder.join("result.json"), text).unwrap();
        events.push(event);
    });
    assert_eq!(outcome.end, End::Answered { answer: json!({"done": true}) });
    assert!(!folder.join("problems.txt").exists());
    let [Event::Text { text }, Event::Warning { .. }, Event::Warning { .. }] = events.as_slice()
    else {
        panic!("{events:?}")
    };
    assert!(text.contains(&format!("{}/result.json", folder.display())), "{text}");
    assert!(text.contains(&world.path("work").display().to_string()), "{text}");
}

#[test]
fn a_person_is_not_waited_for_longer_than_there_is_time() {
    let world = World::new();
    let human = Human::new("ada", &world.path("inbox"));
    let outcome = world.carry_out(&human, &assignment(300), Mechanism::Nothing, &mut |_| {});
    assert_eq!(outcome.end, End::OutOfBudget { limit: Limit::Minutes });
    assert!((300..5_000).contains(&outcome.spent.wall_ms), "{:?}", outcome.spent);
}

#[test]
fn a_person_can_be_called_off() {
    let world = World::new();
    let human = Human::new("ada", &world.path("inbox"));
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::park_timeout(Duration::from_millis(100));
            world.cancel.cancel();
        });
        world.carry_out(&human, &assignment(60_000), Mechanism::Nothing, &mut |_| {})
    });
    assert_eq!(outcome.end, End::Cancelled);
}
