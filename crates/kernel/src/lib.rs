//! The deterministic kernel: what is allowed, what is then true, and what is owed.
//!
//! Every rule of Sealwright is a [`Machine`], three pure functions on plain data. Hosts
//! journal the events a machine decides on, perform the effects it is owed, and report
//! what came of them as new inputs.
//!
//! The crate is `no_std`, so the compiler proves that no file, socket, clock, thread or
//! random hash seed can reach a decision.
//!
//! To add a machine, copy [`project`]. The recipe is in ARCHITECTURE.md.

#![no_std]
#![deny(clippy::float_arithmetic, clippy::wildcard_enum_match_arm)]

extern crate alloc;
#[cfg(test)]
extern crate std;

#[macro_use]
mod named;

mod access;
mod actor;
mod aggregates;
mod bounds;
mod canonical;
mod cheat;
mod confinement;
mod digest;
mod evidence;
pub mod goal;
mod ids;
mod lane;
mod machine;
mod order;
pub mod owner;
pub mod pack;
pub mod pipeline;
pub mod product;
pub mod project;
#[cfg(any(test, feature = "testing"))]
pub mod scripted;
pub mod task;
mod time;
mod tree_path;

pub use access::Access;
pub use actor::{Actor, Role};
pub use aggregates::{MachineVisitor, visit_machine_of};
pub use bounds::TooMuch;
pub use canonical::{Canonical, CanonicalError, canonical_json};
pub use cheat::Cheat;
pub use confinement::{Confinement, ConfinementFact, Level};
pub use digest::{Digest, Hasher};
pub use evidence::{Artifact, Cost, Evidence, EvidenceRecord, Source, Unsupported, Verdict};
pub use ids::{
    EffectId, EscalationId, EvidenceId, IdError, InvocationId, Iteration, Seq, SliceId, StreamId,
    TaskId,
};
pub use lane::{Duties, Lane};
pub use machine::{Effect, Input, Machine, fold};
pub use pack::{ContextPack, PackId, Permission, Ref};
pub use time::Timestamp;
pub use tree_path::{BadName, Fault, TreePath, folded, shown};
