//! Declarations: what a change announced beforehand.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declared {
    pub paths: Paths,
    /// Packages it would add, or ask for in another way, by name.
    pub dependencies: BTreeSet<String>,
    /// Files that are otherwise kept as they are: lock files, settings of scanners.
    pub changes: BTreeSet<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Paths {
    /// Not declared, so anywhere.
    #[default]
    Anywhere,
    /// These files, and what is below these folders.
    Below(BTreeSet<String>),
}

impl Paths {
    pub fn hold(&self, path: &str) -> bool {
        match self {
            Self::Anywhere => true,
            Self::Below(places) => places.iter().any(|place| is_below(path, place)),
        }
    }
}

/// Whether `path` is `place` itself, or stands below it.
pub(crate) fn is_below(path: &str, place: &str) -> bool {
    let place = place.trim_start_matches("./").trim_end_matches('/');
    let below = || path.strip_prefix(place).is_some_and(|rest| rest.starts_with('/'));
    place.is_empty() || place == "." || path == place || below()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_holds_what_is_below_it_and_not_its_neighbours() {
        let places = Paths::Below(["src/", "./docs", "a.md"].map(str::to_owned).into());
        for path in ["src/a.rs", "src", "docs/b/c.md", "a.md"] {
            assert!(places.hold(path), "{path}");
        }
        for path in ["srcs/a.rs", "src.rs", "b.md", "a.md.orig", ""] {
            assert!(!places.hold(path), "{path}");
        }
    }
}
