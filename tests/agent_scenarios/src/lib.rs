//! Rehearsals: every route to an answer plays every scene, and what happened is written into a table.
//!
//! ```text
//! scene ──▶ theatre: model (scripted) + slot + agent (real) ──▶ performance ──▶ held, or why not
//! ```
//!
//! A scene holds or fails by what was seen from outside: files, processes, calls at the tool server, requests at the model.

pub mod route;
pub mod scenes;
pub mod small;
pub mod table;
pub mod theatre;
