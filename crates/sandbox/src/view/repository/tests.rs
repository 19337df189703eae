use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use super::*;
use crate::view::fixture::World;

#[test]
fn the_same_files_make_the_same_commit_wherever_they_are() {
    let commits = ["v1", "v2"].map(|name| {
        let world = World::new();
        world.plant("src/lib.rs", "pub fn f() {}");
        world.plant(".gitignore", "ignored\n");
        world.plant("ignored", "x");
        let lease = world.lease();
        let view = world.builder_view(&lease, name);
        make(&view.work_folder(), &[]);
        let git = |words: &[&str]| said(&run(&git_in(&view.work_folder(), words), &[]));
        assert_eq!(git(&["ls-files"]), ".gitignore\nsrc/lib.rs\n");
        assert_eq!(git(&["status", "--porcelain"]), "");
        assert_eq!(
            git(&["log", "--format=%an %ae %cI %s"]),
            "sealwright sealwright@localhost 2000-01-01T00:00:00Z What you were given\n"
        );
        git(&["rev-parse", "HEAD"])
    });
    assert_eq!(commits[0], commits[1]);
}

/// A person's own configuration and a tree's attributes ask for programs to be run. None is.
#[test]
fn nothing_is_run_that_a_configuration_or_a_tree_asks_for() {
    let world = World::new();
    world.plant("a.txt", "a");
    world.plant(".gitattributes", "* filter=evil diff=evil\n");
    let (home, proof) = (world.path("home"), world.path("proof"));
    let evil = world.path("evil.sh");
    fs::write(&evil, format!("#!/bin/sh\necho ran >> {}\ncat\n", proof.display())).unwrap();
    fs::set_permissions(&evil, fs::Permissions::from_mode(0o755)).unwrap();
    let hooks = home.join("hooks");
    fs::create_dir_all(&hooks).unwrap();
    for hook in ["pre-commit", "post-commit", "reference-transaction", "post-index-change"] {
        fs::copy(&evil, hooks.join(hook)).unwrap();
    }
    let evil = evil.display();
    let configuration = format!(
        "[filter \"evil\"]\nclean = {evil}\nsmudge = {evil}\nrequired = true\n[core]\nfsmonitor = {evil}\nhooksPath = {}\n\
         [user]\nname = x\nemail = x\n[init]\ntemplateDir = {}\n",
        hooks.display(),
        home.display(),
    );
    fs::write(home.join(".gitconfig"), configuration).unwrap();
    let home_text = home.display().to_string();

    // The control: plain git, with the same home, runs it.
    let naive = world.path("naive");
    fs::create_dir(&naive).unwrap();
    fs::write(naive.join("a.txt"), "a").unwrap();
    fs::write(naive.join(".gitattributes"), "* filter=evil\n").unwrap();
    for words in
        [&["init", "--quiet"][..], &["add", "--all"], &["commit", "--quiet", "--message", "x"]]
    {
        run(&git_in(&naive, words), &[("HOME", &home_text)]);
    }
    assert!(proof.exists(), "the control ran nothing");
    fs::remove_file(&proof).unwrap();

    let lease = world.lease();
    let view = world.builder_view(&lease, "v");
    make(&view.work_folder(), &[("HOME", &home_text)]);
    assert!(!proof.exists(), "something was run");
    assert!(!view.work_folder().join(".git/hooks").exists());
}

fn make(folder: &Path, environment: &[(&str, &str)]) {
    for command in fresh_repository(&folder.display().to_string()) {
        let output = run(&command, environment);
        assert!(
            output.status.success(),
            "{command:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

fn git_in(folder: &Path, words: &[&str]) -> Vec<String> {
    let folder = folder.display().to_string();
    ["git", "-C", &folder, "-c", "safe.directory=*"]
        .iter()
        .chain(words)
        .map(ToString::to_string)
        .collect()
}

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[expect(clippy::disallowed_methods, reason = "these are trees of our own making")]
fn run(argv: &[String], environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(&argv[0]);
    command.args(&argv[1..]).envs(environment.iter().copied());
    command.env_remove("GIT_DIR").env_remove("GIT_WORK_TREE").env_remove("GIT_INDEX_FILE");
    command.output().unwrap()
}
