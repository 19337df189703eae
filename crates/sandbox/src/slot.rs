//! SandboxSlots: the places where runs happen. A slot has a folder, a user of its own where the host is root, and
//! control groups where there are any. It is taken by one process at a time and serves one run after another.
//!
//! What a killed host leaves behind lies in a slot, and is removed when the slot is next taken or swept.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;

use crate::SandboxError;
use crate::cgroup::Cgroups;
use crate::user::{self, Lease};

#[derive(Clone, Debug)]
pub struct SandboxSlots {
    base: PathBuf,
    launcher: PathBuf,
}

/// A place to run in, held until it is dropped.
#[derive(Debug)]
pub struct SandboxSlot {
    folder: PathBuf,
    canary: PathBuf,
    user: Option<Lease>,
    launcher: PathBuf,
    cgroups: Cgroups,
    lock_path: PathBuf,
    _lock: File,
}

/// Whether this program is root, and can therefore run commands as another user.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Lets every user pass through `folder`, because a run may have a user of its own. Makes the folder, and those above
/// it, where they are missing.
pub fn let_pass(folder: &Path) -> io::Result<()> {
    let found = match fs::metadata(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if let Some(above) = folder.parent().filter(|above| !above.as_os_str().is_empty())
                && !above.is_dir()
            {
                let_pass(above)?;
            }
            match make_folder(folder, PASSAGE) {
                // Another process was faster.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => fs::metadata(folder)?,
                made => return made,
            }
        }
        found => found?,
    };
    let mode = found.permissions().mode();
    if mode & PASSAGE == PASSAGE {
        return Ok(());
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(mode | PASSAGE))
}

pub const SLOTS_MAX: u32 = user::USERS_MAX;

impl SandboxSlots {
    /// SandboxSlots below `base`, for a program that is its own launcher (see [`crate::launcher::take_over_if_asked`]).
    pub fn open(base: &Path) -> Result<Self, SandboxError> {
        Self::with_launcher(base, Path::new("/proc/self/exe"))
    }

    /// SandboxSlots below `base` whose launcher is another program.
    pub fn with_launcher(base: &Path, launcher: &Path) -> Result<Self, SandboxError> {
        let prepare = || {
            let_pass(base)?;
            base.canonicalize()
        };
        let base = prepare().map_err(SandboxError::slot)?;
        Ok(Self { base, launcher: launcher.to_owned() })
    }

    pub fn take(&self) -> Result<SandboxSlot, SandboxError> {
        for number in 0..SLOTS_MAX {
            if let Some(slot) = self.try_take(number).map_err(SandboxError::slot)? {
                return Ok(slot);
            }
        }
        Err(SandboxError::Full { most: SLOTS_MAX })
    }

    /// Clears away what killed hosts left behind, and says how many slots that were.
    pub fn sweep(&self) -> Result<u32, SandboxError> {
        let mut swept = 0;
        for entry in fs::read_dir(&self.base).map_err(SandboxError::slot)?.flatten() {
            let name = entry.file_name();
            let number = name.to_str().and_then(|name| name.strip_suffix(".lock")?.parse().ok());
            let Some(number) = number else { continue };
            let taken = self.try_take(number).map_err(SandboxError::slot)?;
            swept += u32::from(taken.is_some());
        }
        Ok(swept)
    }

    fn try_take(&self, number: u32) -> io::Result<Option<SandboxSlot>> {
        let lock_path = self.base.join(format!("{number}.lock"));
        let Some(lock) = try_lock(&lock_path)? else { return Ok(None) };
        if !is_still(&lock, &lock_path) {
            // The process that held it has just removed it; the next number will do.
            return Ok(None);
        }
        let cgroups = Cgroups::make(&format!("sealwright-{}-{number}", self.name()));
        let folder = self.base.join(number.to_string());
        remove(&folder)?;
        make_folder(&folder, PASSAGE)?;
        let private = folder.join("private");
        make_folder(&private, 0o700)?;
        let canary = private.join("canary");
        fs::write(&canary, "whoever reads this is not confined\n")?;
        fs::set_permissions(&canary, fs::Permissions::from_mode(0o666))?;
        let user = if is_root() {
            // A run is never root, whatever the host is.
            Some(user::lease()?.ok_or_else(|| io::Error::other("every user number is leased"))?)
        } else {
            None
        };
        let launcher = self.launcher.clone();
        Ok(Some(SandboxSlot { folder, canary, user, launcher, cgroups, lock_path, _lock: lock }))
    }

    /// A short name for these slots, so that those of two folders share no control group.
    fn name(&self) -> String {
        use std::os::unix::ffi::OsStrExt as _;
        let digest = sealwright_kernel::Digest::of(self.base.as_os_str().as_bytes());
        String::from_utf8_lossy(&digest.hex()[..12]).into_owned()
    }
}

impl SandboxSlot {
    /// A folder that is the slot's alone; what a run is to see can be put here.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whom commands run as, where that can be chosen. What they are to write must belong to this user.
    pub fn run_as(&self) -> Option<u32> {
        self.user.as_ref().map(|lease| lease.user)
    }

    /// Lets commands that run here write to `path`.
    pub fn give(&self, path: &Path) -> io::Result<()> {
        match self.run_as() {
            Some(user) => std::os::unix::fs::chown(path, Some(user), Some(user)),
            None => Ok(()),
        }
    }

    /// Runs as this user instead, so that a test can have everything else belong to it as well.
    #[cfg(feature = "ablation")]
    pub fn as_user(mut self, user: u32) -> Self {
        if let Some(lease) = &mut self.user {
            lease.user = user;
        }
        self
    }

    pub(crate) fn canary(&self) -> &Path {
        &self.canary
    }

    pub(crate) fn launcher(&self) -> &Path {
        &self.launcher
    }

    pub(crate) fn cgroups(&self) -> &Cgroups {
        &self.cgroups
    }
}

impl Drop for SandboxSlot {
    fn drop(&mut self) {
        // Before the lock is released: its next holder makes everything anew under the same names.
        self.cgroups.remove();
        let _ = remove(&self.folder);
        let _ = fs::remove_file(&self.lock_path);
    }
}

/// Locks a file, and makes it where it is missing. None if another process holds the lock.
pub(crate) fn try_lock(path: &Path) -> io::Result<Option<File>> {
    let lock = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW)
        .open(path)?;
    match rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(lock)),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn make_folder(folder: &Path, mode: u32) -> io::Result<()> {
    DirBuilder::new().mode(mode).create(folder)?;
    fs::set_permissions(folder, fs::Permissions::from_mode(mode))
}

/// Removes a folder with all that is in it, also where a run took its own right to.
pub(crate) fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(_) => {
            open_up(folder)?;
            fs::remove_dir_all(folder)
        }
    }
}

/// Gives the rights to folders back that are needed to empty them. Links are not followed.
fn open_up(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(folder)?.flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path())?;
        }
    }
    Ok(())
}

fn is_still(lock: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (lock.metadata(), fs::symlink_metadata(path)) {
        (Ok(held), Ok(there)) => held.ino() == there.ino() && held.dev() == there.dev(),
        (Ok(_) | Err(_), Err(_)) | (Err(_), Ok(_)) => false,
    }
}

/// The mode of a folder that every user may pass through, and only its owner may list.
const PASSAGE: u32 = 0o711;
