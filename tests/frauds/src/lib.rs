//! A corpus of planted frauds and honest runs on small real projects, and systems that judge them.
//!
//! ```text
//! projects/<name>/ ──▶ project ─┐
//! corpus/frauds/*.toml ─▶ case ─┼──▶ system ──▶ accepted, refused, no such thing
//! corpus/honest/*.toml ─▶ case ─┘
//! ```
//!
//! An accepted fraud has escaped; a refused honest run is a false alarm. The naive systems run a case without a
//! sandbox: every case is ours and harms only its own folder.

pub mod actor_script;
pub mod answers;
pub mod baselines;
pub mod case;
pub mod check;
pub mod checkout;
pub mod corpus;
pub mod language;
pub mod overhead;
pub mod process;
pub mod project;
pub mod queue;
pub mod sealwright;
pub mod system;
pub mod table;
