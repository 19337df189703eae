//! The clean room: a check of what a role left, in a view of its own that the role could not prepare.
//!
//! ```text
//! work tree ──plain source──▶ material ──▶ build ──artifacts──▶ run ──▶ outcome
//! frozen files ───over it──────┘   │
//! caches (trusted step) ───────────┴─with a canary──▶ the same beside it, and it must fail
//! ```
//!
//! A wall does not make a check honest: with frozen tests out of reach, a runner in a configuration file, an old
//! time on a source file or a constructor that exits still turn a broken implementation green. So only plain
//! source comes along, everything that says how to build and what to run is the harness's, the build and each run
//! have walls of their own, and a second room, visited at the same time, holds one more test that must fail, beside one
//! that uses the code. The canary finds, it does not prove: code that runs in one process with its tests can in the end
//! do to them what it likes.
//!
//! What the outcome means for a task is not decided here.

mod cache;
mod canary;
mod cargo;
mod error;
mod identity;
mod material;
mod outcome;
mod pytest;
mod sources;
mod strength;
mod tree;
mod vendor;
mod warm;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use sealwright_kernel::{Digest, Level};

use crate::plan::{Access, Limits, Mount, Need, Plan};
use crate::{Cancel, Mechanism, RunOutcome, SandboxSlot, SandboxSlots, Terms};

pub use cache::Cache;
pub use cargo::{Cargo, CargoParts};
pub use error::RoomError;
pub use outcome::{Canary, Report, RoomDigest, RoomOutcome, Tampering};
pub use pytest::Pytest;
pub use sources::Sources;
pub use strength::{Attempt, Bench, Lister, Wrong};

use material::Material;
use outcome::ended_well;

/// One check, and all it is made of.
#[derive(Clone, Debug)]
pub struct Room<'r> {
    /// What a role left.
    pub work_tree: &'r Path,
    /// What of it is source.
    pub sources: Sources,
    /// The harness's own files, by their place in the work tree: manifest, lock, configuration, tests.
    pub frozen: &'r Path,
    /// Which of them are test files. The canary is added to each.
    pub tests: &'r [&'r str],
    /// Tests that are known to be in them, by file. One of each is run beside the canary, so that the code is used;
    /// of a file of which none is known, all are.
    pub witnesses: &'r BTreeMap<String, Vec<String>>,
    /// What the canary is called. Random: whoever can guess it can pretend that it failed.
    pub nonce: &'r str,
    /// What builds and runs the tests.
    pub language: &'r Language,
    /// What each command may use up.
    pub limits: Limits,
}

/// What builds and runs tests.
#[derive(Clone, Debug)]
pub enum Language {
    /// Rust, with cargo.
    Rust(Cargo),
    /// Python, with pytest.
    Python(Pytest),
}

/// What a room is walled in with.
#[derive(Clone, Debug)]
pub struct Conditions<'c> {
    /// What the walls are made of. It must give a root of its own.
    pub mechanism: Mechanism,
    /// How strong they must be.
    pub least: Level,
    /// Ends the check early.
    pub cancel: Option<&'c Cancel>,
}

impl Room<'_> {
    /// Builds two rooms, checks in them at the same time, and says what was found.
    pub fn check(
        &self,
        slots: &SandboxSlots,
        conditions: &Conditions<'_>,
    ) -> Result<RoomOutcome, RoomError> {
        let frozen = material::frozen(self.frozen)?;
        self.validate(&frozen)?;
        let sources = self.language.sources(&self.sources)?;
        let (material, mut tampering) = Material::gather(self.work_tree, frozen, &sources)?;
        if material.holds(self.nonce) {
            return Err(RoomError::Nonce);
        }
        let with = canary::add(&material, self.tests, &self.language.canary(self.nonce));
        let only = canary::beside(self);
        let (slot, other) = (slots.take()?, slots.take()?);
        let (visit, second) = std::thread::scope(|scope| {
            let second = scope.spawn(|| self.visit(&other, conditions, &with, Some(&only)));
            (self.visit(&slot, conditions, &material, None), second.join())
        });
        let visit = visit?;
        tampering.extend(visit.tampering.iter().cloned());
        let has_passed = ended_well(visit.outcomes()) && !visit.runs.is_empty();
        let canary = if has_passed {
            let second = second.map_err(|_| RoomError::Died)??;
            canary::judge(&second, self.tests, |outcome, test| {
                self.language.has_failed(outcome, test, self.nonce)
            })
        } else {
            Canary::NotNeeded
        };
        if let Canary::Passed { test, why } = &canary {
            tampering.push(Tampering::new(test, &format!("the canary passed: {why}")));
        }
        let digest = RoomDigest {
            sources: material::digest(&material.sources),
            frozen: material::digest(&material.frozen),
            packages: self.language.packages(),
            toolchain: self.language.toolchain(),
            plans: visit.plans,
        };
        let runs = visit.runs.into_iter().map(|run| (run.name, run.outcome)).collect();
        Ok(RoomOutcome {
            digest,
            tampering,
            build: visit.build,
            runs,
            reports: visit.reports,
            artifacts: visit.artifacts,
            canary,
        })
    }

    fn validate(&self, frozen: &material::Files) -> Result<(), RoomError> {
        if self.tests.is_empty() {
            return Err(RoomError::NoTests);
        }
        if let Some(test) = self.tests.iter().find(|test| !frozen.contains_key(**test)) {
            return Err(RoomError::NotFrozen { path: (*test).to_owned() });
        }
        let is_name = (16..=64).contains(&self.nonce.len())
            && self.nonce.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
            && self.nonce.starts_with(|first: char| first.is_ascii_lowercase());
        if is_name { Ok(()) } else { Err(RoomError::Nonce) }
    }

    /// One room from first to last. Both are built at the same place inside, so nothing there tells them apart.
    fn visit(
        &self,
        slot: &SandboxSlot,
        conditions: &Conditions<'_>,
        material: &Material,
        only: Option<&Only>,
    ) -> Result<Visit, RoomError> {
        let place = slot.folder().join("room");
        crate::slot::remove(&place)?;
        material::make_folder(&place)?;
        let site = Site { slot, conditions, place: &place, limits: self.limits };
        let visit = match self.language {
            Language::Rust(cargo) => cargo.visit(&site, material, self.tests, only),
            Language::Python(pytest) => {
                pytest.visit(&site, material, self.tests, self.sources.folders(), only)
            }
        };
        crate::slot::remove(&place)?;
        visit
    }
}

impl Conditions<'_> {
    /// These walls, and nothing that ends a check early.
    pub fn new(mechanism: Mechanism, least: Level) -> Self {
        Self { mechanism, least, cancel: None }
    }

    fn run(&self, slot: &SandboxSlot, plan: &Plan) -> Result<RunOutcome, RoomError> {
        let mut terms = Terms::new(self.mechanism.clone(), self.least);
        terms.cancel = self.cancel;
        Ok(slot.run(plan, terms)?)
    }
}

impl Language {
    fn sources(&self, sources: &Sources) -> Result<Sources, RoomError> {
        let mut sources = sources.clone();
        match self {
            Self::Rust(_) => {}
            Self::Python(pytest) => pytest.protect(&mut sources)?,
        }
        Ok(sources)
    }

    /// What the canary is called among the tests of its file.
    fn canary_name(&self, nonce: &str) -> String {
        match self {
            Self::Rust(_) => nonce.to_owned(),
            Self::Python(_) => format!("test_{nonce}"),
        }
    }

    /// The text of a test that must fail.
    fn canary(&self, nonce: &str) -> String {
        match self {
            Self::Rust(_) => cargo::canary(nonce),
            Self::Python(_) => pytest::canary(nonce),
        }
    }

    /// Whether the canary of one test file failed, and is said to have.
    fn has_failed(&self, outcome: &RunOutcome, test: &str, nonce: &str) -> bool {
        match self {
            Self::Rust(_) => cargo::has_failed(outcome, nonce),
            Self::Python(_) => pytest::has_failed(outcome, test, nonce),
        }
    }

    fn packages(&self) -> Digest {
        match self {
            Self::Rust(cargo) => cargo.packages(),
            Self::Python(pytest) => pytest.packages(),
        }
    }

    fn toolchain(&self) -> Digest {
        match self {
            Self::Rust(cargo) => cargo.toolchain(),
            Self::Python(pytest) => pytest.toolchain(),
        }
    }
}

/// Where a room is built, and with what around it.
pub(crate) struct Site<'s> {
    slot: &'s SandboxSlot,
    conditions: &'s Conditions<'s>,
    place: &'s Path,
    limits: Limits,
}

/// The tests that are run in a room, by file; of a file without any, all.
pub(crate) type Only = BTreeMap<String, Vec<String>>;

/// What happened in one room.
#[derive(Debug, Default)]
pub(crate) struct Visit {
    build: Option<RunOutcome>,
    runs: Vec<Run>,
    reports: Vec<Report>,
    artifacts: BTreeMap<String, Digest>,
    plans: Vec<Digest>,
    tampering: Vec<Tampering>,
}

/// One command that ran tests.
#[derive(Debug)]
pub(crate) struct Run {
    name: String,
    /// The test files it ran.
    tests: Vec<String>,
    outcome: RunOutcome,
}

impl Visit {
    fn outcomes(&self) -> impl Iterator<Item = &RunOutcome> {
        self.build.iter().chain(self.runs.iter().map(|run| &run.outcome))
    }
}

impl Site<'_> {
    /// A plan that sees the system, with the room's limits.
    fn plan(&self, argv: &[&str]) -> Result<Plan, RoomError> {
        let mut plan = crate::system::plan(self.slot, argv)?;
        plan.limits = self.limits;
        Ok(plan)
    }

    /// Runs a plan here, and notes what it had around it.
    fn run(&self, plan: &Plan, plans: &mut Vec<Digest>) -> Result<RunOutcome, RoomError> {
        plans.push(plan.shape());
        self.conditions.run(self.slot, plan)
    }
}

/// What came of reading something the harness was given, with its name if nothing did.
fn reading<T>(path: &Path, read: impl FnOnce(&Path) -> io::Result<T>) -> Result<T, RoomError> {
    read(path).map_err(|source| RoomError::Read { path: path.display().to_string(), source })
}

fn mount(source: &Path, at: &str, access: Access) -> Mount {
    Mount { source: source.to_owned(), at: at.to_owned(), access, need: Need::Required }
}
