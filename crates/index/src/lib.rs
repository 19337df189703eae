//! The code index: shipped modules, found again by what they do. Append-only; filters before the ranking.
//!
//! ```text
//!  ship ──▶ AppendOnlyCodeIndex ──▶ log.jsonl ──fold──▶ entries, status, filters
//!                    │                  └──embedder───▶ vectors (derived)
//!  plan ──▶ CodeIndex::search: filters ─▶ status ─▶ cosine or BM25 ─▶ top_k
//! ```
//!
//! The rules are a machine ([`CodeIndexRules`]), so that a journal can keep them; the files here can be made again from
//! its events. No input and no function removes an entry.

mod embedder;
mod entry;
mod error;
mod files;
mod index;
mod log;
mod rules;
mod search;
mod table;
mod vectors;
mod words;

pub use embedder::{
    DIMS_MAX, DIMS_MIN, Embedder, EmbedderError, EmbedderInfo, HelperConfig, HelperProgram,
    TOKENS_MIN,
};
pub use entry::{
    CodeIndexEntry, ITEMS_MAX, InvalidEntry, IoSummary, NOTES_BYTES_MAX, PURPOSE_BYTES_MAX, Status,
    TEXT_BYTES_MAX,
};
pub use error::IndexError;
pub use index::{AppendOnlyCodeIndex, CodeIndex, Ranking};
pub use rules::{
    CodeIndexRules, Command, ENTRIES_MAX, Event, NOTE_BYTES_MAX, NoEffect, Refused, Standing,
    folded,
};
pub use search::{
    Filters, InvalidSearch, ProductSearchRequest, QUERY_BYTES_MAX, SearchAnswer, SearchRequest,
    SearchResult, Snapshot, Stats, TOP_K_DEFAULT, TOP_K_MAX,
};

#[cfg(test)]
mod tests;
