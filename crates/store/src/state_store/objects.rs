//! Write-once objects by key, and append-only logs made of them, on a disk or in an object store.
//!
//! `PutMode::Create` decides every race: of two writers of one key, one wins and the other is shown what is there. A log
//! is a folder of numbered objects; appending is creating the next number, so entries never change and have an order
//! that all writers agree on.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, PutPayload};
use sealwright_kernel::Digest;

use super::error::StateStoreError;
use crate::disk::{Disk as _, RealDisk};
use crate::files::in_place;
use crate::{BlobError, BlobRef, Blobs, Layout, read_blob};

/// The physical layer of the state store. Keys are plain ASCII; callers check them.
#[derive(Clone, Debug)]
pub struct Objects {
    store: Arc<dyn ObjectStore>,
    blobs: Blobs,
    local: Option<Local>,
}

/// A folder of a repository. It may hold planted links, which are never followed.
#[derive(Clone, Debug)]
struct Local {
    layout: Layout,
    disk: RealDisk,
}

/// What became of creating an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Created {
    New,
    /// Another writer was first, with this content.
    There(Bytes),
}

impl Objects {
    /// Objects in an object store, such as a bucket.
    pub fn new(store: Arc<dyn ObjectStore>) -> Self {
        let blobs = Blobs::new(Arc::new(PrefixStore::new(store.clone(), "blobs")));
        Self { store, blobs, local: None }
    }

    /// Objects in the folder `store` of `layout`.
    pub fn local(layout: &Layout) -> Result<Self, StateStoreError> {
        let path = layout.store();
        let failed = |source| StateStoreError::Io { path: "the store's folder".to_owned(), source };
        let disk = RealDisk::new(layout.root());
        disk.refuse_links(&path).map_err(failed)?;
        std::fs::create_dir_all(&path).map_err(failed)?;
        let blobs = Blobs::local(layout).map_err(StateStoreError::Blob)?;
        let store =
            object_store::local::LocalFileSystem::new_with_prefix(&path).map_err(|source| {
                StateStoreError::Store { path: path.display().to_string(), source }
            })?;
        let local = Some(Local { layout: layout.clone(), disk });
        Ok(Self { store: Arc::new(store.with_fsync(true)), blobs, local })
    }

    /// Creates `key`, durably, unless it is there.
    pub(crate) async fn create(
        &self,
        key: &str,
        content: Bytes,
    ) -> Result<Created, StateStoreError> {
        if let Some(local) = &self.local {
            local.plain_or_absent(&local.path(key), key)?;
        }
        let options = PutOptions::from(PutMode::Create);
        let put = self.store.put_opts(&Path::from(key), PutPayload::from(content), options).await;
        match put {
            Ok(_) => Ok(Created::New),
            Err(object_store::Error::AlreadyExists { .. }) => {
                let there = self.read(key, usize::MAX).await?;
                let there = there.ok_or_else(|| damaged(key, "it exists and cannot be read"))?;
                // Its writer may have crashed before the name was durable.
                if let Some(local) = &self.local {
                    let path = local.path(key);
                    let folder = path.parent().unwrap_or(&path);
                    in_place(|| local.disk.sync_folders(folder)).map_err(io_failed(key))?;
                }
                Ok(Created::There(there))
            }
            Err(source) => Err(StateStoreError::Store { path: key.to_owned(), source }),
        }
    }

    /// The content of `key`, of at most `bytes_max` bytes.
    pub(crate) async fn read(
        &self,
        key: &str,
        bytes_max: usize,
    ) -> Result<Option<Bytes>, StateStoreError> {
        if let Some(local) = &self.local {
            return in_place(|| local.read(key, bytes_max));
        }
        let failed = |source| StateStoreError::Store { path: key.to_owned(), source };
        let found = match self.store.get(&Path::from(key)).await {
            Ok(found) => found,
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            Err(source) => return Err(failed(source)),
        };
        if found.meta.size > bytes_max as u64 {
            return Err(damaged(key, "it is longer than the store writes"));
        }
        found.bytes().await.map(Some).map_err(failed)
    }

    /// The names in a folder, in order.
    pub(crate) async fn names(&self, folder: &str) -> Result<Vec<String>, StateStoreError> {
        let mut names = match &self.local {
            Some(local) => {
                let path = local.path(folder);
                in_place(|| {
                    local.disk.refuse_links(&path)?;
                    local.disk.names(&path)
                })
                .map_err(io_failed(folder))?
            }
            None => {
                let listed = self.store.list_with_delimiter(Some(&Path::from(folder))).await;
                let failed = |source| StateStoreError::Store { path: folder.to_owned(), source };
                let listed = listed.map_err(failed)?;
                let objects = listed.objects.iter().map(|it| &it.location);
                let paths = objects.chain(&listed.common_prefixes);
                paths.filter_map(|path| Some(path.filename()?.to_owned())).collect()
            }
        };
        // A write that was cut off leaves `name#1`.
        names.retain(|name| !name.contains('#'));
        names.sort_unstable();
        names.dedup();
        if names.len() > NAMES_MAX {
            return Err(StateStoreError::TooLarge { what: "a folder", limit: NAMES_MAX });
        }
        Ok(names)
    }

    /// The entries of the log in `folder`, without the first `skipped`.
    pub(crate) async fn log(
        &self,
        folder: &str,
        skipped: usize,
    ) -> Result<Vec<Bytes>, StateStoreError> {
        let names = self.names(folder).await?;
        if names.len() < skipped {
            return Err(damaged(folder, "entries are missing"));
        }
        let mut entries = Vec::new();
        for (nth, name) in names.iter().enumerate() {
            let key = entry_key(folder, nth);
            if !key.ends_with(&format!("/{name}")) {
                return Err(damaged(folder, "an entry is missing or a stranger is in it"));
            }
            if nth >= skipped {
                let entry = self.read(&key, ENTRY_BYTES_MAX).await?;
                entries
                    .push(entry.ok_or_else(|| damaged(&key, "it is listed and cannot be read"))?);
            }
        }
        Ok(entries)
    }

    /// Adds the entry that has `before` entries before it.
    pub(crate) async fn append(
        &self,
        folder: &str,
        before: usize,
        content: Bytes,
    ) -> Result<Created, StateStoreError> {
        if content.len() > ENTRY_BYTES_MAX {
            return Err(StateStoreError::TooLarge { what: "an entry", limit: ENTRY_BYTES_MAX });
        }
        if before >= ENTRIES_MAX {
            return Err(StateStoreError::TooLarge { what: "a log", limit: ENTRIES_MAX });
        }
        self.create(&entry_key(folder, before), content).await
    }

    /// Stores content by its digest.
    pub(crate) async fn put_blob(&self, content: Bytes) -> Result<Digest, StateStoreError> {
        if let Some(local) = &self.local {
            let digest = Digest::of(&content);
            let path = local.layout.blob(&digest, content.len() as u64);
            local.plain_or_absent(&path, &digest.to_string())?;
        }
        let blob = self.blobs.put(content).await.map_err(blob_failed)?;
        Ok(blob.sha256)
    }

    /// The content called `sha256`, checked. Links and pipes in its place are not opened.
    pub(crate) async fn blob(&self, sha256: &Digest, size: u64) -> Result<Bytes, StateStoreError> {
        let changed = || damaged(&sha256.to_string(), "it does not match its digest");
        match &self.local {
            Some(local) => in_place(|| read_blob(&local.layout, sha256, size))
                .map(Bytes::from)
                .filter(|content| content.len() as u64 == size)
                .ok_or_else(changed),
            None => {
                let blob = BlobRef { sha256: *sha256, size };
                self.blobs.get(&blob).await.map_err(blob_failed)
            }
        }
    }
}

impl Local {
    fn path(&self, key: &str) -> PathBuf {
        self.layout.store().join(key)
    }

    /// Nothing is written through a link, and only a plain file can be what the store wrote.
    fn plain_or_absent(&self, path: &std::path::Path, key: &str) -> Result<(), StateStoreError> {
        in_place(|| {
            self.disk.refuse_links(path).map_err(io_failed(key))?;
            match std::fs::symlink_metadata(path) {
                Ok(about) if about.is_file() => Ok(()),
                Ok(_) => Err(damaged(key, "it is not a plain file")),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                Err(error) => Err(io_failed(key)(error)),
            }
        })
    }

    fn read(&self, key: &str, bytes_max: usize) -> Result<Option<Bytes>, StateStoreError> {
        let path = self.path(key);
        self.plain_or_absent(&path, key)?;
        match self.disk.read(&path, (bytes_max as u64).min(READ_BYTES_MAX)) {
            Ok(content) => Ok(Some(content.into())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(io_failed(key)(error)),
        }
    }
}

pub(crate) fn damaged(path: &str, why: &'static str) -> StateStoreError {
    StateStoreError::Damaged { path: path.to_owned(), why }
}

fn io_failed(key: &str) -> impl Fn(io::Error) -> StateStoreError {
    move |source| match source.kind() {
        io::ErrorKind::InvalidInput
        | io::ErrorKind::NotADirectory
        | io::ErrorKind::FileTooLarge => damaged(key, "a link or a stranger is in its place"),
        _ => StateStoreError::Io { path: key.to_owned(), source },
    }
}

fn blob_failed(error: BlobError) -> StateStoreError {
    match error {
        BlobError::Missing { sha256 } => damaged(&sha256.to_string(), "it is missing"),
        BlobError::Changed { sha256 } => {
            damaged(&sha256.to_string(), "it does not match its digest")
        }
        BlobError::Store { .. } => StateStoreError::Blob(error),
    }
}

fn entry_key(folder: &str, before: usize) -> String {
    format!("{folder}/{:06}.json", before + 1)
}

/// The longest entry of a log; the marker of a module version names all of its files.
pub(crate) const ENTRY_BYTES_MAX: usize = 4 * 1024 * 1024;
const ENTRIES_MAX: usize = 10_000;
const NAMES_MAX: usize = 1_000_000;
const READ_BYTES_MAX: u64 = 64 * 1024 * 1024;
