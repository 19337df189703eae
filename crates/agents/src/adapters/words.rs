//! What agents' own words mean. They are consulted last: what passed the way out was seen, this was only said.

use serde_json::Value;

use crate::{Failure, Said};

/// What an error in words most likely is.
pub(super) fn meant(words: &str) -> Said {
    let lower = words.to_lowercase();
    let says = |some: &[&str]| some.iter().any(|word| lower.contains(word));
    let failure = if says(&[
        "429",
        "rate limit",
        "rate_limit",
        "too many requests",
        "usage limit",
        "quota",
    ]) {
        return Said::RateLimited { retry_after_s: None };
    } else if says(&[
        "401",
        "403",
        "unauthorized",
        "api key",
        "authentication",
        "not logged in",
        "/login",
    ]) {
        Failure::Unauthorised
    } else if says(&["max_output_tokens", "max tokens", "max_tokens", "truncated", "token limit"]) {
        Failure::Truncated
    } else if says(&["refus", "can't help with", "content policy", "safety", "content_filter"]) {
        Failure::Refused
    } else if says(&[
        "500",
        "502",
        "503",
        "504",
        "529",
        "overloaded",
        "connect",
        "network",
        "timed out",
        "timeout",
        "stream",
        "fetch failed",
        "unavailable",
        "internal server error",
    ]) {
        Failure::Unreachable
    } else if says(&["json", "parse", "decod", "unexpected token"]) {
        Failure::BadStream
    } else {
        Failure::Died
    };
    Said::Failed { failure, why: words.to_owned() }
}

/// A whole number, wherever it stands; nothing counts as none.
pub(super) fn count(value: &Value, place: &str) -> u64 {
    value.pointer(place).and_then(Value::as_u64).unwrap_or(0)
}

pub(super) fn text<'v>(value: &'v Value, place: &str) -> &'v str {
    value.pointer(place).and_then(Value::as_str).unwrap_or("")
}

/// The beginning of a text, for an event.
pub(super) fn brief(text: &str) -> String {
    match text.char_indices().nth(TEXT_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Characters of one event.
const TEXT_MAX: usize = 4000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_in_words_become_what_can_be_done_about_them() {
        for (words, expected) in [
            ("unexpected status 401 Unauthorized", Failure::Unauthorised),
            ("stream disconnected before completion", Failure::Unreachable),
            ("API Error: 529 Overloaded", Failure::Unreachable),
            ("the model refused the request", Failure::Refused),
            ("Unexpected token < in JSON at position 0", Failure::BadStream),
            ("response incomplete: max_output_tokens", Failure::Truncated),
            ("something else", Failure::Died),
        ] {
            let Said::Failed { failure, .. } = meant(words) else { panic!("{words}") };
            assert_eq!(failure, expected, "{words}");
        }
        assert_eq!(
            meant("You have hit your usage limit"),
            Said::RateLimited { retry_after_s: None }
        );
    }
}
