//! The boundary between tests that judge and the code they judge.
//!
//! Tests run in one process, the candidate in another, in a room of its own, and only values pass between them. The
//! tests import stand-ins that are made from the candidate's text ([`programs::SURFACE`]); a call of one is a frame to
//! the candidate. Whatever comes back is read here before a byte of it reaches the tests:
//!
//! ```text
//! tests ── judge.py ──────────────frames───────────▶ subject.py ── candidate
//!             ▲                                          │
//!             └── written anew ◀── Boundary::take ◀──────┘
//! ```
//!
//! A frame that is not exactly what the protocol allows ends the conversation, and the test that waits for it fails.

mod boundary;
mod carrier;
mod node;
mod rooms;
mod trial;
mod value;

pub mod programs;
pub mod rust;

pub use boundary::{Boundary, FRAME_BYTES_MAX, Malformed};
pub use carrier::carry;
pub use rooms::{OTHER, Rooms, Surroundings, USUAL};
pub use trial::{Idle, Judgement, Surface, Trial, TrialError};
