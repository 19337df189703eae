//! Whatever a server says, nothing breaks, and nothing passes for an answer that is none.

use proptest::prelude::*;
use sealwright_agents::{End, Protocol};
use serde_json::json;

use crate::spoken::{PROTOCOLS, Stop, frame, stream};
use crate::world::{ANSWER, Model, Say, Then, carry_out};

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    /// Bytes at random, real streams with bytes put in, and real answers with bytes put out: it always comes to an
    /// end, and what it ends with is either no answer or one of the right shape.
    #[test]
    fn noise_is_never_an_answer_unless_it_has_the_right_shape(
        protocol in prop::sample::select(PROTOCOLS.to_vec()),
        noise in prop::collection::vec(any::<u8>(), 0..200),
        kind in 0..4_u8,
        at in any::<prop::sample::Index>(),
    ) {
        let whole = stream(protocol, ANSWER, Stop::Done).into_bytes();
        let at = at.index(whole.len());
        let spliced = [&whole[..at], &noise, &whole[at..]].concat();
        let over = [&whole[..at], &noise, whole.get(at + noise.len()..).unwrap_or_default()].concat();
        let say = match kind {
            0 => Say::ok(&noise),
            1 => Say::ok(&spliced),
            2 => Say::ok(&over),
            _ => Say { bytes: noise, then: Then::HangUp },
        };
        let model = Model::start(vec![say]);
        let assignment = model.assignment(protocol);
        let outcome = carry_out(&assignment).outcome;
        if let End::Answered { answer } = &outcome.end {
            prop_assert_eq!(assignment.schema.check(answer), Ok(()));
        }
        prop_assert!(outcome.spent.turns <= 9, "{:?}", outcome.spent);
    }
}

/// How many cases there are; `SEALWRIGHT_FUZZ_CASES` asks for more.
fn cases() -> u32 {
    let asked = std::env::var("SEALWRIGHT_FUZZ_CASES").ok();
    asked.and_then(|number| number.parse().ok()).unwrap_or(256)
}

#[test]
fn counts_beyond_all_bounds_do_not_break_anything() {
    let most = i32::MAX;
    let tokens = json!({"input_tokens": most, "cache_read_input_tokens": most,
        "cache_creation_input_tokens": most, "output_tokens": most});
    let start = format!("event: message_start\n{}", frame(&json!({"message": {"usage": tokens}})));
    let anthropic = start + &stream(Protocol::Anthropic, ANSWER, Stop::Done);
    let gemini = frame(&json!({"candidates": [{"content": {"parts": [{"text": ANSWER}]},
        "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": most,
        "toolUsePromptTokenCount": most, "candidatesTokenCount": most, "thoughtsTokenCount": most}}));
    for (protocol, body) in [(Protocol::Anthropic, anthropic), (Protocol::Gemini, gemini)] {
        let model = Model::start(vec![Say::ok(body)]);
        let end = carry_out(&model.assignment(protocol)).outcome.end;
        // Where sums are checked the client breaks, and elsewhere they wrap; neither may go any further.
        assert!(matches!(end, End::Failed { .. } | End::Answered { .. }), "{end:?}");
    }
}
