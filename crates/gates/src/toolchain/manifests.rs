//! Manifests: which packages a project asks for, in a form that can be compared.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use toml::{Table, Value};

/// What is asked for: by table and name, how. Two requests that differ in anything differ here.
pub type Requests = BTreeMap<(String, String), Json>;

/// Reads the requests of a manifest, or says why it cannot.
pub(crate) type Read = fn(text: &str) -> Result<Requests, String>;

/// A kind of manifest.
#[derive(Clone, Copy, Debug)]
pub struct Manifest {
    /// Reads its requests. None for a program, which says what it asks for only when it runs.
    pub requests: Option<Read>,
    /// The lock files that may pin them. None needed for a list that is its own lock.
    pub locks: &'static [&'static str],
}

pub(crate) fn toml(text: &str) -> Result<Table, String> {
    text.parse::<Table>().map_err(|error| error.to_string())
}

/// How something is asked for, in a form that can be compared.
pub(crate) fn plain(how: &Value) -> Json {
    serde_json::to_value(how).unwrap_or(Json::Null)
}
