//! New commits beside a person's own: neither their branch, nor their index, nor their files are touched.
//!
//! Objects are written from bytes the machine holds, through an index of its own; no command here looks at a work tree.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::objects::LeafKind;
use super::{GitError, failed, guarded};

/// One file that differs from the parent.
#[derive(Clone, Debug)]
pub struct Changed<'c> {
    /// Where it is.
    pub path: &'c str,
    /// What is there now. Nothing stands for a file that is gone.
    pub now: Option<(LeafKind, &'c [u8])>,
}

/// A commit to be made.
#[derive(Clone, Debug)]
pub struct NewCommit<'c> {
    /// The commit it follows.
    pub parent: &'c str,
    /// What differs there.
    pub changes: &'c [Changed<'c>],
    /// What it says.
    pub message: &'c str,
    /// When, in seconds, so that the same commit made twice is one commit.
    pub at_s: u64,
}

/// Writes a commit and gives its name. No branch leads there yet. `scratch` is a folder of the machine's own.
pub fn write(repository: &Path, scratch: &Path, new: &NewCommit<'_>) -> Result<String, GitError> {
    let index = scratch.join("index");
    let _ = std::fs::remove_file(&index);
    let run = |words: &[&str], input: &[u8]| said(run(repository, &index, words, input, new.at_s)?);
    run(&["read-tree", new.parent], b"")?;
    let mut lines = Vec::new();
    for change in new.changes {
        match change.now {
            Some((kind, content)) => {
                let object = run(&["hash-object", "-w", "--stdin", "--no-filters"], content)?;
                let mode = match kind {
                    LeafKind::Plain => "100644",
                    LeafKind::Executable => "100755",
                    LeafKind::Link => "120000",
                };
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

/// Has a new branch lead to `commit`. One that leads elsewhere stays as it is, and that is an error.
pub fn branch(repository: &Path, name: &str, commit: &str) -> Result<(), GitError> {
    let reference = format!("refs/heads/{name}");
    let none = Path::new("/dev/null");
    let ask = ["rev-parse", "--quiet", "--verify", "--end-of-options", &reference];
    let found = run(repository, none, &ask, b"", 0)?;
    if found.status.success() {
        let is_there = String::from_utf8_lossy(&found.stdout).trim() == commit;
        return match is_there {
            true => Ok(()),
            false => {
                Err(GitError::Failed { said: format!("the branch `{name}` is there already") })
            }
        };
    }
    let zero = "0".repeat(commit.len());
    let words = ["update-ref", "--create-reflog", &reference, commit, &zero];
    said(run(repository, none, &words, b"", 0)?).map(|_| ())
}

/// What the last commit of a branch says behind a trailer's key, if there is such a branch.
pub fn trailer(repository: &Path, name: &str, key: &str) -> Result<Option<String>, GitError> {
    let format = format!("--format=%(trailers:key={key},valueonly)");
    let reference = format!("refs/heads/{name}");
    let words = ["log", "-1", &format, "--end-of-options", &reference, "--"];
    let output = run(repository, Path::new("/dev/null"), &words, b"", 0)?;
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok((output.status.success() && !said.is_empty()).then_some(said))
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
            // What it does not want to read, it complains about itself.
            let _ = pipe.as_mut().map(|pipe| pipe.write_all(input));
        });
        child.wait_with_output().map_err(start)
    })
}

pub(super) fn said(output: Output) -> Result<String, GitError> {
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        false => Err(failed(&output)),
    }
}

const AUTHOR: &str = "sealwright";
const ADDRESS: &str = "sealwright@localhost";
