//! What nobody may change: contents of the store's own copy, and what has no business in a candidate at all.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::trees::{Base, Tree, TreeError, Trees};

/// Everything that is laid over a candidate before it is judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frozen {
    /// What stands there, whatever a role wrote.
    pub files: BTreeMap<String, Vec<u8>>,
    /// What is taken away: files of a guarded kind that nobody declared.
    pub absent: BTreeSet<String>,
    /// The test files that are run in a clean room.
    pub tests: Vec<String>,
    /// Tests that are known to be in them, by file.
    pub witnesses: BTreeMap<String, Vec<String>>,
    /// Folders whose plain source is the candidate's.
    pub sources: Vec<String>,
    /// Files beside them that come along as they are.
    pub data: Vec<String>,
}

impl Frozen {
    /// The candidate with all of it laid over.
    pub(crate) async fn over(
        &self,
        trees: &Trees,
        base: &Base,
        tree: &Tree,
    ) -> Result<Tree, TreeError> {
        let (mut laid, _) = trees.with(base, tree, &self.files).await?;
        for path in &self.absent {
            laid.without(base, path);
        }
        Ok(laid)
    }

    /// Writes the frozen files alone into a folder that does not exist yet.
    pub(crate) fn write(&self, into: &Path) -> std::io::Result<()> {
        crate::trees::write_files(into, &self.files)
    }
}
