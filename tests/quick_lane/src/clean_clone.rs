//! Checks a result in a clean clone: its tests with plain cargo and pytest, and its commit message.

use anyhow::{Context as _, Result, ensure};

use crate::program::{Program, last_lines};
use crate::repository::Repository;
use crate::test_project::{Kind, TestProject};

/// Clones `branch`, runs its tests and checks its commit. An error says what is wrong.
pub fn holds(repository: &Repository<'_>, kind: Kind, branch: &str, task: &str) -> Result<()> {
    let environment = repository.environment();
    let folder = tempfile::Builder::new().prefix("clone-").tempdir_in(environment.root())?;
    let place = folder.path().to_string_lossy().into_owned();
    repository.git(&["clone", "-q", "--no-local", "--branch", branch, ".", &place])?;
    for language in TestProject::open(kind)?.languages() {
        let (program, words) = language.clone_command();
        let program = program.map_or_else(python, |program| Ok(program.to_owned()))?;
        let tests = Program::other(environment, folder.path(), "clone-tests", &program, words)
            .with("PYTHONPATH", folder.path())
            .with("PYTHONDONTWRITEBYTECODE", "1")
            .with("CARGO_TARGET_DIR", environment.root().join("clone-target"));
        let ran = tests.run()?;
        ensure!(
            ran.code == Some(0),
            "on a clean clone {language:?} tests fail: {}",
            last_lines(&format!("{}{}", ran.said, ran.talked))
        );
    }
    let count = repository.git(&["rev-list", "--count", &format!("main..{branch}")])?;
    ensure!(count == "1", "there are {count} commits on top of the base, not one");
    let message = repository.git(&["log", "-1", "--format=%(trailers)", branch])?;
    for trailer in [
        format!("Sealwright-Task: {task}"),
        "Sealwright-Tree: ".to_owned(),
        format!("Sealwright-Stream: {task}"),
        "Sealwright-Evidence: ".to_owned(),
    ] {
        ensure!(message.contains(&trailer), "the commit has no trailer `{trailer}`: {message}");
    }
    // Here, with all records; and in the clone, with what came with the commit.
    for words in [&["verify"][..], &["verify", "--repository", &place]] {
        let verified = repository.sealwright("verify", words).run()?;
        ensure!(
            verified.code == Some(0),
            "`sealwright {}` ends with {:?}: {}{}",
            words.join(" "),
            verified.code,
            verified.said,
            verified.talked
        );
    }
    Ok(())
}

fn python() -> Result<String> {
    let named = std::env::var_os("VIRTUAL_ENV").map(std::path::PathBuf::from);
    let of_user = || Some(std::env::home_dir()?.join(".cache/sealwright/python"));
    let place = named.or_else(of_user).context("there is no Python with pytest")?;
    Ok(place.join("bin/python3").to_string_lossy().into_owned())
}
