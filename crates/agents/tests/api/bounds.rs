//! Everything has an end: turns, tokens, money, time, patience and bytes.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use sealwright_agents::adapters::api::Patience;
use sealwright_agents::{Budget, End, Failure, Limit, Protocol};
use sealwright_sandbox::Cancel;
use sealwright_sandbox::egress::log::{Failure as Broke, RequestOutcome as Passed};
use serde_json::json;

use crate::spoken::{Stop, frame, stream};
use crate::world::{ANSWER, Model, News, Say, Then, answer, carry_out, carry_out_with, quick};

const CHAT: Protocol = Protocol::OpenaiChat;

#[test]
fn a_budget_ends_a_conversation_before_the_next_question() {
    let wrong = || Say::ok(stream(CHAT, "{}", Stop::Done));
    let whole = Budget { wall_ms_max: 60_000, ..Budget::default() };
    for (budget, limit, asked) in [
        (Budget { turns_max: Some(2), ..whole }, Limit::Turns, 2),
        (Budget { turns_max: Some(0), ..whole }, Limit::Turns, 0),
        (Budget { tokens_max: Some(0), ..whole }, Limit::Tokens, 0),
        (Budget { tokens_max: Some(120), ..whole }, Limit::Tokens, 1),
        (Budget { tokens_max: Some(200), ..whole }, Limit::Tokens, 2),
        (Budget { micro_dollars_max: Some(291), ..whole }, Limit::Dollars, 1),
    ] {
        let model = Model::start(vec![wrong()]);
        let told = carry_out(&sealwright_agents::Assignment { budget, ..model.assignment(CHAT) });
        assert_eq!(told.outcome.end, End::OutOfBudget { limit }, "{budget:?}");
        assert_eq!(model.seen().len(), asked, "{budget:?}");
    }
}

#[test]
fn an_answer_that_took_the_last_of_a_budget_counts() {
    let model = Model::start(vec![Say::ok(stream(CHAT, ANSWER, Stop::Done))]);
    let budget = Budget {
        turns_max: Some(1),
        tokens_max: Some(10),
        wall_ms_max: 60_000,
        micro_dollars_max: None,
    };
    let told = carry_out(&sealwright_agents::Assignment { budget, ..model.assignment(CHAT) });
    assert_eq!(told.outcome.end, End::Answered { answer: answer() });
    assert_eq!(told.outcome.spent.usage.total(), 120);
}

#[test]
fn time_ends_a_conversation_in_the_middle_of_a_stream() {
    let model = Model::start(vec![Say::begun(half(), Then::Hold)]);
    let budget = Budget { wall_ms_max: 300, ..Budget::default() };
    let told = carry_out(&sealwright_agents::Assignment { budget, ..model.assignment(CHAT) });
    assert_eq!(told.outcome.end, End::OutOfBudget { limit: Limit::Minutes });
    // The model would have held on for ever; a busy machine takes its time to notice.
    assert!((300..20_000).contains(&told.outcome.spent.wall_ms), "{:?}", told.outcome.spent);
    assert_eq!((model.news(), model.news()), (News::Asked, News::LeftAlone));
}

#[test]
fn calling_it_off_ends_it_at_once_wherever_it_is() {
    let silent = Say { bytes: Vec::new(), then: Then::Hold };
    let busy = Say::whole(429, "retry-after: 3000\r\n", "{}");
    for say in [Say::begun(half(), Then::Hold), silent, busy] {
        let model = Model::start(vec![say]);
        let cancel = Cancel::new().unwrap();
        let patient =
            quick().with_patience(Patience { delays_ms: vec![3_600_000], waits_ms_max: u64::MAX });
        let (told, took) = std::thread::scope(|scope| {
            let running =
                scope.spawn(|| carry_out_with(&patient, &model.assignment(CHAT), &cancel));
            assert_eq!(model.news(), News::Asked);
            // Long enough to have read what there is, and to wait for more.
            std::thread::park_timeout(Duration::from_millis(200));
            cancel.cancel();
            let called_off = clock();
            let told = running.join().unwrap();
            (told, called_off.elapsed())
        });
        assert_eq!(told.outcome.end, End::Cancelled);
        // Nothing that was waited for would have come within 3,000 seconds.
        assert!(took < Duration::from_secs(20), "{took:?}");
    }
    // Other tests have proxies as well. They end; one that was left behind would not.
    let mut left = proxies();
    for _ in 0..300 {
        left = left.intersection(&proxies()).cloned().collect();
        if left.is_empty() {
            return;
        }
        std::thread::park_timeout(Duration::from_millis(100));
    }
    panic!("threads were left behind: {left:?}");
}

/// The threads of all proxies that are at work in this process.
fn proxies() -> BTreeSet<OsString> {
    let threads = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let is_proxy = |path: &Path| {
        std::fs::read_to_string(path.join("comm")).is_ok_and(|name| name.trim() == "egress")
    };
    threads.filter(|thread| is_proxy(&thread.path())).map(|thread| thread.file_name()).collect()
}

#[test]
fn who_was_called_off_before_is_not_begun() {
    let model = Model::start(vec![Say::ok(stream(CHAT, ANSWER, Stop::Done))]);
    let cancel = Cancel::new().unwrap();
    cancel.cancel();
    let told = carry_out_with(&quick(), &model.assignment(CHAT), &cancel);
    assert_eq!(told.outcome.end, End::Cancelled);
    assert!(model.seen().is_empty());
}

#[test]
fn an_answer_of_fifty_megabytes_is_not_read_to_its_end() {
    let piece = frame(&json!({"choices": [{"index": 0, "delta": {"content": "x".repeat(4000)}}]}));
    let model = Model::start(vec![Say::ok(piece.repeat((50 << 20) / piece.len()))]);
    let told = carry_out(&model.assignment(CHAT));
    assert!(
        matches!(told.outcome.end, End::Failed { failure: Failure::Truncated, .. }),
        "{:?}",
        told.outcome.end
    );
    let [entry] = told.outcome.way_out.entries.as_slice() else { panic!("one question") };
    assert_eq!(entry.outcome, Passed::Failed { why: Broke::ResponseTooLarge });
    assert_eq!(model.seen().len(), 1);
}

#[test]
fn an_answer_that_does_not_say_how_long_it_is_is_not_read_to_its_end_either() {
    let piece = frame(&json!({"choices": [{"index": 0, "delta": {"content": "x".repeat(4000)}}]}));
    let mut bytes = b"HTTP/1.1 200 So\r\nconnection: close\r\n\r\n".to_vec();
    bytes.extend_from_slice(piece.repeat((50 << 20) / piece.len()).as_bytes());
    let model = Model::start(vec![Say { bytes, then: Then::HangUp }]);
    let told = carry_out(&model.assignment(CHAT));
    assert!(
        matches!(told.outcome.end, End::Failed { failure: Failure::Truncated, .. }),
        "{:?}",
        told.outcome.end
    );
    let [entry] = told.outcome.way_out.entries.as_slice() else { panic!("one question") };
    // The rest of what was sent lies in the sockets between.
    assert!(entry.bytes_out < 16 << 20, "{entry:?}");
}

#[test]
fn one_frame_without_an_end_is_not_read_to_its_end() {
    let mut bytes = b"HTTP/1.1 200 So\r\nconnection: close\r\n\r\ndata: ".to_vec();
    bytes.resize(50 << 20, b'x');
    let model = Model::start(vec![Say { bytes, then: Then::HangUp }]);
    let mut assignment = model.assignment(CHAT);
    assignment.budget.wall_ms_max = 3_000;
    let told = carry_out(&assignment);
    // The client takes longer the more it has; whichever bound is met first ends it.
    assert!(
        matches!(
            told.outcome.end,
            End::Failed { failure: Failure::Truncated, .. }
                | End::OutOfBudget { limit: Limit::Minutes }
        ),
        "{:?}",
        told.outcome.end
    );
    assert!(told.outcome.spent.wall_ms < 10_000, "{:?}", told.outcome.spent);
    assert!(told.outcome.way_out.entries[0].bytes_out <= 16 << 20);
}

fn half() -> String {
    let whole = stream(CHAT, ANSWER, Stop::Done);
    whole[..whole.len() / 2].to_owned()
}

fn clock() -> std::time::Instant {
    #[expect(clippy::disallowed_methods, reason = "how long something takes is what is tested")]
    std::time::Instant::now()
}
