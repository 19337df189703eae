use std::process::Command;

use super::*;
use sealwright_store::Layout;

#[tokio::test]
async fn a_tree_is_a_commit_and_what_differs_and_comes_back_as_it_was() {
    let lab = Lab::new();
    let base = lab.trees.base("HEAD").unwrap();
    let paths: Vec<_> = base.leaves().keys().map(String::as_str).collect();
    assert_eq!(paths, ["a.txt", "bin/run", "link"]);

    let tree = lab.trees.start(&base);
    let files = [("a.txt".to_owned(), b"two\n".to_vec()), ("new/b.txt".to_owned(), b"b".to_vec())];
    let (next, blobs) = lab.trees.after(&base, &tree, &plain(files)).await.unwrap();
    assert_eq!((next.changes.len(), blobs.len()), (2, 2));
    let kept = lab.trees.keep(&next).await.unwrap();
    assert_eq!(kept.sha256, next.digest());
    assert_eq!(lab.trees.get(next.digest()).await.unwrap(), next);

    let into = lab.folder.path().join("out");
    lab.trees.write(&base, &next, &into).await.unwrap();
    assert_eq!(std::fs::read(into.join("a.txt")).unwrap(), b"two\n");
    assert_eq!(std::fs::read(into.join("new/b.txt")).unwrap(), b"b");
    assert_eq!(std::fs::read_link(into.join("link")).unwrap(), Path::new("a.txt"));
    let is_changed = |path: &&str| next.leaf(&base, path) != tree.leaf(&base, path);
    let changed: Vec<_> = next.paths(&base, &tree).into_iter().filter(is_changed).collect();
    assert_eq!(changed, ["a.txt", "new/b.txt"]);
}

#[tokio::test]
async fn a_change_that_is_taken_back_is_no_change() {
    let lab = Lab::new();
    let base = lab.trees.base("HEAD").unwrap();
    let tree = lab.trees.start(&base);
    let set = async |tree: &Tree, text: &str| {
        let files = plain([("a.txt".to_owned(), text.as_bytes().to_vec())]);
        lab.trees.after(&base, tree, &files).await.unwrap().0
    };
    let there = set(&tree, "two\n").await;
    assert_ne!(there.digest(), tree.digest());
    assert_eq!(set(&there, "one\n").await.digest(), tree.digest());
}

#[tokio::test]
async fn a_base_that_was_changed_on_disk_is_not_used() {
    let lab = Lab::new();
    let base = lab.trees.base("HEAD").unwrap();
    std::fs::write(base.folder().join("a.txt"), "hers").unwrap();
    let tree = lab.trees.start(&base);
    let read = lab.trees.read(&base, &tree, "a.txt").await;
    assert!(matches!(read, Err(TreeError::Changed { .. })), "{read:?}");
    // A folder in use is not rebuilt. Once it is free, it is.
    assert!(matches!(lab.trees.base("HEAD"), Err(TreeError::Changed { .. })));
    drop(base);
    let again = lab.trees.base("HEAD").unwrap();
    assert_eq!(lab.trees.read(&again, &tree, "a.txt").await.unwrap().unwrap(), b"one\n");
}

#[test]
fn tasks_that_begin_at_one_commit_share_its_folder_and_unused_ones_are_reclaimed() {
    let lab = Lab::new();
    let first = lab.trees.base("HEAD").unwrap();
    let inode =
        |base: &Base| std::os::unix::fs::MetadataExt::ino(&base.folder().metadata().unwrap());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(inode(&lab.trees.base("HEAD").unwrap()), inode(&first)));
        }
    });
    let folders = || {
        let names = std::fs::read_dir(first.folder().parent().unwrap()).unwrap().flatten();
        names.filter(|entry| entry.file_type().unwrap().is_dir()).count()
    };
    for nth in 0..6 {
        lab.commit(&format!("{nth}\n"));
        lab.trees.base("HEAD").unwrap();
    }
    // The first is in use, the last was opened last, and three more are kept for the next task.
    assert!(first.folder().is_dir());
    assert!(folders() <= 5, "{} folders", folders());
}

#[test]
fn a_base_is_made_once_by_many_at_a_time() {
    let lab = Lab::new();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(lab.trees.base("HEAD").unwrap().leaves().len(), 3));
        }
    });
}

#[test]
fn a_commit_is_made_beside_what_is_checked_out() {
    use crate::git::commits::{Changed, NewCommit, branch, write};
    let lab = Lab::new();
    let repository = lab.folder.path().join("repository");
    std::fs::write(repository.join("a.txt"), "a person's own").unwrap();
    let before = lab.git(&["status", "--porcelain"]);
    let parent = objects::commit(&repository, "HEAD").unwrap();
    let changes = [
        Changed { path: "a.txt", now: Some((LeafKind::Plain, b"three\n")) },
        Changed { path: "bin/run", now: None },
    ];
    let new =
        NewCommit { parent: &parent, changes: &changes, message: "it\n", at_s: 1_700_000_000 };
    let scratch = lab.folder.path();
    let commit = write(&repository, scratch, &new).unwrap();
    assert_eq!(write(&repository, scratch, &new).unwrap(), commit);
    branch(&repository, "sealwright/it", &commit).unwrap();
    branch(&repository, "sealwright/it", &commit).unwrap();
    assert!(branch(&repository, "sealwright/it", &parent).is_err());

    assert_eq!(lab.git(&["status", "--porcelain"]), before);
    assert_eq!(lab.git(&["show", "sealwright/it:a.txt"]), "three\n");
    assert_eq!(lab.git(&["ls-tree", "-r", "--name-only", "sealwright/it"]), "a.txt\nlink\n");
    assert_eq!(std::fs::read(repository.join("a.txt")).unwrap(), b"a person's own");
}

/// An index that is split and has no hash is written out as the empty tree; see `git help config`, `index.skipHash`.
#[tokio::test]
async fn settings_of_an_index_do_not_change_what_is_written() {
    let lab = Lab::new();
    for (name, value) in [
        ("core.splitIndex", "true"),
        ("index.skipHash", "true"),
        ("feature.manyFiles", "true"),
        ("core.sparseCheckout", "true"),
        ("index.sparse", "true"),
        ("splitIndex.maxPercentChange", "0"),
    ] {
        lab.git(&["config", name, value]);
    }
    let (tree, scratch) = (lab.changed().await, lab.folder.path().join("scratch"));
    let beside = [("proof.jsonl".to_owned(), b"{}".to_vec())];
    let commit = lab.trees.commit(&tree, &beside, &scratch, "it", 1).await.unwrap();
    assert_eq!(
        lab.git(&["ls-tree", "-r", "--name-only", &commit]),
        "a.txt\nbin/run\nlink\nproof.jsonl\n"
    );
    assert!(lab.trees.is_at(&tree, "proof.jsonl", &commit).unwrap());
    // The file that may be beside it is that one.
    assert!(!lab.trees.is_at(&tree, "other.jsonl", &commit).unwrap());
}

/// Git does not write an object that seems to be there. What the commit then holds is read, and is another file.
#[tokio::test]
async fn a_commit_that_is_not_the_tree_is_an_error_that_names_the_first_file() {
    let lab = Lab::new();
    let tree = lab.changed().await;
    let objects = lab.folder.path().join("repository/.git/objects");
    let object = |text: &str| {
        let file = lab.folder.path().join("text");
        std::fs::write(&file, text).unwrap();
        let id = lab.git(&["hash-object", "-w", file.to_str().unwrap()]);
        objects.join(&id[..2]).join(id[2..].trim())
    };
    let (proven, other) = (object("two\n"), object("owt\n"));
    std::fs::remove_file(&proven).unwrap();
    std::fs::copy(other, &proven).unwrap();
    let scratch = lab.folder.path().join("scratch");
    let written = lab.trees.commit(&tree, &[], &scratch, "it", 1).await;
    let Err(TreeError::Differs { path, .. }) = written else { panic!("{written:?}") };
    assert_eq!(path, "a.txt");
}

/// Modes and files that nobody named count as well.
#[tokio::test]
async fn a_commit_with_one_more_file_or_another_mode_is_not_the_tree() {
    let lab = Lab::new();
    let repository = lab.folder.path().join("repository");
    let base = lab.trees.base("HEAD").unwrap();
    let tree = lab.trees.start(&base);
    let head = || lab.git(&["rev-parse", "HEAD"]).trim().to_owned();
    assert!(lab.trees.is_at(&tree, "p", &head()).unwrap());
    for change in [
        &["update-index", "--chmod=+x", "a.txt"][..],
        &[
            "update-index",
            "--add",
            "--cacheinfo",
            "160000,1111111111111111111111111111111111111111,sub",
        ],
        &[
            "update-index",
            "--add",
            "--cacheinfo",
            "100644,e69de29bb2d1d6434b8b29ae775ad8c2e48c5391,.sealwright/tasks/x/log.md",
        ],
    ] {
        std::fs::write(repository.join("empty"), "").unwrap();
        lab.git(&["hash-object", "-w", "empty"]);
        lab.git(change);
        lab.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "more"]);
        assert!(!lab.trees.is_at(&tree, "p", &head()).unwrap(), "{change:?}");
        lab.git(&["reset", "-q", "HEAD~1"]);
    }
}

#[test]
fn a_link_into_records_is_named() {
    let lab = Lab::new();
    let repository = lab.folder.path().join("repository");
    assert_eq!(lab.trees.link_into_records("HEAD").unwrap(), None);
    let target = "../.sealwright/tasks/x/log.md";
    std::os::unix::fs::symlink(target, repository.join("bin/code.py")).unwrap();
    lab.commit("two\n");
    assert_eq!(lab.trees.link_into_records("HEAD").unwrap().as_deref(), Some("bin/code.py"));
}

struct Lab {
    folder: tempfile::TempDir,
    trees: Trees,
}

impl Lab {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let repository = folder.path().join("repository");
        std::fs::create_dir_all(repository.join("bin")).unwrap();
        std::fs::write(repository.join("a.txt"), "one\n").unwrap();
        std::fs::write(repository.join("bin/run"), "#!/bin/sh\n").unwrap();
        std::os::unix::fs::symlink("a.txt", repository.join("link")).unwrap();
        let layout = Layout::new(folder.path().join("sealwright"));
        let blobs = Blobs::local(&layout).unwrap();
        let trees = Trees::new(&repository, &folder.path().join("trees"), blobs);
        let lab = Self { folder, trees };
        lab.git(&["init", "-q"]);
        lab.commit("one\n");
        lab
    }

    /// The first commit with another text in `a.txt`.
    async fn changed(&self) -> Tree {
        let base = self.trees.base("HEAD").unwrap();
        let files = plain([("a.txt".to_owned(), b"two\n".to_vec())]);
        self.trees.after(&base, &self.trees.start(&base), &files).await.unwrap().0
    }

    fn commit(&self, text: &str) {
        std::fs::write(self.folder.path().join("repository/a.txt"), text).unwrap();
        self.git(&["add", "."]);
        self.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"]);
    }

    #[expect(clippy::disallowed_methods, reason = "a repository for a test")]
    fn git(&self, words: &[&str]) -> String {
        let repository = self.folder.path().join("repository");
        let output = Command::new("git").args(words).current_dir(repository).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

/// Plain files with these contents.
fn plain<const N: usize>(files: [(String, Vec<u8>); N]) -> Changes {
    files.map(|(path, content)| (path, Some((LeafKind::Plain, content)))).into()
}
