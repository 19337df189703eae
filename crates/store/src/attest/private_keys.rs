//! The private keys of an installation, stored outside every repository.
//!
//! ```text
//! <state folder>/keys/            mode 0700, the user's own
//!   current                       the name of the key that signs
//!   <keyid>.key                   mode 0600, 64 hex digits
//! ```
//!
//! Old keys stay, because another repository may still have to be told that they were retired. A key that others could
//! have read or put there is not used.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use rustix::fs::OFlags;

use super::key::bytes_in_hex;
use super::{KeyId, PrivateKey};

#[derive(Clone, Debug)]
pub struct PrivateKeys {
    folder: PathBuf,
}

/// Why a private key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PrivateKeysError {
    /// Others could have read or changed it.
    #[error("refusing `{}`: {why}", .path.display())]
    Unsafe { path: PathBuf, why: &'static str },
    /// The file is not a key.
    #[error("`{}` holds no key", .path.display())]
    NotAKey { path: PathBuf },
    /// The disk failed.
    #[error("cannot access `{}`", .path.display())]
    Io { path: PathBuf, source: io::Error },
}

impl PrivateKeysError {
    pub fn hint(&self) -> String {
        match self {
            Self::Unsafe { .. } => {
                "a key that others could read is theirs too: move it away, then `sealwright keys new --rotate`"
                    .to_owned()
            }
            Self::NotAKey { .. } => {
                "restore it, or move it away and `sealwright keys new --rotate`".to_owned()
            }
            Self::Io { .. } => "see that the folder is yours and the disk has room".to_owned(),
        }
    }
}

impl PrivateKeys {
    /// The private keys in `folder`, which need not exist yet.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The key that signs here, if one was made.
    pub fn current(&self) -> Result<Option<PrivateKey>, PrivateKeysError> {
        let path = self.folder.join(CURRENT);
        let Some(text) = self.read(&path)? else { return Ok(None) };
        let Ok(id) = text.trim_end().parse() else {
            return Err(PrivateKeysError::NotAKey { path });
        };
        match self.key(&id)? {
            Some(key) => Ok(Some(key)),
            None => Err(PrivateKeysError::NotAKey { path }),
        }
    }

    /// A key of this installation, by its name.
    pub fn key(&self, id: &KeyId) -> Result<Option<PrivateKey>, PrivateKeysError> {
        let path = self.path(id);
        let Some(text) = self.read(&path)? else { return Ok(None) };
        let seed = text.strip_suffix('\n').and_then(|hex| bytes_in_hex(hex).ok());
        let key = seed.map(|seed| PrivateKey::from_bytes(&seed));
        match key.filter(|key| key.id() == *id) {
            Some(key) => Ok(Some(key)),
            None => Err(PrivateKeysError::NotAKey { path }),
        }
    }

    /// Makes a key and lets it sign from now on.
    pub fn make(&self) -> Result<PrivateKey, PrivateKeysError> {
        let failed = |source| PrivateKeysError::Io { path: self.folder.clone(), source };
        let key = PrivateKey::make().map_err(failed)?;
        self.make_folder()?;
        let seed = format!("{}\n", HEXLOWER.encode(&key.to_bytes()));
        self.write(&self.path(&key.id()), &seed)?;
        // The old name is replaced in one step, so there is always one key that signs.
        let (draft, current) = (self.folder.join(DRAFT), self.folder.join(CURRENT));
        let _ = std::fs::remove_file(&draft);
        self.write(&draft, &format!("{}\n", key.id()))?;
        std::fs::rename(&draft, &current).map_err(failed)?;
        File::open(&self.folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
        Ok(key)
    }

    fn path(&self, id: &KeyId) -> PathBuf {
        self.folder.join(format!("{id}.key"))
    }

    fn make_folder(&self) -> Result<(), PrivateKeysError> {
        let failed = |source| PrivateKeysError::Io { path: self.folder.clone(), source };
        if let Some(above) = self.folder.parent() {
            std::fs::create_dir_all(above).map_err(failed)?;
        }
        match DirBuilder::new().mode(0o700).create(&self.folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(failed(error)),
            Ok(()) | Err(_) => self.check_folder().map(|_| ()),
        }
    }

    /// Whether the folder exists and belongs to this user only.
    fn check_folder(&self) -> Result<bool, PrivateKeysError> {
        let path = &self.folder;
        let meta = match std::fs::symlink_metadata(path) {
            Ok(meta) => meta,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(source) => return Err(PrivateKeysError::Io { path: path.clone(), source }),
        };
        let is_folder = if meta.is_dir() { Ok(()) } else { Err("it is no folder of its own") };
        match is_folder.and(is_private(meta.uid(), meta.mode())) {
            Ok(()) => Ok(true),
            Err(why) => Err(PrivateKeysError::Unsafe { path: path.clone(), why }),
        }
    }

    fn read(&self, path: &Path) -> Result<Option<String>, PrivateKeysError> {
        if !self.check_folder()? {
            return Ok(None);
        }
        let failed = |source| PrivateKeysError::Io { path: path.to_owned(), source };
        let unsafe_because = |why| PrivateKeysError::Unsafe { path: path.to_owned(), why };
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
        let file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) if error.raw_os_error() == Some(LOOP) => {
                return Err(unsafe_because("it is a link"));
            }
            Err(error) => return Err(failed(error)),
        };
        // The permissions are read from the open file, so that it cannot be exchanged before it is read.
        let meta = file.metadata().map_err(failed)?;
        if !meta.is_file() || meta.nlink() != 1 {
            return Err(unsafe_because("it is no file of its own"));
        }
        is_private(meta.uid(), meta.mode()).map_err(unsafe_because)?;
        let mut text = String::new();
        file.take(KEY_BYTES_MAX).read_to_string(&mut text).map_err(failed)?;
        Ok(Some(text))
    }

    fn write(&self, path: &Path, text: &str) -> Result<(), PrivateKeysError> {
        let failed = |source| PrivateKeysError::Io { path: path.to_owned(), source };
        let mut open = OpenOptions::new();
        let mut file = open.write(true).create_new(true).mode(0o600).open(path).map_err(failed)?;
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)
    }
}

fn is_private(owner: u32, mode: u32) -> Result<(), &'static str> {
    if owner != rustix::process::geteuid().as_raw() {
        return Err("it belongs to somebody else");
    }
    if mode & 0o077 != 0 {
        return Err("others may read or change it");
    }
    Ok(())
}

const CURRENT: &str = "current";
const DRAFT: &str = "current.new";
const KEY_BYTES_MAX: u64 = 256;
/// What the system says of a link where none may be.
const LOOP: i32 = 40;

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn a_key_is_made_once_and_kept_where_only_its_user_reads() {
        let folder = tempfile::tempdir().unwrap();
        let private_keys = PrivateKeys::at(folder.path().join("state/keys"));
        assert!(private_keys.current().unwrap().is_none());
        let first = private_keys.make().unwrap();
        assert_eq!(private_keys.current().unwrap().unwrap().id(), first.id());
        assert_eq!(mode(&private_keys.folder), 0o700);
        assert_eq!(mode(&private_keys.path(&first.id())), 0o600);
        let second = private_keys.make().unwrap();
        assert_eq!(private_keys.current().unwrap().unwrap().id(), second.id());
        assert_eq!(private_keys.key(&first.id()).unwrap().unwrap().id(), first.id());
    }

    #[test]
    fn a_key_that_others_could_touch_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let private_keys = PrivateKeys::at(folder.path().join("keys"));
        let id = private_keys.make().unwrap().id();
        let path = private_keys.path(&id);
        for loose in [0o640, 0o604, 0o620, 0o602] {
            std::fs::set_permissions(&path, Permissions::from_mode(loose)).unwrap();
            assert!(
                matches!(private_keys.current(), Err(PrivateKeysError::Unsafe { .. })),
                "{loose:o}"
            );
        }
        std::fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        for loose in [0o750, 0o705, 0o720] {
            std::fs::set_permissions(&private_keys.folder, Permissions::from_mode(loose)).unwrap();
            assert!(
                matches!(private_keys.current(), Err(PrivateKeysError::Unsafe { .. })),
                "{loose:o}"
            );
            assert!(
                matches!(private_keys.make(), Err(PrivateKeysError::Unsafe { .. })),
                "{loose:o}"
            );
        }
        std::fs::set_permissions(&private_keys.folder, Permissions::from_mode(0o700)).unwrap();
        assert!(private_keys.current().unwrap().is_some());
        let aside = folder.path().join("aside");
        std::fs::rename(&path, &aside).unwrap();
        std::os::unix::fs::symlink(&aside, &path).unwrap();
        assert!(matches!(
            private_keys.current(),
            Err(PrivateKeysError::Unsafe { why: "it is a link", .. })
        ));
        std::fs::remove_file(&path).unwrap();
        std::fs::hard_link(&aside, &path).unwrap();
        assert!(matches!(private_keys.current(), Err(PrivateKeysError::Unsafe { .. })));
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&private_keys.folder, &link).unwrap();
        assert!(matches!(PrivateKeys::at(link).current(), Err(PrivateKeysError::Unsafe { .. })));
    }

    #[test]
    fn a_key_that_is_not_the_one_it_is_called_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let private_keys = PrivateKeys::at(folder.path().join("keys"));
        let (first, second) =
            (private_keys.make().unwrap().id(), private_keys.make().unwrap().id());
        std::fs::remove_file(private_keys.path(&second)).unwrap();
        std::fs::rename(private_keys.path(&first), private_keys.path(&second)).unwrap();
        assert!(matches!(private_keys.current(), Err(PrivateKeysError::NotAKey { .. })));
        std::fs::write(private_keys.path(&second), "not a key\n").unwrap();
        assert!(matches!(private_keys.key(&second), Err(PrivateKeysError::NotAKey { .. })));
    }
}
