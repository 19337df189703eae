//! The code index on disk: opened, searched, shown.
//!
//! ```text
//! lock                             held by the one writer
//! log.jsonl                        the records, the only truth here
//! vectors/<embedder>-<generation>  derived: computed again by `reindex`
//! ```
//!
//! A reader takes no lock: it reads the whole records that are there when it opens.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use sealwright_kernel::{Digest, Ref, Seq};
use serde::Serialize;

use crate::embedder::{Embedder, dot, embed_checked};
use crate::entry::{CodeIndexEntry, Status};
use crate::error::IndexError;
use crate::files::Folder;
use crate::log::{self, End, LogError};
use crate::rules::{CodeIndexRules, Event, folded};
use crate::search::{Filters, SearchAnswer, SearchRequest, SearchResult, Snapshot, Stats};
use crate::table::{Facet, Table};
use crate::vectors::{Access, Rows, Vectors};
use crate::words::Words;

pub use writer::AppendOnlyCodeIndex;

mod writer;

/// What a search ranks by.
#[derive(Clone)]
pub enum Ranking {
    /// Words, where no encoder is configured.
    Bm25,
    /// Meaning, as an encoder has it.
    Dense(Arc<dyn Embedder>),
}

/// The index as it was when it was opened.
pub struct CodeIndex {
    path: String,
    log: File,
    table: Table,
    end: End,
    ranker: Ranker,
}

enum Ranker {
    Words(Words),
    /// Without vectors, the index was never embedded by this encoder.
    Dense(Arc<dyn Embedder>, Option<Vectors>),
}

impl CodeIndex {
    /// Opens an index to be read.
    pub fn open(root: &Path, ranking: Ranking) -> Result<Self, IndexError> {
        let path = root.display().to_string();
        let failed = |doing| {
            let path = path.clone();
            move |source| IndexError::Io { doing, path, source }
        };
        let folder = match Folder::open(root) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(IndexError::Missing { path });
            }
            opened => opened.map_err(failed("open the folder"))?,
        };
        let Some(log) = folder.read(LOG).map_err(failed("open the records"))? else {
            return Err(IndexError::Missing { path });
        };
        Self::load(&folder, path, log, ranking, Access::Read)
    }

    fn load(
        folder: &Folder,
        path: String,
        log: File,
        ranking: Ranking,
        access: Access,
    ) -> Result<Self, IndexError> {
        if let Ranking::Dense(embedder) = &ranking {
            embedder.info().check()?;
        }
        let mut table = Table::default();
        let mut words = matches!(ranking, Ranking::Bm25).then(Words::default);
        let end = log::read(&log, |record| {
            let text = match (&words, &record.event) {
                (Some(_), Event::Appended { entry }) => Some(entry.embedding_input()),
                _ => None,
            };
            table.read(record)?;
            if let (Some(words), Some(text)) = (&mut words, text) {
                words.add(&text);
            }
            Ok(())
        })
        .map_err(|error| match error {
            LogError::Io(source) => {
                IndexError::Io { doing: "read the records", path: path.clone(), source }
            }
            LogError::Damaged { seq, why } => IndexError::Damaged { path: path.clone(), seq, why },
        })?;
        let ranker = match ranking {
            Ranking::Bm25 => Ranker::Words(words.unwrap_or_default()),
            Ranking::Dense(embedder) => {
                let vectors = newest_vectors(folder, &*embedder, &table, access);
                let vectors = vectors.map_err(|source| IndexError::Io {
                    doing: "read the vectors",
                    path: path.clone(),
                    source,
                })?;
                Ranker::Dense(embedder, vectors)
            }
        };
        Ok(Self { path, log, table, end, ranker })
    }

    /// The newest record.
    pub fn snapshot(&self) -> Snapshot {
        self.table.head()
    }

    /// The rules' view of all entries.
    pub fn rules(&self) -> &CodeIndexRules {
        &self.table.rules
    }

    pub fn search(&self, request: &SearchRequest) -> Result<SearchAnswer, IndexError> {
        self.search_at(request, &Filters::default(), self.snapshot())
    }

    /// Searches what stood at `snapshot`: the same answer, whatever was appended since.
    pub fn search_at(
        &self,
        request: &SearchRequest,
        filters: &Filters,
        snapshot: Snapshot,
    ) -> Result<SearchAnswer, IndexError> {
        request.check()?;
        self.knows(snapshot)?;
        let seq = snapshot.seq;
        let listed = self.table.filtered(request, filters, seq);
        let is_out = self.table.left_out(request, filters, seq);
        let mut scored = match &self.ranker {
            Ranker::Words(words) => {
                let scores = words.scores(&request.query, self.table.rows_at(seq));
                let score = |row: u32| (row, scores[row as usize]);
                match &listed {
                    Some(rows) => {
                        rows.iter().copied().filter(|row| !is_out(*row)).map(score).collect()
                    }
                    None => (0..row_number(scores.len()))
                        .filter(|row| !is_out(*row))
                        .map(score)
                        .collect(),
                }
            }
            Ranker::Dense(embedder, vectors) => {
                let rows =
                    listed.as_deref().map_or(Rows::First(self.table.rows_at(seq)), Rows::Listed);
                self.near(&**embedder, vectors.as_ref(), request, (rows, seq), &is_out)?
            }
        };
        let order = |left: &(u32, f64), right: &(u32, f64)| self.table.order(left, right);
        if scored.len() > request.top_k {
            scored.select_nth_unstable_by(request.top_k - 1, order);
            scored.truncate(request.top_k);
        }
        scored.sort_unstable_by(order);
        let result = |(row, score): (u32, f64)| {
            let similarity_score = score.clamp(0.0, 1.0);
            Ok(SearchResult { entry: self.entry_at(row, seq)?, similarity_score })
        };
        let results = scored.into_iter().map(result).collect::<Result<_, IndexError>>()?;
        Ok(SearchAnswer { snapshot, ranked_by: self.ranked_by(), results })
    }

    /// An entry as it stands now.
    pub fn show(&self, module: &Ref) -> Result<Option<CodeIndexEntry>, IndexError> {
        self.show_at(module, self.snapshot())
    }

    /// An entry as it stood at `snapshot`.
    pub fn show_at(
        &self,
        module: &Ref,
        snapshot: Snapshot,
    ) -> Result<Option<CodeIndexEntry>, IndexError> {
        self.knows(snapshot)?;
        let row =
            self.table.row(module).filter(|row| (*row as usize) < self.table.rows_at(snapshot.seq));
        row.map(|row| self.entry_at(row, snapshot.seq)).transpose()
    }

    /// The module versions whose dependencies admit `module`.
    pub fn consumers(&self, module: &Ref) -> Result<Vec<Ref>, IndexError> {
        let mut found = Vec::new();
        for row in self.table.having(Facet::Dependency, &[module.id().to_owned()]) {
            let entry = self.entry_at(row, self.snapshot().seq)?;
            if entry.dependencies.iter().any(|range| range.covers(module.id(), module.version())) {
                found.push(self.table.rows()[row as usize].module.clone());
            }
        }
        found.sort();
        Ok(found)
    }

    pub fn stats(&self) -> Stats {
        let with =
            |status| self.table.rules.modules().filter(|(_, it)| it.status == status).count();
        Stats {
            snapshot: self.snapshot(),
            entries: self.table.rows().len(),
            shipped: with(Status::Shipped),
            deprecated: with(Status::Deprecated),
            superseded: with(Status::Superseded),
            ranked_by: self.ranked_by(),
            vectors_missing: self.vectors_missing(),
            torn_bytes: self.end.torn_bytes,
        }
    }

    /// Writes what stood at `snapshot` as lines of JSON: the snapshot, then the entries in the order of appending.
    pub fn export(&self, snapshot: Snapshot, out: &mut dyn Write) -> Result<(), IndexError> {
        self.knows(snapshot)?;
        let failed =
            |source| IndexError::Io { doing: "write an export", path: self.path.clone(), source };
        let mut line = |value: &dyn Fn() -> serde_json::Result<String>| {
            let text = value().map_err(io::Error::from).map_err(failed)?;
            writeln!(out, "{text}").map_err(failed)
        };
        line(&|| serde_json::to_string(&Exported { snapshot }))?;
        for row in 0..row_number(self.table.rows_at(snapshot.seq)) {
            let entry = self.entry_at(row, snapshot.seq)?;
            line(&|| serde_json::to_string(&entry))?;
        }
        Ok(())
    }

    fn near(
        &self,
        embedder: &dyn Embedder,
        vectors: Option<&Vectors>,
        request: &SearchRequest,
        (rows, seq): (Rows<'_>, Seq),
        is_out: &dyn Fn(u32) -> bool,
    ) -> Result<Vec<(u32, f64)>, IndexError> {
        let needed = self.table.rows_at(seq);
        let known = vectors.map_or(0, Vectors::rows);
        if known < needed {
            let (missing, name) = (needed - known, embedder.info().name.clone());
            return Err(IndexError::VectorsMissing { missing, name });
        }
        let Some(vectors) = vectors else { return Ok(Vec::new()) };
        let query = embed_checked(embedder, &[&request.query])?.pop().unwrap_or_default();
        let exact = |row: u32| {
            let record = self.table.hash_of(row).ok_or(IndexError::VectorDamaged { row })?;
            let vector = vectors
                .exact(row, &record)
                .map_err(|source| self.failed("read a vector", source))?;
            let vector = vector.ok_or(IndexError::VectorDamaged { row })?;
            Ok((row, dot(&query, &vector)))
        };
        vectors.nearest(&query, rows, is_out, request.top_k).into_iter().map(exact).collect()
    }

    fn entry_at(&self, row: u32, seq: Seq) -> Result<CodeIndexEntry, IndexError> {
        let damaged = || IndexError::Damaged {
            path: self.path.clone(),
            seq: self.table.rows().get(row as usize).map_or(Seq::ZERO, |row| row.seq),
            why: "it changed since it was read",
        };
        let place = self.table.rows().get(row as usize).ok_or_else(damaged)?.place;
        let hash = self.table.hash_of(row).ok_or_else(damaged)?;
        let event = log::read_at(&self.log, place, hash)
            .map_err(|source| self.failed("read a record", source))?;
        match event {
            Some(Event::Appended { entry }) => Ok(folded(*entry, self.table.changes_at(row, seq))),
            Some(Event::StatusChanged { .. } | Event::Noted { .. }) | None => Err(damaged()),
        }
    }

    fn knows(&self, snapshot: Snapshot) -> Result<(), IndexError> {
        let seq = snapshot.seq;
        self.table.knows(snapshot).then_some(()).ok_or(IndexError::UnknownSnapshot { seq })
    }

    fn ranked_by(&self) -> String {
        match &self.ranker {
            Ranker::Words(_) => "bm25".into(),
            Ranker::Dense(embedder, _) => {
                let info = embedder.info();
                format!("{}@{}", info.name, info.revision)
            }
        }
    }

    fn vectors_missing(&self) -> usize {
        match &self.ranker {
            Ranker::Words(_) => 0,
            Ranker::Dense(_, vectors) => {
                self.table.rows().len().saturating_sub(vectors.as_ref().map_or(0, Vectors::rows))
            }
        }
    }

    fn failed(&self, doing: &'static str, source: io::Error) -> IndexError {
        IndexError::Io { doing, path: self.path.clone(), source }
    }
}

#[derive(Serialize)]
struct Exported {
    snapshot: Snapshot,
}

/// The vectors of the embedder's newest generation.
fn newest_vectors(
    folder: &Folder,
    embedder: &dyn Embedder,
    table: &Table,
    access: Access,
) -> io::Result<Option<Vectors>> {
    let folder = match folder.folder(VECTORS) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let Some(name) = generations(&folder, embedder)?.pop() else { return Ok(None) };
    let records = (0..row_number(table.rows().len())).map_while(|row| table.hash_of(row));
    Vectors::open(&folder.folder(&name)?, embedder.info().dims, records, access)
}

/// The folders with vectors of an embedder, oldest first.
fn generations(folder: &Folder, embedder: &dyn Embedder) -> io::Result<Vec<String>> {
    let prefix = prefix_of(&embedder.info().digest());
    let is_generation = |name: &String| {
        let number = name.strip_prefix(&prefix);
        number.is_some_and(|it| it.len() == 4 && it.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut names = folder.names()?;
    names.retain(is_generation);
    names.sort_unstable();
    Ok(names)
}

fn prefix_of(embedder: &Digest) -> String {
    format!("{}-", &embedder.to_string()[..16])
}

fn row_number(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(u32::MAX)
}

const LOG: &str = "log.jsonl";
const LOCK: &str = "lock";
const VECTORS: &str = "vectors";

#[cfg(test)]
mod tests;
