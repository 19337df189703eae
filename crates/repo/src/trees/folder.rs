//! Writes and reads trees in Sealwright's state folder. No role ever writes there.

use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use super::{LeafKind, TreeError};

/// Replaces `folder` atomically by one that `fill` writes. Its old content is removed unread.
pub(super) fn fill(
    folder: &Path,
    fill: impl FnOnce(&Path) -> Result<(), TreeError>,
) -> Result<(), TreeError> {
    let parent = folder.parent().unwrap_or(folder);
    fs::create_dir_all(parent)?;
    let making = tempfile::Builder::new().prefix("making-").tempdir_in(parent)?;
    fs::set_permissions(making.path(), fs::Permissions::from_mode(0o755))?;
    fill(making.path())?;
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::rename(making.keep(), folder)?;
    Ok(())
}

/// Creates a folder that other users can read.
pub(super) fn make(folder: &Path) -> io::Result<()> {
    fs::create_dir(folder)?;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))
}

/// Writes one file and creates its parent folders.
pub(super) fn put(folder: &Path, path: &str, kind: LeafKind, content: &[u8]) -> io::Result<()> {
    let place = folder.join(path);
    if let Some(parent) = place.parent() {
        fs::create_dir_all(parent)?;
    }
    let mode = match kind {
        LeafKind::Plain => 0o644,
        LeafKind::Executable => 0o755,
        LeafKind::Link => {
            let target = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(content);
            return std::os::unix::fs::symlink(target, &place);
        }
    };
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&place)?;
    file.write_all(content)?;
    file.set_permissions(fs::Permissions::from_mode(mode))
}

pub(super) fn read(folder: &Path, path: &str, kind: LeafKind) -> io::Result<Vec<u8>> {
    let place = folder.join(path);
    match kind {
        LeafKind::Link => Ok(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::as_bytes(
            fs::read_link(&place)?.as_os_str(),
        )
        .to_vec()),
        LeafKind::Plain | LeafKind::Executable => {
            let mut content = Vec::new();
            fs::File::open(&place)?.take(super::FILE_BYTES_MAX).read_to_end(&mut content)?;
            Ok(content)
        }
    }
}
