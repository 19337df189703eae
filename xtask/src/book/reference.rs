//! The documents in `docs` as pages of the guide, included and not copied.

use anyhow::{Context as _, Result};

use super::{Page, generated_from};
use crate::workspace::root;

pub(super) fn pages() -> Result<Vec<Page>> {
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(root().join("docs"))? {
        let path = entry?.path();
        if path.extension().is_none_or(|it| it != "md") {
            continue;
        }
        let name =
            path.file_name().context("a document has a name")?.to_string_lossy().into_owned();
        let mut text = generated_from(&format!("`docs/{name}`"));
        text += &format!("{{{{#include ../../../{name}}}}}\n");
        pages.push(Page { path: format!("reference/{name}"), text });
    }
    pages.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(pages)
}
