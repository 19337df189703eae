//! Attacks that an agent with a shell could try against the sandbox.
//!
//! An attack runs twice: by a launcher without a sandbox, where it must succeed, and in a confinement, where it must
//! not. The trait in `confinement` defines a confinement.
//!
//! ```text
//! harness ──fixture (files, victims)──▶ launcher ──▶ the attack, as the agent
//!    └────────── checks from outside afterwards ◀──────┘
//! ```

pub mod attack;
pub mod attacks;
pub mod barrier;
pub mod careless;
pub mod confined;
pub mod confinement;
pub mod control;
pub mod cost;
pub mod crowd;
pub mod ended;
pub mod fixture;
pub mod fixture_setup;
pub mod matrix;
pub mod setting;
pub mod surroundings;
mod sys;
pub mod victim;
