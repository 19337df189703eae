//! Finds the repository, task or stream that a command names.

use std::path::{Path, PathBuf};

use sealwright_factory::TaskError;
use sealwright_factory::config::{Config, ConfigError, FILE_NAME};
use sealwright_kernel::{StreamId, TaskId};
use sealwright_store::FileJournal;

use crate::args::Args;
use crate::error::{CliError, CliResult};

pub(crate) fn configuration(root: &Path) -> CliResult<Option<Config>> {
    match Config::load(root.join(FILE_NAME)) {
        Err(ConfigError::Missing { .. }) => Ok(None),
        loaded => Ok(Some(loaded?)),
    }
}

/// A repository with a `.sealwright`.
pub(crate) struct Repository {
    pub(crate) root: PathBuf,
    pub(crate) journal: FileJournal,
}

impl Repository {
    /// The folder given with `--repository`, or the nearest one above the current folder.
    pub(crate) fn find(args: &Args) -> CliResult<Self> {
        let holds = |folder: &Path| folder.join(".sealwright").is_dir();
        let nowhere = |place: &Path| CliError::NoSealwright { place: place.display().to_string() };
        let root = match &args.repository {
            Some(named) => std::path::absolute(named)
                .ok()
                .filter(|folder| holds(folder))
                .ok_or_else(|| nowhere(named))?,
            None => {
                let here = std::env::current_dir().map_err(CliError::Nowhere)?;
                let found = here.ancestors().find(|folder| holds(folder)).map(Path::to_owned);
                found.ok_or(CliError::NoSealwrightAround)?
            }
        };
        let journal = FileJournal::at(root.join(".sealwright"));
        Ok(Self { root, journal })
    }

    /// The task with this id, or the only one whose id starts with `named`.
    pub(crate) fn task(&self, named: &str) -> CliResult<TaskId> {
        let whole = TaskId::new(named);
        if let Ok(task) = &whole
            && self.journal.layout().stream(task.stream()).is_dir()
        {
            return Ok(task.clone());
        }
        let streams = self.journal.streams_blocking()?;
        let tasks = streams.iter().filter_map(|stream| TaskId::new(stream.as_str()).ok());
        let begins = |task: &TaskId| {
            let name = task.as_str();
            name.starts_with(named)
                || name.strip_prefix("T-").is_some_and(|it| it.starts_with(named))
        };
        let mut found: Vec<TaskId> =
            tasks.filter(|task| !named.is_empty() && begins(task)).collect();
        match (found.pop(), found.len()) {
            (Some(task), 0) => Ok(task),
            (Some(_), others) => {
                Err(CliError::WhichTask { named: named.to_owned(), count: others + 1 })
            }
            (None, _) => Err(TaskError::NoTask { task: named.to_owned() }.into()),
        }
    }

    /// The stream with this id, or the only one if no id is given.
    pub(crate) fn stream(&self, named: Option<&str>) -> CliResult<StreamId> {
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
