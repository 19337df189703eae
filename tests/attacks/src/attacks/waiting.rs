//! Bounded waiting.

use std::thread;
use std::time::{Duration, Instant};

/// Waits until a condition holds, or for half a second.
#[expect(clippy::disallowed_methods, reason = "what it waits for has no handle to wait on")]
pub(super) fn until(is_true: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_true() && start.elapsed() < Duration::from_millis(500) {
        thread::sleep(Duration::from_millis(5));
    }
}

/// Sleeps for a while. The harness should end it, but it ends by itself too.
#[expect(clippy::disallowed_methods, reason = "staying is the attack")]
pub(super) fn stay(how_long: Duration) {
    thread::sleep(how_long);
}
