//! Where the conversations of roles are kept, so that a role that is asked again goes on with its own: its model's owner
//! then has most of what is asked in a cache.
//!
//! A conversation is never part of what decides: without it a role begins anew, with the same brief.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sealwright_kernel::{Digest, EffectId, TaskId};

use crate::role_calls::Key;

pub(crate) struct Conversations {
    folder: PathBuf,
}

/// The call that a conversation belongs to: its task, the call, the chapter of the task, and the effect.
pub(crate) type Of<'c> = (&'c TaskId, Key, &'c str, &'c EffectId);

impl Conversations {
    /// Those below this state folder.
    pub(crate) fn of(state: &Path) -> Self {
        Self { folder: state.join("conversations") }
    }

    /// The file of the conversation that a call belongs to. Whoever judges begins each judgement anew, and goes on only where
    /// an answer could not be used.
    pub(crate) fn file(&self, of: Of<'_>, is_again: bool) -> io::Result<PathBuf> {
        let folder = self.folder.join(of.0.as_str());
        if !folder.is_dir() {
            self.make_room();
            DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        }
        let (name, judges) = name(of);
        let file = folder.join(name);
        if judges && !is_again {
            // There is one where an effect that was performed was not recorded.
            let _ = fs::remove_file(&file);
        }
        Ok(file)
    }

    /// Forgets those of a task that is over.
    pub(crate) fn forget(&self, task: &TaskId) {
        // What cannot be removed now goes when another task is run.
        let _ = fs::remove_dir_all(self.folder.join(task.as_str()));
    }

    /// Forgets those of all tasks but these.
    pub(crate) fn keep_only(&self, is_open: impl Fn(&TaskId) -> bool) {
        for task in self.tasks().filter_map(|(_, folder)| task_of(&folder)) {
            if !is_open(&task) {
                self.forget(&task);
            }
        }
    }

    /// Removes those of the tasks that were quiet for longest. Another process may do so, too.
    fn make_room(&self) {
        let mut tasks: Vec<(SystemTime, PathBuf)> = self.tasks().collect();
        tasks.sort();
        let surplus = (tasks.len() + 1).saturating_sub(TASKS_MAX);
        for (_, folder) in tasks.into_iter().take(surplus) {
            let _ = fs::remove_dir_all(folder);
        }
    }

    fn tasks(&self) -> impl Iterator<Item = (SystemTime, PathBuf)> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries.filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
    }
}

fn task_of(folder: &Path) -> Option<TaskId> {
    TaskId::new(folder.file_name()?.to_str()?).ok()
}

/// The name of the file, and whether its role judges. Those who build or plan go on over a chapter of the task.
fn name((_, call, chapter, effect): Of<'_>) -> (String, bool) {
    match call {
        Key::Edit | Key::Repair => (format!("build-{chapter}.json"), false),
        Key::Frame | Key::Shape | Key::Tests => (format!("{}-{chapter}.json", call.name()), false),
        Key::Scout | Key::Audit | Key::Challenge | Key::Adjudicate | Key::Refute | Key::Inspect => {
            let effect = Digest::of(effect.as_str().as_bytes());
            (format!("{}-{effect}.json", call.name()), true)
        }
    }
}

/// Conversations of so many tasks are kept at one time.
const TASKS_MAX: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    fn effect_id(name: &str) -> EffectId {
        EffectId::of("T-1", name, 1)
    }

    fn task(number: usize) -> TaskId {
        TaskId::new(format!("T-{number}")).unwrap()
    }

    #[test]
    fn a_builder_goes_on_when_it_repairs_and_nobody_shares_a_conversation() {
        let place = tempfile::tempdir().unwrap();
        let conversations = Conversations::of(place.path());
        let file = |call, chapter: &str, effect: &str| {
            conversations.file((&task(1), call, chapter, &effect_id(effect)), true).unwrap()
        };
        assert_eq!(file(Key::Edit, "1", "a"), file(Key::Repair, "1", "b"));
        assert_ne!(file(Key::Edit, "1", "a"), file(Key::Edit, "2", "a"), "another slice");
        assert_eq!(file(Key::Tests, "1", "a"), file(Key::Tests, "1", "b"));
        assert_eq!(file(Key::Challenge, "1", "a"), file(Key::Challenge, "2", "a"));
        assert_ne!(file(Key::Challenge, "1", "a"), file(Key::Challenge, "1", "b"));
        for (at, one) in Key::ALL.into_iter().enumerate() {
            for other in &Key::ALL[at + 1..] {
                let is_builder = matches!((one, other), (Key::Edit, Key::Repair));
                let is_one = file(one, "1", "a") == file(*other, "1", "a");
                assert_eq!(is_one, is_builder, "{one:?} {other:?}");
            }
        }
        let other = conversations.file((&task(2), Key::Edit, "1", &effect_id("a")), true).unwrap();
        assert_ne!(file(Key::Edit, "1", "a"), other);
    }

    #[test]
    fn a_judgement_goes_on_only_where_its_answer_could_not_be_used() {
        let place = tempfile::tempdir().unwrap();
        let conversations = Conversations::of(place.path());
        for (call, again, is_kept) in [
            (Key::Challenge, true, true),
            (Key::Challenge, false, false),
            (Key::Refute, false, false),
            (Key::Edit, false, true),
        ] {
            let (task, effect) = (task(1), effect_id("a"));
            let file = conversations.file((&task, call, "1", &effect), true).unwrap();
            fs::write(&file, "said").unwrap();
            conversations.file((&task, call, "1", &effect), again).unwrap();
            assert_eq!(file.exists(), is_kept, "{call:?}");
        }
    }

    #[test]
    fn only_so_many_are_kept_and_those_of_a_task_that_is_over_are_not() {
        let place = tempfile::tempdir().unwrap();
        let conversations = Conversations::of(place.path());
        for number in 0..TASKS_MAX + 5 {
            let of = (&task(number), Key::Edit, "1", &effect_id("a"));
            conversations.file(of, false).unwrap();
        }
        let kept = || fs::read_dir(place.path().join("conversations")).unwrap().count();
        assert_eq!(kept(), TASKS_MAX);
        conversations.forget(&task(TASKS_MAX + 4));
        assert_eq!(kept(), TASKS_MAX - 1);
        conversations.keep_only(|open| *open == task(TASKS_MAX + 3));
        assert_eq!(kept(), 1);
    }
}
