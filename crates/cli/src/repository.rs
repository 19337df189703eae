//! Finds the repository, task or stream that a command names.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use sealwright_config::{Config, ConfigError, FILE_NAME};
use sealwright_factory::TaskError;
use sealwright_factory::tasks::Tasks;
use sealwright_kernel::task::Status;
use sealwright_kernel::{StreamId, TaskId};
use sealwright_store::FileJournal;
use sealwright_views::Glance;

use crate::args::Args;
use crate::error::{CliError, CliResult};
use crate::task_names::TaskNames;

pub(crate) fn configuration(root: &Path) -> CliResult<Option<Config>> {
    match Config::load(root.join(FILE_NAME)) {
        Err(ConfigError::Missing { .. }) => Ok(None),
        loaded => Ok(Some(loaded?)),
    }
}

/// Whether something belongs to whoever runs this, or to root.
fn is_own(path: &Path) -> bool {
    let user = rustix::process::geteuid().as_raw();
    path.symlink_metadata().is_ok_and(|found| [0, user].contains(&found.uid()))
}

/// Which task a command means that names none, if there is only one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unnamed {
    Unfinished,
    /// It has an open question.
    Asks,
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
                // A repository of its own inside of this one is not this one.
                let is_top = |folder: &Path| folder.join(".git").symlink_metadata().is_ok();
                let found = here.ancestors().find(|folder| holds(folder) || is_top(folder));
                let found = found.filter(|folder| holds(folder)).map(Path::to_owned);
                let found = found.ok_or(CliError::NoSealwrightAround)?;
                if !is_own(&found.join(".sealwright")) {
                    return Err(CliError::OthersSealwright { place: found.display().to_string() });
                }
                found
            }
        };
        let journal = FileJournal::at(root.join(".sealwright"));
        Ok(Self { root, journal })
    }

    /// The same, or the git repository around it: its commits may say that records should be there.
    pub(crate) fn find_or_around(args: &Args) -> CliResult<Self> {
        match Self::find(args) {
            Err(error @ (CliError::NoSealwright { .. } | CliError::NoSealwrightAround)) => {
                let here = match &args.repository {
                    Some(named) if named.is_dir() => std::path::absolute(named),
                    Some(_) => return Err(error),
                    None => std::env::current_dir(),
                };
                let here = here.map_err(CliError::Nowhere)?;
                let root = here.ancestors().find(|it| it.join(".git").symlink_metadata().is_ok());
                let Some(root) = root.map(Path::to_owned) else { return Err(error) };
                let journal = FileJournal::at(root.join(".sealwright"));
                Ok(Self { root, journal })
            }
            found => found,
        }
    }

    pub(crate) fn names(&self) -> TaskNames {
        TaskNames::of(&self.journal)
    }

    /// The task with this id, or the only one whose id starts with `named`, or else ends with it, or else has it somewhere.
    pub(crate) fn task(&self, named: &str) -> CliResult<TaskId> {
        let whole = TaskId::new(named);
        if let Ok(task) = &whole
            && self.journal.layout().stream(task.stream()).is_dir()
        {
            return Ok(task.clone());
        }
        let names = TaskNames::read(&self.journal)?;
        let found = names.matching(named);
        match found[..] {
            [task] => Ok(task.clone()),
            [] => Err(TaskError::NoTask { task: named.to_owned() }.into()),
            _ => {
                let found = found.into_iter().map(ToString::to_string).collect();
                Err(CliError::WhichTask { named: named.to_owned(), found })
            }
        }
    }

    /// Whether this is what a task is called: its id, or what is printed for it.
    pub(crate) fn is_name(&self, text: &str) -> CliResult<bool> {
        Ok(TaskNames::read(&self.journal)?.has(text))
    }

    /// The task that is named, or the one in which something happened last.
    pub(crate) fn task_or_latest(&self, named: Option<&str>) -> CliResult<TaskId> {
        if let Some(named) = named {
            return self.task(named);
        }
        let index = Tasks::of(&self.journal).index()?;
        let dated = index.streams().filter_map(|it| Some((it.glance?.at, &it.stream)));
        let latest = dated.max().and_then(|(_, stream)| TaskId::new(stream.as_str()).ok());
        latest.ok_or(CliError::NoTasks)
    }

    /// The only task that a command without a name can mean.
    pub(crate) fn only(&self, unnamed: Unnamed) -> CliResult<TaskId> {
        let index = Tasks::of(&self.journal).index()?;
        let is_meant = |glance: &Glance| match unnamed {
            Unnamed::Unfinished => !matches!(glance.status, Status::Shipped | Status::Abandoned),
            Unnamed::Asks => glance.asks.is_some(),
        };
        let meant = index.streams().filter(|it| it.glance.as_ref().is_some_and(is_meant));
        let meant: Vec<TaskId> =
            meant.filter_map(|it| TaskId::new(it.stream.as_str()).ok()).collect();
        match (&meant[..], unnamed) {
            ([task], _) => Ok(task.clone()),
            ([], Unnamed::Unfinished) => Err(CliError::NoUnfinished),
            ([], Unnamed::Asks) => Err(CliError::NoQuestion),
            (_, _) => {
                let found = meant.iter().map(ToString::to_string).collect();
                Err(CliError::WhichUnfinished { found })
            }
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
