//! What becomes of a model that is busy, broken or unwilling.

use sealwright_agents::{End, Failure, Protocol};
use sealwright_sandbox::egress::log::{Failure as Broke, RequestOutcome as Passed};
use serde_json::json;

use crate::spoken::{PROTOCOLS, Stop, frame, refusal, stream};
use crate::world::{ANSWER, Model, Say, Then, Told, answer, carry_out, warnings};

const CHAT: Protocol = Protocol::OpenaiChat;

#[test]
fn a_model_that_is_busy_once_is_asked_again() {
    for after in ["", "retry-after: 1\r\n"] {
        let model = Model::start(vec![Say::whole(429, after, "{}"), good()]);
        let told = carry_out(&model.assignment(CHAT));
        assert_eq!(told.outcome.end, End::Answered { answer: answer() });
        assert_eq!((told.outcome.spent.turns, model.seen().len()), (1, 2));
        let waited = if after.is_empty() { "1 ms" } else { "1000 ms" };
        assert_eq!(
            warnings(&told.events),
            [format!("asked again after {waited}: the model's owner asks for patience")]
        );
    }
}

#[test]
fn a_model_that_is_busy_for_long_ends_it_at_once() {
    let model = Model::start(vec![Say::whole(429, "retry-after: 3600\r\n", "{}"), good()]);
    let told = carry_out(&model.assignment(CHAT));
    assert_eq!(told.outcome.end, End::RateLimited { retry_after_s: Some(3600) });
    assert_eq!(model.seen().len(), 1);
    // Three times busy is enough as well.
    let model = Model::start(vec![Say::whole(429, "", "{}")]);
    let told = carry_out(&model.assignment(CHAT));
    assert_eq!(told.outcome.end, End::RateLimited { retry_after_s: None });
    assert_eq!(model.seen().len(), 3);
}

#[test]
fn a_broken_server_is_tried_three_times() {
    for protocol in PROTOCOLS {
        let model = Model::start(vec![Say::whole(500, "", r#"{"error":"oh"}"#)]);
        let told = carry_out(&model.assignment(protocol));
        assert_eq!(
            failure(&told),
            (
                Failure::Unreachable,
                "the model's owner answered with 500: {\"error\":\"oh\"}".to_owned()
            )
        );
        assert_eq!((model.seen().len(), told.outcome.spent.turns), (3, 0));
        assert_eq!(warnings(&told.events).len(), 2);
    }
    let model = Model::start(vec![Say::whole(529, "", ""), Say::whole(503, "", ""), good()]);
    assert_eq!(carry_out(&model.assignment(CHAT)).outcome.end, End::Answered { answer: answer() });
}

#[test]
fn nobody_there_is_tried_three_times() {
    let model = Model::start(vec![good()]);
    let mut assignment = model.assignment(CHAT);
    assignment.endpoint.base = "http://127.0.0.1:1".to_owned();
    let told = carry_out(&assignment);
    assert_eq!(failure(&told).0, Failure::Unreachable);
    let passed: Vec<Passed> = told.outcome.way_out.entries.iter().map(|e| e.outcome).collect();
    assert_eq!(passed, [Passed::Failed { why: Broke::Unreachable }; 3]);
}

#[test]
fn what_would_come_to_the_same_is_not_tried_again() {
    for (status, expected) in [
        (400, Failure::Refused),
        (401, Failure::Unauthorised),
        (403, Failure::Unauthorised),
        (404, Failure::Refused),
    ] {
        for protocol in PROTOCOLS {
            let model = Model::start(vec![Say::whole(status, "", "no"), good()]);
            let told = carry_out(&model.assignment(protocol));
            assert_eq!(failure(&told).0, expected, "{protocol:?} {status}");
            assert!(failure(&told).1.ends_with(": no"), "{:?}", failure(&told));
            assert_eq!((model.seen().len(), warnings(&told.events).len()), (1, 0));
        }
    }
}

#[test]
fn a_stream_that_is_cut_is_asked_for_again() {
    for protocol in PROTOCOLS {
        let whole = stream(protocol, ANSWER, Stop::Done);
        let half = &whole[..whole.len() / 2];
        let model = Model::start(vec![
            Say::begun(half, Then::HangUp),
            Say::ok(stream(protocol, ANSWER, Stop::Done)),
        ]);
        let told = carry_out(&model.assignment(protocol));
        assert_eq!(told.outcome.end, End::Answered { answer: answer() }, "{protocol:?}");
        assert_eq!(model.seen().len(), 2);
        let model = Model::start(vec![Say::begun(half, Then::HangUp)]);
        let told = carry_out(&model.assignment(protocol));
        assert_eq!(failure(&told).0, Failure::Unreachable, "{protocol:?}");
        assert_eq!(model.seen().len(), 3);
    }
}

#[test]
fn a_stream_that_stops_early_and_says_it_is_whole_makes_no_sense() {
    for protocol in PROTOCOLS {
        let whole = stream(protocol, ANSWER, Stop::Done);
        let half = &whole[..whole.rfind("\n\n").unwrap() / 2];
        let model = Model::start(vec![Say::ok(half)]);
        let told = carry_out(&model.assignment(protocol));
        assert_eq!(failure(&told).0, Failure::BadStream, "{protocol:?}");
        assert_eq!(model.seen().len(), 3);
    }
}

#[test]
fn an_error_in_the_middle_of_a_stream_is_told() {
    let error = frame(&json!({"error": {"message": "overloaded"}}));
    let model = Model::start(vec![Say::ok(error)]);
    let told = carry_out(&model.assignment(CHAT));
    let (kind, why) = failure(&told);
    assert_eq!(kind, Failure::BadStream);
    assert!(why.contains("overloaded"), "{why}");
    assert_eq!(told.outcome.spent.turns, 3);
}

#[test]
fn an_answer_that_was_cut_off_is_none_however_whole_it_looks() {
    for protocol in PROTOCOLS {
        let model = Model::start(vec![Say::ok(stream(protocol, ANSWER, Stop::Length))]);
        let told = carry_out(&model.assignment(protocol));
        assert_eq!(failure(&told).0, Failure::Truncated, "{protocol:?}");
        assert_eq!((model.seen().len(), told.outcome.spent.usage.output), (1, 20));
    }
}

#[test]
fn a_model_that_will_not_is_not_asked_again() {
    for protocol in PROTOCOLS {
        for body in [stream(protocol, ANSWER, Stop::Filter), refusal(protocol, "I had rather not")]
        {
            let model = Model::start(vec![Say::ok(body), good()]);
            let told = carry_out(&model.assignment(protocol));
            assert_eq!(failure(&told).0, Failure::Refused, "{protocol:?}");
            assert_eq!(model.seen().len(), 1);
        }
    }
    let model = Model::start(vec![Say::ok(refusal(CHAT, "I had rather not"))]);
    let told = carry_out(&model.assignment(CHAT));
    assert_eq!(failure(&told).1, "I had rather not");
}

#[test]
fn an_address_that_makes_no_sense_is_no_start() {
    let model = Model::start(vec![good()]);
    let mut assignment = model.assignment(CHAT);
    assignment.endpoint.base = "gopher://model".to_owned();
    let told = carry_out(&assignment);
    assert_eq!(failure(&told).0, Failure::NotStarted);
    assert!(told.outcome.way_out.entries.is_empty());
}

fn good() -> Say {
    Say::ok(stream(CHAT, ANSWER, Stop::Done))
}

fn failure(told: &Told) -> (Failure, String) {
    match &told.outcome.end {
        End::Failed { failure, why } => (*failure, why.clone()),
        end => panic!("{end:?}"),
    }
}
