//! Taking a view away, whatever a role made of it.
//!
//! A role can nest folders deeper than any recursion, and take its own rights away. So nothing here recurses: what
//! lies deeper is moved up, folder by folder, until everything lies at the top. No link is followed.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use rustix::fs::{AtFlags, Mode, OFlags, ResolveFlags, openat2, renameat};
use rustix::io::Errno;

use super::beneath::{Folder, Obstacle, obstacle};
use super::error::ViewError;

/// Takes the folder at `root` away, with all that is in it. A link that stands there is left alone.
pub fn discard(root: &Path) -> Result<(), ViewError> {
    let unfit = || ViewError::unfit("the view");
    let (Some(parent), Some(name)) = (root.parent(), root.file_name()) else {
        return Err(unfit()(Obstacle::NotAFolder));
    };
    let parent = Folder::open(parent).map_err(unfit())?;
    let top = open_up(&parent, name).map_err(unfit())?;
    let mut moved = 0_u64;
    loop {
        let names = top.names(NAMES_AT_ONCE).map_err(unfit())?;
        if names.is_empty() {
            break;
        }
        for name in names {
            take_away(&top, &name, &mut moved).map_err(unfit())?;
        }
    }
    parent.remove(name, AtFlags::REMOVEDIR).map_err(unfit())
}

/// Takes one entry of the top away, and moves what lies in it to the top.
fn take_away(top: &Folder, name: &OsStr, moved: &mut u64) -> Result<(), Obstacle> {
    match top.remove(name, AtFlags::empty()) {
        Ok(()) => return Ok(()),
        Err(Obstacle::Io(error)) if is_folder(&error) => {}
        Err(obstacle) => return Err(obstacle),
    }
    let inside = open_up(top, name)?;
    loop {
        let names = inside.names(NAMES_AT_ONCE)?;
        if names.is_empty() {
            break;
        }
        for entry in names {
            match inside.remove(&entry, AtFlags::empty()) {
                Ok(()) => continue,
                Err(Obstacle::Io(error)) if is_folder(&error) => {}
                Err(obstacle) => return Err(obstacle),
            }
            // To be moved, a folder must let its own entry for the one above be changed.
            open_up(&inside, &entry)?;
            raise(&inside, &entry, top, moved)?;
        }
    }
    top.remove(name, AtFlags::REMOVEDIR)
}

/// Moves a folder to the top, under a name that is free.
fn raise(from: &Folder, name: &OsStr, top: &Folder, moved: &mut u64) -> Result<(), Obstacle> {
    for _ in 0..NAMES_TRIED_MAX {
        *moved += 1;
        match renameat(from.handle(), name, top.handle(), format!("{RAISED}{moved}")) {
            Ok(()) => return Ok(()),
            // A role was there first.
            Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => {}
            Err(error) => return Err(obstacle(error)),
        }
    }
    Err(Obstacle::Io(io::Error::from(io::ErrorKind::AlreadyExists)))
}

/// Opens a folder, after its owner took back the rights to it.
fn open_up(parent: &Folder, name: &OsStr) -> Result<Folder, Obstacle> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = openat2(parent.handle(), name, flags, Mode::empty(), resolve).map_err(obstacle)?;
    let by_handle = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&handle));
    // By its handle, so that it is this folder and no other. Whether it was needed shows when it is opened.
    let _ = rustix::fs::chmod(&by_handle, Mode::RWXU);
    parent.folder(name)
}

fn is_folder(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::EISDIR)
}

const RAISED: &str = ".raised-";
const NAMES_AT_ONCE: usize = 4096;
const NAMES_TRIED_MAX: u32 = 1_000_000;

#[cfg(test)]
mod tests;
