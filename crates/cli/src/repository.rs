//! Finding the repository a command is about.

use std::path::{Path, PathBuf};

use sealwright_kernel::StreamId;
use sealwright_store::FileJournal;

use crate::args::Args;
use crate::error::CliError;

/// A repository with a `.sealwright`.
pub(crate) struct Repository {
    /// The folder that holds it.
    pub(crate) root: PathBuf,
    /// Its journal, to be read.
    pub(crate) journal: FileJournal,
}

impl Repository {
    /// The one that was named, or the one around the current folder.
    pub(crate) fn find(args: &Args) -> Result<Self, CliError> {
        let place = match &args.repository {
            Some(folder) => folder.clone(),
            None => std::env::current_dir()?,
        };
        let nowhere = || CliError::NoSealwright { place: place.display().to_string() };
        let absolute = std::path::absolute(&place)?;
        let holds = |folder: &&Path| folder.join(".sealwright").is_dir();
        let root = absolute.ancestors().find(holds).ok_or_else(nowhere)?.to_owned();
        let journal = FileJournal::at(root.join(".sealwright"));
        Ok(Self { root, journal })
    }

    /// The stream that was named, or the only one there is.
    pub(crate) fn stream(&self, named: Option<&str>) -> Result<StreamId, CliError> {
        let streams = self.journal.streams_blocking()?;
        let Some(named) = named else {
            return match <[StreamId; 1]>::try_from(streams) {
                Ok([only]) => Ok(only),
                Err(streams) => Err(CliError::WhichStream { count: streams.len() }),
            };
        };
        if let Some(found) = streams.iter().find(|stream| stream.as_str() == named) {
            return Ok(found.clone());
        }
        let alike = |stream: &&StreamId| stream.as_str().eq_ignore_ascii_case(named);
        let near = streams.iter().find(alike).map(ToString::to_string);
        Err(CliError::NoStream { stream: named.to_owned(), near })
    }
}
