//! The remains of a run on the host: processes with its token, mounts below its folder, files with its name.

use std::fs;
use std::path::Path;
use std::process::Child;
use std::thread;
use std::time::Duration;

use rustix::mount::{UnmountFlags, unmount};
use rustix::process::{Pid, Signal, kill_process};

/// Kills every process with the token among its arguments, and returns the number.
pub(super) fn end_processes(token: &str) -> usize {
    // A killed process may take a moment to go.
    for _ in 0..GRACE_MAX {
        if processes(token).is_empty() {
            return 0;
        }
        pause();
    }
    let mut ended = Vec::new();
    for _ in 0..SWEEPS_MAX {
        let found = processes(token);
        if found.is_empty() {
            break;
        }
        for pid in found {
            let _ = kill_process(pid, Signal::KILL);
            if !ended.contains(&pid) {
                ended.push(pid);
            }
        }
        pause();
    }
    ended.len()
}

/// Waits for a child to end, and kills it otherwise.
pub(super) fn let_go(child: &mut Child) {
    for _ in 0..SWEEPS_MAX {
        if matches!(child.try_wait(), Ok(Some(_))) {
            return;
        }
        pause();
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// Unmounts everything below a folder, so that removing the folder removes nothing else.
pub(super) fn detach_mounts(folder: &Path) {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let points = mounts.lines().filter_map(|line| line.split(' ').nth(4));
    for point in points.filter(|point| Path::new(point).starts_with(folder)) {
        let _ = unmount(point, UnmountFlags::DETACH);
    }
}

/// Removes files of attacks from shared folders.
pub(super) fn remove_named(token: &str) {
    for folder in [std::env::temp_dir().as_path(), Path::new("/dev/shm")] {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(token) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Zombies have no arguments, so they do not count.
fn processes(token: &str) -> Vec<Pid> {
    let own = rustix::process::getpid();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(number) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let Some(pid) = Pid::from_raw(number) else { continue };
        let words = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let is_of_the_run = words.windows(token.len()).any(|window| window == token.as_bytes());
        if pid != own && is_of_the_run {
            found.push(pid);
        }
    }
    found
}

#[expect(clippy::disallowed_methods, reason = "a killed process needs a moment to go")]
fn pause() {
    thread::sleep(Duration::from_millis(5));
}

const GRACE_MAX: usize = 40;
const SWEEPS_MAX: usize = 200;
