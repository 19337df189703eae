//! The keys of a repository: taking them in, retiring them, and the one this installation signs with.
//!
//! Private keys never come near a repository. What stands in `.sealwright/keys` is public: a voucher for each key, and
//! its retirement once it has one.

use std::collections::BTreeMap;

use super::{
    AttestationDir, AttestationDirError, Envelope, Flaw, KeyId, KeyRecord, KeyRecordError, Keyring,
    PrivateKey, PrivateKeys, PrivateKeysError, Put, Retirement, Trust,
};
use crate::{FileJournal, Head, JournalError};
use sealwright_kernel::{StreamId, TaskId, Timestamp};

/// The keys of one repository and of this installation.
#[derive(Debug)]
pub struct Keys<'a> {
    journal: &'a FileJournal,
    private_keys: PrivateKeys,
    attestation_dir: AttestationDir,
}

/// A key of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Who vouches for it.
    pub voucher: KeyRecord,
    pub retirement: Option<Retirement>,
    /// Whether this installation signs with it.
    pub home: Home,
}

/// Whose key it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// This installation signs with it.
    Here,
    /// This installation once did.
    HereOnce,
    /// Another installation signs with it.
    Elsewhere,
}

/// The result of adding the key of this installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The key that signs from now on.
    pub key: KeyId,
    /// Whether it had to be written.
    pub put: Put,
    /// Earlier keys of this installation that were retired here.
    pub retired: Vec<KeyId>,
}

/// Something that cannot be done with keys.
#[derive(Debug, thiserror::Error)]
pub enum KeysError {
    /// No key was made here yet.
    #[error("this installation has no key yet")]
    NoKey,
    /// The key that signs here is not among those of the repository, or was retired there.
    #[error("{key} does not count in this repository")]
    NotTaken { key: KeyId },
    /// Nobody knows it.
    #[error("{key} is not among the keys of this repository")]
    Unknown { key: KeyId },
    /// It was retired before.
    #[error("{key} was retired already")]
    Retired { key: KeyId },
    /// What is offered is no key that vouches for itself.
    #[error("that is no key to be taken in")]
    Offered(#[source] KeyRecordError),
    /// A key of the repository is not what was written.
    #[error("the key file {file} cannot be used: {what}")]
    Flawed { file: String, what: String },
    /// It cannot be written like that.
    #[error("it cannot be vouched for")]
    KeyRecord(#[from] KeyRecordError),
    /// The private keys cannot be used.
    #[error("the keys of this installation cannot be used")]
    PrivateKeys(#[from] PrivateKeysError),
    /// The public keys cannot be used.
    #[error("the keys of the repository cannot be used")]
    AttestationDir(#[from] AttestationDirError),
    /// The journal could not be read.
    #[error("the journal could not be used")]
    Journal(#[from] JournalError),
}

impl KeysError {
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NoKey | Self::NotTaken { .. } => {
                Some("`sealwright keys new` takes this installation's key in".to_owned())
            }
            Self::Unknown { .. } | Self::Retired { .. } => {
                Some("`sealwright keys list` shows them".to_owned())
            }
            Self::Offered(_) => {
                Some("its owner gives it out with `sealwright keys export`".to_owned())
            }
            Self::Flawed { file, .. } => {
                Some(format!("restore `.sealwright/keys/{file}` from git or a backup"))
            }
            Self::KeyRecord(_) => Some("`git config user.name \"…\"` gives a name".to_owned()),
            Self::PrivateKeys(error) => Some(error.hint()),
            Self::AttestationDir(error) => error.hint(),
            Self::Journal(error) => error.hint(),
        }
    }
}

impl<'a> Keys<'a> {
    pub fn of(journal: &'a FileJournal, private_keys: PrivateKeys) -> Self {
        Self { journal, private_keys, attestation_dir: AttestationDir::of(journal.layout()) }
    }

    /// Every key of the repository, in the order of their names.
    pub fn list(&self) -> Result<Vec<Listed>, KeysError> {
        let ring = self.ring()?;
        let current = self.private_keys.current()?.map(|key| key.id());
        ring.key_records().iter().map(|voucher| self.listed(voucher, &ring, current)).collect()
    }

    /// Adds the key of this installation to the repository; makes one if there is none. Earlier keys of this
    /// installation are retired there.
    pub fn take(&self, who: &str, at: Timestamp) -> Result<Taken, KeysError> {
        let key = match self.private_keys.current()? {
            Some(key) => key,
            None => self.private_keys.make()?,
        };
        self.take_in(&key, who, at)
    }

    /// The same with a new key, whether or not there is one.
    pub fn rotate(&self, who: &str, at: Timestamp) -> Result<Taken, KeysError> {
        // What cannot be read cannot be retired either; that is found out before there is a new key.
        self.ring()?;
        let key = self.private_keys.make()?;
        self.take_in(&key, who, at)
    }

    /// Adds the key of another person. It has to vouch for itself, which shows that it is theirs.
    pub fn trust(&self, offered: &[u8], who: &str, at: Timestamp) -> Result<KeyRecord, KeysError> {
        let offered = KeyRecord::from_bytes(offered).map_err(KeysError::Offered)?;
        if offered.voucher == offered.key {
            offered.check(&offered.ed25519).map_err(KeysError::Offered)?;
        } else {
            return Err(KeysError::Offered(KeyRecordError::OtherName));
        }
        let ring = self.ring()?;
        if ring.is_retired(&offered.key) {
            return Err(KeysError::Retired { key: offered.key });
        }
        let mine = self.signing_in(&ring)?;
        let voucher = KeyRecord::write(offered.ed25519, &offered.owner, who, at, &mine)?;
        self.attestation_dir.put_voucher(&voucher.key, &voucher.to_bytes()?)?;
        Ok(voucher)
    }

    /// Retires a key: what it signed so far holds, and nothing after.
    pub fn retire(&self, key: &KeyId, who: &str, at: Timestamp) -> Result<Retirement, KeysError> {
        let ring = self.ring()?;
        if !has(&ring, key) {
            return Err(KeysError::Unknown { key: *key });
        }
        if ring.is_retired(key) {
            return Err(KeysError::Retired { key: *key });
        }
        // It says so itself if it can; a key that is lost is retired by one that is not.
        let by = match self.private_keys.key(key)? {
            Some(own) => own,
            None => self.signing_in(&ring)?,
        };
        self.put_retirement(key, who, at, &by)
    }

    /// The key of this installation, if it counts here.
    pub fn signing(&self) -> Result<PrivateKey, KeysError> {
        self.signing_in(&self.ring()?)
    }

    /// What stands in the repository about one key, or about all of them: a line for each voucher and retirement.
    pub fn export(&self, only: Option<&KeyId>) -> Result<Vec<u8>, KeysError> {
        let ring = self.ring()?;
        if let Some(key) = only
            && !has(&ring, key)
        {
            return Err(KeysError::Unknown { key: *key });
        }
        let is_wanted = |key: &KeyId| only.is_none_or(|only| only == key);
        let mut lines = Vec::new();
        for voucher in ring.key_records().iter().filter(|voucher| is_wanted(&voucher.key)) {
            lines.extend(voucher.to_bytes()?);
        }
        for retirement in ring.retirements().iter().filter(|it| is_wanted(&it.key)) {
            lines.extend(retirement.to_bytes()?);
        }
        Ok(lines)
    }

    fn take_in(&self, key: &PrivateKey, who: &str, at: Timestamp) -> Result<Taken, KeysError> {
        let ring = self.ring()?;
        if ring.is_retired(&key.id()) {
            return Err(KeysError::Retired { key: key.id() });
        }
        let mut old = Vec::new();
        for voucher in ring.key_records().iter().filter(|it| it.key != key.id()) {
            if !ring.is_retired(&voucher.key) {
                old.extend(self.private_keys.key(&voucher.key)?);
            }
        }
        let put = if has(&ring, &key.id()) {
            Put::WasThere
        } else {
            let voucher = KeyRecord::write(key.public(), who, who, at, key)?;
            self.attestation_dir.put_voucher(&key.id(), &voucher.to_bytes()?)?
        };
        for old in &old {
            self.put_retirement(&old.id(), who, at, old)?;
        }
        let retired = old.iter().map(PrivateKey::id).collect();
        Ok(Taken { key: key.id(), put, retired })
    }

    fn put_retirement(
        &self,
        key: &KeyId,
        who: &str,
        at: Timestamp,
        by: &PrivateKey,
    ) -> Result<Retirement, KeysError> {
        let retirement = Retirement::write(*key, self.signed_by(key)?, who, at, by)?;
        self.attestation_dir.put_retirement(key, &retirement.to_bytes()?)?;
        Ok(retirement)
    }

    /// How far every stream is that a key has signed for.
    fn signed_by(&self, key: &KeyId) -> Result<BTreeMap<StreamId, Head>, KeysError> {
        let mut heads = BTreeMap::new();
        for task in
            self.attestation_dir.tasks()?.into_iter().filter_map(|name| TaskId::new(name).ok())
        {
            let kept = self.attestation_dir.statements(&task)?;
            let mut envelopes = kept.iter().filter_map(|it| Envelope::from_bytes(&it.bytes).ok());
            if envelopes.any(|envelope| envelope.key == *key) {
                let stream = task.stream();
                let head = self.journal.read_blocking(stream, Head::START, &mut |_| Ok(()))?;
                heads.insert(stream.clone(), head);
            }
        }
        Ok(heads)
    }

    fn signing_in(&self, ring: &Keyring) -> Result<PrivateKey, KeysError> {
        let key = self.private_keys.current()?.ok_or(KeysError::NoKey)?;
        if has(ring, &key.id()) && !ring.is_retired(&key.id()) {
            Ok(key)
        } else {
            Err(KeysError::NotTaken { key: key.id() })
        }
    }

    fn listed(
        &self,
        voucher: &KeyRecord,
        ring: &Keyring,
        current: Option<KeyId>,
    ) -> Result<Listed, KeysError> {
        let home = match (current == Some(voucher.key), self.private_keys.key(&voucher.key)?) {
            (true, _) => Home::Here,
            (false, Some(_)) => Home::HereOnce,
            (false, None) => Home::Elsewhere,
        };
        let retirement = ring.retirements().iter().find(|it| it.key == voucher.key).cloned();
        Ok(Listed { voucher: voucher.clone(), retirement, home })
    }

    fn ring(&self) -> Result<Keyring, KeysError> {
        let (ring, flaws) = Keyring::gather(&self.attestation_dir.keys()?, &Trust::Clone);
        match flaws.into_iter().next() {
            Some(Flaw { file, what }) => Err(KeysError::Flawed { file, what }),
            None => Ok(ring),
        }
    }
}

fn has(ring: &Keyring, key: &KeyId) -> bool {
    ring.key_records().iter().any(|voucher| voucher.key == *key)
}
