//! Where a change may go besides its plan: documents that record changes, and folders for new tests.
//!
//! Tests that were there before stay guarded, so a folder of tests allows new ones only.

use std::collections::BTreeSet;

use sealwright_gates::Toolchain;
use sealwright_gates::toolchain::Part;
use sealwright_repo::trees::Base;

use crate::gate_runner::guarded_files::{is_test_file, part};

pub(super) fn companions(base: &Base) -> Vec<String> {
    let paths = || base.leaves().keys().map(String::as_str);
    let toolchains = Toolchain::found(paths());
    let mut found = BTreeSet::new();
    for path in paths() {
        if !path.contains('/') && is_record(path) {
            found.insert(path.to_owned());
        }
        if let Some((top, _)) = path.split_once('/')
            && DOCUMENTS.contains(&top)
        {
            found.insert(top.to_owned());
        }
        let is_test = part(&toolchains, path) == Some(Part::Test)
            && toolchains.iter().any(|it| is_test_file(*it, path));
        if let Some((folder, _)) = path.rsplit_once('/').filter(|_| is_test) {
            found.insert(folder.to_owned());
        }
    }
    found.into_iter().take(COMPANIONS_MAX).collect()
}

fn is_record(path: &str) -> bool {
    let stem = path.split_once('.').map_or(path, |(stem, _)| stem);
    RECORDS.iter().any(|it| it.eq_ignore_ascii_case(stem))
}

const RECORDS: [&str; 5] = ["changelog", "changes", "history", "news", "readme"];
const DOCUMENTS: [&str; 5] = ["changelog.d", "changes", "doc", "docs", "newsfragments"];
/// Fewer than the places of a plan.
const COMPANIONS_MAX: usize = 64;

#[cfg(test)]
mod tests {
    use super::is_record;

    #[test]
    fn a_record_is_known_by_its_name() {
        assert!(["CHANGELOG.md", "README", "Changes.rst", "NEWS.txt"].into_iter().all(is_record));
        assert!(!is_record("readme_parser.py") && !is_record("setup.py"));
    }
}
