//! Walls: a view of what one role may see, one command run inside it, and the truth about how it ended and how
//! strongly it was confined.
//!
//! Nothing in here knows tasks, gates or agents.

pub mod leak;
pub mod plan;
