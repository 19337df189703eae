//! Tasks as people live with them: the real binary, real files, a scripted world.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]
#![expect(clippy::disallowed_methods, reason = "these tests start the binary")]

mod answers;
mod exports;
mod fixes;
mod forgeries;
mod hand_edits;
mod interface;
mod left_behind;
mod life;
mod mcp;
mod money;
mod parts;
mod published;
mod pushes;
mod runner;
mod schemas;
mod screens;
mod scripted_agents;
mod signed;
mod situations;
mod task_performer;
#[path = "../hands/terminal.rs"]
mod terminal;
#[path = "../hands/traces.rs"]
mod traces;
mod trust;
mod watching;
