//! The engine: where decisions become durable and effects are performed.
//!
//! ```text
//! report(input) ─▶ decide ─▶ append (durable) ─▶ evolve ─▶ owed ─▶ perform ─▶ report …
//! ```
//!
//! A [`Host`] drives one aggregate on its stream. It is generic over the machine, the
//! journal and the [`Performer`], and knows none of them: no pipeline, no lane, no gate.
//! Effects are performed at least once and reported once; what a report means is the
//! machine's to say.

mod agenda;
#[cfg(feature = "agents")]
pub mod agent_registry;
#[cfg(feature = "agents")]
pub mod agent_setup;
mod aggregates;
pub mod attesting;
pub mod audit;
pub mod built_in_checks;
mod clock;
pub mod config;
#[cfg(feature = "confined")]
pub mod confined;
pub mod cost_report;
mod error;
#[cfg(feature = "agents")]
pub mod evaluate;
pub mod exporting;
#[cfg(feature = "agents")]
pub mod gate_runner;
mod git;
mod handle;
mod host;
pub mod keys;
mod performer;
#[cfg(feature = "agents")]
pub mod progress;
mod recording;
mod replay;
#[cfg(feature = "agents")]
pub mod restoring;
mod sanitize;
pub mod task_file;
mod task_folder;
#[cfg(feature = "agents")]
pub mod task_performer;
#[cfg(feature = "agents")]
pub mod task_runner;
pub mod tasks;
mod timestamp;
#[cfg(feature = "agents")]
pub mod trees;
pub mod views;

/// Agents, and what can be asked of them.
#[cfg(feature = "agents")]
pub use sealwright_agents as agents;
/// Kinds of gate, and what they say.
pub use sealwright_gates as gates;
/// Isolation around what is run. A program that hosts the engine calls `sandbox::launcher::take_over_if_asked` first.
#[cfg(feature = "confined")]
pub use sealwright_sandbox as sandbox;

pub use aggregates::{Aggregate, aggregate_of};
pub use clock::{Clock, SystemClock};
pub use error::{EngineError, ReportError, Stalled, TaskError};
pub use git::{Depth, GitError, History, HookHome, history_of, hooks_of, remote, user_name};
pub use handle::Handle;
pub use host::{Ended, Host, Limits, Observer};
pub use performer::{Answer, CalledOff, Nobody, NotPerformed, Performer, ReportHandle};
pub use recording::{Performed, Recording};
pub use replay::{Replayed, replay, state_of};
pub use sanitize::{sanitize, steers};
pub use task_folder::TaskFolder;
pub use timestamp::timestamp;
