//! Go: found by its module file. There is no clean room for it yet.

use crate::toolchain::ecosystem::{Ecosystem, Folder, Found, SuggestedCheck};

pub(super) const ECOSYSTEM: Ecosystem = Ecosystem { detect, ..Ecosystem::UNKNOWN };

fn detect(folder: &dyn Folder) -> Option<Found> {
    let check = SuggestedCheck::new("command", vec!["go", "test", "./..."]);
    folder.is_file("go.mod").then_some(Found { language: "go", check: Some(check) })
}
