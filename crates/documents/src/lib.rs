//! The documents a project is steered by: what they say, and why a gate of documents does not hold.
//!
//! ```text
//! text ──markdown──▶ blocks with lines ──scope, design, …──▶ values + findings ──gates──▶ evaluation
//! facts (what the performer measured) ───────────────────────────────────────────▲
//! ```
//!
//! Every function is pure. The text comes from agents and is hostile: a reader never panics, never recurses on input, and
//! stops at its bounds. The caller reads files, runs commands and decides what a failed gate leads to.

pub mod brake;
pub mod delivery;
pub mod design;
pub mod examples;
mod finding;
pub mod gates;
mod ids;
pub mod ledger;
mod markdown;
pub mod placeholders;
pub mod preferences;
pub mod proposal;
pub mod readiness;
pub mod scope;
mod text;
mod tier;

pub use finding::{FINDINGS_MAX, Finding};
pub use markdown::BYTES_MAX;
pub use tier::Tier;

#[cfg(test)]
mod tests;
