//! Cancelling a run from another thread, with a descriptor that `poll` can wait for.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};

use crate::clock::{now, timespec};

#[derive(Debug)]
pub struct Cancel(OwnedFd);

impl Cancel {
    pub fn new() -> io::Result<Self> {
        Ok(Self(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?))
    }

    pub fn cancel(&self) {
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }

    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled_within(Duration::ZERO)
    }

    /// Waits at most `limit` for cancellation, and returns whether it came.
    pub fn is_cancelled_within(&self, limit: Duration) -> bool {
        let until = now() + limit.min(LIMIT_MAX);
        loop {
            let mut events = [PollFd::new(&self.0, PollFlags::IN)];
            match poll(&mut events, Some(&timespec(until.saturating_duration_since(now())))) {
                Ok(_) => return !events[0].revents().is_empty(),
                Err(rustix::io::Errno::INTR) => {}
                // What cannot be waited for must not go on for ever either.
                Err(_) => return true,
            }
        }
    }

    /// The descriptor that becomes readable on cancellation and stays so.
    pub(crate) fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Longer than any wait, and short of what a clock can count to.
const LIMIT_MAX: Duration = Duration::from_secs(365 * 24 * 3600);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_was_called_off_stays_so_however_often_it_is_asked() {
        let cancel = Cancel::new().unwrap();
        assert!(!cancel.is_cancelled());
        assert!(!cancel.is_cancelled_within(Duration::from_millis(1)));
        cancel.cancel();
        for _ in 0..3 {
            assert!(cancel.is_cancelled());
        }
        assert!(cancel.is_cancelled_within(Duration::from_secs(3600)));
    }

    #[test]
    fn whoever_waits_hears_it_from_another_thread() {
        let cancel = Cancel::new().unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| cancel.is_cancelled_within(Duration::from_secs(3600)));
            cancel.cancel();
            assert!(waiting.join().unwrap());
        });
    }
}
