//! Answers of the wrong shape are sent back with what is wrong with them, and not for ever.

use sealwright_agents::{End, Failure, Protocol};
use serde_json::json;

use crate::spoken::{PROTOCOLS, Stop, stream};
use crate::world::{ANSWER, Model, Say, answer, carry_out, warnings};

const WRONG: &str = r#"{"verdict":"maybe","reasons":[]}"#;

#[test]
fn a_model_is_told_what_is_wrong_and_mends_it() {
    for protocol in PROTOCOLS {
        let say = |text| Say::ok(stream(protocol, text, Stop::Done));
        let model = Model::start(vec![say(WRONG), say(WRONG), say(ANSWER)]);
        let told = carry_out(&model.assignment(protocol));
        assert_eq!(told.outcome.end, End::Answered { answer: answer() }, "{protocol:?}");
        assert_eq!((told.outcome.spent.turns, told.outcome.spent.usage.total()), (3, 360));
        // On a busy machine a connection may be tried again, which is another warning.
        let warnings = warnings(&told.events).into_iter();
        assert_eq!(warnings.filter(|it| it.starts_with("asked for another answer")).count(), 2);
        let [first, second, third] = <[_; 3]>::try_from(model.seen()).unwrap();
        let last = third.json().to_string();
        assert_eq!(last.matches("\\\"maybe\\\" is not one of").count(), 2, "{last}");
        assert_eq!(second.json().to_string().matches("is not one of").count(), 1);
        assert_eq!(first.json().to_string().matches("is not one of").count(), 0);
    }
}

#[test]
fn what_the_model_said_stands_between_what_it_was_told() {
    let protocol = Protocol::OpenaiChat;
    let say = |text| Say::ok(stream(protocol, text, Stop::Done));
    let model = Model::start(vec![say(WRONG), say(ANSWER)]);
    carry_out(&model.assignment(protocol));
    let asked = model.seen()[1].json();
    let roles: Vec<&str> = asked["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["system", "user", "assistant", "user"]);
    assert_eq!(asked["messages"][2]["content"], json!(WRONG));
}

#[test]
fn a_model_that_never_learns_has_the_wrong_shape() {
    for (text, asked) in [(WRONG, 3), ("I think it is fine.", 2), ("", 2)] {
        for protocol in PROTOCOLS {
            let model = Model::start(vec![Say::ok(stream(protocol, text, Stop::Done))]);
            let told = carry_out(&model.assignment(protocol));
            assert!(
                matches!(told.outcome.end, End::Failed { failure: Failure::WrongShape, .. }),
                "{protocol:?}: {:?}",
                told.outcome.end
            );
            assert_eq!((model.seen().len(), told.outcome.spent.turns), (asked, asked as u32));
        }
    }
}

#[test]
fn no_json_at_all_is_mended_like_any_other_mistake() {
    let protocol = Protocol::Anthropic;
    let say = |text| Say::ok(stream(protocol, text, Stop::Done));
    let model = Model::start(vec![say("{\"verdict\":"), say(WRONG), say(ANSWER)]);
    let told = carry_out(&model.assignment(protocol));
    assert_eq!(told.outcome.end, End::Answered { answer: answer() });
    assert_eq!(told.outcome.spent.usage.output, 60);
}

#[test]
fn a_fence_around_the_answer_is_taken_off() {
    for protocol in PROTOCOLS {
        let fenced = format!("```json\n{ANSWER}\n```\n");
        let model = Model::start(vec![Say::ok(stream(protocol, &fenced, Stop::Done))]);
        let told = carry_out(&model.assignment(protocol));
        assert_eq!(told.outcome.end, End::Answered { answer: answer() });
        assert_eq!(told.outcome.spent.turns, 1);
    }
}
