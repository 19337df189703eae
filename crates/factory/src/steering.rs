//! The documents that steer a project, as they are on disk. People write them; the engine reads them again at every gate.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use sealwright_kernel::Digest;
use sealwright_kernel::project::run::{Document, Documents};
use sealwright_repo::git::{GitError, objects};

/// The documents of a repository.
#[derive(Clone, Debug)]
pub struct Steering {
    root: PathBuf,
}

/// What the documents say now. `None` is a file that is not there, or that is no plain text file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SteeringTexts {
    pub preferences: Option<String>,
    pub scope: Option<String>,
    pub design: Option<String>,
    pub readiness: Option<String>,
}

impl Steering {
    pub fn of(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    pub fn folder(&self) -> PathBuf {
        self.root.join(objects::RECORDS).join("pipeline")
    }

    pub fn texts(&self) -> SteeringTexts {
        let [preferences, scope, design, readiness] =
            [Document::Preferences, Document::Scope, Document::Design, Document::Readiness]
                .map(|it| self.text(path(it)));
        SteeringTexts { preferences, scope, design, readiness }
    }

    /// A file of the repository as text. Links are not followed: they could lead anywhere.
    pub fn text(&self, path: &str) -> Option<String> {
        let file = self.root.join(path);
        let is_plain = |path: &Path| fs::symlink_metadata(path).is_ok_and(|it| it.is_file());
        let mut folders =
            Path::new(path).ancestors().skip(1).filter(|it| !it.as_os_str().is_empty());
        let is_link = |it: &Path| {
            fs::symlink_metadata(self.root.join(it)).is_ok_and(|it| it.file_type().is_symlink())
        };
        if !is_plain(&file) || folders.any(is_link) {
            return None;
        }
        let mut bytes = Vec::new();
        fs::File::open(&file).ok()?.take(BYTES_READ_MAX).read_to_end(&mut bytes).ok()?;
        String::from_utf8(bytes).ok()
    }

    /// What gates depend on, by its content: the documents, and the files of a commit.
    pub fn seen(&self, commit: Option<&str>) -> Result<Documents, GitError> {
        let texts = self.texts();
        let documents = [
            (Document::Preferences, texts.preferences),
            (Document::Scope, texts.scope),
            (Document::Design, texts.design),
            (Document::Readiness, texts.readiness),
        ];
        let mut seen: Documents = documents
            .into_iter()
            .filter_map(|(document, text)| Some((document, Digest::of(text?.as_bytes()))))
            .collect();
        if let Some(commit) = commit {
            seen.insert(Document::Code, code(&self.root, commit)?);
        }
        Ok(seen)
    }

    /// What people put into `docs/input`, in the order of their names.
    pub fn inputs(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.root.join(INPUTS)) else { return Vec::new() };
        let names = entries.flatten().filter(|it| it.file_type().is_ok_and(|it| it.is_file()));
        let mut names: Vec<String> =
            names.filter_map(|it| it.file_name().into_string().ok()).take(INPUTS_MAX).collect();
        names.sort();
        names.into_iter().map(|it| format!("{INPUTS}/{it}")).collect()
    }
}

/// The files of a commit, by their names and contents. The engine's own records are no part of it.
fn code(root: &Path, commit: &str) -> Result<Digest, GitError> {
    let mut hasher = sealwright_kernel::Hasher::default();
    for entry in objects::entries(root, commit)? {
        hasher.update(entry.path.as_bytes());
        hasher.update(format!("\0{:?} {}\0", entry.kind, entry.object()).as_bytes());
    }
    Ok(hasher.finish())
}

/// Where a document is. What the run writes is beside it in the same folder.
pub fn path(document: Document) -> &'static str {
    match document {
        Document::Preferences => "preferences.md",
        Document::Scope => ".sealwright/pipeline/scope.md",
        Document::Design => ".sealwright/pipeline/design.md",
        Document::Readiness => ".sealwright/pipeline/readiness.md",
        Document::Code => "",
    }
}

/// What people gathered before a version is asked for.
pub const INPUTS: &str = "docs/input";
const INPUTS_MAX: usize = 1_000;
/// One byte more than a document may have, so that a longer one is seen to be longer.
const BYTES_READ_MAX: u64 = (1 << 20) + 1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_behind_a_link_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let other = tempfile::tempdir().unwrap();
        fs::write(other.path().join("scope.md"), "theirs").unwrap();
        fs::create_dir_all(root.join(".sealwright")).unwrap();
        std::os::unix::fs::symlink(other.path(), root.join(".sealwright/pipeline")).unwrap();
        std::os::unix::fs::symlink(other.path().join("scope.md"), root.join("preferences.md"))
            .unwrap();
        let steering = Steering::of(root);
        assert_eq!(steering.texts(), SteeringTexts::default());
        fs::remove_file(root.join("preferences.md")).unwrap();
        fs::write(root.join("preferences.md"), "ours").unwrap();
        assert_eq!(steering.texts().preferences.as_deref(), Some("ours"));
        assert_eq!(steering.seen(None).unwrap().len(), 1);
    }
}
