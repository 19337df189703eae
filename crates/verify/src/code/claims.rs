//! Commits that say they are the work of a task, held against what that task proved.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use gix_object::tree::EntryKind;
use sealwright_kernel::{Digest, TaskId};
use sealwright_store::{Leaf, LeafKind, Leaves, ProofFile, Tree, digest_of_leaves};

use super::{Proven, Records, Step};
use crate::Found;
use crate::git::{Changes, File, GitObjects, GitReadError, Oid};

pub(super) struct Claims<'a> {
    git: &'a GitObjects,
    records: &'a Records<'a>,
    /// Files by their object, hashed once.
    contents: HashMap<Oid, (Digest, u64)>,
    /// Folders with their links into records, looked through once.
    links: HashMap<Oid, Vec<String>>,
}

/// What one claim of a commit is worth.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) task: TaskId,
    pub(super) state: State,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The files are exactly those that were proven.
    Exact,
    /// The change is the proven one, on top of other files.
    Moved,
    /// These files are not as they were proven.
    Altered {
        files: Vec<String>,
    },
    /// The commit changes nothing, and the task changed something.
    Empty,
    /// These links lead to what no gate saw.
    Linked {
        links: Vec<String>,
    },
    /// The commit names a tree that the task did not prove.
    OtherTree,
    /// The task has records, and its last gate was not opened.
    NoGate,
    NoRecords,
    /// The records of the task have findings of their own.
    Faulty,
    /// The description of the proven tree is not in the store.
    NoTree,
    /// The commit that the work started from is not in this clone.
    Cut,
}

/// How far the files that a task did not change are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// By the name of the commit that the records have as the start.
    ByName,
    /// Each file is read and hashed.
    Whole,
}

impl<'a> Claims<'a> {
    pub(super) fn new(git: &'a GitObjects, records: &'a Records<'a>) -> Self {
        Self { git, records, contents: HashMap::new(), links: HashMap::new() }
    }

    /// Judges everything that `step` says of tasks.
    pub(super) fn of(&mut self, step: &Step) -> Result<Vec<Judged>, GitReadError> {
        let mut judged = Vec::new();
        let mut trees = Vec::new();
        for (task, said) in &step.says {
            match self.proven_tree(task, *said) {
                Ok(tree) => trees.push((task.clone(), tree)),
                Err(state) => judged.push(Judged { task: task.clone(), state }),
            }
        }
        let all: Vec<&Tree> = trees.iter().map(|(_, tree)| tree).collect();
        for (task, tree) in &trees {
            let state = match self.judge(step, tree, &all)? {
                // The trailers of a task say which commit brought its change.
                State::Exact | State::Moved if self.is_empty(step, tree)? => State::Empty,
                state => state,
            };
            judged.push(Judged { task: task.clone(), state });
        }
        Ok(judged)
    }

    /// Whether `step` changes no code, and `tree` does.
    fn is_empty(&self, step: &Step, tree: &Tree) -> Result<bool, GitReadError> {
        let Some(parent) = step.commit.parents.first() else { return Ok(false) };
        match self.git.commit(*parent) {
            Ok(parent) => Ok(!tree.changes.is_empty()
                && self.code_changes(Some(parent.tree), step.commit.tree)?.is_empty()),
            Err(GitReadError::Missing { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Judges `step` as the work of `task`, whatever it says of itself.
    pub(super) fn against(&mut self, step: &Step, task: &TaskId) -> Result<State, GitReadError> {
        match self.proven_tree(task, None) {
            Ok(tree) => self.judge(step, &tree, &[&tree]),
            Err(state) => Ok(state),
        }
    }

    /// Whether the files of `step` are exactly what `task` proved, with every file read.
    pub(super) fn is_whole(&mut self, step: &Step, task: &TaskId) -> Result<bool, GitReadError> {
        match self.proven_tree(task, None) {
            Ok(tree) => self.is_exact(step, &tree, Reading::Whole),
            Err(_) => Ok(false),
        }
    }

    fn proven_tree(&self, task: &TaskId, said: Option<Digest>) -> Result<Tree, State> {
        if self.records.faulty.contains(task.stream()) {
            return Err(State::Faulty);
        }
        let gate = match self.records.gates.get(task) {
            Some(Some(gate)) => gate,
            Some(None) => return Err(State::NoGate),
            None => return Err(State::NoRecords),
        };
        if said.is_some_and(|said| said != gate.tree) {
            return Err(State::OtherTree);
        }
        let text = (self.records.blob)(&gate.tree).ok_or(State::NoTree)?;
        serde_json::from_slice(&text).map_err(|_| State::NoTree)
    }

    fn judge(&mut self, step: &Step, tree: &Tree, beside: &[&Tree]) -> Result<State, GitReadError> {
        if self.is_exact(step, tree, Reading::ByName)? {
            let links = self.links_into_records(step.commit.tree)?;
            return Ok(if links.is_empty() { State::Exact } else { State::Linked { links } });
        }
        // In a squashed commit a later task may have changed a file again.
        let mut allowed: BTreeMap<&String, Vec<Option<Leaf>>> = BTreeMap::new();
        for (path, leaf) in beside.iter().flat_map(|tree| &tree.changes) {
            allowed.entry(path).or_default().push(*leaf);
        }
        let mut files = BTreeSet::new();
        for (path, leaves) in &allowed {
            let now = self.git.entry(step.commit.tree, path)?;
            let now = now.filter(|it| it.kind != EntryKind::Tree);
            let is_kept = match now {
                Some(file) => {
                    let now = self.leaf(file)?;
                    now.is_some() && leaves.contains(&now)
                }
                None => leaves.contains(&None),
            };
            if !is_kept {
                files.insert((*path).clone());
            }
        }
        let before = match step.commit.parents.first() {
            None => None,
            Some(parent) => match self.git.commit(*parent) {
                Ok(parent) => Some(parent.tree),
                Err(GitReadError::Missing { .. }) if files.is_empty() => return Ok(State::Cut),
                Err(GitReadError::Missing { .. }) => {
                    return Ok(State::Altered { files: files.into_iter().collect() });
                }
                Err(error) => return Err(error),
            },
        };
        let is_whole = files.is_empty();
        let changed = self.code_changes(before, step.commit.tree)?.into_keys();
        files.extend(changed.filter(|path| !allowed.contains_key(path)));
        let is_start_here =
            Oid::from_hex(tree.commit.as_bytes()).is_ok_and(|start| self.git.commit(start).is_ok());
        Ok(if files.is_empty() {
            State::Moved
        } else if is_whole && !is_start_here {
            // What came between the start of the work and this commit cannot be told from a change of it.
            State::Cut
        } else {
            State::Altered { files: files.into_iter().collect() }
        })
    }

    fn is_exact(
        &mut self,
        step: &Step,
        tree: &Tree,
        reading: Reading,
    ) -> Result<bool, GitReadError> {
        let started = Oid::from_hex(tree.commit.as_bytes()).ok();
        let starts: BTreeSet<Oid> =
            step.commit.parents.first().copied().into_iter().chain(started).collect();
        for start in starts {
            let start = match self.git.commit(start) {
                Ok(start) => start,
                Err(GitReadError::Missing { .. }) => continue,
                Err(error) => return Err(error),
            };
            if !self.is_changed_as(start.tree, step.commit.tree, tree)? {
                continue;
            }
            let is_named = reading == Reading::ByName && Some(start.id) == started;
            if is_named || digest_of_leaves(&self.leaves(start.tree)?) == tree.base {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What differs between two folders without the records of the project.
    pub(super) fn code_changes(
        &self,
        before: Option<Oid>,
        now: Oid,
    ) -> Result<Changes, GitReadError> {
        let mut changed = self.git.changed(before, Some(now))?;
        changed.retain(|path, (_, now)| !self.is_no_code(path, *now));
        Ok(changed)
    }

    /// Whether a file that changed is a record: by its name, as a plain file or as one that was removed, and as a view
    /// only of a task whose records are here.
    fn is_no_code(&self, path: &str, now: Option<File>) -> bool {
        let has_records = |task: &TaskId| self.records.gates.contains_key(task);
        now.is_none_or(|file| file.kind == EntryKind::Blob)
            && is_record(self.git.below(), path, &has_records)
    }

    /// The links below a folder that lead into records. What is behind them counts nowhere as code.
    fn links_into_records(&mut self, tree: Oid) -> Result<Vec<String>, GitReadError> {
        if let Some(known) = self.links.get(&tree) {
            return Ok(known.clone());
        }
        let mut found = Vec::new();
        for (name, file) in self.git.folder(tree)? {
            match file.kind {
                EntryKind::Tree => {
                    let below = self.links_into_records(file.id)?;
                    found.extend(below.iter().map(|path| format!("{name}/{path}")));
                }
                EntryKind::Link if leads_into_records(&self.git.content(file.id)?) => {
                    found.push(name);
                }
                _ => {}
            }
        }
        self.links.insert(tree, found.clone());
        Ok(found)
    }

    /// Whether the files that differ between two folders are those of `tree`, with their content.
    fn is_changed_as(&mut self, before: Oid, now: Oid, tree: &Tree) -> Result<bool, GitReadError> {
        let changed = self.code_changes(Some(before), now)?;
        if changed.len() != tree.changes.len() {
            return Ok(false);
        }
        for (path, (_, now)) in changed {
            let Some(proven) = tree.changes.get(&path) else { return Ok(false) };
            let now = match now {
                Some(file) => match self.leaf(file)? {
                    None => return Ok(false),
                    leaf => leaf,
                },
                None => None,
            };
            if now != *proven {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// All files of a folder as the records have them: without submodules and without records.
    fn leaves(&mut self, tree: Oid) -> Result<Leaves, GitReadError> {
        let mut leaves = Leaves::new();
        for (path, file) in self.git.files(tree)? {
            if path.split('/').any(|part| part == RECORDS) {
                continue;
            }
            if let Some(leaf) = self.leaf(file)? {
                leaves.insert(path, leaf);
            }
        }
        Ok(leaves)
    }

    /// `None` for a submodule, which has no content here.
    fn leaf(&mut self, file: File) -> Result<Option<Leaf>, GitReadError> {
        let kind = match file.kind {
            EntryKind::Blob => LeafKind::Plain,
            EntryKind::BlobExecutable => LeafKind::Executable,
            EntryKind::Link => LeafKind::Link,
            EntryKind::Commit | EntryKind::Tree => return Ok(None),
        };
        let (content, bytes) = match self.contents.get(&file.id) {
            Some(known) => *known,
            None => {
                let content = self.git.content(file.id)?;
                let known = (Digest::of(&content), content.len() as u64);
                self.contents.insert(file.id, known);
                known
            }
        };
        Ok(Some(Leaf { content, bytes, kind }))
    }
}

/// Whether the target of a link has the folder of records in it.
fn leads_into_records(target: &[u8]) -> bool {
    target.split(|byte| *byte == b'/').any(|part| part.eq_ignore_ascii_case(RECORDS.as_bytes()))
}

/// Whether `path` is one of the records of the project in the folder `below`. Everything else, such as a template of
/// what roles are told, or a view of a task that has no records, counts as code.
fn is_record(below: &str, path: &str, has_records: &dyn Fn(&TaskId) -> bool) -> bool {
    let inside = path.strip_prefix(below).and_then(|path| path.strip_prefix(RECORDS));
    let Some(name) = inside.and_then(|path| path.strip_prefix('/')) else { return false };
    let (first, rest) = name.split_once('/').unwrap_or((name, ""));
    let Some((_, endings)) = RECORD_FILES.iter().find(|(folder, _)| *folder == first) else {
        return false;
    };
    let is_blob = || {
        let hex = rest.strip_prefix("blobs/").and_then(|rest| rest.strip_prefix("sha256/"));
        hex.is_some_and(|hex| hex.bytes().all(|it| it.is_ascii_hexdigit() || it == b'/'))
    };
    match first {
        "proofs" => ProofFile::task_of(rest).is_some(),
        "tasks" if is_view(rest) => {
            let task = rest.split('/').next().and_then(|name| TaskId::new(name).ok());
            task.is_some_and(|task| has_records(&task))
        }
        "store" if is_blob() => true,
        _ if rest.is_empty() => endings.is_empty(),
        _ => endings.iter().any(|ending| rest.ends_with(ending)),
    }
}

/// Whether a path below `tasks` is in the folder of a task, and not one of the lists beside the folders.
fn is_view(rest: &str) -> bool {
    rest.contains('/')
}

/// What is wrong with a commit in the history, if anything is.
pub(super) fn finding(proven: &Proven, state: &State) -> Option<Found> {
    let Proven { task, commit } = proven;
    let short = commit.to_hex_with_len(SHORT);
    let (finding, hint) = match state {
        State::Exact | State::Moved | State::Faulty | State::Cut => return None,
        State::Altered { files } => (
            format!("commit {short} says it is {task}, but {} not what {task} proved", are(files)),
            format!(
                "compare with `git diff {} {short}`; if the change is meant, commit it by itself",
                task.branch()
            ),
        ),
        State::Empty => (
            format!("commit {short} says it is {task}, and changes nothing"),
            format!("the commit of {task} is another one; take the trailers out of this one"),
        ),
        State::Linked { links } => (
            format!(
                "commit {short}: the code of {task} has links into `{RECORDS}`, which no gate saw: {}",
                named(links)
            ),
            "put the file that the link leads to in its place".to_owned(),
        ),
        State::OtherTree => (
            format!("commit {short} names a tree that {task} did not prove"),
            format!("compare with `git diff {} {short}`", task.branch()),
        ),
        State::NoGate => (
            format!("commit {short} says it is {task}, whose last gate was never opened"),
            format!("`sealwright show {task}` says how it stands"),
        ),
        State::NoRecords => (
            format!("commit {short} says it is {task}, and there are no records of {task}"),
            format!(
                "restore `.sealwright/journal/{task}` or `.sealwright/proofs/{task}.jsonl` from git or a backup"
            ),
        ),
        State::NoTree => (
            format!("commit {short}: the list of files that {task} proved is not in the store"),
            "restore `.sealwright/store/blobs` from git or a backup".to_owned(),
        ),
    };
    Some(about_commit(proven, finding, hint))
}

/// What is wrong with the branch of a shipped task, if anything is.
pub(super) fn branch_finding(proven: &Proven, state: &State) -> Option<Found> {
    let Proven { task, commit } = proven;
    let (branch, short) = (task.branch(), commit.to_hex_with_len(SHORT));
    let finding = match state {
        State::Exact | State::Faulty | State::Cut => return None,
        State::Altered { files } => {
            format!("branch {branch} is at {short}, where {} not what {task} proved", are(files))
        }
        State::Moved => format!("branch {branch} is at {short}, which has other files below it"),
        state => return finding(proven, state),
    };
    let hint = format!(
        "`git reflog {branch}` lists where it was; `sealwright restore {task}` brings back what was proven"
    );
    Some(about_commit(proven, finding, hint))
}

fn about_commit(proven: &Proven, finding: String, hint: String) -> Found {
    Found {
        object: format!("commit {}", proven.commit),
        stream: Some(proven.task.stream().clone()),
        seq: None,
        finding,
        hint,
    }
}

fn named(files: &[String]) -> String {
    match files {
        [] => "none".to_owned(),
        [one] => format!("`{one}`"),
        [one, more @ ..] => format!("`{one}` and {} more", more.len()),
    }
}

fn are(files: &[String]) -> String {
    match files {
        [] => "its files are".to_owned(),
        [one] => format!("`{one}` is"),
        [one, two] => format!("`{one}` and `{two}` are"),
        [one, two, more @ ..] => format!("`{one}`, `{two}` and {} more are", more.len()),
    }
}

/// The folder of records in a repository.
pub(super) const RECORDS: &str = ".sealwright";
/// What Sealwright writes, and how the names of it end. Anything else in those folders counts as code.
const RECORD_FILES: &[(&str, &[&str])] = &[
    (".gitattributes", &[]),
    (".gitignore", &[]),
    ("handedits", &[".md", ".html"]),
    ("journal", &[".jsonl"]),
    ("keys", &[".pub", ".retired"]),
    ("pipeline", &[".md", ".json"]),
    ("product", &[".md", ".json"]),
    ("proofs", &[".jsonl"]),
    ("store", &[".json"]),
    ("tasks", &[".md", ".html"]),
];
pub(crate) const SHORT: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_no_code_and_templates_are() {
        let known = |task: &TaskId| task.as_str() == "T-a-001";
        let is_record = |below: &str, path: &str| is_record(below, path, &known);
        assert!(is_record("", ".sealwright/proofs/T-a-001.jsonl"));
        assert!(is_record("svc/", "svc/.sealwright/journal/project/1.jsonl"));
        assert!(is_record("", ".sealwright/store/blobs/sha256/0a/1b2c"));
        assert!(is_record("", ".sealwright/tasks/T-a-001/evidence.html"));
        assert!(is_record("", ".sealwright/.gitignore"));
        for hidden in [
            "proofs/pkg/__init__.py",
            "tasks/run.sh",
            "tasks/T-b-001/TASK.md",
            "tasks/x/TASK.md",
            "store/blobs/sha256/x.py",
        ] {
            assert!(!is_record("", &format!(".sealwright/{hidden}")), "{hidden}");
        }
        for code in
            [".sealwright/briefs/edit.md", ".sealwright", "src/.sealwright/journal/x.py", "a.py"]
        {
            assert!(!is_record("", code), "{code}");
        }
        assert!(!is_record("svc/", ".sealwright/journal/x"));
    }

    #[test]
    fn a_link_into_records_is_seen_however_it_is_written() {
        for target in [".sealwright/tasks/x/log.md", "../.Sealwright", "/a/.sealwright/b"] {
            assert!(leads_into_records(target.as_bytes()), "{target}");
        }
        assert!(!leads_into_records(b"../sealwright/.sealwright.toml"));
    }
}
