//! The bench: the material of a room, with a tool that lists what could be wrong in it, and with one wrong at a time.
//!
//! A tool for mutants is given the same files a check is, reads them, and runs nothing of them; what it says comes
//! back as it said it. A wrong is then one more candidate: it is built and tested in a room like any other, so
//! the code under test has no say in how that ends.

use crate::plan::Limits;
use crate::readable::make_folder;
use crate::room::check::Room;
use crate::room::error::RoomError;
use crate::room::material::{self, Material};
use crate::room::outcome::Tampering;
use crate::room::visit::{Conditions, Selection, Site};
use crate::{RunOutcome, SandboxSlot};

/// The material of a room, read once.
#[derive(Debug)]
pub struct Bench<'r> {
    room: &'r Room<'r>,
    material: Material,
    tampering: Vec<Tampering>,
}

#[derive(Clone, Copy, Debug)]
pub enum Wrong<'w> {
    /// Nothing: it shows how the tests end by themselves.
    Nothing,
    /// One file of source is another.
    File { path: &'w str, content: &'w [u8] },
}

#[derive(Debug)]
pub struct Attempt {
    pub build: Option<RunOutcome>,
    /// The runs, in their order. Empty if nothing was built.
    pub runs: Vec<(String, RunOutcome)>,
}

impl<'r> Room<'r> {
    /// Reads what this room is made of, to try it with wrongs in it.
    pub fn bench(&'r self) -> Result<Bench<'r>, RoomError> {
        let frozen = material::frozen(self.frozen)?;
        self.validate(&frozen.files)?;
        let sources = self.language.runner().protect(self.sources.clone())?;
        let (material, tampering) = Material::gather(self.work_tree, frozen, &sources)?;
        Ok(Bench { room: self, material, tampering })
    }
}

impl Bench<'_> {
    pub fn tampering(&self) -> &[Tampering] {
        &self.tampering
    }

    pub fn source(&self, path: &str) -> Option<&[u8]> {
        self.material.sources.get(path).map(Vec::as_slice)
    }

    /// Has a tool look at the material. Nothing of it is run, and nothing of it can be written to.
    pub fn list(
        &self,
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
        self.room.language.runner().add_lister(&mut plan, &work, &place)?;
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
                // Only source is replaced, never a frozen file.
                None => return Err(RoomError::NoSource { path: path.to_owned() }),
            },
        }
        let room = Room { limits, ..self.room.clone() };
        // Tests that failed before say nothing of a wrong.
        let known_failing = self.room.known_failing;
        let selected = Selection { only: None, known_failing, runs_known_failing: false };
        let visit = room.visit(slot, conditions, &material, selected)?;
        let runs = visit.runs.into_iter().map(|run| (run.name, run.outcome)).collect();
        Ok(Attempt { build: visit.build, runs })
    }
}

/// The most bytes of a list. A large file has thousands of mutants.
const LIST_BYTES_MAX: u64 = 64 << 20;
