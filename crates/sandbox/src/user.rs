//! Users of runs: where the host is root, each run has a user id that no other run has at the same time.
//!
//! Numbers are leased machine-wide, not for one folder of slots: ending a run kills every process of its user.

use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use crate::slot::try_lock;

/// A user number that is held until this is dropped.
#[derive(Debug)]
pub(crate) struct Lease {
    pub(crate) user: u32,
    _lock: File,
}

/// How many runs can have a user of their own at one time.
pub(crate) const USERS_MAX: u32 = 600;

/// Leases the first number that is free; nothing if all are taken.
pub(crate) fn lease() -> io::Result<Option<Lease>> {
    let folder = Path::new(FOLDER);
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|error| {
        io::Error::new(error.kind(), format!("{FOLDER} cannot be made: {error}"))
    })?;
    for number in 0..USERS_MAX {
        let user = FIRST + number;
        if let Some(lock) = try_lock(&folder.join(user.to_string()))? {
            return Ok(Some(Lease { user, _lock: lock }));
        }
    }
    Ok(None)
}

/// Files here are never removed, so that two holders never lock two files of one name.
const FOLDER: &str = "/run/sealwright/users";
/// The first of a range of user numbers that no distribution hands out.
const FIRST: u32 = 60_578;
