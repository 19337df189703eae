//! Hindsight: what the gates would have said of changes that are in a repository already.
//!
//! ```text
//! history ──▶ changes ──▶ both sides of each ──▶ gates, behind walls ──▶ accounts ──▶ summary
//! ```
//!
//! Everything is read from the repository's objects and judged in copies below the state folder; nothing of the
//! repository is written. Nobody declared anything of these changes beforehand, so what would have had to be declared
//! is told and does not stop one by itself. What cannot be told is told as such and is never a pass.

mod account;
mod changed_files;
mod error;
mod functions;
mod history;
mod looking;
mod lost;
mod proof;
mod sides;
mod suite;
mod weighing;

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sealwright_sandbox::Cancel;

use looking::Looking;
use sealwright_config::Config;
use sealwright_factory::gate_runner::GateRunner;

pub use account::{
    Account, Checked, Counts, Declarable, End, Fate, How, Lost, Proven, Strength, Suites, Summary,
    ToDeclare,
};
pub use error::EvaluateError;
pub use history::{Came, Change, Reach, top_of};

#[derive(Clone, Debug)]
pub struct Asked {
    pub repository: PathBuf,
    pub reach: Reach,
    pub mutants: Mutants,
    pub minutes: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutants {
    /// None: how strong the tests are is not asked.
    None,
    AtMost(usize),
}

/// Somebody who is told what is looked at and what was found.
pub trait Listener {
    /// A change is looked at now: the `nth`, counted from one, of `all`.
    fn begins(&mut self, change: &Change, nth: usize, all: usize);

    /// It was looked at. Whoever has heard enough says so.
    fn ended(&mut self, account: &Account) -> ControlFlow<()>;
}

/// Looks at changes, the newest first, for as long as there is time. What stands meanwhile below `state` is gone
/// afterwards.
pub async fn look_back(
    gates: &Arc<GateRunner>,
    config: &Config,
    asked: &Asked,
    state: &Path,
    listener: &mut dyn Listener,
) -> Result<Summary, EvaluateError> {
    let changes = history::changes(&asked.repository, &asked.reach)?;
    let place = ScratchDir::take(state)?;
    let (cancel, done) = (Arc::new(Cancel::new()?), Arc::new(Cancel::new()?));
    let minutes = Duration::from_secs(u64::from(asked.minutes) * 60);
    let watch = tokio::task::spawn_blocking({
        let (cancel, done) = (cancel.clone(), done.clone());
        move || {
            if !done.is_cancelled_within(minutes) {
                cancel.cancel();
            }
        }
    });
    let mut looking = Looking {
        gates,
        config,
        repository: &asked.repository,
        place: place.folder.path(),
        mutants: asked.mutants,
        cancel: cancel.clone(),
        suites: BTreeMap::new(),
    };
    let mut summary = Summary::default();
    let all = changes.len();
    for (at, change) in changes.into_iter().enumerate() {
        let account = match cancel.is_cancelled() {
            true => Account::new(change),
            false => {
                listener.begins(&change, at + 1, all);
                looking.account(change).await
            }
        };
        summary.add(&account);
        if listener.ended(&account).is_break() {
            break;
        }
    }
    done.cancel();
    watch.await.map_err(|_| EvaluateError::Died)?;
    Ok(summary)
}

/// A folder in which both sides of changes stand while they are looked at.
struct ScratchDir {
    folder: tempfile::TempDir,
    /// As long as it is held, nobody clears the folder away.
    _lock: fs::File,
}

impl ScratchDir {
    /// A new one. What somebody left behind who was ended on the way is cleared away.
    fn take(state: &Path) -> Result<Self, EvaluateError> {
        let below = state.join("hindsight");
        fs::create_dir_all(&below)?;
        for entry in fs::read_dir(&below)?.take(LEFTOVERS_MAX).flatten() {
            let lock = fs::File::open(entry.path().join(LOCK));
            if lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
                // Whoever comes next tries again.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        let folder = tempfile::tempdir_in(&below)?;
        // Nobody sees it by its name before it is held.
        let making = folder.path().join("making");
        let lock = fs::File::create(&making)?;
        lock.lock()?;
        fs::rename(&making, folder.path().join(LOCK))?;
        Ok(Self { folder, _lock: lock })
    }
}

const LOCK: &str = "lock";
const LEFTOVERS_MAX: usize = 1_000;
