//! Ownership: what a run sees of the host's folders belongs to the host's user, and may be closed to the user of the run.
//!
//! A file that root made under a umask of 077, such as an installed package, is closed to every other user, and no file
//! of root's can be changed by one. So an overlay of such a folder is given to the user of the run, entry by entry. The
//! originals keep their owner, and no content is copied.

use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, Dir, FileType, Gid, OFlags, Uid, chownat, fstat, statat};

use crate::launcher::root::beneath;

/// What a run is to do with the host's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    Read,
    Change,
}

impl Wish {
    fn is_open_to_all(self, kind: FileType, mode: u32) -> bool {
        let needed = match (self, kind.is_dir()) {
            (Self::Read, false) => 0o004,
            (Self::Read, true) => 0o005,
            (Self::Change, false) => 0o006,
            (Self::Change, true) => 0o007,
        };
        mode & needed == needed
    }
}

/// Whether other users cannot read `source`, or something right in it. Installers close all of a package or nothing.
pub(super) fn is_closed(source: &OwnedFd) -> io::Result<bool> {
    let found = fstat(source)?;
    let kind = FileType::from_raw_mode(found.st_mode);
    if !Wish::Read.is_open_to_all(kind, found.st_mode) {
        return Ok(true);
    }
    if !kind.is_dir() {
        return Ok(false);
    }
    let folder = beneath(source, ".", OFlags::RDONLY | OFlags::DIRECTORY)?;
    for entry in Dir::read_from(&folder)?.take(LOOKED_AT_MAX) {
        let entry = entry?;
        if entry.file_type().is_symlink() || is_dots(entry.file_name()) {
            continue;
        }
        let found = statat(&folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW)?;
        let kind = FileType::from_raw_mode(found.st_mode);
        let is_plain = kind.is_dir() || kind.is_file();
        if is_plain && !Wish::Read.is_open_to_all(kind, found.st_mode) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Gives to `user` what is in the overlay at `overlay`, where `wish` asks for it. Past a bound, entries keep their owner.
pub(super) fn hand_over(overlay: &OwnedFd, user: u32, wish: Wish) -> io::Result<()> {
    let mut left = HANDED_OVER_MAX;
    hand_over_in(overlay, user, wish, &mut left, DEPTH_MAX)
}

fn hand_over_in(
    folder: &OwnedFd,
    user: u32,
    wish: Wish,
    entries_left: &mut u32,
    depth_left: u32,
) -> io::Result<()> {
    let folder = beneath(folder, ".", OFlags::RDONLY | OFlags::DIRECTORY)?;
    for entry in Dir::read_from(&folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if is_dots(name) {
            continue;
        }
        if *entries_left == 0 {
            break;
        }
        *entries_left -= 1;
        let found = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let kind = FileType::from_raw_mode(found.st_mode);
        if !kind.is_dir() && !kind.is_file() {
            continue;
        }
        if found.st_uid != user && !wish.is_open_to_all(kind, found.st_mode) {
            let (owner, group) = (Uid::from_raw(user), Gid::from_raw(user));
            chownat(&folder, name, Some(owner), Some(group), AtFlags::SYMLINK_NOFOLLOW)?;
        }
        if kind.is_dir() && depth_left > 0 {
            let inside = beneath(&folder, name, OFlags::PATH | OFlags::DIRECTORY)?;
            hand_over_in(&inside, user, wish, entries_left, depth_left - 1)?;
        }
    }
    Ok(())
}

fn is_dots(name: &std::ffi::CStr) -> bool {
    matches!(name.to_bytes(), b"." | b"..")
}

/// How many entries of a folder are looked at to see whether it is closed.
const LOOKED_AT_MAX: usize = 10_000;
/// The most entries of a folder that are given to the user of the run. Each takes about a kilobyte of memory.
const HANDED_OVER_MAX: u32 = 200_000;
/// The most folders inside each other. Each is open while those in it are looked at.
const DEPTH_MAX: u32 = 128;
