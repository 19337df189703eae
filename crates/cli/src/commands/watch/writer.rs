//! Whether a process is writing a stream, found without touching its lock.
//!
//! Trying the lock would hold it for a moment and could refuse a writer. So `/proc/locks` is read instead. It does not
//! list locks of other containers, and other systems have no such file.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use sealwright_kernel::StreamId;
use sealwright_store::FileJournal;
use sealwright_store::disk::Disk as _;
use sealwright_views::wire::WriterPlace;
use serde::Deserialize;

/// Who writes a stream.
pub(crate) fn writer_of(journal: &FileJournal, stream: &StreamId) -> WriterPlace {
    let lock = journal.layout().lock(stream);
    writer(&lock, &journal.disk().noted(&lock).unwrap_or_default())
}

/// Who holds the lock at `path`; `note` is what its holder wrote.
fn writer(path: &Path, note: &[u8]) -> WriterPlace {
    let Ok(found) = std::fs::symlink_metadata(path) else { return WriterPlace::Nobody };
    let Ok(locks) = std::fs::read_to_string("/proc/locks") else { return WriterPlace::Unknown };
    let file = Locked { device: device(found.dev()), inode: found.ino(), process: process(note) };
    if locks.lines().any(|line| file.is_in(line)) { WriterPlace::Here } else { WriterPlace::Nobody }
}

struct Locked {
    device: String,
    inode: u64,
    process: Option<u32>,
}

impl Locked {
    /// Whether the line lists an exclusive lock of this file, such as
    /// `3: FLOCK  ADVISORY  WRITE 8254 fd:01:1835023 0 EOF`.
    fn is_in(&self, line: &str) -> bool {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, "FLOCK", _, "WRITE", process, place, ..] = words[..] else { return false };
        let Some((device, inode)) = place.rsplit_once(':') else { return false };
        // Some file systems report another device number; then inode and process id must match.
        let is_holder = self.process.is_some() && process.parse().ok() == self.process;
        inode.parse() == Ok(self.inode) && (device == self.device || is_holder)
    }
}

/// A device as `/proc/locks` prints it.
fn device(number: u64) -> String {
    let major = ((number >> 32) & 0xffff_f000) | ((number >> 8) & 0xfff);
    let minor = ((number >> 12) & 0xffff_ff00) | (number & 0xff);
    format!("{major:02x}:{minor:02x}")
}

/// The process id in the note of a writer.
fn process(note: &[u8]) -> Option<u32> {
    #[derive(Deserialize)]
    struct Mark {
        holder: String,
    }
    let mark: Mark = serde_json::from_slice(note).ok()?;
    mark.holder.strip_prefix("process ")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn a_lock_is_found_in_the_systems_list() {
        let file = Locked { device: "fd:01".into(), inode: 1_835_023, process: Some(8254) };
        assert!(file.is_in("3: FLOCK  ADVISORY  WRITE 8254 fd:01:1835023 0 EOF"));
        assert!(file.is_in("3: FLOCK  ADVISORY  WRITE 1 fd:01:1835023 0 EOF"));
        assert!(file.is_in("3: FLOCK  ADVISORY  WRITE 8254 00:2a:1835023 0 EOF"));
        for other in [
            "3: -> FLOCK  ADVISORY  WRITE 8254 fd:01:1835023 0 EOF",
            "3: POSIX  ADVISORY  WRITE 8254 fd:01:1835023 0 EOF",
            "3: FLOCK  ADVISORY  READ 8254 fd:01:1835023 0 EOF",
            "3: FLOCK  ADVISORY  WRITE 1 00:2a:1835023 0 EOF",
            "3: FLOCK  ADVISORY  WRITE 8254 fd:01:835023 0 EOF",
            "",
            "3: FLOCK",
        ] {
            assert!(!file.is_in(other), "{other}");
        }
        assert_eq!(
            [device(0xfd01), device(0x2a), device(0x0010_3204)],
            ["fd:01", "00:2a", "32:104"]
        );
        assert_eq!(process(br#"{"holder":"process 17","head":{}}  "#), Some(17));
        assert_eq!([process(b""), process(b"{}"), process(br#"{"holder":"x"}"#)], [None; 3]);
    }

    #[test]
    fn who_writes_is_found_out_while_the_lock_is_held_and_never_takes_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("T-a.lock");
        assert_eq!(writer(&path, b""), WriterPlace::Nobody);
        let lock = File::create(&path).unwrap();
        let note = format!("{{\"holder\":\"process {}\"}}", std::process::id());
        assert_ne!(writer(&path, note.as_bytes()), WriterPlace::Here);
        lock.try_lock().unwrap();
        let found = writer(&path, note.as_bytes());
        // `/proc/locks` may be missing or unreadable.
        assert!(matches!(found, WriterPlace::Here | WriterPlace::Unknown), "{found:?}");
        lock.unlock().unwrap();
        assert_ne!(writer(&path, note.as_bytes()), WriterPlace::Here);
    }
}
