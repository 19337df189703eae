//! Vendored packages: every archive the lock names, checked against the lock and unpacked by us.
//!
//! Cargo does not look at unpacked sources again once they are in its own cache, so a user who can write there
//! would decide what is compiled. Here only archives with the locked checksum are unpacked.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path};

use flate2::read::GzDecoder;
use sealwright_kernel::{Digest, canonical_json};
use serde::Deserialize;

use crate::readable::make_folder;
use crate::room::error::RoomError;
use crate::room::material::put;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Locked {
    name: String,
    version: String,
    checksum: Digest,
}

/// The packages a lock names, but those of the workspace itself.
pub(crate) fn locked(lock: &[u8]) -> Result<Vec<Locked>, RoomError> {
    let odd = |why: String| RoomError::Manifest { path: "Cargo.lock".to_owned(), why };
    let text = std::str::from_utf8(lock).map_err(|error| odd(error.to_string()))?;
    let lock: Lock = toml::from_str(text).map_err(|error| odd(error.message().to_owned()))?;
    let mut locked = Vec::new();
    for package in lock.package {
        let Some(source) = package.source else { continue };
        let file = format!("{}-{}", package.name, package.version);
        let is_name = |text: &str| {
            !text.is_empty()
                && !text.starts_with('.')
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_+.".contains(&byte))
        };
        let checksum = package.checksum.and_then(|checksum| checksum.parse().ok());
        match checksum {
            Some(checksum)
                if REGISTRIES.contains(&source.as_str())
                    && is_name(&package.name)
                    && is_name(&package.version) =>
            {
                locked.push(Locked { name: package.name, version: package.version, checksum });
            }
            Some(_) | None => return Err(RoomError::Unchecked { package: file }),
        }
    }
    Ok(locked)
}

/// Unpacks all of them below `folder`, in the form cargo reads as a source.
pub(crate) fn unpack(locked: &[Locked], cargo_home: &Path, folder: &Path) -> Result<(), RoomError> {
    for package in locked {
        let archive = archive(package, &cargo_home.join("registry/cache"))?;
        let name = package.folder();
        let inside = folder.join(&name);
        make_folder(&inside)?;
        let files = unpack_one(&archive, &name, &inside)?;
        let sums = serde_json::json!({ "files": files, "package": package.checksum });
        let sums = canonical_json(&sums).expect("a map of text");
        put(&inside, SUMS, &sums)?;
    }
    Ok(())
}

impl Locked {
    fn folder(&self) -> String {
        format!("{}-{}", self.name, self.version)
    }
}

/// The archive with the locked checksum. Where it came from does not matter then.
fn archive(package: &Locked, cache: &Path) -> Result<Vec<u8>, RoomError> {
    let file = format!("{}.crate", package.folder());
    let mut was_seen = false;
    let registries = fs::read_dir(cache).into_iter().flatten().flatten();
    for registry in registries {
        let Ok(archive) = File::open(registry.path().join(&file)) else { continue };
        was_seen = true;
        let mut content = Vec::new();
        archive
            .take(ARCHIVE_BYTES_MAX)
            .read_to_end(&mut content)
            .map_err(|source| RoomError::Read { path: file.clone(), source })?;
        if Digest::of(&content) == package.checksum {
            return Ok(content);
        }
    }
    Err(if was_seen { RoomError::Poisoned { file } } else { RoomError::Missing { file } })
}

fn unpack_one(
    archive: &[u8],
    name: &str,
    folder: &Path,
) -> Result<BTreeMap<String, Digest>, RoomError> {
    let odd = |why: String| RoomError::Archive { file: format!("{name}.crate"), why };
    let mut archive = tar::Archive::new(GzDecoder::new(archive).take(UNPACKED_BYTES_MAX));
    let mut files = BTreeMap::new();
    for entry in archive.entries().map_err(|error| odd(error.to_string()))? {
        let mut entry = entry.map_err(|error| odd(error.to_string()))?;
        match entry.header().entry_type() {
            tar::EntryType::Regular | tar::EntryType::Continuous => {}
            tar::EntryType::Directory | tar::EntryType::XGlobalHeader => continue,
            other => return Err(odd(format!("it holds something that is no file ({other:?})"))),
        }
        let path = entry.path().map_err(|error| odd(error.to_string()))?.into_owned();
        let path =
            below(&path, name).ok_or_else(|| odd(format!("{} leads out", path.display())))?;
        if path == SUMS || path == ".cargo-ok" {
            continue;
        }
        let mut content = Vec::new();
        entry.read_to_end(&mut content).map_err(|error| odd(error.to_string()))?;
        put(folder, &path, &content)?;
        // Build scripts of packages start programs that come with them.
        if entry.header().mode().is_ok_and(|mode| mode & ANY_MAY_EXECUTE != 0) {
            fs::set_permissions(folder.join(&path), fs::Permissions::from_mode(0o755))?;
        }
        files.insert(path, Digest::of(&content));
        if files.len() > FILES_MAX {
            return Err(odd(format!("it holds more than {FILES_MAX} files")));
        }
    }
    Ok(files)
}

/// The path below the one folder an archive may hold.
fn below(path: &Path, folder: &str) -> Option<String> {
    let rest = path.strip_prefix(folder).ok()?;
    let names = rest.components().map(|component| match component {
        Component::Normal(name) => name.to_str(),
        Component::CurDir | Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
            None
        }
    });
    let names: Vec<_> = names.collect::<Option<_>>()?;
    (!names.is_empty()).then(|| names.join("/"))
}

#[derive(Deserialize)]
struct Lock {
    #[serde(default)]
    package: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    source: Option<String>,
    checksum: Option<String>,
}

const REGISTRIES: &[&str] =
    &["registry+https://github.com/rust-lang/crates.io-index", "sparse+https://index.crates.io/"];
const SUMS: &str = ".cargo-checksum.json";
const ARCHIVE_BYTES_MAX: u64 = 128 << 20;
const UNPACKED_BYTES_MAX: u64 = 1 << 30;
const FILES_MAX: usize = 50_000;
const ANY_MAY_EXECUTE: u32 = 0o111;

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn only_the_registry_has_checksums() {
        let package = "[[package]]\nname = 'a'\nversion = '1.0.0'\n";
        assert_eq!(locked(package.as_bytes()).unwrap(), []);
        for source in
            ["source = 'git+https://example.com/a'", "source = 'registry+https://example.com'"]
        {
            let text = format!("{package}{source}\nchecksum = '{}'\n", Digest::ZERO);
            assert!(
                matches!(locked(text.as_bytes()), Err(RoomError::Unchecked { .. })),
                "{source}"
            );
        }
        let text = format!("{package}source = '{}'\n", REGISTRIES[0]);
        assert!(matches!(locked(text.as_bytes()), Err(RoomError::Unchecked { .. })));
        let text = format!("{}checksum = '{}'\n", text.replace("'a'", "'../a'"), Digest::ZERO);
        assert!(matches!(locked(text.as_bytes()), Err(RoomError::Unchecked { .. })));
    }

    #[test]
    fn an_archive_writes_nowhere_but_below_its_own_folder() {
        let folder = tempfile::tempdir().unwrap();
        for (path, kind) in [
            ("a-1.0.0/../../out", tar::EntryType::Regular),
            ("b-1.0.0/file", tar::EntryType::Regular),
            ("/a-1.0.0/file", tar::EntryType::Regular),
            ("a-1.0.0/link", tar::EntryType::Symlink),
            ("a-1.0.0/link", tar::EntryType::Link),
            ("a-1.0.0/pipe", tar::EntryType::Fifo),
        ] {
            let refused = unpack_one(&packed(path, kind), "a-1.0.0", folder.path());
            assert!(matches!(refused, Err(RoomError::Archive { .. })), "{path}");
        }
        let good = packed("a-1.0.0/src/lib.rs", tar::EntryType::Regular);
        let mode =
            |path: &str| fs::metadata(folder.path().join(path)).unwrap().permissions().mode();
        let files = unpack_one(&good, "a-1.0.0", folder.path()).unwrap();
        assert_eq!(files, [("src/lib.rs".to_owned(), Digest::of(b"text"))].into());
        assert_eq!(fs::read(folder.path().join("src/lib.rs")).unwrap(), b"text");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(mode("src/lib.rs") & 0o777, 0o644);
        let program = packed_with("a-1.0.0/configure", tar::EntryType::Regular, 0o755);
        unpack_one(&program, "a-1.0.0", folder.path()).unwrap();
        assert_eq!(mode("configure") & 0o777, 0o755);
    }

    fn packed(path: &str, kind: tar::EntryType) -> Vec<u8> {
        packed_with(path, kind, 0o644)
    }

    fn packed_with(path: &str, kind: tar::EntryType, mode: u32) -> Vec<u8> {
        let mut header = tar::Header::new_gnu();
        header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_entry_type(kind);
        header.set_size(if kind == tar::EntryType::Regular { 4 } else { 0 });
        header.set_mode(mode);
        header.set_cksum();
        let mut tar = header.as_bytes().to_vec();
        if kind == tar::EntryType::Regular {
            tar.extend(b"text");
            tar.resize(1024, 0);
        }
        tar.resize(tar.len() + 1024, 0);
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(&tar).unwrap();
        packed.finish().unwrap()
    }
}
