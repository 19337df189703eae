//! Brings two commits together, without a work tree.

use std::path::Path;

use super::commits::{answer_of, run};
use super::{GitError, objects};

/// The commit that holds the work of two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Joined {
    At(String),
    /// Both changed the same places of these files.
    Conflict {
        paths: Vec<String>,
    },
}

/// A commit with the work of `ours` and `theirs`: one of them if it has the other, else a new one on top of both.
pub fn join(
    repository: &Path,
    (ours, theirs): (&str, &str),
    message: &str,
    at_s: u64,
) -> Result<Joined, GitError> {
    if has(repository, ours, theirs)? {
        return Ok(Joined::At(ours.to_owned()));
    }
    if has(repository, theirs, ours)? {
        return Ok(Joined::At(theirs.to_owned()));
    }
    // Neither files in the work tree nor settings of its owner decide how texts are merged.
    let none =
        answer_of(run(repository, no_index(), &["hash-object", "-t", "tree", "--stdin"], b"", 0)?)?;
    let source = format!("--attr-source={none}");
    let plain = ["-c", "core.attributesFile=/dev/null", &source];
    let ask = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs];
    let output = run(repository, no_index(), &[&plain[..], &ask].concat(), b"", at_s)?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut parts = text.split('\0').filter(|it| !it.is_empty());
    let tree = parts.next().unwrap_or_default().trim().to_owned();
    match output.status.code() {
        Some(0) => {
            let write = ["commit-tree", "--no-gpg-sign", &tree, "-p", ours, "-p", theirs];
            answer_of(run(repository, no_index(), &write, message.as_bytes(), at_s)?)
                .map(Joined::At)
        }
        Some(1) => {
            let mut paths: Vec<String> = parts.map(str::to_owned).collect();
            paths.dedup();
            Ok(Joined::Conflict { paths })
        }
        _ => answer_of(output).map(Joined::At),
    }
}

/// Whether a work tree has the branch `name` checked out: to move it would look like a change of every file.
pub fn is_checked_out(repository: &Path, name: &str) -> Result<bool, GitError> {
    let reference = format!("refs/heads/{name}");
    let ask = ["for-each-ref", "--format=%(worktreepath)", &reference];
    Ok(!answer_of(run(repository, no_index(), &ask, b"", 0)?)?.is_empty())
}

/// Moves the branch `name` to `commit`, from where it was last seen. A branch that is not there is created.
pub fn advance(repository: &Path, name: &str, commit: &str) -> Result<(), GitError> {
    let reference = format!("refs/heads/{name}");
    let from = objects::commit(repository, &reference).unwrap_or_else(|_| "0".repeat(commit.len()));
    if from == commit {
        return Ok(());
    }
    // A name that stands for another branch is not followed.
    let words = ["update-ref", "--no-deref", "--create-reflog", &reference, commit, &from];
    answer_of(run(repository, no_index(), &words, b"", 0)?).map(|_| ())
}

/// Whether the history of a commit has another in it.
pub fn has(repository: &Path, commit: &str, other: &str) -> Result<bool, GitError> {
    let ask = ["merge-base", "--is-ancestor", other, commit];
    let output = run(repository, no_index(), &ask, b"", 0)?;
    match output.status.code() {
        Some(0) => Ok(true),
        Some(1) => Ok(false),
        _ => answer_of(output).map(|_| false),
    }
}

/// The last commit that the histories of two commits share, if there is one.
pub fn fork(repository: &Path, one: &str, other: &str) -> Result<Option<String>, GitError> {
    let output = run(repository, no_index(), &["merge-base", one, other], b"", 0)?;
    match output.status.code() {
        Some(1) => Ok(None),
        _ => Ok(Some(answer_of(output)?.trim().to_owned()).filter(|it| !it.is_empty())),
    }
}

/// No command here reads or writes an index.
fn no_index() -> &'static Path {
    Path::new("/dev/null")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::commits::{Changed, NewCommit, write};
    use sealwright_store::LeafKind;

    #[test]
    fn work_on_two_sides_is_joined_and_a_conflict_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path();
        answer_of(run(place, no_index(), &["init", "--quiet"], b"", 0).unwrap()).unwrap();
        let empty = answer_of(run(place, no_index(), &["mktree"], b"", 0).unwrap()).unwrap();
        let first = ["commit-tree", "--no-gpg-sign", &empty];
        let base = answer_of(run(place, no_index(), &first, b"base", 1).unwrap()).unwrap();
        let scratch = tempfile::tempdir().unwrap();
        let commit = |parent: &str, path: &str, text: &str| {
            let now = Some((LeafKind::Plain, text.as_bytes()));
            let changes = [Changed { path, now }];
            let new = NewCommit { parent, changes: &changes, message: "work", at_s: 2 };
            write(place, scratch.path(), &new).unwrap()
        };
        let (one, two) = (commit(&base, "a.txt", "a\n"), commit(&base, "b.txt", "b\n"));
        let joined = |ours: &str, theirs: &str| join(place, (ours, theirs), "both", 3).unwrap();
        assert_eq!(joined(&base, &one), Joined::At(one.clone()));
        assert_eq!(joined(&one, &base), Joined::At(one.clone()));
        let Joined::At(both) = joined(&one, &two) else { panic!("a conflict") };
        let paths: Vec<String> =
            objects::entries(place, &both).unwrap().into_iter().map(|it| it.path).collect();
        assert_eq!(paths, ["a.txt", "b.txt"]);
        assert_eq!(joined(&both, &two), Joined::At(both.clone()));
        let other = commit(&base, "a.txt", "another\n");
        std::fs::write(place.join(".gitattributes"), "*.txt merge=union\n").unwrap();
        assert_eq!(joined(&both, &other), Joined::Conflict { paths: vec!["a.txt".to_owned()] });
        assert!(!is_checked_out(place, "sealwright/project").unwrap());
        for at in [&one, &both] {
            advance(place, "sealwright/project", at).unwrap();
            assert_eq!(&objects::commit(place, "sealwright/project").unwrap(), at);
        }
        let head = ["symbolic-ref", "HEAD", "refs/heads/sealwright/project"];
        answer_of(run(place, no_index(), &head, b"", 0).unwrap()).unwrap();
        assert!(is_checked_out(place, "sealwright/project").unwrap());
    }
}
