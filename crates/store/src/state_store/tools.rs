//! The store's tools as a role calls them: texts in, bounded answers out.
//!
//! `ls`, `glob` and `grep` see nothing that `names` and `read` of the guarded store do not show. Patterns are wildcards
//! and plain text, matched in time linear in what they are matched against.

use bytes::Bytes;
use memchr::memmem;

use super::error::StateStoreError;
use super::module_versions::within;
use super::path::StorePath;
use super::{EditResult, Name, NameKind, Reading, StateStore};

mod wildcard;

use wildcard::Wildcard;

/// The tools over one store, usually a role's [`PackGuard`](super::PackGuard).
#[derive(Clone, Debug)]
pub struct StateTools<S>(pub S);

/// What a search found, and whether it ended before the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<T> {
    pub found: Vec<T>,
    pub is_cut: bool,
}

/// A line that holds the text searched for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub path: StorePath,
    /// Counted from 1.
    pub number: usize,
    /// At most 400 bytes of it.
    pub text: String,
}

impl<S: StateStore> StateTools<S> {
    pub async fn read(&self, path: &str) -> Result<Reading, StateStoreError> {
        self.0.read(&StorePath::new(path)?).await
    }

    pub async fn write(&self, path: &str, content: Bytes) -> Result<(), StateStoreError> {
        self.0.write(&StorePath::new(path)?, content).await
    }

    pub async fn edit(
        &self,
        path: &str,
        old: &str,
        new: &str,
    ) -> Result<EditResult, StateStoreError> {
        self.0.edit(&StorePath::new(path)?, old, new).await
    }

    pub async fn delete(&self, path: &str) -> Result<(), StateStoreError> {
        self.0.delete(&StorePath::new(path)?).await
    }

    pub async fn rename(&self, from: &str, to: &str) -> Result<(), StateStoreError> {
        self.0.rename(&StorePath::new(from)?, &StorePath::new(to)?).await
    }

    /// The entries of a folder; `None` is the root.
    pub async fn ls(&self, folder: Option<&str>) -> Result<Found<Name>, StateStoreError> {
        let folder = folder.map(StorePath::new).transpose()?;
        let mut found = self.0.names(folder.as_ref()).await?;
        let is_cut = found.len() > FOUND_MAX;
        found.truncate(FOUND_MAX);
        Ok(Found { found, is_cut })
    }

    /// The files whose paths match `pattern`: `*` and `?` within a part, `**` for any number of parts.
    pub async fn glob(&self, pattern: &str) -> Result<Found<StorePath>, StateStoreError> {
        let pattern = Wildcard::new(pattern)?;
        let mut walk = Walk::from(None);
        let mut found = Vec::new();
        while let Some(path) = walk.next(&self.0, Some(&pattern)).await? {
            if !pattern.matches(&path) {
                continue;
            }
            if found.len() == FOUND_MAX {
                return Ok(Found { found, is_cut: true });
            }
            found.push(path);
        }
        Ok(Found { found, is_cut: walk.is_cut })
    }

    /// The lines that hold `text`, in the files below `folder` whose paths match `pattern`.
    pub async fn grep(
        &self,
        text: &str,
        folder: Option<&str>,
        pattern: Option<&str>,
    ) -> Result<Found<Line>, StateStoreError> {
        within("a text to search for", text.len(), TEXT_BYTES_MAX)?;
        let folder = folder.map(StorePath::new).transpose()?;
        let pattern = pattern.map(Wildcard::new).transpose()?;
        let mut walk = Walk::from(folder);
        let mut found = Vec::new();
        let mut bytes = 0;
        while let Some(path) = walk.next(&self.0, pattern.as_ref()).await? {
            if pattern.as_ref().is_some_and(|it| !it.matches(&path)) {
                continue;
            }
            let content = match self.0.read(&path).await {
                Ok(Reading::Content(content)) => content,
                Ok(Reading::Sealed(_)) | Err(StateStoreError::NotFound { .. }) => continue,
                Err(error) => return Err(error),
            };
            bytes += content.len();
            if bytes > SEARCHED_BYTES_MAX {
                return Ok(Found { found, is_cut: true });
            }
            let finder = memmem::Finder::new(text);
            for (line, number) in content.split(|byte| *byte == b'\n').zip(1..) {
                if text.is_empty() || finder.find(line).is_none() {
                    continue;
                }
                if found.len() == FOUND_MAX {
                    return Ok(Found { found, is_cut: true });
                }
                let line = &line[..line.len().min(LINE_BYTES_MAX)];
                let text = String::from_utf8_lossy(line).into_owned();
                found.push(Line { path: path.clone(), number, text });
            }
        }
        Ok(Found { found, is_cut: walk.is_cut })
    }
}

/// A walk through all files below a folder, with a bound. The same store is walked in the same order.
struct Walk {
    folders: Vec<Option<StorePath>>,
    files: Vec<StorePath>,
    seen: usize,
    is_cut: bool,
}

impl Walk {
    fn from(folder: Option<StorePath>) -> Self {
        Self { folders: vec![folder], files: vec![], seen: 0, is_cut: false }
    }

    async fn next<S: StateStore>(
        &mut self,
        store: &S,
        pattern: Option<&Wildcard>,
    ) -> Result<Option<StorePath>, StateStoreError> {
        loop {
            if let Some(file) = self.files.pop() {
                return Ok(Some(file));
            }
            let Some(folder) = self.folders.pop() else { return Ok(None) };
            for name in store.names(folder.as_ref()).await?.into_iter().rev() {
                self.seen += 1;
                if self.seen > ENTRIES_MAX {
                    self.is_cut = true;
                    self.folders.clear();
                    break;
                }
                let path = match &folder {
                    Some(folder) => folder.join(&name.name),
                    None => StorePath::new(&name.name),
                };
                // No tool could ask for a name that is no path.
                let Ok(path) = path else { continue };
                match name.kind {
                    NameKind::File => self.files.push(path),
                    NameKind::Folder if pattern.is_none_or(|it| it.may_match_below(&path)) => {
                        self.folders.push(Some(path));
                    }
                    NameKind::Folder => {}
                }
            }
        }
    }
}

const FOUND_MAX: usize = 1_000;
const ENTRIES_MAX: usize = 100_000;
const TEXT_BYTES_MAX: usize = 1_000;
const LINE_BYTES_MAX: usize = 400;
const SEARCHED_BYTES_MAX: usize = 64 * 1024 * 1024;

#[cfg(test)]
mod tests;
