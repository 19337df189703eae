//! Walls: a view of what one role may see, one command run inside it, and the truth about how it ended and how
//! strongly it was confined.
//!
//! ```text
//! plan ──▶ seat.run ──▶ stage (a process of its own) ──▶ walls ──▶ command
//!                │                                                   │
//!                └───────────── outcome ◀── channel ◀────────────────┘
//! ```
//!
//! Nothing in here knows tasks, gates or agents.

pub mod bubblewrap;
mod cancel;
mod cgroup;
mod channel;
pub mod egress;
mod error;
mod growth;
mod launch;
pub mod leak;
mod mechanism;
pub mod plan;
pub mod probe;
pub mod room;
mod seat;
pub mod stage;
mod sys;
pub mod system;
pub mod tools;
mod user;
pub mod view;
mod walls;

pub use cancel::Cancel;
pub use error::SandboxError;
pub use launch::{Captured, Ended, Listener, Outcome, Terms};
pub use mechanism::Mechanism;
pub use seat::{SEATS_MAX, Seat, Seats, is_root};
pub use walls::{Wall, Walls};
