//! A scripted model: it speaks what model providers speak, and does what a script says.
//!
//! Coding agents and our own adapter talk to it instead of a model that somebody pays for; all the rest is real.
//!
//! ```text
//! request ──▶ protocol.read ──▶ conversation ──▶ plan(script) ──▶ reply ──▶ protocol.write ──▶ pieces on a socket
//!                                                                   ▲                               ▲
//!                                                                   └──────────── fault ────────────┘
//! ```
//!
//! Everything between the two ends is pure. Where a script stands is read off the conversation and never remembered,
//! so that requests which an agent makes on the side, or makes twice, move nothing.

mod conversation;
mod deeds;
mod fault;
mod instance;
mod pieces;
mod plan;
pub mod protocol;
mod repertoire;
mod reply;
mod request;
mod script;
mod seen;
mod server;
pub mod usage;

pub use conversation::{Answer, Calling, Conversation, Item, Offer};
pub use fault::{Fault, Strike, Times};
pub use plan::{Plan, Served, plan};
pub use protocol::Protocol;
pub use repertoire::{Piece, Repertoire, RepertoireError};
pub use reply::{Call, Content, Delivery, Input, Reply, Stamp, Written};
pub use script::{Action, Script, ScriptError, Step};
pub use seen::Seen;
pub use server::{Model, Settings};
