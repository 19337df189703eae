//! The leak filter from outside: what is smuggled, what is innocent, and what holds for any output.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

mod attempts;
mod encoders;
mod innocent;
mod material;
mod properties;
mod runs;
mod smuggling;
