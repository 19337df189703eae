//! The stopwatch: the only place that reads the time.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

#[expect(clippy::disallowed_methods, reason = "time is what is measured")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let begun = now();
    let made = work();
    (made, begun.elapsed())
}

/// The CPU time of this thread, which does not depend on other load.
pub(crate) fn on_processor() -> std::io::Result<Duration> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanos = stat.split_whitespace().next().and_then(|nanos| nanos.parse().ok());
    nanos.map(Duration::from_nanos).ok_or_else(|| std::io::ErrorKind::InvalidData.into())
}

/// Steps per second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rates {
    /// By wall time.
    pub(crate) by_the_clock: f64,
    /// By CPU time.
    pub(crate) on_processor: f64,
}

pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The median and the 99th percentile, in microseconds.
pub(crate) fn spread(mut readings: Vec<Duration>) -> Value {
    readings.sort_unstable();
    let at = |percent: usize| {
        let nth = (readings.len() * percent / 100).min(readings.len().saturating_sub(1));
        let micros = readings.get(nth).map_or(f64::NAN, |took| took.as_secs_f64() * 1e6);
        (micros * 10.0).round() / 10.0
    };
    json!({ "p50_us": at(50), "p99_us": at(99) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_names_the_middle_and_what_only_one_in_a_hundred_exceeds() {
        let readings = (1..=200).rev().map(Duration::from_micros).collect();
        assert_eq!(spread(readings), json!({ "p50_us": 101.0, "p99_us": 199.0 }));
        assert_eq!(spread(vec![Duration::from_micros(7)]), json!({ "p50_us": 7.0, "p99_us": 7.0 }));
    }

    #[test]
    fn one_wild_round_does_not_move_a_median() {
        assert!((median(vec![2.0, 900.0, 1.0, 3.0, 2.0]) - 2.0).abs() < f64::EPSILON);
    }
}
