//! What can happen to streams on a real disk, and what the journal makes of it.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

use std::fs;
use std::path::{Path, PathBuf};

use sealwright_kernel::{Actor, Digest, Seq, StreamId, Timestamp};
use sealwright_store::{
    Anchor, Blobs, Catalog, Condition, Draft, FileJournal, FileWriter, Finding, Head, JournalError,
    Note, Snapshot, Why, Writer as _, verify,
};
use serde_json::json;

struct Home {
    folder: tempfile::TempDir,
    journal: FileJournal,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let journal = FileJournal::create(folder.path().join(".sealwright")).unwrap();
        Self { journal: journal.with_segments_of(2_000), folder }
    }

    async fn write(
        &self,
        name: &str,
        records: u64,
    ) -> FileWriter<sealwright_store::disk::RealDisk> {
        let mut writer = self.open(name).unwrap();
        for number in 1..=records {
            writer.append(draft(number)).await.unwrap();
        }
        writer
    }

    fn open(
        &self,
        name: &str,
    ) -> Result<FileWriter<sealwright_store::disk::RealDisk>, JournalError> {
        self.journal.open_blocking(&stream(name), Head::START, &mut |_| Ok(()))
    }

    fn segments(&self, name: &str) -> Vec<PathBuf> {
        let folder = self.journal.layout().stream(&stream(name));
        let mut paths: Vec<PathBuf> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    }

    fn findings(&self, anchors: &[Anchor]) -> Vec<String> {
        let verified = verify(&self.journal, anchors, 2).unwrap();
        verified.findings.iter().map(ToString::to_string).collect()
    }

    fn notes(&self, name: &str) -> Vec<(Seq, Note)> {
        let mut notes = Vec::new();
        let mut each = |entry: &sealwright_store::Entry<'_>| {
            notes.extend(entry.notes().into_iter().map(|note| (entry.head().seq, note)));
            Ok(())
        };
        self.journal.read_blocking(&stream(name), Head::START, &mut each).unwrap();
        notes
    }
}

fn stream(name: &str) -> StreamId {
    name.parse().unwrap()
}

fn draft(number: u64) -> Draft {
    Draft {
        at: Timestamp::from_millis(number),
        actor: Actor::Machine,
        cause: json!(null),
        events: vec![json!({"happened": {"number": number}})],
        blobs: vec![],
    }
}

fn append_bytes(path: &Path, bytes: &[u8]) {
    let mut content = fs::read(path).unwrap();
    content.extend(bytes);
    fs::write(path, content).unwrap();
}

fn cut_bytes(path: &Path, bytes: usize) {
    let content = fs::read(path).unwrap();
    fs::write(path, &content[..content.len() - bytes]).unwrap();
}

#[tokio::test]
async fn a_torn_tail_is_dropped_and_recorded() {
    let home = Home::new();
    drop(home.write("T-1", 3).await);
    append_bytes(&home.segments("T-1")[0], b"{\"actor\":\"mach");
    let verified = verify(&home.journal, &[], 1).unwrap();
    assert_eq!((verified.torn, verified.findings.len()), (vec![stream("T-1")], 0));

    let mut writer = home.open("T-1").unwrap();
    writer.append(draft(4)).await.unwrap();
    assert_eq!(writer.head().seq, Seq::new(5));
    let torn = Note::TornTail { bytes: 14, sha256: Digest::of(b"{\"actor\":\"mach") };
    assert_eq!(home.notes("T-1"), [(Seq::new(4), torn)]);
    let verified = verify(&home.journal, &[], 1).unwrap();
    assert_eq!((verified.torn, verified.findings.len(), verified.records), (vec![], 0, 5));
}

#[tokio::test]
async fn a_long_torn_tail_leaves_nothing_behind_a_short_record() {
    let home = Home::new();
    drop(home.write("T-1", 1).await);
    append_bytes(&home.segments("T-1")[0], &[b'x'; 1500]);
    home.open("T-1").unwrap().append(draft(2)).await.unwrap();
    assert_eq!(home.findings(&[]), [""; 0]);
    assert_eq!(verify(&home.journal, &[], 1).unwrap().torn, []);
}

#[tokio::test]
async fn records_lost_behind_the_writers_back_are_missed() {
    let home = Home::new();
    drop(home.write("T-1", 3).await);
    let segment = &home.segments("T-1")[0];
    let last_line = fs::read_to_string(segment).unwrap().lines().last().unwrap().len() + 1;
    cut_bytes(segment, last_line);
    let missing = "T-1, record 3: missing, but its last writer here names record 3";
    assert_eq!(home.findings(&[]), [missing]);
    let refused = home.open("T-1").unwrap_err();
    assert_eq!(refused.to_string(), missing);
    assert!(refused.hint().unwrap().contains("restore"));
}

#[tokio::test]
async fn an_ended_stream_that_was_cut_or_swapped_contradicts_its_anchors() {
    let home = Home::new();
    let anchor = home.write("T-1", 3).await.end(Timestamp::from_millis(9)).await.unwrap();
    let mut project = home.open("project").unwrap();
    project.note(Timestamp::from_millis(10), Note::Anchored(anchor.clone())).await.unwrap();
    drop(project);
    let anchors = [anchor.clone()];
    assert_eq!(home.findings(&anchors), [""; 0]);
    assert_eq!(verify(&home.journal, &anchors, 2).unwrap().anchors, 2);

    // As in a clone: no marks, and a forger who can hash.
    fs::remove_dir_all(home.folder.path().join(".sealwright/work")).unwrap();
    let segment = home.segments("T-1")[0].clone();
    let whole = fs::read(&segment).unwrap();
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    fs::write(&segment, lines[..2].concat()).unwrap();
    let by_commit = "T-1, record 3: missing, but a commit's trailer names record 4";
    let by_project = "T-1, record 3: missing, but the project's stream names record 4";
    assert_eq!(
        (home.findings(&anchors), home.findings(&[])),
        (vec![by_commit.to_owned()], vec![by_project.to_owned()])
    );

    fs::remove_file(&segment).unwrap();
    drop(home.write("T-1", 6).await);
    let by_commit = "T-1, record 4: not the record that a commit's trailer names";
    let by_project = "T-1, record 4: not the record that the project's stream names";
    assert_eq!(
        (home.findings(&anchors), home.findings(&[])),
        (vec![by_commit.to_owned()], vec![by_project.to_owned()])
    );

    fs::remove_dir_all(segment.parent().unwrap()).unwrap();
    assert_eq!(home.findings(&anchors).len(), 2);
}

#[tokio::test]
async fn a_missing_segment_and_a_stranger_are_named() {
    let home = Home::new();
    drop(home.write("T-1", 40).await);
    let segments = home.segments("T-1");
    assert!(segments.len() >= 3, "{segments:?}");
    fs::remove_file(&segments[1]).unwrap();
    let finding = &verify(&home.journal, &[], 1).unwrap().findings[0];
    assert!(
        matches!(finding, Finding::Record(damage) if matches!(damage.why, Why::Missing { .. })
            && segments[1].to_string_lossy().contains(&format!("{:012}", damage.seq.get()))),
        "{finding}"
    );

    drop(home.write("T-2", 1).await);
    fs::write(home.segments("T-2")[0].with_file_name("notes.txt"), "x").unwrap();
    let found = home.findings(&[]);
    assert_eq!(found[1], "T-2, record 1: `notes.txt` is not a segment of the stream");
}

#[tokio::test]
async fn a_writer_notices_that_it_was_overtaken() {
    let home = Home::new();
    let mut writer = home.write("T-1", 1).await;
    append_bytes(&home.segments("T-1")[0], b"x");
    let refused = writer.append(draft(2)).await.unwrap_err();
    assert!(matches!(refused, JournalError::Overtaken { .. }), "{refused:?}");
}

/// Whatever is put in the place of a stream while it is written: nothing is acknowledged
/// into a file nobody will find, and nothing of others is cut off.
#[tokio::test]
async fn a_writer_whose_files_were_replaced_writes_nothing() {
    let overtaken = |refused: Result<Head, JournalError>| {
        assert!(matches!(refused, Err(JournalError::Overtaken { .. })), "{refused:?}");
    };
    // As `git checkout` does it: another file under the same name.
    let home = Home::new();
    let mut writer = home.write("T-1", 2).await;
    let segment = home.segments("T-1")[0].clone();
    let content = fs::read(&segment).unwrap();
    fs::remove_file(&segment).unwrap();
    fs::write(&segment, &content).unwrap();
    overtaken(writer.append(draft(3)).await);
    assert_eq!(fs::read(&segment).unwrap(), content);

    // As `git clean` does it: the lock is gone, and another writer comes.
    let home = Home::new();
    let mut writer = home.write("T-1", 2).await;
    fs::remove_file(home.journal.layout().lock(&stream("T-1"))).unwrap();
    let mut other = home.open("T-1").unwrap();
    other.append(draft(3)).await.unwrap();
    overtaken(writer.append(draft(4)).await);
    assert_eq!(verify(&home.journal, &[], 1).unwrap().records, 3);

    // As `git pull` does it: the next segment is there already.
    let home = Home::new();
    let mut writer = home.write("T-1", 1).await;
    while home.segments("T-1").len() == 1
        && fs::metadata(&home.segments("T-1")[0]).unwrap().len() < 2_000
    {
        writer.append(draft(1)).await.unwrap();
    }
    let next = format!("{:012}.jsonl", writer.head().seq.next().get());
    let pulled = home.segments("T-1")[0].with_file_name(next);
    fs::write(&pulled, "precious").unwrap();
    overtaken(writer.append(draft(9)).await);
    assert_eq!(fs::read_to_string(&pulled).unwrap(), "precious");
}

#[tokio::test]
async fn nothing_follows_on_an_end_even_if_it_is_chained() {
    let home = Home::new();
    let anchor = home.write("T-1", 3).await.end(Timestamp::from_millis(9)).await.unwrap();
    let (line, _) = draft(5).seal(&stream("T-1"), &anchor.head).unwrap();
    append_bytes(&home.segments("T-1")[0], &line);
    assert_eq!(home.findings(&[anchor]), ["T-1, record 5: the stream had already ended"]);
}

/// A forger who can hash makes a longer chain; the machine that wrote the first one knows.
#[tokio::test]
async fn a_chain_that_was_exchanged_contradicts_its_mark() {
    let home = Home::new();
    drop(home.write("T-1", 3).await);
    let mut forged = Vec::new();
    let mut head = Head::START;
    for number in 11..20 {
        let (line, after) = draft(number).seal(&stream("T-1"), &head).unwrap();
        forged.extend(line);
        head = after;
    }
    fs::write(&home.segments("T-1")[0], forged).unwrap();
    let replaced = "T-1, record 3: not the record that its last writer here names";
    assert_eq!(home.findings(&[]), [replaced]);
    let refused = home.open("T-1").unwrap_err();
    assert_eq!(refused.to_string(), replaced);
    assert!(refused.hint().unwrap().contains("work/locks/T-1.lock"));
}

/// A power loss keeps some sectors of the last write and not others.
#[tokio::test]
async fn lost_sectors_are_a_torn_tail_and_a_zeroed_byte_is_damage() {
    let home = Home::new();
    drop(home.write("T-1", 3).await);
    let segment = home.segments("T-1")[0].clone();
    let whole = fs::read(&segment).unwrap();
    let long = Draft { cause: json!("x".repeat(700)), ..draft(4) };
    let (line, _) = long.seal(&stream("T-1"), &last_head(&home, "T-1")).unwrap();
    let mut torn = [whole.as_slice(), &line].concat();
    let sector_end = whole.len().next_multiple_of(512);
    torn[whole.len()..sector_end].fill(0);
    fs::write(&segment, &torn).unwrap();
    let verified = verify(&home.journal, &[], 1).unwrap();
    assert_eq!((verified.torn, verified.findings.len()), (vec![stream("T-1")], 0));
    home.open("T-1").unwrap().append(draft(5)).await.unwrap();
    assert_eq!(home.findings(&[]), [""; 0]);

    let mut bent = whole.clone();
    bent[whole.len() - 200] = 0;
    fs::write(&segment, &bent).unwrap();
    assert_eq!(home.findings(&[]).len(), 1, "a zeroed byte is not a torn tail");
}

fn last_head(home: &Home, name: &str) -> Head {
    home.journal.read_blocking(&stream(name), Head::START, &mut |_| Ok(())).unwrap()
}

#[tokio::test]
async fn a_follower_keeps_to_what_is_durable() {
    let home = Home::new();
    let mut follower = home.journal.follow(&stream("T-1"), Head::START);
    let mut writer = home.write("T-1", 2).await;
    let mut seen = 0;
    follower
        .catch_up(&mut |_| {
            seen += 1;
            Ok(())
        })
        .unwrap();
    assert_eq!(seen, 2);
    // The next record is written but not yet known to be durable.
    let before = fs::read(home.journal.layout().lock(&stream("T-1"))).unwrap();
    writer.append(draft(3)).await.unwrap();
    fs::write(home.journal.layout().lock(&stream("T-1")), before).unwrap();
    follower
        .catch_up(&mut |_| {
            seen += 1;
            Ok(())
        })
        .unwrap();
    assert_eq!((seen, follower.head().seq), (2, Seq::new(2)));
    for number in 4..60 {
        writer.append(draft(number)).await.unwrap();
        follower
            .catch_up(&mut |_| {
                seen += 1;
                Ok(())
            })
            .unwrap();
        assert_eq!(follower.head(), writer.head());
    }
    assert_eq!(seen, 59);
}

/// Whoever knows a record reads on from it, however far into a large segment it stands,
/// and is not shown a record of another chain in its place.
#[tokio::test]
async fn reading_on_finds_its_place_in_a_large_segment() {
    let folder = tempfile::tempdir().unwrap();
    let journal = FileJournal::create(folder.path().join(".sealwright")).unwrap();
    let mut writer = journal.open_blocking(&stream("T-1"), Head::START, &mut |_| Ok(())).unwrap();
    let mut heads = vec![];
    for number in 1..=1_000 {
        heads.push(writer.append(draft(number)).await.unwrap());
    }
    for since in heads.iter().step_by(37).chain(heads.last()) {
        let mut next = since.seq;
        let end = journal
            .read_blocking(&stream("T-1"), *since, &mut |entry| {
                next = next.next();
                assert_eq!(entry.head(), heads[next.get() as usize - 1]);
                Ok(())
            })
            .unwrap();
        assert_eq!((next, end), (Seq::new(1_000), heads[999]));
        let foreign = Head { hash: Digest::of(b"foreign"), ..*since };
        let refused = journal.read_blocking(&stream("T-1"), foreign, &mut |_| Ok(()));
        assert!(matches!(refused, Err(JournalError::NotOnChain { .. })));
    }
}

#[tokio::test]
async fn the_catalog_reads_only_what_changed_and_can_be_deleted() {
    let home = Home::new();
    for nth in 0..5 {
        drop(home.write(&format!("T-{nth}"), 30).await);
    }
    let first = Catalog::refresh(&home.journal).unwrap();
    assert_eq!((first.streams().len(), first.refreshed()), (5, 5));
    assert_eq!(Catalog::refresh(&home.journal).unwrap().refreshed(), 0);

    let mut writer = home.open("T-3").unwrap();
    writer.append(draft(31)).await.unwrap();
    writer.end(Timestamp::from_millis(1)).await.unwrap();
    append_bytes(home.segments("T-4").last().unwrap(), b"garbage\n");
    fs::write(home.journal.layout().journal().join("README"), "not a stream").unwrap();
    let again = Catalog::refresh(&home.journal).unwrap();
    assert_eq!(again.refreshed(), 2);
    let conditions: Vec<Condition> = again.streams().map(|it| it.condition).collect();
    use Condition::{Damaged, Ended, Open};
    assert_eq!(conditions, [Open, Open, Open, Ended, Damaged]);
    let fourth = again.streams().nth(3).unwrap();
    assert_eq!(again.details::<()>(fourth).unwrap().head, writer.head());

    fs::remove_dir_all(home.folder.path().join(".sealwright/cache")).unwrap();
    let rebuilt = Catalog::refresh(&home.journal).unwrap();
    let told = |catalog: &Catalog| -> Vec<_> {
        let all = catalog.streams();
        all.map(|it| (it.stream.clone(), it.condition, catalog.details::<()>(it))).collect()
    };
    assert_eq!(told(&rebuilt), told(&again));
    assert_eq!(rebuilt.refreshed(), 5);
}

#[tokio::test]
async fn a_bent_snapshot_is_no_snapshot() {
    use sealwright_store::Journal as _;
    let home = Home::new();
    let head = home.write("T-1", 3).await.head();
    let snapshot = Snapshot { stream: stream("T-1"), head, state: json!({"phase": "review"}) };
    home.journal.keep_snapshot(&snapshot).await.unwrap();
    let path = home.journal.layout().snapshot(&stream("T-1"));
    let bent = fs::read_to_string(&path).unwrap().replace("review", "done  ");
    fs::write(&path, bent).unwrap();
    assert_eq!(home.journal.snapshot(&stream("T-1")).await.unwrap(), None);
}

/// An archive brings its caches along, and the times of its files.
#[tokio::test]
async fn caches_that_came_with_a_copy_are_not_believed() {
    use sealwright_store::Journal as _;
    let home = Home::new();
    let head = home.write("T-1", 3).await.head();
    let snapshot = Snapshot { stream: stream("T-1"), head, state: json!({"phase": "done"}) };
    home.journal.keep_snapshot(&snapshot).await.unwrap();
    assert_eq!(Catalog::<()>::refresh(&home.journal).unwrap().refreshed(), 1);
    assert_eq!(Catalog::<()>::refresh(&home.journal).unwrap().refreshed(), 0);
    let copy = tempfile::tempdir().unwrap();
    copy_with_times(home.journal.layout().root(), copy.path());
    let copied = FileJournal::at(copy.path());
    assert_eq!(copied.read_blocking(&stream("T-1"), Head::START, &mut |_| Ok(())).unwrap(), head);
    assert_eq!(copied.snapshot(&stream("T-1")).await.unwrap(), None);
    assert_eq!(Catalog::<()>::refresh(&copied).unwrap().refreshed(), 1);
    // Beside its own files it is one, and the copy can make its own.
    assert_eq!(home.journal.snapshot(&stream("T-1")).await.unwrap(), Some(snapshot.clone()));
    copied.keep_snapshot(&snapshot).await.unwrap();
    assert_eq!(copied.snapshot(&stream("T-1")).await.unwrap(), Some(snapshot));
}

fn copy_with_times(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_with_times(&entry.path(), &target);
            continue;
        }
        fs::copy(entry.path(), &target).unwrap();
        let times =
            fs::FileTimes::new().set_modified(entry.metadata().unwrap().modified().unwrap());
        fs::File::options().append(true).open(&target).unwrap().set_times(times).unwrap();
    }
}

/// A cloned repository is hostile input: its links lead nowhere.
#[test]
fn nothing_is_written_through_a_link() {
    let links = ["journal/T-1", "journal", "work/locks", "work", "cache/snapshots", "cache"];
    for link in links.into_iter().chain(["store/blobs", "store"]) {
        let home = Home::new();
        let outside = tempfile::tempdir().unwrap();
        let place = home.journal.layout().root().join(link);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(outside.path(), &place).unwrap();
        let tokio = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let outcome = tokio.block_on(async {
            use sealwright_store::Journal as _;
            let mut writer = home.open("T-1")?;
            let head = writer.append(draft(1)).await?;
            let snapshot = Snapshot { stream: stream("T-1"), head, state: json!(1) };
            home.journal.keep_snapshot(&snapshot).await?;
            let blobs = Blobs::local(home.journal.layout());
            blobs.map(|_| ()).map_err(|_| JournalError::Reserved)
        });
        assert!(outcome.is_err(), "{link} was followed");
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0, "{link} was written through");
    }
}

#[tokio::test]
async fn a_draft_of_a_cache_that_was_planted_is_not_written_to() {
    use sealwright_store::Journal as _;
    let home = Home::new();
    let victim = home.folder.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    let head = home.write("T-1", 1).await.head();
    let path = home.journal.layout().snapshot(&stream("T-1"));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let planted = format!("{}.{}.new", path.display(), std::process::id());
    std::os::unix::fs::symlink(&victim, planted).unwrap();
    let snapshot = Snapshot { stream: stream("T-1"), head, state: json!(1) };
    home.journal.keep_snapshot(&snapshot).await.unwrap();
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    assert_eq!(home.journal.snapshot(&stream("T-1")).await.unwrap(), Some(snapshot));
}

#[test]
fn a_link_is_not_read_through() {
    let home = Home::new();
    let folder = home.journal.layout().stream(&stream("T-1"));
    fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink("/dev/zero", folder.join("000000000001.jsonl")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", home.journal.layout().root().join("cache")).unwrap();
    let finding = &verify(&home.journal, &[], 1).unwrap().findings[0];
    assert!(matches!(finding, Finding::Unreadable { .. }), "{finding}");
    assert!(Catalog::refresh(&home.journal).is_err());
}

#[test]
fn a_lock_file_that_is_a_link_is_refused() {
    let home = Home::new();
    let victim = home.folder.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    let lock = home.journal.layout().lock(&stream("T-1"));
    fs::create_dir_all(lock.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&victim, &lock).unwrap();
    assert!(home.open("T-1").is_err());
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
}

/// Two people's tasks never conflict when their branches merge.
#[tokio::test]
async fn two_branches_with_new_tasks_merge_in_git_and_verify() {
    let home = Home::new();
    let git = |args: &[&str]| git(home.folder.path(), args);
    git(&["init", "--quiet", "--initial-branch=main"]);
    drop(home.write("T-0", 3).await);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message=base"]);
    for (branch, tasks) in [("ada", ["T-a1", "T-a2"]), ("bob", ["T-b1", "T-b2"])] {
        git(&["checkout", "--quiet", "-b", branch, "main"]);
        for task in tasks {
            let anchor = home.write(task, 30).await.end(Timestamp::from_millis(1)).await.unwrap();
            git(&["add", "--all"]);
            git(&["commit", "--quiet", "--message=done", "-m", &anchor.trailer()]);
        }
        Catalog::refresh(&home.journal).unwrap();
    }
    git(&["checkout", "--quiet", "main"]);
    git(&["merge", "--quiet", "--no-edit", "ada"]);
    git(&["merge", "--quiet", "--no-edit", "bob"]);
    assert_eq!(git(&["status", "--porcelain"]), "");

    let log = git(&["log", "--format=%(trailers:key=Sealwright-Stream,valueonly)"]);
    let anchors: Vec<Anchor> = log.lines().filter_map(Anchor::parse).collect();
    let verified = verify(&home.journal, &anchors, 2).unwrap();
    assert_eq!((verified.streams, verified.anchors, verified.findings.len()), (5, 4, 0));
    assert_eq!(Catalog::refresh(&home.journal).unwrap().streams().len(), 5);
}

#[expect(clippy::disallowed_methods, reason = "this test is about git itself")]
fn git(folder: &Path, args: &[&str]) -> String {
    let output = std::process::Command::new("git")
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
        .args(["-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null"])
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
