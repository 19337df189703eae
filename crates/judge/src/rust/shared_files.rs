//! One folder for files that tests and candidate hand to each other. Where they are two users, what the owner of a file may
//! do with it, the other may too.

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

/// Removes what a candidate has left for itself: everything in its own folders, and what is its own in the one of both. Where
/// both are one user, whoever runs the tests has cleared that.
pub fn forget() {
    let mut left = FILES_MAX;
    let home = std::env::var("HOME").unwrap_or_default();
    for folder in ["/tmp", "/dev/shm", &home] {
        remove_below(Path::new(folder), None, &mut left);
    }
    let owners = fs::metadata("/proc/self").and_then(|it| Ok((it, fs::metadata(EXCHANGE)?)));
    if let Ok((own, exchange)) = owners {
        if own.uid() != exchange.uid() {
            remove_below(Path::new(EXCHANGE), Some(own.uid()), &mut left);
        }
    }
}

fn remove_below(folder: &Path, of: Option<u32>, left: &mut u32) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Some(fewer) = left.checked_sub(1) else { return };
        *left = fewer;
        let path = entry.path();
        let Ok(found) = path.symlink_metadata() else { continue };
        let is_meant = of.map_or(true, |it| it == found.uid());
        if found.is_dir() {
            if is_meant {
                let _ = fs::set_permissions(&path, fs::Permissions::from_mode(0o777));
            }
            remove_below(&path, of, left);
            if is_meant {
                let _ = fs::remove_dir(&path);
            }
        } else if is_meant {
            let _ = fs::remove_file(&path);
        }
    }
}

pub const EXCHANGE: &str = "/var/tmp";
const FILES_MAX: u32 = 100_000;
