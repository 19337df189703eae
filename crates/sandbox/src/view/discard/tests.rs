use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::*;
use crate::view::fixture::World;

#[test]
fn a_folder_goes_whatever_was_made_of_it() {
    let world = World::new();
    let root = world.path("views/v");
    fs::create_dir_all(root.join("a/b/c")).unwrap();
    fs::write(root.join("a/b/c/file"), "x").unwrap();
    // Names that the one who takes it away would have used.
    (1..9).for_each(|nth| fs::create_dir_all(root.join(format!(".raised-{nth}/x/y"))).unwrap());
    fs::write(root.join(".raised-9"), "a file").unwrap();
    symlink(world.store(), root.join("a/link")).unwrap();
    symlink(world.store(), root.join("link")).unwrap();
    // Deeper than there are descriptors, and closed by its owner.
    let mut folder = rustix::fs::open(&root, OFlags::PATH, Mode::empty()).unwrap();
    for _ in 0..2500 {
        rustix::fs::mkdirat(&folder, "d", Mode::RWXU).unwrap();
        folder = rustix::fs::openat(&folder, "d", OFlags::PATH, Mode::empty()).unwrap();
    }
    for closed in ["a/b/c", "a/b", "a", "d/d/d", "d"] {
        fs::set_permissions(root.join(closed), fs::Permissions::from_mode(0o000)).unwrap();
    }
    let before = crate::view::fixture::contents(&world.store());
    discard(&root).unwrap();
    assert!(!root.exists());
    assert_eq!(crate::view::fixture::contents(&world.store()), before, "a link was followed");
}

#[test]
fn what_is_a_link_itself_is_not_taken_away() {
    let world = World::new();
    symlink(world.store(), world.path("views/v")).unwrap();
    assert!(discard(&world.path("views/v")).is_err());
    assert!(world.module().join("contract.json").exists());
}
