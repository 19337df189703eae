//! What a search asks and answers, as tools and commands carry it.

use sealwright_kernel::{Digest, Ref, Seq};
use sealwright_module::contract::ModuleRange;
use serde::{Deserialize, Serialize};

use crate::entry::{CodeIndexEntry, ITEMS_MAX, Status, TEXT_BYTES_MAX};

/// The input of the tool `search_code_index`. Of each list that is given, an entry needs one value or more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchRequest {
    pub query: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub input_types: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub output_types: Vec<String>,
    #[serde(default)]
    pub include_inactive: bool,
    #[serde(default = "top_k_default")]
    pub top_k: usize,
}

/// The input of the same tool where a product is talked about: the query alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProductSearchRequest {
    pub query: String,
}

/// Filters that programs have besides those of the tool. An empty one lets everything through.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    /// If any are named, they take the place of `include_inactive`.
    pub statuses: Vec<Status>,
    /// One module, in a range of versions.
    pub versions: Option<ModuleRange>,
    pub module_id: Option<String>,
}

/// A point of the index in time: the records up to this one, and the hash of their chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    pub seq: Seq,
    pub hash: Digest,
}

/// The answer to a search, and what it was found in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchAnswer {
    pub snapshot: Snapshot,
    /// The embedder that ranked, or `bm25`.
    pub ranked_by: String,
    pub results: Vec<SearchResult>,
}

/// A whole entry, and how well it fits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchResult {
    #[serde(flatten)]
    pub entry: CodeIndexEntry,
    /// From 0.0 to 1.0.
    pub similarity_score: f64,
}

/// What the index holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stats {
    pub snapshot: Snapshot,
    pub entries: usize,
    pub shipped: usize,
    pub deprecated: usize,
    pub superseded: usize,
    pub ranked_by: String,
    /// Entries that the embedder has not embedded yet.
    pub vectors_missing: usize,
    /// Bytes behind the last whole record, which a crash left.
    pub torn_bytes: u64,
}

/// Why a search was not run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSearch {
    #[error("the query is empty")]
    EmptyQuery,
    #[error("the query is too long: at most {QUERY_BYTES_MAX} bytes")]
    LongQuery,
    #[error("top_k is {top_k}: 1 to {TOP_K_MAX}")]
    TopK { top_k: usize },
    #[error("too many {field}: at most {ITEMS_MAX} of at most {TEXT_BYTES_MAX} bytes")]
    TooMany { field: &'static str },
}

impl SearchRequest {
    /// A search by nothing but its text.
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            tags: Vec::new(),
            input_types: Vec::new(),
            output_types: Vec::new(),
            include_inactive: false,
            top_k: TOP_K_DEFAULT,
        }
    }

    pub fn check(&self) -> Result<(), InvalidSearch> {
        if self.query.trim().is_empty() {
            return Err(InvalidSearch::EmptyQuery);
        }
        if self.query.len() > QUERY_BYTES_MAX {
            return Err(InvalidSearch::LongQuery);
        }
        if !(1..=TOP_K_MAX).contains(&self.top_k) {
            return Err(InvalidSearch::TopK { top_k: self.top_k });
        }
        let lists = [
            ("tags", &self.tags),
            ("input_types", &self.input_types),
            ("output_types", &self.output_types),
        ];
        for (field, values) in lists {
            let has_long = values.iter().any(|value| value.len() > TEXT_BYTES_MAX);
            if values.len() > ITEMS_MAX || has_long {
                return Err(InvalidSearch::TooMany { field });
            }
        }
        Ok(())
    }
}

impl From<ProductSearchRequest> for SearchRequest {
    fn from(request: ProductSearchRequest) -> Self {
        Self::new(request.query)
    }
}

impl SearchResult {
    /// The module version, as reports of a search name it.
    pub fn module(&self) -> Option<Ref> {
        self.entry.module_ref().ok()
    }
}

fn top_k_default() -> usize {
    TOP_K_DEFAULT
}

pub const TOP_K_DEFAULT: usize = 10;
pub const TOP_K_MAX: usize = 1000;
pub const QUERY_BYTES_MAX: usize = 16 * 1024;
