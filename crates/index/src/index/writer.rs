//! The one writer of an index. Nothing else in the workspace can change one.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use sealwright_kernel::{Digest, Machine as _};

use super::{CodeIndex, LOCK, LOG, Ranker, Ranking, VECTORS, generations, prefix_of, row_number};
use crate::embedder::{Embedder, embed_checked};
use crate::entry::CodeIndexEntry;
use crate::error::IndexError;
use crate::files::Folder;
use crate::log::{self, LogWriter, Record};
use crate::rules::{Command, Event, Refused};
use crate::search::Snapshot;
use crate::vectors::{Access, Vectors};

/// The exclusive right to append to an index. It reads, too.
pub struct AppendOnlyCodeIndex {
    index: CodeIndex,
    folder: Folder,
    log: LogWriter,
    /// Held for as long as this lives.
    _lock: File,
}

impl AppendOnlyCodeIndex {
    /// Opens an index to be written, or makes one. Vectors that a crash left out are computed.
    pub fn open(root: &Path, ranking: Ranking) -> Result<Self, IndexError> {
        let path = root.display().to_string();
        let failed = |doing| {
            let path = path.clone();
            move |source| IndexError::Io { doing, path, source }
        };
        let folder = Folder::create(root).map_err(failed("make the folder"))?;
        let lock = folder.write(LOCK).map_err(failed("open the lock"))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(IndexError::Held { path }),
            Err(TryLockError::Error(source)) => return Err(failed("take the lock")(source)),
        }
        let log = folder.write(LOG).map_err(failed("open the records"))?;
        let writing = log.try_clone().map_err(failed("open the records"))?;
        let index = CodeIndex::load(&folder, path, log, ranking, Access::Write)?;
        let log = LogWriter::new(writing, index.end);
        let mut opened = Self { index, folder, log, _lock: lock };
        opened.catch_up()?;
        Ok(opened)
    }

    /// Appends entries durably, all or none. One that is there with the same content changes nothing.
    pub fn append(&mut self, entries: &[CodeIndexEntry]) -> Result<Snapshot, IndexError> {
        let mut new: BTreeMap<_, &CodeIndexEntry> = BTreeMap::new();
        let mut events = Vec::new();
        for entry in entries {
            let command = Command::Append { entry: Box::new(entry.clone()) };
            let decided = self.index.table.rules.decide(&command)?;
            let module = entry.check().map_err(Refused::from)?;
            match new.get(&module) {
                Some(same) if *same == entry => continue,
                Some(_) => return Err(Refused::KeyUsed { module }.into()),
                None => new.insert(module, entry),
            };
            events.extend(decided);
        }
        if self.index.table.rules.len() + events.len() > crate::rules::ENTRIES_MAX {
            return Err(Refused::Full.into());
        }
        self.record(events)
    }

    /// Decides on a command and appends durably what follows from it.
    pub fn apply(&mut self, command: &Command) -> Result<Snapshot, IndexError> {
        let events = self.index.table.rules.decide(command)?;
        self.record(events)
    }

    /// Computes all vectors of the configured embedder again. A search sees the old ones until the last is there.
    pub fn reindex(&mut self) -> Result<usize, IndexError> {
        let Ranker::Dense(embedder, _) = &self.index.ranker else { return Ok(0) };
        let embedder = embedder.clone();
        let made = self.new_generation(&embedder)?;
        let rows = made.rows();
        if let Ranker::Dense(_, vectors) = &mut self.index.ranker {
            *vectors = Some(made);
        }
        Ok(rows)
    }

    fn record(&mut self, events: Vec<Event>) -> Result<Snapshot, IndexError> {
        if events.is_empty() {
            return Ok(self.index.snapshot());
        }
        let missing = self.index.vectors_missing();
        let prepared = self.log.prepare(&events);
        let mut texts: Vec<(Digest, String)> = Vec::new();
        for (event, (snapshot, _)) in events.iter().zip(&prepared.records) {
            if let Event::Appended { entry } = event {
                texts.push((snapshot.hash, entry.embedding_input()));
            }
        }
        // A vector without its record is overwritten by the next one; a record without its vector would be a hole.
        if let Ranker::Dense(embedder, vectors) = &mut self.index.ranker {
            match vectors {
                Some(vectors) if missing == 0 => {
                    let rows = self.index.table.rows().len();
                    vectors.truncate(rows);
                    let made = embedded(&**embedder, &texts)?;
                    let path = self.index.path.clone();
                    vectors.append(&made).map_err(|source| IndexError::Io {
                        doing: "write vectors",
                        path,
                        source,
                    })?;
                }
                Some(_) | None => {
                    return Err(IndexError::VectorsMissing {
                        missing,
                        name: embedder.info().name.clone(),
                    });
                }
            }
        }
        if let Err(source) = self.log.append(&prepared) {
            let rows = self.index.table.rows().len();
            if let Ranker::Dense(_, Some(vectors)) = &mut self.index.ranker {
                vectors.truncate(rows);
            }
            return Err(self.index.failed("append records", source));
        }
        for (event, (snapshot, place)) in events.into_iter().zip(prepared.records) {
            self.index.table.add(Record { snapshot, event, place });
        }
        if let Ranker::Words(words) = &mut self.index.ranker {
            texts.iter().for_each(|(_, text)| words.add(text));
        }
        self.index.end.torn_bytes = 0;
        Ok(self.index.snapshot())
    }

    /// Vectors of entries that were appended without them: a crash, or while ranking by words.
    fn catch_up(&mut self) -> Result<(), IndexError> {
        let Ranker::Dense(embedder, vectors) = &mut self.index.ranker else { return Ok(()) };
        let embedder = embedder.clone();
        match vectors.take() {
            Some(mut made) => {
                let caught = self.fill(&*embedder, &mut made);
                self.keep(made);
                caught
            }
            // Only the first vectors of an empty index come by themselves; others may take hours.
            None if self.index.table.rows().is_empty() => self.reindex().map(|_| ()),
            None => Ok(()),
        }
    }

    fn keep(&mut self, made: Vectors) {
        if let Ranker::Dense(_, vectors) = &mut self.index.ranker {
            *vectors = Some(made);
        }
    }

    fn new_generation(&self, embedder: &Arc<dyn Embedder>) -> Result<Vectors, IndexError> {
        let failed = |source| self.index.failed("make vectors", source);
        let folder = self.folder.create_folder(VECTORS).map_err(failed)?;
        let known = generations(&folder, &**embedder).map_err(failed)?;
        let last = known.last().and_then(|name| name[name.len() - 4..].parse().ok());
        let next: u32 = last.map_or(1, |number: u32| number + 1);
        if next > GENERATIONS_MAX {
            return Err(failed(io::Error::other("too many generations of vectors")));
        }
        // Its name makes it count, so it gets that last.
        let begun = folder.create_folder(BEGUN).map_err(failed)?;
        let mut made = Vectors::create(&begun, embedder.info()).map_err(failed)?;
        self.fill(&**embedder, &mut made)?;
        made.sync().map_err(failed)?;
        let name = format!("{}{next:04}", prefix_of(&embedder.info().digest()));
        folder.rename(BEGUN, &name).map_err(failed)?;
        Ok(made)
    }

    /// Embeds the entries that have no vector in `made`.
    fn fill(&self, embedder: &dyn Embedder, made: &mut Vectors) -> Result<(), IndexError> {
        let index = &self.index;
        let mut from = row_number(made.rows());
        while (from as usize) < index.table.rows().len() {
            let mut texts = Vec::new();
            for row in
                (from..).take(BATCH).take_while(|row| (*row as usize) < index.table.rows().len())
            {
                let hash = index.table.hash_of(row).ok_or(IndexError::VectorDamaged { row })?;
                let place = index.table.rows()[row as usize].place;
                let event = log::read_at(&index.log, place, hash);
                let event = event.map_err(|source| index.failed("read a record", source))?;
                let Some(Event::Appended { entry }) = event else {
                    return Err(IndexError::VectorDamaged { row });
                };
                texts.push((hash, entry.embedding_input()));
            }
            from = from.saturating_add(row_number(texts.len()));
            let vectors = embedded(embedder, &texts)?;
            made.append(&vectors).map_err(|source| index.failed("write vectors", source))?;
        }
        Ok(())
    }
}

impl Deref for AppendOnlyCodeIndex {
    type Target = CodeIndex;

    fn deref(&self) -> &CodeIndex {
        &self.index
    }
}

fn embedded(
    embedder: &dyn Embedder,
    texts: &[(Digest, String)],
) -> Result<Vec<(Digest, Vec<f32>)>, IndexError> {
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    let borrowed: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
    let vectors = embed_checked(embedder, &borrowed)?;
    Ok(texts.iter().map(|(record, _)| *record).zip(vectors).collect())
}

const BATCH: usize = 256;
const BEGUN: &str = "begun";
const GENERATIONS_MAX: u32 = 9999;
