//! The rules of modules: what a module promises, how a plan is cut into modules, how a module is argued over.
//!
//! Like the kernel, the crate is `no_std`: no file, clock, thread or random number reaches a decision.

#![no_std]
#![deny(clippy::float_arithmetic, clippy::wildcard_enum_match_arm)]

extern crate alloc;
#[cfg(test)]
extern crate std;

// What a module promises: contract, fingerprint, versions, compatibility.
pub mod contract;
// How a module is built and argued over: a machine with a stream for each module version.
pub mod debate;
// How a task is cut into modules.
pub mod plan;
// A realistic contract and plan for tests, here and in other crates.
#[cfg(any(test, feature = "testing"))]
pub mod testing;
