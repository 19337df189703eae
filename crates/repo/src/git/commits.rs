//! Writes new commits. The user's branches, index and files stay untouched.
//!
//! Objects are written from bytes in memory, through a separate index; no command here reads a work tree.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use sealwright_store::LeafKind;

use super::{GitError, guarded, succeeded};

#[derive(Clone, Debug)]
pub struct Changed<'c> {
    pub path: &'c str,
    /// `None` is a deleted file.
    pub now: Option<(LeafKind, &'c [u8])>,
}

#[derive(Clone, Debug)]
pub struct NewCommit<'c> {
    pub parent: &'c str,
    pub changes: &'c [Changed<'c>],
    pub message: &'c str,
    /// The time of the commit. It is given, so that writing the same commit twice gives the same hash.
    pub at_s: u64,
}

/// Writes a commit and returns its hash. No branch points to it yet. `scratch` is a folder that no other process uses.
pub fn write(repository: &Path, scratch: &Path, new: &NewCommit<'_>) -> Result<String, GitError> {
    let index = scratch.join("index");
    let _ = std::fs::remove_file(&index);
    let run =
        |words: &[&str], input: &[u8]| answer_of(run(repository, &index, words, input, new.at_s)?);
    run(&["read-tree", new.parent], b"")?;
    let mut lines = Vec::new();
    for change in new.changes {
        match change.now {
            Some((kind, content)) => {
                let object = run(&["hash-object", "-w", "--stdin", "--no-filters"], content)?;
                let mode = mode_of(kind);
                lines.extend_from_slice(format!("{mode} {object}\t{}\0", change.path).as_bytes());
            }
            None => {
                let zero = "0".repeat(new.parent.len());
                lines.extend_from_slice(format!("0 {zero}\t{}\0", change.path).as_bytes());
            }
        }
    }
    run(&["update-index", "-z", "--index-info"], &lines)?;
    let tree = run(&["write-tree"], b"")?;
    let commit =
        run(&["commit-tree", "--no-gpg-sign", &tree, "-p", new.parent], new.message.as_bytes())?;
    let _ = std::fs::remove_file(&index);
    Ok(commit)
}

/// Writes a commit with the files of `of` on top of `onto`, and returns its hash. No branch points to it yet.
pub fn again(
    repository: &Path,
    (of, onto): (&str, &str),
    message: &str,
    at_s: u64,
) -> Result<String, GitError> {
    let none = Path::new("/dev/null");
    let tree = format!("{of}^{{tree}}");
    let ask = ["rev-parse", "--quiet", "--verify", "--end-of-options", &tree];
    let tree = answer_of(run(repository, none, &ask, b"", 0)?)?;
    let words = ["commit-tree", "--no-gpg-sign", &tree, "-p", onto];
    answer_of(run(repository, none, &words, message.as_bytes(), at_s)?)
}

/// Creates the branch `name` at `commit`. If the branch exists and points elsewhere, this is an error.
pub fn branch(repository: &Path, name: &str, commit: &str) -> Result<(), GitError> {
    let reference = format!("refs/heads/{name}");
    let none = Path::new("/dev/null");
    let ask = ["rev-parse", "--quiet", "--verify", "--end-of-options", &reference];
    let found = run(repository, none, &ask, b"", 0)?;
    if found.status.success() {
        let is_there = String::from_utf8_lossy(&found.stdout).trim() == commit;
        return if is_there {
            Ok(())
        } else {
            Err(GitError::Failed {
                message: format!("branch `{name}` exists and points to another commit"),
            })
        };
    }
    let zero = "0".repeat(commit.len());
    let words = ["update-ref", "--create-reflog", &reference, commit, &zero];
    answer_of(run(repository, none, &words, b"", 0)?).map(|_| ())
}

/// The value of a trailer in the last commit of a branch, if the branch exists.
pub fn trailer(repository: &Path, name: &str, key: &str) -> Result<Option<String>, GitError> {
    let format = format!("--format=%(trailers:key={key},valueonly)");
    let reference = format!("refs/heads/{name}");
    let words = ["log", "-1", &format, "--end-of-options", &reference, "--"];
    let output = run(repository, Path::new("/dev/null"), &words, b"", 0)?;
    let value = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok((output.status.success() && !value.is_empty()).then_some(value))
}

#[expect(
    clippy::disallowed_methods,
    reason = "objects and one reference of the person's own repository"
)]
pub(super) fn run(
    repository: &Path,
    index: &Path,
    words: &[&str],
    input: &[u8],
    at_s: u64,
) -> Result<Output, GitError> {
    let start = |source| GitError::Start { source };
    let when = format!("@{at_s} +0000");
    let mut child = guarded(&mut Command::new("git"), repository)
        .args(words)
        .env("GIT_INDEX_FILE", index)
        .env("GIT_AUTHOR_NAME", AUTHOR)
        .env("GIT_AUTHOR_EMAIL", ADDRESS)
        .env("GIT_COMMITTER_NAME", AUTHOR)
        .env("GIT_COMMITTER_EMAIL", ADDRESS)
        .env("GIT_AUTHOR_DATE", &when)
        .env("GIT_COMMITTER_DATE", &when)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(start)?;
    let mut pipe = child.stdin.take();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // If git does not read its input, it reports an error itself.
            let _ = pipe.as_mut().map(|pipe| pipe.write_all(input));
        });
        child.wait_with_output().map_err(start)
    })
}

/// A kind of file, as git writes it.
pub(crate) fn mode_of(kind: LeafKind) -> &'static str {
    match kind {
        LeafKind::Plain => "100644",
        LeafKind::Executable => "100755",
        LeafKind::Link => "120000",
    }
}

pub(super) fn answer_of(output: Output) -> Result<String, GitError> {
    Ok(String::from_utf8_lossy(&succeeded(output)?.stdout).trim().to_owned())
}

const AUTHOR: &str = "sealwright";
const ADDRESS: &str = "sealwright@localhost";
