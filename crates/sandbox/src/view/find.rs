//! A file that a role left in a folder of its own, found by its name. No link is followed on the way, and nothing but a
//! plain file is read.

use std::path::Path;

use super::beneath::{Folder, Look, Obstacle};

/// The first file below `folder/below`, through exactly `depth` folders, whose name `is_it`: where it is in `folder`, and
/// its bytes. Nothing if there is none.
pub fn find_file(
    folder: &Path,
    below: &str,
    depth: usize,
    is_it: &dyn Fn(&str) -> bool,
    bytes_max: u64,
) -> Result<Option<(String, Vec<u8>)>, Obstacle> {
    let mut looks_left = LOOKS_MAX;
    let found = Folder::open(folder)
        .and_then(|home| home.folder(below))
        .and_then(|start| search(&start, depth, is_it, bytes_max, &mut looks_left));
    match found {
        Ok(found) => Ok(found.map(|(path, bytes)| (format!("{below}/{path}"), bytes))),
        Err(Obstacle::Gone) => Ok(None),
        Err(other) => Err(other),
    }
}

fn search(
    folder: &Folder,
    depth: usize,
    is_it: &dyn Fn(&str) -> bool,
    bytes_max: u64,
    looks_left: &mut usize,
) -> Result<Option<(String, Vec<u8>)>, Obstacle> {
    let mut names: Vec<String> =
        folder.names(*looks_left)?.into_iter().filter_map(|name| name.into_string().ok()).collect();
    names.sort();
    for name in names {
        let Some(left) = looks_left.checked_sub(1) else { return Ok(None) };
        *looks_left = left;
        if depth == 0 && is_it(&name) {
            let file = folder.read(&name, bytes_max)?;
            return Ok(Some((name, file.bytes)));
        }
        if depth > 0 && matches!(folder.look(&name), Ok(Look::Folder(_))) {
            let below = folder.folder(&name)?;
            if let Some((path, bytes)) = search(&below, depth - 1, is_it, bytes_max, looks_left)? {
                return Ok(Some((format!("{name}/{path}"), bytes)));
            }
        }
    }
    Ok(None)
}

/// As many names are looked at.
const LOOKS_MAX: usize = 2_000;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn find(home: &Path) -> Result<Option<(String, Vec<u8>)>, Obstacle> {
        find_file(home, ".codex/sessions", 1, &|name| name == "a.jsonl", 100)
    }

    #[test]
    fn a_file_is_found_at_its_depth() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(find(home.path()).unwrap(), None);
        fs::create_dir_all(home.path().join(".codex/sessions/2026/deep")).unwrap();
        for path in ["a.jsonl", "2026/deep/a.jsonl", "2026/b.jsonl"] {
            fs::write(home.path().join(".codex/sessions").join(path), "other").unwrap();
        }
        assert_eq!(find(home.path()).unwrap(), None);
        fs::write(home.path().join(".codex/sessions/2026/a.jsonl"), "said").unwrap();
        let found = (".codex/sessions/2026/a.jsonl".to_owned(), b"said".to_vec());
        assert_eq!(find(home.path()).unwrap(), Some(found));
    }

    #[test]
    fn no_link_is_followed_wherever_it_stands() {
        let place = tempfile::tempdir().unwrap();
        let (home, victim) = (place.path().join("home"), place.path().join("victim"));
        fs::create_dir_all(victim.join("sessions/2026")).unwrap();
        fs::write(victim.join("sessions/2026/a.jsonl"), "secret").unwrap();
        fs::create_dir(&home).unwrap();
        symlink(&victim, home.join(".codex")).unwrap();
        assert!(find(&home).is_err(), "the folder above");
        fs::remove_file(home.join(".codex")).unwrap();
        fs::create_dir(home.join(".codex")).unwrap();
        symlink(victim.join("sessions"), home.join(".codex/sessions")).unwrap();
        assert!(find(&home).is_err(), "the folder");
        fs::remove_file(home.join(".codex/sessions")).unwrap();
        fs::create_dir(home.join(".codex/sessions")).unwrap();
        symlink(victim.join("sessions/2026"), home.join(".codex/sessions/2026")).unwrap();
        assert_eq!(find(&home).unwrap(), None, "a folder below");
        fs::remove_file(home.join(".codex/sessions/2026")).unwrap();
        fs::create_dir(home.join(".codex/sessions/2026")).unwrap();
        let file = home.join(".codex/sessions/2026/a.jsonl");
        symlink(victim.join("sessions/2026/a.jsonl"), &file).unwrap();
        assert!(find(&home).is_err(), "the file");
        fs::remove_file(&file).unwrap();
        fs::hard_link(victim.join("sessions/2026/a.jsonl"), &file).unwrap();
        assert!(matches!(find(&home), Err(Obstacle::HardLinked { .. })));
        fs::remove_file(&file).unwrap();
        fs::write(&file, "x".repeat(101)).unwrap();
        assert!(matches!(find(&home), Err(Obstacle::TooLarge { .. })));
    }
}
