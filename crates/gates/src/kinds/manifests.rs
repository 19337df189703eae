//! What the manifests of a candidate ask for.

use crate::reports::short;
use crate::toolchain::{Requests, manifest};

pub(crate) fn is_manifest(path: &str) -> bool {
    manifest(path).is_some()
}

/// What a manifest asks for, or why it cannot be read.
pub(crate) fn requests(path: &str, content: &[u8]) -> Result<Requests, String> {
    let text = std::str::from_utf8(content).map_err(|_| format!("`{path}` is not text"))?;
    let Some(manifest) = manifest(path) else { return Ok(Requests::new()) };
    let Some(read) = manifest.requests else {
        return Err(format!("what `{path}` asks for can only be found out by running it"));
    };
    read(text).map_err(|error| format!("`{path}` cannot be read: {}", short(&error)))
}

#[cfg(test)]
mod tests;
