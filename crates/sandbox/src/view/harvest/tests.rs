use std::collections::BTreeMap as Map;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use proptest::prelude::*;
use rustix::fs::{CWD, FileType, mknodat};
use sealwright_kernel::{Digest, Role};

use super::*;
use crate::view::fixture::{SECRET, StopsWithMe, World};
use crate::view::manifest::Kind;
use crate::view::{Bounds, Hand, Owner, ViewTarget, Writer, materialise};

#[test]
fn what_a_builder_changed_comes_out_with_digests_on_both_sides() {
    let edit = |work: &Path| {
        fs::write(work.join("src/lib.rs"), "new").unwrap();
        fs::write(work.join("added.md"), "added").unwrap();
        fs::remove_file(work.join("gone.txt")).unwrap();
        fs::set_permissions(work.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::create_dir(work.join("empty")).unwrap();
    };
    let (world, view) = edited(edit);
    let Harvest::Taken { patch, kept } = view.harvest(&Allowance::Anywhere).unwrap() else {
        panic!("it was refused")
    };
    let plain =
        |content: &str| Some(Held { content: Digest::of(content.as_bytes()), kind: Kind::Plain });
    let runs = |content: &str| {
        Some(Held { content: Digest::of(content.as_bytes()), kind: Kind::Executable })
    };
    assert_eq!(
        patch.changes,
        [
            Change { path: at("added.md"), before: None, after: plain("added") },
            Change { path: at("gone.txt"), before: plain("gone"), after: None },
            Change { path: at("run.sh"), before: plain("run"), after: runs("run") },
            Change { path: at("src/lib.rs"), before: plain("old"), after: plain("new") },
        ]
    );
    assert_eq!(kept.content(Digest::of(b"new")).unwrap(), b"new");
    assert!(kept.content(Digest::of(b"never seen")).is_err());
    // The original is as it was.
    assert_eq!(fs::read_to_string(world.tree().join("src/lib.rs")).unwrap(), "old");
}

#[test]
fn an_untouched_tree_gives_an_empty_patch_and_the_digest_of_a_patch_is_its_own() {
    let (_world, view) = edited(|_| {});
    let empty = taken(&view, &Allowance::Nowhere);
    assert!(empty.is_empty());
    let (_world, view) = edited(|work| fs::write(work.join("gone.txt"), "1").unwrap());
    let one = taken(&view, &Allowance::Anywhere);
    assert_eq!(one.digest(), taken(&view, &Allowance::Anywhere).digest());
    assert_ne!(one.digest(), empty.digest());
    let text = String::from_utf8(sealwright_kernel::canonical_json(&one).unwrap()).unwrap();
    let [before, after] = [b"gone".as_slice(), b"1"].map(Digest::of);
    let expected = format!(
        r#"{{"changes":[{{"after":{{"content":"{after}","kind":"plain"}},"before":{{"content":"{before}","kind":"plain"}},"path":"gone.txt"}}]}}"#
    );
    assert_eq!(text, expected);
    assert_eq!(one.digest(), Digest::of(expected.as_bytes()));
}

#[test]
fn what_is_changed_outside_the_allowance_is_refused_path_by_path() {
    let (_world, view) = edited(|work| {
        fs::write(work.join("src/lib.rs"), "new").unwrap();
        fs::create_dir(work.join("srcs")).unwrap();
        fs::write(work.join("srcs/x"), "x").unwrap();
        fs::remove_file(work.join("gone.txt")).unwrap();
        fs::set_permissions(work.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    });
    let outside = |path: &str| Refusal::OutsideAllowance { path: path.to_owned() };
    let cap = Allowance::Below(vec![at("src")]);
    assert_eq!(refused(&view, &cap), [outside("run.sh"), outside("srcs/x"), outside("gone.txt")]);
    let cap = Allowance::Below(vec![at("src"), at("srcs/x"), at("gone.txt"), at("run.sh")]);
    assert_eq!(taken(&view, &cap).changes.len(), 4);
    assert_eq!(refused(&view, &Allowance::Below(Vec::new())).len(), 4);
}

/// Proves in part: B-003, B-006, P-012
#[test]
fn any_change_by_a_role_that_reads_is_a_refusal() {
    type Edit = fn(&Path);
    let edits: [(&str, Edit); 5] = [
        ("src/lib.rs", |work| fs::write(work.join("src/lib.rs"), "new").unwrap()),
        ("gone.txt", |work| fs::remove_file(work.join("gone.txt")).unwrap()),
        ("run.sh", |work| {
            fs::set_permissions(work.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        }),
        ("empty", |work| fs::create_dir(work.join("empty")).unwrap()),
        ("added", |work| fs::write(work.join("added"), "").unwrap()),
    ];
    for (path, edit) in edits {
        let world = planted();
        let layout = world.layout_of_tree(Role::Verifier, Hand::Tries, &[]);
        let view = world.make(&layout, Writer::Nobody, "v").unwrap();
        edit(&view.work_folder());
        // However much it is allowed.
        let expected = [Refusal::ReadOnly { path: path.to_owned() }];
        assert_eq!(refused(&view, &Allowance::Anywhere), expected);
    }
}

/// One tree with everything wrong in it, and every reason is told.
#[test]
fn all_that_is_wrong_with_a_tree_is_told_at_once() {
    let (world, view) = edited(|_| {});
    let work = view.work_folder();
    let secret = world.module().join("implementation/lib.rs");
    symlink(&secret, work.join("a-link-out")).unwrap();
    symlink("src/lib.rs", work.join("b-link-in")).unwrap();
    fs::remove_file(work.join("gone.txt")).unwrap();
    symlink("../../store", work.join("gone.txt")).unwrap();
    mknodat(CWD, work.join("c-pipe"), FileType::Fifo, Mode::RWXU, 0).unwrap();
    let _listener = UnixListener::bind(work.join("d-socket")).unwrap();
    for (name, mode) in
        [("e-setuid", 0o4755), ("f-setgid", 0o2755), ("g-sticky", 0o1755), ("h-unread", 0o200)]
    {
        fs::write(work.join(name), "x").unwrap();
        fs::set_permissions(work.join(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    fs::hard_link(&secret, work.join("i-hard")).unwrap();
    fs::File::create(work.join("j-large")).unwrap().set_len((64 << 20) + 1).unwrap();
    fs::create_dir_all(work.join("k/.git/hooks")).unwrap();
    fs::create_dir_all(work.join(".GIT")).unwrap();
    fs::write(work.join("l\u{1b}[2J"), "x").unwrap();
    fs::write(work.join(std::ffi::OsStr::from_bytes(b"m\xff")), "x").unwrap();
    fs::write(work.join("SRC"), "x").unwrap();
    fs::create_dir_all(work.join(".sealwright/store")).unwrap();
    fs::create_dir(work.join("sticky")).unwrap();
    fs::set_permissions(work.join("sticky"), fs::Permissions::from_mode(0o1755)).unwrap();
    fs::create_dir(work.join("closed")).unwrap();
    fs::set_permissions(work.join("closed"), fs::Permissions::from_mode(0o000)).unwrap();

    // The control: whoever follows names reads the secret, three times.
    let naive = ["a-link-out", "gone.txt/modules/MM-sealed/1.0.0/implementation/lib.rs", "i-hard"];
    let read = naive.map(|name| fs::read_to_string(work.join(name)).unwrap_or_default());
    assert_eq!(read[0], SECRET);
    assert_eq!(read[2], SECRET);

    let text = |path: &str| path.to_owned();
    let name = |path: &str, fault| Refusal::Name { path: text(path), fault };
    let mut expected = vec![
        name(".GIT", Fault::Repository),
        name(".sealwright", Fault::Harness),
        Refusal::LinkOut { path: text("a-link-out"), to: secret.display().to_string() },
        Refusal::LinkMade { path: text("b-link-in") },
        Refusal::Fifo { path: text("c-pipe") },
        Refusal::Socket { path: text("d-socket") },
        Refusal::SpecialBits { path: text("e-setuid") },
        Refusal::SpecialBits { path: text("f-setgid") },
        Refusal::SpecialBits { path: text("g-sticky") },
        Refusal::LinkOut { path: text("gone.txt"), to: text("../../store") },
        Refusal::Unreadable { path: text("h-unread") },
        Refusal::HardLinked { path: text("i-hard"), links: 2 },
        Refusal::TooLarge { path: text("j-large"), bytes_max: 64 << 20 },
        name("k/.git", Fault::Repository),
        name("l\\u{1b}[2J", Fault::Control),
        name("m\u{fffd}", Fault::NotUtf8),
        Refusal::CaseCollision { path: text("src"), other: text("SRC") },
        Refusal::SpecialBits { path: text("sticky") },
        Refusal::Unreadable { path: text("closed") },
    ];
    let mut found = refused(&view, &Allowance::Anywhere);
    let key = |refusal: &Refusal| refusal.to_string();
    found.sort_by_key(key);
    expected.sort_by_key(key);
    assert_eq!(found, expected);
}

#[test]
fn a_device_is_refused() {
    // Only root makes devices; the walk is the same over the system's own.
    let (_world, view) = edited(|_| {});
    let mut walk = walk_of(&view);
    let devices = Folder::open(Path::new("/dev")).unwrap();
    walk.entry(&devices, "null", &at("null")).unwrap();
    assert_eq!(walk.refusals, [Refusal::Device { path: "null".to_owned() }]);
}

#[test]
fn the_repository_made_for_a_role_is_never_read_and_only_at_the_top() {
    let (_world, view) = edited(|work| {
        fs::create_dir_all(work.join(".git/hooks")).unwrap();
        symlink("/etc", work.join(".git/objects")).unwrap();
        fs::create_dir_all(work.join("target/debug")).unwrap();
        fs::hard_link(work.join("run.sh"), work.join("target/debug/run")).unwrap();
        fs::remove_dir_all(work.join("target")).unwrap();
        fs::create_dir_all(work.join("target/debug")).unwrap();
        symlink("/etc", work.join("target/debug/etc")).unwrap();
    });
    // What is left out neither goes in nor comes out.
    assert!(taken(&view, &Allowance::Anywhere).is_empty());

    let (_world, view) = edited(|work| symlink("/etc", work.join(".git")).unwrap());
    let expected = Refusal::Name { path: ".git".to_owned(), fault: Fault::Repository };
    assert_eq!(refused(&view, &Allowance::Anywhere), [expected]);
}

#[test]
fn links_of_the_tree_stay_as_they_are_or_go() {
    let world = planted();
    symlink("src/lib.rs", world.tree().join("link")).unwrap();
    symlink("src", world.tree().join("folder-link")).unwrap();
    let lease = world.lease();
    let view = world.builder_view(&lease, "v");
    let work = view.work_folder();
    assert!(taken(&view, &Allowance::Anywhere).is_empty());
    fs::remove_file(work.join("link")).unwrap();
    let patch = taken(&view, &Allowance::Anywhere);
    assert_eq!(
        patch.changes,
        [Change {
            path: at("link"),
            before: Some(Held { content: Digest::of(b"src/lib.rs"), kind: Kind::Link }),
            after: None,
        }]
    );
    // A file instead of a link is a file; another link is refused.
    fs::write(work.join("link"), "a file").unwrap();
    assert_eq!(taken(&view, &Allowance::Anywhere).changes[0].after.unwrap().kind, Kind::Plain);
    fs::remove_file(work.join("folder-link")).unwrap();
    symlink(".", work.join("folder-link")).unwrap();
    let expected = Refusal::LinkMade { path: "folder-link".to_owned() };
    assert_eq!(refused(&view, &Allowance::Anywhere), [expected]);
}

#[test]
fn a_tree_that_came_with_two_spellings_keeps_them() {
    let world = planted();
    world.plant("README", "1");
    world.plant("readme", "2");
    let lease = world.lease();
    let view = world.builder_view(&lease, "v");
    assert!(taken(&view, &Allowance::Anywhere).is_empty());
    fs::write(view.work_folder().join("ReadMe"), "3").unwrap();
    assert!(matches!(
        refused(&view, &Allowance::Anywhere)[..],
        [Refusal::CaseCollision { .. }, ..]
    ));
}

#[test]
fn two_ways_to_write_an_accent_are_one_name() {
    let world = planted();
    world.plant("caf\u{e9}.txt", "composed");
    let lease = world.lease();
    let view = world.builder_view(&lease, "v");
    assert!(taken(&view, &Allowance::Anywhere).is_empty());
    fs::write(view.work_folder().join("cafe\u{301}.txt"), "decomposed").unwrap();
    assert!(matches!(
        refused(&view, &Allowance::Anywhere)[..],
        [Refusal::CaseCollision { .. }, ..]
    ));
}

#[test]
fn a_harvest_is_bounded() {
    let world = planted();
    let layout = world.layout_of_tree(Role::Builder, Hand::Builds, &[]);
    let lease = world.lease();
    let (store, into) = (world.store(), world.path("views/v"));
    let (owner, writer) = (Owner::Harness, Writer::Holds(&lease));
    let bounds = Bounds { files_max: 8, file_bytes_max: 1 << 20, bytes_max: 16 };
    let place = ViewTarget { store: &store, into: &into, owner, writer, bounds };
    let view = materialise(&layout, &place).unwrap();
    let work = view.work_folder();
    fs::write(work.join("a"), "12345678").unwrap();
    fs::write(work.join("b"), "12345678").unwrap();
    assert_eq!(taken(&view, &Allowance::Anywhere).changes.len(), 2);
    fs::write(work.join("b"), "123456789").unwrap();
    let too_long = Refusal::TooMuch { most: 16, what: "bytes of changes" };
    assert_eq!(refused(&view, &Allowance::Anywhere), [too_long]);
    fs::write(work.join("b"), "").unwrap();
    // Four came with the tree, two were added; the role's own repository does not count.
    fs::create_dir_all(work.join(".git/objects")).unwrap();
    (0..2).for_each(|nth| fs::write(work.join(format!("f{nth}")), "").unwrap());
    assert_eq!(taken(&view, &Allowance::Anywhere).changes.len(), 4);
    fs::write(work.join("f2"), "").unwrap();
    let too_many = Refusal::TooMuch { most: 8, what: "files in a tree" };
    assert!(refused(&view, &Allowance::Anywhere).contains(&too_many));
}

#[test]
fn a_tree_deeper_than_any_path_ends_the_walk_and_not_the_harness() {
    let (_world, view) = edited(|work| {
        let mut folder = rustix::fs::open(work, rustix::fs::OFlags::PATH, Mode::empty()).unwrap();
        for _ in 0..3000 {
            rustix::fs::mkdirat(&folder, "d", Mode::RWXU).unwrap();
            folder =
                rustix::fs::openat(&folder, "d", rustix::fs::OFlags::PATH, Mode::empty()).unwrap();
        }
    });
    let found = refused(&view, &Allowance::Anywhere);
    assert!(matches!(found[..], [Refusal::Name { fault: Fault::TooDeep, .. }]), "{found:?}");
    view.discard().unwrap();
}

/// Somebody outlived the run and keeps writing. That is noticed, and what is taken is what was hashed.
#[test]
fn a_tree_that_still_moves_is_refused_and_taken_when_it_is_still() {
    let world = planted();
    let length = 64 * 1024;
    world.plant("large", &"a".repeat(length));
    let lease = world.lease();
    let view = world.builder_view(&lease, "v");
    let path = view.work_folder().join("large");
    let is_over = AtomicBool::new(false);
    let mut refusals = 0;
    thread::scope(|scope| {
        let _stops = StopsWithMe(&is_over);
        scope.spawn(|| {
            let mut file = fs::File::options().write(true).open(&path).unwrap();
            for letter in ["b", "a"].into_iter().cycle() {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                std::io::Seek::rewind(&mut file).unwrap();
                std::io::Write::write_all(&mut file, letter.repeat(length).as_bytes()).unwrap();
            }
        });
        for _ in 0..100_000 {
            match view.harvest(&Allowance::Anywhere).unwrap() {
                Harvest::Taken { patch, kept } => {
                    for change in &patch.changes {
                        let content = change.after.unwrap().content;
                        assert_eq!(Digest::of(&kept.content(content).unwrap()), content);
                    }
                }
                Harvest::Refused(reasons) => {
                    assert_eq!(reasons, [Refusal::Changing { path: "large".to_owned() }]);
                    refusals += 1;
                }
            }
            if refusals >= 10 {
                break;
            }
        }
    });
    assert!(refusals > 0, "nothing moved");
    assert!(matches!(view.harvest(&Allowance::Anywhere).unwrap(), Harvest::Taken { .. }));
}

#[test]
fn what_was_kept_is_hashed_again_before_it_is_handed_out() {
    let (_world, view) = edited(|work| fs::write(work.join("added"), "added").unwrap());
    let Harvest::Taken { kept, .. } = view.harvest(&Allowance::Anywhere).unwrap() else {
        panic!("it was refused")
    };
    let digest = Digest::of(b"added");
    assert_eq!(kept.content(digest).unwrap(), b"added");
    fs::write(view.root().join(KEPT_FOLDER).join(digest.to_string()), "other").unwrap();
    assert!(matches!(kept.content(digest), Err(ViewError::Differs { .. })));
}

/// Somebody outlived the run and swaps a file for a link to the secret.
#[test]
fn no_race_brings_a_secret_out_of_a_tree() {
    let (world, view) = edited(|_| {});
    let work = view.work_folder();
    let secret = world.module().join("implementation/lib.rs");
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let _stops = StopsWithMe(&is_over);
        scope.spawn(|| {
            let next = view.root().join("next");
            while !is_over.load(Ordering::Relaxed) {
                fs::write(&next, "harmless").unwrap();
                fs::rename(&next, work.join("gone.txt")).unwrap();
                symlink(&secret, &next).unwrap();
                fs::rename(&next, work.join("gone.txt")).unwrap();
            }
        });
        for _ in 0..500 {
            if let Harvest::Taken { patch, kept } = view.harvest(&Allowance::Anywhere).unwrap() {
                for after in patch.changes.iter().filter_map(|change| change.after) {
                    assert_ne!(kept.content(after.content).unwrap(), SECRET.as_bytes());
                }
            }
        }
    });
    let kept = fs::read_dir(view.root().join(KEPT_FOLDER)).unwrap();
    let mut kept = kept.map(|entry| fs::read(entry.unwrap().path()).unwrap());
    assert!(!kept.any(|bytes| bytes == SECRET.as_bytes()));
}

/// What somebody does to a tree.
#[derive(Clone, Debug)]
enum Edit {
    Write(&'static str, Vec<u8>),
    Remove(&'static str),
    MakeExecutable(&'static str),
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever was in the tree and whatever was done to it: the patch is the difference, no more and no less.
    #[test]
    fn a_harvest_is_exactly_what_was_edited(
        planted in prop::collection::btree_map(path(), prop::collection::vec(any::<u8>(), 0..8), 0..6),
        edits in prop::collection::vec(edit(), 0..8),
    ) {
        let world = World::new();
        for (path, bytes) in &planted {
            world.plant(path, "");
            fs::write(world.tree().join(path), bytes).unwrap();
        }
        let lease = world.lease();
        let view = world.builder_view(&lease, "v");
        let before: Map<&str, (Vec<u8>, Kind)> =
            planted.iter().map(|(path, bytes)| (*path, (bytes.clone(), Kind::Plain))).collect();
        let mut after = before.clone();
        for edit in &edits {
            let work = view.work_folder();
            match edit {
                Edit::Write(path, bytes) => {
                    fs::create_dir_all(work.join(path).parent().unwrap()).unwrap();
                    fs::write(work.join(path), bytes).unwrap();
                    after.entry(path).or_insert((Vec::new(), Kind::Plain)).0 = bytes.clone();
                }
                Edit::Remove(path) => {
                    let _ = fs::remove_file(work.join(path));
                    after.remove(path);
                }
                Edit::MakeExecutable(path) => {
                    if let Some(held) = after.get_mut(path) {
                        held.1 = Kind::Executable;
                        let mode = fs::Permissions::from_mode(0o755);
                        fs::set_permissions(work.join(path), mode).unwrap();
                    }
                }
            }
        }
        let held = |it: Option<&(Vec<u8>, Kind)>| {
            it.map(|(bytes, kind)| Held { content: Digest::of(bytes), kind: *kind })
        };
        let paths: BTreeSet<&str> = before.keys().chain(after.keys()).copied().collect();
        let expected: Vec<Change> = paths
            .into_iter()
            .map(|path| Change { path: at(path), before: held(before.get(path)), after: held(after.get(path)) })
            .filter(|change| change.before != change.after)
            .collect();
        let Harvest::Taken { patch, kept } = view.harvest(&Allowance::Anywhere).unwrap() else {
            panic!("it was refused")
        };
        prop_assert_eq!(&patch.changes, &expected);
        for change in patch.changes.iter().filter(|change| change.after.is_some()) {
            let content = kept.content(change.after.unwrap().content).unwrap();
            prop_assert_eq!(&content, &after[change.path.as_str()].0);
        }
    }
}

fn path() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "b.rs", "d/a", "d/e/f", "d-e", "ü/ß", ".hidden", "d.txt"])
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        (path(), prop::collection::vec(any::<u8>(), 0..8))
            .prop_map(|(path, it)| Edit::Write(path, it)),
        path().prop_map(Edit::Remove),
        path().prop_map(Edit::MakeExecutable),
    ]
}

/// A small work tree.
fn planted() -> World {
    let world = World::new();
    world.plant("src/lib.rs", "old");
    world.plant("gone.txt", "gone");
    world.plant("run.sh", "run");
    world
}

/// A builder's view of it, after `edit`.
fn edited(edit: impl FnOnce(&Path)) -> (World, View) {
    let world = planted();
    let lease = world.lease();
    let view = world.builder_view(&lease, "v");
    edit(&view.work_folder());
    (world, view)
}

fn walk_of(view: &View) -> Walk<'_> {
    Walk {
        view,
        leave_out: &[],
        allowance: &Allowance::Anywhere,
        still: Stillness::begin(&view.root).unwrap(),
        kept: Folder::open(&view.root.join(KEPT_FOLDER)).unwrap(),
        found: BTreeSet::new(),
        folders: BTreeSet::new(),
        changes: Vec::new(),
        refusals: Vec::new(),
        counted: 0,
        bytes: 0,
    }
}

fn taken(view: &View, allowance: &Allowance) -> Patch {
    match view.harvest(allowance).unwrap() {
        Harvest::Taken { patch, .. } => patch,
        Harvest::Refused(reasons) => panic!("refused: {reasons:?}"),
    }
}

fn refused(view: &View, allowance: &Allowance) -> Vec<Refusal> {
    match view.harvest(allowance).unwrap() {
        Harvest::Taken { patch, .. } => panic!("taken: {patch:?}"),
        Harvest::Refused(reasons) => reasons,
    }
}

fn at(text: &str) -> TreePath {
    TreePath::new(text).unwrap()
}
