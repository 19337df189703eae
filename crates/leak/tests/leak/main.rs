//! The leak filter from outside: attempts to leak, innocent output, and properties of any output.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

mod attempts;
mod encoders;
mod innocent;
mod material;
mod properties;
mod runs;
mod smuggling;
