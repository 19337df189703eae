//! Walks every path of the task and the slice machine, with its own idea of what is right.
//!
//! The checks here do not ask the machines' own counters and tables: they count along the
//! way and compare. So a rule that is wrong in a machine is not wrong here too.

pub mod drawing;
mod invocations;
mod key;
mod projects;
pub mod slices;
pub mod tasks;
pub mod walk;
