//! End-to-end tests of `sealwright do` with real agents and a scripted model, checked from outside.
//!
//! ```text
//! run (project, behaviour, pair) ──▶ repository + scripts ──▶ sealwright do ──▶ result
//!                                        real git   scripted model    real agents      exit, branch, clone, journal
//! ```
//!
//! Only the model is scripted. `runs.toml` lists the expected end of each run; no check relies on the engine's own
//! account.

pub mod agent_pair;
pub mod behaviour;
pub mod clean_clone;
pub mod cost;
pub mod ending;
pub mod environment;
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
