//! Quantities in a text: a number with a unit, a comparison or a currency.
//!
//! Ids, dates, versions, status codes and the numbers of lists are numbers too, and measure nothing.

use crate::text::has_word;

/// Whether the text has a quantitative threshold.
pub(super) fn is_in(text: &str) -> bool {
    let tokens = tokens(text);
    (0..tokens.len()).any(|at| is_threshold(&tokens, at))
}

/// The amounts of money in a text, each with whether it is zero.
pub(super) fn amounts(text: &str) -> Vec<bool> {
    let tokens = tokens(text);
    let amount = |at: usize| {
        let number = Number::of(&tokens[at])?;
        let beside = |it: Option<&String>| it.is_some_and(|it| is_currency(it));
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let is_money = number.has_currency
            || is_currency(number.suffix)
            || (number.suffix.is_empty() && (beside(before) || beside(tokens.get(at + 1))));
        is_money.then_some(number.is_zero)
    };
    (0..tokens.len()).filter_map(amount).collect()
}

/// Whether only a load test can show it.
pub(super) fn needs_load(text: &str) -> bool {
    let lower = text.to_lowercase();
    has_word(text, &LOAD_WORDS) || LOAD_PHRASES.iter().any(|it| lower.contains(it))
}

fn is_threshold(tokens: &[String], at: usize) -> bool {
    let Some(number) = Number::of(&tokens[at]) else { return false };
    let before = |back: usize| at.checked_sub(back).map_or("", |at| tokens[at].as_str());
    let is_label = LABELS.contains(&before(1))
        || (1..=3).any(|back| ["version", "release"].contains(&before(back)));
    if is_label {
        return false;
    }
    let is_compared = number.has_sign
        || COMPARISONS.contains(&before(1))
        || (before(1) == "to" && before(2) == "up");
    if number.suffix.is_empty() {
        let next = tokens.get(at + 1).map_or("", String::as_str);
        is_compared || number.has_currency || is_unit(next)
    } else {
        is_unit(number.suffix)
    }
}

/// A token that begins with a number.
struct Number<'t> {
    suffix: &'t str,
    has_sign: bool,
    has_currency: bool,
    is_zero: bool,
}

impl<'t> Number<'t> {
    fn of(token: &'t str) -> Option<Self> {
        let unsigned = token.trim_start_matches(['<', '>', '=', '≤', '≥', '~', '±']);
        let bare = unsigned.trim_start_matches(['$', '€', '£']);
        let (mut digits, mut suffix) = split_number(bare)?;
        // A range such as 5-10ms counts by its end; a date has two dashes.
        if let Some((last, after)) = suffix.strip_prefix(['-', '–']).and_then(split_number) {
            (digits, suffix) = (last, after);
        }
        Some(Self {
            suffix: suffix.trim_start_matches('/'),
            has_sign: unsigned.len() < token.len(),
            has_currency: bare.len() < unsigned.len(),
            is_zero: digits.bytes().all(|it| matches!(it, b'0' | b'.' | b',')),
        })
    }
}

/// Digits with their separators, and the rest.
fn split_number(text: &str) -> Option<(&str, &str)> {
    if !text.starts_with(|it: char| it.is_ascii_digit()) {
        return None;
    }
    let end = text.find(|it: char| !it.is_ascii_digit() && it != '.' && it != ',');
    let (number, rest) = text.split_at(end.unwrap_or(text.len()));
    let dots = number.matches('.').count();
    // Two dots make a version.
    (dots < 2).then_some((number, rest))
}

fn tokens(text: &str) -> Vec<String> {
    let is_mark = |it: char| "()[]{}\"'`*_,;:!?".contains(it);
    let token = |it: &str| it.trim_matches(is_mark).trim_end_matches('.').to_lowercase();
    text.split_whitespace().map(token).filter(|it| !it.is_empty()).collect()
}

fn is_unit(word: &str) -> bool {
    let word = word.split('/').next().unwrap_or(word);
    UNITS.contains(&word) || is_currency(word)
}

fn is_currency(word: &str) -> bool {
    let word = word.split('/').next().unwrap_or(word);
    ["$", "€", "£", "usd", "eur", "gbp", "chf", "dollars", "euros", "dollar", "euro"]
        .contains(&word)
}

const COMPARISONS: [&str; 17] = [
    "<", "<=", ">", ">=", "≤", "≥", "=", "than", "most", "least", "exactly", "under", "below",
    "within", "maximum", "minimum", "max",
];
/// The number after one of these is a name.
const LABELS: [&str; 12] = [
    "version", "http", "status", "code", "rfc", "section", "step", "port", "error", "issue",
    "page", "chapter",
];
const LOAD_WORDS: [&str; 11] = [
    "concurrent",
    "concurrently",
    "concurrency",
    "simultaneous",
    "simultaneously",
    "throughput",
    "rps",
    "qps",
    "tps",
    "p95",
    "p99",
];
const LOAD_PHRASES: [&str; 5] =
    ["under load", "req/s", "requests per second", "requests/s", "requests a second"];
const UNITS: [&str; 85] = [
    "%",
    "percent",
    "ns",
    "µs",
    "us",
    "ms",
    "millisecond",
    "milliseconds",
    "s",
    "sec",
    "second",
    "seconds",
    "min",
    "minute",
    "minutes",
    "h",
    "hour",
    "hours",
    "day",
    "days",
    "week",
    "weeks",
    "month",
    "months",
    "year",
    "years",
    "b",
    "byte",
    "bytes",
    "kb",
    "kib",
    "mb",
    "mib",
    "gb",
    "gib",
    "tb",
    "rps",
    "qps",
    "tps",
    "req",
    "request",
    "requests",
    "users",
    "user",
    "clients",
    "client",
    "connections",
    "concurrent",
    "simultaneous",
    "x",
    "times",
    "items",
    "item",
    "rows",
    "row",
    "records",
    "record",
    "lines",
    "line",
    "files",
    "entries",
    "characters",
    "chars",
    "words",
    "retries",
    "retry",
    "attempts",
    "attempt",
    "tries",
    "px",
    "pixels",
    "fps",
    "hz",
    "khz",
    "mhz",
    "ghz",
    "points",
    "messages",
    "events",
    "pages",
    "orders",
    "products",
    "images",
    "tokens",
    "degrees",
];
