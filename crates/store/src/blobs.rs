//! Content by its digest, written once.

use std::sync::Arc;

use bytes::Bytes;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, PutPayload};
use sealwright_kernel::Digest;

use crate::disk::{Disk as _, RealDisk};
use crate::layout::blob_key;
use crate::{BlobRef, Layout};

/// Everything too long for a record: evidence, transcripts, patches.
#[derive(Clone, Debug)]
pub struct Blobs {
    store: Arc<dyn ObjectStore>,
    local: Option<Layout>,
}

/// Content that could not be kept or found.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// Nothing is kept under this digest.
    #[error("no blob {sha256}")]
    Missing { sha256: Digest },
    /// What is kept under this digest is something else.
    #[error("blob {sha256} does not match its digest")]
    Changed { sha256: Digest },
    /// The store failed.
    #[error("cannot access the blob store")]
    Store { source: object_store::Error },
}

impl Blobs {
    pub fn new(store: Arc<dyn ObjectStore>) -> Self {
        Self { store, local: None }
    }

    /// Blobs in the folder of `layout`; a blob is durable before `put` returns.
    pub fn local(layout: &Layout) -> Result<Self, BlobError> {
        let root = layout.blobs();
        let disk = RealDisk::new(layout.root());
        disk.refuse_links(&root).map_err(local_failed)?;
        std::fs::create_dir_all(&root).map_err(local_failed)?;
        disk.sync_folders(&root).map_err(local_failed)?;
        let store = object_store::local::LocalFileSystem::new_with_prefix(root)
            .map_err(|source| BlobError::Store { source })?;
        Ok(Self { store: Arc::new(store.with_fsync(true)), local: Some(layout.clone()) })
    }

    /// Stores `content`. Storing it again changes nothing.
    pub async fn put(&self, content: impl Into<Bytes>) -> Result<BlobRef, BlobError> {
        let content: Bytes = content.into();
        let blob = BlobRef { sha256: Digest::of(&content), size: content.len() as u64 };
        let options = PutOptions::from(PutMode::Create);
        let put = self.store.put_opts(&key(&blob), PutPayload::from(content), options).await;
        match put {
            Ok(_) => Ok(blob),
            // It is there; what counts is that it is the same, and durable.
            Err(object_store::Error::AlreadyExists { .. }) => {
                self.get(&blob).await?;
                self.sync(&blob)?;
                Ok(blob)
            }
            Err(source) => Err(BlobError::Store { source }),
        }
    }

    /// An earlier writer may have crashed before the blob was durable.
    fn sync(&self, blob: &BlobRef) -> Result<(), BlobError> {
        let Some(layout) = &self.local else { return Ok(()) };
        let path = layout.blob(&blob.sha256, blob.size);
        let folder = path.parent().unwrap_or(&path).to_owned();
        std::fs::File::open(&path).and_then(|file| file.sync_all()).map_err(local_failed)?;
        RealDisk::new(layout.root()).sync_folders(&folder).map_err(local_failed)
    }

    /// The content behind `blob`, checked.
    pub async fn get(&self, blob: &BlobRef) -> Result<Bytes, BlobError> {
        let sha256 = blob.sha256;
        let found = match self.store.get(&key(blob)).await {
            Ok(found) => found,
            Err(object_store::Error::NotFound { .. }) => {
                return Err(BlobError::Missing { sha256 });
            }
            Err(source) => return Err(BlobError::Store { source }),
        };
        let content = found.bytes().await.map_err(|source| BlobError::Store { source })?;
        if Digest::of(&content) != sha256 {
            return Err(BlobError::Changed { sha256 });
        }
        Ok(content)
    }
}

impl Blobs {
    /// The content behind a digest of unknown length, checked.
    pub async fn find(&self, sha256: &Digest) -> Result<Bytes, BlobError> {
        let small = BlobRef { sha256: *sha256, size: 0 };
        match self.get(&small).await {
            Err(BlobError::Missing { .. }) => {
                self.get(&BlobRef { sha256: *sha256, size: u64::MAX }).await
            }
            found => found,
        }
    }
}

fn local_failed(source: std::io::Error) -> BlobError {
    let source = object_store::Error::Generic { store: "local", source: Box::new(source) };
    BlobError::Store { source }
}

/// The content of a blob below `layout`, read without the object store. `None` if it is missing, longer than
/// `bytes_max`, or does not match its digest.
pub fn read_blob(layout: &Layout, sha256: &Digest, bytes_max: u64) -> Option<Vec<u8>> {
    let disk = RealDisk::new(layout.root());
    // Small and large blobs have different paths.
    let paths = [0, u64::MAX].map(|size| layout.blob(sha256, size));
    let content = paths.iter().find_map(|path| disk.read(path, bytes_max).ok())?;
    (Digest::of(&content) == *sha256).then_some(content)
}

/// The same as text, for people: what is no text is replaced.
pub fn read_blob_text(layout: &Layout, sha256: &Digest, bytes_max: u64) -> Option<String> {
    let content = read_blob(layout, sha256, bytes_max)?;
    Some(String::from_utf8_lossy(&content).into_owned())
}

fn key(blob: &BlobRef) -> Path {
    Path::from(blob_key(&blob.sha256, blob.size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn content_is_kept_once_and_comes_back_checked() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path());
        let blobs = Blobs::local(&layout).unwrap();
        let blob = blobs.put("evidence").await.unwrap();
        assert_eq!(blobs.put("evidence").await.unwrap(), blob);
        assert_eq!(blobs.get(&blob).await.unwrap(), "evidence");

        std::fs::write(layout.blob(&blob.sha256, blob.size), "evidencE").unwrap();
        assert!(matches!(blobs.get(&blob).await, Err(BlobError::Changed { .. })));
        assert!(matches!(blobs.put("evidence").await, Err(BlobError::Changed { .. })));
        let other = BlobRef { sha256: Digest::of(b"other"), size: 5 };
        assert!(matches!(blobs.get(&other).await, Err(BlobError::Missing { .. })));
    }

    #[tokio::test]
    async fn large_content_is_kept_where_git_does_not_look() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path());
        let blobs = Blobs::local(&layout).unwrap();
        let edge = blobs.put(vec![b'x'; 1024 * 1024]).await.unwrap();
        let large = blobs.put(vec![b'x'; 1024 * 1024 + 1]).await.unwrap();
        let place = |blob: BlobRef| {
            let path = layout.blob(&blob.sha256, blob.size);
            assert!(path.exists());
            path.strip_prefix(layout.blobs()).unwrap().starts_with("large")
        };
        assert_eq!((place(edge), place(large)), (false, true));
    }
}
