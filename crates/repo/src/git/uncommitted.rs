//! What a person has not committed yet: seen, or taken along as a commit that no branch leads to.
//!
//! Neither their branch, nor their index, nor their files are touched.

use std::path::Path;

use super::objects::{self, RECORDS};
use super::{GitError, commits, failed, git};

/// The files that differ from the last commit, in git's order, at most [`LISTED_MAX`]. What the machine keeps for
/// itself, and its configuration while nobody has committed it, is not among them.
pub fn uncommitted(repository: &Path, config_file: &str) -> Result<Vec<String>, GitError> {
    let words = ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all"];
    let output = git(repository, &words)?;
    if !output.status.success() {
        return Err(failed(&output));
    }
    let lines = output.stdout.split(|byte| *byte == 0).filter(|line| line.len() > 3);
    let told = lines.filter_map(|line| {
        let (state, path) = line.split_at(3);
        let path = String::from_utf8_lossy(path).into_owned();
        let is_ours = path.split('/').any(|part| part == RECORDS);
        let is_new_config = state.starts_with(b"??") && path.ends_with(config_file);
        (!is_ours && !is_new_config).then_some(path)
    });
    Ok(told.take(LISTED_MAX).collect())
}

/// A commit of everything as it lies in the work tree, after the last one. `scratch` is a folder of the machine's own.
pub fn taken_along(repository: &Path, scratch: &Path, at_s: u64) -> Result<String, GitError> {
    let head = objects::commit(repository, "HEAD")?;
    let index = scratch.join("taken-along");
    let _ = std::fs::remove_file(&index);
    let say = |words: &[&str]| commits::said(commits::run(repository, &index, words, b"", at_s)?);
    say(&["read-tree", &head])?;
    let (all, ours) = (":/", format!(":(top,exclude,glob)**/{RECORDS}/**"));
    say(&["add", "--all", "--", all, &ours])?;
    let tree = say(&["write-tree"])?;
    let commit = say(&["commit-tree", "--no-gpg-sign", &tree, "-p", &head, "-m", MESSAGE])?;
    let _ = std::fs::remove_file(&index);
    Ok(commit)
}

const MESSAGE: &str = "Work that was not committed yet, taken along";
/// More than anybody reads.
const LISTED_MAX: usize = 1_000;
