//! One ordinary change, as a file of `xtask/ordinary` has it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    pub(super) about: String,
    /// The small project that the change is made in: a file in `base`.
    #[serde(default)]
    base: String,
    /// The commit that is made again: its files are the change. What it says of its tests is said anew, in new files.
    pub(super) commit: Option<Commit>,
    /// Files beside those of the base, or in place of them.
    #[serde(default)]
    before: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) links: BTreeMap<String, String>,
    /// Files of the base that are not there.
    #[serde(default)]
    without: Vec<String>,
    #[serde(default)]
    tests: BTreeMap<String, String>,
    #[serde(default)]
    after: BTreeMap<String, String>,
    #[serde(default)]
    removed: Vec<String>,
    pub(super) places: Vec<String>,
    #[serde(default)]
    pub(super) items: Vec<String>,
    #[serde(default)]
    pub(super) keeps_behaviour: bool,
    /// Files that are guarded and change, each with the reason.
    #[serde(default)]
    pub(super) declared: BTreeMap<String, String>,
    pub(super) traces: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Commit {
    pub(super) repository: String,
    pub(super) id: String,
}

/// What the roles write.
pub(super) struct Files {
    pub(super) tests: BTreeMap<String, String>,
    pub(super) after: BTreeMap<String, String>,
    pub(super) removed: Vec<String>,
}

impl Case {
    pub(super) fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)?;
        toml::from_str(&text).with_context(|| path.display().to_string())
    }

    /// The files of a small project.
    pub(super) fn before(&self, folder: &Path) -> Result<BTreeMap<String, String>> {
        let text =
            std::fs::read_to_string(folder.join("base").join(format!("{}.toml", self.base)))?;
        let base: BTreeMap<String, String> = toml::from_str(&text)?;
        let kept = base.into_iter().filter(|(path, _)| !self.without.contains(path));
        Ok(kept.chain(self.before.clone()).collect())
    }

    pub(super) fn files(&self, folder: &Path) -> Result<Files> {
        let mut files = Files {
            tests: self.tests.clone(),
            after: self.after.clone(),
            removed: self.removed.clone(),
        };
        let Some(Commit { id, .. }) = &self.commit else { return Ok(files) };
        let git = |words: &[&str]| -> Result<String> {
            let output = Command::new("git").args(words).current_dir(folder).output()?;
            ensure!(output.status.success(), "git {words:?} failed");
            Ok(String::from_utf8(output.stdout)?)
        };
        let listed =
            git(&["diff-tree", "-r", "--no-commit-id", "--name-status", "--no-renames", id])?;
        for line in listed.lines() {
            let (status, path) = line.split_once('\t').context("a changed file")?;
            if status == "D" {
                files.removed.push(path.to_owned());
                continue;
            }
            let text = git(&["show", &format!("{id}:{path}")])?;
            files.after.insert(path.to_owned(), text);
        }
        ensure!(!files.after.is_empty(), "{id} changes nothing but tests");
        Ok(files)
    }
}
