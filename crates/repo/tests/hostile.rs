//! Repositories whose own folder names programs. Real `git` reads them; the programs leave a mark if they start.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use sealwright_repo::git::{commits, history, join, objects, patches, uncommitted};
use sealwright_repo::{hooks_of, user_name};

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

#[test]
fn a_filter_whose_name_is_no_text_is_none_either() {
    use std::io::Write as _;
    let lab = Lab::new();
    let named = |text: &str| [text.as_bytes(), b"\xff\xfe"].concat();
    let append = |path: &str, bytes: &[u8]| {
        let file = fs::File::options().create(true).append(true).open(lab.repository().join(path));
        file.unwrap().write_all(bytes).unwrap();
    };
    let section = [named("[filter \""), format!("\"]\n\tclean = {}\n", lab.trap("clean")).into()];
    append(".git/config", &section.concat());
    append(".git/info/attributes", &[named("* filter="), b"\n".to_vec()].concat());
    fs::write(lab.repository().join("a.txt"), "two\n").unwrap();
    ask_everything(&lab);
    assert_eq!(lab.started(), Vec::<String>::new());
    fs::write(lab.repository().join("a.txt"), "three\n").unwrap();
    git(&lab.repository(), &["add", "a.txt"]);
    assert_eq!(lab.started(), ["clean"], "git by itself starts it");
}

#[test]
fn a_folder_of_hooks_that_is_a_link_is_not_written_to() {
    let lab = Lab::new();
    assert!(hooks_of(&lab.repository()).is_ok());
    let hooks = lab.repository().join(".git/hooks");
    let _ = fs::remove_dir_all(&hooks);
    std::os::unix::fs::symlink(lab.folder.path(), &hooks).unwrap();
    let error = hooks_of(&lab.repository()).unwrap_err().to_string();
    assert!(error.contains("is a link"), "{error}");
}

#[test]
fn a_tree_that_no_folder_can_hold_is_refused() {
    let lab = Lab::new();
    let head = objects::commit(&lab.repository(), "HEAD").unwrap();
    let entries = objects::entries(&lab.repository(), &head).unwrap();
    let blob = entries[0].object().to_owned();
    let inner = lab.tree(&[("100644", "escaped.py", &blob)]);
    for (tree, why) in [
        // What is written below a link is written where it leads to.
        (lab.tree(&[("120000", "out", &blob), ("40000", "out", &inner)]), "`out` as a file"),
        (lab.tree(&[("120000", "out", &blob), ("100644", "out/x.py", &blob)]), "`out` as a file"),
        (lab.tree(&[("100644", "a", &blob), ("120000", "a", &blob)]), "two files of the same name"),
        (lab.tree(&[("40000", "..", &inner)]), "`../escaped.py`"),
        (lab.tree(&[("40000", ".GIT", &inner)]), "`.GIT/escaped.py`"),
        (lab.tree(&[("40000", "", &inner)]), "empty filename"),
    ] {
        let commit = lab.commit_of(&tree);
        let error = objects::entries(&lab.repository(), &commit).unwrap_err().to_string();
        assert!(error.contains(why), "{why}: {error}");
    }
}

#[test]
fn a_tree_that_names_more_files_than_there_is_room_for_is_refused_soon() {
    let lab = Lab::new();
    let head = objects::commit(&lab.repository(), "HEAD").unwrap();
    let blob = objects::entries(&lab.repository(), &head).unwrap()[0].object().to_owned();
    let names: Vec<String> = (0..10).map(|nth| format!("f{nth}")).collect();
    let (mut mode, mut object) = ("100644", blob);
    for _ in 0..10 {
        let parts: Vec<_> =
            names.iter().map(|name| (mode, name.as_str(), object.as_str())).collect();
        object = lab.tree(&parts);
        mode = "40000";
    }
    let commit = lab.commit_of(&object);
    let error = objects::entries(&lab.repository(), &commit).unwrap_err().to_string();
    assert!(error.contains("it printed too much"), "{error}");
    git(&lab.repository(), &["update-ref", "HEAD", &commit]);
    assert!(uncommitted::uncommitted(&lab.repository(), "sealwright.toml").is_err());
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

    /// Writes a tree as it is given, in this order, whatever git thinks of it.
    fn tree(&self, entries: &[(&str, &str, &str)]) -> String {
        use std::io::Write as _;
        let byte =
            |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
        let mut raw = Vec::new();
        for (mode, name, object) in entries {
            raw.extend_from_slice(format!("{mode} {name}\0").as_bytes());
            raw.extend(object.as_bytes().chunks(2).map(byte));
        }
        #[expect(clippy::disallowed_methods, reason = "a repository for a test")]
        let mut child = Command::new("git")
            .args(["hash-object", "-t", "tree", "-w", "--stdin", "--literally"])
            .current_dir(self.repository())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(&raw).unwrap();
        let written = child.wait_with_output().unwrap();
        assert!(written.status.success());
        String::from_utf8(written.stdout).unwrap().trim().to_owned()
    }

    fn commit_of(&self, tree: &str) -> String {
        let made = git(&self.repository(), &["commit-tree", tree, "-m", "odd"]);
        let text = String::from_utf8(made.stdout).unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        text.trim().to_owned()
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
