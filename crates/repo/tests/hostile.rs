//! Repositories whose own folder names programs. Real `git` reads them; the programs leave a mark if they start.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use sealwright_repo::git::{commits, history, join, objects, patches, uncommitted};
use sealwright_repo::{hooks_of, remote, user_name};

#[test]
fn a_repository_starts_no_program_by_what_its_own_folder_says() {
    let lab = Lab::new();
    lab.set_traps(&lab.repository());
    // A change that git has to look into, and one that it writes.
    fs::write(lab.repository().join("a.txt"), "two\n").unwrap();
    ask_everything(&lab);
    assert_eq!(lab.started(), Vec::<String>::new());

    // The traps work: git by itself falls into them.
    fs::write(lab.repository().join("a.txt"), "three\n").unwrap();
    git(&lab.repository(), &["add", "a.txt"]);
    let started = lab.started();
    for name in ["clean", "fsmonitor"] {
        assert!(started.contains(&name.to_owned()), "{name} of {started:?}");
    }
}

#[test]
fn a_filter_that_has_to_work_is_passed_by() {
    let lab = Lab::new();
    git(&lab.repository(), &["config", "filter.trap.required", "true"]);
    git(&lab.repository(), &["config", "filter.trap.process", &lab.trap("process")]);
    fs::write(lab.repository().join("a.txt"), "two\n").unwrap();
    ask_everything(&lab);
    assert_eq!(lab.started(), Vec::<String>::new());
    let written = git(&lab.repository(), &["show", "taken:a.txt"]);
    assert_eq!(String::from_utf8_lossy(&written.stdout), "two\n");
}

#[test]
fn two_commits_are_joined_without_a_driver_of_the_repository() {
    let lab = Lab::new();
    let repository = &lab.repository();
    let base = objects::commit(repository, "HEAD").unwrap();
    let with = |text: &str| {
        git(repository, &["checkout", "-q", &base]);
        fs::write(repository.join("a.txt"), text).unwrap();
        git(repository, &["commit", "-qam", text]);
        objects::commit(repository, "HEAD").unwrap()
    };
    let (ours, theirs) = (with("ours\n"), with("theirs\n"));
    git(repository, &["config", "merge.trap.driver", &lab.trap("merge")]);
    fs::write(repository.join(".git/info/attributes"), "* merge=trap\n").unwrap();
    let joined = join::join(repository, (&ours, &theirs), "both", 1).unwrap();
    assert_eq!(joined, join::Joined::Conflict { paths: vec!["a.txt".to_owned()] });
    assert_eq!(lab.started(), Vec::<String>::new());
    git(repository, &["merge-tree", "--write-tree", &ours, &theirs]);
    assert_eq!(lab.started(), ["merge"]);
}

#[test]
fn a_submodule_starts_no_program_either() {
    let lab = Lab::new();
    let inner = lab.repository().join("inner");
    make(&inner);
    git(&lab.repository(), &["add", "inner"]);
    git(&lab.repository(), &["commit", "-qm", "with a submodule"]);
    lab.set_traps(&inner);
    fs::write(inner.join("a.txt"), "two\n").unwrap();
    fs::write(lab.repository().join("a.txt"), "two\n").unwrap();
    ask_everything(&lab);
    assert_eq!(lab.started(), Vec::<String>::new());
    git(&lab.repository(), &["status", "--porcelain"]);
    assert!(!lab.started().is_empty(), "git by itself looks into a submodule");
}

#[test]
fn a_folder_that_looks_like_a_repository_is_none() {
    let lab = Lab::new();
    let planted = lab.repository().join("planted");
    fs::create_dir(&planted).unwrap();
    git(&planted, &["init", "-q", "--bare"]);
    git(&planted, &["config", "core.fsmonitor", &lab.trap("planted")]);
    let why = objects::commit(&planted, "HEAD").unwrap_err().to_string();
    assert!(why.contains("safe.bareRepository"), "{why}");
    assert!(uncommitted::uncommitted(&planted, "sealwright.toml").is_err());
    assert_eq!(lab.started(), Vec::<String>::new());
}

#[test]
fn an_object_that_is_not_there_is_not_fetched() {
    let lab = Lab::new();
    let repository = lab.repository();
    let head = objects::commit(&repository, "HEAD").unwrap();
    let entries = objects::entries(&repository, &head).unwrap();
    let gone = entries.iter().find(|entry| entry.path == "a.txt").unwrap();
    let (folder, name) = gone.object().split_at(2);
    fs::remove_file(repository.join(".git/objects").join(folder).join(name)).unwrap();
    let address = format!("ext::{} %S", lab.trap("fetch"));
    for (name, value) in [
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", &address),
        ("protocol.ext.allow", "always"),
    ] {
        git(&repository, &["config", name, value]);
    }
    let mut contents = objects::Contents::open(&repository).unwrap();
    assert!(contents.read(gone, 1 << 20).is_err());
    assert_eq!(lab.started(), Vec::<String>::new());
    git(&repository, &["show", "HEAD:a.txt"]);
    assert_eq!(lab.started(), ["fetch"]);
}

/// Everything that is asked of git about a person's repository.
fn ask_everything(lab: &Lab) {
    let repository = &lab.repository();
    let head = objects::commit(repository, "HEAD").unwrap();
    let entries = objects::entries(repository, &head).unwrap();
    let mut contents = objects::Contents::open(repository).unwrap();
    for entry in &entries {
        contents.read(entry, 1 << 20).unwrap();
    }
    history::steps(repository, 10, None).unwrap();
    history::top(repository).unwrap();
    uncommitted::uncommitted(repository, "sealwright.toml").unwrap();
    uncommitted::unmerged(repository).unwrap();
    let taken = uncommitted::taken_along(repository, lab.folder.path(), 1).unwrap();
    uncommitted::taken_files(repository, &taken).unwrap();
    commits::branch(repository, "taken", &taken).unwrap();
    patches::since(repository, &head, "taken").unwrap();
    join::has(repository, &taken, &head).unwrap();
    remote::has_branch(repository, "main").unwrap();
    user_name(repository).unwrap();
    // Refused where the folder of the hooks is elsewhere.
    let _ = hooks_of(repository);
}

struct Lab {
    folder: tempfile::TempDir,
}

impl Lab {
    fn new() -> Self {
        let lab = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(lab.marks()).unwrap();
        make(&lab.repository());
        lab
    }

    fn repository(&self) -> PathBuf {
        self.folder.path().join("repository")
    }

    fn marks(&self) -> PathBuf {
        self.folder.path().join("marks")
    }

    /// The programs that were started.
    fn started(&self) -> Vec<String> {
        let names = fs::read_dir(self.marks()).unwrap();
        let mut names: Vec<_> =
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// A program that leaves a mark of this name, and passes on what it reads.
    fn trap(&self, name: &str) -> String {
        let path = self.folder.path().join(format!("trap-{name}"));
        let mark = self.marks().join(name);
        fs::write(&path, format!("#!/bin/sh\ntouch {}\nexec timeout 2 cat\n", mark.display()))
            .unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    }

    /// Names programs wherever a repository can.
    fn set_traps(&self, repository: &Path) {
        for (name, trap) in [
            ("filter.trap.clean", "clean"),
            ("filter.trap.smudge", "smudge"),
            ("core.pager", "pager"),
            ("core.editor", "editor"),
            ("core.sshCommand", "ssh"),
            ("core.askPass", "askpass"),
            ("credential.helper", "credential"),
            ("diff.external", "diff"),
            ("diff.trap.command", "diff-command"),
            ("diff.trap.textconv", "textconv"),
            ("merge.trap.driver", "merge"),
            ("gpg.program", "gpg"),
            ("sequence.editor", "sequence"),
            ("pager.log", "pager-log"),
            ("core.fsmonitor", "fsmonitor"),
        ] {
            git(repository, &["config", name, &self.trap(trap)]);
        }
        for (name, value) in
            [("commit.gpgSign", "true"), ("log.showSignature", "true"), ("alias.status", "!false")]
        {
            git(repository, &["config", name, value]);
        }
        let hooks = repository.join(".git/hooks");
        fs::create_dir_all(&hooks).unwrap();
        for hook in ["reference-transaction", "post-index-change", "pre-commit", "post-commit"] {
            fs::copy(self.trap(hook), hooks.join(hook)).unwrap();
        }
    }
}

fn make(repository: &Path) {
    fs::create_dir_all(repository).unwrap();
    git(repository, &["init", "-q", "-b", "main"]);
    git(repository, &["config", "user.name", "a"]);
    git(repository, &["config", "user.email", "a@b"]);
    fs::write(repository.join("a.txt"), "one\n").unwrap();
    fs::write(repository.join(".gitattributes"), "* filter=trap diff=trap merge=trap\n").unwrap();
    git(repository, &["add", "a.txt", ".gitattributes"]);
    git(repository, &["commit", "-qm", "one"]);
}

/// As a person's own git would do it. It may fail: some traps stand in its way.
#[expect(clippy::disallowed_methods, reason = "a repository for a test")]
fn git(repository: &Path, words: &[&str]) -> Output {
    Command::new("git").args(words).current_dir(repository).output().unwrap()
}
