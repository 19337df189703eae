//! A disk that crashes, tears, fills up and fails to sync, from one seed.
//!
//! A process that dies in a write leaves any part of it. What was written and not synced may
//! survive a power loss wholly, in some sectors or not at all. A file whose folder was not synced may be gone. After a failed sync the data can
//! still be read and will never reach the disk, as real systems do it, unless it is
//! written again.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use super::{Disk, DiskFile};

/// A disk in memory that misbehaves as told.
#[derive(Clone, Debug)]
pub struct SimulatedDisk {
    inner: Arc<Mutex<Inner>>,
    boot: u64,
}

/// How the disk misbehaves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    /// After this many operations the process dies in the middle of the next.
    pub dies_after: Option<u64>,
    /// One sync in this many fails; 0 means none.
    pub sync_fails_one_in: u64,
    /// Writes find the disk full.
    pub full: bool,
}

#[derive(Debug)]
struct Inner {
    dice: fastrand::Rng,
    files: BTreeMap<PathBuf, FileState>,
    locks: BTreeMap<PathBuf, LockState>,
    faults: Faults,
    boot: u64,
    dead: bool,
}

#[derive(Debug, Default)]
struct FileState {
    live: Vec<u8>,
    durable: Vec<u8>,
    unsynced: Vec<Change>,
    stamp: u128,
    is_named_for_good: bool,
}

impl FileState {
    /// A sector that reaches the disk is an image of the page it was written from, so what stays
    /// to be synced are whole sectors of the live content, not the bytes of one call.
    fn write(&mut self, at: usize, content: &[u8]) {
        Change::Write { at, content: content.to_vec() }.apply(&mut self.live);
        let from = at / SECTOR_BYTES * SECTOR_BYTES;
        let upto = (at + content.len()).next_multiple_of(SECTOR_BYTES).min(self.live.len());
        let sectors = self.live[from..upto].to_vec();
        self.unsynced.push(Change::Write { at: from, content: sectors });
        self.stamp += 1;
    }
}

#[derive(Debug)]
enum Change {
    Write { at: usize, content: Vec<u8> },
    Cut { len: usize },
}

#[derive(Debug, Default)]
struct LockState {
    held: bool,
    notes: Vec<Vec<u8>>,
}

impl SimulatedDisk {
    pub fn new(seed: u64) -> Self {
        let inner = Inner {
            dice: fastrand::Rng::with_seed(seed),
            files: BTreeMap::new(),
            locks: BTreeMap::new(),
            faults: Faults::default(),
            boot: 0,
            dead: false,
        };
        Self { inner: Arc::new(Mutex::new(inner)), boot: 0 }
    }

    pub fn set_faults(&self, faults: Faults) {
        self.inner().faults = faults;
    }

    /// Whether the process that uses it has died.
    pub fn is_dead(&self) -> bool {
        let inner = self.inner();
        inner.dead || inner.boot != self.boot
    }

    /// The process was killed: what it wrote stays readable, its locks are gone.
    #[must_use = "the old handle is dead"]
    pub fn restart_after_kill(&self) -> Self {
        self.restart(|_, _| {})
    }

    /// The power failed: only what was synced is sure to be there.
    #[must_use = "the old handle is dead"]
    pub fn restart_after_power_loss(&self) -> Self {
        self.restart(|inner, dice| {
            inner.files.retain(|_, file| file.is_named_for_good || dice.bool());
            for file in inner.files.values_mut() {
                let mut found = std::mem::take(&mut file.durable);
                for change in file.unsynced.drain(..) {
                    // A sector reaches the disk wholly or not at all.
                    match dice.u8(0..4) {
                        0 => change.apply(&mut found),
                        1 => change.apply_in_sectors(&mut found, dice),
                        _ => {}
                    }
                }
                file.live.clone_from(&found);
                file.durable = found;
            }
            for lock in inner.locks.values_mut() {
                let kept = dice.usize(0..=lock.notes.len());
                lock.notes.truncate(kept);
            }
        })
    }

    fn restart(&self, damage: impl FnOnce(&mut Inner, &mut fastrand::Rng)) -> Self {
        let mut inner = self.inner();
        inner.boot += 1;
        inner.dead = false;
        inner.faults = Faults::default();
        inner.locks.values_mut().for_each(|lock| lock.held = false);
        let mut dice = inner.dice.fork();
        damage(&mut inner, &mut dice);
        Self { inner: self.inner.clone(), boot: inner.boot }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("no simulated operation panics")
    }

    /// One operation. The second value says whether the process dies in it.
    fn operate(&self) -> io::Result<(MutexGuard<'_, Inner>, Fate)> {
        let mut inner = self.inner();
        if inner.dead || inner.boot != self.boot {
            return Err(dead());
        }
        match &mut inner.faults.dies_after {
            Some(0) => {
                inner.dead = true;
                Ok((inner, Fate::Dies))
            }
            Some(left) => {
                *left -= 1;
                Ok((inner, Fate::Lives))
            }
            None => Ok((inner, Fate::Lives)),
        }
    }

    /// An operation that happens wholly or not at all.
    fn step(&self) -> io::Result<MutexGuard<'_, Inner>> {
        match self.operate()? {
            (inner, Fate::Lives) => Ok(inner),
            (_, Fate::Dies) => Err(dead()),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Lives,
    Dies,
}

impl Change {
    /// Some sectors reach the disk and others do not; what lies between reads as zeros.
    fn apply_in_sectors(&self, file: &mut Vec<u8>, dice: &mut fastrand::Rng) {
        let Self::Write { at, content } = self else { return self.apply(file) };
        let mut from = 0;
        while from < content.len() {
            let upto = content.len().min(from + SECTOR_BYTES - (at + from) % SECTOR_BYTES);
            if dice.bool() {
                file.resize(file.len().max(at + upto), 0);
                file[at + from..at + upto].copy_from_slice(&content[from..upto]);
            }
            from = upto;
        }
    }

    fn apply(&self, file: &mut Vec<u8>) {
        match self {
            Self::Write { at, content } => {
                file.resize(file.len().max(at + content.len()), 0);
                file[*at..at + content.len()].copy_from_slice(content);
            }
            Self::Cut { len } => file.truncate(*len),
        }
    }
}

#[derive(Debug)]
pub struct SimulatedFile {
    disk: SimulatedDisk,
    path: PathBuf,
}

#[derive(Debug)]
pub struct SimulatedLock {
    disk: SimulatedDisk,
    path: PathBuf,
}

impl Disk for SimulatedDisk {
    type File = SimulatedFile;
    type Lock = SimulatedLock;

    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        let inner = self.step()?;
        let below = inner.files.keys().filter_map(|path| path.strip_prefix(folder).ok());
        let first = below.filter_map(|path| path.components().next());
        let mut names: Vec<String> =
            first.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
        names.dedup();
        Ok(names)
    }

    fn stat(&self, path: &Path) -> io::Result<(u64, u128)> {
        let inner = self.step()?;
        if let Some(file) = inner.files.get(path) {
            return Ok((file.live.len() as u64, file.stamp));
        }
        let below = inner.files.keys().filter(|file| file.starts_with(path)).count();
        if below == 0 { Err(missing()) } else { Ok((0, below as u128)) }
    }

    fn birth(&self, path: &Path) -> Option<u128> {
        self.step().ok()?.files.contains_key(path).then_some(0)
    }

    fn read(&self, path: &Path, _bytes_max: u64) -> io::Result<Vec<u8>> {
        let inner = self.step()?;
        Ok(inner.files.get(path).ok_or_else(missing)?.live.clone())
    }

    fn open(&self, path: &Path) -> io::Result<SimulatedFile> {
        let inner = self.step()?;
        inner.files.get(path).ok_or_else(missing)?;
        Ok(SimulatedFile { disk: self.clone(), path: path.to_owned() })
    }

    fn open_for_writing(&self, path: &Path) -> io::Result<SimulatedFile> {
        self.open(path)
    }

    fn create(&self, path: &Path) -> io::Result<SimulatedFile> {
        let (mut inner, fate) = self.operate()?;
        if inner.faults.full {
            return Err(full());
        }
        // Dying here, it may or may not be there.
        if fate == Fate::Lives || inner.dice.bool() {
            if inner.files.contains_key(path) {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            inner.files.insert(path.to_owned(), FileState::default());
        }
        if fate == Fate::Dies {
            return Err(dead());
        }
        Ok(SimulatedFile { disk: self.clone(), path: path.to_owned() })
    }

    fn sync_folders(&self, folder: &Path) -> io::Result<()> {
        let mut inner = self.step()?;
        let one_in = inner.faults.sync_fails_one_in;
        if one_in > 0 && inner.dice.u64(0..one_in) == 0 {
            return Err(io::Error::other("the disk failed to sync"));
        }
        for (path, file) in &mut inner.files {
            file.is_named_for_good |= path.parent() == Some(folder);
        }
        Ok(())
    }

    fn replace(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        let mut inner = self.step()?;
        if inner.faults.full {
            return Err(full());
        }
        let file = inner.files.entry(path.to_owned()).or_default();
        file.is_named_for_good = true;
        file.stamp += 1;
        file.live = content.to_vec();
        file.unsynced =
            vec![Change::Cut { len: 0 }, Change::Write { at: 0, content: content.to_vec() }];
        Ok(())
    }

    fn lock(&self, path: &Path) -> io::Result<Result<SimulatedLock, Vec<u8>>> {
        let mut inner = self.step()?;
        let lock = inner.locks.entry(path.to_owned()).or_default();
        if lock.held {
            return Ok(Err(lock.notes.last().cloned().unwrap_or_default()));
        }
        lock.held = true;
        Ok(Ok(SimulatedLock { disk: self.clone(), path: path.to_owned() }))
    }

    fn note(&self, lock: &SimulatedLock, content: &[u8]) -> io::Result<()> {
        let mut inner = self.step()?;
        let lock = inner.locks.entry(lock.path.clone()).or_default();
        lock.notes.push(content.to_vec());
        Ok(())
    }

    fn holds(&self, lock: &SimulatedLock) -> io::Result<bool> {
        let inner = self.step()?;
        Ok(inner.locks.get(&lock.path).is_some_and(|lock| lock.held))
    }

    fn noted(&self, path: &Path) -> io::Result<Vec<u8>> {
        let inner = self.step()?;
        let lock = inner.locks.get(path).ok_or_else(missing)?;
        Ok(lock.notes.last().cloned().unwrap_or_default())
    }
}

impl DiskFile for SimulatedFile {
    fn size(&self) -> io::Result<u64> {
        let inner = self.disk.step()?;
        Ok(inner.files.get(&self.path).ok_or_else(missing)?.live.len() as u64)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let inner = self.disk.step()?;
        let file = inner.files.get(&self.path).ok_or_else(missing)?;
        let rest = file.live.get(offset as usize..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn write_at(&mut self, offset: u64, content: &[u8]) -> io::Result<()> {
        let (mut inner, fate) = self.disk.operate()?;
        let cut_short = fate == Fate::Dies || inner.faults.full;
        let count = if cut_short { inner.dice.usize(0..=content.len()) } else { content.len() };
        let is_full = inner.faults.full;
        let file = inner.files.get_mut(&self.path).ok_or_else(missing)?;
        file.write(offset as usize, &content[..count]);
        match (fate, is_full) {
            (Fate::Dies, _) => Err(dead()),
            (Fate::Lives, true) => Err(full()),
            (Fate::Lives, false) => Ok(()),
        }
    }

    fn cut(&mut self, len: u64) -> io::Result<()> {
        let mut inner = self.disk.step()?;
        let file = inner.files.get_mut(&self.path).ok_or_else(missing)?;
        let change = Change::Cut { len: len as usize };
        change.apply(&mut file.live);
        file.unsynced.push(change);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        let (mut inner, fate) = self.disk.operate()?;
        let one_in = inner.faults.sync_fails_one_in;
        let fails = one_in > 0 && inner.dice.u64(0..one_in) == 0;
        // Dying in a sync, it may have been completed.
        let completes = !fails && (fate == Fate::Lives || inner.dice.bool());
        let file = inner.files.get_mut(&self.path).ok_or_else(missing)?;
        if completes {
            for change in file.unsynced.drain(..) {
                change.apply(&mut file.durable);
            }
        }
        if fails {
            // Pages that failed are marked clean and never tried again. A length is the file
            // system's own record and stays to be written.
            file.unsynced.retain(|change| matches!(change, Change::Cut { .. }));
        }
        match (fate, fails) {
            (Fate::Dies, _) => Err(dead()),
            (Fate::Lives, true) => Err(io::Error::other("the disk failed to sync")),
            (Fate::Lives, false) => Ok(()),
        }
    }
}

impl Drop for SimulatedLock {
    fn drop(&mut self) {
        let mut inner = self.disk.inner();
        if inner.boot == self.disk.boot
            && let Some(lock) = inner.locks.get_mut(&self.path)
        {
            lock.held = false;
        }
    }
}

fn dead() -> io::Error {
    io::Error::other("the process has died")
}

fn missing() -> io::Error {
    io::ErrorKind::NotFound.into()
}

fn full() -> io::Error {
    io::ErrorKind::StorageFull.into()
}

const SECTOR_BYTES: usize = 512;
