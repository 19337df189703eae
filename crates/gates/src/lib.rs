//! Gates: kinds of check. Each says what has to be looked at next, and in the end what it means; none of them looks.
//!
//! ```text
//!            ┌── run a command ──┐
//! gate ──▶ step ── ask a room ───┼──▶ host does it ──▶ seen ──▶ gate … ──▶ judgement: pass, fail, cannot tell
//!            └── read the tree ──┘
//! ```
//!
//! Cannot tell is never a pass. Silence is none, nor is an exit code of 0 without tests that were seen to run.

pub mod disguise;
pub mod export;
mod gate;
mod guard;
mod judgement;
pub mod kinds;
mod mutants;
pub mod overfit;
pub mod red;
pub mod reports;
mod results;
pub mod runnable;
mod seen;
pub mod strength;
pub mod toolchain;
pub mod tripwire;

pub use gate::{Command, Gate, REPORTS, Room, Step, Wanted};
pub use judgement::{Finding, Judgement};
pub use results::{Status, TestId, TestResult};
pub use seen::{Canary, Ended, Fact, File, Listed, Ran, Said, Seen, Visited};
pub use toolchain::Toolchain;
