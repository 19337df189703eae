//! A corpus of planted frauds and honest runs on small real projects, and systems that judge them.
//!
//! ```text
//! projects/<name>/ ──▶ project ─┐
//! corpus/frauds/*.toml ─▶ case ─┼──▶ system ──▶ accepted, refused, no such thing
//! corpus/honest/*.toml ─▶ case ─┘
//! ```
//!
//! A fraud that is accepted has escaped; an honest run that is refused is a false alarm. The naive systems in here
//! carry a case out on the open machine, without walls: every case is one of ours and harms nothing but its own
//! folder.

pub mod act;
pub mod baselines;
pub mod case;
pub mod check;
pub mod corpus;
pub mod language;
pub mod overhead;
pub mod process;
pub mod project;
pub mod queue;
pub mod sealwright;
pub mod system;
pub mod table;
pub mod workbench;
