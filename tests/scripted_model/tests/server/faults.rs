//! Every fault over a real socket, in every protocol.

use std::io::{ErrorKind, Read as _};
use std::net::TcpStream;

use sealwright_scripted_model::{Fault, Model, Protocol, Script, Step};
use serde_json::{Value, json};

use crate::client::{End, Heard, begin, hear, post};
use crate::{ALL, Wanted, path, request};

/// The response to a first step with a fault, in each protocol, whole and streamed.
fn each(step: &Step, check: impl Fn(Protocol, Wanted, &Heard)) {
    for protocol in ALL {
        for wanted in [Wanted::Whole, Wanted::Streamed] {
            let model = Model::start(Script::new([step.clone()])).unwrap();
            let heard = post(model.address(), path(protocol, wanted), &request(protocol, wanted));
            check(protocol, wanted, &heard);
            assert_eq!(model.requests()[0].fault, step.strike.map(|strike| strike.fault));
            assert_eq!(model.requests()[0].status, heard.status);
        }
    }
}

fn text() -> Step {
    Step::text("All of it went well.")
}

#[test]
fn a_rate_limit_says_how_long_to_wait() {
    each(&text().always(Fault::RateLimited { retry_after_s: 17 }), |protocol, _, heard| {
        assert_eq!(heard.status, 429);
        assert!(heard.head.contains("retry-after: 17"), "{}", heard.head);
        let (place, expected) = match protocol {
            Protocol::OpenaiChat | Protocol::OpenaiResponses => ("/error/type", "rate_limit_error"),
            Protocol::Anthropic => ("/error/type", "rate_limit_error"),
            Protocol::Gemini => ("/error/status", "RESOURCE_EXHAUSTED"),
        };
        assert_eq!(heard.json().pointer(place), Some(&json!(expected)), "{protocol:?}");
    });
}

#[test]
fn an_unknown_key_is_refused() {
    each(&text().always(Fault::Unauthorised), |protocol, _, heard| {
        assert_eq!(heard.status, 401);
        let (place, expected) = match protocol {
            Protocol::OpenaiChat | Protocol::OpenaiResponses => ("/error/code", "invalid_api_key"),
            Protocol::Anthropic => ("/error/type", "authentication_error"),
            Protocol::Gemini => ("/error/status", "UNAUTHENTICATED"),
        };
        assert_eq!(heard.json().pointer(place), Some(&json!(expected)), "{protocol:?}");
    });
}

#[test]
fn a_server_in_trouble_says_so() {
    each(&text().always(Fault::ServerError), |protocol, _, heard| {
        assert_eq!(heard.status, 500);
        assert!(heard.json()["error"]["message"].is_string(), "{protocol:?}");
    });
}

#[test]
fn a_cut_stream_begins_well_and_never_ends() {
    each(&text().always(Fault::CutStream), |protocol, _, heard| {
        assert_eq!((heard.status, heard.end), (200, End::Cut), "{protocol:?}");
        assert!(!heard.body.is_empty(), "{protocol:?}");
        assert!(!heard.body.contains("DONE") && !heard.body.contains("message_stop"));
    });
}

#[test]
fn a_malformed_answer_ends_well_and_is_no_json() {
    each(&text().always(Fault::Malformed), |protocol, wanted, heard| {
        assert_eq!((heard.status, heard.end), (200, End::Whole), "{protocol:?}");
        match wanted {
            Wanted::Whole => assert!(serde_json::from_str::<Value>(&heard.body).is_err()),
            Wanted::Streamed => {
                let sound = heard.events().iter().filter(|event| !event.is_null()).count();
                assert_eq!(sound, 1, "{protocol:?}: {}", heard.body);
            }
        }
    });
}

#[test]
fn a_refusal_is_said_in_each_protocols_own_way() {
    each(&text().always(Fault::Refusal), |protocol, _, heard| {
        let expected = match protocol {
            Protocol::OpenaiChat => r#""finish_reason":"content_filter""#,
            Protocol::OpenaiResponses => {
                r#"{"type":"refusal","refusal":"I cannot help with that."}"#
            }
            Protocol::Anthropic => r#""stop_reason":"refusal""#,
            Protocol::Gemini => r#""finishReason":"SAFETY""#,
        };
        assert!(heard.body.contains(expected), "{protocol:?}: {}", heard.body);
        assert!(!heard.body.contains("went well"), "{protocol:?}");
    });
}

#[test]
fn a_truncated_answer_is_half_of_it_and_says_why() {
    each(&text().always(Fault::Truncated), |protocol, _, heard| {
        let expected = match protocol {
            Protocol::OpenaiChat => r#""finish_reason":"length""#,
            Protocol::OpenaiResponses => r#""incomplete_details":{"reason":"max_output_tokens"}"#,
            Protocol::Anthropic => r#""stop_reason":"max_tokens""#,
            Protocol::Gemini => r#""finishReason":"MAX_TOKENS""#,
        };
        assert!(heard.body.contains(expected), "{protocol:?}: {}", heard.body);
        assert!(!heard.body.contains("well."), "{protocol:?}: {}", heard.body);
    });
}

#[test]
fn a_wrong_shape_is_in_answers_and_in_calls() {
    for step in [Step::answer(json!({"verdict": "accept"})), Step::run("ls")] {
        each(&step.always(Fault::WrongSchema), |protocol, _, heard| {
            assert_eq!(heard.status, 200);
            // A stream sends it in halves.
            assert!(heard.body.contains("not_in_t"), "{protocol:?}: {}", heard.body);
            for right in ["accept", "command"] {
                assert!(!heard.body.contains(right), "{protocol:?}: {}", heard.body);
            }
        });
    }
}

#[test]
fn a_slow_answer_lets_others_pass() {
    // Longer than any test, so no clock is needed to see the delay.
    let slow = Fault::Slow { before_ms: FOREVER_MS, between_ms: 0 };
    let model = Model::start(Script::new([text().at_first(1, slow)])).unwrap();
    let body = request(Protocol::OpenaiChat, Wanted::Streamed).to_string();
    let path = path(Protocol::OpenaiChat, Wanted::Streamed);
    let waiting = begin(model.address(), path, &[], body.as_bytes());
    // The log shows that the first request arrived.
    let has_come = (0..10_000_000).any(|_| {
        std::thread::yield_now();
        !model.requests().is_empty()
    });
    assert!(has_come, "the first request was never seen");
    let quick = hear(begin(model.address(), path, &[], body.as_bytes()));
    assert_eq!((quick.status, quick.end), (200, End::Whole));
    assert_silent(&waiting);
}

#[test]
fn a_slow_answer_comes_in_the_end() {
    let slow = Fault::Slow { before_ms: 20, between_ms: 5 };
    each(&text().always(slow), |protocol, _, heard| {
        assert_eq!((heard.status, heard.end), (200, End::Whole), "{protocol:?}");
    });
}

#[test]
fn a_slow_stream_begins_before_it_ends() {
    let slow = Fault::Slow { before_ms: 0, between_ms: FOREVER_MS };
    let model = Model::start(Script::new([text().always(slow)])).unwrap();
    let body = request(Protocol::Gemini, Wanted::Streamed).to_string();
    let path = path(Protocol::Gemini, Wanted::Streamed);
    let mut stream = begin(model.address(), path, &[], body.as_bytes());
    let mut begun = String::new();
    // Chunks end with an empty line, and so does each event in them.
    while !begun.ends_with("\n\n\r\n") {
        let mut byte = [0; 1];
        stream.read_exact(&mut byte).unwrap();
        begun.push(char::from(byte[0]));
    }
    assert!(begun.contains("All of it"), "{begun}");
    assert_silent(&stream);
}

/// Nothing unread has arrived.
fn assert_silent(stream: &TcpStream) {
    stream.set_nonblocking(true).unwrap();
    let heard = stream.peek(&mut [0; 1]).map_err(|error| error.kind());
    assert_eq!(heard, Err(ErrorKind::WouldBlock));
}

#[test]
fn a_fault_strikes_as_often_as_it_says_and_each_step_counts_for_itself() {
    let script = || Script::new([text().at_first(2, Fault::ServerError)]);
    let model = Model::start(script()).unwrap();
    let ask = |model: &Model| {
        let body = request(Protocol::OpenaiChat, Wanted::Whole);
        post(model.address(), path(Protocol::OpenaiChat, Wanted::Whole), &body).status
    };
    assert_eq!([ask(&model), ask(&model), ask(&model), ask(&model)], [500, 500, 200, 200]);
    let other = Model::start(script()).unwrap();
    assert_eq!(ask(&other), 500, "another server counts for itself");
}

const FOREVER_MS: u32 = 600_000;
