//! Exhausting shared resources. Every attack is bounded: it tries for a few times the limit, then stops.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use rustix::process::{Resource, Rlimit, Signal, getrlimit, kill_process, setrlimit};

use super::waiting;
use crate::attack::Attack;
use crate::barrier::Barrier;
use crate::confinement::Ran;
use crate::ended::{Step, Tried, stopped};
use crate::fixture::Fixture;
use crate::fixture_setup::FixtureSetup;
use crate::sys::{self, Forked};

pub(super) const ALL: &[Attack] = &[
    Attack::new("many-processes", "3.2/fork", Barrier::Rlimits, processes)
        .about("Starts more processes than it may."),
    Attack::new("much-memory", "3.2/memory", Barrier::Cgroup, memory)
        .about("Fills more memory than it may, in several processes."),
    Attack::new("many-descriptors", "more", Barrier::Rlimits, descriptors)
        .about("Opens more files than it may."),
    Attack::new("fill-scratch", "3.2/tmp", Barrier::MountNamespace, |fixture| {
        fill(fixture, &fixture.inside.tmp)
    })
    .about("Writes more into the scratch folder than fits."),
    Attack::new("fill-shared-memory", "3.2/shm", Barrier::MountNamespace, |fixture| {
        fill(fixture, &fixture.inside.shm)
    })
    .about("Writes more into shared memory than fits."),
    Attack::new("large-file", "3.2/workspace", Barrier::Rlimits, large_file)
        .about("Writes a larger file into its work tree than it may."),
    Attack::new("many-files", "3.2/workspace", Barrier::WorkTreeBound, many_files)
        .about("Writes many files into its work tree, none of them too large."),
    Attack::new("flood-output", "3.2/output", Barrier::OutputBound, flood_output)
        .about("Says more than anybody should keep.")
        .judged(is_kept),
];

fn processes(fixture: &Fixture) -> Tried {
    let wanted = fixture.bounds.processes_max * 2;
    let mut children = Vec::new();
    let mut refused = None;
    for _ in 0..wanted {
        match sys::fork() {
            Ok(Forked::Child) => {
                waiting::stay(std::time::Duration::from_secs(20));
                sys::exit_now(0)
            }
            Ok(Forked::Parent(pid)) => children.push(pid),
            Err(error) => {
                refused = Some(error);
                break;
            }
        }
    }
    for pid in &children {
        if let Some(pid) = rustix::process::Pid::from_raw(*pid) {
            let _ = kill_process(pid, Signal::KILL);
        }
        let _ = sys::wait_for(*pid);
    }
    match refused {
        Some(error) => Err(error).step(&format!("fork after {}", children.len())),
        None => Ok(format!("{wanted} processes at one time")),
    }
}

/// Half of it in each of two processes, so that a limit per process does not pass for a total limit. Both must survive:
/// a kernel short of memory kills one of them.
fn memory(fixture: &Fixture) -> Tried {
    let half = usize::try_from(fixture.bounds.memory_bytes).expect("a bound fits") * 3 / 4;
    let (from_child, to_parent) = std::io::pipe().step("pipe")?;
    let (from_parent, to_child) = std::io::pipe().step("pipe")?;
    let Forked::Parent(child) = sys::fork().step("fork")? else {
        drop((from_child, to_child));
        let filled = fill_memory(half);
        let _ = (&to_parent).write_all(b"1");
        // It ends when the parent asks or is gone.
        let _ = (&from_parent).read(&mut [0; 1]);
        let _ = (&to_parent).write_all(&std::hint::black_box(&filled)[..1]);
        sys::exit_now(0)
    };
    drop((to_parent, from_parent));
    let mut said = [0; 2];
    let first = (&from_child).read(&mut said[..1]).step("read")?;
    let filled = fill_memory(half);
    let total = std::hint::black_box(&filled).len() * 2;
    let _ = (&to_child).write_all(b"1");
    let second = (&from_child).read(&mut said[1..]).step("read")?;
    let _ = sys::wait_for(child);
    match (first, second) {
        (1, 1) => Ok(format!("{} MiB are filled", total >> 20)),
        _ => stopped("one of two was killed"),
    }
}

fn fill_memory(bytes: usize) -> Vec<u8> {
    vec![1; bytes]
}

fn descriptors(fixture: &Fixture) -> Tried {
    // A limit that any user may raise is no limit.
    let maximum = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).step("setrlimit")?;
    let mut open = Vec::new();
    for count in 0..fixture.bounds.open_files_max * 2 {
        open.push(File::open("/dev/null").step(&format!("open after {count}"))?);
    }
    Ok(format!("{} open files", open.len()))
}

/// Writes three times as much as fits, in files below the size limit.
fn fill(fixture: &Fixture, folder: &Path) -> Tried {
    write_many(fixture, folder, fixture.bounds.scratch_bytes / 2, 6)
}

fn large_file(fixture: &Fixture) -> Tried {
    write_many(fixture, &fixture.inside.work, fixture.bounds.file_bytes * 3, 1)
}

fn many_files(fixture: &Fixture) -> Tried {
    let each = fixture.bounds.file_bytes / 2;
    write_many(fixture, &fixture.inside.work, each, fixture.bounds.work_bytes * 2 / each)
}

fn write_many(fixture: &Fixture, folder: &Path, each: u64, count: u64) -> Tried {
    let name = |number: u64| folder.join(format!("{}.{number}", fixture.token));
    let paths: Vec<PathBuf> = (0..count).map(name).collect();
    let filled = paths.iter().try_for_each(|path| write(path, each));
    // The watcher of the folder polls.
    waiting::stay(std::time::Duration::from_millis(300));
    paths.iter().for_each(|path| drop(fs::remove_file(path)));
    filled.map(|()| format!("{} MiB in {count} files", (each * count) >> 20))
}

fn write(path: &Path, bytes: u64) -> Result<(), crate::ended::Hindrance> {
    // Without this the file size limit would kill the process instead of failing the write.
    sys::ignore(libc::SIGXFSZ);
    let mut file = File::create(path).step("open")?;
    let chunk = vec![b'x'; 1 << 20];
    for written in 0..bytes >> 20 {
        file.write_all(&chunk).step(&format!("write after {written} MiB"))?;
    }
    Ok(())
}

#[expect(clippy::print_stdout, reason = "talking too much is the attack")]
fn flood_output(fixture: &Fixture) -> Tried {
    let line = "x".repeat(1023);
    for _ in 0..fixture.bounds.output_bytes * 16 / 1024 {
        println!("{line}");
    }
    Ok(format!("{} KiB were said", fixture.bounds.output_bytes * 16 / 1024))
}

fn is_kept(set: &FixtureSetup, ran: &Ran) -> Option<String> {
    let (kept, bound) = (ran.stdout.len() as u64, set.fixture().bounds.output_bytes);
    (kept > bound).then(|| format!("{} KiB were kept", kept >> 10))
}
