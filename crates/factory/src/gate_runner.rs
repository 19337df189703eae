//! The gate runner: does what gates ask for, in the sandbox, and stores what was seen.
//!
//! ```text
//! gate ──step──▶ run a command ─── on the candidate with everything frozen laid over it ──┐
//!   ▲            visit a room ──── plain source under frozen tests, with a canary ─────────┼──▶ seen ─▶ evidence
//!   └────────────read the tree ────────────────────────────────────────────────────────────┘
//! ```
//!
//! A gate says what is wanted and what it means; the runner decides nothing. A step that cannot be done is reported as
//! such and is never a pass.

mod across;
mod across_compiled;
mod apart;
mod clean_room_run;
mod evidence;
mod frozen;
pub mod gate_preview;
pub mod guarded_files;
pub mod honesty;
mod mutants;
mod outlines;
mod run;
pub(crate) mod stopwatch;
pub mod strength;
mod surfaces;
mod tools;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use sealwright_gates::{
    Ended, Fact, File, Gate, Judgement, Listed, Ran, Seen, Step, Toolchain, Wanted,
};
use sealwright_kernel::{Confinement, Digest, Level};
use sealwright_sandbox::room::{Cache, Language, RoomError};
use sealwright_sandbox::{Cancel, Mechanism, SandboxError, SandboxSlots, probe};

use crate::scratch::Scratch;
use sealwright_repo::trees::{Base, Leaf, Tree, TreeError, Trees};

pub use across::{Across, Apart, Idle};
pub use evidence::Stored;
pub use frozen::Frozen;
pub use mutants::Tried;
pub use surfaces::Surfaces;
pub use tools::{Packages, Tools};

#[derive(Debug)]
pub struct GateRunner {
    slots: SandboxSlots,
    mechanism: Mechanism,
    least: Level,
    cache: Cache,
    scratch: Scratch,
    tools: Tools,
    languages: Mutex<BTreeMap<(Toolchain, Digest), Language>>,
}

/// What is judged, and by what.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub trees: Trees,
    pub base: Arc<Base>,
    pub tree: Tree,
    /// What it is compared with: the tree before anything was built.
    pub before: Tree,
    /// What nobody may change.
    pub frozen: Arc<Frozen>,
}

#[derive(Clone, Debug)]
pub struct Performed {
    pub judgement: Judgement,
    pub runs: Vec<Command>,
    /// How long it took beside them to try what is not told of one by one, in milliseconds: mutants, and tests apart from the
    /// code.
    pub tried_ms: u64,
    /// Everything the commands had around them.
    pub environment: Digest,
    /// Lines for a person, whatever the verdict is.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Command {
    pub argv: Vec<String>,
    pub ran: Ran,
    pub confinement: Confinement,
    /// What it had around it.
    pub around: Digest,
}

/// Why gates cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum GateRunnerError {
    #[error("gates cannot be run confined")]
    Sandbox(#[from] SandboxError),
    #[error("the cache cannot be used")]
    Cache(#[from] RoomError),
    #[error("the candidate cannot be had")]
    Tree(#[from] TreeError),
    #[error("it could not be prepared")]
    Io(#[from] std::io::Error),
    #[error("internal worker thread panicked")]
    Died,
}

impl GateRunnerError {
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Sandbox(error) => error.hint(),
            Self::Tree(error) => error.hint(),
            Self::Cache(_) | Self::Io(_) | Self::Died => None,
        }
    }
}

impl GateRunner {
    /// Opens the gate runner of this machine, with caches and scratch folders below `state`.
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
        let scratch = Scratch::open(&state.join("candidates"))?;
        let languages = Mutex::default();
        Ok(Arc::new(Self { slots, mechanism, least, cache, scratch, tools, languages }))
    }

    pub fn slots(&self) -> &SandboxSlots {
        &self.slots
    }

    pub fn mechanism(&self) -> &Mechanism {
        &self.mechanism
    }

    pub fn least(&self) -> Level {
        self.least
    }

    /// Packages for commands that run tests: where each is mounted, and variables that name them.
    pub fn packages(&self) -> Packages {
        self.tools.packages()
    }

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

/// Every file of `tree`, with what it was in `before`.
pub fn listing(tree: &Tree, base: &Base, before: &Tree) -> Vec<Listed> {
    let fact = |leaf: Leaf| Fact { digest: leaf.content, bytes: leaf.bytes };
    let listed = |path: &str| Listed {
        path: path.to_owned(),
        now: tree.leaf(base, path).map(fact),
        before: before.leaf(base, path).map(fact),
    };
    let all = tree.paths(base, before).into_iter().map(listed);
    all.filter(|listed| listed.now.is_some() || listed.before.is_some()).collect()
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
