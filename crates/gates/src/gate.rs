//! The border: what a gate asks of its host.

use std::fmt;

use crate::{Judgement, Seen, TestId, Toolchain};

/// A kind of check with everything it was told about the project. It holds no state: what was seen is handed back.
pub trait Gate: fmt::Debug + Send + Sync {
    /// The next step. `seen` holds the answers to the steps so far, in their order.
    fn next(&self, seen: &[Seen]) -> Step;
}

#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Run(Command),
    Visit(Room),
    Read(Wanted),
    Say(Judgement),
}

/// A command in a copy of the candidate, over which everything guarded was laid as it was frozen. It has no network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The program and its words. No shell reads them.
    pub argv: Vec<String>,
    /// Variables, beside those that every command has.
    pub environment: Vec<(String, String)>,
    /// Files it is to leave in the folder [`REPORTS`] and that are brought back, by name.
    pub reports: Vec<String>,
    pub timeout_s: u32,
}

/// Frozen tests over the candidate's plain source, built and run apart, with a canary that must fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    pub toolchain: Toolchain,
    pub tests: Vec<String>,
    /// Tests that failed before the change. They run apart, after all others.
    pub known_failing: Vec<TestId>,
    pub timeout_s: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The names and sizes of all files, those of the base beside them.
    Listing,
    /// The content of these, as far as they are there.
    Files(Vec<String>),
}

/// Where a command leaves files that are brought back.
pub const REPORTS: &str = "/reports";
