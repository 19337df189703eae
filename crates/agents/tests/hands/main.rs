//! Agents that are no models: a person, and a script.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

mod human;
mod script;
mod world;
