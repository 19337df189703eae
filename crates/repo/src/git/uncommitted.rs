//! Uncommitted changes: listed, or written as a commit that no branch points to.
//!
//! The user's branch, index and files stay untouched.

use std::path::Path;

use super::objects::{self, RECORDS};
use super::{GitError, commits, git, succeeded};

/// The files that differ from the last commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedFiles {
    /// In git's order, at most `LISTED_MAX`.
    pub listed: Vec<ChangedFile>,
    /// The number of all of them.
    pub count: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    pub path: String,
    pub is_untracked: bool,
}

/// The files that differ from the last commit. Sealwright's own records are left out, and so is its configuration file
/// while it is untracked.
pub fn uncommitted(repository: &Path, config_file: &str) -> Result<ChangedFiles, GitError> {
    // What would have no end is found before git compares it.
    if let Ok(head) = objects::commit(repository, "HEAD") {
        objects::entries(repository, &head)?;
    }
    let mut words = vec!["status", "--porcelain=v1", "-z", "--no-renames"];
    words.extend(["--untracked-files=all", OUTSIDE]);
    let output = succeeded(git(repository, &words)?)?;
    let lines = output.stdout.split(|byte| *byte == 0).filter(|line| line.len() > 3);
    let mut changed = ChangedFiles::default();
    for line in lines {
        let (state, path) = line.split_at(3);
        let path = String::from_utf8_lossy(path).into_owned();
        let is_untracked = state.starts_with(b"??");
        let is_ours = path.split('/').any(|part| part == RECORDS);
        if is_ours || is_untracked && path.ends_with(config_file) {
            continue;
        }
        changed.count += 1;
        if changed.listed.len() < LISTED_MAX {
            changed.listed.push(ChangedFile { path, is_untracked });
        }
    }
    Ok(changed)
}

/// The files in which a commit of [`taken_along`] differs from the commit below it, and the number of all of them.
pub fn taken_files(repository: &Path, commit: &str) -> Result<(Vec<String>, usize), GitError> {
    let words = ["diff-tree", "-r", "--no-commit-id", "--name-only", "-z", "--no-renames", commit];
    let output = succeeded(git(repository, &words)?)?;
    let paths = output.stdout.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    let (listed, count) = (paths.clone().take(LISTED_MAX), paths.count());
    Ok((listed.map(|path| String::from_utf8_lossy(path).into_owned()).collect(), count))
}

/// Whether [`taken_along`] wrote this commit.
pub fn is_taken_along(repository: &Path, commit: &str) -> Result<bool, GitError> {
    let output = succeeded(git(repository, &["log", "-1", "--format=%s", commit])?)?;
    Ok(String::from_utf8_lossy(&output.stdout).trim() == MESSAGE)
}

/// The files of a merge that is not finished.
pub fn unmerged(repository: &Path) -> Result<Vec<String>, GitError> {
    let words = ["diff", "--name-only", "--diff-filter=U", "-z", OUTSIDE];
    let output = succeeded(git(repository, &words)?)?;
    let paths = output.stdout.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    Ok(paths.take(LISTED_MAX).map(|path| String::from_utf8_lossy(path).into_owned()).collect())
}

/// Writes a commit of the whole work tree on top of `HEAD` and returns its hash. `scratch` is a folder that no other
/// process uses.
pub fn taken_along(repository: &Path, scratch: &Path, at_s: u64) -> Result<String, GitError> {
    let head = objects::commit(repository, "HEAD")?;
    let index = scratch.join("taken-along");
    let _ = std::fs::remove_file(&index);
    let run =
        |words: &[&str]| commits::answer_of(commits::run(repository, &index, words, b"", at_s)?);
    run(&["read-tree", &head])?;
    let ours = format!(":(top,exclude,glob)**/{RECORDS}/**");
    let others = submodules(repository)?;
    let mut words = vec!["add", "--all", "--", ":/", &ours];
    words.extend(others.iter().map(String::as_str));
    run(&words)?;
    let tree = run(&["write-tree"])?;
    let commit = run(&["commit-tree", "--no-gpg-sign", &tree, "-p", &head, "-m", MESSAGE])?;
    let _ = std::fs::remove_file(&index);
    Ok(commit)
}

/// Path specifications that leave out every submodule. To see what changed in one, git would start itself there, and obey
/// what is configured there.
fn submodules(repository: &Path) -> Result<Vec<String>, GitError> {
    let listed = succeeded(git(repository, &["ls-files", "--stage", "--full-name", "-z", ":/"])?)?;
    let is_submodule = |entry: &&[u8]| entry.starts_with(b"160000 ");
    let path = |entry: &[u8]| {
        let at = entry.iter().position(|byte| *byte == b'\t')?;
        String::from_utf8(entry[at + 1..].to_vec()).ok()
    };
    let entries = listed.stdout.split(|byte| *byte == 0).filter(is_submodule);
    let odd = || GitError::Failed { message: "the path of a submodule is not UTF-8".to_owned() };
    let specification =
        |entry| path(entry).map(|path| format!(":(top,exclude,literal){path}")).ok_or_else(odd);
    entries.map(specification).collect()
}

/// Submodules are looked at from the outside only.
const OUTSIDE: &str = "--ignore-submodules=dirty";
const MESSAGE: &str = "Work that was not committed yet, taken along";
const LISTED_MAX: usize = 100_000;
