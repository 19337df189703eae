//! Tokens, as agents tell them at the end of a turn.

use agent_client_protocol_schema::v1::PromptResponse;
use serde_json::Value;

use crate::Usage;
use crate::adapters::words::count;

/// What the protocol has a place for. Whether it is the sum of the turn or only its last question is up to the agent.
pub(super) fn told(end: &PromptResponse) -> Option<Usage> {
    let told = end.usage.as_ref()?;
    let (cached, cache_written) =
        (told.cached_read_tokens.unwrap_or(0), told.cached_write_tokens.unwrap_or(0));
    let thoughts = told.thought_tokens.unwrap_or(0);
    let usage =
        Usage { input: told.input_tokens, cached, cache_written, output: told.output_tokens };
    let beside = Usage { output: usage.output.saturating_add(thoughts), ..usage };
    // Agents do not agree on what counts as part of what, but their sum shows it.
    Some(if beside.total() == told.total_tokens {
        beside
    } else if usage.total() == told.total_tokens {
        usage
    } else {
        Usage::cache_inside(told.input_tokens, cached, cache_written, told.output_tokens)
    })
}

/// What Gemini tells instead.
pub(super) fn of_gemini(end: &PromptResponse) -> Option<Usage> {
    let quota = end.meta.as_ref()?.get("quota")?;
    let count = |name: &str| count(quota, &format!("/token_count/{name}"));
    quota.get("token_count").is_some_and(Value::is_object).then(|| Usage {
        input: count("input_tokens"),
        output: count("output_tokens"),
        ..Usage::default()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn end(value: Value) -> PromptResponse {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn the_sum_shows_what_is_counted_where() {
        let of = |input, output, thoughts, cached, total| {
            told(&end(json!({"stopReason": "end_turn", "usage": {
                "inputTokens": input, "outputTokens": output, "thoughtTokens": thoughts,
                "cachedReadTokens": cached, "totalTokens": total,
            }})))
            .unwrap()
        };
        let usage = |input, cached, output| Usage { input, cached, cache_written: 0, output };
        assert_eq!(of(1134, 56, 0, 100, 1290), usage(1134, 100, 56), "a cache beside the input");
        assert_eq!(of(1234, 56, 0, 100, 1290), usage(1134, 100, 56), "a cache inside the input");
        assert_eq!(of(1000, 50, 20, 0, 1070), usage(1000, 0, 70), "thoughts beside the output");
        assert_eq!(of(1000, 50, 20, 0, 1050), usage(1000, 0, 50), "thoughts inside the output");
        assert_eq!(told(&end(json!({"stopReason": "end_turn"}))), None);
    }

    #[test]
    fn gemini_tells_it_in_its_own_way() {
        let told = json!({"stopReason": "end_turn", "_meta": {"quota": {
            "token_count": {"input_tokens": 4936, "output_tokens": 224},
        }}});
        let usage = Usage { input: 4936, output: 224, ..Usage::default() };
        assert_eq!(of_gemini(&end(told)), Some(usage));
        let nonsense = json!({"stopReason": "end_turn", "_meta": {"quota": [1]}});
        assert_eq!(of_gemini(&end(nonsense)), None);
    }
}
