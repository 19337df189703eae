//! Small real projects, each with a request, failing tests and a solution.
//!
//! ```text
//! projects/<name>/project.toml   request, criteria, the test of each criterion
//!                 base/          the project before the task
//!                 skeleton/      overlay: what the tests need to compile
//!                 acceptance/    overlay: visible tests
//!                 holdout/       overlay: tests the builder never sees
//!                 solution/      overlay: the honest work
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

pub use crate::language::Language;

#[derive(Clone, Debug)]
pub struct Project {
    pub name: String,
    pub about: QuestionSubject,
    folder: PathBuf,
}

/// The content of `project.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionSubject {
    pub language: Language,
    /// The request in one line.
    pub title: String,
    pub request: String,
    /// The source folders. All other files belong to the project's owner.
    pub sources: Vec<String>,
    /// The visible test files.
    pub tests: Vec<String>,
    /// The hold-out test files.
    pub holdout: Vec<String>,
    pub criteria: BTreeMap<String, String>,
    /// The test of each criterion.
    pub trace: BTreeMap<String, String>,
}

/// An overlay of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// The project before the task.
    Base,
    Skeleton,
    /// Visible tests.
    Acceptance,
    Holdout,
    /// The honest work.
    Solution,
}

impl Project {
    pub fn open(name: &str) -> Result<Self> {
        let folder = root().join(name);
        let text = fs::read_to_string(folder.join("project.toml"))
            .with_context(|| format!("no project is called `{name}`"))?;
        let about = toml::from_str(&text).with_context(|| format!("{name}/project.toml"))?;
        Ok(Self { name: name.to_owned(), about, folder })
    }

    pub fn all() -> Result<Vec<Self>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(root())? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        names.sort();
        names.iter().map(|name| Self::open(name)).collect()
    }

    /// The files of a layer. The skeleton is optional.
    pub fn layer(&self, layer: Layer) -> Result<BTreeMap<String, String>> {
        let folder = self.folder.join(layer.folder());
        let mut files = BTreeMap::new();
        if folder.exists() {
            gather(&folder, &folder, &mut files)?;
        } else {
            ensure!(layer == Layer::Skeleton, "{} has no {}", self.name, layer.folder());
        }
        Ok(files)
    }

    pub fn lay(&self, layer: Layer, tree: &Path) -> Result<()> {
        write_files(tree, self.layer(layer)?)
    }
}

impl Layer {
    fn folder(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Skeleton => "skeleton",
            Self::Acceptance => "acceptance",
            Self::Holdout => "holdout",
            Self::Solution => "solution",
        }
    }
}

/// Writes files with their folders below `tree`.
pub fn write_files<T: AsRef<str>>(
    tree: &Path,
    files: impl IntoIterator<Item = (T, T)>,
) -> Result<()> {
    for (path, text) in files {
        let path = tree.join(path.as_ref());
        fs::create_dir_all(path.parent().context("a file stands in a folder")?)?;
        fs::write(path, text.as_ref())?;
    }
    Ok(())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("projects")
}

fn gather(root: &Path, folder: &Path, files: &mut BTreeMap<String, String>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            gather(root, &path, files)?;
        } else {
            let name = path.strip_prefix(root)?.to_string_lossy().into_owned();
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            files.insert(name, text);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_criterion_has_a_test_and_every_test_a_criterion() {
        for project in Project::all().unwrap() {
            let QuestionSubject { criteria, trace, .. } = &project.about;
            assert!((3..=6).contains(&criteria.len()), "{}", project.name);
            let mut written = String::new();
            for layer in [Layer::Acceptance, Layer::Holdout] {
                written.extend(project.layer(layer).unwrap().into_values());
            }
            for (test, criterion) in trace {
                assert!(criteria.contains_key(criterion), "{}: {test}", project.name);
                assert!(written.contains(&format!("{test}(")), "{}: {test}", project.name);
            }
            for criterion in criteria.keys() {
                assert!(trace.values().any(|traced| traced == criterion), "{criterion}");
            }
            let count = written.matches("#[test]").count() + written.matches("def test_").count();
            assert_eq!(count, trace.len(), "{}: every test is traced", project.name);
        }
    }

    #[test]
    fn there_are_enough_projects_of_each_language() {
        let of = |language| {
            let projects = Project::all().unwrap();
            projects.iter().filter(|project| project.about.language == language).count()
        };
        assert!(of(Language::Rust) >= 3 && of(Language::Python) >= 3);
    }
}
