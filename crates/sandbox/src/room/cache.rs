//! A cache: folders that a trusted step writes once and rooms only read.
//!
//! A folder is made beside its place and moved there when it is whole, so a name is either absent or complete. Its
//! key names everything it was made from. No role ever sees a cache other than read-only or copy-on-write.

use std::fs::{self, DirBuilder, OpenOptions};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;
use sealwright_kernel::Digest;

use crate::room::error::RoomError;

/// A folder of write-once folders.
#[derive(Clone, Debug)]
pub struct Cache {
    base: PathBuf,
}

impl Cache {
    /// The cache at `base`, closed to every other user of this machine.
    pub fn open(base: &Path) -> Result<Self, RoomError> {
        DirBuilder::new().recursive(true).mode(0o700).create(base)?;
        fs::set_permissions(base, fs::Permissions::from_mode(0o700))?;
        Ok(Self { base: base.canonicalize()? })
    }

    /// The folder of this key; `make` fills it if there is none yet.
    pub(crate) fn folder(
        &self,
        kind: &str,
        key: &Digest,
        make: impl FnOnce(&Path) -> Result<(), RoomError>,
    ) -> Result<PathBuf, RoomError> {
        let place = self.base.join(format!("{kind}-{key}"));
        if place.exists() {
            return Ok(place);
        }
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(place.with_extension("lock"))?;
        // A second process waits, and finds it made.
        rustix::fs::flock(&lock, FlockOperation::LockExclusive)
            .map_err(|error| RoomError::Write { source: error.into() })?;
        if !place.exists() {
            let making = place.with_extension("making");
            crate::slot::remove(&making)?;
            crate::readable::make_folder(&making)?;
            make(&making)?;
            fs::rename(&making, &place)?;
        }
        Ok(place)
    }
}
