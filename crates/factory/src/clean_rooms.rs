//! Whether a clean room runs tests of a repository. Without one no change can be proven, whatever is installed.

use std::collections::BTreeSet;
use std::path::Path;

use sealwright_gates::Toolchain;
use sealwright_gates::toolchain::NO_ROOM_BELOW;
use sealwright_repo::GitError;
use sealwright_repo::git::objects;

/// Why no clean room runs tests of the last commit, or of the files in `added`. Fails if there is no commit.
pub fn lack_in(repository: &Path, added: &[String]) -> Result<Option<String>, GitError> {
    let head = objects::commit(repository, "HEAD")?;
    let entries = objects::entries(repository, &head)?;
    let committed = entries.iter().map(|entry| entry.path.as_str());
    Ok(lack(&committed.chain(added.iter().map(String::as_str)).collect()))
}

/// Why no clean room runs tests of a project with these files.
pub fn lack(paths: &BTreeSet<&str>) -> Option<String> {
    let found = Toolchain::found(paths.iter().copied());
    if found.iter().any(|it| it.language().has_room(paths)) {
        return None;
    }
    if !found.is_empty() {
        return Some(format!("no test can be run: {NO_ROOM_BELOW}"));
    }
    let known = Toolchain::ALL.map(|it| it.language().name());
    Some(format!(
        "a change is proven by tests in a clean room, and there are rooms for {} only; no such project was found",
        known.join(" and ")
    ))
}

/// What can be done without a clean room.
pub const INSTEAD: &str =
    "`sealwright gates try` and `sealwright evaluate` run the checks of this repository";
