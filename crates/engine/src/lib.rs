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
mod aggregates;
pub mod attesting;
pub mod audit;
pub mod bill;
mod clock;
#[cfg(feature = "agents")]
pub mod company;
pub mod config;
#[cfg(feature = "confined")]
pub mod confined;
#[cfg(feature = "agents")]
pub mod crew;
#[cfg(feature = "agents")]
pub mod errand;
mod error;
pub mod exporting;
#[cfg(feature = "agents")]
pub mod gatehouse;
mod git;
mod handle;
#[cfg(feature = "agents")]
pub mod hindsight;
mod host;
pub mod keys;
mod moment;
#[cfg(feature = "agents")]
pub mod onlooker;
pub mod own_checks;
mod performer;
mod plain;
mod recording;
mod replay;
#[cfg(feature = "agents")]
pub mod restoring;
pub mod task_file;
mod task_folder;
pub mod tasks;
#[cfg(feature = "agents")]
pub mod trees;
pub mod views;
#[cfg(feature = "agents")]
pub mod workshop;

/// Agents, and what can be asked of them.
#[cfg(feature = "agents")]
pub use sealwright_agents as agents;
/// Kinds of gate, and what they say.
pub use sealwright_gates as gates;
/// Walls around what is run. A program that hosts the engine calls `sandbox::stage::take_over_if_asked` first.
#[cfg(feature = "confined")]
pub use sealwright_sandbox as sandbox;

pub use aggregates::{Aggregate, aggregate_of};
pub use clock::{Clock, SystemClock};
pub use error::{EngineError, ReportError, Stalled, TaskError};
pub use git::{Depth, GitError, History, HookHome, history_of, hooks_of, remote, user_name};
pub use handle::Handle;
pub use host::{Ended, Host, Limits, Observer};
pub use moment::moment;
pub use performer::{Answer, CalledOff, Desk, Nobody, PerformError, Performer};
pub use plain::{plain, steers};
pub use recording::{Performed, Recording};
pub use replay::{Replayed, replay, state_of};
pub use task_folder::TaskFolder;
