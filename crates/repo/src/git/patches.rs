//! Patches: taken from a commit, and applied without a work tree.
//!
//! A patch is applied to an index in a scratch repository that borrows the objects of the user's. Git reads and writes
//! objects only: no file, link, filter, attribute, hook or setting of a person has an influence.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use sealwright_store::LeafKind;

use super::commits::mode_of;
use super::objects::{self, RECORDS};
use super::{GitError, answer_of, git, succeeded};

/// Why a patch is refused.
#[derive(Debug, thiserror::Error)]
pub enum PatchError {
    #[error("the patch changes nothing")]
    Empty,
    #[error("the patch has more than {most} bytes")]
    TooLarge { most: usize },
    /// Git's own words, in one line.
    #[error("the patch does not apply: {message}")]
    NotApplied { message: String },
    #[error("the patch changes `{path}`, which is not a file of the tree")]
    Outside { path: String },
    #[error("the patch makes `{path}` a link or a submodule")]
    Link { path: String },
    #[error("the commit has no history in common with the task's base")]
    Unrelated,
    #[error("no branch `{name}`")]
    NoBranch { name: String },
    #[error(transparent)]
    Git(#[from] GitError),
    #[error("cannot use a scratch folder")]
    Io(#[from] std::io::Error),
}

/// A file after a patch. `None` is a deleted file.
pub(crate) struct Patched {
    pub(crate) path: String,
    pub(crate) now: Option<(LeafKind, Vec<u8>)>,
}

/// The commit that a local branch points to.
pub fn branch(repository: &Path, name: &str) -> Result<String, PatchError> {
    let missing = |_| PatchError::NoBranch { name: name.to_owned() };
    objects::commit(repository, &format!("refs/heads/{name}")).map_err(missing)
}

/// What `revision` changed since it left the history of `base`, without Sealwright's own records.
pub fn since(repository: &Path, base: &str, revision: &str) -> Result<Vec<u8>, PatchError> {
    let commit = objects::commit(repository, revision)?;
    let fork = git(repository, &["merge-base", "--end-of-options", base, &commit])?;
    if !fork.status.success() {
        return Err(PatchError::Unrelated);
    }
    let fork = String::from_utf8_lossy(&fork.stdout).trim().to_owned();
    let records = format!(":(top,exclude,glob)**/{RECORDS}/**");
    let mut words = vec!["diff-tree", "-p", "-r", "-M", "--binary", "--full-index"];
    words.extend(["--no-ext-diff", "--no-textconv", "--no-color", "--no-relative"]);
    words.extend(["--src-prefix=a/", "--dst-prefix=b/", "--end-of-options", &fork, &commit]);
    words.extend(["--", ":(top)", &records]);
    let patch = succeeded(git(repository, &words)?)?.stdout;
    sized(&patch)?;
    Ok(patch)
}

/// Refuses a patch that is blank or too large.
pub fn sized(patch: &[u8]) -> Result<(), PatchError> {
    if patch.trim_ascii().is_empty() {
        return Err(PatchError::Empty);
    }
    if patch.len() > PATCH_BYTES_MAX {
        return Err(PatchError::TooLarge { most: PATCH_BYTES_MAX });
    }
    Ok(())
}

/// The tree to patch: a commit and what differs from it.
pub(crate) struct Start<'s> {
    pub(crate) commit: &'s str,
    pub(crate) changes: &'s [Patched],
}

/// Applies `patch` to `start` and returns every file that changed. `scratch` is an empty folder.
pub(crate) fn apply(
    repository: &Path,
    scratch: &Path,
    start: &Start<'_>,
    patch: &[u8],
) -> Result<Vec<Patched>, PatchError> {
    sized(patch)?;
    let scratch = Scratch::open(repository, scratch, start.commit)?;
    scratch.answer(&["read-tree", start.commit], b"")?;
    let mut lines = Vec::new();
    for Patched { path, now } in start.changes {
        let (mode, object) = match now {
            Some((kind, content)) => {
                let words = ["hash-object", "-w", "--stdin", "--no-filters"];
                (mode_of(*kind), scratch.answer(&words, content)?)
            }
            None => ("0", "0".repeat(start.commit.len())),
        };
        lines.extend_from_slice(format!("{mode} {object}\t{path}\0").as_bytes());
    }
    scratch.answer(&["update-index", "-z", "--index-info"], &lines)?;
    let before = scratch.answer(&["write-tree"], b"")?;
    let applied = scratch.run(&["apply", "--cached", "--whitespace=nowarn", "-"], patch)?;
    if !applied.status.success() {
        return Err(PatchError::NotApplied { message: one_line(&applied.stderr) });
    }
    let words = ["diff-index", "--cached", "--raw", "--no-renames", "-z", &before, "--"];
    let listed = succeeded(scratch.run(&words, b"")?)?.stdout;
    let mut fields = listed.split(|byte| *byte == 0).filter(|field| !field.is_empty());
    let mut changed = Vec::new();
    while let (Some(head), Some(path)) = (fields.next(), fields.next()) {
        changed.push(scratch.changed(&String::from_utf8_lossy(head), path)?);
    }
    if changed.is_empty() { Err(PatchError::Empty) } else { Ok(changed) }
}

/// A repository without a work tree that borrows the objects of another.
struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    fn open(repository: &Path, folder: &Path, commit: &str) -> Result<Self, PatchError> {
        let words = ["rev-parse", "--path-format=absolute", "--git-path", "objects"];
        let objects = answer_of(repository, &words)?;
        let scratch = Self { folder: folder.to_owned() };
        let format = if commit.len() > SHA1_DIGITS { "sha256" } else { "sha1" };
        let format = format!("--object-format={format}");
        scratch.answer(&["init", "--quiet", "--bare", "--template=", &format, "."], b"")?;
        let info = folder.join("objects/info");
        std::fs::create_dir_all(&info)?;
        std::fs::write(info.join("alternates"), format!("{objects}\n"))?;
        Ok(scratch)
    }

    /// A line of `git diff-index --raw`, such as `:100644 100755 <old> <new> M`, with its path.
    fn changed(&self, head: &str, path: &[u8]) -> Result<Patched, PatchError> {
        let shown = String::from_utf8_lossy(path).into_owned();
        let Ok(path) = String::from_utf8(path.to_vec()) else {
            return Err(PatchError::Outside { path: shown });
        };
        if path.split('/').any(|part| part == RECORDS) {
            return Err(PatchError::Outside { path });
        }
        let words: Vec<&str> = head.split(' ').collect();
        let [_, mode, _, object, _] = words[..] else {
            let message = "`git diff-index` printed an unexpected format".to_owned();
            return Err(GitError::Failed { message }.into());
        };
        let kind = match mode {
            "000000" => return Ok(Patched { path, now: None }),
            "100644" => LeafKind::Plain,
            "100755" => LeafKind::Executable,
            _ => return Err(PatchError::Link { path }),
        };
        let content = succeeded(self.run(&["cat-file", "blob", object], b"")?)?.stdout;
        Ok(Patched { path, now: Some((kind, content)) })
    }

    fn answer(&self, words: &[&str], input: &[u8]) -> Result<String, GitError> {
        let output = succeeded(self.run(words, input)?)?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    #[expect(clippy::disallowed_methods, reason = "a scratch repository of our own")]
    fn run(&self, words: &[&str], input: &[u8]) -> Result<Output, GitError> {
        let start = |source| GitError::Start { source };
        let mut command = Command::new("git");
        // Variables of a calling git, such as a hook's, would name another repository.
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"GIT_") {
                command.env_remove(name);
            }
        }
        let mut child = command
            .args(["--no-pager", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"])
            .args(words)
            .current_dir(&self.folder)
            .env("GIT_DIR", &self.folder)
            .env("GIT_INDEX_FILE", self.folder.join("index"))
            .env("GIT_CEILING_DIRECTORIES", &self.folder)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_ATTR_NOSYSTEM", "1")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("LC_ALL", "C")
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
}

/// The first errors of git, in one line.
fn one_line(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines = text.lines().map(|line| line.trim_start_matches("error: ").trim());
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).take(ERRORS_MAX).collect();
    if lines.is_empty() { "git gave no reason".to_owned() } else { lines.join("; ") }
}

impl PatchError {
    /// What to do next, in one sentence.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Empty => "commit the fix or write it with `git diff --binary`; it is blank now",
            Self::TooLarge { .. } => "leave generated files out of the fix",
            Self::NotApplied { .. } => {
                "`sealwright restore TASK` makes a branch of the current tree; fix it there, \
                 commit, and give that branch with --branch"
            }
            Self::Outside { .. } => "a fix changes files of the project only",
            Self::Link { .. } => "a fix changes plain files only",
            Self::Unrelated => "start the branch from the commit that the task started from",
            Self::NoBranch { .. } => "`git branch` lists branches; --commit takes any revision",
            Self::Git(_) => "run `git status` in the repository to see the error",
            Self::Io(_) => return None,
        };
        Some(hint.to_owned())
    }
}

const ERRORS_MAX: usize = 3;
const SHA1_DIGITS: usize = 40;
const PATCH_BYTES_MAX: usize = 4 << 20;
