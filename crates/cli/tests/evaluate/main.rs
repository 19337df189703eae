//! `sealwright evaluate`, on real histories of small projects, with real walls and real runners.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]
#![expect(clippy::disallowed_methods, reason = "these tests start the binary")]

mod history;
mod python;
mod rust;
mod untold;
