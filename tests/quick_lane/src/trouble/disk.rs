//! The disk is full: the records of a repository are on a small disk, which is then enlarged.
//!
//! If a record cannot be stored, the run stalls and reports it. If finished work only has to be recorded, the run waits
//! for room instead, so that the work is not repeated, and continues by itself. Which case occurs depends on the last
//! bytes; both must end with the same commit.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, ensure};

use super::{LIMIT, missing_words, resumed};
use crate::environment::Environment;
use crate::program::{Program, now};
use crate::run::{Lane, begin};
use crate::undisturbed::{PROJECT, Undisturbed};

pub(super) fn full(undisturbed: &mut Undisturbed<'_>) -> Result<(String, Vec<String>)> {
    let repository = undisturbed.anew("disk-full")?;
    let disk = Disk::below(repository.environment(), &repository.folder().join(".sealwright"))?;
    let mut running = begin(&repository, PROJECT, Lane::Quick)?.start()?;
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
            let wrong = missing_words(&stalled, 20, &["No space left"]);
            disk.enlarge()?;
            resumed(undisturbed, &repository, &stalled, wrong)
        }
        None => {
            disk.enlarge()?;
            let ran = running.wait(LIMIT)?;
            match ran.code {
                Some(20) => {
                    let wrong = missing_words(&ran, 20, &["No space left"]);
                    resumed(undisturbed, &repository, &ran, wrong)
                }
                Some(_) | None => {
                    let mut wrong = undisturbed.compare(&repository, &ran)?;
                    if !ran.talked.contains("not recorded yet") {
                        wrong.push("no message says that it waits for room".to_owned());
                    }
                    Ok(("it waits until there is room, and goes on by itself".to_owned(), wrong))
                }
            }
        }
    }
}

/// A small disk mounted over a folder, unmounted on drop.
struct Disk<'h> {
    environment: &'h Environment,
    place: PathBuf,
}

impl<'h> Disk<'h> {
    /// Moves the content of `place` to a disk with little room left.
    fn below(environment: &'h Environment, place: &Path) -> Result<Self> {
        let aside = environment.root().join("aside");
        std::fs::rename(place, &aside)?;
        std::fs::create_dir(place)?;
        let disk = Self { environment, place: place.to_owned() };
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
        let root = self.environment.root();
        let ran = Program::other(self.environment, root, "disk", program, words).run()?;
        ensure!(ran.code == Some(0), "`{program}` failed: {}", ran.talked);
        Ok(())
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        // If it cannot be unmounted now, it goes with the machine.
        let _ = self.run("umount", &["-l", &self.place.to_string_lossy()]);
    }
}

/// Room for the first records of a task only.
const SMALL_KIB: u32 = 160;
/// With so few free blocks no file of any size can be written.
const ROOM_BLOCKS: u64 = 2;
/// How long the disk stays full.
const PATIENCE: Duration = Duration::from_secs(15);
const GLANCE: Duration = Duration::from_millis(50);
