//! The bench: the material of a room, with a tool that lists what could be wrong in it, and with one wrong at a time.
//!
//! A tool for mutants is given the same files a check is, reads them, and runs nothing of them; what it says comes
//! back as it said it. A wrong is then one more candidate: it is built and tested in a room like any other, so
//! whoever wrote the code under test has no say in how that ends.

use std::path::Path;

use crate::plan::{Access, Limits};
use crate::room::material::{self, Material, make_folder};
use crate::room::{Conditions, Language, Room, RoomError, Site, Tampering, mount};
use crate::system::{WORK, add_tool};
use crate::{RunOutcome, SandboxSlot};

/// The material of a room, read once.
#[derive(Debug)]
pub struct Bench<'r> {
    room: &'r Room<'r>,
    material: Material,
    tampering: Vec<Tampering>,
}

/// Something that lists mutants.
#[derive(Clone, Copy, Debug)]
pub enum Lister<'l> {
    /// cargo-mutants.
    CargoMutants {
        /// The program itself.
        program: &'l Path,
    },
    /// A script that uses Cosmic Ray.
    CosmicRay {
        /// The interpreter whose `sys.base_prefix` this is.
        interpreter: &'l Path,
        /// Packages that a trusted step put there, Cosmic Ray among them.
        site: &'l Path,
    },
}

/// What is wrong in one attempt.
#[derive(Clone, Copy, Debug)]
pub enum Wrong<'w> {
    /// Nothing: it shows how the tests end by themselves.
    Nothing,
    /// One file of source is another.
    File {
        path: &'w str,
        /// What is in it instead.
        content: &'w [u8],
    },
}

/// How one attempt ended.
#[derive(Debug)]
pub struct Attempt {
    /// How the build ended, where there is one.
    pub build: Option<RunOutcome>,
    /// What was run, in this order. Nothing, where nothing was built.
    pub runs: Vec<(String, RunOutcome)>,
}

impl<'r> Room<'r> {
    /// Reads what this room is made of, to try it with wrongs in it.
    pub fn bench(&'r self) -> Result<Bench<'r>, RoomError> {
        let frozen = material::frozen(self.frozen)?;
        self.validate(&frozen)?;
        let sources = self.language.sources(&self.sources)?;
        let (material, tampering) = Material::gather(self.work_tree, frozen, &sources)?;
        Ok(Bench { room: self, material, tampering })
    }
}

impl Bench<'_> {
    /// Traces of somebody having tried to decide the outcome.
    pub fn tampering(&self) -> &[Tampering] {
        &self.tampering
    }

    /// A file of source, as it goes into the room.
    pub fn source(&self, path: &str) -> Option<&[u8]> {
        self.material.sources.get(path).map(Vec::as_slice)
    }

    /// Has a tool look at the material. Nothing of it is run, and nothing of it can be written to.
    pub fn list(
        &self,
        lister: Lister<'_>,
        argv: &[&str],
        slot: &SandboxSlot,
        conditions: &Conditions<'_>,
    ) -> Result<RunOutcome, RoomError> {
        let place = slot.folder().join("bench");
        crate::slot::remove(&place)?;
        make_folder(&place)?;
        let work = place.join("work");
        self.material.put(&work, |_| true)?;
        let limits = Limits { output_bytes: LIST_BYTES_MAX, ..self.room.limits };
        let site = Site { slot, conditions, place: &place, limits };
        let mut plan = site.plan(argv)?;
        match (self.room.language, lister) {
            (Language::Rust(cargo), Lister::CargoMutants { program }) => {
                cargo.add(&mut plan, &work, &place)?;
                let program = program.canonicalize()?;
                plan.mounts.push(mount(&program, "/opt/mutants/cargo-mutants", Access::ReadOnly));
                let path = plan.environment.entry("PATH".to_owned()).or_default();
                *path = format!("/opt/mutants:{path}");
            }
            (Language::Python(_), Lister::CosmicRay { interpreter, site }) => {
                add_tool(&mut plan, interpreter, "/opt/python")?;
                let packages = site.canonicalize()?;
                plan.mounts.push(mount(&packages, "/site", Access::ReadOnly));
                plan.mounts.push(mount(&work, WORK, Access::ReadOnly));
                plan.folder = WORK.to_owned();
                for (name, value) in PYTHON {
                    plan.environment.insert((*name).to_owned(), (*value).to_owned());
                }
            }
            (Language::Rust(_), Lister::CosmicRay { .. })
            | (Language::Python(_), Lister::CargoMutants { .. }) => {
                return Err(RoomError::OtherLanguage);
            }
        }
        let outcome = conditions.run(slot, &plan);
        crate::slot::remove(&place)?;
        outcome
    }

    /// Builds and tests it with this wrong in it, each command within these limits.
    pub fn attempt(
        &self,
        wrong: Wrong<'_>,
        limits: Limits,
        slot: &SandboxSlot,
        conditions: &Conditions<'_>,
    ) -> Result<Attempt, RoomError> {
        let mut material = self.material.clone();
        match wrong {
            Wrong::Nothing => {}
            Wrong::File { path, content } => match material.sources.get_mut(path) {
                Some(held) => *held = content.to_vec(),
                // Nobody else's file is ever replaced, least of all a frozen one.
                None => return Err(RoomError::NoSource { path: path.to_owned() }),
            },
        }
        let room = Room { limits, ..self.room.clone() };
        let visit = room.visit(slot, conditions, &material, None)?;
        let runs = visit.runs.into_iter().map(|run| (run.name, run.outcome)).collect();
        Ok(Attempt { build: visit.build, runs })
    }
}

/// What is kept of a list. A large file has thousands of mutants.
const LIST_BYTES_MAX: u64 = 64 << 20;

const PYTHON: &[(&str, &str)] =
    &[("PYTHONHASHSEED", "0"), ("PYTHONPATH", "/site"), ("PYTHONUTF8", "1")];
