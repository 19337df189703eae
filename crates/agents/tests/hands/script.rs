//! A script does what it says, inside walls, and its answer is checked like everybody's.

use std::fs;
use std::time::Duration;

use sealwright_agents::adapters::script::Script;
use sealwright_agents::{CallOutcome, Deed, End, Event, Failure, Limit};
use serde_json::json;

use crate::world::{World, assignment};

#[test]
fn a_script_writes_runs_and_answers() {
    let world = World::new();
    let mut events = Vec::new();
    let outcome = play(
        &world,
        r#"
        [[step]]
        do = "write"
        path = "deep/er/it's"
        text = "one $TWO\n"
        [[step]]
        do = "run"
        command = "cat deep/er/*; cp deep/er/* copy"
        [[step]]
        do = "submit"
        answer = { done = true }
        "#,
        &mut |event| events.push(event),
    );
    assert_eq!(outcome.end, End::Answered { answer: json!({"done": true}) });
    assert_eq!(fs::read_to_string(world.path("work/copy")).unwrap(), "one $TWO\n");
    assert!(outcome.confinement.is_some());
    let command = "cat deep/er/*; cp deep/er/* copy".to_owned();
    let expected = [
        Event::FileChange { path: "deep/er/it's".to_owned() },
        Event::ToolUse { tool: "sh".to_owned(), deed: Deed::Command, detail: command },
        Event::Text { text: "one $TWO\n".to_owned() },
    ];
    assert_eq!(events, expected);
}

#[test]
fn a_script_ends_as_it_says_or_as_it_must() {
    let world = World::new();
    let submit = "[[step]]\ndo = \"submit\"\nanswer = { done = true }\n";
    let run = |command: &str| {
        format!(
            "[[step]]\ndo = \"run\"\ncommand = \"{command}\"\n[[step]]\ndo = \"write\"\npath = \"after\"\ntext = \"\"\n{submit}"
        )
    };
    let gave_up = play(&world, &run("echo oh no >&2; exit 3"), &mut |_| {});
    assert_eq!(gave_up.end, End::GaveUp { why: "the script ended with 3: oh no".to_owned() });
    assert!(!world.path("work/after").exists());
    let wrong = play(&world, "[[step]]\ndo = \"submit\"\nanswer = { done = 1 }\n", &mut |_| {});
    assert!(matches!(wrong.end, End::Failed { failure: Failure::WrongShape, .. }), "{wrong:?}");
    let failed = play(
        &world,
        "[[step]]\ndo = \"fail\"\nfailure = \"refused\"\nwhy = \"I had rather not\"\n",
        &mut |_| {},
    );
    let why = "I had rather not".to_owned();
    assert_eq!(failed.end, End::Failed { failure: Failure::Refused, why });
    let script = Script::parse("script", &run("sleep 600")).unwrap();
    let slow = world.carry_out(&script, &assignment(500), world.mechanism(), &mut |_| {});
    assert_eq!(slow.end, End::OutOfBudget { limit: Limit::Minutes });
    let called_off = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::park_timeout(Duration::from_millis(300));
            world.cancel.cancel();
        });
        play(&world, &run("sleep 600"), &mut |_| {})
    });
    assert_eq!(called_off.end, End::Cancelled);
}

fn play(world: &World, script: &str, hear: &mut dyn FnMut(Event)) -> CallOutcome {
    let script = Script::parse("script", script).unwrap();
    world.carry_out(&script, &assignment(60_000), world.mechanism(), hear)
}
