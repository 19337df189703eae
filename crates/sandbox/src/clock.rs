//! The clock behind every time limit.

use std::time::{Duration, Instant};

use rustix::event::Timespec;

/// A duration as `poll` takes it.
pub(crate) fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: duration.subsec_nanos().into(),
    }
}

pub(crate) fn now() -> Instant {
    #[expect(clippy::disallowed_methods, reason = "a time limit needs a clock")]
    Instant::now()
}
