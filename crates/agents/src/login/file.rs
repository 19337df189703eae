//! Reads the file of a login, and refuses one that is not its person's alone.

use std::fs::{Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;

use super::{Login, LoginError};

/// The whole file. It is opened once, and what is checked is what was opened.
pub(super) fn read(login: &Login) -> Result<Vec<u8>, LoginError> {
    let kind = login.kind;
    let link = || LoginError::Link { kind, file: login.file.clone() };
    let others = |path: &Path| LoginError::Others { kind, path: path.to_owned() };
    let unread = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => LoginError::Missing { kind, file: login.file.clone() },
        _ => {
            LoginError::Unreadable { kind, file: login.file.clone(), why: error.kind().to_string() }
        }
    };
    let folder = login.file.parent().ok_or_else(link)?;
    if folder.canonicalize().map_err(unread)? != folder {
        return Err(link());
    }
    let is_own = |about: &Metadata| about.uid() == login.user && about.mode() & 0o022 == 0;
    if !is_own(&folder.metadata().map_err(unread)?) {
        return Err(others(folder));
    }
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let opened =
        OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(&login.file);
    let file = opened.map_err(|error| {
        let is_link = error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
        if is_link { link() } else { unread(error) }
    })?;
    let about = file.metadata().map_err(unread)?;
    let malformed = || LoginError::Malformed { kind, file: login.file.clone() };
    if !about.is_file() {
        return Err(malformed());
    }
    // Another name of the same file could be anywhere.
    if about.nlink() > 1 {
        return Err(link());
    }
    if !is_own(&about) {
        return Err(others(&login.file));
    }
    if about.mode() & 0o077 != 0 {
        return Err(LoginError::Readable { kind, file: login.file.clone() });
    }
    let mut text = Vec::new();
    file.take(BYTES_MAX + 1).read_to_end(&mut text).map_err(unread)?;
    if text.len() as u64 > BYTES_MAX { Err(malformed()) } else { Ok(text) }
}

pub(super) const BYTES_MAX: u64 = 64 << 10;
