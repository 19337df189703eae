//! Small hostile programs, each of them something a role with a shell could try against the walls around it.
//!
//! An attack is run twice: by a launcher that builds no walls, where it must succeed, and inside a confinement,
//! where it must not. What a confinement is, this package leaves to the trait in `confinement`.
//!
//! ```text
//! harness ──stage set (files, victims)──▶ launcher ──▶ the attack, as the agent
//!    └───────────── looks afterwards, from outside ◀──────┘
//! ```

pub mod attack;
pub mod attacks;
pub mod careless;
pub mod confined;
pub mod confinement;
pub mod control;
pub mod cost;
pub mod crowd;
pub mod ended;
pub mod matrix;
pub mod scene;
pub mod setting;
pub mod stage_set;
pub mod surroundings;
mod sys;
pub mod victim;
pub mod wall;
