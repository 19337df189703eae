use std::os::unix::fs::symlink;

use super::*;
use crate::room::rust;

fn gather(work: &Path, frozen: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
    let frozen = frozen.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    let sources = Sources::new(&["src"], "rs", rust::forbidden);
    let (material, tampering) =
        Material::gather(work, Frozen { files: frozen.collect(), ..Frozen::default() }, &sources)
            .unwrap();
    let told = tampering.into_iter().map(|told| format!("{}: {}", told.path, told.why));
    (material.sources.into_keys().collect(), told.collect())
}

fn write(work: &Path, path: &str, text: &str) {
    fs::create_dir_all(work.join(path).parent().unwrap()).unwrap();
    fs::write(work.join(path), text).unwrap();
}

#[test]
fn a_faithful_copy_of_what_is_frozen_is_no_tampering() {
    let work = tempfile::tempdir().unwrap();
    for path in ["Cargo.toml", "tests/it.rs", ".cargo/config.toml"] {
        write(work.path(), path, "same");
    }
    let frozen = [("Cargo.toml", "same"), ("tests/it.rs", "same"), (".cargo/config.toml", "same")];
    write(work.path(), "src/lib.rs", "");
    assert_eq!(gather(work.path(), &frozen), (vec!["src/lib.rs".to_owned()], vec![]));
    write(work.path(), "tests/it.rs", "other");
    let (_, told) = gather(work.path(), &frozen);
    assert_eq!(told, ["tests/it.rs: not what was frozen"]);
}

#[test]
fn links_pipes_and_second_names_do_not_come_along() {
    let work = tempfile::tempdir().unwrap();
    write(work.path(), "secret", "");
    write(work.path(), "src/lib.rs", "");
    symlink("../secret", work.path().join("src/link.rs")).unwrap();
    symlink("..", work.path().join("src/folder")).unwrap();
    fs::hard_link(work.path().join("secret"), work.path().join("src/second.rs")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        work.path().join("src/pipe.rs"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    let (taken, told) = gather(work.path(), &[]);
    assert_eq!(taken, ["src/lib.rs"]);
    assert_eq!(
        told,
        [
            "src/folder: a link",
            "src/link.rs: a link",
            "src/pipe.rs: neither a file nor a folder",
            "src/second.rs: a file with another name elsewhere",
        ]
    );
}

#[test]
fn a_source_folder_that_is_a_link_is_not_followed() {
    let work = tempfile::tempdir().unwrap();
    write(work.path(), "elsewhere/lib.rs", "");
    symlink("elsewhere", work.path().join("src")).unwrap();
    symlink("elsewhere", work.path().join("docs")).unwrap();
    assert_eq!(gather(work.path(), &[]), (vec![], vec!["src: a link".to_owned()]));
}

#[test]
fn nothing_stands_in_the_way_of_what_is_frozen() {
    let work = tempfile::tempdir().unwrap();
    write(work.path(), "src/table", "");
    write(work.path(), "src/data.rs/more.rs", "");
    symlink("/etc", work.path().join("tests")).unwrap();
    let frozen = [("src/table/one.rs", ""), ("src/data.rs", ""), ("tests/it.rs", "")];
    let (taken, told) = gather(work.path(), &frozen);
    assert_eq!(taken, [""; 0]);
    assert_eq!(
        told,
        [
            "src/data.rs: not what was frozen",
            "src/data.rs/more.rs: in the way of what was frozen",
            "src/table: in the way of what was frozen",
            "tests: in the way of what was frozen",
        ]
    );
}

#[test]
fn every_file_of_a_room_is_new() {
    let work = tempfile::tempdir().unwrap();
    write(work.path(), "src/lib.rs", "old");
    let long_ago = std::time::SystemTime::UNIX_EPOCH;
    fs::File::open(work.path().join("src/lib.rs")).unwrap().set_modified(long_ago).unwrap();
    let (material, _) = Material::gather(
        work.path(),
        Frozen::default(),
        &Sources::new(&["src"], "rs", rust::forbidden),
    )
    .unwrap();
    let room = work.path().join("room");
    material.put(&room, |_| true).unwrap();
    let put = fs::metadata(room.join("src/lib.rs")).unwrap();
    assert!(put.modified().unwrap() >= fs::metadata(work.path()).unwrap().modified().unwrap());
    assert_eq!(put.permissions().mode() & 0o7777, 0o644);
}

#[test]
fn what_can_be_run_can_be_run_in_a_room() {
    let folder = tempfile::tempdir().unwrap();
    let (work, tests) = (folder.path().join("work"), folder.path().join("tests"));
    write(&work, "src/run.rs", "");
    write(&work, "src/lib.rs", "");
    write(&tests, "tests/tool", "");
    for path in [work.join("src/run.rs"), tests.join("tests/tool")] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let sources = Sources::new(&["src"], "rs", rust::forbidden);
    let (material, _) = Material::gather(&work, frozen(&tests).unwrap(), &sources).unwrap();
    let room = folder.path().join("room");
    material.put(&room, |_| true).unwrap();
    let mode = |path: &str| fs::metadata(room.join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!([mode("src/run.rs"), mode("src/lib.rs"), mode("tests/tool")], [0o755, 0o644, 0o755]);
}

#[test]
fn a_tree_that_is_too_large_is_refused() {
    let work = tempfile::tempdir().unwrap();
    write(work.path(), "src/lib.rs", "");
    let large = fs::File::create(work.path().join("src/large.rs")).unwrap();
    large.set_len((64 << 20) + 1).unwrap();
    let refused = Material::gather(
        work.path(),
        Frozen::default(),
        &Sources::new(&["src"], "rs", rust::forbidden),
    );
    assert!(matches!(refused, Err(RoomError::TooMuch { unit: "bytes", .. })));
}
