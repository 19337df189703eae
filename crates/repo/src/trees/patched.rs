//! A tree after a patch.

use sealwright_kernel::TreePath;

use super::{Changes, Leaf, Tree, Trees};
use crate::git::patches::{self, PatchError, Patched, Start};

impl Trees {
    /// The files that change if `patch` is applied to the first of `starts` that it fits, and which one that is. The
    /// error is the first one's.
    pub async fn patched<'t>(
        &self,
        starts: &'t [Tree],
        patch: &[u8],
    ) -> Result<(&'t Tree, Changes), PatchError> {
        let mut first = None;
        for tree in starts {
            match self.patch_one(tree, patch).await {
                Ok(changes) => return Ok((tree, changes)),
                Err(error @ PatchError::NotApplied { .. }) => {
                    first.get_or_insert(error);
                }
                Err(error) => return Err(error),
            }
        }
        Err(first.unwrap_or(PatchError::Empty))
    }

    async fn patch_one(&self, tree: &Tree, patch: &[u8]) -> Result<Changes, PatchError> {
        let mut changes = Vec::new();
        for (path, leaf) in &tree.changes {
            let now = match leaf {
                Some(Leaf { content, kind, .. }) => {
                    let content = self.blobs.find(content).await.map_err(std::io::Error::other)?;
                    Some((*kind, content.to_vec()))
                }
                None => None,
            };
            changes.push(Patched { path: path.clone(), now });
        }
        let scratch = tempfile::tempdir()?;
        let start = Start { commit: &tree.commit, changes: &changes };
        let changed = patches::apply(&self.repository, scratch.path(), &start, patch)?;
        let mut changes = Changes::new();
        for Patched { path, now } in changed {
            if TreePath::new(&path).is_err() {
                return Err(PatchError::Outside { path });
            }
            changes.insert(path, now);
        }
        Ok(changes)
    }
}
