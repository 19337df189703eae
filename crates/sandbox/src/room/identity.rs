//! Identity: folders of tools and packages, each in one number.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use sealwright_kernel::{Digest, Hasher};

/// A toolchain: the bytes of its programs, and the names and sizes of what it has below `lib`.
///
/// Hashing a gigabyte before every check would cost more than the check; a user who can write there is trusted.
pub(crate) fn toolchain(
    folder: &Path,
    programs: &[&str],
    is_part: impl Fn(&str) -> bool,
) -> io::Result<Digest> {
    let mut hasher = Hasher::default();
    for program in programs {
        hasher.update(program.as_bytes());
        hasher.update(&file(&folder.join("bin").join(program))?.hex());
    }
    let mut left = ENTRIES_MAX;
    let mut parts = fs::read_dir(folder.join("lib"))?.collect::<io::Result<Vec<_>>>()?;
    parts.retain(|part| is_part(&part.file_name().to_string_lossy()));
    parts.sort_by_key(fs::DirEntry::file_name);
    for part in parts {
        entry(&part, "", &mut hasher, Depth::Sizes, &mut left)?;
    }
    Ok(hasher.finish())
}

/// A folder of packages: every path and every byte, compiled leftovers too, for they are loaded.
pub(crate) fn packages(folder: &Path) -> io::Result<Digest> {
    let mut hasher = Hasher::default();
    tree(folder, "", &mut hasher, Depth::Bytes, &mut { ENTRIES_MAX })?;
    Ok(hasher.finish())
}

pub(crate) fn file(path: &Path) -> io::Result<Digest> {
    reader(File::open(path)?)
}

/// All bytes that are left.
pub(crate) fn reader(mut from: impl Read) -> io::Result<Digest> {
    let mut hasher = Hasher::default();
    let mut piece = vec![0; 256 << 10];
    loop {
        match from.read(&mut piece)? {
            0 => return Ok(hasher.finish()),
            read => hasher.update(&piece[..read]),
        }
    }
}

#[derive(Clone, Copy)]
enum Depth {
    Sizes,
    Bytes,
}

fn tree(
    folder: &Path,
    inside: &str,
    hasher: &mut Hasher,
    depth: Depth,
    left: &mut u32,
) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for part in entries {
        entry(&part, inside, hasher, depth, left)?;
    }
    Ok(())
}

fn entry(
    entry: &fs::DirEntry,
    inside: &str,
    hasher: &mut Hasher,
    depth: Depth,
    left: &mut u32,
) -> io::Result<()> {
    let name = entry.file_name();
    match depth {
        Depth::Sizes if NOT_PARTS.iter().any(|other| name == *other) => return Ok(()),
        Depth::Sizes | Depth::Bytes => {}
    }
    *left = left.checked_sub(1).ok_or_else(|| io::Error::other("too many files"))?;
    let path = format!("{inside}/{}", name.display());
    hasher.update(path.as_bytes());
    hasher.update(b"\0");
    let found = entry.path().symlink_metadata()?;
    if found.is_dir() {
        tree(&entry.path(), &path, hasher, depth, left)?;
    } else if found.is_symlink() {
        hasher.update(fs::read_link(entry.path())?.as_os_str().as_encoded_bytes());
    } else {
        match depth {
            Depth::Sizes => hasher.update(&found.len().to_le_bytes()),
            Depth::Bytes => hasher.update(&file(&entry.path())?.hex()),
        }
    }
    hasher.update(b"\0");
    Ok(())
}

/// Packages beside an interpreter, which it does not load here, and what it compiled by itself.
const NOT_PARTS: &[&str] = &["__pycache__", "site-packages", "dist-packages"];
const ENTRIES_MAX: u32 = 200_000;
