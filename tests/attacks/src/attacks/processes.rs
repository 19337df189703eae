//! Other processes through /proc.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use super::files::read;
use crate::attack::Attack;
use crate::barrier::Barrier;
use crate::ended::{Step, Tried, any_of, holds, stopped};
use crate::fixture::Fixture;

pub(super) const ALL: &[Attack] = &[
    Attack::new("proc-root", "3.1/05", Barrier::PidNamespace, proc_root)
        .about("Reads the sealed source through the root folder of another process."),
    Attack::new("proc-cwd", "3.1/05", Barrier::PidNamespace, proc_cwd)
        .about("Reads through the working folder of another process."),
    Attack::new("proc-environ", "3.1/06", Barrier::PidNamespace, proc_environ)
        .about("Looks for a secret in the environment of every other process."),
    Attack::new("proc-descriptor", "3.1/05", Barrier::PidNamespace, proc_descriptor)
        .about("Opens a file that another process holds and that has no name."),
    Attack::new("proc-memory", "3.1/19", Barrier::PidNamespace, proc_memory)
        .about("Reads the memory of another process through /proc."),
    Attack::new("proc-words", "3.1/42b", Barrier::PidNamespace, proc_words)
        .about("Finds paths of the host among the words other processes were started with."),
    Attack::new("proc-mounts", "3.1/42a", Barrier::MountNamespace, proc_mounts)
        .about("Finds paths of the host in the list of its own mounts.")
        .control_as_root(),
    Attack::new("proc-network", "more", Barrier::NetNamespace, proc_network)
        .about("Finds a service of the host in the list of open ports."),
];

pub(super) fn others() -> impl Iterator<Item = PathBuf> {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(move |entry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        (pid != own).then(|| entry.path())
    })
}

fn proc_root(fixture: &Fixture) -> Tried {
    let below = fixture.host.sealed.strip_prefix("/").unwrap_or(&fixture.host.sealed);
    any_of(others().map(|process| read(&process.join("root").join(below), &fixture.markers.sealed)))
}

fn proc_cwd(fixture: &Fixture) -> Tried {
    let name = "private.txt";
    any_of(
        others().map(|process| read(&process.join("cwd").join(name), &fixture.markers.other_work)),
    )
}

fn proc_environ(fixture: &Fixture) -> Tried {
    any_of(others().map(|process| read(&process.join("environ"), &fixture.markers.victim_env)))
}

fn proc_descriptor(fixture: &Fixture) -> Tried {
    let path = format!("/proc/{}/fd/{}", fixture.victim.pid, fixture.victim.descriptor);
    read(&PathBuf::from(path), &fixture.markers.victim_memory)
}

fn proc_memory(fixture: &Fixture) -> Tried {
    let memory = File::open(format!("/proc/{}/mem", fixture.victim.pid)).step("open")?;
    let mut bytes = vec![0; fixture.markers.victim_memory.len()];
    memory.read_at(&mut bytes, fixture.victim.address).step("read")?;
    holds(&bytes, &fixture.markers.victim_memory)
}

fn proc_words(fixture: &Fixture) -> Tried {
    let folder = fixture.folder.to_string_lossy();
    any_of(others().map(|process| read(&process.join("cmdline"), &folder)))
}

fn proc_mounts(fixture: &Fixture) -> Tried {
    let folder = fixture.folder.to_string_lossy().into_owned();
    let mounts = fs::read_to_string("/proc/self/mountinfo").step("open")?;
    // The fourth word is the root of the mount in its file system, which the agent must not learn.
    let begins = mounts.lines().filter_map(|line| line.split(' ').nth(3));
    match begins.into_iter().find(|begin| begin.contains(&folder)) {
        Some(begin) => Ok(format!("a mount begins at {begin}")),
        None => stopped("no mount tells where it begins"),
    }
}

fn proc_network(fixture: &Fixture) -> Tried {
    let table = fs::read_to_string("/proc/net/tcp").step("open")?;
    let port = format!(":{:04X} ", fixture.victim.tcp);
    match table.lines().find(|line| line.contains(&port)) {
        Some(_) => Ok(format!("port {} is open on the host", fixture.victim.tcp)),
        None => stopped("no such port is listed"),
    }
}
