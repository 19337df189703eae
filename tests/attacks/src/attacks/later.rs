//! Repositories and settings in the work tree that run code when the host reads them.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::git::git;
use crate::attack::{Attack, Follow};
use crate::barrier::Barrier;
use crate::ended::{Hindrance, Step, Tried};
use crate::fixture::Fixture;
use crate::fixture_setup::{FixtureSetup, Part};

pub(super) const ALL: &[Attack] = &[
    planted("plant-hook", Follow::Commit, |fixture| {
        let repository = repository(&fixture.inside.work)?;
        let hook = repository.join("hooks/pre-commit");
        fs::create_dir_all(repository.join("hooks")).step("mkdir")?;
        script(&hook, fixture)
    })
    .about("Leaves a hook that runs when the host commits."),
    planted("plant-monitor", Follow::Commit, |fixture| {
        let repository = repository(&fixture.inside.work)?;
        monitor(&repository, fixture)
    })
    .about("Leaves a setting that runs a program on any status."),
    planted("plant-filter", Follow::Commit, |fixture| {
        let repository = repository(&fixture.inside.work)?;
        let program = repository.join("program");
        script(&program, fixture)?;
        fs::write(fixture.inside.work.join(".gitattributes"), "* filter=own\n").step("write")?;
        let filter = format!("[filter \"own\"]\n\tclean = {}\n", program_inside(&program, fixture));
        append(&repository.join("config"), &filter)
    })
    .about("Leaves a filter that runs when a file is added."),
    planted("plant-nested-repository", Follow::CommitApart, |fixture| {
        let below = fixture.inside.work.join("src/nested");
        fs::create_dir(&below).step("mkdir")?;
        let repository = repository(&below)?;
        monitor(&repository, fixture)
    })
    .about("Leaves a repository below, which runs a program though the host uses its own above."),
    planted("plant-bare-repository", Follow::StatusBelow, |fixture| {
        let below = fixture.inside.work.join("src/vendor");
        git(&fixture.inside.work, &["init", "--quiet", "--bare", "src/vendor"], &[])?;
        append(&below.join("config"), "[core]\n\tbare = false\n\tworktree = .\n")?;
        monitor(&below, fixture)
    })
    .about("Leaves a folder that is a repository without looking like one."),
    Attack::new("plant-settings", "3.3/settings", Barrier::Harvest, plant_settings)
        .about(
            "Leaves settings that editors, shells and build tools obey, \
             where it was not asked to write.",
        )
        .then(Follow::Collect)
        .judged(are_taken),
    Attack::new("plant-mount-point", "3.3/mount-point", Barrier::Materialiser, plant_mount_point)
        .about("Leaves a link where the host will put the frozen tests.")
        .then(Follow::MountTests)
        .judged(|set, _| set.changed(Part::OtherWork)),
];

/// Code that runs on a careless host.
const fn planted(key: &'static str, then: Follow, attempt: fn(&Fixture) -> Tried) -> Attack {
    Attack::new(key, "3.3/git", Barrier::Harvest, attempt)
        .then(then)
        .judged(|set, _| set.ran_on_host())
}

/// A repository with one commit; returns its git folder.
fn repository(folder: &Path) -> Result<std::path::PathBuf, Hindrance> {
    git(folder, &["init", "--quiet", "--template="], &[])?;
    git(folder, &["commit", "--quiet", "--allow-empty", "--message", "first"], &[])?;
    Ok(folder.join(".git"))
}

/// Written last, or the agent's own git would run it.
fn monitor(repository: &Path, fixture: &Fixture) -> Tried {
    let program = repository.join("program");
    script(&program, fixture)?;
    append(
        &repository.join("config"),
        &format!("[core]\n\tfsmonitor = {}\n", program_inside(&program, fixture)),
    )
}

/// A program that leaves a trace outside.
fn script(path: &Path, fixture: &Fixture) -> Tried {
    let trace = fixture.host.outside.join("ran");
    fs::write(path, format!("#!/bin/sh\necho ran > '{}'\ncat\n", trace.display())).step("write")?;
    fs::set_permissions(path, Permissions::from_mode(0o755)).step("chmod")?;
    Ok("a program is planted".to_string())
}

/// The path of the program on the host.
fn program_inside(program: &Path, fixture: &Fixture) -> String {
    let below = program.strip_prefix(&fixture.inside.work).unwrap_or(program);
    fixture.folder.join("view/work").join(below).display().to_string()
}

fn append(path: &Path, text: &str) -> Tried {
    let before = fs::read_to_string(path).step("read")?;
    fs::write(path, before + text).step("write")?;
    Ok("a setting is planted".to_string())
}

fn plant_settings(fixture: &Fixture) -> Tried {
    for (name, content) in SETTINGS {
        let path = fixture.inside.work.join(name);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).step("mkdir")?;
        fs::write(path, content).step("write")?;
    }
    Ok("settings are planted".to_string())
}

fn are_taken(set: &FixtureSetup, _: &crate::confinement::Ran) -> Option<String> {
    let taken = set.taken();
    let first = SETTINGS.iter().find(|(name, _)| taken.join(name).symlink_metadata().is_ok())?;
    Some(format!("{} was taken over", first.0))
}

fn plant_mount_point(fixture: &Fixture) -> Tried {
    let tests = fixture.inside.work.join("tests");
    fs::remove_dir(&tests).step("rmdir")?;
    symlink(&fixture.host.other_work, &tests).step("symlink")?;
    Ok("a link is planted".to_string())
}

const SETTINGS: &[(&str, &str)] = &[
    (".envrc", "echo entered\n"),
    (".cargo/config.toml", "[target.'cfg(all())']\nrunner = \"/bin/true\"\n"),
    (".vscode/tasks.json", "{\"version\":\"2.0.0\",\"tasks\":[]}\n"),
];
