use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use rustix::fs::{CWD, FileType, mknodat};
use sealwright_kernel::{Permission, Role};

use super::*;
use crate::view::fixture::{
    OPEN, SEALED, SECRET, StopsWithMe, World, contents, leaks, named, pack, request,
};
use crate::view::{
    Cap, Hand, Held, ListedArtifact, ListedFile, ListedModule, Listing, Request, Stored, WorkTree,
    lay_out,
};

#[test]
fn a_view_holds_what_its_pack_grants_and_nothing_else() {
    let world = World::new();
    world.plant("src/lib.rs", "fn main() {}");
    let lease = world.lease();
    let view = world.builder_view(&lease, "v");
    let found: Vec<String> = contents(view.root()).into_keys().collect();
    assert_eq!(
        found,
        [
            "read/modules/MM-sealed@1.0.0/contract.json",
            "read/modules/MM-sealed@1.0.0/examples.md",
            "read/modules/MM-sealed@1.0.0/ship.json",
            "work/src/lib.rs",
        ]
    );
    assert!(!leaks(view.root()));
    let mounts: Vec<_> = view.mounts().iter().map(|it| (it.at.as_str(), it.access)).collect();
    assert_eq!(mounts, [("/modules", Access::ReadOnly), ("/work", Access::ReadWrite)]);
    assert!(view.mounts().iter().all(|mount| mount.source.is_dir()));
}

#[test]
fn files_are_copies_with_times_of_their_own_and_what_is_read_cannot_be_written() {
    let world = World::new();
    world.plant("run.sh", "#!/bin/sh\n");
    fs::set_permissions(world.tree().join("run.sh"), fs::Permissions::from_mode(0o700)).unwrap();
    for old in [world.module().join("contract.json"), world.tree().join("run.sh")] {
        let times =
            fs::FileTimes::new().set_modified(UNIX_EPOCH + Duration::from_secs(946_684_800));
        fs::File::options().write(true).open(&old).unwrap().set_times(times).unwrap();
    }
    let lease = world.lease();
    let view = world.builder_view(&lease, "v");
    let of = |path: &str| fs::metadata(view.root().join(path)).unwrap();
    let contract = of("read/modules/MM-sealed@1.0.0/contract.json");
    let original = fs::metadata(world.module().join("contract.json")).unwrap();
    assert_ne!(contract.ino(), original.ino());
    assert_eq!((contract.nlink(), original.nlink()), (1, 1));
    let made = of("kept").modified().unwrap();
    for copy in [&contract, &of("work/run.sh")] {
        let age = made.duration_since(copy.modified().unwrap()).unwrap_or_default();
        assert!(age < Duration::from_secs(60), "it kept its old time");
    }
    let mode = |path: &str| of(path).permissions().mode() & 0o7777;
    assert_eq!(mode("read/modules/MM-sealed@1.0.0/contract.json"), 0o444);
    assert_eq!(mode("read/modules/MM-sealed@1.0.0"), 0o555);
    assert_eq!(mode("read/modules"), 0o555);
    assert_eq!((mode("work"), mode("work/run.sh")), (0o755, 0o755));
    assert_eq!(mode(""), 0o700);

    let layout = world.layout_of_tree(Role::Reviewer, Hand::Reads, &[]);
    let view = world.make(&layout, Writer::Nobody, "reads").unwrap();
    let mode =
        |path: &str| fs::metadata(view.root().join(path)).unwrap().permissions().mode() & 0o7777;
    assert_eq!((mode("work"), mode("work/run.sh")), (0o555, 0o555));
}

/// Six ways in which a module could pass its source off as its contract. Each has a control: a copy that trusts
/// names does hand the source over.
///
/// Proves in part: F-OPAQUE-001, F-CTX-008
#[test]
fn six_ways_to_pass_source_off_as_a_surface_are_refused() {
    type Plant = fn(&World) -> Listing;
    type Expected = fn(&ViewError) -> bool;
    let attacks: [(&str, Plant, Expected); 4] = [
        ("examples.md is a link", link_to_source, |it| is(it, |it| matches!(it, Obstacle::Link))),
        ("contract.json is a second name", hard_link_to_source, |it| {
            is(it, |it| matches!(it, Obstacle::HardLinked { links: 2 }))
        }),
        ("ship.json is a pipe", pipe_of_source, |it| is(it, |it| matches!(it, Obstacle::Fifo))),
        ("the module is a link to a folder", folder_link_to_source, |it| {
            is(it, |it| matches!(it, Obstacle::Link))
        }),
    ];
    for (name, plant, is_expected) in attacks {
        let world = World::new();
        let listing = plant(&world);
        let pack = pack(Role::Builder, &[], &[]);
        let layout = lay_out(&request(&pack, &listing)).unwrap();
        assert!(naive_copy_leaks(&world, &layout), "{name}: the control does not leak");
        let refused = world.make(&layout, Writer::Nobody, "v").unwrap_err();
        assert!(is_expected(&refused), "{name}: {refused}");
        assert!(!world.path("views/v").exists(), "{name}: half a view was left");
    }
    // A path that climbs, and one from the root, do not get past the layout, nor past the folder.
    let world = World::new();
    let absolute = world.module().join("implementation/lib.rs").display().to_string();
    for path in ["artifacts/../modules/MM-sealed/1.0.0/implementation/lib.rs", &absolute] {
        fs::create_dir_all(world.store().join("artifacts")).unwrap();
        let naive = fs::read_to_string(world.store().join(path)).unwrap();
        assert_eq!(naive, SECRET, "{path}: the control does not leak");
        let pack = pack(Role::Builder, &[("T-limits@1.0.0", Permission::Full)], &[]);
        let listing = Listing { artifacts: vec![task_file(path)], ..world.listing() };
        let refused = lay_out(&request(&pack, &listing)).unwrap_err();
        assert!(matches!(refused, ViewError::Name(_)), "{refused}");
        let artifacts = Folder::open(&world.store().join("artifacts")).unwrap();
        let path = path.strip_prefix("artifacts/").unwrap_or(path);
        assert!(matches!(artifacts.read(path, 1024), Err(Obstacle::Outside)), "{path}");
    }
}

#[test]
fn a_listing_of_a_planted_store_is_refused_too() {
    for plant in [link_to_source, hard_link_to_source] {
        let world = World::new();
        plant(&world);
        let refused = Listing::read(&world.store(), Bounds::default()).unwrap_err();
        assert!(matches!(refused, ViewError::Unfit { .. }), "{refused}");
    }
}

#[test]
fn sockets_devices_and_folders_are_no_files() {
    let world = World::new();
    let folder = Folder::open(&world.module()).unwrap();
    let _listener = UnixListener::bind(world.module().join("socket")).unwrap();
    assert!(matches!(folder.read("socket", 1024), Err(Obstacle::Socket)));
    assert!(matches!(folder.read("implementation", 1024), Err(Obstacle::Folder)));
    assert!(matches!(folder.read("nothing", 1024), Err(Obstacle::Gone)));
    assert!(matches!(folder.read("contract.json/x", 1024), Err(Obstacle::NotAFolder)));
    let devices = Folder::open(Path::new("/dev")).unwrap();
    assert!(matches!(devices.read("null", 1024), Err(Obstacle::Device)));
    let processes = Folder::open(Path::new("/proc/self")).unwrap();
    assert!(matches!(processes.read("exe", 1024), Err(Obstacle::Link)));
}

#[test]
fn what_is_not_what_was_listed_is_refused() {
    type Expected = fn(&ViewError) -> bool;
    let changed: [(&str, Expected); 3] = [
        ("other content of one length", |it| matches!(it, ViewError::Differs { .. })),
        ("shorter", |it| matches!(it, ViewError::Differs { .. })),
        ("longer", |it| is(it, |it| matches!(it, Obstacle::TooLarge { .. }))),
    ];
    for (what, is_expected) in changed {
        let world = World::new();
        let pack = pack(Role::Builder, &[], &[]);
        let listing = world.listing();
        let layout = lay_out(&request(&pack, &listing)).unwrap();
        let examples = world.module().join("examples.md");
        let before = fs::read_to_string(&examples).unwrap();
        let after = match what {
            "shorter" => before[1..].to_owned(),
            "longer" => format!("{before}!"),
            _ => before.to_uppercase(),
        };
        fs::write(&examples, after).unwrap();
        let refused = world.make(&layout, Writer::Nobody, "v").unwrap_err();
        assert!(is_expected(&refused), "{what}: {refused}");
    }
}

/// A file that was plain when it was listed and is a link when it is copied.
#[test]
fn a_file_swapped_for_a_link_after_it_was_listed_is_refused() {
    let world = World::new();
    let mut listing = world.listing();
    // Without a digest, so that only the walk can notice.
    listing.modules[0].files.iter_mut().for_each(|file| file.digest = None);
    let pack = pack(Role::Builder, &[], &[]);
    let layout = lay_out(&request(&pack, &listing)).unwrap();
    let examples = world.module().join("examples.md");
    assert!(fs::symlink_metadata(&examples).unwrap().is_file());
    fs::remove_file(&examples).unwrap();
    symlink("implementation/lib.rs", &examples).unwrap();
    assert!(naive_copy_leaks(&world, &layout));
    let refused = world.make(&layout, Writer::Nobody, "v").unwrap_err();
    assert!(is(&refused, |it| matches!(it, Obstacle::Link)), "{refused}");
}

/// Somebody swaps a file for a link and back as fast as they can, while it is copied again and again.
#[test]
fn no_race_brings_source_into_a_view() {
    let world = World::new();
    let public = "# Examples!\n".repeat(4);
    // As long as the secret, so that a length cannot tell them apart.
    let public = &public[..SECRET.len()];
    let module = world.module();
    fs::write(module.join("examples.md"), public).unwrap();
    let mut listing = world.listing();
    listing.modules[0].files.iter_mut().for_each(|file| file.digest = None);
    let pack = pack(Role::Builder, &[], &[]);
    let layout = lay_out(&request(&pack, &listing)).unwrap();
    let is_over = AtomicBool::new(false);
    let (mut copied, mut refused) = (0, 0);
    thread::scope(|scope| {
        let _stops = StopsWithMe(&is_over);
        scope.spawn(|| {
            let next = module.join("next");
            while !is_over.load(Ordering::Relaxed) {
                fs::write(&next, public).unwrap();
                fs::rename(&next, module.join("examples.md")).unwrap();
                symlink("implementation/lib.rs", &next).unwrap();
                fs::rename(&next, module.join("examples.md")).unwrap();
            }
        });
        for nth in 0..5000 {
            match world.make(&layout, Writer::Nobody, &format!("v{nth}")) {
                Ok(view) => {
                    assert!(!leaks(view.root()));
                    view.discard().unwrap();
                    copied += 1;
                }
                Err(_) => refused += 1,
            }
            if copied >= 20 && refused >= 20 {
                break;
            }
        }
    });
    assert!(copied > 0 && refused > 0, "there was no race: {copied} copied, {refused} refused");
}

#[test]
fn a_change_while_a_file_is_read_is_noticed() {
    let world = World::new();
    let path = world.path("large");
    let length = 256 * 1024;
    fs::write(&path, "a".repeat(length)).unwrap();
    let folder = Folder::open(path.parent().unwrap()).unwrap();
    let is_over = AtomicBool::new(false);
    let (mut whole, mut refused) = (0, 0);
    thread::scope(|scope| {
        let _stops = StopsWithMe(&is_over);
        scope.spawn(|| {
            let mut file = fs::File::options().write(true).open(&path).unwrap();
            for letter in ["b", "a"].into_iter().cycle() {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                let content = letter.repeat(length);
                std::io::Seek::rewind(&mut file).unwrap();
                file.write_all(content.as_bytes()).unwrap();
                thread::yield_now();
            }
        });
        for _ in 0..5000 {
            match folder.read("large", 1 << 20) {
                // Where the clock of the file system is too coarse to see a change, the digest still is of
                // exactly these bytes; that they are of one moment is what a harvest waits for.
                Ok(plain) => {
                    assert_eq!(plain.bytes.len(), length);
                    whole += 1;
                }
                Err(obstacle) => {
                    assert!(matches!(obstacle, Obstacle::Changed), "{obstacle}");
                    refused += 1;
                }
            }
            if refused >= 20 {
                break;
            }
        }
    });
    assert!(refused > 0, "no change was noticed in {whole} readings");
}

/// Proves in part: F-OPAQUE-001
#[test]
fn a_work_tree_is_copied_without_repositories_the_harness_and_the_store() {
    let world = World::new();
    world.plant("src/lib.rs", "pub fn f() {}");
    for repository in [
        ".git",
        "vendor/lib/.git",
        "vendor/case/.GIT",
        "vendor/odd/.git ",
        "vendor/hfs/.g\u{200c}it",
    ] {
        world.plant(&format!("{repository}/objects/pack"), SECRET);
    }
    // A linked work tree has a file of that name, which says where the real one is.
    world.plant("linked/.git", "gitdir: ../../store");
    world.plant(".sealwright/store/modules/MM-x/1.0.0/implementation/lib.rs", SECRET);
    world.plant("target/debug/lib", SECRET);
    world.plant("crates/a/target/debug/lib", SECRET);
    world.plant("docs/private/notes.md", SECRET);
    world.plant("docs/public/notes.md", "public");
    mknodat(CWD, world.tree().join("pipe"), FileType::Fifo, Mode::RWXU, 0).unwrap();
    let _listener = UnixListener::bind(world.tree().join("socket")).unwrap();
    let naive = contents(&world.tree());
    assert!(naive.values().any(|bytes| bytes == SECRET.as_bytes()), "the control does not leak");

    let layout = world.layout_of_tree(Role::Verifier, Hand::Tries, &["target", "docs/private"]);
    let view = world.make(&layout, Writer::Nobody, "v").unwrap();
    let found: Vec<String> = contents(&view.work_folder()).into_keys().collect();
    assert_eq!(found, ["docs/public/notes.md", "src/lib.rs"]);
    assert!(!leaks(view.root()));
    let left_out: Vec<&str> = view.left_out().iter().map(|it| it.path.as_str()).collect();
    assert_eq!(
        left_out,
        [
            ".git",
            ".sealwright",
            "crates/a/target",
            "docs/private",
            "linked/.git",
            "pipe",
            "socket",
            "target",
            "vendor/case/.GIT",
            "vendor/hfs/.g\u{200c}it",
            "vendor/lib/.git",
            "vendor/odd/.git ",
        ]
    );
}

#[test]
fn the_store_is_left_out_of_a_tree_whatever_it_is_called() {
    let world = World::new();
    world.plant("a.txt", "a");
    fs::rename(world.store(), world.tree().join("harmless")).unwrap();
    let store = world.tree().join("harmless");
    let pack = pack(Role::Verifier, &[(OPEN, Permission::Full)], &[]);
    let tree = tree_at(&world.tree());
    let listing = Listing::default();
    let layout = lay_out(&Request { work: Some(&tree), ..request(&pack, &listing) }).unwrap();
    let view = make_from(&store, &layout, &world.path("views/v")).unwrap();
    assert_eq!(contents(&view.work_folder()).into_keys().collect::<Vec<_>>(), ["a.txt"]);
}

/// Proves in part: F-OPAQUE-001, F-OPAQUE-002
#[test]
fn a_sealed_module_cannot_be_passed_off_as_a_work_tree() {
    let world = World::new();
    let alias = world.path("alias");
    symlink(world.module(), &alias).unwrap();
    let workspace = world.store().join("workspaces/T-limits/MM-open/attempt-1");
    fs::create_dir_all(&workspace).unwrap();
    let outcome = |root: &Path, name: &str| {
        let pack = pack(Role::Verifier, &[(OPEN, Permission::Full)], &[]);
        let (tree, listing) = (tree_at(root), world.listing());
        let layout = lay_out(&Request { work: Some(&tree), ..request(&pack, &listing) }).unwrap();
        world.make(&layout, Writer::Nobody, name)
    };
    let roots = [world.module(), world.module().join("implementation"), world.store(), alias];
    for (nth, root) in roots.iter().enumerate() {
        assert!(leaks(&fs::canonicalize(root).unwrap()), "the control does not leak");
        let refused = outcome(root, &format!("v{nth}")).unwrap_err();
        assert!(matches!(refused, ViewError::TreeInStore), "{}: {refused}", root.display());
    }
    assert!(outcome(&workspace, "workspace").is_ok());
}

#[test]
fn links_are_kept_that_cannot_lead_out_and_no_others() {
    let kept = ["lib.rs", "../a", "../b/lib.rs", "deep/x/../..", "."];
    let outcomes = kept.map(|to| {
        let world = World::new();
        world.plant("src/a", "a");
        world.plant("src/deep/b", "b");
        symlink(to, world.tree().join("src/link")).unwrap();
        let layout = world.layout_of_tree(Role::Verifier, Hand::Tries, &[]);
        world.make(&layout, Writer::Nobody, "v").map(|view| {
            let link = fs::read_link(view.work_folder().join("src/link")).unwrap();
            (link.display().to_string(), view.manifest().work[&path("src/link")])
        })
    });
    for (to, outcome) in kept.iter().zip(outcomes) {
        match outcome {
            Ok((link, held)) => assert_eq!((link.as_str(), held), (*to, Held::link(to.as_bytes()))),
            Err(refused) => {
                // It climbs behind a name, and that name could lead anywhere.
                assert_eq!(*to, "deep/x/../..");
                assert!(matches!(refused, ViewError::LinkLeaves { .. }), "{refused}");
            }
        }
    }
    let world = World::new();
    let secret = world.module().join("implementation/lib.rs").display().to_string();
    for to in [secret.as_str(), "../../etc/passwd", "../..", "/", "a/../../../x", "/work/a"] {
        let world = World::new();
        world.plant("src/a", "a");
        symlink(to, world.tree().join("src/link")).unwrap();
        let layout = world.layout_of_tree(Role::Verifier, Hand::Tries, &[]);
        let refused = world.make(&layout, Writer::Nobody, "v").unwrap_err();
        assert!(matches!(refused, ViewError::LinkLeaves { .. }), "{to}: {refused}");
    }
}

#[test]
fn a_tree_with_a_second_name_of_a_file_outside_is_refused() {
    let world = World::new();
    world.plant("a", "a");
    fs::hard_link(world.module().join("implementation/lib.rs"), world.tree().join("b")).unwrap();
    assert_eq!(fs::read_to_string(world.tree().join("b")).unwrap(), SECRET, "the control");
    let layout = world.layout_of_tree(Role::Verifier, Hand::Tries, &[]);
    let refused = world.make(&layout, Writer::Nobody, "v").unwrap_err();
    assert!(is(&refused, |it| matches!(it, Obstacle::HardLinked { .. })), "{refused}");
    assert!(refused.hint().is_some());
}

#[test]
fn a_tree_is_bounded() {
    let world = World::new();
    (0..4).for_each(|nth| world.plant(&format!("f{nth}"), "12345"));
    let layout = world.layout_of_tree(Role::Verifier, Hand::Tries, &[]);
    let outcome = |bounds: Bounds, name: &str| {
        let (store, into) = (world.store(), world.path("views").join(name));
        let (owner, writer) = (Owner::Harness, Writer::Nobody);
        materialise(&layout, &ViewTarget { store: &store, into: &into, owner, writer, bounds })
            .map(|_| ())
    };
    let bounds = Bounds { files_max: 4, file_bytes_max: 4096, bytes_max: 20 };
    assert!(outcome(bounds, "fits").is_ok());
    let fewer = outcome(Bounds { files_max: 3, ..bounds }, "files");
    assert!(matches!(fewer, Err(ViewError::TooMuch { most: 3, what: "files in a tree" })));
    let less = outcome(Bounds { bytes_max: 19, ..bounds }, "bytes");
    assert!(matches!(less, Err(ViewError::TooMuch { most: 19, what: "bytes in a tree" })));

    let deep = format!("{}x", "d/".repeat(64));
    world.plant(&deep, "deep");
    assert!(matches!(outcome(Bounds::default(), "deep"), Err(ViewError::Name(_))));
}

/// Proves in part: B-008
#[test]
fn nobody_gets_a_tree_to_write_without_its_lease() {
    let world = World::new();
    world.plant("a", "a");
    let layout = world.layout_of_tree(Role::Builder, Hand::Builds, &[]);
    let refused = world.make(&layout, Writer::Nobody, "v").unwrap_err();
    assert!(matches!(refused, ViewError::NoLease), "{refused}");
    let other = WriteLease::take(&world.store(), &world.leases(), "of another tree").unwrap();
    let refused = world.make(&layout, Writer::Holds(&other), "v").unwrap_err();
    assert!(matches!(refused, ViewError::NoLease), "{refused}");
    let lease = world.lease();
    assert!(world.make(&layout, Writer::Holds(&lease), "v").is_ok());
}

#[test]
fn a_view_is_made_where_nothing_was() {
    let world = World::new();
    let layout = world.layout_of_tree(Role::Verifier, Hand::Tries, &[]);
    world.make(&layout, Writer::Nobody, "v").unwrap();
    assert!(matches!(world.make(&layout, Writer::Nobody, "v"), Err(ViewError::Exists)));
    symlink(world.store(), world.path("views/link")).unwrap();
    assert!(matches!(world.make(&layout, Writer::Nobody, "link"), Err(ViewError::Exists)));
}

/// Proves in part: B-013
#[test]
fn a_scout_finds_what_lies_in_its_cap_and_nothing_else() {
    let world = World::new();
    for path in ["src/a.rs", "src/deep/b.rs", "srcs/c.rs", "docs/d.md", "docs/e.md", "f"] {
        world.plant(path, path);
    }
    let pack = pack(Role::Scout, &[(OPEN, Permission::Full)], &[]);
    let cap = Cap::Only(vec![path("src/deep"), path("docs/d.md"), path("nowhere")]);
    let (tree, listing) = (WorkTree { cap, ..tree_at(&world.tree()) }, Listing::default());
    let layout = lay_out(&Request { work: Some(&tree), ..request(&pack, &listing) }).unwrap();
    let view = world.make(&layout, Writer::Nobody, "v").unwrap();
    let found: Vec<String> = contents(&view.work_folder()).into_keys().collect();
    assert_eq!(found, ["docs/d.md", "src/deep/b.rs"]);
    assert!(crate::view::tree(&layout).contains("only src/deep, docs/d.md, nowhere"));
}

#[test]
fn a_mount_has_no_link_in_its_path() {
    let world = World::new();
    world.plant("a", "a");
    fs::rename(world.path("views"), world.path("real")).unwrap();
    symlink("real", world.path("views")).unwrap();
    let layout = world.layout_of_tree(Role::Verifier, Hand::Tries, &[]);
    let view = world.make(&layout, Writer::Nobody, "v").unwrap();
    for mount in view.mounts() {
        assert_eq!(mount.source.canonicalize().unwrap(), mount.source);
    }
}

#[test]
fn two_views_of_the_same_are_the_same_and_one_byte_tells() {
    let world = World::new();
    world.plant("a", "a");
    let layout = world.layout_of_tree(Role::Verifier, Hand::Tries, &[]);
    let digest =
        |name: &str| world.make(&layout, Writer::Nobody, name).unwrap().manifest().digest();
    let first = digest("v1");
    assert_eq!(first, digest("v2"));
    world.plant("a", "b");
    assert_ne!(first, digest("v3"));
}

#[test]
fn a_folder_of_a_role_is_passed_through_and_not_looked_at() {
    let world = World::new();
    world.plant("a", "a");
    let layout = world.layout_of_tree(Role::Verifier, Hand::Tries, &[]);
    let (store, into) = (world.store(), world.path("views/v"));
    // Ourselves, because only root gives files away.
    let me = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    let owner = Owner::Role { uid: me.0, gid: me.1 };
    let (writer, bounds) = (Writer::Nobody, Bounds::default());
    materialise(&layout, &ViewTarget { store: &store, into: &into, owner, writer, bounds })
        .unwrap();
    let found = fs::metadata(&into).unwrap();
    assert_eq!(
        (found.permissions().mode() & 0o7777, found.uid(), found.gid()),
        (0o710, me.0, me.1)
    );
    let kept = fs::metadata(into.join("kept")).unwrap();
    assert_eq!(kept.permissions().mode() & 0o7777, 0o700);
}

fn link_to_source(world: &World) -> Listing {
    let listing = undigested(world, "examples.md");
    let examples = world.module().join("examples.md");
    fs::remove_file(&examples).unwrap();
    symlink("implementation/lib.rs", &examples).unwrap();
    listing
}

fn hard_link_to_source(world: &World) -> Listing {
    let listing = undigested(world, "contract.json");
    let contract = world.module().join("contract.json");
    fs::remove_file(&contract).unwrap();
    fs::hard_link(world.module().join("implementation/lib.rs"), &contract).unwrap();
    listing
}

fn pipe_of_source(world: &World) -> Listing {
    let listing = undigested(world, "ship.json");
    let ship = world.module().join("ship.json");
    fs::remove_file(&ship).unwrap();
    mknodat(CWD, &ship, FileType::Fifo, Mode::RWXU, 0).unwrap();
    listing
}

fn folder_link_to_source(world: &World) -> Listing {
    let source = world.module().join("implementation");
    for surface in ["contract.json", "examples.md", "ship.json"] {
        fs::write(source.join(surface), SECRET).unwrap();
    }
    let evil = world.store().join("modules/MM-evil");
    fs::create_dir_all(&evil).unwrap();
    symlink(&source, evil.join("1.0.0")).unwrap();
    let listed = |path: &str| ListedFile { path: path.to_owned(), bytes: 4096, digest: None };
    let module = ListedModule {
        reference: named("MM-evil@1.0.0"),
        status: "SHIPPED".to_owned(),
        files: ["contract.json", "examples.md", "ship.json"].map(listed).to_vec(),
        contract: Vec::new(),
    };
    Listing { modules: vec![module], artifacts: Vec::new() }
}

/// A listing that lets everything through, so that only the walk can notice.
fn undigested(world: &World, planted: &str) -> Listing {
    let mut listing = world.listing();
    assert_eq!(listing.modules[0].reference, named(SEALED));
    for file in &mut listing.modules[0].files {
        file.digest = None;
        if file.path == planted {
            file.bytes = 4096;
        }
    }
    listing
}

/// What a copy does that opens files by their names, as `cp -L` does.
fn naive_copy_leaks(world: &World, layout: &Layout) -> bool {
    layout.entries().iter().any(|entry| {
        let Content::Copied { from, .. } = entry.content() else { return false };
        let source = world.store().join(from.as_str());
        let is_pipe = fs::metadata(&source).unwrap().file_type().is_fifo();
        thread::scope(|scope| {
            if is_pipe {
                scope.spawn(|| fs::write(&source, SECRET).unwrap());
            }
            fs::read_to_string(&source).unwrap().contains(SECRET)
        })
    })
}

fn make_from(store: &Path, layout: &Layout, into: &Path) -> Result<View, ViewError> {
    let (owner, writer, bounds) = (Owner::Harness, Writer::Nobody, Bounds::default());
    materialise(layout, &ViewTarget { store, into, owner, writer, bounds })
}

fn tree_at(root: &Path) -> WorkTree {
    WorkTree {
        module: named(OPEN),
        root: root.to_owned(),
        hand: Hand::Tries,
        cap: Cap::WholeTree,
        leave_out: Vec::new(),
    }
}

fn task_file(path: &str) -> ListedArtifact {
    ListedArtifact {
        reference: named("T-limits@1.0.0"),
        name: "the task".to_owned(),
        status: "DRAFT".to_owned(),
        tags: Vec::new(),
        content: Stored::InStore(ListedFile { path: path.to_owned(), bytes: 4096, digest: None }),
    }
}

fn is(error: &ViewError, expected: fn(&Obstacle) -> bool) -> bool {
    matches!(error, ViewError::Unfit { source, .. } if expected(source))
}

fn path(text: &str) -> TreePath {
    TreePath::new(text).unwrap()
}
