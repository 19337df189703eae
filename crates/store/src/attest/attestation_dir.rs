//! The attestation folder: keys and signed statements as files of a repository, each written once, and the signatures of
//! people, which they may replace.

use std::io;
use std::path::Path;

use sealwright_kernel::{Seq, StreamId, TaskId};

use super::KeyId;
use crate::Layout;
use crate::disk::{Disk, DiskFile as _, RealDisk};

/// Keys and statements below one `.sealwright`.
#[derive(Clone, Debug)]
pub struct AttestationDir<D = RealDisk> {
    disk: D,
    layout: Layout,
}

/// A file as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its name, without its folder.
    pub name: String,
    pub bytes: Vec<u8>,
}

impl Kept {
    /// The record that a signature of a person is of, by its name.
    pub fn decided(&self) -> Option<Seq> {
        let number = self.name.strip_suffix(DECISION)?;
        let seq = Seq::new(number.parse().ok()?);
        (seq.to_string() == number).then_some(seq)
    }
}

/// A file that could not be read or put.
#[derive(Debug, thiserror::Error)]
pub enum AttestationDirError {
    /// The file exists with other content; it is never overwritten.
    #[error("`{name}` already exists with other content")]
    Differs { name: String },
    /// The folder has too many files.
    #[error("more than {most} files in `{folder}`")]
    TooMany { folder: String, most: usize },
    /// The disk failed, or the path is not a plain file.
    #[error("cannot access `{name}`")]
    Io { name: String, source: io::Error },
}

impl AttestationDirError {
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Differs { .. } => Some(
                "`sealwright verify` says which of the two is what the journal says".to_owned(),
            ),
            Self::TooMany { folder, .. } => Some(format!("look into `{folder}` of `.sealwright`")),
            Self::Io { .. } => Some("see that it is a plain file that can be read".to_owned()),
        }
    }
}

impl AttestationDir {
    pub fn of(layout: &Layout) -> Self {
        Self { disk: RealDisk::new(layout.root()), layout: layout.clone() }
    }
}

impl<D: Disk> AttestationDir<D> {
    pub fn keys(&self) -> Result<Vec<Kept>, AttestationDirError> {
        self.all(&self.layout.keys(), KEYS_MAX)
    }

    pub fn statements(&self, task: &TaskId) -> Result<Vec<Kept>, AttestationDirError> {
        self.all(&self.layout.attestations().join(task.as_str()), STATEMENTS_MAX)
    }

    /// The names of everything that statements are kept of.
    pub fn tasks(&self) -> Result<Vec<String>, AttestationDirError> {
        let folder = self.layout.attestations();
        self.disk.names(&folder).map_err(|source| failed(&folder, source))
    }

    /// The names of every stream that signatures of people are kept of.
    pub fn decided(&self) -> Result<Vec<String>, AttestationDirError> {
        let folder = self.layout.all_decisions();
        self.disk.names(&folder).map_err(|source| failed(&folder, source))
    }

    /// Keeps who vouches for a key.
    pub fn put_voucher(&self, key: &KeyId, bytes: &[u8]) -> Result<Put, AttestationDirError> {
        self.put(&self.layout.keys().join(format!("{key}.pub")), bytes)
    }

    /// Keeps the end of a key.
    pub fn put_retirement(&self, key: &KeyId, bytes: &[u8]) -> Result<Put, AttestationDirError> {
        self.put(&self.layout.keys().join(format!("{key}.retired")), bytes)
    }

    pub fn put_statement(
        &self,
        task: &TaskId,
        name: &str,
        bytes: &[u8],
    ) -> Result<Put, AttestationDirError> {
        self.put(&self.layout.statement(task, name), bytes)
    }

    /// The signatures of people in a stream, each named after its record.
    pub fn decisions(&self, stream: &StreamId) -> Result<Vec<Kept>, AttestationDirError> {
        self.all(&self.layout.decisions(stream), STATEMENTS_MAX)
    }

    /// Puts the signature of a record, in place of another if there is one.
    pub fn put_decision(
        &self,
        stream: &StreamId,
        seq: Seq,
        bytes: &[u8],
    ) -> Result<(), AttestationDirError> {
        self.write(&self.layout.decisions(stream).join(format!("{seq}{DECISION}")), bytes)
    }

    fn all(&self, folder: &Path, most: usize) -> Result<Vec<Kept>, AttestationDirError> {
        let names = self.disk.names(folder).map_err(|source| failed(folder, source))?;
        if names.len() > most {
            let folder = shown(folder);
            return Err(AttestationDirError::TooMany { folder, most });
        }
        let read = |name: String| {
            let path = folder.join(&name);
            let bytes = self.disk.read(&path, FILE_BYTES_MAX);
            Ok(Kept { name, bytes: bytes.map_err(|source| failed(&path, source))? })
        };
        names.into_iter().map(read).collect()
    }

    /// Whole or not at all, and never over something else.
    fn put(&self, path: &Path, bytes: &[u8]) -> Result<Put, AttestationDirError> {
        match self.disk.read(path, FILE_BYTES_MAX) {
            Ok(found) if found == bytes => return Ok(Put::WasThere),
            Ok(_) => return Err(AttestationDirError::Differs { name: shown(path) }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(failed(path, source)),
        }
        self.write(path, bytes)?;
        Ok(Put::Written)
    }

    /// Whole or not at all.
    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), AttestationDirError> {
        let fail = |source| failed(path, source);
        self.disk.replace(path, bytes).map_err(fail)?;
        self.disk.open_for_writing(path).and_then(|mut file| file.sync()).map_err(fail)?;
        let folder = path.parent().unwrap_or(path);
        self.disk.sync_folders(folder).map_err(fail)
    }
}

/// Whether something had to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    Written,
    /// It stood there already, word for word.
    WasThere,
}

fn failed(path: &Path, source: io::Error) -> AttestationDirError {
    AttestationDirError::Io { name: shown(path), source }
}

/// A path without what is around the repository.
fn shown(path: &Path) -> String {
    let all: Vec<_> = path.components().collect();
    let from = all.iter().position(|part| part.as_os_str() == ".sealwright").unwrap_or(0);
    all[from..].iter().collect::<std::path::PathBuf>().display().to_string()
}

const DECISION: &str = ".sig";
const KEYS_MAX: usize = 4_096;
const STATEMENTS_MAX: usize = 65_536;
const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_written_once() {
        let folder = tempfile::tempdir().unwrap();
        let attestation_dir = AttestationDir::of(&Layout::new(folder.path().join(".sealwright")));
        std::fs::create_dir(folder.path().join(".sealwright")).unwrap();
        let task = TaskId::new("T-a-001").unwrap();
        assert_eq!(attestation_dir.put_statement(&task, "EV-000001", b"x").unwrap(), Put::Written);
        assert_eq!(attestation_dir.put_statement(&task, "EV-000001", b"x").unwrap(), Put::WasThere);
        let other = attestation_dir.put_statement(&task, "EV-000001", b"y");
        assert!(matches!(other, Err(AttestationDirError::Differs { .. })), "{other:?}");
        let kept = Kept { name: "EV-000001.json".to_owned(), bytes: b"x".to_vec() };
        assert_eq!(attestation_dir.statements(&task).unwrap(), [kept]);
        assert_eq!(attestation_dir.tasks().unwrap(), ["T-a-001"]);
    }

    #[test]
    fn the_signature_of_a_person_can_be_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let attestation_dir = AttestationDir::of(&Layout::new(folder.path().join(".sealwright")));
        std::fs::create_dir(folder.path().join(".sealwright")).unwrap();
        let (stream, seq) = (StreamId::new("project").unwrap(), Seq::new(3));
        attestation_dir.put_decision(&stream, seq, b"x").unwrap();
        attestation_dir.put_decision(&stream, seq, b"y").unwrap();
        let kept = attestation_dir.decisions(&stream).unwrap();
        assert_eq!(kept, [Kept { name: "3.sig".to_owned(), bytes: b"y".to_vec() }]);
        assert_eq!(kept[0].decided(), Some(seq));
    }

    #[test]
    fn nothing_is_written_or_read_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join(".sealwright");
        std::fs::create_dir_all(root.join("keys")).unwrap();
        let elsewhere = folder.path().join("elsewhere");
        std::fs::write(&elsewhere, "secret").unwrap();
        let key = super::super::PrivateKey::from_bytes(&[7; 32]).id();
        std::os::unix::fs::symlink(&elsewhere, root.join("keys").join(format!("{key}.pub")))
            .unwrap();
        let attestation_dir = AttestationDir::of(&Layout::new(&root));
        assert!(matches!(attestation_dir.keys(), Err(AttestationDirError::Io { .. })));
        assert!(attestation_dir.put_voucher(&key, b"x").is_err());
        assert_eq!(std::fs::read(&elsewhere).unwrap(), b"secret");
    }
}
