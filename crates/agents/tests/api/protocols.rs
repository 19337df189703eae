//! Every protocol gives the same answer at the same price, and keeps the key where it belongs.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use sealwright_agents::adapters::api::{Asking, ModelClient, Question, Wire};
use sealwright_agents::{End, Event, Key, Protocol, Usage};
use sealwright_sandbox::Cancel;
use sealwright_sandbox::egress::log::RequestOutcome as Passed;
use serde_json::json;

use crate::spoken::{PROTOCOLS, Stop, stream};
use crate::world::{ANSWER, KEY, Model, Say, answer, carry_out, carry_out_with, quick};

const USAGE: Usage = Usage { input: 70, cached: 30, cache_written: 0, output: 20 };

#[test]
fn every_protocol_gives_the_same_answer_and_the_same_usage() {
    for protocol in PROTOCOLS {
        let model = Model::start(vec![Say::ok(stream(protocol, ANSWER, Stop::Done))]);
        let told = carry_out(&model.assignment(protocol));
        let outcome = told.outcome;
        assert_eq!(outcome.end, End::Answered { answer: answer() }, "{protocol:?}");
        assert_eq!((outcome.spent.usage, outcome.spent.turns), (USAGE, 1), "{protocol:?}");
        // 70 at 1.25, 30 at 0.125 and 20 at 10 dollars for a million.
        assert_eq!(outcome.spent.micro_dollars, Some(292), "{protocol:?}");
        assert_eq!(
            told.events,
            [Event::Text { text: ANSWER.to_owned() }, Event::Usage { usage: USAGE }],
            "{protocol:?}"
        );
        assert_eq!(outcome.confinement, None);
        let passed: Vec<Passed> = outcome.way_out.entries.iter().map(|e| e.outcome).collect();
        assert_eq!(passed, [Passed::Answered { status: 200 }], "{protocol:?}");
    }
}

#[test]
fn every_protocol_is_asked_for_a_stream_of_the_schema_under_the_whole_name_of_the_model() {
    for protocol in PROTOCOLS {
        let model = Model::start(vec![Say::ok(stream(protocol, ANSWER, Stop::Done))]);
        let mut assignment = model.assignment(protocol);
        let name = match protocol {
            Protocol::OpenaiChat | Protocol::Ollama | Protocol::OpenaiResponses => "mistral-medium",
            Protocol::Anthropic => "claude-opus-4-5",
            Protocol::Gemini => "gemini-2.5-pro",
        };
        assignment.model = name.to_owned();
        carry_out(&assignment);
        let [seen] = <[_; 1]>::try_from(model.seen()).unwrap();
        let body = seen.json();
        let (path, place) = match protocol {
            Protocol::OpenaiChat | Protocol::Ollama => {
                ("/v1/chat/completions", "/response_format/json_schema/schema")
            }
            Protocol::OpenaiResponses => ("/v1/responses", "/text/format/schema"),
            Protocol::Anthropic => ("/v1/messages", "/output_config/format/schema"),
            Protocol::Gemini => (
                "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
                "/generationConfig/responseJsonSchema",
            ),
        };
        assert!(seen.head.starts_with(&format!("POST {path} HTTP/1.1\r\n")), "{}", seen.head);
        assert_eq!(body.pointer(place), Some(assignment.schema.value()), "{protocol:?}: {body}");
        assert!(body.to_string().contains("Judge this."), "{body}");
        match protocol {
            Protocol::OpenaiChat
            | Protocol::Ollama
            | Protocol::OpenaiResponses
            | Protocol::Anthropic => {
                assert_eq!((&body["model"], &body["stream"]), (&json!(name), &json!(true)));
                assert_eq!((body.get("reasoning"), body.get("reasoning_effort")), (None, None));
            }
            Protocol::Gemini => {}
        }
    }
}

#[test]
fn the_key_is_seen_by_the_model_and_by_nobody_before() {
    for protocol in PROTOCOLS {
        let model = Model::start(vec![Say::ok(stream(protocol, ANSWER, Stop::Done))]);
        let relay = Overhearing::default();
        let heard = Arc::clone(&relay.heard);
        let api = quick().with_client(Box::new(relay));
        let told = carry_out_with(&api, &model.assignment(protocol), &Cancel::new().unwrap());
        assert_eq!(told.outcome.end, End::Answered { answer: answer() });
        let (before, after) = (heard.lock().unwrap().clone(), model.seen());
        assert!(before.starts_with("POST /"), "{before}");
        assert!(!before.contains(KEY), "{before}");
        let header = match protocol {
            Protocol::OpenaiChat | Protocol::Ollama | Protocol::OpenaiResponses => {
                format!("authorization: Bearer {KEY}")
            }
            Protocol::Anthropic => format!("x-api-key: {KEY}"),
            Protocol::Gemini => format!("x-goog-api-key: {KEY}"),
        };
        assert_eq!(after[0].head.matches(KEY).count(), 1);
        assert!(after[0].head.contains(&header), "{}", after[0].head);
        assert!(!after[0].head.contains("kept-outside"), "{}", after[0].head);
        let evidence = serde_json::to_string(&told.outcome).unwrap();
        assert!(!evidence.contains(KEY));
    }
}

#[test]
fn a_model_without_a_key_is_sent_none() {
    let model = Model::start(vec![Say::ok(stream(Protocol::Ollama, ANSWER, Stop::Done))]);
    let mut assignment = model.assignment(Protocol::Ollama);
    assignment.endpoint.key = Key::None;
    assert_eq!(carry_out(&assignment).outcome.end, End::Answered { answer: answer() });
    let head = model.seen()[0].head.to_lowercase();
    assert!(!head.contains("authorization") && !head.contains("kept-outside"), "{head}");
}

#[test]
fn nobody_is_followed_to_another_place() {
    let elsewhere = Model::start(vec![Say::ok(stream(Protocol::OpenaiChat, ANSWER, Stop::Done))]);
    let location = format!("location: http://{}/v1/chat/completions\r\n", elsewhere.address);
    let model = Model::start(vec![Say::whole(307, &location, "")]);
    let told = carry_out(&model.assignment(Protocol::OpenaiChat));
    assert!(matches!(told.outcome.end, End::Failed { .. }), "{:?}", told.outcome.end);
    assert_eq!((model.seen().len(), elsewhere.seen().len()), (1, 0));
}

/// The client that comes along, with somebody on the line between it and the proxy.
#[derive(Default)]
struct Overhearing {
    heard: Arc<Mutex<String>>,
}

impl ModelClient for Overhearing {
    fn ask(&self, mut question: Question) -> Asking<'_> {
        let rest = question.at.strip_prefix("http://").unwrap();
        let (proxy, name) = rest.split_once('/').unwrap();
        let between = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = format!("http://{}/{name}", between.local_addr().unwrap());
        let (proxy, heard) = (proxy.to_owned(), Arc::clone(&self.heard));
        std::thread::spawn(move || relay(&between, &proxy, &heard));
        question.at = at;
        Wire.ask(question)
    }
}

fn relay(between: &TcpListener, proxy: &str, heard: &Mutex<String>) {
    let (mut client, _) = between.accept().unwrap();
    let mut proxy = TcpStream::connect(proxy).unwrap();
    let (mut back, mut to) = (proxy.try_clone().unwrap(), client.try_clone().unwrap());
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut back, &mut to);
        let _ = to.shutdown(Shutdown::Both);
    });
    let mut piece = [0; 4096];
    while let Ok(length @ 1..) = client.read(&mut piece) {
        heard.lock().unwrap().push_str(&String::from_utf8_lossy(&piece[..length]));
        if proxy.write_all(&piece[..length]).is_err() {
            return;
        }
    }
    let _ = proxy.shutdown(Shutdown::Both);
}
