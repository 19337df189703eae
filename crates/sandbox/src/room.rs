//! The clean room: a check of what a role left, in a view of its own that the role could not prepare.
//!
//! ```text
//! work tree ──plain source──▶ material ──▶ build ──artifacts──▶ run ──▶ outcome
//! frozen files ───over it──────┘   │
//! caches (trusted step) ───────────┴─with a canary──▶ the same beside it, and it must fail
//! ```
//!
//! A wall does not make a check honest: with frozen tests out of reach, a runner in a configuration file, an old
//! time on a source file or a constructor that exits still turn a broken implementation green. So only plain
//! source comes along, everything that says how to build and what to run is the harness's, the build and each run
//! have walls of their own, and a second room, visited at the same time, holds one more test that must fail, beside one
//! that uses the code. The canary finds, it does not prove: code that runs in one process with its tests can in the end
//! do to them what it likes.
//!
//! What the outcome means for a task is not decided here. A language is one file beside these and a row of
//! [`LANGUAGES`].

mod cache;
mod canary;
mod check;
mod error;
mod identity;
mod language;
mod material;
mod outcome;
mod python;
mod rust;
mod sources;
mod strength;
mod tree;
mod visit;

pub use cache::Cache;
pub use check::Room;
pub use error::RoomError;
pub use language::{Language, LanguageTools, Project, RoomLanguage};
pub use outcome::{Canary, Report, RoomDigest, RoomOutcome, Tampering};
pub use python::Pytest;
pub use rust::{Built, Cargo, CargoParts, Made, Order, examples as rust_examples};
pub use sources::Sources;
pub use strength::{Attempt, Bench, Wrong};
pub use visit::Conditions;

pub const LANGUAGES: &[RoomLanguage] = &[rust::LANGUAGE, python::LANGUAGE];
