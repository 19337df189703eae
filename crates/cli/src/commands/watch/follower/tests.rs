use std::fs::{self, OpenOptions};
use std::io::Write as _;

use sealwright_factory::tasks::{NewTask, Tasks};
use sealwright_kernel::owner::Header;
use sealwright_kernel::task::{Freeze, PersonInput, Status};
use sealwright_kernel::{Actor, Lane};
use sealwright_views::watch::Standing;

use super::*;

#[test]
fn what_another_process_writes_is_seen_the_next_time() {
    let room = Room::new();
    let mut follower = room.follower();
    assert_eq!(follower.sweep(Reads::All), News::Changed);
    assert!(follower.sight().tasks.is_empty());
    let first = room.create("limits per tenant");
    assert_eq!(follower.sweep(Reads::All), News::Changed);
    assert_eq!(titles(&follower), ["limits per tenant"]);
    // What stood there may not have been durable, so it is looked at twice, and then no more.
    assert_eq!(follower.sweep(Reads::All), News::Same);
    assert_eq!(follower.show(Some(&first)), News::Changed);
    assert_eq!(follower.show(Some(&first)), News::Same);
    room.note(&first, "mind the clock");
    assert_eq!(follower.show(Some(&first)), News::Changed);
    room.create("limits per user");
    assert_eq!(follower.sweep(Reads::All), News::Changed);
    assert_eq!(titles(&follower).len(), 2);
}

#[test]
fn a_few_streams_are_read_at_a_time_and_then_all_of_them() {
    let room = Room::new();
    for nth in 0..FEW + 3 {
        room.create(&format!("limits {nth}"));
    }
    let mut follower = room.follower();
    follower.sweep(Reads::Few);
    assert!(follower.is_behind());
    assert_eq!(titles(&follower).len(), FEW);
    follower.sweep(Reads::Few);
    follower.sweep(Reads::Few);
    assert!(!follower.is_behind());
    assert_eq!(titles(&follower).len(), FEW + 3);
}

#[test]
fn half_a_line_is_left_for_the_next_time_and_damage_is_told() {
    let room = Room::new();
    let task = room.create("limits per tenant");
    let segment = room.root().join("journal").join(task.as_str()).join("000000000001.jsonl");
    let whole = fs::read(&segment).unwrap();
    let mut follower = room.follower();
    let mut file = OpenOptions::new().append(true).open(&segment).unwrap();
    file.write_all(b"{\"actor\":\"mach").unwrap();
    follower.sweep(Reads::All);
    assert_eq!(titles(&follower), ["limits per tenant"]);
    follower.show(Some(&task));
    assert!(follower.sight().shown.is_some());
    file.write_all(b"ine\"}\n").unwrap();
    follower.sweep(Reads::All);
    assert_eq!(follower.sight().tasks[0].told, RowState::Damaged);
    follower.show(Some(&task));
    assert!(follower.sight().shown.is_some(), "what is sound is still shown");
    fs::write(&segment, &whole).unwrap();
    follower.sweep(Reads::All);
    assert_eq!(titles(&follower), ["limits per tenant"]);
    fs::write(&segment, b"").unwrap();
    follower.sweep(Reads::All);
    assert_eq!(follower.sight().tasks[0].told, RowState::Nothing);
}

#[test]
fn a_folder_that_is_removed_and_comes_back_is_followed() {
    let room = Room::new();
    let task = room.create("limits per tenant");
    let mut follower = room.follower();
    follower.sweep(Reads::All);
    follower.show(Some(&task));
    let aside = room.folder.path().join("aside");
    fs::rename(room.root(), &aside).unwrap();
    assert_eq!(follower.sweep(Reads::All), News::Changed);
    follower.show(Some(&task));
    let sight = follower.sight();
    assert_eq!(
        (sight.tasks.len(), sight.shown.is_none(), sight.trouble.is_some()),
        (0, true, true)
    );
    fs::rename(&aside, room.root()).unwrap();
    assert_eq!(follower.sweep(Reads::All), News::Changed);
    follower.show(Some(&task));
    assert_eq!(titles(&follower), ["limits per tenant"]);
    assert!(follower.sight().shown.is_some() && follower.sight().trouble.is_none());
    // One stream alone goes, too.
    fs::remove_dir_all(room.root().join("journal").join(task.as_str())).unwrap();
    assert_eq!(follower.sweep(Reads::All), News::Changed);
    assert!(follower.sight().tasks.is_empty());
}

#[test]
fn a_transcript_is_followed_to_its_end() {
    let room = Room::new();
    let task = room.create("limits per tenant");
    let mut follower = room.follower();
    follower.sweep(Reads::All);
    follower.show(Some(&task));
    let begun = r#"{"at":1,"begun":{"part":"edit","role":"builder","agent":"codex","model":"gpt-5","effect":"x"}}"#;
    room.transcript(
        &task,
        "0001-edit.jsonl",
        &format!("{begun}\n{{\"at\":2,\"event\":{{\"kind\":\"te"),
    );
    assert_eq!(follower.show(Some(&task)), News::Changed);
    let shown = follower.sight().shown.as_deref().unwrap();
    // Nobody writes the stream, so whoever wrote this is gone.
    let gone = match shown.writer {
        WriterPlace::Unknown => Standing::Unknown,
        WriterPlace::Here | WriterPlace::Nobody => Standing::Broken,
    };
    assert_eq!(shown.open[0].1, gone);
    room.transcript(&task, "0001-edit.jsonl", "xt\",\"text\":\"hello\"}}\n");
    assert_eq!(follower.show(Some(&task)), News::Changed);
    assert_eq!(
        follower.sight().shown.as_deref().unwrap().last.as_ref().unwrap().tail[0].text,
        "hello"
    );
    let ended = r#"{"at":3,"ended":{"end":"answered","micro_dollars":1500,"tokens":456,"turns":3,"wall_ms":789}}"#;
    room.transcript(&task, "0001-edit.jsonl", &format!("{ended}\n"));
    room.transcript(&task, "0002-gate.jsonl", &format!("{begun}\n{ended}\n"));
    follower.show(Some(&task));
    let shown = follower.sight().shown.as_deref().unwrap();
    let cost = &shown.cost;
    assert_eq!((cost.micro_dollars, cost.tokens, cost.calls, shown.open.len()), (3000, 912, 2, 0));
    assert_eq!(shown.last.as_ref().unwrap().number, 2);
    assert_eq!(follower.show(Some(&task)), News::Same);
    // Its folder is emptied by hand.
    fs::remove_dir_all(room.root().join("work").join(task.as_str())).unwrap();
    assert_eq!(follower.show(Some(&task)), News::Changed);
    assert_eq!(follower.sight().shown.as_deref().unwrap().cost.calls, 0);
}

#[test]
fn no_link_pipe_or_endless_line_is_read_as_a_transcript() {
    let room = Room::new();
    let task = room.create("limits per tenant");
    let folder = room.root().join("work").join(task.as_str());
    fs::create_dir_all(&folder).unwrap();
    let secret = room.folder.path().join("secret");
    fs::write(&secret, "{\"at\":1,\"event\":{\"kind\":\"text\",\"text\":\"secret\"}}\n").unwrap();
    std::os::unix::fs::symlink(&secret, folder.join("0001-edit.jsonl")).unwrap();
    fs::create_dir(folder.join("0002-edit.jsonl")).unwrap();
    let pipe = folder.join("0003-edit.jsonl");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
    let mut follower = room.follower();
    follower.sweep(Reads::All);
    follower.show(Some(&task));
    assert_eq!(follower.sight().shown.as_deref().unwrap().last, None);
    room.transcript(&task, "0004-edit.jsonl", &"x".repeat(3 * END_BYTES_MAX));
    follower.show(Some(&task));
    let last = follower.sight().shown.as_deref().unwrap().last.clone().unwrap();
    assert_eq!((last.number, last.tail.len(), last.begun), (4, 0, None));
    fs::remove_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink(room.folder.path(), &folder).unwrap();
    follower.show(Some(&task));
    assert_eq!(follower.sight().shown.as_deref().unwrap().last, None);
}

/// A reader leaves everything as it was, to the last name and stamp.
#[test]
fn nothing_is_written_and_no_lock_is_taken() {
    let room = Room::new();
    let task = room.create("limits per tenant");
    let before = room.everything();
    let mut follower = room.follower();
    follower.sweep(Reads::All);
    follower.show(Some(&task));
    // Whoever writes meanwhile is not held up.
    let journal = FileJournal::at(room.root());
    let writer = journal.open_blocking(task.stream(), Head::START, &mut |_| Ok(())).unwrap();
    let held = room.everything();
    for _ in 0..THOROUGH_EVERY + 1 {
        follower.sweep(Reads::All);
        follower.show(Some(&task));
    }
    assert_ne!(follower.sight().shown.as_deref().unwrap().writer, WriterPlace::Nobody);
    assert_eq!(room.everything(), held);
    drop(writer);
    let names =
        |all: &[(PathBuf, u64, i64, i64)]| all.iter().map(|it| it.0.clone()).collect::<Vec<_>>();
    assert_eq!(names(&before), names(&held));
}

/// Somewhere with a `.sealwright`.
struct Room {
    folder: tempfile::TempDir,
}

impl Room {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        FileJournal::create(folder.path().join(".sealwright")).unwrap();
        Self { folder }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join(".sealwright")
    }

    fn follower(&self) -> Follower {
        Follower::at(&self.root())
    }

    fn tasks(&self) -> Tasks {
        Tasks::of(&FileJournal::at(self.root()))
    }

    fn create(&self, title: &str) -> TaskId {
        let new = NewTask {
            said: title.to_owned(),
            lane: Lane::Quick,
            header: Header::default(),
            freeze: Freeze::Asked,
            checks: vec!["tests".to_owned()],
            base: None,
            budget: None,
        };
        let told = crate::commands::wait(self.tasks().create(&ada(), new)).unwrap().unwrap();
        told.task.data().unwrap().charter.id.clone()
    }

    fn note(&self, task: &TaskId, text: &str) {
        let says = PersonInput::Note { text: text.to_owned() };
        crate::commands::wait(self.tasks().say(task, &ada(), says, vec![])).unwrap().unwrap();
    }

    /// Appends to a transcript.
    fn transcript(&self, task: &TaskId, name: &str, text: &str) {
        let folder = self.root().join("work").join(task.as_str());
        fs::create_dir_all(&folder).unwrap();
        let file = OpenOptions::new().create(true).append(true).open(folder.join(name));
        file.unwrap().write_all(text.as_bytes()).unwrap();
    }

    /// Every file with its length and the stamp of its last change.
    fn everything(&self) -> Vec<(PathBuf, u64, i64, i64)> {
        let mut all = Vec::new();
        let mut folders = vec![self.root()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let (path, meta) =
                    (entry.as_ref().unwrap().path(), entry.unwrap().metadata().unwrap());
                if meta.is_dir() {
                    folders.push(path.clone());
                }
                all.push((path, meta.len(), meta.mtime(), meta.mtime_nsec()));
            }
        }
        all.sort();
        all
    }
}

fn ada() -> Actor {
    Actor::Human("ada".to_owned())
}

/// The titles that were read, in the order of the list.
fn titles(follower: &Follower) -> Vec<&str> {
    let rows = follower.sight().tasks.iter().filter_map(|seen| match &seen.told {
        RowState::Row(row) => Some(row),
        RowState::Unread | RowState::Nothing | RowState::Damaged => None,
    });
    rows.inspect(|row| assert_eq!(row.status, Status::Pending))
        .map(|row| row.title.as_str())
        .collect()
}
