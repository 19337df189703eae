//! Checks that the user's files, index, branches, configuration and hooks are unchanged. Only new objects, the new
//! branch and Sealwright's own records may appear.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use anyhow::Result;
use sealwright_kernel::Digest;

/// Everything in a repository that does not belong to `sealwright`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    files: BTreeMap<String, Held>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Held {
    mode: u32,
    content: Digest,
}

impl Kept {
    pub fn look(folder: &Path) -> Result<Self> {
        let mut files = BTreeMap::new();
        gather(folder, folder, &mut files)?;
        Ok(Self { files })
    }

    /// The names of everything that changed.
    pub fn changed(&self, now: &Self) -> Vec<String> {
        let gone_or_other =
            self.files.iter().filter_map(|(name, held)| match now.files.get(name) {
                Some(other) if other == held => None,
                Some(_) => Some(format!("{name} is different")),
                None => Some(format!("{name} is gone")),
            });
        // Objects are content-addressed, so new ones change nothing.
        let is_new =
            |name: &&String| !self.files.contains_key(*name) && !name.starts_with(".git/objects/");
        let new = now.files.keys().filter(is_new).map(|name| format!("{name} is new"));
        gone_or_other.chain(new).collect()
    }
}

fn gather(root: &Path, folder: &Path, files: &mut BTreeMap<String, Held>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        let name = path.strip_prefix(root)?.to_string_lossy().into_owned();
        if OWN.contains(&name.as_str()) {
            continue;
        }
        let meta = fs::symlink_metadata(&path)?;
        let content = if meta.is_symlink() {
            Digest::of(fs::read_link(&path)?.as_os_str().as_encoded_bytes())
        } else if meta.is_dir() {
            gather(root, &path, files)?;
            // Git knows no empty folders.
            continue;
        } else {
            Digest::of(&fs::read(&path)?)
        };
        files.insert(name, Held { mode: meta.permissions().mode(), content });
    }
    Ok(())
}

/// Paths that belong to `sealwright`.
const OWN: [&str; 3] =
    [".sealwright", ".git/refs/heads/sealwright", ".git/logs/refs/heads/sealwright"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_not_sealwrights_own_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        for name in ["a.py", ".git/index", ".git/HEAD", ".git/objects/ab/cd", ".sealwright/x"] {
            write(name, "before");
        }
        let before = Kept::look(folder.path()).unwrap();
        for name in [".git/objects/ef/01", ".sealwright/y", ".git/refs/heads/sealwright/T-1"] {
            write(name, "new");
        }
        write(".sealwright/x", "other");
        assert_eq!(before.changed(&Kept::look(folder.path()).unwrap()), Vec::<String>::new());
        write(".git/index", "touched");
        write(".git/refs/heads/stray", "new");
        write(".git/objects/ab/cd", "touched");
        fs::remove_file(folder.path().join("a.py")).unwrap();
        let expected = [
            ".git/index is different",
            ".git/objects/ab/cd is different",
            "a.py is gone",
            ".git/refs/heads/stray is new",
        ];
        assert_eq!(before.changed(&Kept::look(folder.path()).unwrap()), expected);
    }
}
