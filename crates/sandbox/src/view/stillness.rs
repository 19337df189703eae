//! Stillness: whether anything still moves in a tree, told by the file system's own clock.
//!
//! That clock ticks, on many systems only every few milliseconds, and two changes within one tick look like one. So
//! the harvest first waits for a tick: whatever was begun before it has an older time, and whatever is begun after it
//! cannot have one. Nothing in a tree can set the time that is looked at.
//!
//! A single write that was begun before and is not yet over is not seen, nor is a write into mapped memory. Against
//! those stands that everything a run started is dead before its harvest, and that a file is read once: what is
//! hashed is what is kept.

use std::path::Path;

use rustix::fs::{Mode, OFlags, Timespec, Timestamps, fstat, futimens, openat};

use super::beneath::{Folder, Moment, Owner, obstacle};
use super::error::ViewError;

/// A moment before which a tree was as it is now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stillness(Moment);

impl Stillness {
    /// Begins to watch the file system on which `root` stands.
    pub(super) fn begin(root: &Path) -> Result<Self, ViewError> {
        let unfit = || ViewError::unfit("the view");
        let folder = Folder::open(root).map_err(unfit())?;
        folder.remove(STAMP.as_ref(), rustix::fs::AtFlags::empty()).map_err(unfit())?;
        folder.make_file(STAMP, b"", Mode::RUSR | Mode::WUSR, Owner::Harness).map_err(unfit())?;
        let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let stamp = openat(folder.handle(), STAMP, flags, Mode::empty())
            .map_err(obstacle)
            .map_err(unfit())?;
        let now = || -> Result<Moment, rustix::io::Errno> {
            let now = Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_NOW };
            futimens(&stamp, &Timestamps { last_access: now, last_modification: now })?;
            Ok(Moment::changed(&fstat(&stamp)?))
        };
        Ok(Self(next_tick(now).map_err(obstacle).map_err(unfit())?))
    }

    /// Whether something that was last changed then has been still since the watch began.
    pub(super) fn holds(self, changed: Moment) -> bool {
        changed < self.0
    }
}

/// The first moment that differs from the present one.
fn next_tick<E>(mut now: impl FnMut() -> Result<Moment, E>) -> Result<Moment, E> {
    let begin = now()?;
    for _ in 0..TICK_TRIES_MAX {
        let moment = now()?;
        if moment > begin {
            return Ok(moment);
        }
    }
    // A clock that stands still tells nothing; the checks around each reading remain.
    Ok(Moment::LAST)
}

const STAMP: &str = "stamp";
/// A tick is a few milliseconds, on old disks two seconds; a try is about a microsecond.
const TICK_TRIES_MAX: u32 = 10_000_000;

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_was_done_before_is_still_and_what_is_done_after_is_not() {
        let folder = tempfile::TempDir::new().unwrap();
        let opened = Folder::open(folder.path()).unwrap();
        fs::write(folder.path().join("file"), "1").unwrap();
        let changed = || opened.read("file", 16).unwrap().changed;
        // Again and again, because a clock that ticks slowly forgives much.
        for round in 0..50 {
            let still = Stillness::begin(folder.path()).unwrap();
            assert!(still.holds(changed()), "round {round}: an old change counts as new");
            fs::write(folder.path().join("file"), "2").unwrap();
            assert!(!still.holds(changed()), "round {round}: a new change was missed");
        }
    }

    #[test]
    fn a_clock_that_ticks_slowly_is_waited_for() {
        let mut asked = 0;
        let clock = || {
            asked += 1;
            Ok::<_, ()>(Moment::at(asked / 1000))
        };
        assert_eq!(next_tick(clock), Ok(Moment::at(1)));
        assert_eq!(next_tick(|| Ok::<_, ()>(Moment::at(7))), Ok(Moment::LAST));
    }

    #[test]
    fn nobody_can_date_a_change_back() {
        let folder = tempfile::TempDir::new().unwrap();
        let opened = Folder::open(folder.path()).unwrap();
        fs::write(folder.path().join("file"), "1").unwrap();
        let still = Stillness::begin(folder.path()).unwrap();
        fs::write(folder.path().join("file"), "2").unwrap();
        let file = fs::File::options().write(true).open(folder.path().join("file")).unwrap();
        let old = fs::FileTimes::new().set_modified(std::time::UNIX_EPOCH);
        file.set_times(old).unwrap();
        assert!(!still.holds(opened.read("file", 16).unwrap().changed));
    }
}
