//! Control groups: bounds on what all processes of a run use up together, and a sure way to end them.
//!
//! Whether there are any depends on the host. Only what the kernel accepted is told.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process};
use sealwright_kernel::ConfinementFact;

use crate::plan::Limits;

#[derive(Debug, Default)]
pub(crate) struct Cgroups {
    folders: Vec<(Controller, PathBuf)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Controller {
    /// All of them in one tree.
    Unified,
    Memory,
    Processes,
}

impl Cgroups {
    /// Makes groups called `name` below the ones this process is in, as far as the host allows. What an earlier
    /// life left in groups of that name is ended.
    pub(crate) fn make(name: &str) -> Self {
        let mut groups = Self::default();
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let unified = Path::new(ROOT).join("cgroup.controllers").exists();
        for line in own.lines() {
            let mut parts = line.splitn(3, ':').skip(1);
            let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
            let path = path.trim_start_matches('/');
            let (controller, base) = match controllers {
                "" if unified => (Controller::Unified, Path::new(ROOT).join(path)),
                "memory" => (Controller::Memory, Path::new(ROOT).join("memory").join(path)),
                "pids" => (Controller::Processes, Path::new(ROOT).join("pids").join(path)),
                _ => continue,
            };
            let folder = base.join(name);
            let made = match fs::create_dir(&folder) {
                Ok(()) => true,
                Err(error) => error.kind() == io::ErrorKind::AlreadyExists,
            };
            if made && fs::OpenOptions::new().write(true).open(folder.join(MEMBERS)).is_ok() {
                groups.folders.push((controller, folder));
            }
        }
        groups.kill();
        groups
    }

    pub(crate) fn limit(&self, limits: &Limits) -> Vec<ConfinementFact> {
        let mut found = Vec::new();
        let mut memory = "unbounded";
        let mut processes = "by user";
        for (controller, folder) in &self.folders {
            let set = |file: &str, value: String| fs::write(folder.join(file), value).is_ok();
            match controller {
                Controller::Unified => {
                    if set("memory.max", limits.memory_bytes.to_string()) {
                        memory = "bounded";
                    }
                    set("memory.swap.max", "0".to_owned());
                    set("memory.oom.group", "1".to_owned());
                    if set("pids.max", limits.processes_max.to_string()) {
                        processes = "together";
                    }
                }
                Controller::Memory => {
                    if set("memory.limit_in_bytes", limits.memory_bytes.to_string()) {
                        memory = "bounded";
                    }
                }
                Controller::Processes => {
                    if set("pids.max", limits.processes_max.to_string()) {
                        processes = "together";
                    }
                }
            }
        }
        for (name, value) in [("memory", memory), ("processes", processes)] {
            found.push(ConfinementFact { name: name.to_owned(), value: value.to_owned() });
        }
        found
    }

    pub(crate) fn entrances(&self) -> Vec<PathBuf> {
        self.folders.iter().map(|(_, folder)| folder.join(MEMBERS)).collect()
    }

    pub(crate) fn kill(&self) {
        for (_, folder) in &self.folders {
            for _ in 0..SWEEPS_MAX {
                let members = fs::read_to_string(folder.join(MEMBERS)).unwrap_or_default();
                if members.is_empty() {
                    break;
                }
                if fs::write(folder.join("cgroup.kill"), "1").is_err() {
                    for member in members.lines().filter_map(|pid| Pid::from_raw(pid.parse().ok()?))
                    {
                        let _ = kill_process(member, Signal::KILL);
                    }
                }
                pause();
            }
        }
    }

    /// Removes the groups, and kills the processes that are still in them.
    pub(crate) fn remove(&mut self) {
        self.kill();
        for (_, folder) in std::mem::take(&mut self.folders) {
            for _ in 0..SWEEPS_MAX {
                match fs::remove_dir(&folder) {
                    Ok(()) => break,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => break,
                    // What was killed takes a moment to leave.
                    Err(_) => pause(),
                }
            }
        }
    }
}

impl Drop for Cgroups {
    fn drop(&mut self) {
        self.remove();
    }
}

fn pause() {
    let moment = rustix::event::Timespec { tv_sec: 0, tv_nsec: 1_000_000 };
    let _ = rustix::event::poll(&mut [], Some(&moment));
}

const ROOT: &str = "/sys/fs/cgroup";
const MEMBERS: &str = "cgroup.procs";
/// How often something is tried again; each time takes about a millisecond.
const SWEEPS_MAX: u32 = 1000;
