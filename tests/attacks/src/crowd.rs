//! Many concurrent runs, some cancelled and some with killed hosts. Nothing may remain.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use sealwright_kernel::Level;
use sealwright_sandbox::{Cancel, Mechanism, SandboxSlots, Terms, system};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Remains {
    /// Processes of runs.
    pub processes: usize,
    /// Mounts of the host below the slots.
    pub mounts: usize,
    pub cgroups: usize,
    /// Folders and locks of slots.
    pub folders: usize,
}

/// Starts `hosts` processes with `runs` runs each, kills every second host, and counts what remains.
pub fn gather(hosts: usize, runs: usize) -> Result<Remains> {
    let base = std::env::temp_dir().join(format!("sealwright-crowd-{}", std::process::id()));
    let mark = format!("99{}", std::process::id());
    let started: Result<Vec<Child>> = (0..hosts).map(|nth| host(&base, runs, nth, &mark)).collect();
    let mut started = started?;
    // All of them run before the first is killed.
    let most = hosts * runs;
    wait_until(|| alive(&mark) >= most * 2);
    ensure!(alive(&mark) >= most, "only {} processes of {most} runs came up", alive(&mark));
    for (nth, child) in started.iter_mut().enumerate() {
        if nth % 2 == 0 {
            child.kill()?;
        }
        child.wait()?;
    }
    wait_until(|| alive(&mark) == 0);
    SandboxSlots::open(&base)?.sweep()?;
    let remains = Remains {
        processes: alive(&mark),
        mounts: mounts_below(&base)?,
        cgroups: cgroups(Path::new("/sys/fs/cgroup"), &base, 0),
        folders: fs::read_dir(&base)?.count(),
    };
    fs::remove_dir_all(&base)?;
    Ok(remains)
}

/// A host: `runs` concurrent runs, each with a daemon that ignores requests to end; all are cancelled at different
/// moments.
pub fn work(base: &Path, runs: usize, nth: usize, mark: &str) -> Result<()> {
    let slots = SandboxSlots::open(base)?;
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..runs)
            .map(|run| {
                let slots = &slots;
                scope.spawn(move || -> Result<()> {
                    let slot = slots.take()?;
                    let text = format!("trap '' TERM HUP; setsid sleep {mark} & sleep {mark}");
                    let plan = system::plan(&slot, &["/bin/sh", "-c", &text])?;
                    let cancel = Cancel::new()?;
                    let mut terms = Terms::new(Mechanism::Namespaces, Level::KernelIsolated);
                    terms.cancel = Some(&cancel);
                    std::thread::scope(|scope| {
                        scope.spawn(|| {
                            // After all of them have started, and not at the same moment.
                            wait(Duration::from_millis(
                                8_000 + ((nth * 31 + run * 17) % 97) as u64 * 10,
                            ));
                            cancel.cancel();
                        });
                        slot.run(&plan, terms)
                    })?;
                    Ok(())
                })
            })
            .collect();
        for worker in workers {
            worker.join().map_err(|_| anyhow::anyhow!("a run panicked"))??;
        }
        Ok(())
    })
}

#[expect(clippy::disallowed_methods, reason = "hosts are killed, so they are processes")]
fn host(base: &Path, runs: usize, nth: usize, mark: &str) -> Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("crowd-host").arg(base).args([&runs.to_string(), &nth.to_string(), mark]);
    command.stdin(Stdio::null()).spawn().context("cannot start a host")
}

/// Processes with the mark as an argument.
fn alive(mark: &str) -> usize {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let is_marked = |folder: PathBuf| {
        let words = fs::read(folder.join("cmdline")).unwrap_or_default();
        words.starts_with(b"sleep\0")
            && words.split(|byte| *byte == 0).any(|word| word == mark.as_bytes())
    };
    entries.filter(|entry| is_marked(entry.path())).count()
}

fn mounts_below(base: &Path) -> Result<usize> {
    let base = base.display().to_string();
    Ok(fs::read_to_string("/proc/self/mountinfo")?
        .lines()
        .filter(|line| line.contains(&base))
        .count())
}

/// Control groups whose name ends like those of these slots.
fn cgroups(folder: &Path, base: &Path, depth: usize) -> usize {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let digest = sealwright_kernel::Digest::of(base.as_os_str().as_encoded_bytes()).to_string();
    let prefix = format!("sealwright-{}-", &digest[..12]);
    entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| {
            let is_ours = entry.file_name().to_string_lossy().starts_with(&prefix);
            let below = if depth < 6 { cgroups(&entry.path(), base, depth + 1) } else { 0 };
            usize::from(is_ours) + below
        })
        .sum()
}

#[expect(
    clippy::disallowed_methods,
    reason = "a process that is being killed is waited for, with a bound"
)]
fn wait(time: Duration) {
    std::thread::sleep(time);
}

fn wait_until(holds: impl Fn() -> bool) {
    for _ in 0..PATIENCE {
        if holds() {
            break;
        }
        wait(Duration::from_millis(20));
    }
}

/// The number of polls before giving up.
const PATIENCE: usize = 1500;
