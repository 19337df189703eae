//! Files that a crash tore, a disk bent, or another program wrote.

use std::os::unix::fs::symlink;

use proptest::prelude::*;

use super::*;

fn five(root: &Path) -> Vec<u8> {
    let mut index = open(root);
    for nth in 0..5 {
        index.append(&[pointing(&format!("e{nth}"), f64::from(nth), 1.0)]).unwrap();
    }
    drop(index);
    std::fs::read(root.join(LOG)).unwrap()
}

/// The ends of its lines.
fn ends(bytes: &[u8]) -> Vec<usize> {
    (0..bytes.len()).filter(|at| bytes[*at] == b'\n').map(|at| at + 1).collect()
}

#[test]
fn a_torn_tail_is_dropped_and_told_and_cut_with_the_next_record() {
    let home = tempfile::tempdir().unwrap();
    let whole = five(home.path());
    let log = home.path().join(LOG);
    let ends = ends(&whole);
    // The last of them lacks only the end of its line.
    for cut in (ends[2]..whole.len()).step_by(7).chain([whole.len() - 1]) {
        std::fs::write(&log, &whole[..cut]).unwrap();
        let records = ends.iter().filter(|end| **end <= cut).count();
        let reader = CodeIndex::open(home.path(), Ranking::Bm25).unwrap();
        let torn = (cut - ends[records - 1]) as u64;
        let stats = reader.stats();
        assert_eq!((stats.entries, stats.torn_bytes), (records, torn));
        assert_eq!(std::fs::read(&log).unwrap().len(), cut, "a reader writes nothing");
        let mut index = open(home.path());
        index.append(&[pointing("next", 1.0, 1.0)]).unwrap();
        assert_eq!(open_after(index, home.path()).stats().entries, records + 1);
        assert_eq!(CodeIndex::open(home.path(), dense()).unwrap().stats().torn_bytes, 0);
    }
    // What a disk may leave in place of a tail.
    for tail in [&b"\0\0\0\0"[..], b"\n\n", b"{\"hash\":\"", b"\xff\xfe\n{}\n"] {
        std::fs::write(&log, [&whole, tail].concat()).unwrap();
        let stats = CodeIndex::open(home.path(), dense()).unwrap().stats();
        assert_eq!((stats.entries, stats.torn_bytes), (5, tail.len() as u64));
    }
}

#[test]
fn a_changed_record_is_damage_and_not_a_torn_tail() {
    let home = tempfile::tempdir().unwrap();
    let whole = five(home.path());
    let log = home.path().join(LOG);
    let ends = ends(&whole);
    let text = String::from_utf8(whole.clone()).unwrap();
    let edited = |from: &str, to: &str| text.replacen(from, to, 1).into_bytes();
    let swapped =
        [&whole[..ends[0]], &whole[ends[1]..ends[2]], &whole[ends[0]..ends[1]], &whole[ends[2]..]];
    let wrong = [
        ("another name", edited("\"name\":\"e4\"", "\"name\":\"e5\"")),
        ("another number", edited("\"seq\":3", "\"seq\":4")),
        ("a record less", [&whole[..ends[1]], &whole[ends[2]..]].concat()),
        ("records swapped", swapped.concat()),
        ("a piece in the middle", [&whole[..ends[1]], b"{\"ha", &whole[ends[1]..]].concat()),
        ("a line in the middle", [&whole[..ends[1]], b"x\n", &whole[ends[1]..]].concat()),
        ("twice", [&whole[..], &whole[..ends[0]]].concat()),
    ];
    for (what, bytes) in wrong {
        std::fs::write(&log, bytes).unwrap();
        for opened in [
            CodeIndex::open(home.path(), dense()).err(),
            AppendOnlyCodeIndex::open(home.path(), dense()).err(),
        ] {
            assert!(matches!(opened, Some(IndexError::Damaged { .. })), "{what}: {opened:?}");
        }
    }
}

/// Records whose chain is whole but which no writer would have decided on.
#[test]
fn a_forged_history_is_refused() {
    let base = || Event::Appended { entry: Box::new(pointing("a", 1.0, 0.0)) };
    let changed = |status, superseded_by: Option<&str>| Event::StatusChanged {
        module: module("MM-a@1.0.0"),
        status,
        superseded_by: superseded_by.map(module),
        note: "n".into(),
    };
    let noted = |name: &str, note: &str| Event::Noted { module: module(name), note: note.into() };
    let dead = CodeIndexEntry { status: Status::Deprecated, ..pointing("a", 1.0, 0.0) };
    let forged = [
        vec![base(), base()],
        vec![Event::Appended { entry: Box::new(dead) }],
        vec![Event::Appended { entry: Box::new(entry("a", "1.0", "x")) }],
        vec![changed(Status::Deprecated, None)],
        vec![base(), changed(Status::Shipped, None)],
        vec![base(), changed(Status::Superseded, None)],
        vec![base(), changed(Status::Superseded, Some("T-a@1.0.0"))],
        vec![base(), changed(Status::Deprecated, None), changed(Status::Deprecated, None)],
        vec![base(), noted("MM-a@1.0.0", "two\nlines")],
        vec![base(), noted("MM-b@1.0.0", "n")],
    ];
    for (nth, events) in forged.into_iter().enumerate() {
        let home = tempfile::tempdir().unwrap();
        let log = Folder::open(home.path()).unwrap().write(LOG).unwrap();
        let end = End { head: log::BEFORE_FIRST, offset: 0, torn_bytes: 0 };
        let mut writer = log::LogWriter::new(log, end);
        let prepared = writer.prepare(&events);
        writer.append(&prepared).unwrap();
        let opened = CodeIndex::open(home.path(), Ranking::Bm25).err();
        assert!(matches!(opened, Some(IndexError::Damaged { .. })), "{nth}: {opened:?}");
    }
}

#[test]
fn links_pipes_and_folders_are_not_followed() {
    for name in [LOG, LOCK, VECTORS] {
        let outside = tempfile::tempdir().unwrap();
        five(outside.path());
        let before = std::fs::read(outside.path().join(LOG)).unwrap();
        let home = tempfile::tempdir().unwrap();
        if name != LOG {
            five(home.path());
            let here = home.path().join(name);
            std::fs::remove_file(&here).or_else(|_| std::fs::remove_dir_all(&here)).unwrap();
        }
        symlink(outside.path().join(name), home.path().join(name)).unwrap();
        let opened = AppendOnlyCodeIndex::open(home.path(), dense()).err();
        assert!(matches!(opened, Some(IndexError::Io { .. })), "{name}: {opened:?}");
        assert_eq!(std::fs::read(outside.path().join(LOG)).unwrap(), before);
    }
    let home = tempfile::tempdir().unwrap();
    five(&home.path().join("real"));
    symlink(home.path().join("real"), home.path().join("link")).unwrap();
    assert!(CodeIndex::open(&home.path().join("link"), dense()).is_err());
    std::fs::create_dir_all(home.path().join("odd").join(LOG)).unwrap();
    assert!(CodeIndex::open(&home.path().join("odd"), dense()).is_err());
    rustix::fs::mknodat(
        rustix::fs::CWD,
        home.path().join("odd/pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    std::fs::remove_dir(home.path().join("odd").join(LOG)).unwrap();
    std::fs::rename(home.path().join("odd/pipe"), home.path().join("odd").join(LOG)).unwrap();
    assert!(CodeIndex::open(&home.path().join("odd"), dense()).is_err());
}

#[test]
fn damaged_vectors_are_told_and_computed_again() {
    let home = tempfile::tempdir().unwrap();
    five(home.path());
    let vectors = home.path().join(VECTORS);
    let generation = || {
        let mut names: Vec<_> =
            std::fs::read_dir(&vectors).unwrap().map(|it| it.unwrap().path()).collect();
        names.sort();
        names.pop().unwrap()
    };
    let first = generation();
    let request = SearchRequest::new("at 1,0");
    let answer = CodeIndex::open(home.path(), dense()).unwrap().search(&request).unwrap();
    let mut floats = std::fs::read(first.join("floats")).unwrap();
    floats[50] ^= 1;
    std::fs::write(first.join("floats"), floats).unwrap();
    let reader = CodeIndex::open(home.path(), dense()).unwrap();
    assert!(matches!(reader.search(&request), Err(IndexError::VectorDamaged { row: 0 })));
    let mut index = open(home.path());
    assert_eq!(index.reindex().unwrap(), 5);
    assert_eq!(index.search(&request).unwrap(), answer);
    drop(index);
    assert_ne!(generation(), first);
    assert_eq!(CodeIndex::open(home.path(), dense()).unwrap().search(&request).unwrap(), answer);
    // A crash took the last codes: a reader says so, the next writer computes them.
    let codes = std::fs::OpenOptions::new().write(true).open(generation().join("codes")).unwrap();
    codes.set_len(700).unwrap();
    let reader = CodeIndex::open(home.path(), dense()).unwrap();
    assert!(matches!(reader.search(&request), Err(IndexError::VectorsMissing { missing: 3, .. })));
    assert_eq!(open(home.path()).search(&request).unwrap(), answer);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Any bytes anywhere: an error or an index, never a panic, and never an entry that was not written.
    #[test]
    fn no_bytes_make_it_panic(
        place in 0..3_usize,
        at in any::<prop::sample::Index>(),
        bytes in prop::collection::vec(any::<u8>(), 0..40),
        removed in 0..2000_usize,
    ) {
        let home = tempfile::tempdir().unwrap();
        five(home.path());
        let generation = std::fs::read_dir(home.path().join(VECTORS)).unwrap().next().unwrap().unwrap().path();
        let path = [home.path().join(LOG), generation.join("codes"), generation.join("floats")][place].clone();
        let mut content = std::fs::read(&path).unwrap();
        let from = at.index(content.len());
        let to = (from + removed).min(content.len());
        content.splice(from..to, bytes);
        std::fs::write(&path, content).unwrap();
        for ranking in [dense(), Ranking::Bm25] {
            if let Ok(index) = CodeIndex::open(home.path(), ranking) {
                if let Ok(answer) = index.search(&SearchRequest::new("at 1,0")) {
                    for result in answer.results {
                        let nth: f64 = result.entry.name[1..].parse().unwrap();
                        prop_assert_eq!(result.entry, pointing(&format!("e{nth}"), nth, 1.0));
                    }
                }
                let _ = index.stats();
            }
        }
        if let Ok(mut index) = AppendOnlyCodeIndex::open(home.path(), dense()) {
            let _ = index.append(&[pointing("more", 1.0, 1.0)]);
            let _ = index.reindex();
        }
    }
}
