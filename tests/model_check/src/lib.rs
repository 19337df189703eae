//! Walks every path of the task and slice machines and checks them independently.
//!
//! The checks do not read the counters and tables of the machines: they count along the path and compare. So an error
//! in a machine is not repeated here.

pub mod drawing;
pub mod graphs;
mod key;
mod projects;
pub mod runs;
pub mod slices;
pub mod tasks;
pub mod walk;
