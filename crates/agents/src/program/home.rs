//! A home for one run: nobody's before, and nobody's afterwards.

use std::io;
use std::path::{Path, PathBuf};

use sealwright_sandbox::view;

use crate::Place;

/// The home of an agent, on the host. Dropping it takes it away.
pub(super) struct Home {
    folder: PathBuf,
}

impl Home {
    /// An empty one but for these files, all of it the agent's own.
    pub(super) fn make(place: &Place<'_>, files: &[(String, String)]) -> io::Result<Self> {
        let folder = place.seat.folder().join("agent-home");
        if folder.exists() {
            view::discard(&folder).map_err(io::Error::other)?;
        }
        let home = Self { folder };
        let own = |path: &Path| match place.seat.run_as() {
            Some(user) => std::os::unix::fs::chown(path, Some(user), Some(user)),
            None => Ok(()),
        };
        std::fs::create_dir(&home.folder)?;
        own(&home.folder)?;
        for (path, text) in files {
            let mut folder = home.folder.clone();
            let path = Path::new(path);
            for part in path.parent().into_iter().flat_map(Path::iter) {
                folder.push(part);
                if !folder.is_dir() {
                    std::fs::create_dir(&folder)?;
                    own(&folder)?;
                }
            }
            std::fs::write(home.folder.join(path), text)?;
            own(&home.folder.join(path))?;
        }
        Ok(home)
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // What cannot be taken away now goes with the seat.
        let _ = view::discard(&self.folder);
    }
}
