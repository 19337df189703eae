//! Facts that a host brings back to a gate. What they mean is the gate's to say.

use std::collections::BTreeMap;

use sealwright_kernel::Digest;

#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    Ran(Ran),
    Visited(Visited),
    /// All files of the candidate.
    Listing(Vec<Listed>),
    /// The files that were asked for and are there.
    Files(Vec<File>),
    /// It could not be done: no such program, no walls, no room.
    Nothing {
        why: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    pub ended: Ended,
    pub stdout: Said,
    pub stderr: Said,
    /// The reports it left, by name. One that was asked for and is not here was not left.
    pub reports: BTreeMap<String, Said>,
    pub millis: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Exited(i32),
    Signalled(i32),
    TimedOut,
    OutOfRoom,
    /// Unknown: it was cancelled, or its keeper died.
    Lost,
}

/// Some bytes of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    pub bytes: Vec<u8>,
    pub total: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visited {
    /// Traces of an attempt to decide the outcome: where, and what.
    pub tampering: Vec<(String, String)>,
    pub build: Option<Ran>,
    /// The commands that ran tests, by name.
    pub runs: Vec<(String, Ran)>,
    /// The commands that ran tests which failed before the change, and no others.
    pub known_failing: Vec<(String, Ran)>,
    /// Test files that the project's configuration left out. Nothing may be told of a test in them.
    pub left_out: Vec<String>,
    /// Other tests of the project that nothing ran, in a few words each.
    pub not_run: Vec<String>,
    /// The runs that are one test each, and whose exit code is its result.
    pub without_harness: Vec<String>,
    pub canary: Canary,
}

/// The canary, a test that must fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Canary {
    Failed,
    Passed {
        /// The test file it was in, and how that came out.
        what: String,
    },
    /// The run that has it was cut off, so nobody knows.
    Unseen {
        what: String,
    },
    /// There was no need: something had failed before.
    NotNeeded,
}

/// A file of the candidate, as far as a listing tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    pub path: String,
    /// Its content now. None if it was removed.
    pub now: Option<Fact>,
    /// Its content in the base. None if it is new.
    pub before: Option<Fact>,
}

/// A content, as a listing tells of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Its name by content.
    pub digest: Digest,
    pub bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub path: String,
    pub now: Option<Vec<u8>>,
    pub before: Option<Vec<u8>>,
}

impl Said {
    pub fn whole(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self { total: bytes.len() as u64, bytes }
    }

    pub fn is_whole(&self) -> bool {
        self.total == self.bytes.len() as u64
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

impl Listed {
    pub fn is_changed(&self) -> bool {
        self.now.map(|now| now.digest) != self.before.map(|before| before.digest)
    }
}
