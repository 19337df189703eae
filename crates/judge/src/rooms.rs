//! Two rooms, and the way between them.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread;

use sealwright_kernel::Level;
use sealwright_sandbox::plan::{Access, Mount, Plan};
use sealwright_sandbox::{Cancel, Mechanism, RunOutcome, SandboxSlot, SandboxSlots, Terms};

use crate::trial::TrialError;
use crate::{Malformed, carry};

/// Where trials are held. Both rooms of one have the same walls.
#[derive(Clone, Copy)]
pub struct Rooms<'r> {
    pub slots: &'r SandboxSlots,
    pub mechanism: &'r Mechanism,
    pub least: Level,
}

impl Rooms<'_> {
    pub(crate) fn terms<'c>(&self) -> Terms<'c> {
        Terms::new(self.mechanism.clone(), self.least)
    }

    /// Runs tests in one room and a candidate in another. What each reads is a stream, and only values pass from the
    /// candidate to the tests.
    pub(crate) fn face_to_face(
        &self,
        (judge, candidate): ((&SandboxSlot, &Plan), (&SandboxSlot, &Plan)),
        cancel: Option<&Cancel>,
    ) -> Result<(RunOutcome, RunOutcome, Option<Malformed>), TrialError> {
        let (judge_stream, judge_end) = UnixStream::pair()?;
        let (candidate_stream, candidate_end) = UnixStream::pair()?;
        let run = |(slot, plan): (&SandboxSlot, &Plan), end: UnixStream| {
            let input = Some(OwnedFd::from(end));
            slot.run(plan, Terms { input, cancel, ..self.terms() })
        };
        thread::scope(|scope| {
            let candidate = scope.spawn(move || run(candidate, candidate_end));
            let answers = scope.spawn(move || carry(judge_stream, candidate_stream));
            let judge = run(judge, judge_end);
            let malformed = answers.join().unwrap_or(Some(Malformed::NotAllowed));
            let candidate = candidate.join().map_err(|_| io::Error::other("a run panicked"))?;
            Ok((judge?, candidate?, malformed))
        })
    }

    /// A folder that both have, for files. In the judge's room its links lead nowhere; where that cannot be, there is none,
    /// because a link of the candidate could lead to the tests.
    pub(crate) fn exchange(
        &self,
        slot: &SandboxSlot,
        judge: &mut Plan,
        candidate: &mut Plan,
    ) -> io::Result<()> {
        if *self.mechanism != Mechanism::Namespaces {
            return Ok(());
        }
        let place = slot.folder().join("exchange");
        fs::create_dir(&place)?;
        fs::set_permissions(&place, fs::Permissions::from_mode(0o777))?;
        judge.mounts.push(Mount::required(&place, EXCHANGE, Access::ReadWriteNoLinks));
        candidate.mounts.push(Mount::required(&place, EXCHANGE, Access::ReadWrite));
        for (name, value) in [
            ("JUDGE_EXCHANGE", EXCHANGE.to_owned()),
            ("TMPDIR", EXCHANGE.to_owned()),
            ("PYTEST_ADDOPTS", format!("--basetemp={EXCHANGE}/a")),
        ] {
            judge.environment.insert(name.to_owned(), value);
        }
        Ok(())
    }
}

/// What an honest candidate does not care about.
#[derive(Debug)]
pub struct Surroundings {
    /// Where it is installed, and whether it could change itself there.
    pub(crate) at: &'static str,
    pub(crate) access: Access,
    /// Where its source is when it is compiled, and the program that was made of it.
    pub(crate) source: &'static str,
    pub(crate) program: &'static str,
    /// Where programs of its own are.
    pub(crate) programs: &'static str,
    pub(crate) is_optimised: bool,
    /// Variables that it finds.
    own: &'static [(&'static str, &'static str)],
    /// Variables that tests and candidate find.
    both: &'static [(&'static str, &'static str)],
    pub(crate) is_reversed: bool,
}

impl Surroundings {
    pub(crate) fn add_for_candidate(&self, plan: &mut Plan) {
        for (name, value) in self.own.iter().chain(self.both) {
            plan.environment.insert((*name).to_owned(), (*value).to_owned());
        }
    }

    pub(crate) fn add_for_tests(&self, plan: &mut Plan) {
        for (name, value) in self.both {
            plan.environment.insert((*name).to_owned(), (*value).to_owned());
        }
    }
}

/// The first room.
pub const USUAL: Surroundings = Surroundings {
    at: "/opt/candidate",
    access: Access::ReadOnly,
    source: "/work",
    program: "/opt/service/service",
    programs: "/opt/tools",
    is_optimised: false,
    own: &[],
    both: &[],
    is_reversed: false,
};

/// Another one, in which nothing is the same that need not be: place and rights, time zone, order of tests, hashes, optimisation.
pub const OTHER: Surroundings = Surroundings {
    at: "/srv/app/lib/site-packages",
    access: Access::CopyOnWrite,
    source: "/srv/app/vendor/code",
    program: "/srv/app/bin/worker",
    programs: "/srv/app/commands",
    is_optimised: true,
    own: &[("USER", "service"), ("LC_ALL", "C.UTF-8")],
    both: &[("TZ", "Asia/Kathmandu")],
    is_reversed: true,
};

/// A new folder that every user may read.
pub(crate) fn folder(path: &Path) -> io::Result<()> {
    fs::create_dir(path)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

/// Lets every user read a file.
pub(crate) fn open_file(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(0o644))
}

const EXCHANGE: &str = "/var/tmp";
