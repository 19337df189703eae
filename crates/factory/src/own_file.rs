//! Small files that a person keeps outside of every repository, such as consents. A file that others could have written is
//! refused.

use std::fs::{DirBuilder, Metadata, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub(crate) enum OwnFileError {
    /// Somebody else could have written it.
    Unsafe {
        path: PathBuf,
    },
    Io {
        path: PathBuf,
        source: io::Error,
    },
}

/// The file, if it is there; no more than `bytes_max` of it.
pub(crate) fn read(path: &Path, bytes_max: u64) -> Result<Option<Vec<u8>>, OwnFileError> {
    let failed = |source| OwnFileError::Io { path: path.to_owned(), source };
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let opened = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path);
    let file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(failed(source)),
    };
    let about = file.metadata().map_err(failed)?;
    let user = user();
    let is_own = |about: &Metadata| about.uid() == user && about.mode() & 0o022 == 0;
    let folder = path.parent().unwrap_or(path).metadata().map_err(failed)?;
    if !about.is_file() || !is_own(&about) || !is_own(&folder) {
        return Err(OwnFileError::Unsafe { path: path.to_owned() });
    }
    let mut text = Vec::new();
    file.take(bytes_max).read_to_end(&mut text).map_err(failed)?;
    Ok(Some(text))
}

/// Puts the file there at once, in a folder of its own user.
pub(crate) fn write(path: &Path, text: &[u8]) -> Result<(), OwnFileError> {
    let folder = path.parent().unwrap_or(path);
    let write = || {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let mut draft = tempfile::Builder::new().prefix(".draft-").tempfile_in(folder)?;
        draft.write_all(text)?;
        draft.as_file().sync_all()?;
        draft.persist(path)?;
        Ok(())
    };
    write().map_err(|source| OwnFileError::Io { path: path.to_owned(), source })
}

/// The user that this process acts as.
pub(crate) fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}
