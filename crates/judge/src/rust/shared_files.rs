//! One folder for files that tests and candidate hand to each other. They are two users: what the owner of a file may do
//! with it, the other may too.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

pub fn open_to_both() {
    let Ok(own) = fs::metadata("/proc/self") else { return };
    let mut left = FILES_MAX;
    below(Path::new(EXCHANGE), own.uid(), &mut left);
}

fn below(folder: &Path, own: u32, left: &mut u32) {
    // What cannot be read is another's.
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Some(fewer) = left.checked_sub(1) else { return };
        *left = fewer;
        let path = entry.path();
        let Ok(found) = path.symlink_metadata() else { continue };
        if found.file_type().is_symlink() {
            continue;
        }
        let mode = found.mode() & 0o7777;
        let of_owner = (mode >> 6) & 0o7;
        let open = mode | (of_owner << 3) | of_owner;
        if found.uid() == own && open != mode {
            let _ = fs::set_permissions(&path, fs::Permissions::from_mode(open));
        }
        if found.is_dir() {
            below(&path, own, left);
        }
    }
}

pub const EXCHANGE: &str = "/var/tmp";
const FILES_MAX: u32 = 100_000;
