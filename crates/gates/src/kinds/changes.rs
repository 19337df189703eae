//! Changes: which files of a candidate differ from the base, and how many of them a gate is ready to read.

use crate::kinds::scales::Scales;
use crate::{File, Listed, Step, Wanted};

/// The files that differ from the base and are still there.
pub(crate) fn changed(listing: &[Listed]) -> impl Iterator<Item = &Listed> {
    listing.iter().filter(|listed| listed.is_changed() && listed.now.is_some())
}

/// Asks for these files, unless there are more than [`FILES_READ_MAX`].
pub(crate) fn read<'l>(paths: impl Iterator<Item = &'l str>) -> Step {
    let paths: Vec<String> = paths.take(FILES_READ_MAX + 1).map(str::to_owned).collect();
    if paths.len() <= FILES_READ_MAX {
        return Step::Read(Wanted::Files(paths));
    }
    let mut scales = Scales::default();
    scales.unclear(format!("more than {FILES_READ_MAX} files would have to be read"));
    scales.say()
}

/// The content of `path` now, if it was brought. One that was asked for and is not there is unclear.
pub(crate) fn content<'f>(scales: &mut Scales, files: &'f [File], path: &str) -> Option<&'f File> {
    let found = files.iter().find(|file| file.path == path && file.now.is_some());
    if found.is_none() {
        scales.unclear(format!("`{path}` could not be read"));
    }
    found
}

/// The lines of a content that is text; others have none.
pub(crate) fn lines(content: &[u8]) -> Option<Vec<&str>> {
    if content.contains(&0) {
        return None;
    }
    std::str::from_utf8(content).ok().map(|text| text.lines().collect())
}

/// A change with more files cannot be reviewed.
const FILES_READ_MAX: usize = 5_000;
