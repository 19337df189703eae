//! Runs every scenario on every route with real agents, and writes the results into a table.
//!
//! ```text
//! scenario ──▶ runner: model (scripted) + slot + agent (real) ──▶ result ──▶ held, or why not
//! ```
//!
//! A scenario is judged from outside: files, processes, calls at the tool server, requests at the model.

pub mod maker_file;
pub mod route;
pub mod runner;
pub mod scenarios;
pub mod small;
pub mod table;
