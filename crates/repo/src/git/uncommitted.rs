//! Uncommitted changes: listed, or written as a commit that no branch points to.
//!
//! The user's branch, index and files stay untouched.

use std::path::Path;

use super::objects::{self, RECORDS};
use super::{GitError, commits, git, succeeded};

/// The files that differ from the last commit, in git's order, at most `LISTED_MAX`. Sealwright's own records are
/// left out, and so is its configuration file while it is untracked.
pub fn uncommitted(repository: &Path, config_file: &str) -> Result<Vec<String>, GitError> {
    let words = ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all"];
    let output = succeeded(git(repository, &words)?)?;
    let lines = output.stdout.split(|byte| *byte == 0).filter(|line| line.len() > 3);
    let paths = lines.filter_map(|line| {
        let (state, path) = line.split_at(3);
        let path = String::from_utf8_lossy(path).into_owned();
        let is_ours = path.split('/').any(|part| part == RECORDS);
        let is_new_config = state.starts_with(b"??") && path.ends_with(config_file);
        (!is_ours && !is_new_config).then_some(path)
    });
    Ok(paths.take(LISTED_MAX).collect())
}

/// The files of a merge that is not finished.
pub fn unmerged(repository: &Path) -> Result<Vec<String>, GitError> {
    let words = ["diff", "--name-only", "--diff-filter=U", "-z"];
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
    let (all, ours) = (":/", format!(":(top,exclude,glob)**/{RECORDS}/**"));
    run(&["add", "--all", "--", all, &ours])?;
    let tree = run(&["write-tree"])?;
    let commit = run(&["commit-tree", "--no-gpg-sign", &tree, "-p", &head, "-m", MESSAGE])?;
    let _ = std::fs::remove_file(&index);
    Ok(commit)
}

const MESSAGE: &str = "Work that was not committed yet, taken along";
const LISTED_MAX: usize = 1_000;
