//! Reading, finding and keeping files that were never given.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock, inotify};

use crate::attack::Attack;
use crate::barrier::Barrier;
use crate::ended::{Step, Tried, any_of, holds, stopped, void};
use crate::fixture::Fixture;
use crate::sys::{self, Word, call};

pub(super) const ALL: &[Attack] = &[
    Attack::new("read-sealed-source", "3.1/01", Barrier::MountNamespace, |fixture| {
        read(&fixture.host.sealed, &fixture.markers.sealed)
    })
    .about("Reads the source of a sealed module by its absolute path."),
    Attack::new("read-journal", "3.1/01", Barrier::MountNamespace, |fixture| {
        read(&fixture.host.journal, &fixture.markers.journal)
    })
    .about("Reads the journal by its absolute path."),
    Attack::new("read-key", "3.1/01", Barrier::MountNamespace, |fixture| {
        read(&fixture.host.key, &fixture.markers.key)
    })
    .about("Reads a key file by its absolute path."),
    Attack::new("read-other-work", "3.3/live", Barrier::MountNamespace, |fixture| {
        read(&fixture.host.other_work.join("private.txt"), &fixture.markers.other_work)
    })
    .about("Reads what another role is writing at the same time."),
    Attack::new("climb-out", "3.1/02", Barrier::MountNamespace, climb_out)
        .about("Climbs out of the contracts with `..`, at every depth."),
    Attack::new("search-everything", "3.1/10", Barrier::MountNamespace, search_everything)
        .about("Searches all there is for the sealed source."),
    Attack::new("stat-sealed", "3.1/41", Barrier::MountNamespace, stat_sealed)
        .about("Learns size and time of a sealed file without opening it."),
    Attack::new("watch-store", "more", Barrier::MountNamespace, watch_store)
        .about("Watches the store with inotify."),
    Attack::new("lock-journal", "more", Barrier::MountNamespace, lock_journal)
        .about("Locks the journal, so that no other process can append."),
    Attack::new("open-by-handle", "3.1/15", Barrier::NoCapabilities, open_by_handle)
        .about("Opens the sealed file by its number in the file system, past every path.")
        .control_as_root(),
];

/// Reads a file if it has the marker.
pub(super) fn read(path: &Path, marker: &str) -> Tried {
    let mut bytes = Vec::new();
    File::open(path).step("open")?.take(READ_BYTES_MAX).read_to_end(&mut bytes).step("read")?;
    holds(&bytes, marker)
}

fn climb_out(fixture: &Fixture) -> Tried {
    let from_set =
        fixture.host.sealed.strip_prefix(&fixture.folder).unwrap_or(&fixture.host.sealed);
    let from_root = fixture.host.sealed.strip_prefix("/").unwrap_or(&fixture.host.sealed);
    let start = fixture.inside.modules.join("a");
    let ups = (1..=CLIMB_MAX).map(|count| start.join("../".repeat(count)));
    any_of(ups.flat_map(|up| {
        [from_set, from_root].map(|target| read(&up.join(target), &fixture.markers.sealed))
    }))
}

fn search_everything(fixture: &Fixture) -> Tried {
    let mut folders = VecDeque::from([fixture.inside.root.clone()]);
    let mut files = 0;
    while let Some(folder) = folders.pop_front() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && !is_system(&entry.path()) {
                folders.push_back(entry.path());
            }
            if kind.is_file() && files < SEARCH_FILES_MAX {
                files += 1;
                if let Ok(what) = read(&entry.path(), &fixture.markers.sealed) {
                    return Ok(format!("{what} in {}", entry.path().display()));
                }
            }
        }
    }
    stopped(format!("not in any of {files} files"))
}

/// Folders that every machine has, and where a search would not end.
fn is_system(path: &Path) -> bool {
    ["/proc", "/sys", "/usr", "/lib", "/lib64", "/dev"]
        .iter()
        .any(|system| path == Path::new(system))
}

fn stat_sealed(fixture: &Fixture) -> Tried {
    let metadata = fs::metadata(&fixture.host.sealed).step("stat")?;
    Ok(format!("{} bytes, changed at {}", metadata.len(), metadata.mtime()))
}

fn watch_store(fixture: &Fixture) -> Tried {
    let watch = inotify::init(inotify::CreateFlags::CLOEXEC).step("inotify_init")?;
    let what = inotify::WatchFlags::ALL_EVENTS;
    inotify::add_watch(&watch, &fixture.host.git_store, what).step("inotify_add_watch")?;
    Ok("the store is watched".to_string())
}

fn lock_journal(fixture: &Fixture) -> Tried {
    let journal = File::open(&fixture.host.journal).step("open")?;
    flock(&journal, FlockOperation::NonBlockingLockExclusive).step("flock")?;
    Ok("the journal is locked".to_string())
}

fn open_by_handle(fixture: &Fixture) -> Tried {
    let Some(handle) = &fixture.host.sealed_handle else {
        return void("the file system does not number its files");
    };
    let length = u32::try_from(handle.bytes.len()).expect("a handle is short");
    let mut bytes = length.to_ne_bytes().to_vec();
    bytes.extend(handle.kind.to_ne_bytes());
    bytes.extend(&handle.bytes);
    // Any file of the same file system serves as reference: the work tree is one.
    let near = File::open(PathBuf::from(&fixture.inside.work)).step("open")?;
    let number = Word::Number(std::os::fd::AsRawFd::as_raw_fd(&near).into());
    let words = [number, Word::Bytes(&bytes), Word::Number(libc::O_RDONLY.into())];
    let opened = sys::own(call(libc::SYS_open_by_handle_at, words).step("open_by_handle_at")?);
    let mut content = Vec::new();
    File::from(opened).take(READ_BYTES_MAX).read_to_end(&mut content).step("read")?;
    holds(&content, &fixture.markers.sealed)
}

const READ_BYTES_MAX: u64 = 1 << 20;
const CLIMB_MAX: usize = 12;
const SEARCH_FILES_MAX: usize = 20_000;
