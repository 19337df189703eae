use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use super::*;
use crate::view::fixture::World;

/// Proves in part: B-008
#[test]
fn a_second_writer_is_refused_and_told_who_writes() {
    let world = World::new();
    let take = |holder: &str| WriteLease::take(&world.tree(), &world.leases(), holder);
    let lease = take("the builder of T-limits").unwrap();
    let refused = take("somebody else").unwrap_err();
    assert_eq!(refused.to_string(), "the work tree is being written by the builder of T-limits");
    assert!(refused.hint().is_some());
    drop(lease);
    let lease = take("x").unwrap();
    assert!(matches!(take("y"), Err(ViewError::Leased { holder }) if holder == "x"));
    drop(lease);
}

#[test]
fn two_paths_to_one_tree_are_one_lease_and_two_trees_are_two() {
    let world = World::new();
    symlink(world.tree(), world.path("alias")).unwrap();
    let take = |tree: &str| WriteLease::take(&world.path(tree), &world.leases(), "a test");
    let _lease = take("tree").unwrap();
    for same in ["alias", "tree/.", "leases/../tree"] {
        assert!(matches!(take(same), Err(ViewError::Leased { .. })), "{same}");
    }
    assert!(take("store").is_ok());
}

#[test]
fn a_lease_is_no_link_to_something_else() {
    let world = World::new();
    let lease = world.lease();
    let file = fs::read_dir(world.leases()).unwrap().next().unwrap().unwrap().path();
    drop(lease);
    fs::remove_file(&file).unwrap();
    let victim = world.path("victim");
    fs::write(&victim, "keep me").unwrap();
    symlink(&victim, &file).unwrap();
    assert!(WriteLease::take(&world.tree(), &world.leases(), "a test").is_err());
    assert_eq!(fs::read_to_string(victim).unwrap(), "keep me");
}

#[test]
fn the_holder_cannot_steer_a_terminal() {
    let world = World::new();
    let take = |holder: &str| WriteLease::take(&world.tree(), &world.leases(), holder);
    let _lease = take("\u{1b}[2Jnobody").unwrap();
    let refused = take("a test").unwrap_err();
    assert_eq!(refused.to_string(), "the work tree is being written by \\u{1b}[2Jnobody");
}

/// Proves in part: B-008
#[test]
fn a_lease_ends_with_the_process_that_held_it() {
    let world = World::new();
    let mut holder = holder_process(&world);
    let mut said = String::new();
    let mut output = BufReader::new(holder.stdout.take().unwrap());
    while !said.contains("held") {
        said.clear();
        assert!(output.read_line(&mut said).unwrap() > 0, "the holder ended early");
    }
    let take = || WriteLease::take(&world.tree(), &world.leases(), "a test");
    assert!(matches!(take(), Err(ViewError::Leased { holder }) if holder == "a process"));
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert!(take().is_ok());
}

/// Not a test: what the test above starts as another process.
#[test]
#[ignore = "it waits to be killed"]
fn hold_until_killed() {
    let Some(world) = std::env::var_os(WORLD) else { return };
    let world = Path::new(&world);
    let _lease = WriteLease::take(&world.join("tree"), &world.join("leases"), "a process").unwrap();
    let mut out = std::io::stdout();
    out.write_all(b"\nheld\n").unwrap();
    out.flush().unwrap();
    let _ = std::io::stdin().read_line(&mut String::new());
}

#[expect(clippy::disallowed_methods, reason = "a process that dies is what this is about")]
fn holder_process(world: &World) -> std::process::Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "view::lease::tests::hold_until_killed", "--ignored", "--nocapture"])
        .env(WORLD, world.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

const WORLD: &str = "SEALWRIGHT_TEST_WORLD";
