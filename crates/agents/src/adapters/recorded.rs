//! What real agents said in a run of a few steps, word for word, and what becomes of it here.
//!
//! Each was recorded from the release that `.ci/agents` installs, against a scripted model.

use std::path::PathBuf;

use sealwright_kernel::{Access, Role};
use serde_json::{Value, json};

use super::{DRIVERS, NO_KEY};
use crate::login::{Login, LoginKind, LoginWay};
use crate::program::{Course, Driver, Talk, Ways};
use crate::{AnswerSchema, Assignment, Budget, Endpoint, Key, Protocol};

/// The recordings there are, by the key of the agent.
pub(crate) const ALL: &[(&str, &str)] = &[
    ("claude-code", include_str!("recorded/claude-code.jsonl")),
    ("codex", include_str!("recorded/codex.jsonl")),
    ("gemini", include_str!("recorded/gemini.jsonl")),
    ("goose", include_str!("recorded/goose.jsonl")),
    ("opencode", include_str!("recorded/opencode.jsonl")),
];

/// The driver of this key.
pub(crate) fn driver(key: &str) -> &'static dyn Driver {
    *DRIVERS.iter().find(|driver| driver.key() == key).expect("the key of a driver")
}

/// An assignment for any agent.
pub(crate) fn assignment() -> Assignment {
    Assignment {
        task: String::new(),
        call: "try".to_owned(),
        nth: 1,
        role: Role::Builder,
        brief: "Do it.".to_owned(),
        access: Access::Write,
        schema: AnswerSchema::new(json!({
            "type": "object",
            "additionalProperties": false,
            "required": [],
            "properties": {},
        }))
        .unwrap(),
        budget: Budget::default(),
        model: "some-model".to_owned(),
        endpoint: Endpoint {
            base: "http://127.0.0.1:1".to_owned(),
            protocol: Protocol::OpenaiChat,
            key: Key::None,
        },
    }
}

/// The story of a stream: what is said to the agent, what is heard from it, and what it says of its end.
pub(crate) fn play(driver: &dyn Driver, stream: &str) -> String {
    let mut story = String::new();
    let mut talk = driver.talk(&assignment(), &Ways::inside("/work"));
    if let Talk::Dialogue(dialogue) = &mut talk {
        story += &format!("> {}", dialogue.opening());
    }
    for line in stream.lines() {
        let mut told = String::new();
        let mut hear =
            |event| told += &format!("{}\n", serde_json::to_string(&event).expect("plain data"));
        let course = match &mut talk {
            Talk::Told { reader, .. } => {
                reader.line(line, &mut hear);
                Course::Listen
            }
            Talk::Dialogue(dialogue) => dialogue.line(line, &mut hear),
        };
        story += &told;
        match course {
            Course::Listen => {}
            Course::Say(words) => story += &format!("> {words}"),
            Course::Over => story += "over\n",
        }
    }
    let said = match &mut talk {
        Talk::Told { reader, .. } => reader.said(""),
        Talk::Dialogue(dialogue) => dialogue.said("", &mut |_| {}),
    };
    story + &format!("= {said:?}\n")
}

#[test]
fn what_real_agents_said_becomes_our_events() {
    for (key, stream) in ALL {
        insta::assert_snapshot!(*key, play(driver(key), stream));
    }
}

#[test]
fn how_agents_are_started_is_written_down() {
    for driver in DRIVERS {
        let story = started(*driver, &assignment());
        insta::assert_snapshot!(format!("{}-launch", driver.key()), story);
    }
}

#[test]
fn with_a_login_an_agent_is_started_with_a_placeholder() {
    for kind in LoginKind::ALL {
        let login = Login {
            kind,
            way: LoginWay::Host,
            file: PathBuf::from("/home/ann/file-outside"),
            base: kind.base().to_owned(),
            account_base: kind.account_base().map(str::to_owned),
            user: 1000,
        };
        let mut assignment = assignment();
        assignment.endpoint.key = Key::Login(login);
        let driver = driver(kind.name());
        let mut story = started(driver, &assignment);
        for (path, text) in driver.launch(&assignment, &Ways::inside("/work")).files {
            let placeholder: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(placeholder["tokens"]["refresh_token"], NO_KEY, "{path}");
            story = story.replace(&text, "a placeholder");
        }
        assert!(!story.contains("file-outside"), "{story}");
        insta::assert_snapshot!(format!("{}-login-launch", kind.name()), story);
    }
}

fn started(driver: &dyn Driver, assignment: &Assignment) -> String {
    let launch = driver.launch(assignment, &Ways::inside("/work"));
    let mut story = format!("{} {}\n", driver.programs().join("|"), launch.words.join(" "));
    for (name, value) in &launch.environment {
        story += &format!("{name}={value}\n");
    }
    for (path, text) in &launch.files {
        story += &format!("~/{path}: {text}\n");
    }
    story
}
