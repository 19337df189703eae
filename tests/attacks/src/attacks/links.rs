//! Links of every kind that make an outside file appear inside.

use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use super::files::read;
use crate::attack::Attack;
use crate::barrier::Barrier;
use crate::ended::{Step, Tried, any_of};
use crate::fixture::Fixture;
use crate::fixture_setup::Part;

pub(super) const ALL: &[Attack] = &[
    Attack::new("link-symbolic", "3.1/03", Barrier::MountNamespace, link_symbolic)
        .about("Reads the sealed source through symbolic links to the file and to its folder."),
    Attack::new("link-hard", "3.1/04", Barrier::MountNamespace, link_hard)
        .about("Gives the sealed source a second name in the work tree."),
    Attack::new("link-magic", "more", Barrier::MountNamespace, link_magic)
        .about("Climbs out of its own open folder through /proc/self."),
    Attack::new("move-away", "more", Barrier::MountNamespace, move_away)
        .about("Moves another role's file into its own work tree.")
        .judged(|set, _| set.changed(Part::OtherWork)),
];

fn link_symbolic(fixture: &Fixture) -> Tried {
    let (file, folder) =
        (fixture.inside.work.join("to-file"), fixture.inside.work.join("to-folder"));
    symlink(&fixture.host.sealed, &file).step("symlink")?;
    symlink(&fixture.host.git_store, &folder).step("symlink")?;
    let below = folder.join("modules/a/implementation/lib.rs");
    any_of([file, below].map(|path| read(&path, &fixture.markers.sealed)))
}

fn link_hard(fixture: &Fixture) -> Tried {
    let name = fixture.inside.work.join("second-name");
    fs::hard_link(&fixture.host.sealed, &name).step("link")?;
    read(&name, &fixture.markers.sealed)
}

fn link_magic(fixture: &Fixture) -> Tried {
    let work = File::open(&fixture.inside.work).step("open")?;
    let sealed = fixture.host.sealed.strip_prefix(&fixture.folder).unwrap_or(&fixture.host.sealed);
    let starts = [
        PathBuf::from(format!("/proc/self/fd/{}", work.as_raw_fd())),
        PathBuf::from("/proc/self/cwd"),
        PathBuf::from("/proc/self/root")
            .join(fixture.folder.strip_prefix("/").unwrap_or(&fixture.folder)),
    ];
    let ups = ["", "..", "../..", "../../..", "../../../.."];
    any_of(starts.iter().flat_map(|start| {
        ups.map(|up| read(&start.join(up).join(sealed), &fixture.markers.sealed))
    }))
}

fn move_away(fixture: &Fixture) -> Tried {
    let from = fixture.host.other_work.join("private.txt");
    fs::rename(from, fixture.inside.work.join("moved.txt")).step("rename")?;
    Ok("another role's file was moved".to_string())
}
