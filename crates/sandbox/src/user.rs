//! Users of runs: where the host is root, each run has a user id that no other run has at the same time.
//!
//! Numbers are leased machine-wide, not for one folder of slots: whoever ends a run ends everything of its user.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::FlockOperation;

/// A user number that is held until this is dropped.
#[derive(Debug)]
pub(crate) struct Lease {
    pub(crate) user: u32,
    _lock: File,
}

/// How many runs can be somebody of their own at one time.
pub(crate) const USERS_MAX: u32 = 600;

/// Leases the first number that is free; nothing if all are taken.
pub(crate) fn lease() -> io::Result<Option<Lease>> {
    let folder = Path::new(FOLDER);
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|error| {
        io::Error::new(error.kind(), format!("{FOLDER} cannot be made: {error}"))
    })?;
    for number in 0..USERS_MAX {
        let user = FIRST + number;
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW)
            .open(folder.join(user.to_string()))?;
        match rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(Some(Lease { user, _lock: lock })),
            Err(rustix::io::Errno::WOULDBLOCK) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(None)
}

/// Files here are never removed, so that two holders never lock two files of one name.
const FOLDER: &str = "/run/sealwright/users";
/// The first of a range of user numbers that no distribution hands out.
const FIRST: u32 = 60_578;
