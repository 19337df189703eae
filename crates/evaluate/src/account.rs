//! Accounts: what was found out about one change, as plain data.

use sealwright_gates::strength::Score;
use sealwright_gates::tripwire::{Guard, What};
use sealwright_gates::{Finding, Judgement, Toolchain};
use sealwright_kernel::{Cheat, Verdict};

use super::history::Change;

/// What was found out about one change.
#[derive(Clone, Debug)]
pub struct Account {
    /// Which.
    pub change: Change,
    /// What would have become of it.
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
}

/// What would have become of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Nothing speaks against it.
    Passed,
    /// A gate would have stopped it.
    Stopped {
        /// Why, the most telling first. Never empty.
        why: Vec<String>,
    },
    /// Nobody can tell, here and today.
    CannotTell {
        /// Why. Never empty.
        why: Vec<String>,
    },
    /// It touches nothing that a gate looks at.
    Nothing,
    /// Time was over before it was its turn.
    NotReached,
}

/// The tests of one language, before and after.
#[derive(Clone, Debug)]
pub struct Suites {
    /// Which language.
    pub toolchain: Toolchain,
    /// Before the change.
    pub before: Counts,
    /// After it.
    pub now: Counts,
}

/// How a suite ended, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Tests that ran and held.
    pub passed: usize,
    /// Tests that did not.
    pub failed: usize,
    /// Tests that were left out.
    pub skipped: usize,
}

/// A test that says less than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// Which.
    pub test: String,
    /// In which way.
    pub how: How,
}

/// In which way a test says less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// It passes before and after, and what it was would fail after.
    Weakened,
    /// It is gone.
    Removed,
    /// It is still there, and no runner finds it.
    Undiscovered,
    /// It is there and left out.
    Skipped,
}

/// Something that may change only if it is said before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToDeclare {
    /// Which file, or which test.
    pub path: String,
    /// What it is.
    pub guard: Declarable,
    /// What happened to it.
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
    /// Which.
    pub test: String,
    /// How it ends without the change.
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
    /// It cannot fail at all.
    CannotFail {
        /// What it makes sure of instead.
        what: String,
    },
    /// What it stands in could not be built or loaded, and nobody knows whether that is its own doing.
    Unclear,
}

/// What the tests of one language notice.
#[derive(Clone, Debug)]
pub struct Strength {
    /// Which language.
    pub toolchain: Toolchain,
    /// What the gate says of it.
    pub judgement: Judgement,
    /// The mutants, counted, where any were tried.
    pub score: Option<Score>,
}

/// A check of the project that runs something else than tests in a clean room.
#[derive(Clone, Debug)]
pub struct Checked {
    /// What it goes by.
    pub name: String,
    /// Its kind.
    pub kind: &'static str,
    /// What it says of the change.
    pub verdict: Verdict,
    /// What it says of what was there before, where that was asked.
    pub before: Option<Verdict>,
    /// Why it is no pass.
    pub because: Vec<String>,
}

/// All accounts, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Changes there are.
    pub changes: usize,
    /// Nothing speaks against these.
    pub passed: usize,
    /// These would have been stopped.
    pub stopped: usize,
    /// Of these nobody can tell.
    pub untold: usize,
    /// These touch nothing that a gate looks at.
    pub nothing: usize,
    /// For these there was no time.
    pub unreached: usize,
    /// Mutants that tests noticed.
    pub killed: usize,
    /// Mutants that say something: noticed or not.
    pub mutants: usize,
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
            checks: Vec::new(),
        }
    }
}

impl Summary {
    /// Counts one more.
    pub(super) fn add(&mut self, account: &Account) {
        self.changes += 1;
        let count = match account.fate {
            Fate::Passed => &mut self.passed,
            Fate::Stopped { .. } => &mut self.stopped,
            Fate::CannotTell { .. } => &mut self.untold,
            Fate::Nothing => &mut self.nothing,
            Fate::NotReached => &mut self.unreached,
        };
        *count += 1;
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
    /// What people call it.
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
    /// What people call it.
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

    /// What people call it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Red => "red",
            Self::Missing => "missing",
            Self::Green => "green",
            Self::CannotFail { .. } => "cannot_fail",
            Self::Unclear => "unclear",
        }
    }
}
