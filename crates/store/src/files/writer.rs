//! The one writer of a stream: one write and one sync per record.
//!
//! ```text
//!            append                       failed
//!  Sound ──────────────▶ Sound     Sound ────────▶ Unsound ──append──▶ the leftover is cut off
//!                                                                      and recorded as torn
//! ```

use std::sync::Arc;

use sealwright_kernel::StreamId;
use serde::Serialize;

use crate::disk::{Disk, DiskFile};
use crate::files::{Begin, Home, Mark, Torn, in_place, scan, segment_name};
use crate::{Draft, Each, Head, JournalError, Note, Writer};

/// The exclusive right to append to one stream of files.
pub struct FileWriter<D: Disk> {
    home: Arc<Home<D>>,
    stream: StreamId,
    lock: D::Lock,
    head: Head,
    segment: Option<Segment<D::File>>,
    leftover: Leftover,
    has_ended: bool,
    holder: String,
}

struct Segment<F> {
    file: F,
    bytes: u64,
    /// Whether its name is durable. A record in it counts only if it is.
    is_named: bool,
}

/// What stands behind the last accepted record.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leftover {
    Nothing,
    /// A crash left this.
    Torn(Torn),
    /// An append of this writer failed; an unknown part of it is on disk.
    Unknown,
}

impl<D: Disk> FileWriter<D> {
    pub(crate) fn open(
        home: &Arc<Home<D>>,
        stream: &StreamId,
        since: Head,
        each: Each<'_>,
    ) -> Result<Self, JournalError> {
        let path = home.layout.lock(stream);
        let failed = |source| JournalError::io(format!("lock {}", path.display()), source);
        let lock = home.disk.lock(&path).map_err(failed)?.map_err(|note| {
            let holder =
                Mark::from_bytes(&note).map_or_else(|| "unknown".to_owned(), |it| it.holder);
            JournalError::Held { stream: stream.clone(), holder }
        })?;
        let mark = Mark::of(home, stream);
        let mut at_mark = since;
        let found = scan(home, stream, Begin::After(since), &mut |entry| {
            if mark.as_ref().is_some_and(|mark| mark.head.seq == entry.head().seq) {
                at_mark = entry.head();
            }
            each(entry)
        })?;
        if let Some(mark) = &mark {
            mark.holds(stream, at_mark, found.head)?;
        }
        let mut writer = Self {
            home: home.clone(),
            stream: stream.clone(),
            lock,
            head: found.head,
            segment: None,
            leftover: found.torn.map_or(Leftover::Nothing, Leftover::Torn),
            has_ended: found.has_ended,
            holder: Mark::this_process(),
        };
        if let Some(first) = found.segment {
            let path = home.layout.stream(stream).join(segment_name(first));
            let failed = |source| JournalError::io(format!("open {}", path.display()), source);
            let mut file = home.disk.open_for_writing(&path).map_err(failed)?;
            let is_durable = mark.is_some_and(|mark| mark.head == found.head);
            // A segment that holds nothing yet may have been begun by a writer that died before
            // its name was durable.
            if !is_durable || found.segment_bytes == 0 {
                reseat(&mut file, found.segment_bytes).map_err(failed)?;
                home.disk.sync_folders(&home.layout.stream(stream)).map_err(failed)?;
            }
            writer.segment = Some(Segment { file, bytes: found.segment_bytes, is_named: true });
        }
        writer.leave_mark();
        Ok(writer)
    }

    fn append_blocking<C: Serialize, E: Serialize>(
        &mut self,
        draft: &Draft<C, E>,
    ) -> Result<Head, JournalError> {
        if self.has_ended {
            return Err(JournalError::Ended { stream: self.stream.clone(), at: self.head.seq });
        }
        let torn = match self.torn_note()? {
            Some(note) => Some(Draft::note(draft.at, &note).seal(&self.stream, &self.head)?),
            None => None,
        };
        let head = torn.as_ref().map_or(self.head, |(_, head)| *head);
        let mut sealed = draft.sealed(&self.stream, &head)?;
        if let Some((note, _)) = torn {
            sealed.line.splice(..0, note);
        }
        self.begin_segment_if_due()?;
        self.write(&sealed.line)?;
        self.head = sealed.head;
        self.has_ended = sealed.is_end;
        self.leave_mark();
        Ok(self.head)
    }

    fn write(&mut self, lines: &[u8]) -> Result<(), JournalError> {
        let failed = |source| JournalError::io(format!("append to {}", self.stream), source);
        let segment = self.segment.as_mut().expect("a segment was begun");
        let is_held = self.home.disk.holds(&self.lock).map_err(failed)?;
        let expected = match self.leftover {
            Leftover::Nothing => Some(segment.bytes),
            Leftover::Torn(torn) => Some(segment.bytes + torn.bytes),
            Leftover::Unknown => None,
        };
        let found = match segment.file.size() {
            // Another process put another file in its place.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            size => Some(size.map_err(failed)?),
        };
        if !is_held || found.is_none() || expected.is_some_and(|bytes| found != Some(bytes)) {
            return Err(JournalError::Overtaken { stream: self.stream.clone() });
        }
        if std::mem::replace(&mut self.leftover, Leftover::Unknown) != Leftover::Nothing {
            // The leftover may hold a line feed. Were it written over, a crash could leave a
            // line made of both, which would look like a damaged record.
            segment.file.cut(segment.bytes).map_err(failed)?;
            segment.file.sync().map_err(failed)?;
        }
        let bytes = segment.bytes + lines.len() as u64;
        segment.file.write_at(segment.bytes, lines).map_err(failed)?;
        segment.file.sync().map_err(failed)?;
        if !segment.is_named {
            // After the file: most file systems have written its name by then, and have little left to do.
            let folder = self.home.layout.stream(&self.stream);
            self.home.disk.sync_folders(&folder).map_err(failed)?;
            segment.is_named = true;
        }
        segment.bytes = bytes;
        self.leftover = Leftover::Nothing;
        Ok(())
    }

    /// What was left behind the last record, if anything was.
    fn torn_note(&self) -> Result<Option<Note>, JournalError> {
        let torn = match (self.leftover, &self.segment) {
            (Leftover::Nothing, _) | (Leftover::Unknown, None) => return Ok(None),
            (Leftover::Torn(torn), _) => torn,
            (Leftover::Unknown, Some(segment)) => {
                let failed =
                    |source| JournalError::io(format!("look behind {}", self.stream), source);
                match Torn::behind(&segment.file, segment.bytes).map_err(failed)? {
                    Some(torn) => torn,
                    None => return Ok(None),
                }
            }
        };
        Ok(Some(Note::TornTail { bytes: torn.bytes, sha256: torn.sha256 }))
    }

    fn begin_segment_if_due(&mut self) -> Result<(), JournalError> {
        let is_due = match &self.segment {
            None => true,
            Some(segment) => {
                segment.bytes >= self.home.segment_bytes_max && self.leftover == Leftover::Nothing
            }
        };
        if !is_due {
            return Ok(());
        }
        let first = self.head.seq.next();
        let folder = self.home.layout.stream(&self.stream);
        let path = folder.join(segment_name(first));
        let failed = |source| JournalError::io(format!("create {}", path.display()), source);
        if let Some(segment) = &mut self.segment {
            // An earlier writer may have died while it cut a torn tail off; only the last
            // segment may ever show one.
            segment.file.sync().map_err(failed)?;
        }
        let file = self.home.disk.create(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => {
                JournalError::Overtaken { stream: self.stream.clone() }
            }
            _ => failed(error),
        })?;
        self.segment = Some(Segment { file, bytes: 0, is_named: false });
        Ok(())
    }

    /// The mark is a help to others; the record stands without it.
    fn leave_mark(&self) {
        let mark = Mark { holder: self.holder.clone(), head: self.head };
        let _ = self.home.disk.note(&self.lock, &mark.to_bytes());
    }
}

impl<D: Disk> Writer for FileWriter<D> {
    fn stream(&self) -> &StreamId {
        &self.stream
    }

    fn head(&self) -> Head {
        self.head
    }

    fn has_ended(&self) -> bool {
        self.has_ended
    }

    async fn append<C, E>(&mut self, draft: Draft<C, E>) -> Result<Head, JournalError>
    where
        C: Serialize + Send + Sync,
        E: Serialize + Send + Sync,
    {
        in_place(|| self.append_blocking(&draft))
    }
}

impl<D: Disk> std::fmt::Debug for FileWriter<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FileWriter({} at {})", self.stream, self.head.seq)
    }
}

/// Writes the last segment once more, as it is, and syncs it.
///
/// Its writer may have died before it knew the last lines to be durable, or because syncing
/// had failed; a page that failed to sync is only tried again if it is written again. All
/// earlier segments were durable before this one was begun.
fn reseat(file: &mut impl DiskFile, bytes: u64) -> std::io::Result<()> {
    let mut chunk = vec![0; 64 * 1024];
    let mut at = 0;
    while at < bytes {
        let want = chunk.len().min((bytes - at) as usize);
        let count = file.read_at(at, &mut chunk[..want])?;
        if count == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        file.write_at(at, &chunk[..count])?;
        at += count as u64;
    }
    file.sync()
}
