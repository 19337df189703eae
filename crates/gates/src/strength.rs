//! Strength: would the acceptance tests notice if the change were wrong? Its mutants must be killed.
//!
//! ```text
//! change ──lines──▶ aim ──a tool lists, runs nothing──▶ mutants ──seed──▶ sample
//!                                                                            │ one at a time, each in a clean room
//!                                   verdict ◀── killed, survived, … ◀────────┘
//! ```
//!
//! A mutation tool that runs tests itself would run them in one place with its own report, and the code under test
//! could write that. So tools only say which bytes to replace; every mutant is then built and tested as a candidate
//! is. Only lines that the change touched are mutated, at most so many, chosen by a seed.
//!
//! Some mutants mean the same as what they replace, so not all of them can be killed: a share may survive, and in
//! a small sample one. But a line on which nothing is ever noticed is not tested, however strong the rest is. Every
//! survivor is shown as a difference.

mod score;

pub use crate::mutants::{Aim, Edit, Listing, Mutant, Sample, Target, changed};
pub use score::{Baseline, End, Measure, Rules, Score, is_silent, judge};

#[cfg(test)]
mod tests;
