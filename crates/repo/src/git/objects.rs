//! The files of a commit, read from git objects: filters, checkouts and the work tree have no influence.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use sealwright_store::LeafKind;

use super::{GitError, git, guarded, succeeded};

/// A file of a commit, without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub path: String,
    pub kind: LeafKind,
    pub(crate) object: String,
}

/// The full hash of the commit that `revision` names.
pub fn commit(repository: &Path, revision: &str) -> Result<String, GitError> {
    let wanted = format!("{revision}^{{commit}}");
    let output =
        git(repository, &["rev-parse", "--quiet", "--verify", "--end-of-options", &wanted])?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    } else {
        // Without such a commit it says nothing. A repository that it does not trust is another matter.
        let said = String::from_utf8_lossy(&output.stderr);
        let why = said.lines().find_map(|line| line.strip_prefix("fatal: "));
        let why = why.filter(|why| !why.contains("single revision"));
        let message = why.map_or_else(|| format!("no commit `{revision}`"), str::to_owned);
        Err(GitError::Failed { message })
    }
}

/// All files of `commit`, ordered by path. Submodules are left out: their commits are not in this repository. So is the
/// folder `.sealwright`: the journal is no part of what is built, and no builder may read it.
pub fn entries(repository: &Path, commit: &str) -> Result<Vec<Entry>, GitError> {
    let output = succeeded(git(repository, &["ls-tree", "-r", "-z", "--full-tree", commit])?)?;
    listed(&output.stdout, |path| !path.split('/').any(|part| part == RECORDS))
}

/// Everything in a commit by path, with its mode and its object, as git has them: records and submodules too.
pub(crate) fn whole(
    repository: &Path,
    commit: &str,
) -> Result<BTreeMap<String, (String, String)>, GitError> {
    let odd =
        || GitError::Failed { message: "`git ls-tree` printed an unexpected format".to_owned() };
    let output = succeeded(git(repository, &["ls-tree", "-r", "-z", "--full-tree", commit])?)?;
    let mut all = BTreeMap::new();
    for line in output.stdout.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
        let line = std::str::from_utf8(line).map_err(|_| GitError::Failed {
            message: format!("file name `{}` is not UTF-8", String::from_utf8_lossy(line)),
        })?;
        let (head, path) = line.split_once('\t').ok_or_else(odd)?;
        let mut words = head.split(' ');
        let (Some(mode), Some(_), Some(object)) = (words.next(), words.next(), words.next()) else {
            return Err(odd());
        };
        all.insert(path.to_owned(), (mode.to_owned(), object.to_owned()));
    }
    Ok(all)
}

/// One file of `commit`, also one of the folder `.sealwright`. Nothing if it is not there.
pub fn entry(repository: &Path, commit: &str, path: &str) -> Result<Option<Entry>, GitError> {
    let words = ["--literal-pathspecs", "ls-tree", "-z", "--full-tree", commit, path];
    let output = succeeded(git(repository, &words)?)?;
    Ok(listed(&output.stdout, |it| it == path)?.pop())
}

fn listed(output: &[u8], is_wanted: impl Fn(&str) -> bool) -> Result<Vec<Entry>, GitError> {
    let odd =
        || GitError::Failed { message: "`git ls-tree` printed an unexpected format".to_owned() };
    let mut entries = Vec::new();
    for line in output.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
        let at = line.iter().position(|byte| *byte == b'\t').ok_or_else(odd)?;
        let head = std::str::from_utf8(&line[..at]).map_err(|_| odd())?;
        let path = std::str::from_utf8(&line[at + 1..]).map_err(|_| GitError::Failed {
            message: format!(
                "file name `{}` is not UTF-8",
                String::from_utf8_lossy(&line[at + 1..])
            ),
        })?;
        let mut words = head.split(' ');
        let (Some(mode), Some(_), Some(object)) = (words.next(), words.next(), words.next()) else {
            return Err(odd());
        };
        if !is_wanted(path) {
            continue;
        }
        let kind = match mode {
            "100644" | "100664" => LeafKind::Plain,
            "100755" => LeafKind::Executable,
            "120000" => LeafKind::Link,
            "160000" => continue,
            _ => return Err(odd()),
        };
        entries.push(Entry { path: path.to_owned(), kind, object: object.to_owned() });
        if entries.len() > ENTRIES_MAX {
            let message = format!("the commit has more than {ENTRIES_MAX} files");
            return Err(GitError::Failed { message });
        }
    }
    match impossible(&entries) {
        Some(message) => Err(GitError::Failed { message }),
        None => Ok(entries),
    }
}

/// What no working tree can hold, although objects can say it: git writes it out in no checkout, and neither do we.
fn impossible(entries: &[Entry]) -> Option<String> {
    let files: BTreeSet<&str> = entries.iter().map(|entry| entry.path.as_str()).collect();
    if files.len() < entries.len() {
        return Some("the commit has two files of the same name".to_owned());
    }
    for path in files.iter().copied() {
        let is_odd =
            |part: &str| ["", ".", ".."].contains(&part) || part.eq_ignore_ascii_case(".git");
        if path.split('/').any(is_odd) {
            return Some(format!("the commit has a file `{path}`, which no folder can hold"));
        }
        let mut above = path;
        while let Some((folder, _)) = above.rsplit_once('/') {
            if files.contains(folder) {
                return Some(format!("the commit has `{folder}` as a file and as a folder"));
            }
            above = folder;
        }
    }
    None
}

/// Whether the last commit has a file or folder with one of these names at its top. `false` if there is no commit.
pub fn has_any(repository: &Path, names: &[&str]) -> bool {
    let words = [&["ls-tree", "--name-only", "-z", "--full-tree", "HEAD", "--"], names].concat();
    git(repository, &words).is_ok_and(|output| !output.stdout.is_empty())
}

/// Reads file contents through one `git cat-file --batch` process.
pub struct Contents {
    child: Child,
    ask: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Entry {
    /// The id of its content, as git names it.
    pub fn object(&self) -> &str {
        &self.object
    }
}

impl Contents {
    pub fn open(repository: &Path) -> Result<Self, GitError> {
        let mut child = cat_file(repository).map_err(|source| GitError::Start { source })?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (ask, answers) = pipes.ok_or_else(broken)?;
        Ok(Self { child, ask, answers: BufReader::new(answers) })
    }

    /// Reads one file. A file larger than `bytes_max` is an error.
    pub fn read(&mut self, entry: &Entry, bytes_max: u64) -> Result<Vec<u8>, GitError> {
        self.ask(entry, bytes_max).map_err(|error| GitError::Failed {
            message: format!("cannot read `{}`: {error}", entry.path),
        })
    }

    fn ask(&mut self, entry: &Entry, bytes_max: u64) -> std::io::Result<Vec<u8>> {
        writeln!(self.ask, "{}", entry.object)?;
        self.ask.flush()?;
        let mut head = String::new();
        self.answers.by_ref().take(HEAD_BYTES_MAX).read_line(&mut head)?;
        let bytes = head.trim_end().rsplit(' ').next().and_then(|size| size.parse::<u64>().ok());
        let bytes = bytes.ok_or_else(|| std::io::Error::other(head.trim_end().to_owned()))?;
        if bytes > bytes_max {
            return Err(std::io::Error::other(format!("larger than {bytes_max} bytes")));
        }
        let mut content = vec![0; usize::try_from(bytes).map_err(std::io::Error::other)? + 1];
        self.answers.read_exact(&mut content)?;
        content.pop();
        Ok(content)
    }
}

impl Drop for Contents {
    fn drop(&mut self) {
        // The process only reads, so killing it loses nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[expect(clippy::disallowed_methods, reason = "the repository's own objects, read only")]
fn cat_file(repository: &Path) -> std::io::Result<Child> {
    guarded(&mut Command::new("git"), repository)
        .args(["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
}

fn broken() -> GitError {
    GitError::Failed { message: "no pipes to `git cat-file`".to_owned() }
}

/// The folder of Sealwright's own records in a repository.
pub const RECORDS: &str = ".sealwright";
const HEAD_BYTES_MAX: u64 = 1 << 10;
const ENTRIES_MAX: usize = 1_000_000;
