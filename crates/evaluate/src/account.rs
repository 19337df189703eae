//! Accounts: what was found out about one change, as plain data.

use sealwright_gates::strength::Score;
use sealwright_gates::tripwire::{Guard, What};
use sealwright_gates::{Finding, Judgement, Toolchain};
use sealwright_kernel::{Cheat, Verdict};

use super::history::Change;

#[derive(Clone, Debug)]
pub struct Account {
    pub change: Change,
    pub fate: Fate,
    /// Its tests, language by language.
    pub suites: Vec<Suites>,
    /// Tests that said something before the change and say less after it.
    pub lost: Vec<Lost>,
    /// What would have had to be declared first.
    pub declare: Vec<ToDeclare>,
    /// The tests that came with it, and how each ends without it.
    pub proof: Vec<Proven>,
    /// What was seen that only a cheat leaves behind.
    pub cheats: Vec<(Cheat, String)>,
    /// What a person would have had to look at.
    pub findings: Vec<Finding>,
    /// What its tests notice, language by language.
    pub strength: Vec<Strength>,
    /// The other checks of the project.
    pub checks: Vec<Checked>,
    /// Tests that failed once and passed when they were run again.
    pub flaky: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Nothing speaks against it.
    Passed,
    /// A gate would have stopped it. The most telling reason comes first; there is always one.
    Stopped { why: Vec<String> },
    /// The gates cannot tell, here and today. There is always a reason.
    CannotTell { why: Vec<String> },
    /// It touches nothing that a gate runs on.
    Nothing { why: String },
    /// Time was over before it was its turn.
    NotReached,
}

#[derive(Clone, Debug)]
pub struct Suites {
    pub toolchain: Toolchain,
    pub before: Counts,
    pub now: Counts,
    /// Tests of the project that were not run, in a few words each.
    pub not_run: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub passed: usize,
    pub failed: usize,
    pub skipped: usize,
}

/// A test that says less than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    pub test: String,
    pub how: How,
}

/// In which way a test says less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// It passes before and after, and what it was would fail after.
    Weakened,
    Removed,
    /// It is still there, and no runner finds it.
    Undiscovered,
    /// It is there and left out.
    Skipped,
}

/// Something that may change only if it is said before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToDeclare {
    pub path: String,
    pub guard: Declarable,
    pub what: What,
}

/// What may change only if it is said before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Declarable {
    /// A test that was there.
    Test,
    /// Something else that decides how work is judged.
    Guarded(Guard),
}

/// A test that came with the change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proven {
    pub test: String,
    pub end: End,
}

/// How a test ends on the source as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It fails, as it must.
    Red,
    /// It cannot even be built or loaded, because what it uses is not there.
    Missing,
    /// It passes, so it proves nothing of the change.
    Green,
    /// It cannot fail at all; `what` it makes sure of instead.
    CannotFail { what: String },
    /// What it stands in could not be built or loaded, and nobody knows whether that is its own doing.
    Unclear,
}

#[derive(Clone, Debug)]
pub struct Strength {
    pub toolchain: Toolchain,
    pub judgement: Judgement,
    /// The mutants, counted, where any were tried.
    pub score: Option<Score>,
}

/// A check of the project that runs something else than tests in a clean room.
#[derive(Clone, Debug)]
pub struct Checked {
    pub name: String,
    pub kind: &'static str,
    pub verdict: Verdict,
    /// What it says of what was there before, where that was asked.
    pub before: Option<Verdict>,
    pub because: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub changes: usize,
    pub passed: usize,
    pub stopped: usize,
    pub untold: usize,
    pub nothing: usize,
    pub unreached: usize,
    /// Mutants that tests noticed.
    pub killed: usize,
    /// Mutants that say something: noticed or not.
    pub mutants: usize,
    /// Tests of the project, as it is now, that were not run.
    pub not_run: Vec<String>,
}

impl Account {
    /// Of a change that nobody has looked at yet.
    pub(super) fn new(change: Change) -> Self {
        Self {
            change,
            fate: Fate::NotReached,
            suites: Vec::new(),
            lost: Vec::new(),
            declare: Vec::new(),
            proof: Vec::new(),
            cheats: Vec::new(),
            findings: Vec::new(),
            strength: Vec::new(),
            flaky: Vec::new(),
            checks: Vec::new(),
        }
    }
}

impl Summary {
    pub(super) fn add(&mut self, account: &Account) {
        self.changes += 1;
        let count = match account.fate {
            Fate::Passed => &mut self.passed,
            Fate::Stopped { .. } => &mut self.stopped,
            Fate::CannotTell { .. } => &mut self.untold,
            Fate::Nothing { .. } => &mut self.nothing,
            Fate::NotReached => &mut self.unreached,
        };
        *count += 1;
        if self.not_run.is_empty() {
            self.not_run = account.suites.iter().flat_map(|it| it.not_run.clone()).collect();
        }
        for score in account.strength.iter().filter_map(|it| it.score.as_ref()) {
            self.killed += score.killed;
            self.mutants += score.killed + score.survivors.len();
        }
    }

    /// Whether anything was found out at all.
    pub fn has_seen_anything(&self) -> bool {
        self.passed + self.stopped + self.nothing > 0
    }
}

impl How {
    pub fn name(self) -> &'static str {
        match self {
            Self::Weakened => "weakened",
            Self::Removed => "removed",
            Self::Undiscovered => "undiscovered",
            Self::Skipped => "skipped",
        }
    }
}

impl Declarable {
    pub fn name(self) -> &'static str {
        match self {
            Self::Test => "a test that was there",
            Self::Guarded(guard) => guard.name(),
        }
    }
}

impl End {
    /// Whether a test that ends like this shows that something changed.
    pub fn is_proof(&self) -> bool {
        match self {
            Self::Red | Self::Missing => true,
            Self::Green | Self::CannotFail { .. } | Self::Unclear => false,
        }
    }
}
