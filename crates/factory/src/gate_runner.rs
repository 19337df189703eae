//! The gatehouse: does what gates ask for, behind walls, and keeps what was seen.
//!
//! ```text
//! gate ──step──▶ run a command ─── on the candidate with everything frozen laid over it ──┐
//!   ▲            visit a room ──── plain source under frozen tests, with a canary ─────────┼──▶ seen ─▶ evidence
//!   └────────────read the tree ────────────────────────────────────────────────────────────┘
//! ```
//!
//! A gate says what is wanted and what it means; nothing here has an opinion. What could not be done is told as such
//! and is never a pass.

mod clean_room_run;
mod evidence;
mod frozen;
pub mod gate_preview;
pub mod guarded_files;
pub mod honesty;
mod listing;
mod mutants;
mod outlines;
mod run;
pub mod strength;
mod surfaces;
mod tools;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use sealwright_gates::{Ended, File, Gate, Judgement, Ran, Seen, Step, Toolchain, Wanted};
use sealwright_kernel::{Confinement, Digest, Level};
use sealwright_sandbox::plan::Mount;
use sealwright_sandbox::room::{Cache, Language, RoomError};
use sealwright_sandbox::{Cancel, Mechanism, SandboxError, SandboxSlots, probe};

use sealwright_repo::trees::{Base, Tree, TreeError, Trees};

pub use evidence::Stored;
pub use frozen::Frozen;
pub use listing::listing;
pub use mutants::Tried;
pub use surfaces::Surfaces;
pub use tools::Tools;

/// Where gates are performed on this machine.
#[derive(Debug)]
pub struct GateRunner {
    slots: SandboxSlots,
    mechanism: Mechanism,
    least: Level,
    cache: Cache,
    scratch: PathBuf,
    tools: Tools,
    languages: Mutex<BTreeMap<(Toolchain, Digest), Language>>,
}

/// What is judged, and by what.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Where trees come from.
    pub trees: Trees,
    /// The commit it began at.
    pub base: Arc<Base>,
    /// It.
    pub tree: Tree,
    /// What it is compared with: the tree before anything was built.
    pub before: Tree,
    /// What nobody may change.
    pub frozen: Arc<Frozen>,
}

/// What came of performing a gate.
#[derive(Clone, Debug)]
pub struct Performed {
    /// What the gate says.
    pub judgement: Judgement,
    /// The commands that were run, in their order.
    pub runs: Vec<Command>,
    /// How long it took beside them to try what is not told of one by one, in milliseconds.
    pub tried_ms: u64,
    /// Everything the commands had around them.
    pub environment: Digest,
    /// Lines for a person, whatever the verdict is.
    pub notes: Vec<String>,
}

/// A command that was run.
#[derive(Clone, Debug)]
pub struct Command {
    /// Its words.
    pub argv: Vec<String>,
    /// What came of it.
    pub ran: Ran,
    /// How strongly it was confined.
    pub confinement: Confinement,
    /// What it had around it.
    pub around: Digest,
}

/// A gatehouse that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum GateRunnerError {
    /// The walls could not be put up, or are too weak.
    #[error("gates cannot be run confined")]
    Sandbox(#[from] SandboxError),
    /// A place for caches could not be had.
    #[error("the cache cannot be used")]
    Cache(#[from] RoomError),
    /// The candidate could not be had.
    #[error("the candidate cannot be had")]
    Tree(#[from] TreeError),
    /// The system did not let it be prepared.
    #[error("it could not be prepared")]
    Io(#[from] std::io::Error),
    /// A thread died.
    #[error("internal worker thread panicked")]
    Died,
}

impl GateRunnerError {
    /// What a person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Sandbox(error) => error.hint(),
            Self::Tree(error) => error.hint(),
            Self::Cache(_) | Self::Io(_) | Self::Died => None,
        }
    }
}

impl GateRunner {
    /// Opens the gatehouse of this machine, with caches and scratch folders below `state`.
    pub fn open(
        slots: SandboxSlots,
        state: &Path,
        least: Level,
        tools: Tools,
    ) -> Result<Arc<Self>, GateRunnerError> {
        let report = probe::first_good(&slots)?;
        if report.level() < least {
            return Err(SandboxError::TooWeak { found: report.level(), least }.into());
        }
        let mechanism = report.best().map_or(Mechanism::Nothing, |best| best.mechanism.clone());
        let cache = Cache::open(&state.join("rooms"))?;
        let scratch = state.join("candidates");
        std::fs::create_dir_all(&scratch)?;
        let languages = Mutex::default();
        Ok(Arc::new(Self { slots, mechanism, least, cache, scratch, tools, languages }))
    }

    /// The slots in which things are run.
    pub fn slots(&self) -> &SandboxSlots {
        &self.slots
    }

    /// What the walls are made of.
    pub fn mechanism(&self) -> &Mechanism {
        &self.mechanism
    }

    /// How strong they must be.
    pub fn least(&self) -> Level {
        self.least
    }

    /// Packages for commands that run tests: where each is mounted, and the variable that names it.
    pub fn packages(&self) -> Vec<(Mount, (String, String))> {
        self.tools.packages()
    }

    /// Runs one command on a candidate, and says what came of it; nothing, if it could not be started.
    pub async fn look(
        self: &Arc<Self>,
        command: sealwright_gates::Command,
        candidate: &Candidate,
        cancel: &Arc<Cancel>,
    ) -> Result<Option<Ran>, GateRunnerError> {
        match self.run(command, candidate, cancel).await? {
            (Seen::Ran(ran), _) => Ok(Some(ran)),
            (Seen::Visited(_) | Seen::Listing(_) | Seen::Files(_) | Seen::Nothing { .. }, _) => {
                Ok(None)
            }
        }
    }

    /// Performs a gate on a candidate.
    pub async fn perform(
        self: &Arc<Self>,
        gate: &dyn Gate,
        candidate: &Candidate,
        cancel: &Arc<Cancel>,
    ) -> Result<Performed, GateRunnerError> {
        let mut seen = Vec::new();
        let mut performed = Performed {
            judgement: Judgement::cannot_tell("the gate came to no end"),
            runs: Vec::new(),
            tried_ms: 0,
            environment: Digest::ZERO,
            notes: Vec::new(),
        };
        let mut arounds = Vec::new();
        for _ in 0..STEPS_MAX {
            let (answer, runs) = match gate.next(&seen) {
                Step::Say(judgement) => {
                    performed.judgement = judgement;
                    break;
                }
                Step::Run(command) => self.run(command, candidate, cancel).await?,
                Step::Visit(room) => self.visit(room, candidate, cancel).await?,
                Step::Read(wanted) => (read(wanted, candidate).await?, Vec::new()),
            };
            arounds.extend(runs.iter().map(|run| run.around));
            performed.runs.extend(runs);
            seen.push(answer);
        }
        performed.environment = evidence::environment(&arounds);
        Ok(performed)
    }
}

async fn read(wanted: Wanted, candidate: &Candidate) -> Result<Seen, TreeError> {
    let Candidate { trees, base, tree, before, .. } = candidate;
    match wanted {
        Wanted::Listing => Ok(Seen::Listing(listing(tree, base, before))),
        Wanted::Files(paths) => {
            let mut files = Vec::new();
            for path in paths.into_iter().take(FILES_MAX) {
                let now = trees.read(base, tree, &path).await?;
                let before = trees.read(base, before, &path).await?;
                if now.is_some() || before.is_some() {
                    files.push(File { path, now, before });
                }
            }
            Ok(Seen::Files(files))
        }
    }
}

/// How a run ended, as gates call it.
fn ended(ended: sealwright_sandbox::Ended) -> Ended {
    use sealwright_sandbox::Ended as Was;
    match ended {
        Was::Exited(code) => Ended::Exited(code),
        Was::Signalled(signal) => Ended::Signalled(signal),
        Was::TimedOut => Ended::TimedOut,
        Was::OutOfRoom => Ended::OutOfRoom,
        Was::Cancelled | Was::Vanished => Ended::Lost,
    }
}

/// A gate that wants more than this wants the same thing again and again.
const STEPS_MAX: usize = 16;
const FILES_MAX: usize = 10_000;
