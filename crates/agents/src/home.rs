//! The home of something that is run: a folder for one run, with the files it needs, and a plan around it.

use std::fs::{DirBuilder, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use sealwright_sandbox::plan::{Access, Mount, Plan};
use sealwright_sandbox::{system, tools, view};

use crate::{AgentSandbox, Budget};

/// A home folder for one run, made before it and deleted after it.
pub(crate) struct Home {
    folder: PathBuf,
}

impl Home {
    pub(crate) fn make(place: &AgentSandbox<'_>, files: &[(String, String)]) -> io::Result<Self> {
        let folder = place.slot.folder().join("agent-home");
        if folder.exists() {
            view::discard(&folder).map_err(io::Error::other)?;
        }
        let home = Self { folder };
        create_folder(&home.folder)?;
        place.slot.give(&home.folder)?;
        for (path, text) in files {
            let mut folder = home.folder.clone();
            let path = Path::new(path);
            for part in path.parent().into_iter().flat_map(Path::iter) {
                folder.push(part);
                if !folder.is_dir() {
                    create_folder(&folder)?;
                    place.slot.give(&folder)?;
                }
            }
            let mut file = File::options();
            file.write(true).create_new(true).mode(0o600);
            file.open(home.folder.join(path))?.write_all(text.as_bytes())?;
            place.slot.give(&home.folder.join(path))?;
        }
        Ok(home)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A folder with nothing in it.
    pub(crate) fn empty_folder(&self) -> io::Result<PathBuf> {
        let folder = self.folder.join(".empty");
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// A file with nothing in it.
    pub(crate) fn empty_file(&self) -> io::Result<PathBuf> {
        let file = self.folder.join(".nothing");
        std::fs::write(&file, "")?;
        Ok(file)
    }

    /// A plan that sees the system, the tools of this machine, the place and this home, and reaches nothing.
    pub(crate) fn plan(
        &self,
        place: &AgentSandbox<'_>,
        budget: &Budget,
        words: &[String],
    ) -> io::Result<Plan> {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut plan = system::plan(place.slot, &words)?;
        for tool in tools::found() {
            system::add_tool(&mut plan, &tool.source, tool.at)?;
        }
        plan.mounts.extend_from_slice(place.mounts);
        plan.mounts.push(Mount::required(&self.folder, HOME, Access::ReadWrite));
        plan.folder = place.folder.to_owned();
        plan.limits.wall_ms = budget.wall_ms_max;
        plan.limits.output_bytes = OUTPUT_BYTES_KEPT;
        plan.environment.extend(place.environment.iter().cloned());
        plan.environment.insert("HOME".to_owned(), HOME.to_owned());
        Ok(plan)
    }
}

/// A folder that other users of the machine see nothing of.
fn create_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

impl Drop for Home {
    fn drop(&mut self) {
        // What cannot be taken away now goes with the slot.
        let _ = view::discard(&self.folder);
    }
}

/// Where it is, inside. It is written to, so it is not the empty home of every run.
pub(crate) const HOME: &str = "/home/agent";
/// What is kept of each output; a listener hears all of it.
const OUTPUT_BYTES_KEPT: u64 = 256 << 10;
