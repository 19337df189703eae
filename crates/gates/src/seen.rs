//! What was seen: facts that a host brings back to a gate. Nothing in here says what they mean.

use std::collections::BTreeMap;

use sealwright_kernel::Digest;

/// The answer to one step.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// A command ended.
    Ran(Ran),
    /// A clean room was visited.
    Visited(Visited),
    /// All files of the candidate.
    Listing(Vec<Listed>),
    /// The files that were asked for and are there.
    Files(Vec<File>),
    /// It could not be done: no such program, no walls, no room.
    Nothing {
        /// Why.
        why: String,
    },
}

/// A command that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// How.
    pub ended: Ended,
    /// What it said.
    pub stdout: Said,
    /// What it complained about.
    pub stderr: Said,
    /// The reports it left, by name. One that was asked for and is not here was not left.
    pub reports: BTreeMap<String, Said>,
    /// How long it took, in milliseconds.
    pub millis: u64,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself.
    Exited(i32),
    /// By a signal.
    Signalled(i32),
    /// It took too long.
    TimedOut,
    /// It used up more than it may.
    OutOfRoom,
    /// Nobody knows: it was called off or its keeper died.
    Lost,
}

/// Some bytes of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// What was kept of them.
    pub bytes: Vec<u8>,
    /// How many there were.
    pub total: u64,
}

/// What was found in a clean room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visited {
    /// Traces of somebody having tried to decide the outcome: where, and what.
    pub tampering: Vec<(String, String)>,
    /// How the build ended, where there is one.
    pub build: Option<Ran>,
    /// The commands that ran tests, by name.
    pub runs: Vec<(String, Ran)>,
    /// How the test ended that must fail.
    pub canary: Canary,
}

/// How the test ended that must fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Canary {
    /// It failed everywhere, as it must.
    Failed,
    /// It did not fail here.
    Passed {
        /// The test file it was in, and how that came out.
        what: String,
    },
    /// There was no need: something had failed before.
    NotNeeded,
}

/// A file of the candidate, as far as a listing tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Where it is.
    pub path: String,
    /// How long it is now. Nothing, where it is gone.
    pub now: Option<Fact>,
    /// How long it was in the base. Nothing, where it is new.
    pub before: Option<Fact>,
}

/// What a listing says of one content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Its name by content.
    pub digest: Digest,
    /// Its length.
    pub bytes: u64,
}

/// A file of the candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Where it is.
    pub path: String,
    /// What is in it.
    pub now: Option<Vec<u8>>,
    /// What was in it in the base.
    pub before: Option<Vec<u8>>,
}

impl Said {
    /// All of what was said.
    pub fn whole(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self { total: bytes.len() as u64, bytes }
    }

    /// Whether nothing was cut away.
    pub fn is_whole(&self) -> bool {
        self.total == self.bytes.len() as u64
    }

    /// It as text, as far as it is text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

impl Listed {
    /// Whether it differs from the base.
    pub fn is_changed(&self) -> bool {
        self.now.map(|now| now.digest) != self.before.map(|before| before.digest)
    }
}
