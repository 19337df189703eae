//! Timestamps for people.

use chrono::DateTime;
use sealwright_kernel::Timestamp;

/// UTC to the second; JSON output has the milliseconds.
pub fn timestamp(at: Timestamp) -> String {
    let millis = i64::try_from(at.as_millis()).unwrap_or(i64::MAX);
    let time = DateTime::from_timestamp_millis(millis).unwrap_or_default();
    time.format("%Y-%m-%d %H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_utc_to_the_second() {
        assert_eq!(timestamp(Timestamp::from_millis(1_700_000_000_007)), "2023-11-14 22:13:20Z");
        assert_eq!(timestamp(Timestamp::from_millis(u64::MAX)), "9999-12-31 23:59:59Z");
    }
}
