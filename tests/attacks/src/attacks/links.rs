//! Links of every kind, to make something outside appear to be inside.

use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use super::files::read;
use crate::attack::Attack;
use crate::ended::{Step, Tried, any_of};
use crate::scene::Scene;
use crate::stage_set::Part;
use crate::wall::Barrier;

pub(super) const ALL: &[Attack] = &[
    Attack::new(
        "link-symbolic",
        "3.1/03",
        Barrier::MountNamespace,
        "Reads the sealed source through symbolic links to the file and to its folder.",
        link_symbolic,
    ),
    Attack::new(
        "link-hard",
        "3.1/04",
        Barrier::MountNamespace,
        "Gives the sealed source a second name in the work tree.",
        link_hard,
    ),
    Attack::new(
        "link-magic",
        "more",
        Barrier::MountNamespace,
        "Climbs out of its own open folder through /proc/self.",
        link_magic,
    ),
    Attack::new(
        "move-away",
        "more",
        Barrier::MountNamespace,
        "Moves another role's file into its own work tree.",
        move_away,
    )
    .judged(|set, _| set.changed(Part::OtherWork)),
];

fn link_symbolic(scene: &Scene) -> Tried {
    let (file, folder) = (scene.inside.work.join("to-file"), scene.inside.work.join("to-folder"));
    symlink(&scene.host.sealed, &file).step("symlink")?;
    symlink(&scene.host.git_store, &folder).step("symlink")?;
    let below = folder.join("modules/a/implementation/lib.rs");
    any_of([file, below].map(|path| read(&path, &scene.markers.sealed)))
}

fn link_hard(scene: &Scene) -> Tried {
    let name = scene.inside.work.join("second-name");
    fs::hard_link(&scene.host.sealed, &name).step("link")?;
    read(&name, &scene.markers.sealed)
}

fn link_magic(scene: &Scene) -> Tried {
    let work = File::open(&scene.inside.work).step("open")?;
    let sealed = scene.host.sealed.strip_prefix(&scene.folder).unwrap_or(&scene.host.sealed);
    let starts = [
        PathBuf::from(format!("/proc/self/fd/{}", work.as_raw_fd())),
        PathBuf::from("/proc/self/cwd"),
        PathBuf::from("/proc/self/root")
            .join(scene.folder.strip_prefix("/").unwrap_or(&scene.folder)),
    ];
    let ups = ["", "..", "../..", "../../..", "../../../.."];
    any_of(
        starts.iter().flat_map(|start| {
            ups.map(|up| read(&start.join(up).join(sealed), &scene.markers.sealed))
        }),
    )
}

fn move_away(scene: &Scene) -> Tried {
    let from = scene.host.other_work.join("private.txt");
    fs::rename(from, scene.inside.work.join("moved.txt")).step("rename")?;
    Ok("another role's file was moved".to_string())
}
