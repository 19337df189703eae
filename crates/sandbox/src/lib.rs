//! Isolation: a view of what one role may see, one command run inside it, and the truth about how it ended and how
//! strongly it was confined.
//!
//! ```text
//! plan ──▶ slot.run ──▶ launcher (a process of its own) ──▶ walls ──▶ command
//!                │                                                   │
//!                └───────────── outcome ◀── channel ◀────────────────┘
//! ```
//!
//! Nothing in here knows tasks, gates or agents.

pub mod bubblewrap;
mod cancel;
mod cgroup;
mod channel;
mod clock;
pub mod egress;
mod error;
mod growth;
mod isolation;
mod launch;
pub mod launcher;
mod mechanism;
pub mod plan;
pub mod probe;
mod readable;
pub mod room;
pub mod server_thread;
mod slot;
mod sys;
pub mod system;
pub mod tools;
mod user;
pub mod view;

pub use cancel::Cancel;
pub use error::SandboxError;
pub use isolation::{Barrier, Isolation};
pub use launch::{Captured, Ended, Listener, RunOutcome, Terms};
pub use mechanism::Mechanism;
pub use slot::{SLOTS_MAX, SandboxSlot, SandboxSlots, is_root, let_pass};
