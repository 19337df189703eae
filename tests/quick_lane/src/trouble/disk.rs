//! The disk is full: the records of a repository stand on a small disk of their own, which is then made larger.
//!
//! What cannot be kept stalls and is told. What was done already and only has to be recorded waits for room instead, so
//! that nobody does it twice; then the run goes on by itself once there is room. Which of the two it is depends on
//! what the last bytes were needed for, and both must come to the same commit.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, ensure};

use super::{LIMIT, mended, told};
use crate::household::Household;
use crate::program::{Program, now};
use crate::run::begin;
use crate::undisturbed::{GROUND, Undisturbed};

pub(super) fn full(undisturbed: &mut Undisturbed<'_>) -> Result<(String, Vec<String>)> {
    let repository = undisturbed.anew("disk-full")?;
    let disk = Disk::below(repository.household(), &repository.folder().join(".sealwright"))?;
    let mut running = begin(&repository, GROUND)?.start()?;
    let until = now() + LIMIT;
    let mut ended = None;
    while ended.is_none() && disk.has_room()? && now() < until {
        ended = running.within(GLANCE)?;
    }
    if ended.is_none() {
        ended = running.within(PATIENCE)?;
    }
    match ended {
        Some(stalled) => {
            let wrong = told(&stalled, 20, &["No space left"]);
            disk.enlarge()?;
            mended(undisturbed, &repository, &stalled, wrong)
        }
        None => {
            disk.enlarge()?;
            let ran = running.wait(LIMIT)?;
            match ran.code {
                Some(20) => {
                    let wrong = told(&ran, 20, &["No space left"]);
                    mended(undisturbed, &repository, &ran, wrong)
                }
                Some(_) | None => {
                    let mut wrong = undisturbed.compare(&repository, &ran)?;
                    if !ran.talked.contains("not recorded yet") {
                        wrong.push("nobody is told that it waits for room".to_owned());
                    }
                    Ok(("it waits until there is room, and goes on by itself".to_owned(), wrong))
                }
            }
        }
    }
}

/// A small disk that stands in the place of a folder. Dropping it takes it away.
struct Disk<'h> {
    household: &'h Household,
    place: PathBuf,
}

impl<'h> Disk<'h> {
    /// Puts what is in `place` on a disk that has room for little more.
    fn below(household: &'h Household, place: &Path) -> Result<Self> {
        let aside = household.root().join("aside");
        std::fs::rename(place, &aside)?;
        std::fs::create_dir(place)?;
        let disk = Self { household, place: place.to_owned() };
        disk.mount(&format!("size={SMALL_KIB}k"))?;
        disk.run("cp", &["-a", &format!("{}/.", aside.display()), &place.to_string_lossy()])?;
        std::fs::remove_dir_all(aside)?;
        Ok(disk)
    }

    fn has_room(&self) -> Result<bool> {
        Ok(rustix::fs::statvfs(&self.place)?.f_bavail > ROOM_BLOCKS)
    }

    fn enlarge(&self) -> Result<()> {
        self.mount("remount,size=256m")
    }

    fn mount(&self, options: &str) -> Result<()> {
        self.run("mount", &["-t", "tmpfs", "-o", options, "tmpfs", &self.place.to_string_lossy()])
    }

    fn run(&self, program: &str, words: &[&str]) -> Result<()> {
        let root = self.household.root();
        let ran = Program::other(self.household, root, "disk", program, words).run()?;
        ensure!(ran.code == Some(0), "`{program}` failed: {}", ran.talked);
        Ok(())
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        // What cannot be taken away now is taken away with the machine.
        let _ = self.run("umount", &["-l", &self.place.to_string_lossy()]);
    }
}

/// Room for the first records of a task and not for all of them.
const SMALL_KIB: u32 = 160;
/// With so few blocks left nothing of any size can be written.
const ROOM_BLOCKS: u64 = 2;
/// How long a full disk is left full.
const PATIENCE: Duration = Duration::from_secs(15);
const GLANCE: Duration = Duration::from_millis(50);
