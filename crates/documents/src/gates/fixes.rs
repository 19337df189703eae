//! Where the run continues after a fix: the paths that changed decide, not the role that changed them.

use serde::{Deserialize, Serialize};

use crate::brake::is_below;

/// The phase that a fix leads back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FixKind {
    /// Nothing that was reviewed changed.
    Verify,
    /// Only documents changed.
    Reconcile,
    /// Code, tests or a lockfile changed: the Build gate and Review run again.
    BuildAndReview,
}

/// The kind of a fix, from the paths that it changed.
pub fn classify_fix(changed: &[String]) -> FixKind {
    if changed.is_empty() {
        FixKind::Verify
    } else if changed.iter().all(|it| is_document(it)) {
        FixKind::Reconcile
    } else {
        FixKind::BuildAndReview
    }
}

/// A text at a place of documents. Markdown elsewhere may be content of the product.
fn is_document(path: &str) -> bool {
    let is_text = [".md", ".txt"].iter().any(|it| path.ends_with(it));
    let is_in_folder = FOLDERS.iter().any(|it| is_below(path, it));
    let leaves = path.split(['/', '\\']).any(|it| it == "..");
    is_text && !leaves && (is_in_folder || ROOT_DOCUMENTS.contains(&path))
}

const FOLDERS: [&str; 3] = ["docs", "scaffolding", ".sealwright/pipeline"];
const ROOT_DOCUMENTS: [&str; 4] = ["README.md", "DELIVERY.md", "CHANGELOG.md", "preferences.md"];

#[cfg(test)]
mod tests;
