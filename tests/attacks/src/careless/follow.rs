//! How a careless host handles the agent's files: it follows links, runs git, and copies everything.

use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::attack::Follow;
use crate::fixture::Fixture;
use crate::fixture_setup::{record, taken};

pub fn follow(fixture: &Fixture, follow: Follow) -> Result<()> {
    let work = &fixture.inside.work;
    match follow {
        Follow::Nothing | Follow::RunAgain => Ok(()),
        Follow::Collect => Ok(copy(work, &taken(fixture))?),
        Follow::Commit => {
            git(work, &["add", "--all"])?;
            git(work, &["commit", "--quiet", "--message", "work"])?;
            git(work, &["status"])
        }
        Follow::CommitApart => {
            let own = record(fixture).join("apart.git");
            let own = own.to_str().context("a path of the set is text")?;
            let work = work.to_str().context("a path of the set is text")?;
            git(Path::new(work), &["init", "--quiet", "--bare", own])?;
            let apart = ["--git-dir", own, "--work-tree", work];
            for step in [["add", "--all"], ["status", "--porcelain"]] {
                git(Path::new(work), &[apart.as_slice(), &step].concat())?;
            }
            Ok(())
        }
        Follow::StatusBelow => git(&work.join("src/vendor"), &["status"]),
        Follow::Materialise => {
            for name in ["contract.json", "examples.md", "ship.json", "docs/guide.md"] {
                let to = taken(fixture).join(name);
                fs::create_dir_all(to.parent().context("a file lies in a folder")?)?;
                fs::copy(work.join("module").join(name), to)?;
            }
            Ok(())
        }
        Follow::MountTests => {
            // Without mounts the tests are copied to their place, following links.
            let tests = fixture.folder.join("view/frozen/acceptance.rs");
            Ok(fs::copy(tests, work.join("tests/acceptance.rs")).map(|_| ())?)
        }
    }
}

/// Copies a tree as `cp -rL` does. Holes of a large file are not written.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let Ok(metadata) = fs::metadata(from) else { return Ok(()) };
    if metadata.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
        return Ok(());
    }
    if metadata.file_type().is_socket() {
        return Ok(());
    }
    if metadata.len() > COPIED_BYTES_MAX {
        return fs::File::create(to)?.set_len(metadata.len());
    }
    fs::copy(from, to)?;
    fs::set_permissions(to, metadata.permissions())
}

/// The result of git does not matter here, only what it runs.
#[expect(clippy::disallowed_methods, reason = "a careless host runs git over an agent's tree")]
fn git(folder: &Path, words: &[&str]) -> Result<()> {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=host", "-c", "user.email=host@host"])
        .args(words)
        .current_dir(folder);
    git.env("GIT_CONFIG_NOSYSTEM", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    git.status().context("cannot run git")?;
    Ok(())
}

const COPIED_BYTES_MAX: u64 = 1 << 20;
