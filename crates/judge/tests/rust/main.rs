//! Candidates in Rust, judged from another room.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

mod libraries;
mod programs;
mod rooms;
