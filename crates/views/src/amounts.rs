//! Formatting of times, counts and dollars.

use std::fmt::Write as _;

use sealwright_kernel::Cost;

/// Time, then tokens and money unless zero.
pub(crate) fn cost(cost: &Cost) -> String {
    let mut words = time(cost.millis);
    if cost.tokens > 0 {
        let _ = write!(words, ", {} tokens", grouped(cost.tokens));
    }
    if cost.micro_dollars > 0 {
        let _ = write!(words, ", {}", dollars(cost.micro_dollars));
    }
    words
}

pub(crate) fn time(millis: u64) -> String {
    let seconds = millis / 1_000;
    match (seconds / 3_600, seconds / 60 % 60, seconds % 60) {
        (0, 0, 0..10) => format!("{}.{} s", seconds, millis % 1_000 / 100),
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{} h {minutes} min", grouped(hours)),
    }
}

/// A number with thousands separators.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + 6);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Dollars with two decimals, or four for fractions of a cent.
pub fn dollars(micro: u64) -> String {
    let (whole, rest) = (micro / 1_000_000, micro % 1_000_000);
    match rest % 10_000 {
        0 => format!("${}.{:02}", grouped(whole), rest / 10_000),
        _ => format!("${}.{:04}", grouped(whole), rest / 100),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_formatted() {
        let times = [0, 1_250, 59_999, 61_000, 3_720_000].map(time);
        assert_eq!(times, ["0.0 s", "1.2 s", "59 s", "1 min 1 s", "1 h 2 min"]);
        assert_eq!([0, 999, 1_000, 12_345_678].map(grouped), ["0", "999", "1,000", "12,345,678"]);
        assert_eq!(
            [0, 420_000, 1_234_567, 99].map(dollars),
            ["$0.00", "$0.42", "$1.2345", "$0.0000"]
        );
        let free = Cost { millis: 1_200, ..Cost::default() };
        assert_eq!(cost(&free), "1.2 s");
        let agent = Cost { tokens: 1_500, micro_dollars: 30_000, ..free };
        assert_eq!(cost(&agent), "1.2 s, 1,500 tokens, $0.03");
        assert!(!time(u64::MAX).is_empty());
    }
}
