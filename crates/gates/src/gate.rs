//! The border: what a gate is to whoever runs it.

use std::fmt;

use crate::{Judgement, Seen, Toolchain};

/// A kind of check with everything it was told about the project. It holds no state: what was seen is handed back.
pub trait Gate: fmt::Debug + Send + Sync {
    /// What to do next, after everything in `seen`, which answers the steps so far in their order.
    fn next(&self, seen: &[Seen]) -> Step;
}

/// What a gate wants.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// A command is to be run on the candidate.
    Run(Command),
    /// The tests are to be run in a clean room.
    Visit(Room),
    /// The candidate is to be looked at.
    Read(Wanted),
    /// It is decided.
    Say(Judgement),
}

/// A command in a copy of the candidate, over which everything guarded was laid as it was frozen. It has no network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The program and its words. No shell reads them.
    pub argv: Vec<String>,
    /// What it finds in its environment, beside what every command has.
    pub environment: Vec<(String, String)>,
    /// Files it is to leave in the folder [`REPORTS`] and that are brought back, by name.
    pub reports: Vec<String>,
    /// How long it may take.
    pub timeout_s: u32,
}

/// Frozen tests over the candidate's plain source, built and run apart, with a canary that must fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// What builds and runs them.
    pub toolchain: Toolchain,
    /// The frozen test files.
    pub tests: Vec<String>,
    /// How long each command may take.
    pub timeout_s: u32,
}

/// What of a candidate is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The names and sizes of all files, those of the base beside them.
    Listing,
    /// The content of these, as far as they are there.
    Files(Vec<String>),
}

/// Where a command leaves files that are brought back.
pub const REPORTS: &str = "/reports";
