//! The real repository, whose objects hold all sealed sources.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};

use super::files::read;
use crate::attack::Attack;
use crate::barrier::Barrier;
use crate::ended::{Step, Tried, any_of, holds, void};
use crate::fixture::Fixture;

pub(super) const ALL: &[Attack] = &[
    Attack::new("git-show", "3.1/09", Barrier::MountNamespace, git_show)
        .about("Asks git to show the sealed source out of the store's history."),
    Attack::new("git-alternates", "3.1/09", Barrier::MountNamespace, git_alternates)
        .about("Borrows the store's objects for a repository of its own."),
    Attack::new("git-pointer", "3.1/09", Barrier::MountNamespace, git_pointer)
        .about("Makes its work tree one of the store's by a pointer file."),
    Attack::new("git-raw-objects", "3.1/09", Barrier::MountNamespace, git_raw_objects)
        .about("Reads the store's object files without git."),
];

#[expect(clippy::disallowed_methods, reason = "these attacks are about git")]
pub(super) fn git(
    folder: &Path,
    words: &[&str],
    variables: &[(&str, &Path)],
) -> Result<Vec<u8>, crate::ended::Hindrance> {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=a", "-c", "user.email=a@inside"]).args(words).current_dir(folder);
    git.envs(variables.iter().copied()).env("GIT_CONFIG_NOSYSTEM", "1").stdin(Stdio::null());
    match git.output() {
        Ok(output) if output.status.success() => Ok(output.stdout),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let line = said.lines().last().unwrap_or("nothing").to_string();
            Err(crate::ended::Hindrance::Stopped(format!("git: {line}")))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => void("there is no git"),
        Err(error) => Err(error).step("git"),
    }
}

fn git_show(fixture: &Fixture) -> Tried {
    let object = "HEAD:modules/a/implementation/lib.rs";
    let store = fixture.host.git_store.to_string_lossy();
    let folder = format!("--git-dir={store}/.git");
    any_of(
        [["-C", &store, "show", object].as_slice(), &[&folder, "cat-file", "-p", object]]
            .map(|words| holds(&git(&fixture.inside.work, words, &[])?, &fixture.markers.sealed)),
    )
}

fn git_alternates(fixture: &Fixture) -> Tried {
    let own = fixture.inside.work.join("own");
    fs::create_dir(&own).step("mkdir")?;
    git(&own, &["init", "--quiet"], &[])?;
    let objects = fixture.host.git_store.join(".git/objects");
    let borrow = [("GIT_ALTERNATE_OBJECT_DIRECTORIES", objects.as_path())];
    let every = ["cat-file", "--batch-all-objects", "--batch"];
    holds(&git(&own, &every, &borrow)?, &fixture.markers.sealed)
}

fn git_pointer(fixture: &Fixture) -> Tried {
    let own = fixture.inside.work.join("own");
    fs::create_dir(&own).step("mkdir")?;
    let pointer = format!("gitdir: {}\n", fixture.host.git_store.join(".git").display());
    fs::write(own.join(".git"), pointer).step("write")?;
    holds(&git(&own, &["log", "--all", "--patch"], &[])?, &fixture.markers.sealed)
}

fn git_raw_objects(fixture: &Fixture) -> Tried {
    let objects = fixture.host.git_store.join(".git/objects");
    let folders = fs::read_dir(objects).step("opendir")?.flatten();
    let files =
        folders.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten().flatten());
    any_of(files.map(|file| read(&file.path(), &fixture.markers.sealed)))
}
