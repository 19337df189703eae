//! What is read of a repository has to be plain files. A pipe in their place would let the reader wait for ever.

use std::collections::BTreeSet;
use std::fs::{self, FileType, Metadata};
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use super::GitReadError;

/// The text of a small file, if there is one. Anything else than a plain file is an error.
pub(super) fn text(file: &Path) -> Result<Option<String>, GitReadError> {
    let Ok(found) = fs::metadata(file) else { return Ok(None) };
    is_plain(file, &found, TEXT_BYTES_MAX)?;
    fs::read_to_string(file).map(Some).map_err(|error| odd(file, &error.to_string()))
}

/// Looks through everything that references and objects are read from, also in the repositories that this one borrows
/// from.
pub(super) fn check(git: &Path, common: &Path) -> Result<(), GitReadError> {
    let mut look = Look { left: ENTRIES_MAX };
    for folder in BTreeSet::from([git, common]) {
        look.files_of(folder)?;
        look.below(&folder.join("refs"), REFERENCE_FOLDERS_MAX, TEXT_BYTES_MAX)?;
    }
    let (mut due, mut seen) = (vec![common.join("objects")], BTreeSet::new());
    while let Some(objects) = due.pop() {
        if !seen.insert(objects.clone()) {
            continue;
        }
        if seen.len() > ALTERNATES_MAX {
            return Err(GitReadError::TooMuch { what: "alternates", most: ALTERNATES_MAX as u64 });
        }
        look.below(&objects, OBJECT_FOLDERS_MAX, u64::MAX)?;
        due.extend(alternates(&objects)?);
    }
    Ok(())
}

/// The folders of objects that one borrows from.
fn alternates(objects: &Path) -> Result<Vec<PathBuf>, GitReadError> {
    let file = objects.join("info/alternates");
    let lines = text(&file)?.unwrap_or_default();
    let mut found = Vec::new();
    for line in lines.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if line.starts_with('"') && line.contains('\\') {
            return Err(odd(&file, "a name in it is written with escapes"));
        }
        found.push(objects.join(line.trim_matches('"')));
    }
    Ok(found)
}

struct Look {
    left: usize,
}

impl Look {
    /// The files at the top of a folder, such as `HEAD` and `packed-refs`.
    fn files_of(&mut self, folder: &Path) -> Result<(), GitReadError> {
        self.below(folder, 0, u64::MAX)?;
        for (name, bytes_max) in [("HEAD", TEXT_BYTES_MAX), ("packed-refs", REFERENCES_BYTES_MAX)] {
            let file = folder.join(name);
            if let Ok(found) = fs::metadata(&file) {
                is_plain(&file, &found, bytes_max)?;
            }
        }
        Ok(())
    }

    fn below(&mut self, folder: &Path, depth: usize, bytes_max: u64) -> Result<(), GitReadError> {
        let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
        for entry in entries.flatten() {
            self.left = self.left.checked_sub(1).ok_or(GitReadError::TooMuch {
                what: "references and objects",
                most: ENTRIES_MAX as u64,
            })?;
            let path = entry.path();
            let Ok(kind) = entry.file_type() else { continue };
            // Git follows links, so what they lead to counts.
            let found = if kind.is_symlink() || bytes_max < u64::MAX {
                let Ok(found) = fs::metadata(&path) else { continue };
                Some(found)
            } else {
                None
            };
            let kind = found.as_ref().map_or(kind, Metadata::file_type);
            if kind.is_dir() && depth > 0 {
                self.below(&path, depth - 1, bytes_max)?;
            } else if waits(kind) {
                return Err(odd(&path, "it is no plain file"));
            } else if let Some(found) = found.filter(Metadata::is_file) {
                is_plain(&path, &found, bytes_max)?;
            }
        }
        Ok(())
    }
}

/// Whether opening it may wait for somebody. A socket cannot be opened at all; the file watcher of git leaves one.
fn waits(kind: FileType) -> bool {
    kind.is_fifo() || kind.is_char_device() || kind.is_block_device()
}

fn is_plain(file: &Path, found: &Metadata, bytes_max: u64) -> Result<(), GitReadError> {
    if !found.is_file() {
        return Err(odd(file, "it is no plain file"));
    }
    if found.len() > bytes_max {
        return Err(odd(file, &format!("it is larger than {bytes_max} bytes")));
    }
    Ok(())
}

fn odd(file: &Path, why: &str) -> GitReadError {
    GitReadError::Broken { what: format!("`{}`", file.display()), why: why.to_owned() }
}

const TEXT_BYTES_MAX: u64 = 1 << 20;
const REFERENCES_BYTES_MAX: u64 = 256 << 20;
const REFERENCE_FOLDERS_MAX: usize = 64;
/// `objects/info/commit-graphs` is the deepest.
const OBJECT_FOLDERS_MAX: usize = 3;
const ALTERNATES_MAX: usize = 32;
const ENTRIES_MAX: usize = 4_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_wait_is_named_wherever_it_stands() {
        for place in [
            "HEAD",
            "packed-refs",
            "refs/heads/sealwright/T-a-001",
            "objects/info/alternates",
            "objects/ab/cdef",
            "objects/pack/pack-1.idx",
        ] {
            let folder = tempfile::tempdir().unwrap();
            let git = folder.path();
            let odd = git.join(place);
            fs::create_dir_all(odd.parent().unwrap()).unwrap();
            assert!(check(git, git).is_ok(), "{place}");
            // A device is to be had without a program that makes pipes, and would wait or never end as well.
            std::os::unix::fs::symlink("/dev/zero", &odd).unwrap();
            let said = check(git, git).unwrap_err().to_string();
            assert!(said.contains(place) && said.contains("no plain file"), "{said}");
        }
    }

    #[test]
    fn a_borrowed_repository_is_looked_at_as_well() {
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir_all(one.path().join("objects/info")).unwrap();
        fs::create_dir_all(other.path().join("info")).unwrap();
        let named = format!("# borrowed\n{}\n", other.path().display());
        fs::write(one.path().join("objects/info/alternates"), named).unwrap();
        assert!(check(one.path(), one.path()).is_ok());
        std::os::unix::fs::symlink("/dev/zero", other.path().join("info/alternates")).unwrap();
        assert!(check(one.path(), one.path()).is_err());
    }

    #[test]
    fn a_reference_without_an_end_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let head = folder.path().join("HEAD");
        fs::write(&head, "ref: refs/heads/main\n").unwrap();
        assert!(check(folder.path(), folder.path()).is_ok());
        fs::File::options().write(true).open(&head).unwrap().set_len(1 << 40).unwrap();
        assert!(check(folder.path(), folder.path()).is_err());
    }
}
