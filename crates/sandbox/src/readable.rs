//! Folders and files that every user may read, whatever the umask of the host program is.
//!
//! Where the host is root, a run has another user than the host. A mode that is left to the umask would close the
//! run's own files to it. The host's umask stays as it is: it is right for what the host writes elsewhere.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

/// Makes a new folder.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir(folder)?;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))
}

/// Makes the folders of `path` below `base` that are missing.
pub(crate) fn make_folders(base: &Path, path: &Path) -> io::Result<()> {
    let mut here = base.to_owned();
    for name in path {
        here.push(name);
        match make_folder(&here) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => made?,
        }
    }
    Ok(())
}

/// Writes a new file.
pub(crate) fn make_file(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o644).open(path)?;
    file.write_all(content)?;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}
