//! QuickRun: `sealwright do` as a process of its own, with real agents on a scripted model, looked at from outside.
//!
//! ```text
//! run (project, behaviour, pair) ──▶ repository + repertoire ──▶ sealwright do ──▶ what came of it
//!                                        real git   scripted model    real agents      exit, branch, clone, journal
//! ```
//!
//! Only the model is not real. What is expected of each run is data, in `runs.toml`; nothing here asks the engine
//! how it thinks it went.

pub mod agent_pair;
pub mod behaviour;
pub mod clean_clone;
pub mod ending;
pub mod household;
pub mod kills;
pub mod leftovers;
pub mod parts;
pub mod program;
pub mod records;
pub mod repository;
pub mod run;
pub mod test_project;
pub mod trouble;
pub mod undisturbed;
pub mod untouched;
